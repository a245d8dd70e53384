"""The mean over the rows that count."""

import warnings
from typing import Any

import numpy as np

from disambig.notation import BoolArray, FloatArray

__all__ = ["mean_over", "row_weights"]


def row_weights(sample_weight: Any, n: int) -> FloatArray:
    """The weight of each of n rows, ``(n,)``, as float64; one where none is given.

    Parameters
    ----------
    sample_weight : (n,) array-like, a number, or None for equal weights
    n : int
    """
    if sample_weight is None:
        return np.ones(n)
    given = np.asarray(sample_weight, dtype=np.float64)
    if given.shape not in ((), (n,)) or not np.isfinite(given).all():
        raise ValueError(
            f"sample_weight must hold one finite number a row, shape {(n,)}; got shape "
            f"{given.shape} with {np.count_nonzero(~np.isfinite(given))} that are not finite."
        )
    return np.full(n, given)


def mean_over(
    counted: BoolArray, values: FloatArray, sample_weight: Any, *, information: str
) -> float:
    """``sum_j w_j values_j / sum_j w_j`` over the rows `counted`; NaN, with a warning, if none is.

    The warning is for the caller of the metric that calls this.

    Parameters
    ----------
    counted : (n,) of bool
    values : (n,) of float, finite also where a row does not count
    sample_weight : (n,) array-like, a number, or None for equal weights
    information : str
        What a row must have in order to count, for the warning.

    Examples
    --------
    >>> import numpy as np
    >>> counted, values = np.array([True, False, True]), np.array([1.0, 7.0, 4.0])
    >>> mean_over(counted, values, [2.0, 1.0, 1.0], information="is informative")
    2.0
    """
    weights = counted * row_weights(sample_weight, len(counted))
    total = weights.sum()
    if not total > 0:
        warnings.warn(
            f"No row to score {information}; the score is NaN. Score on rows with information.",
            UserWarning,
            stacklevel=3,
        )
        return float("nan")
    return float(weights @ values / total)
