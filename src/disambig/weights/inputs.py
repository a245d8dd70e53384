"""Checks of training inputs, queries and sample weights, shared by all weightings.

Features reach a weighting as a C-ordered array or as a canonical ``csr_array``, finite, in one
precision. ``sample_weight`` w means w copies of a row.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted, validate_data

from disambig.exceptions import VotesError
from disambig.notation import AnyArray, FloatArray

_ACCEPTED: dict[str, Any] = {
    "accept_sparse": "csr",
    "order": "C",
    # Checked here, so that the error names the row.
    "ensure_all_finite": False,
}


def small_indices(matrix: Any) -> sp.csr_array:
    """The same ``csr_array`` with 32-bit indices where they suffice.

    Small indices halve the memory that a product reads beside the values, and some compiled
    routines of scikit-learn accept no others.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> indices, indptr = np.array([0, 1]), np.array([0, 2])
    >>> small_indices(sp.csr_array((np.ones(2), indices, indptr), shape=(1, 2))).indices.dtype
    dtype('int32')
    """
    if max(*matrix.shape, matrix.nnz) > np.iinfo(np.int32).max:
        return matrix
    # A new matrix that shares the values: the given one may be the user's.
    small = sp.csr_array(matrix.shape, dtype=matrix.dtype)
    small.data = matrix.data
    small.indices = matrix.indices.astype(np.int32, copy=False)
    small.indptr = matrix.indptr.astype(np.int32, copy=False)
    return small


class NotFinite(NamedTuple):
    """The first entry of an array that is NaN or infinite, and how many there are."""

    row: int
    column: int
    value: float
    total: int


def first_not_finite(X: Any) -> NotFinite | None:
    """The first NaN or infinity of an array or sparse matrix, or None if all entries are finite."""
    bad = ~np.isfinite(X.data if sp.issparse(X) else X)
    if not bad.any():
        return None
    count = int(bad.sum())
    if sp.issparse(X):
        place = int(np.flatnonzero(bad)[0])
        row = int(np.searchsorted(X.indptr, place, side="right")) - 1
        return NotFinite(row, int(X.indices[place]), float(X.data[place]), count)
    row, column = (int(k) for k in np.argwhere(bad)[0])
    return NotFinite(row, column, float(X[row, column]), count)


def training_inputs(weighting: Any, X: Any, *, square: str = "", dtype: Any = np.float64) -> Any:
    """`X` as a C-ordered float64 array or canonical ``csr_array``, finite, two-dimensional.

    Parameters
    ----------
    weighting : BaseEstimator
        Named in errors; gets the attributes ``n_features_in_`` and ``feature_names_in_``.
    X : array, sparse matrix or frame, (n, d)
    square : str
        What X holds where it is not features but a matrix ``(n, n)`` between the training rows
        ("distances"); empty for features.
    dtype : dtype or "numeric"
    """
    X = validate_data(weighting, X, dtype=dtype, **_ACCEPTED)
    _check_finite(weighting, X)
    if square and X.shape[0] != X.shape[1]:
        raise VotesError(
            f"{type(weighting).__name__}: X must hold the {square} between the training rows, as "
            f"many columns as rows; got shape {X.shape}."
        )
    return _canonical(X)


def query_inputs(weighting: Any, X: Any, *, square: str = "", dtype: Any = np.float64) -> Any:
    """`training_inputs` for queries ``(q, d)``, or ``(q, n)`` if `square`, of a fitted weighting.

    Features come sparse if the training inputs ``weighting.X_fit_`` are sparse and dense if those
    are dense; if the weighting keeps no inputs, they stay as they are.
    """
    check_is_fitted(weighting)
    shape = getattr(X, "shape", None)
    n = weighting.n_features_in_
    if square and shape is not None and len(shape) == 2 and shape[1] != n:
        raise VotesError(
            f"{type(weighting).__name__}: X must hold the {square} from each query (row) to the "
            f"{n} training rows (columns); got shape {tuple(shape)}."
        )
    checked = validate_data(
        weighting, X, dtype=dtype, reset=False, ensure_min_samples=0, **_ACCEPTED
    )
    _check_finite(weighting, checked)
    if square or not hasattr(weighting, "X_fit_"):
        return _canonical(checked)
    if sp.issparse(weighting.X_fit_):
        return _canonical(sp.csr_array(checked))
    return checked.toarray() if sp.issparse(checked) else checked


def _check_finite(weighting: Any, X: Any) -> None:
    first = first_not_finite(X)
    if first is not None:
        raise VotesError(
            f"{type(weighting).__name__}: X contains NaN or infinity, first in row {first.row} "
            f"({first.total} such entries). Every entry must be a finite number."
        )


def _canonical(X: Any) -> Any:
    if not sp.issparse(X):
        return X
    # sum_duplicates changes its matrix, which must not be the user's.
    matrix = sp.csr_array(X, copy=not X.has_canonical_format)
    matrix.sum_duplicates()
    return small_indices(matrix)


def checked_sample_weight(owner: str, sample_weight: Any, n: int) -> FloatArray:
    """Check `sample_weight` and return it as float64, ``(n,)``; ones if it is None.

    Examples
    --------
    >>> checked_sample_weight("NeighborWeights", None, 3)
    array([1., 1., 1.])
    """
    if sample_weight is None:
        return np.ones(n)
    checked: FloatArray = np.array(sample_weight, dtype=np.float64)
    if checked.shape != (n,):
        raise ValueError(
            f"{owner}: sample_weight must have shape ({n},), one number for each row; got shape "
            f"{checked.shape}."
        )
    # Written so that NaN counts as bad.
    bad = ~((checked > 0) & np.isfinite(checked))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"{owner}: sample_weight must be positive and finite; row {row} has {checked[row]} "
            f"({int(bad.sum())} such rows). Leave rows of weight 0 out before fit."
        )
    return checked


def scale_columns(alpha: Any, sample_weight: FloatArray) -> Any:
    """``alpha @ diag(sample_weight)`` as a new array or, for sparse alpha, a new ``csr_array``."""
    if sp.issparse(alpha):
        scaled = sp.csr_array(alpha, dtype=np.float64, copy=True)
        scaled.data *= sample_weight[scaled.indices]
        return scaled
    product: AnyArray = alpha * sample_weight
    return product
