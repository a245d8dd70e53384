"""The temperature at which held-out probabilities predict observed signs best; no truth is used.

A pair of items has a sign (which stands first), and so has a bit (on or off). `T` maximises ``sum
log sigmoid(s logit(p) / T)`` over the observed signs s of rows that the models have not seen. There
is no intercept: a pair read backwards must have the opposite probability.

A share `nu` of the observed signs may be wrong. The likelihood of a sign is then ``(1 - nu) q + nu
(1 - q)`` with ``q = sigmoid(s logit(p) / T)``. Without `nu`, wrong signs would raise the
temperature. The calibrated probability is this mixture, not q: the signs cannot distinguish a wrong
one from one that the inputs do not predict. On the rankings "spo", whose signs are right and hardly
predictable, a forest has `nu` = .43; there q is .27 too confident on average, the mixture .003.

Signs of one row depend on each other, those of an order most of all: three items in a chain have
three pairs. Differences of the log-likelihood are therefore divided by how much more its gradient
varies between rows than it would if signs were independent, an adjustment of composite
likelihoods (Rotnitzky and Jewell, 1990).
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_expit, logit

from disambig.estimators.selection.protocol import as_counts
from disambig.notation import AnyArray, FloatArray

# Probabilities are moved this far from 0 and 1 before their logits are taken: the share of votes
# of ten neighbours is often exactly 1.
CLIP = 1e-3
# With fewer observed signs probabilities stay as they are.
MIN_SIGNS = 30
# Logarithms of temperatures that are tried first: from twenty times sharper to a coin.
_LOG_TEMPERATURES = np.linspace(-3.0, 4.0, 15)
_PRECISION = 1e-4
_N_BISECTIONS = 20
# Log-likelihood by which wrong signs must improve the fit to be taken as real: a test at 1.4 %.
_MIN_GAIN = 3.0
# Temperatures whose log-likelihoods differ by less cannot be distinguished by the signs.
_INDIFFERENCE = 0.5
_MAX_WRONG_SHARE = 0.5
# Beyond this number, signed logits are counted in bins.
_MAX_SIGNS = 2_000
_N_BINS = 2_000


@dataclass(frozen=True)
class SignCalibration:
    """How probabilities of signs become calibrated ones; the default changes nothing.

    Attributes
    ----------
    temperature : float
        Logits are divided by it.
    wrong_share : float
        The estimated share of signs that are wrong or that no temperature predicts; 0 unless the
        signs show it.
    is_fitted : bool
        False if there were too few observed signs; probabilities then stay as they are.

    Examples
    --------
    >>> import numpy as np
    >>> SignCalibration(2.0, 0.0, True)(np.array([0.1, 0.5, 0.9, 1.0])).round(3).tolist()
    [0.25, 0.5, 0.75, 0.969]
    >>> SignCalibration(2.0, 0.1, True)(np.array([0.1, 0.5, 0.9, 1.0])).round(3).tolist()
    [0.3, 0.5, 0.7, 0.875]
    """

    temperature: float = 1.0
    wrong_share: float = 0.0
    is_fitted: bool = False

    def __call__(self, probabilities: FloatArray) -> FloatArray:
        """Calibrated probabilities of observed signs, of the same shape."""
        if not self.is_fitted:
            return probabilities
        right = expit(_logits(probabilities) / self.temperature)
        calibrated: FloatArray = (1.0 - 2.0 * self.wrong_share) * right + self.wrong_share
        return calibrated

    def unmixed(self, calibrated: FloatArray) -> FloatArray:
        """Calibrated probabilities without the share of wrong signs that is mixed in.

        Examples
        --------
        >>> import numpy as np
        >>> SignCalibration(2.0, 0.1, True).unmixed(np.array([0.1, 0.3, 0.9])).round(3).tolist()
        [0.0, 0.25, 1.0]
        """
        if not self.is_fitted or self.wrong_share == 0.0:
            return calibrated
        scale = max(1.0 - 2.0 * self.wrong_share, CLIP)
        return np.asarray(np.clip((calibrated - self.wrong_share) / scale, 0.0, 1.0))


def fit_sign_calibration(
    probabilities: FloatArray, signs: AnyArray, sample_weight: FloatArray
) -> SignCalibration:
    """The calibration of highest likelihood of the observed signs.

    Of temperatures that the signs cannot distinguish, within half a unit of the log-likelihood, the
    largest is taken: where every observed sign is predicted, no temperature is too low for the
    likelihood, and certainty would be claimed without evidence.

    Parameters
    ----------
    probabilities : float array (n, m)
        Of the sign +1, by models that have not seen the row. NaN: not predicted.
    signs : array (n, m)
        +1, -1, or 0 where nothing was observed.
    sample_weight : float array (n,)
        w means w copies of a row.

    Examples
    --------
    >>> import numpy as np
    >>> fitted = fit_sign_calibration(np.full((400, 1), 0.9), np.ones((400, 1)), np.ones(400))
    >>> fitted.temperature < 1
    True
    """
    used = (signs != 0) & np.isfinite(probabilities) & (sample_weight > 0)[:, None]
    rows, _ = np.nonzero(used)
    if rows.size:
        sample_weight = as_counts(sample_weight, used.any(axis=1))
    weights = sample_weight[rows]
    if float(weights.sum()) < MIN_SIGNS:
        return SignCalibration()
    agreement = _logits(probabilities[used]) * np.sign(signs[used])
    likelihood = _SignLikelihood(*_counted(agreement, weights))
    log, value = likelihood.best(with_wrong=False)
    unit = _variation(agreement, weights, rows, sample_weight, float(np.exp(-log)))
    mixed_log, mixed_value = likelihood.best(with_wrong=True)
    has_wrong = (mixed_value - value) / unit > _MIN_GAIN
    if has_wrong:
        log, value = mixed_log, mixed_value
    largest = likelihood.largest_equal(log, value - unit * _INDIFFERENCE, has_wrong)
    return SignCalibration(float(np.exp(largest)), likelihood.at(largest, has_wrong)[1], True)


def _logits(probabilities: FloatArray) -> FloatArray:
    logits: FloatArray = logit(np.clip(probabilities, CLIP, 1.0 - CLIP))
    return logits


def _variation(
    agreement: FloatArray,
    weights: FloatArray,
    rows: AnyArray,
    sample_weight: FloatArray,
    slope: float,
) -> float:
    """How much more the gradient of rows varies than that of independent signs, at least 1.

    The gradient is that of the log-likelihood in the slope ``1 / T``; rows of one sign have 1.
    """
    gradients = agreement * expit(-slope * agreement)
    by_row = np.bincount(rows, gradients, minlength=len(sample_weight))
    together, apart = float(sample_weight @ by_row**2), float(weights @ gradients**2)
    return max(together / apart, 1.0) if apart > 0.0 else 1.0


def _counted(agreement: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Signed logits and weights; many of them as bins, shared by distance between neighbours."""
    if agreement.size <= _MAX_SIGNS:
        return agreement, weights
    ends = logit(CLIP), logit(1.0 - CLIP)
    place = (agreement - ends[0]) * (_N_BINS / (ends[1] - ends[0]))
    left = np.clip(np.floor(place).astype(np.intp), 0, _N_BINS - 1)
    part = place - left
    near = np.bincount(left, weights * (1.0 - part), minlength=_N_BINS + 1)
    far = np.bincount(left + 1, weights * part, minlength=_N_BINS + 1)
    counts: FloatArray = np.add(near, far, dtype=np.float64)
    return np.linspace(*ends, _N_BINS + 1), counts


@dataclass(frozen=True, eq=False)
class _SignLikelihood:
    """The log-likelihood of signs as a function of the logarithm of the temperature.

    ``agreement`` are logits, positive where the sign is the more probable one.
    """

    agreement: FloatArray
    weights: FloatArray

    def at(self, log: float, with_wrong: bool) -> tuple[float, float]:
        """The log-likelihood and the best share of wrong signs."""
        logits = self.agreement * np.exp(-log)
        if not with_wrong:
            return float(self.weights @ log_expit(logits)), 0.0
        right = expit(logits)
        nu = self._best_share(right)
        return float(self.weights @ np.log((1.0 - 2.0 * nu) * right + nu)), nu

    def _best_share(self, right: FloatArray) -> float:
        """The share of highest likelihood, which is concave in it: its derivative is bisected."""
        low, high = 0.0, _MAX_WRONG_SHARE
        for _ in range(_N_BISECTIONS):
            nu = (low + high) / 2.0
            slopes = (1.0 - 2.0 * right) / ((1.0 - 2.0 * nu) * right + nu)
            low, high = (nu, high) if float(self.weights @ slopes) > 0.0 else (low, nu)
        # Not quite zero: certain signs that are contradicted would have no likelihood.
        return (low + high) / 2.0

    def best(self, *, with_wrong: bool) -> tuple[float, float]:
        """The logarithm of the temperature of highest log-likelihood, and its value."""
        logs = _LOG_TEMPERATURES
        values = [self.at(float(log), with_wrong)[0] for log in logs]
        best = int(np.argmax(values))
        found = minimize_scalar(
            lambda log: -self.at(log, with_wrong)[0],
            bounds=(logs[max(best - 1, 0)], logs[min(best + 1, len(logs) - 1)]),
            method="bounded",
            options={"xatol": _PRECISION},
        )
        if -found.fun < values[best]:
            return float(logs[best]), values[best]
        return float(found.x), -float(found.fun)

    def largest_equal(self, log: float, least: float, with_wrong: bool) -> float:
        """The largest temperature, from the best one on, whose value stays at least `least`."""
        low, high = log, float(_LOG_TEMPERATURES[-1])
        if self.at(high, with_wrong)[0] >= least:
            return high
        while high - low > _PRECISION:
            middle = (low + high) / 2.0
            is_equal = self.at(middle, with_wrong)[0] >= least
            low, high = (middle, high) if is_equal else (low, middle)
        return low
