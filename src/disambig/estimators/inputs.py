"""Checks of X, sample weights and lengths, with errors that name the row."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import _check_sample_weight, _num_samples, validate_data

from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.weights.finite import first_not_finite

__all__ = [
    "Kept",
    "check_lengths",
    "checked_inputs",
    "kept_rows",
    "take_inputs",
    "validated_inputs",
]

_ACCEPTED: dict[str, Any] = {
    "accept_sparse": "csr",
    "dtype": [np.float64, np.float32],
    # Checked by ourselves, so that the error names the row.
    "ensure_all_finite": False,
}


def validated_inputs(estimator: Any, X: Any, *, reset: bool) -> Any:
    """X as a float array or compressed sparse rows, finite, with scikit-learn's bookkeeping."""
    return _finite(validate_data(estimator, X, reset=reset, **_ACCEPTED))


def checked_inputs(X: Any) -> Any:
    """The same without an estimator."""
    return _finite(check_array(X, **_ACCEPTED))


def _finite(X: Any) -> Any:
    fault = first_not_finite(X)
    if fault is not None:
        what = "NaN" if np.isnan(fault.value) else "infinity"
        raise ValueError(
            f"Input X contains {what} (inf or NaN entries: {fault.total}), first in row "
            f"{fault.row}, column {fault.column}. Every input must be a finite number; impute or "
            "drop such rows, for example with sklearn.impute.SimpleImputer in a pipeline."
        )
    return X


def check_lengths(X: Any, candidates: Any) -> None:
    """Refuse a different number of rows in X and y."""
    n_rows = _num_samples(X)
    if n_rows != len(candidates):
        raise ValueError(
            f"X has {n_rows} rows and y has {len(candidates)}: inconsistent numbers of "
            "samples. Give one set of candidates for each row of X."
        )


class Kept(NamedTuple):
    """Rows that take part in training: their numbers and weights (None: all one)."""

    rows: IntArray
    weights: FloatArray | None
    n: int

    @property
    def everything(self) -> bool:
        """Do all rows take part?"""
        return self.rows.size == self.n

    @property
    def masses(self) -> FloatArray:
        """Weights as an array."""
        return np.ones(self.rows.size) if self.weights is None else self.weights


def kept_rows(sample_weight: Any, X: Any) -> Kept:
    """Rows of positive weight; a weight of w means w copies of a row."""
    n = X.shape[0]
    if sample_weight is None:
        return Kept(np.arange(n), None, n)
    weights: AnyArray = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weights < 0).any():
        row = int(np.argmax(weights < 0))
        raise ValueError(
            f"sample_weight: row {row} has {weights[row]}; weights must not be negative. Use 0 to "
            "leave a row out of training."
        )
    rows = np.flatnonzero(weights)
    if not rows.size:
        raise ValueError("sample_weight is zero for every row; at least one must be positive.")
    weights = weights[rows]
    return Kept(rows, None if (weights == 1).all() else weights, n)


def take_inputs(X: Any, rows: IntArray, columns: IntArray | None) -> Any:
    """Some rows of X; also some columns where X holds pairs of samples."""
    X = X[rows]
    return X if columns is None else X[:, columns]
