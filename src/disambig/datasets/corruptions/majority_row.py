"""Skewed sets as the authors' programs draw them: the majority class is the one that is hidden."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.candidates import LabelSets
from disambig.datasets.corruptions.drawing import draw_sets
from disambig.datasets.corruptions.level import checked_share
from disambig.datasets.corruptions.majority import majority_column
from disambig.datasets.corruptions.truth import Truth, read_truth
from disambig.notation import FloatArray

__all__ = ["MajorityRowCorruption"]


@dataclass(frozen=True)
class MajorityRowCorruption:
    """``Pr(z in S | y = majority) = level`` for every other z, independently; other rows stay.

    The corruption in the programs of Cabannes, Bach and Rudi (2021), nearly the opposite of the
    one in their text. The truth of every set of two or more is the majority class.

    Non-ambiguity holds with ``eta = level`` for the majority class and 0 for the others. At level
    1 every majority row is the whole set. (Their comparison makes *every* row whole at exactly 1,
    a point that tells methods apart by luck only; here the law stays continuous.)

    Parameters
    ----------
    level : float in [0, 1]
    majority : label, default None
        The class whose rows are corrupted. None: the most frequent in `y`, among equals the first
        in the order of the classes.

    See Also
    --------
    MajorityPairCorruption : What the text says.

    Examples
    --------
    >>> from disambig.datasets import MajorityRowCorruption
    >>> sets = MajorityRowCorruption(1.0)(["a", "b", "b", "c"])
    >>> [sorted(s) for s in sets]
    [['a'], ['a', 'b', 'c'], ['a', 'b', 'c'], ['c']]
    """

    level: float
    majority: Any = None

    def __post_init__(self) -> None:
        level = checked_share("MajorityRowCorruption", "level", self.level)
        object.__setattr__(self, "level", level)

    def inclusion(self, y: Any, *, classes: Any = None) -> FloatArray:
        return self._inclusion(read_truth(y, classes))

    def probabilities(self, y: Any, *, classes: Any = None) -> FloatArray:
        truth = read_truth(y, classes)
        return np.asarray(self._inclusion(truth)[truth.codes])

    def __call__(self, y: Any, *, classes: Any = None, random_state: Any = None) -> LabelSets:
        truth = read_truth(y, classes)
        return draw_sets(truth, self._inclusion(truth)[truth.codes], random_state)

    def _inclusion(self, truth: Truth) -> FloatArray:
        inclusion = np.eye(truth.n_classes)
        inclusion[majority_column("MajorityRowCorruption", self.majority, truth)] = self.level
        np.fill_diagonal(inclusion, 1.0)
        return inclusion
