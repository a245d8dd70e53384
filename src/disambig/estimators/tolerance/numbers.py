"""Intervals that the other rows contradict beyond a price.

Rows that never saw an interval S predict its number, with the distribution P of `Residuals` around
the prediction; B is the distribution of all numbers without x. The number leaves S if
``log(B(S) / P(S))`` is more than the price: S is then so much more probable for a row drawn at
random than for its own. (For points both are densities.) What is left is the whole line, column by
column. With a share nu of wrong sets, the sets of other rows, a set is rather wrong than right
beyond the price ``log((1 - nu) / nu)``.
"""

from dataclasses import dataclass

import numpy as np

from disambig.candidates import Intervals
from disambig.estimators.held_out.residual_fit import MAX_SHARE, fit_residuals
from disambig.estimators.held_out.residuals import Residuals
from disambig.notation import BoolArray, FloatArray

_LEAST = np.finfo(float).tiny
# More than any price of practical use.
_FAR = np.finfo(float).max
_TRIAL_SHARE = 0.2
# From here on a share is at its bound, up to the precision of the search.
_AT_BOUND = 0.99


def opened_intervals(sets: Intervals, entries: BoolArray) -> Intervals:
    """The same intervals, with the whole line at some rows ``(n, 1)`` or entries ``(n, d)``."""
    return Intervals(
        np.where(entries, -np.inf, sets.lower), np.where(entries, np.inf, sets.upper), sets.flat
    )


@dataclass(frozen=True, eq=False)
class NumberVerdict:
    """What rows that never saw the intervals say about them.

    Attributes
    ----------
    sets : Intervals
    predictions : float array (n, d)
    residuals : Residuals
    sample_weight : float array (n,)
    """

    sets: Intervals
    predictions: FloatArray
    residuals: Residuals
    sample_weight: FloatArray

    @property
    def is_known(self) -> bool:
        """The largest share that is tried is none.

        Residuals then have another shape than any family, such as a scale that depends on x.
        """
        return self.residuals.wrong_share < _AT_BOUND * MAX_SHARE

    @property
    def wrong_share(self) -> float:
        """The share of wrong sets; 0 unless the sets show it."""
        return self.residuals.wrong_share if self.is_known else 0.0

    @property
    def trial_price(self) -> float:
        """A price at which a fifth of the sets is left, by which wrong ones can come to light.

        Many wrong sets hide behind each other: they move predictions, and the residuals of right
        sets are then as large as theirs.
        """
        used = self.sets.informative & (self.sample_weight > 0)
        return float(np.quantile(self._against.max(axis=1)[used], 1.0 - _TRIAL_SHARE))

    @property
    def log_likelihood(self) -> float:
        """Of the sets, at their share of wrong ones."""
        likely, broad = self.residuals.likelihoods(self.predictions, self.sets)
        nu = self.residuals.wrong_share
        mixed = np.log(np.maximum((1.0 - nu) * likely + nu * broad, _LEAST)).sum(axis=1)
        return float(self.sample_weight @ mixed)

    @property
    def _against(self) -> FloatArray:
        """``log(B(S) / P(S))``, ``(n, d)``."""
        likely, broad = self.residuals.likelihoods(self.predictions, self.sets)
        # B is the wider one: far from all numbers it vanishes later than P.
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(likely > 0, np.log(broad) - np.log(likely), _FAR)

    def widened(self, price: float) -> Intervals:
        """The intervals, with the whole line where a number leaves."""
        return opened_intervals(self.sets, self._against > price)


def judge_numbers(
    predictions: FloatArray, sets: Intervals, sample_weight: FloatArray
) -> NumberVerdict:
    """The verdict of held-out predictions ``(n, d)``."""
    residuals = fit_residuals(predictions, sets, sample_weight)
    return NumberVerdict(sets, predictions, residuals, sample_weight)
