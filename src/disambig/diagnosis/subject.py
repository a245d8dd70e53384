"""The data that are diagnosed: inputs, candidate sets, and what every check may need."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array
from sklearn.utils.validation import _get_feature_names

from disambig.candidates import ClassCounts
from disambig.candidates.labels.classes import listed
from disambig.diagnosis.neighborhoods import (
    MAX_FAST_ROWS,
    Neighborhoods,
    neighborhoods,
    unit_inputs,
)
from disambig.notation import BoolArray, IntArray
from disambig.sparse_arrays import check_sparse
from disambig.votes.entries import MAX_ENTRY
from disambig.weights.row_groups import EqualRows
from disambig.weights.unreadable_inputs import readable_error


@dataclass(frozen=True, eq=False)
class Refused:
    """Rows of y that no estimator reads; here they count as rows that say nothing.

    Attributes
    ----------
    unreadable : dict of int to str
        Rows, and the error of each.
    inverted, without_number : int array
        Intervals whose lower end is above the upper one; without an end, or without any member.
    """

    unreadable: dict[int, str] = field(default_factory=dict)
    inverted: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    without_number: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.intp))

    def rows(self, n: int) -> BoolArray:
        """Which of n rows were refused, ``(n,)``."""
        refused = np.zeros(n, dtype=np.bool_)
        refused[[*self.unreadable, *self.inverted, *self.without_number]] = True
        return refused


@dataclass(frozen=True, eq=False)
class Subject:
    """Inputs and candidate sets of one diagnosis.

    Attributes
    ----------
    kind : {"labels", "numbers", "orders", "bits"}
    candidates : candidate sets, n rows
    refused : Refused
    inputs : Inputs
    fast : bool
    counts : ClassCounts or None
        Of labels: the counts of classes that the rows keep.
    """

    kind: str
    candidates: Any
    refused: Refused
    inputs: "Inputs"
    fast: bool
    counts: ClassCounts | None = None

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.candidates)

    @cached_property
    def informative(self) -> BoolArray:
        """Rows whose set excludes something, ``(n,)``."""
        return np.asarray(self.candidates.informative)

    @cached_property
    def scaled(self) -> Any:
        """Features of unit variance, ``(n, d)``."""
        return unit_inputs(self.inputs.X)

    @cached_property
    def near(self) -> Neighborhoods:
        """The nearest neighbours of every row, or of a sample of rows if `fast`."""
        return neighborhoods(self.scaled, max_rows=MAX_FAST_ROWS if self.fast else None)

    @cached_property
    def groups(self) -> IntArray:
        """The group of equal inputs of each row, ``(n,)``."""
        return EqualRows.build(self.inputs.X).group


@dataclass(frozen=True, eq=False)
class Inputs:
    """Features without gaps, and where the gaps were.

    Attributes
    ----------
    X : float array or csr_array (n, d)
        Unusable entries are replaced by the mean of the column.
    names : list of str
    bad_rows, bad_columns : int array (entries,)
        Rows and columns of the unusable entries, in order.
    index : object
        The index of a frame, or None.
    """

    X: Any
    names: list[str]
    bad_rows: IntArray
    bad_columns: IntArray
    index: Any

    @classmethod
    def read(cls, X: Any) -> "Inputs":
        """Read an array, a frame or a sparse matrix; NaN and infinities are allowed."""
        if sp.issparse(X):
            check_sparse("diagnose: X", X)
        index = X.index if hasattr(X, "iloc") else None
        try:
            found = _get_feature_names(X)
            checked = check_array(
                X, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False, copy=True
            )
        except Exception as error:
            raise ValueError(
                "diagnose: X must be a table of numbers, one row a sample. "
                f"{readable_error(X, error)}"
            ) from error
        names = [f"column {j}" for j in range(checked.shape[1])]
        if found is not None:
            names = [repr(name) for name in listed(found)]
        if sp.issparse(checked):
            matrix = sp.csr_array(checked)
            matrix.sum_duplicates()
            bad = np.flatnonzero(_unusable(matrix.data))
            rows = np.searchsorted(matrix.indptr, bad, side="right") - 1
            columns = matrix.indices[bad].astype(np.intp)
            matrix.data[bad] = 0.0
            return cls(matrix, names, rows, columns, index)
        unusable = _unusable(checked)
        rows, columns = np.nonzero(unusable)
        if rows.size:
            checked[unusable] = 0.0
            counts = np.maximum(1, np.count_nonzero(~unusable, axis=0))
            checked[rows, columns] = (checked.sum(axis=0) / counts)[columns]
        return cls(checked, names, rows, columns, index)

    @property
    def n_features(self) -> int:
        """``d``."""
        return int(self.X.shape[1])

    def columns(self, start: int, stop: int) -> Any:
        """Some columns as a dense array, ``(n, stop - start)``."""
        part = self.X[:, start:stop]
        return part.toarray() if sp.issparse(part) else part


def _unusable(values: Any) -> BoolArray:
    """Entries that are not finite, or so large that their squares overflow."""
    with np.errstate(invalid="ignore"):
        return np.asarray(~(np.abs(values) <= MAX_ENTRY))
