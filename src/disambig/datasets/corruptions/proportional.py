"""Numbers proportional to scores, below a cap, with a given mean."""

import numpy as np

from disambig.notation import FloatArray

__all__ = ["capped_shares"]

# Scores that are this small beside the largest count as equal, so that no quotient overflows.
_SMALLEST = 1e-200


def capped_shares(scores: FloatArray, mean: float, cap: float) -> FloatArray:
    """``min(cap, c * scores)``, ``(N,)``, with the c that makes the mean `mean`.

    With the t largest scores at the cap, ``c = (N * mean - t * cap) / (sum of the others)``. The
    smallest t for which that c leaves the next score below the cap is the right one: for the t
    before, c carried the score that has now been capped above the cap, and it still does.

    Parameters
    ----------
    scores : (N,) of float, finite and >= 0
    mean, cap : float, ``0 <= mean <= cap <= 1``

    Examples
    --------
    >>> import numpy as np
    >>> capped_shares(np.array([1.0, 2.0, 9.0]), 0.5, 0.9).round(6).tolist()
    [0.2, 0.4, 0.9]
    """
    shares = np.zeros(scores.shape)
    positive = scores > 0
    total, most = len(scores) * mean, np.count_nonzero(positive) * cap
    if total > most * (1 + 1e-12):
        raise ValueError(
            f"InstanceCorruption: level={mean!r} is out of reach: classes of score 0 are never "
            f"added, and with the others at the cap of {cap!r} the mean is "
            f"{most / len(scores):.4g}. Lower level, or give positive scores."
        )
    if total >= most * (1 - 1e-12):
        shares[positive] = cap
    elif total > 0:
        given = np.maximum(scores[positive] / scores.max(), _SMALLEST)
        shares[positive] = np.minimum(cap, _factor(np.sort(given), total, cap) * given)
    return shares


def _factor(ascending: FloatArray, total: float, cap: float) -> float:
    largest = ascending[::-1]
    rest = np.cumsum(ascending)[::-1]
    factors = (total - cap * np.arange(len(largest))) / rest
    return float(factors[np.argmax(factors * largest <= cap)])
