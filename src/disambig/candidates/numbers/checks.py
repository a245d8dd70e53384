"""The checks that every interval must pass: its ends are numbers, in order, and can be squared."""

from typing import Any, NamedTuple

import numpy as np

from disambig.candidates.reading import row_error
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

# The square of a difference of ends, summed over many rows, must stay far below the largest
# float64, 1.8e308.
MAX_FINITE_END = 1e150


class Ends(NamedTuple):
    """Lower and upper ends, both of shape ``(n, d)``; infinite where there is no bound."""

    lower: FloatArray
    upper: FloatArray


def interval_error(invalid: BoolArray, what: str, remedy: str, owner: str) -> CandidateError:
    """An error that names the first of the `invalid` rows, shape ``(n,)``, and counts them.

    Examples
    --------
    >>> import numpy as np
    >>> print(interval_error(np.array([False, True]), "is odd", "Give even ones.", "Intervals"))
    Intervals: row 1 is odd (1 such row). Give even ones.
    """
    return row_error(invalid, what, remedy, owner)


def checked_ends(lower: Any, upper: Any, owner: str, rows: IntArray | None = None) -> Ends:
    """The ends as float64, after a check that every entry is an interval of the extended line.

    Parameters
    ----------
    lower, upper : (m, d) array-like
    owner : str
        The class that error messages name.
    rows : (m,), or None
        The row of each pair of ends; None if every row has one pair.
    """
    ends = Ends(np.asarray(lower), np.asarray(upper))
    for end, name in zip(ends, Ends._fields, strict=True):
        if end.ndim != 2 or end.dtype.kind not in "iuf":
            raise CandidateError(
                f"{owner}: {name} must hold one real number per row and column; got {end.dtype} "
                f"of shape {end.shape}. Use {owner}.from_any for other forms."
            )
    if ends.lower.shape != ends.upper.shape:
        raise CandidateError(
            f"{owner}: lower and upper must have the same shape; got {ends.lower.shape} and "
            f"{ends.upper.shape}."
        )
    if ends.lower.shape[1] == 0:
        raise CandidateError(f"{owner}: expected at least one column; got none.")
    for end in ends:
        require_squarable(end, owner, rows)
    ends = Ends(ends.lower.astype(np.float64), ends.upper.astype(np.float64))
    _refuse_missing(ends, owner, rows)
    _refuse_crossed(ends, owner, rows)
    _refuse_without_members(ends, owner, rows)
    return ends


def require_squarable(end: AnyArray, owner: str, rows: IntArray | None = None) -> None:
    """Raise if the square of a finite entry, ``(m, d)``, would overflow."""
    if end.dtype.kind != "f" or end.dtype.itemsize < 8:
        return
    large = np.isfinite(end) & (np.abs(end) > MAX_FINITE_END)
    if large.any():
        raise interval_error(
            _owners(large, rows),
            f"has an end of {_first(end, large)}, the square of which overflows",
            f"Ends may be as large as {MAX_FINITE_END:g}: rescale y, or write inf for no bound.",
            owner,
        )


def _refuse_missing(ends: Ends, owner: str, rows: IntArray | None) -> None:
    missing = np.isnan(ends.lower) | np.isnan(ends.upper)
    if missing.any():
        raise interval_error(
            _owners(missing, rows),
            "lacks an end",
            "Input y contains NaN or missing values: leave out such rows, write -inf or inf for no "
            "bound, or pass missing='whole', which reads a missing end as no bound.",
            owner,
        )


def _refuse_crossed(ends: Ends, owner: str, rows: IntArray | None) -> None:
    crossed = ends.lower > ends.upper
    if crossed.any():
        raise interval_error(
            _owners(crossed, rows),
            f"has its lower end {_first(ends.lower, crossed)} above its upper end "
            f"{_first(ends.upper, crossed)}{_column(crossed)}",
            "Give the lower end first; if the row contradicts itself, leave it out.",
            owner,
        )


def _refuse_without_members(ends: Ends, owner: str, rows: IntArray | None) -> None:
    without_members = (ends.lower == np.inf) | (ends.upper == -np.inf)
    if without_members.any():
        raise interval_error(
            _owners(without_members, rows),
            f"holds no number: its ends are {_first(ends.lower, without_members)} and "
            f"{_first(ends.upper, without_members)}{_column(without_members)}",
            "Input y contains infinity: a point must be finite. For no bound write -inf as lower "
            "or inf as upper end.",
            owner,
        )


def _owners(bad: BoolArray, rows: IntArray | None) -> BoolArray:
    """Rows, ``(n,)``, with at least one flagged entry, ``(m, d)``."""
    invalid = np.asarray(bad.any(axis=1))
    if rows is None:
        return invalid
    owners = np.zeros(int(rows[-1]) + 1, dtype=np.bool_)
    owners[rows[invalid]] = True
    return owners


def _first(values: AnyArray, bad: BoolArray) -> str:
    return str(values[tuple(np.argwhere(bad)[0])])


def _column(bad: BoolArray) -> str:
    return f" in column {np.argwhere(bad)[0][1]}" if bad.shape[1] > 1 else ""
