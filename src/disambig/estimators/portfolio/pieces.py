"""The weightings that are tried, and what each becomes on all rows."""

from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import scipy.sparse as sp
from sklearn.base import clone

from disambig.estimators.portfolio.settings import Portfolio
from disambig.notation import FloatArray
from disambig.weights import (
    KernelRidgeWeights,
    NadarayaWatsonWeights,
    NeighborWeights,
    NystromWeights,
    ScaledWeights,
    Weights,
    is_affordable,
)

__all__ = ["Tried", "pieces_to_try"]

# Landmarks of many rows, and the numbers that are held for them: 2 GiB.
_LANDMARKS = 1000
_FEWEST = 100
_NUMBERS = 2**28


class Tried(NamedTuple):
    """A weighting on a sample of the rows.

    Attributes
    ----------
    fitted : Weights
        On the sample.
    for_all : Weights
        The same, not fitted, for all rows.
    has_signs : bool
        Are votes for and against at hand on all rows?
    """

    fitted: Weights
    for_all: Weights
    has_signs: bool


def pieces_to_try(
    portfolio: Portfolio, X: Any, masses: FloatArray, scales: FloatArray | None, n: int
) -> Iterator[Tried]:
    """Kernel ridge at several bandwidths and ridges, and numbers of neighbours.

    On features as they are, then with learned scales. The kernel matrix of a bandwidth serves all
    its ridges.

    Parameters
    ----------
    portfolio : Portfolio
    X : (rows, d)
        A sample.
    masses : float (rows,)
    scales : float (d,) or None
    n : int
        All rows.
    """
    weights = None if (masses == 1).all() else masses
    for factors in (None, scales) if scales is not None else (None,):
        seen = X if factors is None else _scaled(X, factors)
        for piece in _fitted(portfolio, seen, weights):
            whole = _for_all_rows(piece, n)
            exact = not isinstance(whole, NystromWeights)
            yield Tried(piece, whole if factors is None else ScaledWeights(whole, factors), exact)


def _fitted(portfolio: Portfolio, X: Any, weights: FloatArray | None) -> Iterator[Weights]:
    for kernel, factors in portfolio.kernels.items():
        # What this weighting does first is all that is wanted of it: the median distance.
        median = float(cast(float, NadarayaWatsonWeights(kernel).fit(X, weights).bandwidth_))
        for factor in factors:
            first = KernelRidgeWeights(
                kernel, bandwidth=factor * median, regularization=portfolio.ridges[0]
            ).fit(X, weights)
            yield first
            for ridge in portfolio.ridges[1:]:
                yield first.at_regularization(ridge)
    for k in portfolio.neighbors:
        if k < X.shape[0]:
            yield NeighborWeights(k).fit(X, weights)


def _for_all_rows(piece: Weights, n: int) -> Weights:
    """The same, unfitted: through landmarks where the kernel matrix of all rows is too large."""
    if isinstance(piece, KernelRidgeWeights) and not is_affordable(n):
        return NystromWeights(
            piece.kernel,
            n_landmarks=min(_LANDMARKS, max(_FEWEST, _NUMBERS // n)),
            bandwidth=piece.bandwidth,
            regularization=piece.regularization,
        )
    return cast(Weights, clone(piece))


def _scaled(X: Any, factors: FloatArray) -> Any:
    return sp.csr_array(X.multiply(factors[None, :])) if sp.issparse(X) else X * factors
