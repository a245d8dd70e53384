"""Where a grid cuts each feature."""

from typing import Any

import numpy as np

from disambig.exceptions import VotesError
from disambig.notation import FloatArray
from disambig.weights.cells import columns
from disambig.weights.parameters import check_choice, check_integer

__all__ = ["grid_thresholds"]

_STRATEGIES = ("quantile", "uniform")


def grid_thresholds(
    owner: str, X: Any, masses: FloatArray, bins: Any, strategy: Any
) -> tuple[FloatArray, ...]:
    """Thresholds of each feature, ascending, d arrays.

    Parameters
    ----------
    owner : str
        Named in errors.
    X : float64 array or csr_array, (n, d)
    masses : (n,)
    bins : int, "auto" or d arrays of thresholds
    strategy : {"quantile", "uniform"}

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0]])
    >>> grid_thresholds("HistogramWeights", X, np.ones(4), 2, "quantile")
    (array([1.]),)
    >>> grid_thresholds("HistogramWeights", X, np.ones(4), 2, "uniform")
    (array([5.]),)
    """
    check_choice(owner, "strategy", strategy, _STRATEGIES)
    if isinstance(bins, (list, tuple, np.ndarray)):
        return _given(owner, bins, X.shape[1])
    if isinstance(bins, str):
        check_choice(owner, "bins", bins, ("auto",), "an integer, or thresholds of each feature")
        # Cells as wide as minimise the sum of bias and variance, up to constants.
        count = max(1, round(float(masses.sum()) ** (1.0 / (X.shape[1] + 2))))
    else:
        count = check_integer(owner, "bins", bins, least=1)
    parts = np.arange(1, count) / count
    if strategy == "uniform":
        ends = ((column.min(), column.max()) for column in columns(X))
        return tuple(np.unique(low + (high - low) * parts) for low, high in ends)
    return tuple(_quantiles(column, masses, parts) for column in columns(X))


def _quantiles(column: FloatArray, masses: FloatArray, parts: FloatArray) -> FloatArray:
    """The smallest entries up to which lie such parts of the mass, each once."""
    order = np.argsort(column, kind="stable")
    reached = np.cumsum(masses[order])
    # Parts of a sum are rounded; what is a hair's breadth below one has reached it.
    places = np.searchsorted(reached, parts * reached[-1] * (1.0 - 1e-12))
    return np.unique(column[order][places])


def _given(owner: str, bins: Any, d: int) -> tuple[FloatArray, ...]:
    if len(bins) != d:
        raise VotesError(
            f"{owner}: bins must hold an array of thresholds for each of the {d} features of X; "
            f"got {len(bins)}."
        )
    thresholds = tuple(np.array(cuts, dtype=np.float64) for cuts in bins)
    for f, cuts in enumerate(thresholds):
        # Written so that NaN is bad too.
        if cuts.ndim != 1 or not (np.diff(cuts) > 0).all() or np.isnan(cuts).any():
            raise VotesError(
                f"{owner}: the thresholds of feature {f} must be one ascending list of numbers; "
                f"got {bins[f]!r}."
            )
    return thresholds
