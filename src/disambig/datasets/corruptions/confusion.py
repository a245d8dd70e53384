"""Classes that are mistaken for particular others."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.candidates import LabelSets
from disambig.datasets.corruptions.drawing import draw_sets
from disambig.datasets.corruptions.level import checked_share
from disambig.datasets.corruptions.truth import Truth, column_of, read_truth
from disambig.notation import FloatArray

__all__ = ["ConfusionCorruption"]


@dataclass(frozen=True, eq=False)
class ConfusionCorruption:
    """``Pr(z in S | y) = level * C[y, z]``, independently: by default one fixed partner a class.

    Non-ambiguity holds with ``eta = level * max(C[y, z] : z != y)`` for class y, that is `level`
    for a class with a partner and 0 for one without. Where partners are not mutual, a pair tells
    its truth: of ``{y, partner(y)}`` the one whose partner is the other (`possible_truths`).

    Parameters
    ----------
    level : float in [0, 1]
    confusion : mapping, array-like (K, K) or None, default None
        None: the partner of a class is the next one, of the last the first. A mapping names the
        partner of each class, ``{"seven": "one"}``; a class that it leaves out, or maps to itself,
        is never confused. An array holds C, entries in [0, 1], rows and columns in the order of
        the classes; its diagonal does not matter.

    Examples
    --------
    >>> from disambig.datasets import ConfusionCorruption
    >>> sets = ConfusionCorruption(1.0)([0, 1, 2])
    >>> [sorted(s) for s in sets]
    [[0, 1], [1, 2], [0, 2]]
    >>> corruption = ConfusionCorruption(0.5, {"seven": "one"})
    >>> corruption.inclusion(["one", "seven"]).tolist()
    [[1.0, 0.0], [0.5, 1.0]]
    """

    level: float
    confusion: Any = None

    def __post_init__(self) -> None:
        level = checked_share("ConfusionCorruption", "level", self.level)
        object.__setattr__(self, "level", level)
        if isinstance(self.confusion, Mapping):
            object.__setattr__(self, "confusion", dict(self.confusion))
        elif self.confusion is not None:
            object.__setattr__(self, "confusion", _checked_confusion(self.confusion))

    def inclusion(self, y: Any, *, classes: Any = None) -> FloatArray:
        return self._inclusion(read_truth(y, classes))

    def probabilities(self, y: Any, *, classes: Any = None) -> FloatArray:
        truth = read_truth(y, classes)
        return np.asarray(self._inclusion(truth)[truth.codes])

    def __call__(self, y: Any, *, classes: Any = None, random_state: Any = None) -> LabelSets:
        truth = read_truth(y, classes)
        return draw_sets(truth, self._inclusion(truth)[truth.codes], random_state)

    def _inclusion(self, truth: Truth) -> FloatArray:
        inclusion = self.level * self._strength(truth)
        np.fill_diagonal(inclusion, 1.0)
        return inclusion

    def _strength(self, truth: Truth) -> FloatArray:
        size = truth.n_classes
        if self.confusion is None:
            return np.roll(np.eye(size), 1, axis=1)
        if isinstance(self.confusion, Mapping):
            strength = np.zeros((size, size))
            for pair in self.confusion.items():
                a, b = (
                    column_of("ConfusionCorruption", "confusion", label, truth.classes)
                    for label in pair
                )
                strength[a, b] = 1.0
            return strength
        if len(self.confusion) != size:
            raise ValueError(
                f"ConfusionCorruption: confusion has shape {self.confusion.shape} and y has "
                f"{size} classes. Give one row and one column a class; classes= names those that "
                f"do not occur."
            )
        return np.asarray(self.confusion)


def _checked_confusion(confusion: Any) -> FloatArray:
    strength = np.array(confusion, dtype=np.float64)
    if strength.ndim != 2 or strength.shape[0] != strength.shape[1]:
        raise ValueError(
            f"ConfusionCorruption: confusion must be a mapping of classes or an array of shape "
            f"(K, K); got shape {strength.shape}."
        )
    if not ((strength >= 0) & (strength <= 1)).all():
        row, column = np.argwhere(~((strength >= 0) & (strength <= 1)))[0].tolist()
        raise ValueError(
            f"ConfusionCorruption: confusion[{row}, {column}] is {float(strength[row, column])!r}; "
            f"expected numbers from 0 to 1."
        )
    strength.setflags(write=False)
    return strength
