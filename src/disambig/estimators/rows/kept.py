"""Rows that take part in a fit, with their sample weights and groups, and their inputs."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils._missing import is_scalar_nan
from sklearn.utils.validation import _check_sample_weight

from disambig.inputs.holes import rows_without_input
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.parameters import as_array
from disambig.weights.divided.rows import is_divided
from disambig.weights.inputs import weight_error


class KeptRows(NamedTuple):
    """Rows that take part in training.

    Attributes
    ----------
    rows : int array
        Their indices in X.
    weights : float array or None
        Their sample weights; None if all are one.
    n : int
        Rows of X altogether.
    groups : int array or None
        Their groups: the rows of a group stay together in every fold.
    """

    rows: IntArray
    weights: FloatArray | None
    n: int
    groups: IntArray | None = None

    def part(self, selected: BoolArray) -> "KeptRows":
        """Some of these rows."""
        return KeptRows(
            self.rows[selected],
            None if self.weights is None else self.weights[selected],
            self.n,
            None if self.groups is None else self.groups[selected],
        )

    @property
    def all_rows(self) -> bool:
        """Whether all rows take part."""
        return self.rows.size == self.n

    @property
    def sample_weight(self) -> FloatArray:
        """Sample weights as an array."""
        return np.ones(self.rows.size) if self.weights is None else self.weights

    @property
    def all_weights(self) -> FloatArray:
        """Sample weights of all rows of X, 0 for those that take no part, ``(n,)``."""
        weights = np.zeros(self.n)
        weights[self.rows] = self.sample_weight
        return weights


def kept_rows(sample_weight: Any, X: Any, groups: Any = None) -> KeptRows:
    """Rows of positive sample weight with some input; a weight of w means w copies of a row."""
    found = _weighted_rows(sample_weight, X, groups)
    without_input = rows_without_input(X)
    if without_input is None:
        return found
    kept = found.part(~without_input[found.rows])
    if not kept.rows.size:
        rows = f"the {found.rows.size} rows that take part"
        raise ValueError(f"Input X: every cell of {rows} is NaN. Give at least one row an input.")
    return kept


def _weighted_rows(sample_weight: Any, X: Any, groups: Any) -> KeptRows:
    n = X.shape[0]
    codes = None
    if groups is not None:
        codes = np.unique(checked_groups(groups, n), return_inverse=True)[1].ravel()
    if sample_weight is None:
        return KeptRows(np.arange(n), None, n, codes)
    _check_numbers(as_array(sample_weight))
    weights: AnyArray = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weights < 0).any():
        row = int(np.argmax(weights < 0))
        raise ValueError(
            f"sample_weight: row {row} has {weights[row]}; weights must not be negative. Use 0 to "
            "leave a row out of training."
        )
    error = weight_error(weights)
    if error is not None:
        raise ValueError(error)
    rows = np.flatnonzero(weights)
    weights = weights[rows]
    codes = None if codes is None else codes[rows]
    return KeptRows(rows, None if (weights == 1).all() else weights, n, codes)


def checked_groups(groups: Any, n: int) -> AnyArray:
    """The names of the groups, ``(n,)``; raises if a row has none.

    Examples
    --------
    >>> checked_groups(["b", "a", "b"], 3).tolist()
    ['b', 'a', 'b']
    """
    names = as_array(groups)
    if names.shape != (n,):
        raise ValueError(
            f"groups must have one entry for each of the {n} rows of X; got shape {names.shape}."
        )
    if names.dtype.kind == "O":
        missing = np.array([name is None or is_scalar_nan(name) for name in names.tolist()])
        # Names of several types cannot be sorted; their texts can.
        names = np.array([f"{type(name).__name__} {name}" for name in names.tolist()])
    else:
        missing = np.isnan(names) if names.dtype.kind == "f" else np.zeros(n, np.bool_)
    if missing.any():
        raise ValueError(
            f"groups: row {int(np.argmax(missing))} has no group ({np.count_nonzero(missing)} such "
            "rows). Give every row a group; a row of its own group is a group of one."
        )
    return names


def _check_numbers(sample_weight: AnyArray) -> None:
    """Raise our own errors before scikit-learn raises some that name no row."""
    if sample_weight.dtype.kind not in "biuf" or not sample_weight.size:
        return
    bad = ~np.isfinite(np.atleast_1d(sample_weight))
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(
            f"sample_weight: row {row} has {np.atleast_1d(sample_weight)[row]} ({int(bad.sum())} "
            "such rows); every weight must be a finite number. Use 0 to leave a row out of "
            "training."
        )
    if not sample_weight.any():
        raise ValueError(
            "sample_weight is zero for every row, so that no row takes part; at least one must be "
            "positive."
        )


def take_inputs(X: Any, rows: IntArray, columns: IntArray | None) -> Any:
    """Some rows of X; also some columns if X holds pairs of samples.

    Rows of X in parts are brought into memory.
    """
    X = X[rows]
    return X if columns is None else X[:, columns]


def kept_inputs(X: Any, kept: KeptRows) -> Any:
    """The rows of X that take part; rows in parts stay where they are."""
    if kept.all_rows:
        return X
    return X.taken(kept.rows) if is_divided(X) else take_inputs(X, kept.rows, None)
