"""Read and check tables of bits in which some entries are not known.

NaN means not known, and so do the markers of the user. In some tables -1 means that too, in others
0 does and -1 is a known 0. The caller says which by `zero`; it is never guessed.
"""

from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from disambig.candidates.labels.classes import listed, preview
from disambig.candidates.look_alikes import warn_of_look_alike_names
from disambig.candidates.protocol import Candidates
from disambig.candidates.reading import Markers, dense_array, is_missing, row_error
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray
from disambig.parameters import as_array

UNKNOWN = -1
"""The entry of a table of bits where the bit is not known."""

# How people write yes and no in tables.
YES = frozenset({"yes", "y", "true", "t", "1", "1.0", "x", "✓", "✔", "+", "on", "present"})
NO = frozenset({"no", "n", "false", "f", "0", "0.0", "-", "off", "absent"})

_ROWS = (list, tuple, np.ndarray)
_MEANINGS_OF_ZERO = ("absent", "unknown")


class BitTable(NamedTuple):
    """What a parser returns: bits and the names of their columns.

    Attributes
    ----------
    bits : (n, m) of int8
        1, 0, or -1 where nothing is known.
    tags : (m,)
    """

    bits: AnyArray
    tags: AnyArray


def parse_bits(y: Any, tags: Any, zero: str | None, unlabeled: Any = None) -> BitTable:
    """Read a table of numbers or of yes and no.

    NaN, None, the NA of a frame, blanks and markers mean not known.
    """
    markers = Markers.of(unlabeled, "PartialBits")
    if zero is not None and zero not in _MEANINGS_OF_ZERO:
        raise CandidateError(
            f"PartialBits: zero must be 'absent' (0 is a known 0, -1 not known) or 'unknown' "
            f"(0 is not known, -1 a known 0); got {zero!r}."
        )
    _refuse_known_zero(markers, zero)
    values, names = _table(y, markers)
    numbers = _numbers(values, names, markers)
    negative = numbers == -1.0
    if zero is None and negative.any():
        row, column = _first_entry(negative)
        raise CandidateError(
            f"PartialBits: row {row}, column {_column_name(names, column)} holds -1, and it is "
            f"unclear whether -1 or 0 means not known. Pass zero='absent' (0 is a known 0, -1 not "
            f"known) or zero='unknown' (0 is not known, -1 a known 0); unlabeled=-1 is the same "
            f"as the first."
        )
    bits = np.full(numbers.shape, UNKNOWN, dtype=np.int8)
    bits[numbers == 1.0] = 1
    bits[negative if zero == "unknown" else numbers == 0.0] = 0
    return BitTable(bits, _tags_of(tags, names, numbers.shape[1]))


def _refuse_known_zero(markers: Markers, zero: str | None) -> None:
    """Raise if the entry that `zero` takes for a known 0 is a marker."""
    known = {"absent": 0, "unknown": -1}.get(str(zero))
    if known is not None and markers.matches(known):
        raise CandidateError(
            f"PartialBits: with zero={zero!r} an entry of {known} is a known 0, and "
            f"unlabeled={markers.given!r} says that it is not known. Pass one of the two."
        )


def checked_bits(bits: Any, tags: Any) -> BitTable:
    """Read-only copies of bits and tags; raises unless they fit together."""
    table = as_array(bits)
    if table.ndim != 2 or 0 in table.shape or table.dtype != np.int8:
        raise CandidateError(
            f"PartialBits: bits must be an int8 array of shape (n, m), 1, 0 or -1 for not known; "
            f"got {table.dtype} of shape {table.shape}. Use PartialBits.from_any for other forms."
        )
    refuse_bits((table < -1) | (table > 1), table, None, "Bits are 1, 0 or -1 for not known.")
    vector = np.arange(table.shape[1]) if tags is None else checked_tags(tags)
    if len(vector) != table.shape[1]:
        raise CandidateError(
            f"PartialBits: {len(vector)} tags were named for {table.shape[1]} columns. "
            f"Name one tag per column."
        )
    return BitTable(_frozen(table), _frozen(vector))


def checked_tags(tags: Any) -> AnyArray:
    """The vector of `tags`, in the order given, ``(m,)``; raises unless they are distinct."""
    vector = as_array(tags)
    if vector.ndim != 1 or not vector.size:
        raise CandidateError(
            f"PartialBits: tags must be a 1-D list of at least one distinct name; got {tags!r}."
        )
    names = listed(vector)
    repeated = [name for i, name in enumerate(names) if name in names[:i]]
    if repeated:
        raise CandidateError(f"PartialBits: tags must be distinct; {repeated[0]!r} occurs twice.")
    return vector


def refuse_bits(bad: BoolArray, table: AnyArray, names: list[Any] | None, remedy: str) -> None:
    """Raise if an entry ``(n, m)`` is bad; names the first one and their number."""
    if not bad.any():
        return
    row, column = _first_entry(bad)
    value, count = table[row, column], int(np.count_nonzero(bad))
    raise CandidateError(
        f"PartialBits: row {row}, column {_column_name(names, column)} holds "
        f"{value.item() if isinstance(value, np.generic) else value!r} "
        f"({count} such {'entry' if count == 1 else 'entries'}). {remedy}"
    )


def _table(y: Any, markers: Markers) -> tuple[AnyArray, list[Any] | None]:
    """The ``(n, m)`` values of `y` and the names of its columns, None if it has none."""
    if y is None:
        raise CandidateError("PartialBits requires y to be passed, but the target y is None.")
    if isinstance(y, Candidates):
        raise CandidateError(
            f"PartialBits: got {type(y).__name__}, which is another kind of candidates. Pass a "
            f"table of bits or a PartialBits."
        )
    names = list(y.columns) if hasattr(y, "columns") and hasattr(y, "to_numpy") else None
    y = _with_whole_rows(y, markers)
    try:
        values = dense_array(y)
        if values.dtype.kind in "US" and isinstance(y, list):
            # As an array, numbers beside a text are texts too.
            values = np.array(y, dtype=object)
    except CandidateError:
        raise
    except ValueError as error:
        raise CandidateError(
            "PartialBits: rows must have the same length, one entry per tag; these do not."
        ) from error
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or 0 in values.shape:
        raise CandidateError(
            f"PartialBits: expected a table of shape (n, m), one column per tag, at least one "
            f"row and one column; got shape {values.shape}."
        )
    return values, None if names == list(range(values.shape[1])) else names


def _is_single(row: Any) -> bool:
    return isinstance(row, np.ndarray) and row.ndim == 0


def _with_whole_rows(y: Any, markers: Markers) -> Any:
    """Lists of entries, with a row of None for each row that is missing or a marker."""
    column = isinstance(y, (list, tuple)) or (
        getattr(y, "ndim", 0) == 1 and getattr(y, "dtype", None) == np.dtype(object)
    )
    rows = list(y) if column else []
    # An array without dimensions is a single value.
    lengths = [-1 if not isinstance(row, _ROWS) or _is_single(row) else len(row) for row in rows]
    longest = max(lengths, default=-1)
    if longest < 0:
        return y
    invalid = [
        length < 0 and not is_missing(row) and not markers.matches_text(row)
        for row, length in zip(rows, lengths, strict=True)
    ]
    if any(invalid):
        row = rows[invalid.index(True)]
        raise row_error(
            np.array(invalid),
            f"holds {row!r}, a {type(row).__name__}, where a list of {longest} entries is expected",
            "Give one entry per tag; mark rows of which nothing is known by unlabeled=.",
            "PartialBits",
        )
    unknown = [None] * longest
    return [unknown if length < 0 else list(row) for row, length in zip(rows, lengths, strict=True)]


def _numbers(values: AnyArray, names: list[Any] | None, markers: Markers) -> AnyArray:
    """The values as floats 1, 0, -1 and NaN, ``(n, m)``; raises at others."""
    marked = markers.where(values)
    remedy = (
        "Bits are 1 and 0 (or -1, see zero=), yes and no, NaN or a blank for what is not known, or "
        "a marker, see unlabeled=."
    )
    if values.dtype.kind in "biuf":
        numbers = values.astype(np.float64)
        numbers[marked] = np.nan
    else:
        flat = [_from_text(value) for value in values.ravel().tolist()]
        said = ~marked.ravel()
        # Compared as they are: floats cannot hold all integers.
        good = np.array(
            [is_missing(v) or (isinstance(v, (Real, np.bool_)) and v in (-1, 0, 1)) for v in flat]
        )
        refuse_bits(~(good | ~said).reshape(values.shape), values, names, remedy)
        known = [
            float(v) if known and not is_missing(v) else np.nan
            for v, known in zip(flat, said.tolist(), strict=True)
        ]
        numbers = np.array(known).reshape(values.shape)
    valid = np.isnan(numbers) | (numbers == 1.0) | (numbers == 0.0) | (numbers == -1.0)
    refuse_bits(~valid, values, names, remedy)
    return numbers


def _from_text(value: Any) -> Any:
    """1, 0 or None for a text that says yes, no or nothing; other values as they are."""
    if not isinstance(value, str):
        return value
    text = value.strip().casefold()
    if text in YES or text in NO:
        return int(text in YES)
    return value if text else None


def _tags_of(tags: Any, names: list[Any] | None, m: int) -> AnyArray:
    """The named tags, else the names of the columns, else 0 to m - 1."""
    if tags is None:
        if names is None:
            return np.arange(m)
        warn_of_look_alike_names("PartialBits", names, "tags")
        return checked_tags(names)
    vector = checked_tags(tags)
    if names is not None and listed(vector) != names:
        raise CandidateError(
            f"PartialBits: tags are {preview(listed(vector))}, but the columns are named "
            f"{preview(names)}. Leave tags out, or select the columns in the order of tags."
        )
    if len(vector) != m:
        raise CandidateError(
            f"PartialBits: {len(vector)} tags were named for {m} columns. Name one each."
        )
    return vector


def _first_entry(bad: BoolArray) -> tuple[int, int]:
    row, column = np.argwhere(bad)[0].tolist()
    return row, column


def _column_name(names: list[Any] | None, column: int) -> str:
    return str(column) if names is None else repr(names[column])


def _frozen(array: AnyArray) -> AnyArray:
    """A read-only C-contiguous copy; the array itself if it is that already."""
    if array.flags.writeable or array.base is not None or not array.flags.c_contiguous:
        array = np.array(array, order="C")
        array.setflags(write=False)
    return array
