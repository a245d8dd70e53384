"""Checks of training inputs, queries and sample weights, shared by all weightings.

Features reach a weighting as a C-ordered array or as a canonical ``csr_array``, finite, in one
precision. ``sample_weight`` w means w copies of a row.

Entries are checked once. Estimators check X, and then run under ``sklearn.config_context(
assume_finite=True)``, in which scikit-learn and `training_inputs` and `query_inputs` do not check
them again. Whoever sets it outside of a fit says that all entries are finite and of usual size.
What is computed from X is always checked, by `entry_error`.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import get_config
from sklearn.utils.validation import check_is_fitted, validate_data

from disambig.exceptions import VotesError
from disambig.notation import FloatArray
from disambig.sparse_arrays import check_sparse
from disambig.votes.entries import (
    MAX_ENTRY,
    MIN_LARGEST_ENTRY,
    first_bad_entry,
    largest_entry,
    widened,
)
from disambig.weights.divided.rows import DividedRows, is_divided
from disambig.weights.divided.whole import joined_rows, reason_to_join

_ACCEPTED: dict[str, Any] = {
    "accept_sparse": "csr",
    "order": "C",
    # Checked here, so that the error names the row.
    "ensure_all_finite": False,
}
# Positive sample weights are in this range, and the largest is not below MIN_LARGEST_WEIGHT. An
# objective has products of two of them, which solvers square.
MIN_SAMPLE_WEIGHT, MAX_SAMPLE_WEIGHT = 1e-100, 1e50
MIN_LARGEST_WEIGHT = 1e-50


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


def entries_are_assumed() -> bool:
    """Whether entries are not to be checked: ``assume_finite`` of scikit-learn's configuration."""
    return bool(get_config()["assume_finite"])


def entry_error(
    X: Any,
    names: Any = None,
    *,
    square: str = "",
    training: bool = False,
    first_row: int = 0,
) -> str | None:
    """What is wrong with the first entry that weightings cannot use; None if all can be used.

    Every entry must be a finite number of at most `MAX_ENTRY` in size. The limit is one for all
    weightings: what one accepts, another accepts too. Features of training rows must not all be
    tiny: their squares underflow, so that rows which differ would count as equal.

    Parameters
    ----------
    X : array or matrix in compressed sparse rows, (n, d)
    names : sequence of d column names, or None
        A column is named if its name is a string, and numbered otherwise.
    square : str
        As in `training_inputs`.
    training : bool
        Whether X holds features of training rows.
    first_row : int
        The number of the first row, where X is a part of the inputs.

    Examples
    --------
    >>> import numpy as np
    >>> entry_error(np.array([[0.0, -1e300]]), ["depth", "height"])[:80]
    "X contains -1e+300 in row 0, column 'height'; the largest size accepted is 1e+36"
    >>> entry_error(np.array([[0.0, 1e-160]]), training=True)[:58]
    'X: the largest entry in size is 1e-160, less than 1e-36: s'
    """
    largest = largest_entry(X)
    if largest == 0.0 or MIN_LARGEST_ENTRY <= largest <= MAX_ENTRY:
        return None
    bad = first_bad_entry(X)
    if bad is None:
        return (
            None
            if not training
            else (
                f"X: the largest entry in size is {largest:g}, less than {MIN_LARGEST_ENTRY:g}: "
                "squares of such small numbers underflow. Scale X, or set entries that mean 0 to 0."
            )
        )
    column: Any = bad.column if names is None else names[bad.column]
    row = bad.row + first_row
    place = (
        f"row {row}, column {column!r}"
        if isinstance(column, str)
        else (f"row {row}, column {bad.column}")
    )
    if not np.isfinite(bad.value):
        advice = "impute or drop such rows, for example with sklearn.impute.SimpleImputer in a "
        return (
            f"X contains NaN or infinity, first in {place}: {bad.value:g} ({bad.total} such "
            f"entries). Every entry must be a finite number; "
            + (f"give all {square}." if square else f"{advice}pipeline.")
        )
    advice = (
        f"Scale the {square}."
        if square
        else "Scale X; if the value marks missing data, replace it by NaN and impute, for example "
        "with sklearn.impute.SimpleImputer."
    )
    return (
        f"X contains {bad.value:g} in {place}; the largest size accepted is {MAX_ENTRY:g}, because "
        f"squares of larger numbers overflow ({bad.total} such entries). {advice}"
    )


def training_inputs(
    weighting: Any, X: Any, *, square: str = "", dtype: Any = np.float64, missing: bool = False
) -> Any:
    """`X` as a C-ordered float64 array or canonical ``csr_array``, finite, two-dimensional.

    Parameters
    ----------
    weighting : BaseEstimator
        Named in errors; gets the attributes ``n_features_in_`` and ``feature_names_in_``.
    X : array, sparse matrix, frame or DividedRows, (n, d)
        Rows in parts stay as they are if the weighting reads them; few rows are joined.
    square : str
        What X holds where it is not features but a matrix ``(n, n)`` between the training rows
        ("distances"); empty for features.
    dtype : dtype or "numeric"
    missing : bool
        Whether the weighting reads NaN as missing cells.
    """
    if is_divided(X):
        reason = reason_to_join(weighting)
        if not reason:
            return _divided_inputs(weighting, X, missing)
        X = joined_rows(type(weighting).__name__, X, reason)
    if sp.issparse(X):
        check_sparse(f"{type(weighting).__name__}: X", X)
    X = validate_data(weighting, X, dtype=dtype, **_ACCEPTED)
    X = _checked_entries(weighting, X, square, training=not square, missing=missing)
    if square and X.shape[0] != X.shape[1]:
        raise VotesError(
            f"{type(weighting).__name__}: X must hold the {square} between the training rows, as "
            f"many columns as rows; got shape {X.shape}."
        )
    return _canonical(X)


def query_inputs(
    weighting: Any, X: Any, *, square: str = "", dtype: Any = np.float64, missing: bool = False
) -> Any:
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
    if sp.issparse(X):
        check_sparse(f"{type(weighting).__name__}: X", X)
    checked = validate_data(
        weighting, X, dtype=dtype, reset=False, ensure_min_samples=0, **_ACCEPTED
    )
    checked = _checked_entries(weighting, checked, square, missing=missing)
    if square or not hasattr(weighting, "X_fit_"):
        return _canonical(checked)
    if sp.issparse(weighting.X_fit_):
        return _canonical(sp.csr_array(checked))
    return checked.toarray() if sp.issparse(checked) else checked


def _divided_inputs(weighting: Any, X: DividedRows, missing: bool) -> DividedRows:
    """X in parts; their entries are checked where they are."""
    if not entries_are_assumed():
        error = divided_error(X, missing=missing)
        if error is not None:
            raise VotesError(f"{type(weighting).__name__}: {error}")
    weighting.n_features_in_ = X.n_features
    return X


def divided_error(X: DividedRows, *, missing: bool = False) -> str | None:
    """`entry_error` of training rows in parts.

    Parameters
    ----------
    X : DividedRows
    missing : bool
        Whether NaN marks a missing cell.
    """
    if not missing and X.missing is not None:
        row = int(np.argmax(X.missing))
        return (
            f"X contains NaN, first in row {row} ({np.count_nonzero(X.missing)} such rows). Every "
            "entry must be a finite number; fill missing cells first."
        )
    found = X.map(_part_error, X.firsts, X.names)
    error = next((error for error, _ in found if error is not None), None)
    largest = max((size for _, size in found), default=0.0)
    return error or entry_error(np.array([[largest]]), training=True)


def _part_error(part: FloatArray, first: Any, names: Any) -> tuple[str | None, float]:
    """What is wrong with the first entry of a part, and its largest entry in size."""
    present = np.nan_to_num(part, posinf=np.inf, neginf=-np.inf)
    return entry_error(present, names, first_row=int(first[0])), largest_entry(present)


def _checked_entries(
    weighting: Any, X: Any, square: str, *, training: bool = False, missing: bool = False
) -> Any:
    """X, if its entries can be used, in a precision in which they can be squared."""
    if not entries_are_assumed():
        names = getattr(weighting, "feature_names_in_", None)
        present = np.nan_to_num(X, posinf=np.inf, neginf=-np.inf) if missing else X
        error = entry_error(present, names, square=square, training=training)
        if error is not None:
            raise VotesError(f"{type(weighting).__name__}: {error}")
    return widened(X)


def _canonical(X: Any) -> Any:
    if not sp.issparse(X):
        return X
    # sum_duplicates changes its matrix, which must not be the user's.
    matrix = sp.csr_array(X, copy=not X.has_canonical_format)
    matrix.sum_duplicates()
    return small_indices(matrix)


def weight_error(sample_weight: FloatArray) -> str | None:
    """What is wrong with the size of positive sample weights; None if they can be used.

    Their scale matters, because w means w copies of a row, so that they cannot be rescaled.

    Examples
    --------
    >>> import numpy as np
    >>> weight_error(np.array([1.0, 1e200]))[:56]
    'sample_weight: row 1 has 1e+200; expected 0, or a number'
    """
    bad = ~((sample_weight >= MIN_SAMPLE_WEIGHT) & (sample_weight <= MAX_SAMPLE_WEIGHT))
    bad &= sample_weight != 0
    if bad.any():
        row = int(np.argmax(bad))
        return (
            f"sample_weight: row {row} has {sample_weight[row]:g}; expected 0, or a number from "
            f"{MIN_SAMPLE_WEIGHT:g} to {MAX_SAMPLE_WEIGHT:g} ({int(bad.sum())} such rows). A "
            "weight of w means w copies of a row: scale the weights, and leave out rows that do "
            "not count."
        )
    if sample_weight.size and sample_weight.max() < MIN_LARGEST_WEIGHT:
        row = int(np.argmax(sample_weight))
        return (
            f"sample_weight: the largest is {sample_weight[row]:g}, in row {row}; expected at "
            f"least {MIN_LARGEST_WEIGHT:g}, because products of smaller ones underflow. A weight "
            "of w means w copies of a row: scale the weights, for instance to a mean of 1."
        )
    return None


def weight_advice(total: float, n: int) -> str:
    """What to do if rows count too little, for the end of a warning; empty for whole weights.

    Examples
    --------
    >>> weight_advice(1.0, 40)[:59]
    ' A sample weight of w means w copies of a row: if only the '
    """
    if total >= n:
        return ""
    return (
        " A sample weight of w means w copies of a row: if only the ratios of the weights matter, "
        "scale them to a mean of 1."
    )


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
    error = weight_error(checked)
    if error is not None:
        raise ValueError(f"{owner}: {error}")
    return checked


def scale_columns(alpha: Any, sample_weight: FloatArray) -> Any:
    """``alpha @ diag(sample_weight)`` as a new array or, for sparse alpha, a new ``csr_array``.

    Votes in single precision stay in it, if they are not too large then: the tolerance of ties
    goes by it.
    """
    if sp.issparse(alpha):
        scaled = sp.csr_array(alpha, dtype=np.float64, copy=True)
        scaled.data *= sample_weight[scaled.indices]
        return narrowed(scaled, alpha.dtype)
    return narrowed(alpha * sample_weight, alpha.dtype)


def narrowed(alpha: Any, dtype: Any) -> Any:
    """Votes in the precision `dtype` that they came in, unless they leave its range."""
    if dtype != np.float32:
        return alpha
    with np.errstate(over="ignore"):
        narrow = alpha.astype(np.float32)
    return narrow if widened(narrow) is narrow else alpha
