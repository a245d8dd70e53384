"""`Alternatives`: cells of a column that have one of few values each."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.candidates.numbers.intervals import read_only
from disambig.exceptions import CandidateError
from disambig.notation import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Alternatives:
    """Cells of one column that have one of few values each.

    Attributes
    ----------
    column : int
    rows : int array (m,), increasing
    values : float array (m, k)
        The values of each cell; NaN after the last one.

    Examples
    --------
    >>> from disambig.inputs import PartialInputs
    >>> one = Alternatives(0, np.array([1]), np.array([[3.0, 5.0, np.nan]]))
    >>> PartialInputs([[1.0], [0.0]], [[1.0], [0.0]], (one,)).upper.tolist()
    [[1.0], [5.0]]
    """

    column: int
    rows: IntArray
    values: FloatArray

    def __post_init__(self) -> None:
        rows = np.array(self.rows, dtype=np.intp, ndmin=1)
        values = np.array(self.values, dtype=np.float64)
        fine = rows.ndim == 1 and values.ndim == 2 and len(rows) == len(values)
        if not fine or (np.diff(rows) <= 0).any():
            raise CandidateError(
                f"Alternatives: rows must increase, and values have one line for each of them; got "
                f"rows of shape {rows.shape} and values of shape {values.shape}."
            )
        if len(rows) and (np.isnan(values).all(axis=1) | np.isinf(values).any(axis=1)).any():
            raise CandidateError(
                f"Alternatives: a cell of column {self.column} has no value or an infinite one. "
                "Give finite numbers, and NaN only after the last one."
            )
        object.__setattr__(self, "rows", read_only(rows))
        object.__setattr__(self, "values", read_only(values))

    def __setstate__(self, state: dict[str, Any]) -> None:
        restore(self, state)

    def take(self, rows: IntArray, n: int) -> "Alternatives":
        """The same cells among selected ones of n rows.

        Parameters
        ----------
        rows : int array (k,)
        n : int
        """
        places = np.full(n, -1)
        places[self.rows] = np.arange(len(self.rows))
        found = places[rows]
        kept = np.flatnonzero(found >= 0)
        return Alternatives(self.column, kept, self.values[found[kept]])


def restore(data: Any, state: dict[str, Any]) -> None:
    """Set the fields of unpickled data; its arrays are writeable, and become read-only again."""
    for name, value in state.items():
        made = read_only(value) if isinstance(value, np.ndarray) else value
        object.__setattr__(data, name, made)
