"""Read the targets that users pass: arrays, frames, series and lists, without importing pandas.

What the parsers of all kinds of candidates share is here too: errors that name the first invalid
row, how many there are and what to do; the test for missing values; `Markers`, by which a user says
"this says nothing"; and the selection of rows by an index.
"""

import numbers
import reprlib
from collections.abc import Iterable, Mapping, Set, Sized
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from disambig.candidates.protocol import Candidates
from disambig.exceptions import CandidateError, MissingOracleError
from disambig.notation import AnyArray, BoolArray
from disambig.sparse_arrays import check_sparse


def _is_frame(y: Any) -> bool:
    return hasattr(y, "to_numpy") and hasattr(y, "columns")


def is_table(y: Any) -> bool:
    """Whether `y` is two-dimensional by its type: an array, a frame or a sparse array.

    Lists of lists are not: they are sets.
    """
    if _is_frame(y):
        return True
    return hasattr(y, "shape") and len(y.shape) == 2


def dense_array(y: Any) -> AnyArray:
    """`y` as a plain array; masked entries become None, whatever value is under the mask."""
    if sparse.issparse(y):
        check_sparse("y", y, CandidateError)
        return np.asarray(y.toarray())
    if isinstance(y, np.ma.MaskedArray) and np.ma.getmaskarray(y).any():
        values = np.asarray(y).astype(object)
        values[np.ma.getmaskarray(y)] = None
        return values
    if _is_wide(getattr(y, "dtype", None)):
        return _objects(y.to_list())
    if _is_frame(y) and any(map(_is_wide, getattr(y, "dtypes", ()))):
        # Column by column, as numpy has no integers of 128 bits.
        return np.stack([_objects(y[name].to_list()) for name in y.columns], axis=1)
    return np.asarray(y)


def _is_wide(dtype: Any) -> bool:
    """Whether `dtype` is one of the integers of 128 bits that polars has and numpy has not."""
    return type(dtype).__module__.startswith("polars") and str(dtype) in ("Int128", "UInt128")


def _objects(values: list[Any]) -> AnyArray:
    """Values as a 1-D array of objects, ``(n,)``."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def table_of(
    y: Any,
    owner: str = "LabelSets",
    column: str = "class",
    remedy: str = "For sets of different sizes use LabelSets.from_sets.",
) -> tuple[AnyArray, list[Any] | None]:
    """The ``(n, K)`` values of a table or of nested lists, and the names of its columns.

    Columns that are only numbered, 0 to K - 1, have no names.

    Parameters
    ----------
    y : array, frame, sparse array or nested lists
    owner : str
        The reader that error messages name.
    column : str
        What a column stands for, for messages.
    remedy : str
        What to do if the rows differ in length.
    """
    _refuse_candidates(y)
    try:
        values = dense_array(y)
    except CandidateError:
        raise
    except ValueError as error:
        raise CandidateError(
            f"{owner}: rows of a table must have the same length, one entry per {column}; these "
            f"do not. {remedy}"
        ) from error
    if values.ndim != 2:
        raise CandidateError(
            f"{owner}: expected a table of shape (n, K), one column per {column}; "
            f"got shape {values.shape}."
        )
    if 0 in values.shape:
        raise CandidateError(
            f"{owner}: got shape {values.shape}; at least one row and one column are needed."
        )
    names = list(y.columns) if _is_frame(y) else None
    return values, None if names == list(range(values.shape[1])) else names


def only_column(y: Any) -> Any:
    """The column of a table that has exactly one, as a 1-D array or series."""
    return y[y.columns[0]] if _is_frame(y) else dense_array(y).ravel()


def _refuse_candidates(y: Any) -> None:
    if isinstance(y, Candidates):
        raise CandidateError(
            f"{type(y).__name__}: these are candidates already, and reading them as raw targets "
            f"would lose their classes. Use them as they are, or pass them to from_any."
        )


def rows_of(y: Any, owner: str = "LabelSets") -> AnyArray | list[Any]:
    """The rows of `y`: a 1-D array of a plain dtype, or a list with one object per row.

    The rows of a 2-D array are its lists of entries. Error messages name the `owner`.
    """
    _refuse_candidates(y)
    if y is None:
        raise CandidateError(f"{owner} requires y to be passed, but the target y is None.")
    if isinstance(y, (str, bytes, Mapping, Set)) or not (
        hasattr(y, "__array__") or (isinstance(y, Iterable) and isinstance(y, Sized))
    ):
        raise CandidateError(
            f"{owner}: expected a list, array, series or frame with one row per sample; "
            f"got {type(y).__name__}."
        )
    rows = _as_rows(y, owner)
    if len(rows) == 0:
        raise CandidateError(f"{owner}: y has no rows; at least one is needed.")
    return rows


def _as_rows(y: Any, owner: str) -> AnyArray | list[Any]:
    """`rows_of` without its checks."""
    if not hasattr(y, "__array__"):
        return list(y)
    # A series whose dtype is not numpy's goes through a list: as an array, its integers would
    # become floats or objects where a value is missing.
    to_list = getattr(y, "tolist", None) or getattr(y, "to_list", None)
    if to_list is not None and not isinstance(getattr(y, "dtype", None), np.dtype):
        return list(to_list())
    array = dense_array(y)
    if array.ndim not in (1, 2):
        raise CandidateError(
            f"{owner}: expected one row per sample, 1-D or 2-D; got shape {array.shape}."
        )
    if array.ndim == 2 or array.dtype.kind not in "biufUSMm":
        return list(array.tolist())
    return array


def row_error(
    invalid: BoolArray, what: str, remedy: str, owner: str = "LabelSets"
) -> CandidateError:
    """An error that names the first of the `invalid` rows, shape ``(n,)``, and their number.

    It begins with the `owner`, the class that the rows were read for.

    Examples
    --------
    >>> import numpy as np
    >>> print(row_error(np.array([False, True, True]), "is odd", "Give even ones."))
    LabelSets: row 1 is odd (2 such rows). Give even ones.
    """
    count = int(np.count_nonzero(invalid))
    rows = "row" if count == 1 else "rows"
    row = int(np.argmax(invalid))
    error = CandidateError(f"{owner}: row {row} {what} ({count} such {rows}). {remedy}")
    error.row, error.detail = row, f"{what}. {remedy}"
    return error


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
    if isinstance(value, np.ndarray) and value.ndim:
        return False
    try:
        # Only missing values differ from themselves.
        return bool(value != value)  # noqa: PLR0124
    except (TypeError, ValueError):
        # pandas.NA: the comparison returns NA, and the truth value of NA is undefined.
        return type(value).__name__ == "NAType"


def _plain(value: Any) -> Any:
    """A number of numpy as one of Python, which compares with all others."""
    return value.item() if isinstance(value, (np.integer, np.floating, np.bool_)) else value


def _family(kind: type) -> type:
    """The types among which a marker can equal a value: 1 is no bool, and "1" no number."""
    if issubclass(kind, (bool, np.bool_)):
        return bool
    for family in (numbers.Number, str, bytes):
        if issubclass(kind, family):
            return family
    return object


# Types that have no missing value.
_NEVER_MISSING = frozenset({str, int, bool, bytes})

# The family of the entries of an array, by the kind of its dtype.
_FAMILY_OF_KIND: dict[str, type] = {
    **dict.fromkeys("iufc", numbers.Number),
    "b": bool,
    "U": str,
    "S": bytes,
}


@dataclass(frozen=True)
class Markers:
    """The values by which a user says "this says nothing", made of the parameter ``unlabeled=``.

    A marker equals values of its own type only: -1 is -1 and -1.0, not "-1"; 1 is not True; texts
    are compared as they are. A missing value among the markers stands for every missing value.

    Parameters
    ----------
    values : tuple
        The markers that are not missing values.
    missing : bool
        Whether missing values (None, NaN, NaT, pandas.NA) are markers.
    given : object
        What the user passed, for messages.

    Examples
    --------
    >>> markers = Markers.of([-1, "?", None], "LabelSets")
    >>> [markers.matches(value) for value in (-1, -1.0, "-1", "?", float("nan"))]
    [True, True, False, True, True]
    >>> bool(Markers.of(None, "LabelSets"))
    False
    """

    values: tuple[Any, ...] = ()
    missing: bool = False
    given: Any = None

    @classmethod
    def of(cls, unlabeled: Any, owner: str) -> "Markers":
        """The markers of ``unlabeled=``: one value, or a list, tuple or set of values.

        None alone means that there is no marker; in a list it is one. Raises a TypeError, which
        names the `owner`, at anything else.
        """
        if isinstance(unlabeled, Markers):
            return unlabeled
        if unlabeled is None:
            return cls()
        several = isinstance(unlabeled, (list, tuple, set, frozenset))
        markers = tuple(unlabeled) if several else (unlabeled,)
        for marker in markers:
            if hasattr(marker, "__iter__") and not isinstance(marker, (str, bytes)):
                raise TypeError(
                    f"{owner}: unlabeled must be one value such as -1, '?' or float('nan'), or a "
                    f"list, tuple or set of such values; got "
                    f"{'in it ' if several else ''}a {type(marker).__name__}, "
                    f"{reprlib.repr(marker)}. Pass single values: for an array or a series, its "
                    f"tolist()."
                )
        named = tuple(_plain(marker) for marker in markers if not is_missing(marker))
        return cls(named, len(named) < len(markers), unlabeled)

    def __bool__(self) -> bool:
        return self.missing or bool(self.values)

    @property
    def named(self) -> "Markers":
        """The markers that are not missing values."""
        return Markers(self.values, False, self.given)

    def matches(self, value: Any) -> bool:
        """Whether a single value is a marker; a collection is none."""
        kind = type(value)
        if kind not in _NEVER_MISSING and is_missing(value):
            return self.missing
        if kind not in self._by_type:
            family = _family(kind)
            self._by_type[kind] = tuple(m for m in self.values if _family(type(m)) is family)
        for marker in self._by_type[kind]:
            equal = _plain(value) == marker
            # Objects may compare to anything, such as an array.
            if equal is True or (isinstance(equal, np.bool_) and bool(equal)):
                return True
        return False

    @cached_property
    def _by_type(self) -> dict[type, tuple[Any, ...]]:
        """The markers that values of a type can equal, of the types that were met."""
        return {}

    def matches_text(self, row: Any) -> bool:
        """The same where blanks around a text do not count."""
        return self.matches(row.strip() if isinstance(row, str) else row) or self.matches(row)

    def where(self, values: AnyArray) -> BoolArray:
        """Which entries of an array of any shape are markers."""
        found = np.zeros(values.shape, dtype=np.bool_)
        kind = values.dtype.kind
        if not self:
            return found
        if kind not in _FAMILY_OF_KIND:
            # Dates stay numpy's: as Python objects they may become integers.
            flat = list(values.ravel()) if kind in "mM" else values.ravel().tolist()
            return np.array([self.matches(value) for value in flat], dtype=np.bool_).reshape(
                values.shape
            )
        if self.missing and kind in "fc":
            found |= np.isnan(values)
        for marker in self.values:
            if _family(type(marker)) is _FAMILY_OF_KIND[kind]:
                found |= np.asarray(values == marker, dtype=np.bool_)
        return found

    def refuse_among(self, names: Iterable[Any], owner: str, role: str = "classes") -> None:
        """Raise if one of the `names` that the user gave is a marker."""
        for name in names if self else ():
            if self.matches(name):
                raise CandidateError(
                    f"{owner}: unlabeled={name!r} is also among the {role}. "
                    f"Take it out of {role}, or choose another marker."
                )


NO_MARKERS = Markers()


def own_rows(array: AnyArray, rows: Any) -> AnyArray:
    """``array[rows]`` as a C-contiguous array of its own, which shares no memory with `array`.

    A slice would be a view, which keeps the memory of all rows.
    """
    selected = np.asarray(array[rows])
    return selected if selected.base is None else np.array(selected, order="C")


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


def require_separable(candidates: Any, who: str) -> None:
    """Raise `MissingOracleError` if a constraint couples the rows of the candidates.

    `who` is the name of what treats each row on its own and would break the constraint.
    """
    if getattr(candidates, "couples_rows", False):
        raise MissingOracleError(
            f"{who} treats each row on its own and would lose the constraint over rows of "
            f"{type(candidates).__name__}. Use PartialLabelClassifier with method='disambiguation' "
            "and solver='frank_wolfe' (FrankWolfeMinimization, with polish=False), which keeps it, "
            "or pass the sets without the constraint."
        )
