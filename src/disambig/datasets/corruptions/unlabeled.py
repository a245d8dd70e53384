"""Semi-supervised learning: some rows keep their label, the others say nothing."""

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from disambig.candidates import LabelSets
from disambig.datasets.corruptions.truth import Truth, checked_share, read_truth, shuffled_by_class
from disambig.notation import BoolArray, FloatArray


@dataclass(frozen=True)
class UnlabeledCorruption:
    """``S`` is the whole set for a share `level` of the rows, ``{y}`` for the others.

    The number of whole rows is ``round(level * n)``, or all that may be whole where that is less.
    They are drawn among the rows that `min_per_class` does not keep, each with equal probability;
    rows are therefore not independent.

    Non-ambiguity holds with ``eta = round(level * n) / n`` for every class; with `min_per_class`,
    for a class of n_y rows of which b are kept, ``eta = (1 - b / n_y) * n_whole / (n - n_kept)``.
    At level 1 the kept rows are all that is known.

    Parameters
    ----------
    level : float in [0, 1]
    min_per_class : int, default 0
        Labelled rows that each class keeps, drawn at random; a class with fewer keeps all it has.

    Examples
    --------
    >>> from disambig.datasets import UnlabeledCorruption
    >>> sets = UnlabeledCorruption(1.0, min_per_class=1)([0, 0, 0, 1, 1], random_state=0)
    >>> sorted(sorted(s) for s in sets)
    [[0], [0, 1], [0, 1], [0, 1], [1]]
    """

    level: float
    min_per_class: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", checked_share("UnlabeledCorruption", "level", self.level))
        least = self.min_per_class
        if isinstance(least, bool) or not isinstance(least, Integral) or least < 0:
            raise ValueError(
                f"UnlabeledCorruption: min_per_class must be an integer >= 0; got {least!r}."
            )

    def inclusion(self, y: Any, *, classes: Any = None) -> FloatArray:
        """``P[a, b] = Pr(classes[b] in S | y = classes[a])``, exactly, ``(K, K)``.

        A class without rows has nothing to hide: its row is that of the identity.
        """
        return self._inclusion(read_truth(y, classes))

    def probabilities(self, y: Any, *, classes: Any = None) -> FloatArray:
        truth = read_truth(y, classes)
        return np.asarray(self._inclusion(truth)[truth.codes])

    def __call__(self, y: Any, *, classes: Any = None, random_state: Any = None) -> LabelSets:
        truth = read_truth(y, classes)
        rng = np.random.default_rng(random_state)
        kept = self._kept(truth, rng)
        # An order of its own: in the one that chose the kept rows, the others of a small class
        # come late.
        order = rng.permutation(len(kept))
        whole = order[~kept[order]][: self._n_whole(truth)]
        mask = truth.codes[:, np.newaxis] == np.arange(truth.n_classes)
        mask[whole] = True
        return LabelSets(mask, truth.classes)

    def _n_whole(self, truth: Truth) -> int:
        free = np.maximum(truth.counts - self.min_per_class, 0)
        return min(round(self.level * len(truth.codes)), int(free.sum()))

    def _kept(self, truth: Truth, rng: np.random.Generator) -> BoolArray:
        counts = truth.counts
        rows = shuffled_by_class(truth.codes, rng)
        rank = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        kept = np.empty(len(rows), dtype=np.bool_)
        kept[rows] = rank < self.min_per_class
        return kept

    def _inclusion(self, truth: Truth) -> FloatArray:
        counts = truth.counts
        free = np.maximum(counts - self.min_per_class, 0)
        whole = free / np.maximum(counts, 1) * self._n_whole(truth) / max(int(free.sum()), 1)
        inclusion = np.repeat(whole[:, np.newaxis], truth.n_classes, axis=1)
        np.fill_diagonal(inclusion, 1.0)
        return inclusion
