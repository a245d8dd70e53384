"""Training inputs and queries, checked once and brought to one form."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted, validate_data

from disambig.exceptions import VotesError
from disambig.weights.compressed import small_indices
from disambig.weights.finite import first_not_finite

__all__ = ["query_inputs", "training_inputs"]

_ACCEPTED: dict[str, Any] = {
    "accept_sparse": "csr",
    "order": "C",
    # Checked here, so that the error names the row.
    "ensure_all_finite": False,
}


def training_inputs(piece: Any, X: Any, *, square: str = "", dtype: Any = np.float64) -> Any:
    """`X` as a C-ordered float64 array or canonical ``csr_array``, finite, two-dimensional.

    Parameters
    ----------
    piece : BaseEstimator
        Named in errors; learns ``n_features_in_`` and ``feature_names_in_``.
    X : array, sparse matrix or frame, (n, d)
    square : str
        What X holds where it is not features but a matrix ``(n, n)`` between the training rows
        ("distances"); empty for features.
    dtype : dtype or "numeric"
    """
    X = validate_data(piece, X, dtype=dtype, **_ACCEPTED)
    _check_finite(piece, X)
    if square and X.shape[0] != X.shape[1]:
        raise VotesError(
            f"{type(piece).__name__}: X must hold the {square} between the training rows, as many "
            f"columns as rows; got shape {X.shape}."
        )
    return _canonical(X)


def query_inputs(piece: Any, X: Any, *, square: str = "", dtype: Any = np.float64) -> Any:
    """The same for queries ``(q, d)``, or ``(q, n)`` if `square`; the piece must be fitted.

    Features come sparse where the training inputs ``piece.X_fit_`` are, dense where they are not,
    and as they are where the piece keeps no inputs.
    """
    check_is_fitted(piece)
    shape = getattr(X, "shape", None)
    n = piece.n_features_in_
    if square and shape is not None and len(shape) == 2 and shape[1] != n:
        raise VotesError(
            f"{type(piece).__name__}: X must hold the {square} from each query (row) to the {n} "
            f"training rows (columns); got shape {tuple(shape)}."
        )
    checked = validate_data(piece, X, dtype=dtype, reset=False, ensure_min_samples=0, **_ACCEPTED)
    _check_finite(piece, checked)
    if square or not hasattr(piece, "X_fit_"):
        return _canonical(checked)
    if sp.issparse(piece.X_fit_):
        return _canonical(sp.csr_array(checked))
    return checked.toarray() if sp.issparse(checked) else checked


def _check_finite(piece: Any, X: Any) -> None:
    fault = first_not_finite(X)
    if fault is not None:
        raise VotesError(
            f"{type(piece).__name__}: X contains NaN or infinity, first in row {fault.row} "
            f"({fault.total} such entries). Every entry must be a finite number."
        )


def _canonical(X: Any) -> Any:
    if not sp.issparse(X):
        return X
    # Sorting and adding up repeats happen in place: not in the user's matrix.
    matrix = sp.csr_array(X, copy=not X.has_canonical_format)
    matrix.sum_duplicates()
    return small_indices(matrix)
