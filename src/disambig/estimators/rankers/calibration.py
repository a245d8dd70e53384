"""The slope of the sigmoid that turns margins of pairs into probabilities."""

import numpy as np
from scipy.special import expit

from disambig.notation import AnyArray, FloatArray

# Slopes in units of one over the root mean square of the margins: from coin flips to certainty.
_LOG_SLOPES = np.linspace(-3.0, 4.0, 36)
# Observed pairs beyond this number are not needed for one parameter.
_MAX_PAIRS = 200_000


def pair_scale(margins: FloatArray, signs: AnyArray, sample_weight: FloatArray) -> float:
    """The slope c that minimises the squared error of ``sigmoid(c margin)`` at observed pairs.

    Parameters
    ----------
    margins : float (n, pairs)
        Positive for i before j, at rows that the model has not seen.
    signs : (n, pairs)
        0 where a pair is not observed.
    sample_weight : float (n,)

    Examples
    --------
    >>> round(
    ...     pair_scale(np.array([[1.0], [1.0], [-1.0]]), np.array([[1], [1], [1]]), np.ones(3)), 1
    ... )
    0.7
    """
    observed = np.nonzero(signs)
    agreement = margins[observed] * signs[observed]
    weights = sample_weight[observed[0]]
    if agreement.size > _MAX_PAIRS:
        step = -(-agreement.size // _MAX_PAIRS)
        agreement, weights = agreement[::step], weights[::step]
    finite = np.isfinite(agreement)
    agreement, weights = agreement[finite], weights[finite]
    size = float(np.sqrt(np.mean(agreement**2))) if agreement.size else 0.0
    if size == 0.0:
        return 1.0
    agreement = agreement / size
    slopes = np.exp(_LOG_SLOPES)
    errors = [float(weights @ expit(-slope * agreement) ** 2) for slope in slopes]
    best = int(np.argmin(errors))
    return float(_refined(np.asarray(errors), best)) / size


def _refined(errors: FloatArray, best: int) -> float:
    """The slope at the vertex of the parabola through the best point and its neighbours."""
    place = _LOG_SLOPES[best]
    if 0 < best < len(errors) - 1:
        left, middle, right = errors[best - 1 : best + 2]
        curvature = left - 2.0 * middle + right
        if curvature > 0.0:
            place = place + 0.5 * (left - right) / curvature * (_LOG_SLOPES[1] - _LOG_SLOPES[0])
    return float(np.exp(place))
