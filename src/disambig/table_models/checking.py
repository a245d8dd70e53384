"""What is odd in a table: every place that cannot be read, and what the columns are taken for."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.diagnosis import Report, diagnose
from disambig.exceptions import TableError
from disambig.frames import data_frame
from disambig.table_models.columns import feature_names
from disambig.tables import RawTable, Table, load_table
from disambig.tables.contents import read_contents
from disambig.tables.reading import raw_table, read_table

# Further problems are not listed: they are probably of one kind.
_MAX_PROBLEMS = 20
_FILE_OPTIONS = ("sep", "encoding", "header")


@dataclass(frozen=True)
class Problem:
    """A place that cannot be read.

    Attributes
    ----------
    message : str
    line : int or None
    column : str or None
    """

    message: str
    line: int | None
    column: str | None


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
        found = []
        for name in self.table.frame.columns:
            if name in target.columns:
                found.append((str(name), f"target ({target.kind})", target.sentence))
            elif name == plan.id:
                found.append((str(name), "identifier", ""))
            elif name in types:
                found.append((str(name), types[name], ""))
            else:
                found.append((str(name), "dropped", plan.features.dropped.get(name, "not chosen")))
        return found

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        return {
            "problems": [vars(problem) for problem in self.problems],
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
    problems: list[Problem] = []
    reading = {name: options.pop(name) for name in _FILE_OPTIONS if name in options}
    raw = _lenient_table(data, problems, reading)
    while raw is not None:
        try:
            return CheckedTable(load_table(raw, target, **options), tuple(problems))
        except TableError as error:
            is_known = not _add(problems, error)
            if is_known or len(problems) >= _MAX_PROBLEMS or not _blank_cell(raw, error):
                break
    return CheckedTable(None, tuple(problems), len(problems) >= _MAX_PROBLEMS)


def _add(problems: list[Problem], error: TableError) -> bool:
    """Add a problem; False if it is there already."""
    problem = Problem(str(error), error.line, error.column)
    is_new = problem not in problems
    if is_new:
        problems.append(problem)
    return is_new


def _lenient_table(data: Any, problems: list[Problem], reading: dict[str, Any]) -> RawTable | None:
    """The cells of a table, without the lines that have another number of fields."""
    is_file = not (isinstance(data, RawTable) or hasattr(data, "columns"))
    try:
        if not is_file or hasattr(data, "to_pandas"):
            found = raw_table(data, **reading)
            return RawTable(found.frame.copy(), found.source, found.notes)
        contents = read_contents(data)
    except TableError as error:
        _add(problems, error)
        return None
    payload = contents.data
    while True:
        try:
            return read_table(_Named(payload, contents.source.name), **reading)
        except TableError as error:
            is_known = not _add(problems, error)
            shorter = _without_line(payload, error.line)
            if is_known or shorter is None or len(problems) >= _MAX_PROBLEMS:
                return None
            payload = shorter


class _Named:
    """The bytes of a file, with its name for errors."""

    def __init__(self, data: Any, name: str | None) -> None:
        self._data = data
        self.name = name

    def read(self, size: int = -1) -> Any:
        """All that is left, once."""
        data, self._data = self._data, self._data[:0]
        return data


def _without_line(payload: Any, line: int | None) -> Any:
    """A text in which a line is blank, so that those after it keep their numbers."""
    if line is None:
        return None
    is_bytes = isinstance(payload, bytes)
    if is_bytes and b"\0" in payload[:1000]:
        # Of two bytes a character: lines cannot be separated here.
        return None
    lines = payload.splitlines(keepends=True)
    # The header must stay.
    if not 2 <= line <= len(lines):
        return None
    lines[line - 1] = b"\n" if is_bytes else "\n"
    return (b"" if is_bytes else "").join(lines)


def _blank_cell(raw: RawTable, error: TableError) -> bool:
    """Leave a cell blank; False if the error does not name one, or it is blank already."""
    if error.line is None or error.column is None:
        return False
    names = [name for name in raw.frame.columns if str(name) == error.column]
    lines = raw.source.lines
    rows = [error.line] if lines is None else np.flatnonzero(np.asarray(lines) == error.line)
    if len(names) != 1 or len(rows) != 1 or not 0 <= rows[0] < len(raw.frame):
        return False
    column = raw.frame[names[0]].astype(object)
    column.iloc[int(rows[0])] = ""
    raw.frame[names[0]] = column
    return True


def diagnose_table(table: Table, *, ignore: Any = (), fast: bool = False) -> Report:
    """`disambig.diagnose` for a table: features are preprocessed, and have the table's names.

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
    return diagnose(data_frame(columns), table.candidates, ignore=ignore, fast=fast)


def _distinct(names: list[str]) -> list[str]:
    """Names that differ: the columns of one text have numbers."""
    counts: dict[str, int] = {}
    found = []
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        found.append(name if counts[name] == 1 else f"{name} {counts[name]}")
    return found
