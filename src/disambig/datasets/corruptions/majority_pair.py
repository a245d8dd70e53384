"""Skewed sets as the paper describes them: the majority class hides the others."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.candidates import LabelSets
from disambig.datasets.corruptions.drawing import draw_sets
from disambig.datasets.corruptions.level import checked_share
from disambig.datasets.corruptions.majority import majority_column
from disambig.datasets.corruptions.truth import Truth, read_truth
from disambig.notation import FloatArray

__all__ = ["MajorityPairCorruption"]


@dataclass(frozen=True)
class MajorityPairCorruption:
    """``S = {y, majority}`` with probability `level`, else ``{y}``.

    The skewed corruption in the text of Cabannes, Bach and Rudi (2021), appendix D.2, where the
    printed formula gives gamma to the singleton; here, as on the axis of the figure, the level is
    the probability of the pair. Only rows of minority classes become ambiguous: the truth of a set
    of two is the class that is not the majority.

    Non-ambiguity holds with ``eta = level`` for the minority classes and 0 for the majority. At
    level 1 every minority row is a pair.

    Parameters
    ----------
    level : float in [0, 1]
    majority : label, default None
        The class that is added. None: the most frequent in `y`, among equals the first in the
        order of the classes.

    See Also
    --------
    MajorityRowCorruption : What the authors' programs do instead.

    Examples
    --------
    >>> from disambig.datasets import MajorityPairCorruption
    >>> sets = MajorityPairCorruption(1.0)(["a", "b", "b", "c"])
    >>> [sorted(s) for s in sets]
    [['a', 'b'], ['b'], ['b'], ['b', 'c']]
    """

    level: float
    majority: Any = None

    def __post_init__(self) -> None:
        level = checked_share("MajorityPairCorruption", "level", self.level)
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
        inclusion[:, majority_column("MajorityPairCorruption", self.majority, truth)] = self.level
        np.fill_diagonal(inclusion, 1.0)
        return inclusion
