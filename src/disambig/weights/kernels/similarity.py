"""The kernels that weightings share, and their default bandwidth, the median distance between rows.

=================  ============================================  =============================
kernel             ``k(x, x')``                                  median bandwidth h
=================  ============================================  =============================
``gaussian``       ``exp(-|x - x'|_2^2 / (2 h^2))``              of ``|x - x'|_2``
``laplacian``      ``exp(-|x - x'|_1 / h)``                      of ``|x - x'|_1``
``polynomial``     ``(<x, x'> / h^2 + coef0)^degree``            of ``|x - x'|_2``
``linear``         ``<x, x'>``                                   has none
``box``            ``1 if |x - x'|_2 <= h else 0``               of ``|x - x'|_2``
``epanechnikov``   ``max(0, 1 - |x - x'|_2^2 / h^2)``            of ``|x - x'|_2``
=================  ============================================  =============================

The norm of the Laplacian kernel is the sum of absolute differences, as in scikit-learn, whose
``gamma`` is ``1 / (2 h^2)`` for the Gaussian, ``1 / h`` for the Laplacian, ``1 / h^2`` for the
polynomial kernel.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics.pairwise import euclidean_distances, manhattan_distances
from sklearn.utils.extmath import safe_sparse_dot

from disambig.exceptions import VotesError
from disambig.notation import AnyArray, FloatArray
from disambig.parameters import check_choice, check_integer, check_number
from disambig.weights.divided.rows import is_divided
from disambig.weights.neighbors.euclidean import pair_distances
from disambig.weights.row_groups import EqualRows

# Rows whose distances give the median: half a million pairs.
_MAX_SAMPLE_ROWS = 1000
# Sample weights below this are scaled up: their products would underflow.
_MIN_SAMPLE_WEIGHT = 1e-100
COMPACT = ("box", "epanechnikov")
_WITH_BANDWIDTH = ("gaussian", "laplacian", "polynomial", *COMPACT)


def median_distance(X: Any, sample_weight: FloatArray, *, norm: str = "euclidean") -> float:
    """The median of ``|x - x'|`` over pairs of training rows, each counted by its sample weight.

    Of more than 1000 distinct rows a sample of 1000 is used, drawn in proportion to weight by a
    hash of the rows: it depends neither on their order nor on whether copies are rows or weights.
    The median of an even number of distances is the lower one. If it is 0, for instance because
    most rows are equal, the mean of the positive distances is returned, or 1 if there are none.

    Parameters
    ----------
    X : float64 array or canonical csr_array, (n, d)
    sample_weight : (n,)
    norm : {"euclidean", "manhattan"}

    Examples
    --------
    >>> import numpy as np
    >>> median_distance(np.array([[0.0], [1.0], [3.0]]), np.ones(3))
    2.0
    """
    if max(float(sample_weight.sum()), X.shape[0]) > _MAX_SAMPLE_ROWS:
        rows, sample_weight = _sample(X, sample_weight)
        X = X[rows]
    if sample_weight.max() < _MIN_SAMPLE_WEIGHT:
        # All weights stay at most one, so that no row counts as several copies.
        sample_weight = sample_weight / sample_weight.max()
    first, second = np.triu_indices(X.shape[0], k=1)
    distances = _between_pairs(X, norm)
    # The w copies of a row are w (w - 1) / 2 pairs at distance 0.
    copy_pairs = np.maximum(sample_weight * (sample_weight - 1.0) / 2.0, 0.0).sum()
    order = np.argsort(distances, kind="stable")
    weights = np.concatenate([[copy_pairs], (sample_weight[first] * sample_weight[second])[order]])
    sorted_distances = np.concatenate([[0.0], distances[order]])
    reached = np.cumsum(weights)
    median = float(sorted_distances[np.searchsorted(reached, reached[-1] / 2.0)])
    if median > 0.0:
        return median
    positive = sorted_distances > 0.0
    if not positive.any():
        return 1.0
    return float(np.average(sorted_distances[positive], weights=weights[positive]))


def _sample(X: Any, sample_weight: FloatArray) -> tuple[AnyArray, FloatArray]:
    """Rows of the sample and their weights: all distinct rows if there are at most 1000."""
    groups = EqualRows.build(X)
    # Sorted by their hashes: the same order for any order of the rows, and without a pattern.
    distinct = groups.first[groups.sorted_groups]
    weight: FloatArray = np.bincount(groups.group, weights=sample_weight).astype(np.float64)
    weight = weight[groups.sorted_groups]
    if distinct.size <= _MAX_SAMPLE_ROWS:
        return distinct, weight
    return distinct[_evenly_spaced(weight, _MAX_SAMPLE_ROWS)], np.ones(_MAX_SAMPLE_ROWS)


def _evenly_spaced(sample_weight: FloatArray, size: int) -> AnyArray:
    reached = np.cumsum(sample_weight)
    places = (np.arange(size) + 0.5) * (reached[-1] / size)
    rows: AnyArray = np.searchsorted(reached, places, side="right")
    return np.minimum(rows, sample_weight.size - 1)


def _between_pairs(X: Any, norm: str) -> FloatArray:
    # Few rows, as above.
    X = X[:] if is_divided(X) else X
    if not sp.issparse(X):
        distances: FloatArray = pdist(X, "euclidean" if norm == "euclidean" else "cityblock")
        return distances
    if norm == "manhattan":
        square = manhattan_distances(X)
    else:
        n = X.shape[0]
        indptr = np.arange(0, n * n + 1, n, dtype=np.int64)
        indices = np.tile(np.arange(n, dtype=np.int64), n)
        square = np.sqrt(pair_distances(X, X, indptr, indices)).reshape(n, n)
    condensed: FloatArray = squareform(square, checks=False)
    return condensed


@dataclass(frozen=True, eq=False)
class Similarity:
    """A kernel with its parameters: ``similarity(Q, X)`` is ``k(Q[i], X[j])``, (q, n).

    Parameters
    ----------
    kernel : str or callable(Q, X) -> (q, n)
    bandwidth : float or None
    degree : int
    coef0 : float

    Examples
    --------
    >>> import numpy as np
    >>> Similarity("laplacian", bandwidth=2.0)(np.array([[0.0]]), np.array([[0.0], [2.0]])).round(3)
    array([[1.   , 0.368]])
    """

    kernel: str | Callable[[Any, Any], Any]
    bandwidth: float | None = None
    degree: int = 3
    coef0: float = 1.0

    def __call__(self, queries: Any, X: Any) -> FloatArray:
        queries, X = _in_double(queries, X)
        if not isinstance(self.kernel, str):
            return _checked_values(self.kernel(queries, X), (queries.shape[0], X.shape[0]))
        # A kernel without bandwidth has bandwidth 1.
        h = 1.0 if self.bandwidth is None else self.bandwidth
        if self.kernel == "gaussian":
            return _decay(_squared_distances(queries, X), 2.0, h, h)
        if self.kernel == "laplacian":
            return _decay(_dense(manhattan_distances(queries, X)), h)
        degree, coef0 = (1, 0.0) if self.kernel == "linear" else (self.degree, self.coef0)
        return _power(queries, X, h, degree, coef0)

    def compact(self, distances: sp.csr_array) -> sp.csr_array:
        """Replace stored distances, none above the bandwidth, by the values of the kernel."""
        if self.kernel == "box":
            distances.data[:] = 1.0
        else:
            distances.data[:] = 1.0 - (distances.data / self.bandwidth) ** 2
            distances.eliminate_zeros()
        return distances


def resolve_bandwidth(
    owner: str,
    kernel: Any,
    bandwidth: Any,
    X: Any,
    sample_weight: FloatArray,
    *,
    choices: Iterable[str],
) -> float | None:
    """The bandwidth as a number; None for a kernel that has none.

    Raises
    ------
    ValueError
        If the kernel is not one of `choices` or callable, or if a bandwidth is given to a kernel
        that has none.
    """
    if not callable(kernel):
        check_choice(owner, "kernel", kernel, choices, "or a function of (Q, X)")
    if callable(kernel) or kernel not in _WITH_BANDWIDTH:
        if bandwidth is not None:
            which = "a function" if callable(kernel) else repr(kernel)
            raise ValueError(
                f"{owner}: kernel={which} has no bandwidth; got bandwidth={bandwidth!r}. Leave it "
                "at None, or scale X."
            )
        return None
    if bandwidth is None or (isinstance(bandwidth, str) and bandwidth == "median"):
        norm = "manhattan" if kernel == "laplacian" else "euclidean"
        return median_distance(X, sample_weight, norm=norm)
    return check_number(
        owner, "bandwidth", bandwidth, positive=True, advice="Or use 'median', the default."
    )


def check_polynomial(owner: str, kernel: Any, degree: Any, coef0: Any) -> None:
    """Check degree and coef0; other than the defaults, only the polynomial kernel has them."""
    power = check_integer(owner, "degree", degree, least=1)
    # A negative constant would make the polynomial kernel indefinite.
    constant = check_number(owner, "coef0", coef0, positive=False)
    polynomial = isinstance(kernel, str) and kernel == "polynomial"
    if not polynomial and (power, constant) != (3, 1.0):
        raise ValueError(
            f"{owner}: degree and coef0 belong to kernel='polynomial'; got kernel={kernel!r} with "
            f"degree={power}, coef0={constant:g}. Leave them at 3 and 1.0."
        )


def _in_double(queries: Any, X: Any) -> tuple[Any, Any]:
    """Rows in parts may be in single precision; a kernel is computed in double precision."""
    double = X.astype(np.float64, copy=False)
    return double if queries is X else queries.astype(np.float64, copy=False), double


def _squared_distances(queries: Any, X: Any) -> FloatArray:
    if not sp.issparse(X):
        # The formula by products has errors of the size of the squared norms, which are smallest
        # after subtracting the mean.
        center = X.mean(axis=0)
        shifted = X - center
        queries, X = (shifted if queries is X else queries - center), shifted
    return _dense(euclidean_distances(queries, X, squared=True))


def _decay(values: FloatArray, *scales: float) -> FloatArray:
    # One division at a time: the square of a tiny bandwidth would underflow, and 0 / 0 is NaN.
    with np.errstate(over="ignore"):
        for scale in scales:
            values /= scale
    np.negative(values, out=values)
    return np.exp(values, out=values)


def _power(queries: Any, X: Any, h: float, degree: int, coef0: float) -> FloatArray:
    values = _dense(safe_sparse_dot(queries, X.T, dense_output=True))
    with np.errstate(over="ignore", invalid="ignore"):
        values /= h
        values /= h
        values += coef0
        values **= degree
        largest = max(values.max(initial=0.0), -values.min(initial=0.0))
    if not np.isfinite(largest):
        raise VotesError(
            "The kernel overflows floating-point numbers. Scale X, or use a larger "
            "bandwidth or a smaller degree."
        )
    return values


def _dense(values: Any) -> FloatArray:
    array: FloatArray = np.ascontiguousarray(
        values.toarray() if sp.issparse(values) else values, dtype=np.float64
    )
    return array


def _checked_values(values: Any, shape: tuple[int, int]) -> FloatArray:
    array = np.array(values.toarray() if sp.issparse(values) else values, dtype=np.float64)
    if array.shape != shape:
        raise VotesError(
            f"The kernel function returned shape {array.shape} for {shape[0]} rows of Q and "
            f"{shape[1]} rows of X; expected {shape}, one value for each pair."
        )
    if not np.isfinite(array).all():
        row = int(np.argwhere(~np.isfinite(array))[0, 0])
        raise VotesError(f"The kernel function returned NaN or infinity, first in row {row}.")
    return array
