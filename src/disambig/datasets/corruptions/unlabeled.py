"""Semi-supervised learning: some rows keep their label, the others are unlabeled."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.candidates import LabelSets
from disambig.datasets.corruptions.truth import Truth, read_truth, shuffled_by_class
from disambig.notation import BoolArray, FloatArray
from disambig.parameters import check_integer, check_number


@dataclass(frozen=True)
class UnlabeledCorruption:
    """``S`` has all classes for a share `level` of the rows, and is ``{y}`` for the others.

    ``round(level * n)`` rows are unlabeled, or fewer if `min_per_class` keeps too many labels. They
    are drawn with equal probability among the rows that `min_per_class` does not keep, so that rows
    are not independent.

    Non-ambiguity holds with ``eta = round(level * n) / n`` for every class. With `min_per_class`,
    a class of n_y rows of which b are kept has
    ``eta = (1 - b / n_y) * n_unlabeled / (n - n_kept)``. At level 1 only the kept rows are
    labelled.

    Parameters
    ----------
    level : float in [0, 1]
    min_per_class : int, default 0
        Labelled rows that each class keeps, drawn at random; a class with fewer rows keeps all.

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
        object.__setattr__(
            self, "level", check_number("UnlabeledCorruption", "level", self.level, most=1)
        )
        check_integer("UnlabeledCorruption", "min_per_class", self.min_per_class, least=0)

    def inclusion(self, y: Any, *, classes: Any = None) -> FloatArray:
        """``P[a, b] = Pr(classes[b] in S | y = classes[a])``, exactly, ``(K, K)``.

        The row of a class that does not occur is that of the identity.
        """
        return self._inclusion(read_truth(y, classes))

    def probabilities(self, y: Any, *, classes: Any = None) -> FloatArray:
        truth = read_truth(y, classes)
        return np.asarray(self._inclusion(truth)[truth.codes])

    def __call__(self, y: Any, *, classes: Any = None, random_state: Any = None) -> LabelSets:
        truth = read_truth(y, classes)
        rng = np.random.default_rng(random_state)
        kept = self._kept(truth, rng)
        # A separate permutation: in the one that selected the kept rows, the other rows of small
        # classes come late.
        order = rng.permutation(len(kept))
        unlabeled = order[~kept[order]][: self._n_unlabeled(truth)]
        mask = truth.codes[:, np.newaxis] == np.arange(truth.n_classes)
        mask[unlabeled] = True
        return LabelSets(mask, truth.classes)

    def _n_unlabeled(self, truth: Truth) -> int:
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
        probability = free / np.maximum(counts, 1) * self._n_unlabeled(truth)
        probability = probability / max(int(free.sum()), 1)
        inclusion = np.repeat(probability[:, np.newaxis], truth.n_classes, axis=1)
        np.fill_diagonal(inclusion, 1.0)
        return inclusion
