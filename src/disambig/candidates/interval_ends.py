"""What two ends of an interval must be: numbers, in order, not too large to be squared."""

from typing import Any, NamedTuple

import numpy as np

from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

__all__ = ["LARGEST_END", "Ends", "checked_ends", "interval_fault", "require_small"]

# Squares of differences, summed over many rows, must stay far from the largest double.
LARGEST_END = 1e150


class Ends(NamedTuple):
    """Lower and upper ends, both of shape ``(n, d)``; infinite where there is no bound."""

    lower: FloatArray
    upper: FloatArray


def interval_fault(faulty: BoolArray, what: str, remedy: str, owner: str) -> CandidateError:
    """An error that names the first of the `faulty` rows, shape ``(n,)``, and their number.

    Examples
    --------
    >>> import numpy as np
    >>> print(interval_fault(np.array([False, True]), "is odd", "Give even ones.", "Intervals"))
    Intervals: row 1 is odd (1 such row). Give even ones.
    """
    count = int(np.count_nonzero(faulty))
    rows = "row" if count == 1 else "rows"
    return CandidateError(
        f"{owner}: row {int(np.argmax(faulty))} {what} ({count} such {rows}). {remedy}"
    )


def checked_ends(lower: Any, upper: Any, owner: str, rows: IntArray | None = None) -> Ends:
    """The ends as float64, once every entry is an interval of the extended line.

    Parameters
    ----------
    lower, upper : (m, d) array-like
    owner : str
        Who speaks in the messages.
    rows : (m,), or None
        Which row each pair of ends belongs to; None where every row has one.
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
        raise CandidateError(f"{owner}: there are no columns; at least one is needed.")
    for end in ends:
        require_small(end, owner, rows)
    ends = Ends(ends.lower.astype(np.float64), ends.upper.astype(np.float64))
    _refuse_missing(ends, owner, rows)
    _refuse_crossed(ends, owner, rows)
    _refuse_infinite(ends, owner, rows)
    return ends


def require_small(end: AnyArray, owner: str, rows: IntArray | None = None) -> None:
    """Raise if a finite entry of ``(m, d)`` numbers is too large for its square."""
    if end.dtype.kind != "f" or end.dtype.itemsize < 8:
        return
    large = np.isfinite(end) & (np.abs(end) > LARGEST_END)
    if large.any():
        raise interval_fault(
            _owners(large, rows),
            f"has an end of {_first(end, large)}, the square of which overflows",
            f"Ends may be as large as {LARGEST_END:g}: rescale y, or write inf for no bound.",
            owner,
        )


def _refuse_missing(ends: Ends, owner: str, rows: IntArray | None) -> None:
    missing = np.isnan(ends.lower) | np.isnan(ends.upper)
    if missing.any():
        raise interval_fault(
            _owners(missing, rows),
            "lacks an end",
            "Input y contains NaN or missing values: leave out such rows, write -inf or inf for no "
            "bound, or pass missing='whole', by which an end that is missing is no bound.",
            owner,
        )


def _refuse_crossed(ends: Ends, owner: str, rows: IntArray | None) -> None:
    crossed = ends.lower > ends.upper
    if crossed.any():
        raise interval_fault(
            _owners(crossed, rows),
            f"has its lower end {_first(ends.lower, crossed)} above its upper end "
            f"{_first(ends.upper, crossed)}{_column(crossed)}",
            "Give the lower end first; if the row contradicts itself, leave it out.",
            owner,
        )


def _refuse_infinite(ends: Ends, owner: str, rows: IntArray | None) -> None:
    nowhere = (ends.lower == np.inf) | (ends.upper == -np.inf)
    if nowhere.any():
        raise interval_fault(
            _owners(nowhere, rows),
            f"holds no number: its ends are {_first(ends.lower, nowhere)} and "
            f"{_first(ends.upper, nowhere)}{_column(nowhere)}",
            "Input y contains infinity: a point must be finite; no bound is a lower end of -inf "
            "or an upper end of inf.",
            owner,
        )


def _owners(bad: BoolArray, rows: IntArray | None) -> BoolArray:
    """Rows, ``(n,)``, that own one of the flagged entries, ``(m, d)``."""
    faulty = np.asarray(bad.any(axis=1))
    if rows is None:
        return faulty
    owners = np.zeros(int(rows[-1]) + 1, dtype=np.bool_)
    owners[rows[faulty]] = True
    return owners


def _first(values: AnyArray, bad: BoolArray) -> str:
    return str(values[tuple(np.argwhere(bad)[0])])


def _column(bad: BoolArray) -> str:
    return f" in column {np.argwhere(bad)[0][1]}" if bad.shape[1] > 1 else ""
