"""Text to a frame of texts: encodings, separators, quotes, and the lines of rows."""

import csv
import io
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from disambig.exceptions import TableError
from disambig.notation import AnyArray, IntArray
from disambig.tables.source import Skip, Source, pandas, refuse_repeated

SEPARATORS = (",", "\t", ";", "|")
_NAMED_SEPARATORS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}
_SAMPLE_ROWS = 100

# The longest first: the mark of UTF-32 begins with that of UTF-16.
_BYTE_ORDER_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")
_EXCEL_SEPARATOR = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)
_MAX_SHOWN = 5


class Text(NamedTuple):
    """Decoded text, and a sentence about the encoding if it had to be guessed."""

    text: str
    notes: tuple[str, ...]


def decoded(data: bytes | str, encoding: str | None, source: Source) -> Text:
    """The text of the bytes; raises if they are no text."""
    notes: tuple[str, ...] = ()
    if isinstance(data, str):
        text, notes = data.removeprefix("\ufeff"), ()
    elif encoding is not None:
        text, notes = _decoded_as(data, encoding, source), ()
    else:
        text, notes = _guessed_encoding(data, source)
    # DOS programs end a text with this character.
    text = text.removesuffix("\x1a")
    if found := _CONTROL.search(text):
        raise _at(source, text[: found.start()]).error(
            f"holds the control character {ord(found[0]):#04x}; this is no text file, or not in "
            f"this encoding.",
            0,
        )
    return Text(text, notes)


def _at(source: Source, before: str) -> Source:
    """A source whose row 0 is at the line that follows this text."""
    line = 1 + before.count("\n") + before.replace("\r\n", "\n").count("\r")
    return Source(source.name, np.array([line]))


def _decoded_as(data: bytes, encoding: str, source: Source) -> str:
    if not isinstance(encoding, str):
        raise source.error(f"encoding must be a text such as 'utf-8'; got {encoding!r:.80}.")
    try:
        # A byte order mark is no part of the text.
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = _replaced(data[: error.start], encoding)
        raise _at(source, before).error(
            f"the byte {data[error.start]:#04x} is not valid in {encoding}. Pass another "
            f"encoding=.",
            0,
        ) from None
    except (LookupError, ValueError):
        raise source.error(f"encoding={encoding!r} is not known. Try 'utf-8'.") from None


def _replaced(data: bytes, encoding: str) -> str:
    """The text of bytes that are valid so far, to count its lines."""
    try:
        return data.decode(encoding, errors="replace")
    except UnicodeError:
        # Not every codec can replace what it does not know.
        return data.decode("latin-1")


def _guessed_encoding(data: bytes, source: Source) -> tuple[str, tuple[str, ...]]:
    for mark, name in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _decoded_as(data, name, source), ()
    start = data[:4096]
    zeros = (start[0::2].count(0), start[1::2].count(0))
    if max(zeros) > 0.3 * len(start) / 2 and min(zeros) < 0.05 * len(start) / 2:
        name = "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"
        return _decoded_as(data, name, source), (f"Read as {name.upper()}, by its zero bytes.",)
    try:
        return data.decode("utf-8"), ()
    except UnicodeDecodeError as error:
        replaced = data.decode("utf-8", errors="replace")
        at = _at(source, data[: error.start].decode("utf-8", errors="replace"))
        invalid = replaced.count("\ufffd")
        valid = sum(1 for sign in replaced if sign > "\x7f") - invalid
        if valid > invalid:
            raise at.error(
                f"the byte {data[error.start]:#04x} is not UTF-8, while others are. Correct the "
                f"line, or pass encoding=.",
                0,
            ) from None
    for name in ("cp1252", "latin-1"):
        try:
            text = data.decode(name)
        except UnicodeDecodeError:
            continue
        sentence = (
            f"Not UTF-8 (first at {at.where(0)}); read as {name}: pass encoding= if it is another."
        )
        return text, (sentence,)
    raise AssertionError("latin-1 decodes every byte")


class TextTable(NamedTuple):
    """A frame of texts, the line of each row, and sentences about what was guessed."""

    frame: Any
    lines: IntArray
    notes: tuple[str, ...]


def read_delimited(
    text: str, sep: str | None, header: bool, source: Source, skip: Skip | None = None
) -> TextTable:
    """Read rows of fields; every cell stays the text that it is.

    Rows that cannot be read are left out if there is `skip`, which gets their errors.
    """
    skipped = 0
    if found := _EXCEL_SEPARATOR.match(text):
        # Excel's own way to name the separator.
        sep, skipped = sep or found[1], 1
    separator = _checked_separator(sep, source) or guessed_separator(text)
    records = _records(text, separator, skipped, source, skip)
    first = next(records, None)
    if first is None:
        raise source.error("the file has no line with text.")
    names, notes = _names(first, header, separator, source)
    rows, lines, blank = [], [], 0
    if not header:
        rows, lines = [first[1]], [first[0]]
    for line, row in records:
        if len(row) == len(names):
            rows.append(row)
            lines.append(line)
        elif not any(map(str.strip, row)) and len(row) <= 1:
            blank += 1
        else:
            _refuse(_ragged(row, line, len(names), separator, sep is None, source), skip)
    if not rows:
        raise source.error("there is a line of column names and no row.")
    values = np.array(rows, dtype=object)
    values, names = _without_last_separator(values, names, header)
    refuse_repeated(names, Source(source.name, np.array([first[0]])))
    if blank:
        notes.append(f"{blank} blank line{'s were' if blank > 1 else ' was'} skipped.")
    frame = pandas().DataFrame(values, columns=names, dtype=object)
    return TextTable(frame, np.array(lines, dtype=np.intp), tuple(notes))


def _checked_separator(sep: Any, source: Source) -> str | None:
    if sep is None:
        return None
    sep = _NAMED_SEPARATORS.get(sep, sep) if isinstance(sep, str) else sep
    if not isinstance(sep, str) or len(sep) != 1 or sep in '"\r\n':
        raise source.error(f"sep must be one character, such as ',' or ';', or 'tab'; got {sep!r}.")
    return sep


def guessed_separator(text: str) -> str:
    r"""The separator with which the first rows have as many fields as the first one, and the most.

    Examples
    --------
    >>> guessed_separator("size;label\n1,5;a|b\n2,5;a\n")
    ';'
    """
    best, chosen = (0.0, 0), SEPARATORS[0]
    for separator in SEPARATORS:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        try:
            counts = [len(row) for row in islice(reader, _SAMPLE_ROWS) if row]
        except csv.Error:
            continue
        if not counts:
            continue
        share = sum(count == counts[0] for count in counts) / len(counts)
        # Rows that agree on several fields first; then a single column.
        score = (share if counts[0] > 1 else share - 1.0, counts[0])
        if score > best or best == (0.0, 0):
            best, chosen = score, separator
    return chosen


def _records(
    text: str, separator: str, skipped: int, source: Source, skip: Skip | None
) -> Iterator[tuple[int, list[str]]]:
    """The line at which each record begins, and its fields; blank lines are empty records."""
    stream = io.StringIO(text, newline="")
    for _ in range(skipped):
        stream.readline()
    reader = csv.reader(stream, delimiter=separator, strict=True)
    line = 1 + skipped
    started = False
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            # The reader goes on with the line after the one that it has stopped at.
            _refuse(_bad_quotes(str(error), line, source), skip)
            line = reader.line_num + 1 + skipped
            continue
        if row is None:
            return
        if started or any(map(str.strip, row)):
            started = True
            yield line, row
        line = reader.line_num + 1 + skipped


def _bad_quotes(reason: str, line: int, source: Source) -> TableError:
    if "field larger" in reason:
        reason = f"{reason}; a quotation mark may not be closed"
    elif "unexpected end" in reason:
        reason = "a quotation mark is opened and never closed"
    return Source(source.name, np.array([line])).error(f"{reason}.", 0)


def _refuse(error: TableError, skip: Skip | None) -> None:
    if skip is None:
        raise error from None
    skip(error)


def _ragged(
    row: list[str], line: int, expected: int, separator: str, guessed: bool, source: Source
) -> TableError:
    guess = ", which was guessed" if guessed else ""
    fields = "field" if len(row) == 1 else "fields"
    return Source(source.name, np.array([line])).error(
        f"{len(row)} {fields}, expected {expected} as in the first line (separator "
        f"{separator!r}{guess}). Quote fields that hold the separator, or pass sep=.",
        0,
    )


def _names(
    first: tuple[int, list[str]], header: bool, separator: str, source: Source
) -> tuple[list[str], list[str]]:
    """The names of the columns, and sentences about them."""
    line, cells = first
    if not header:
        return [f"column {place}" for place in range(1, len(cells) + 1)], []
    names = [" ".join(cell.split()) for cell in cells]
    if _are_values(names):
        raise Source(source.name, np.array([line])).error(
            f"holds the numbers {', '.join(names[:3])} where column names are expected. Pass "
            f"header=False if the file has no line of names.",
            0,
        )
    empty = [place for place, name in enumerate(names) if not name]
    # A separator at the end of the line is no column: see `_without_last_separator`.
    inner = [place for place in empty if place < len(names) - 1]
    for place in empty:
        names[place] = f"column {place + 1}"
    notes = [f"Column {place + 1} has no name; it is called {names[place]!r}." for place in inner]
    return names, notes[:_MAX_SHOWN]


def _are_values(names: list[str]) -> bool:
    """Whether all names are numbers, other than those that a frame without names gets."""
    try:
        numbers = [float(name) for name in names]
    except ValueError:
        return False
    k = len(numbers)
    return numbers not in ([*range(k)], [*range(1, k + 1)])


def _without_last_separator(
    values: AnyArray, names: list[str], header: bool
) -> tuple[AnyArray, list[str]]:
    """Leave out an empty last column, which a separator at the end of every line makes."""
    unnamed = names[-1] == f"column {len(names)}"
    if header and len(names) > 1 and unnamed and not any(cell.strip() for cell in values[:, -1]):
        return values[:, :-1], names[:-1]
    return values, names
