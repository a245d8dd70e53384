"""What is odd in a table: every place that cannot be read, and what the columns are taken for."""

import re
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from disambig.candidates import MeanBounds
from disambig.diagnosis import Report, diagnose
from disambig.exceptions import TableError
from disambig.frames import data_frame
from disambig.notation import AnyArray, IntArray
from disambig.table_models.columns import feature_names
from disambig.tables import RawTable, Table, load_table
from disambig.tables.contents import read_contents
from disambig.tables.reading import raw_table, read_rows

# Further problems are not listed, nor further lines of one; each different cell is a reading.
_MAX_PROBLEMS, _MAX_LINES, _MAX_ERRORS = 20, 6, 40
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")
_FILE_OPTIONS = ("sep", "encoding", "header")


@dataclass(frozen=True)
class Problem:
    """A place that cannot be read, and others that cannot for the same reason.

    Attributes
    ----------
    message : str
        Of the first place.
    line : int or None
        The line of the file, from 1 on; the row, from 0 on, where there are no lines.
    column : str or None
    count : int
        The number of places.
    lines : tuple of int
        The first of them.
    """

    message: str
    line: int | None
    column: str | None
    count: int = 1
    lines: tuple[int, ...] = ()

    @property
    def others(self) -> str:
        """A sentence about the further places; empty if there is none."""
        if self.count == 1:
            return ""
        more, named = self.count - 1, self.lines[1:]
        rest = f" and {more - len(named)} more" if more > len(named) else ""
        lines = f"line{'s' * (more > 1)} {', '.join(map(str, named))}{rest}" if named else ""
        places = f"{more} other place{'s' * (more > 1)}"
        return f"So in {places}: {lines}." if lines else f"So in {places}."


@dataclass(frozen=True, eq=False)
class CheckedTable:
    """What reading a table found.

    Attributes
    ----------
    table : Table or None
        The table without the places that cannot be read; None if nothing could be read.
    problems : tuple of Problem
    has_more : bool
        Whether there are more problems than are listed.
    """

    table: Table | None
    problems: tuple[Problem, ...]
    has_more: bool = False

    def columns(self) -> list[tuple[str, str, str]]:
        """Every column: its name, what it is used as, and why."""
        if self.table is None:
            return []
        plan, target = self.table.plan, self.table.target
        assert target is not None
        types = {column.name: column.type for column in plan.features.columns}
        kind = "tags" if target.kind == "bits" else target.kind
        found = []
        for name in self.table.frame.columns:
            if name in target.columns:
                found.append((str(name), f"target ({kind})", target.sentence))
            elif name == plan.id:
                found.append((str(name), "identifier", ""))
            elif name == plan.bags:
                found.append((str(name), "bag", ""))
            elif name in types:
                found.append((str(name), types[name], ""))
            else:
                why = plan.features.dropped.get(name, "left out by you")
                found.append((str(name), "dropped", why))
        return found

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        return {
            "problems": [asdict(problem) for problem in self.problems],
            "has_more": self.has_more,
            "rows": None if self.table is None else len(self.table),
            "notes": [] if self.table is None else list(self.table.notes),
            "columns": [
                {"column": name, "use": use, "why": why} for name, use, why in self.columns()
            ],
        }


def check_table(data: Any, target: Any = None, **options: Any) -> CheckedTable:
    r"""Read a table as `load_table` does, and list all places that cannot be read.

    After a problem its line or cell is left blank, and reading goes on.

    Parameters
    ----------
    data : path, "-", open file or frame
    target, **options
        As of `load_table`.

    Examples
    --------
    >>> import io
    >>> text = "size,label\n1,a\n2,a|b\nx,b\n4,b,c\n" + "5,b\n" * 40
    >>> found = check_table(io.StringIO(text), "label", types={"size": "number"})
    >>> [(problem.line, problem.column) for problem in found.problems]
    [(5, None), (4, 'size')]
    """
    problems = _Problems()
    reading = {name: options.pop(name) for name in _FILE_OPTIONS if name in options}
    raw = _lenient_table(data, problems, reading)
    while raw is not None:
        try:
            return CheckedTable(load_table(raw, target, **options), tuple(problems.found))
        except TableError as error:
            rows = _equal_cells(raw, error)
            problems.add(error, [error.line] if rows is None else _lines(raw, rows))
            if rows is None or not rows.size or problems.is_full:
                break
            _blank(raw, str(error.column), rows)
    return CheckedTable(None, tuple(problems.found), problems.is_full)


class _Problems:
    """Problems by column and reason."""

    def __init__(self) -> None:
        self._places: dict[tuple[str | None, str], Problem] = {}
        self._n_errors = 0

    @property
    def found(self) -> list[Problem]:
        return list(self._places.values())

    @property
    def is_full(self) -> bool:
        """Whether there are so many that reading does not go on."""
        return len(self._places) >= _MAX_PROBLEMS or self._n_errors >= _MAX_ERRORS

    def skip(self, error: TableError) -> None:
        """Add the error of a row."""
        self.add(error, [error.line], is_row=True)

    def add(self, error: TableError, lines: list[Any], is_row: bool = False) -> None:
        """Add an error about some lines, or rows of a frame."""
        # Rows are read at once, and cells one reading each.
        self._n_errors += not is_row
        known = [int(line) for line in lines if line is not None]
        # Errors of one kind differ in what they quote, and in the place.
        key = (error.column, _QUOTED.sub("_", str(error)))
        if key in self._places:
            old = self._places[key]
            joined = (*old.lines, *known)[:_MAX_LINES]
            self._places[key] = replace(old, count=old.count + len(known), lines=joined)
        elif len(self._places) < _MAX_PROBLEMS:
            count, first = max(len(known), 1), tuple(known[:_MAX_LINES])
            self._places[key] = Problem(str(error), error.line, error.column, count, first)


def _lenient_table(data: Any, problems: _Problems, reading: dict[str, Any]) -> RawTable | None:
    """The cells of a table, without the rows that cannot be read."""
    is_file = not (isinstance(data, RawTable) or hasattr(data, "columns"))
    try:
        if not is_file or hasattr(data, "to_pandas"):
            found = raw_table(data, **reading)
            return RawTable(found.frame.copy(), found.source, found.notes)
        contents = read_contents(data)
    except TableError as error:
        problems.add(error, [error.line])
        return None
    payload = contents.data
    while not problems.is_full:
        rows: list[TableError] = []
        try:
            found = read_rows(_Named(payload, contents.source.name), skip=rows.append, **reading)
        except TableError as error:
            for row in rows:
                problems.skip(row)
            # That no row is left follows from the others.
            if error.line is not None or not rows:
                problems.add(error, [error.line])
            payload = _without_odd_signs(payload, error.line)
            if payload is None:
                return None
        else:
            for row in rows:
                problems.skip(row)
            return found
    return None


class _Named:
    """The bytes of a file, with its name for errors."""

    def __init__(self, data: Any, name: str | None) -> None:
        self._data = data
        self.name = name

    def read(self, size: int = -1) -> Any:
        """All that is left, once."""
        data, self._data = self._data, self._data[:0]
        return data


def _without_odd_signs(payload: Any, line: int | None) -> Any:
    """A text with plain signs alone in a line; None if that changes nothing.

    Quotation marks and separators stay, so that the lines after it are read as before.
    """
    is_bytes = isinstance(payload, bytes)
    if line is None or (is_bytes and b"\0" in payload[:1000]):
        # Of two bytes a character: lines cannot be separated here.
        return None
    ends = re.compile(rb"\r\n|\r|\n" if is_bytes else "\r\n|\r|\n")
    starts = [0, *(found.end() for found in ends.finditer(payload)), len(payload)]
    if not 1 <= line < len(starts):
        return None
    start, end = starts[line - 1], starts[line]
    odd: Any = re.compile(rb"[^\t\r\n -~]" if is_bytes else "[^\t\r\n -~]")
    changed = payload[:start] + odd.sub(b"?" if is_bytes else "?", payload[start:end])
    return None if changed == payload[:end] else changed + payload[end:]


def _equal_cells(raw: RawTable, error: TableError) -> IntArray | None:
    """The rows that have the cell of an error in its column; None if it names no cell.

    Empty if the cell is blank already.
    """
    if error.line is None or error.column is None:
        return None
    names = [name for name in raw.frame.columns if str(name) == error.column]
    lines = raw.source.lines
    rows = [error.line] if lines is None else np.flatnonzero(np.asarray(lines) == error.line)
    if len(names) != 1 or len(rows) != 1 or not 0 <= rows[0] < len(raw.frame):
        return None
    cells = raw.frame[names[0]].astype(object)
    cell = cells.iloc[int(rows[0])]
    if isinstance(cell, str):
        return np.zeros(0, np.intp) if not cell else np.flatnonzero((cells == cell).to_numpy())
    return np.asarray(rows, dtype=np.intp)


def _lines(raw: RawTable, rows: IntArray) -> list[int]:
    lines = raw.source.lines
    found: list[int] = (rows if lines is None else np.asarray(lines)[rows]).tolist()
    return found


def _blank(raw: RawTable, column: str, rows: IntArray) -> None:
    """Leave cells blank."""
    name = next(name for name in raw.frame.columns if str(name) == column)
    cells = raw.frame[name].astype(object)
    cells.iloc[rows] = ""
    raw.frame[name] = cells


def diagnose_table(table: Table, *, ignore: Any = (), fast: bool = False) -> Report:
    """`disambig.diagnose` for a table: features are preprocessed, and have the table's names.

    The text calls rows by their identifiers or by the lines of the file, if there are any.

    Parameters
    ----------
    table : Table
    ignore, fast
        As of `diagnose`.
    """
    from sklearn.pipeline import Pipeline

    features = table.make_preprocessor()
    inputs = np.asarray(features.fit_transform(table.X))
    names = feature_names(Pipeline([("features", features)]), table.plan)
    columns = {f"{name}": inputs[:, k] for k, name in enumerate(_distinct(names.tolist()))}
    # Means of bags are not checked; the intervals of the rows are.
    means = isinstance(table.candidates, MeanBounds)
    candidates = table.candidates.sets if means else table.candidates
    found = diagnose(data_frame(columns), candidates, ignore=ignore, fast=fast)
    if table.ids is not None:
        return replace(found, names=_objects(table.ids), names_are=f"Rows by {table.plan.id}")
    lines = table.source.lines
    return found if lines is None else replace(found, names=np.asarray(lines), names_are="Lines")


def _objects(ids: Any) -> AnyArray:
    """Identifiers as texts, as labels files have them."""
    return np.array([str(one) for one in ids.tolist()], dtype=object)


def _distinct(names: list[str]) -> list[str]:
    """Names that differ: the columns of one text have numbers."""
    counts: dict[str, int] = {}
    found = []
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        found.append(name if counts[name] == 1 else f"{name} {counts[name]}")
    return found
