"""The temperature at which held-out scores predict candidate sets best; no true label is used.

``P_i = softmax(scores_i / T)``, and `T` maximises ``sum_i log P_i(S_i)`` over the rows that exclude
a class. That is the likelihood of the true labels up to a constant if the chance of a set is the
same whichever of its members is true (coarsening at random).

A share `nu` of the sets may miss the truth, independently of their sizes s among K classes. The
likelihood of a set is then ``(1 - nu) P_i(S_i) + nu (1 - P_i(S_i)) s / (K - s)``. Without `nu`,
wrong sets would raise the temperature.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import softmax

from disambig.estimators.selection.protocol import as_counts
from disambig.memory import by_rows
from disambig.notation import BoolArray, FloatArray

# Temperatures that are tried first, in units of the mean largest score.
_TEMPERATURES = 2.0 ** np.arange(-10.0, 5.0)
# Logarithms of temperatures are found to this precision.
_PRECISION = 0.02
_N_BISECTIONS = 20
# Log-likelihood by which wrong sets must improve the fit to be taken as real: a test at 1.4 %.
_MIN_GAIN = 3.0
# A higher log-likelihood of all sets together is no evidence: half a missed set may be chance.
_MAX_LOG_LIKELIHOOD = -0.5
_MAX_WRONG_SHARE = 0.5


@dataclass(frozen=True)
class SetCalibration:
    """How scores become probabilities.

    Attributes
    ----------
    temperature : float
    wrong_share : float
        The share of sets that no temperature explains. Mostly 0: a higher temperature explains
        wrong sets, too. `wrong_sets` estimates how many miss the truth.
    log_likelihood : float
        Of the sets, per unit of sample weight.

    Examples
    --------
    >>> import numpy as np
    >>> SetCalibration(0.5, 0.0, 0.0)(np.array([[1.0, 0.5], [0.0, 0.0]])).round(3)
    array([[0.731, 0.269],
           [0.5  , 0.5  ]])
    """

    temperature: float
    wrong_share: float
    log_likelihood: float

    def __call__(self, scores: FloatArray, possible: BoolArray | None = None) -> FloatArray:
        """Probabilities ``(n, K)`` of scores ``(n, K)``; impossible classes have none."""
        return by_rows(lambda part: _probabilities(part, self.temperature, possible), scores)


def _probabilities(
    scores: FloatArray, temperature: float, possible: BoolArray | None
) -> FloatArray:
    logits = scores / temperature
    if possible is not None:
        logits = np.where(possible, logits, -np.inf)
    found: FloatArray = softmax(logits, axis=1)
    return found


def size_odds(mask: BoolArray, possible: BoolArray) -> FloatArray:
    """``s / (K - s)`` for sets of s among the K possible classes, ``(n,)``; inf for s = K."""
    sizes = np.count_nonzero(mask & possible, axis=1)
    rest = np.count_nonzero(possible) - sizes
    odds: FloatArray = np.divide(sizes, rest, out=np.full(len(sizes), np.inf), where=rest > 0)
    return odds


def fit_set_calibration(
    scores: FloatArray, mask: BoolArray, sample_weight: FloatArray, possible: BoolArray
) -> SetCalibration:
    """The calibration of highest likelihood of the sets.

    Where every hidden set contains the best class, no temperature is too low for the likelihood,
    and certainty would be claimed without evidence. The largest temperature is then taken whose
    log-likelihood of all sets together is at least -1/2, as if half a set had been missed.

    Parameters
    ----------
    scores : float array (n, K)
        By rows that never saw the set.
    mask : bool array (n, K)
    sample_weight : float array (n,)
        w means w copies of a row.
    possible : bool array (K,)
        Classes that are a candidate of some row.
    """
    odds = size_odds(mask, possible)
    used = np.isfinite(odds) & (scores != 0).any(axis=1) & (sample_weight > 0)
    if not used.any():
        return SetCalibration(1.0, 0.0, 0.0)
    sample_weight = as_counts(sample_weight, used)
    if not used.all():
        scores, mask, odds = scores[used], mask[used], odds[used]
        sample_weight = sample_weight[used]
    likelihood = _SetLikelihood(scores, mask, odds, sample_weight, possible)
    largest = by_rows(
        lambda part: np.where(possible, np.abs(part), 0.0).max(axis=1, initial=0.0), scores
    )
    unit = float(np.average(largest, weights=sample_weight))
    clean = likelihood.best_temperature(unit, with_wrong=False)
    mixed = likelihood.best_temperature(unit, with_wrong=True)
    has_wrong = mixed[1] - clean[1] > _MIN_GAIN
    temperature = likelihood.largest_equal(*(mixed if has_wrong else clean), unit, has_wrong)
    value, wrong_share = likelihood.at(temperature, has_wrong)
    return SetCalibration(temperature, wrong_share, value / float(sample_weight.sum()))


@dataclass(frozen=True, eq=False)
class _SetLikelihood:
    """The log-likelihood of sets as a function of the temperature."""

    scores: FloatArray
    mask: BoolArray
    odds: FloatArray
    sample_weight: FloatArray
    possible: BoolArray

    def at(self, temperature: float, with_wrong: bool) -> tuple[float, float]:
        """The log-likelihood and the best share of wrong sets."""

        def sums(scores: FloatArray, mask: BoolArray) -> FloatArray:
            found = _probabilities(scores, temperature, self.possible)
            inside = np.where(mask, found, 0.0).sum(axis=1)
            return np.column_stack([inside, np.where(mask, 0.0, found).sum(axis=1)])

        inside, outside = np.ascontiguousarray(by_rows(sums, self.scores, self.mask).T)
        wrong = outside * self.odds
        nu = self._best_share(inside, wrong) if with_wrong else 0.0
        likelihood = (1.0 - nu) * inside + nu * wrong
        return float(self.sample_weight @ np.log(np.maximum(likelihood, 1e-300))), nu

    def _best_share(self, right: FloatArray, wrong: FloatArray) -> float:
        """The share of highest likelihood, which is concave in it: its derivative is bisected."""
        low, high = 0.0, _MAX_WRONG_SHARE
        for _ in range(_N_BISECTIONS):
            nu = (low + high) / 2.0
            mixed = np.maximum((1.0 - nu) * right + nu * wrong, 1e-300)
            rises = float(self.sample_weight @ ((wrong - right) / mixed)) > 0.0
            low, high = (nu, high) if rises else (low, nu)
        return low

    def best_temperature(self, unit: float, *, with_wrong: bool) -> tuple[float, float]:
        """The temperature of highest log-likelihood, and its value."""
        logs = np.log(unit * _TEMPERATURES)
        values = [self.at(float(np.exp(log)), with_wrong)[0] for log in logs]
        best = int(np.argmax(values))
        low, high = logs[max(best - 1, 0)], logs[min(best + 1, len(logs) - 1)]
        found = minimize_scalar(
            lambda log: -self.at(float(np.exp(log)), with_wrong)[0],
            bounds=(low, high),
            method="bounded",
            options={"xatol": _PRECISION},
        )
        if -found.fun < values[best]:
            return float(np.exp(logs[best])), values[best]
        return float(np.exp(found.x)), -float(found.fun)

    def largest_equal(
        self, temperature: float, value: float, unit: float, with_wrong: bool
    ) -> float:
        """The largest temperature as good as the best one, or as good as is evidence."""
        low, high = np.log(temperature), np.log(unit * _TEMPERATURES[-1])
        least = min(value, _MAX_LOG_LIKELIHOOD)
        if value == least:
            return temperature
        if self.at(float(np.exp(high)), with_wrong)[0] >= least:
            return float(np.exp(high))
        while high - low > _PRECISION:
            middle = (low + high) / 2.0
            is_equal = self.at(float(np.exp(middle)), with_wrong)[0] >= least
            low, high = (middle, high) if is_equal else (low, middle)
        return float(np.exp(low))
