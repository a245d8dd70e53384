"""Where inputs have holes: cells that are NaN, and rows in which every cell is."""

import math
from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.notation import BoolArray, FloatArray
from disambig.weights.divided.rows import is_divided


def has_missing(X: Any) -> bool:
    """Whether a dense or sparse X contains NaN; one pass without an array of the size of X.

    Examples
    --------
    >>> has_missing(np.array([[0.0, np.nan]])), has_missing(np.array([[0.0, 1.0]]))
    (True, False)
    """
    entries = X.data if sp.issparse(X) else X
    if not entries.size:
        return False
    with np.errstate(invalid="ignore", over="ignore"):
        return math.isnan(float(entries.min()))


def zero_filled(X: Any) -> Any:
    """X with zeros for NaN; X itself if it has none."""
    if not has_missing(X):
        return X
    if sp.issparse(X):
        entries = np.where(np.isnan(X.data), X.dtype.type(0), X.data)
        return sp.csr_array((entries, X.indices, X.indptr), shape=X.shape)
    return np.where(np.isnan(X), X.dtype.type(0), X)


def rows_without_input(X: Any) -> BoolArray | None:
    """Rows in which every cell is NaN, ``(n,)``; None if there is none.

    A missing entry of a sparse matrix is 0, which is an input.

    Examples
    --------
    >>> rows_without_input(np.array([[np.nan, np.nan], [np.nan, 1.0]])).tolist()
    [True, False]
    >>> rows_without_input(np.ones((2, 1))) is None
    True
    """
    if is_divided(X):
        return X.without_input
    if not X.shape[0] or not X.shape[1]:
        return None
    if sp.issparse(X):
        missing = np.isnan(X.data)
        if not missing.any():
            return None
        rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        counts = np.bincount(rows[missing], minlength=X.shape[0])
        is_empty = np.asarray(counts == X.shape[1])
    else:
        is_empty = np.isnan(X[:, 0])
        some = np.flatnonzero(is_empty)
        is_empty[some] = np.isnan(X[some]).all(axis=1)
    return is_empty if is_empty.any() else None


def with_constant(predictions: FloatArray, X: Any, constant: FloatArray) -> FloatArray:
    """Predictions ``(q, d)`` with a constant ``(d,)`` for rows of X without input."""
    without_input = rows_without_input(X)
    if without_input is None:
        return predictions
    return np.where(without_input[:, None], constant, predictions)


def zero_rows(X: Any, rows: BoolArray) -> Any:
    """X with zeros in some rows ``(n,)``."""
    if not sp.issparse(X):
        return np.where(rows[:, None], X.dtype.type(0), X)
    entries = np.repeat(rows, np.diff(X.indptr))
    return sp.csr_array((np.where(entries, 0, X.data), X.indices, X.indptr), shape=X.shape)
