"""Every wrong class is equally likely to be a candidate."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.candidates import LabelSets
from disambig.datasets.corruptions.drawing import draw_sets
from disambig.datasets.corruptions.level import checked_share
from disambig.datasets.corruptions.truth import Truth, read_truth
from disambig.notation import FloatArray

__all__ = ["UniformCorruption"]


@dataclass(frozen=True)
class UniformCorruption:
    """``Pr(z in S | y) = level`` for every z other than y, independently.

    Non-ambiguity (Assumption 2 of the paper) holds with ``eta = level`` for every class. At level
    1 every set is whole and nothing can be learnt.

    Parameters
    ----------
    level : float in [0, 1]

    Examples
    --------
    >>> from disambig.datasets import UniformCorruption
    >>> corruption = UniformCorruption(0.5)
    >>> [sorted(s) for s in corruption(["a", "b", "c"], random_state=1)]
    [['a', 'c'], ['b', 'c'], ['b', 'c']]
    >>> corruption.inclusion(["a", "b"]).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """

    level: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", checked_share("UniformCorruption", "level", self.level))

    def inclusion(self, y: Any, *, classes: Any = None) -> FloatArray:
        return self._inclusion(read_truth(y, classes))

    def probabilities(self, y: Any, *, classes: Any = None) -> FloatArray:
        truth = read_truth(y, classes)
        return np.asarray(self._inclusion(truth)[truth.codes])

    def __call__(self, y: Any, *, classes: Any = None, random_state: Any = None) -> LabelSets:
        truth = read_truth(y, classes)
        return draw_sets(truth, self._inclusion(truth)[truth.codes], random_state)

    def _inclusion(self, truth: Truth) -> FloatArray:
        inclusion = np.full((truth.n_classes, truth.n_classes), self.level)
        np.fill_diagonal(inclusion, 1.0)
        return inclusion
