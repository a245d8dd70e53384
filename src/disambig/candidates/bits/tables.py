"""Read and check tables of bits in which some entries are not known.

NaN means not known. In some tables -1 means that too, in others 0 does and -1 is a known 0.
The caller says which by `zero`; it is never guessed.
"""

from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from disambig.candidates.labels.classes import listed, preview
from disambig.candidates.protocol import Candidates
from disambig.candidates.reading import is_missing
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray

UNKNOWN = -1
"""The entry of a table of bits where the bit is not known."""

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


def parse_bits(y: Any, tags: Any, zero: str | None) -> BitTable:
    """Read a table of numbers; NaN, None and the NA of a frame mean not known."""
    if zero is not None and zero not in _MEANINGS_OF_ZERO:
        raise CandidateError(
            f"PartialBits: zero must be 'absent' (0 is a known 0, -1 not known) or 'unknown' "
            f"(0 is not known, -1 a known 0); got {zero!r}."
        )
    values, names = _table(y)
    numbers = _numbers(values, names)
    negative = numbers == -1.0
    if zero is None and negative.any():
        row, column = _first_entry(negative)
        raise CandidateError(
            f"PartialBits: row {row}, column {_column_name(names, column)} holds -1, and it is "
            f"unclear whether -1 or 0 means not known. Pass zero='absent' (0 is a known 0, -1 not "
            f"known) or zero='unknown' (0 is not known, -1 a known 0)."
        )
    bits = np.full(numbers.shape, UNKNOWN, dtype=np.int8)
    bits[numbers == 1.0] = 1
    bits[negative if zero == "unknown" else numbers == 0.0] = 0
    return BitTable(bits, _tags_of(tags, names, numbers.shape[1]))


def checked_bits(bits: Any, tags: Any) -> BitTable:
    """Read-only copies of bits and tags; raises unless they fit together."""
    table = np.asarray(bits)
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
    vector = np.asarray(tags)
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


def _table(y: Any) -> tuple[AnyArray, list[Any] | None]:
    """The ``(n, m)`` values of `y` and the names of its columns, None if it has none."""
    if y is None:
        raise CandidateError("PartialBits requires y to be passed, but the target y is None.")
    if isinstance(y, Candidates):
        raise CandidateError(
            f"PartialBits: got {type(y).__name__}, which is another kind of candidates. Pass a "
            f"table of bits or a PartialBits."
        )
    names = list(y.columns) if hasattr(y, "columns") and hasattr(y, "to_numpy") else None
    try:
        values = np.asarray(y.toarray() if sparse.issparse(y) else y)
    except ValueError as error:
        raise CandidateError(
            "PartialBits: rows must have the same length, one entry per tag; these do not."
        ) from error
    if isinstance(y, np.ma.MaskedArray):
        # Masked entries are not known.
        values = values.astype(object)
        values[np.ma.getmaskarray(y)] = None
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or 0 in values.shape:
        raise CandidateError(
            f"PartialBits: expected a table of shape (n, m), one column per tag, at least one "
            f"row and one column; got shape {values.shape}."
        )
    return values, None if names == list(range(values.shape[1])) else names


def _numbers(values: AnyArray, names: list[Any] | None) -> AnyArray:
    """The values as floats 1, 0, -1 and NaN, ``(n, m)``; raises at others."""
    remedy = "Bits are 1 and 0 (or -1, see zero=), NaN for what is not known."
    if values.dtype.kind in "biuf":
        numbers = values.astype(np.float64)
    else:
        flat = values.ravel().tolist()
        good = [is_missing(v) or isinstance(v, (Real, np.bool_)) for v in flat]
        refuse_bits(~np.array(good).reshape(values.shape), values, names, remedy)
        numbers = np.array([np.nan if is_missing(v) else float(v) for v in flat])
        numbers = numbers.reshape(values.shape)
    valid = np.isnan(numbers) | (numbers == 1.0) | (numbers == 0.0) | (numbers == -1.0)
    refuse_bits(~valid, values, names, remedy)
    return numbers


def _tags_of(tags: Any, names: list[Any] | None, m: int) -> AnyArray:
    """The named tags, else the names of the columns, else 0 to m - 1."""
    if tags is None:
        return np.arange(m) if names is None else checked_tags(names)
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
