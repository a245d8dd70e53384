"""Read the targets that users pass: arrays, frames, series and lists, without importing pandas.

What the parsers of all kinds of candidates share is here too: errors that name the first invalid
row, how many there are and what to do; the test for missing values; the marker by which a user says
"this row may be any class"; and the selection of rows by an index.
"""

from collections.abc import Iterable, Mapping, Set, Sized
from typing import Any

import numpy as np
from scipy import sparse

from disambig.candidates.protocol import Candidates
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray


def _is_frame(y: Any) -> bool:
    return hasattr(y, "to_numpy") and hasattr(y, "columns")


def is_table(y: Any) -> bool:
    """Whether `y` is two-dimensional by its type: an array, a frame or a sparse array.

    Lists of lists are not: they are sets.
    """
    if _is_frame(y):
        return True
    return hasattr(y, "shape") and len(y.shape) == 2


def _dense(y: Any) -> AnyArray:
    """`y` as a plain array; masked entries become None, whatever value is under the mask."""
    if sparse.issparse(y):
        return np.asarray(y.toarray())
    if isinstance(y, np.ma.MaskedArray) and np.ma.getmaskarray(y).any():
        values = np.asarray(y).astype(object)
        values[np.ma.getmaskarray(y)] = None
        return values
    return np.asarray(y)


def table_of(y: Any) -> tuple[AnyArray, list[Any] | None]:
    """The ``(n, K)`` values of a table or of nested lists, and the names of its columns.

    Columns that are only numbered, 0 to K - 1, have no names.
    """
    _refuse_candidates(y)
    try:
        values = _dense(y)
    except ValueError as error:
        raise CandidateError(
            "LabelSets: rows of a mask or of weights must have the same length; these do not. "
            "For sets of different sizes use LabelSets.from_sets."
        ) from error
    if values.ndim != 2:
        raise CandidateError(
            f"LabelSets: expected a table of shape (n, K), one column per class; "
            f"got shape {values.shape}."
        )
    if 0 in values.shape:
        raise CandidateError(
            f"LabelSets: got shape {values.shape}; at least one row and one column are needed."
        )
    names = list(y.columns) if _is_frame(y) else None
    return values, None if names == list(range(values.shape[1])) else names


def only_column(y: Any) -> Any:
    """The column of a table that has exactly one, as a 1-D array or series."""
    return y[y.columns[0]] if _is_frame(y) else _dense(y).ravel()


def _refuse_candidates(y: Any) -> None:
    if isinstance(y, Candidates):
        raise CandidateError(
            f"{type(y).__name__}: these are candidates already, and reading them as raw targets "
            f"would lose their classes. Use them as they are, or pass them to from_any."
        )


def rows_of(y: Any) -> AnyArray | list[Any]:
    """The rows of `y`: a 1-D array of a plain dtype, or a list with one object per row.

    The rows of a 2-D array are its lists of entries.
    """
    _refuse_candidates(y)
    if y is None:
        raise CandidateError("LabelSets requires y to be passed, but the target y is None.")
    if isinstance(y, (str, bytes, Mapping, Set)) or not (
        hasattr(y, "__array__") or (isinstance(y, Iterable) and isinstance(y, Sized))
    ):
        raise CandidateError(
            f"LabelSets: expected a list, array, series or frame with one row per sample; "
            f"got {type(y).__name__}."
        )
    rows = _as_rows(y)
    if len(rows) == 0:
        raise CandidateError("LabelSets: y has no rows; at least one is needed.")
    return rows


def _as_rows(y: Any) -> AnyArray | list[Any]:
    """`rows_of` without its checks."""
    if not hasattr(y, "__array__"):
        return list(y)
    # A series whose dtype is not numpy's goes through a list: as an array, its integers would
    # become floats or objects where a value is missing.
    to_list = getattr(y, "tolist", None) or getattr(y, "to_list", None)
    if to_list is not None and not isinstance(getattr(y, "dtype", None), np.dtype):
        return list(to_list())
    array = _dense(y)
    if array.ndim not in (1, 2):
        raise CandidateError(
            f"LabelSets: expected one row per sample, 1-D or 2-D; got shape {array.shape}."
        )
    if array.ndim == 2 or array.dtype.kind not in "biufUSMm":
        return list(array.tolist())
    return array


def row_error(invalid: BoolArray, what: str, remedy: str) -> CandidateError:
    """An error that names the first of the `invalid` rows, shape ``(n,)``, and their number.

    Examples
    --------
    >>> import numpy as np
    >>> print(row_error(np.array([False, True, True]), "is odd", "Give even ones."))
    LabelSets: row 1 is odd (2 such rows). Give even ones.
    """
    count = int(np.count_nonzero(invalid))
    rows = "row" if count == 1 else "rows"
    return CandidateError(
        f"LabelSets: row {int(np.argmax(invalid))} {what} ({count} such {rows}). {remedy}"
    )


def refuse_empty_rows(empty: BoolArray) -> None:
    """Raise if a row has no candidate."""
    if empty.any():
        raise row_error(
            empty,
            "has no candidate",
            "Give every row at least one; use all classes for an unlabeled row.",
        )


def is_missing(value: Any) -> bool:
    """Whether `value` is None, NaN, NaT or the missing value of a data frame.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing(0), is_missing("")
    (True, True, False, False)
    """
    if value is None:
        return True
    try:
        # Only missing values differ from themselves.
        return bool(value != value)  # noqa: PLR0124
    except (TypeError, ValueError):
        # pandas.NA: the comparison returns NA, and the truth value of NA is undefined.
        return type(value).__name__ == "NAType"


def matches_marker(marker: Any, label: Any) -> bool:
    """Whether `label` is the `marker` of unlabeled rows.

    The marker None matches nothing; the marker NaN matches every missing value.
    """
    if marker is None:
        return False
    if is_missing(marker):
        return is_missing(label)
    return not is_missing(label) and bool(label == marker)


def check_marker(marker: Any, classes: Iterable[Any] | None) -> None:
    """Raise unless `marker` is a single value and not one of the `classes` that the user named."""
    if hasattr(marker, "__iter__") and not isinstance(marker, (str, bytes)):
        raise CandidateError(
            f"LabelSets: unlabeled must be a single value such as -1 or float('nan'); "
            f"got {type(marker).__name__} {marker!r}."
        )
    for label in classes or ():
        if matches_marker(marker, label):
            raise CandidateError(
                f"LabelSets: unlabeled={marker!r} is also among the classes. "
                f"Take it out of classes, or choose another marker."
            )


def row_index(owner: str, rows: Any, advice: str = "") -> Any:
    """The index of rows in ``y[rows]`` or ``y[rows, ...]``; raises if columns are selected.

    scikit-learn indexes targets by ``y[rows, ...]``.

    Examples
    --------
    >>> row_index("LabelSets", (slice(2), Ellipsis))
    slice(None, 2, None)
    """
    if isinstance(rows, tuple):
        all_columns = rows[-1:] and (
            rows[-1] is Ellipsis or (isinstance(rows[-1], slice) and rows[-1] == slice(None))
        )
        if len(rows) != 2 or not all_columns:
            raise IndexError(f"{owner}: only rows can be selected{advice}.")
        rows = rows[0]
    # numpy reads an empty list as an array of floats, which is no index.
    return slice(0, 0) if isinstance(rows, list) and not rows else rows
