"""Relative frequencies with exact confidence intervals."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import betaincinv

from disambig.notation import AnyArray, FloatArray
from disambig.parameters import check_number


@dataclass(frozen=True, eq=False)
class Shares:
    """``counts / totals`` with the intervals of Clopper and Pearson, element by element.

    Whatever the true probability, the interval contains it with probability `confidence` at least.
    For a total of 0 the share is NaN and the interval is [0, 1].

    Parameters
    ----------
    counts, totals : int arrays of one shape
    confidence : float in (0, 1)

    Examples
    --------
    >>> shares = Shares([10, 0, 0], [10, 10, 0], 0.95)
    >>> shares.estimate, shares.low.round(3), shares.high.round(3)
    (array([ 1.,  0., nan]), array([0.692, 0.   , 0.   ]), array([1.   , 0.308, 1.   ]))
    """

    counts: AnyArray
    totals: AnyArray
    confidence: float

    def __post_init__(self) -> None:
        require_confidence(type(self).__name__, self.confidence)
        counts, totals = np.broadcast_arrays(self.counts, self.totals)
        for name, array in (("counts", counts.copy()), ("totals", totals.copy())):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @cached_property
    def estimate(self) -> FloatArray:
        """``counts / totals``, which is unbiased."""
        return np.where(self.totals > 0, self.counts / np.maximum(self.totals, 1), np.nan)

    @cached_property
    def low(self) -> FloatArray:
        """The lower end of the interval; 0 if the count is 0."""
        is_positive = self.counts > 0
        counts = np.maximum(self.counts, 1)
        end = betaincinv(counts, np.maximum(self.totals - counts, 0) + 1, self._tail)
        return np.where(is_positive, end, 0.0)

    @cached_property
    def high(self) -> FloatArray:
        """The upper end of the interval; 1 if the count is the total."""
        return self.upper(self._tail)

    def upper(self, risk: float) -> FloatArray:
        """Upper bound that fails with probability `risk` at most; 1 if the count is the total."""
        missed = self.totals - self.counts
        end = betaincinv(self.counts + 1, np.maximum(missed, 1), 1.0 - risk)
        return np.where(missed > 0, end, 1.0)

    @property
    def _tail(self) -> float:
        return (1.0 - self.confidence) / 2


def require_confidence(owner: str, confidence: float) -> None:
    """Raise an error unless `confidence` is a number strictly between 0 and 1."""
    check_number(owner, "confidence", confidence, positive=True, below=1)
