"""`read_table`: a file becomes a frame in which nothing was interpreted yet."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from disambig.parameters import check_flag
from disambig.tables.columnar import looks_like_json, read_binary, read_json
from disambig.tables.contents import Contents, read_contents
from disambig.tables.delimited import decoded, read_delimited
from disambig.tables.source import Skip, Source, as_frame

_USUAL: dict[str, Any] = {"sep": None, "encoding": None, "header": True}
_JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")


@dataclass(frozen=True, eq=False, repr=False)
class RawTable:
    r"""Rows as they were written, and where they come from.

    Attributes
    ----------
    frame : pandas.DataFrame (n, columns)
        Cells of text files are texts, also numbers and blanks: "007", "1,200" and "NA" are kept.
    source : Source
        For errors: ``source.error(message, row, column)`` names the file and the line.
    notes : tuple of str
        Sentences about what was guessed or skipped.
    origin : dict or None
        The file with its whole path, and the options by which it was read; None for frames and
        open files.

    Examples
    --------
    >>> import io
    >>> table = read_table(io.StringIO("id;label\n007;a|b\n008;a\n"))
    >>> table
    RawTable(2 rows, 2 columns, from the given buffer)
    >>> table.frame["id"].tolist()
    ['007', '008']
    """

    frame: Any
    source: Source
    notes: tuple[str, ...] = ()
    origin: dict[str, Any] | None = None

    def __repr__(self) -> str:
        rows, columns = self.frame.shape
        origin = "a frame" if self.source.name is None else self.source.name
        return f"RawTable({rows} rows, {columns} columns, from {origin})"


def read_table(
    path: Any, *, sep: str | None = None, encoding: str | None = None, header: bool = True
) -> RawTable:
    r"""Read a file: CSV, TSV, JSON lines, Parquet, Arrow or Feather, plain or packed by gzip.

    The contents say which of them it is, not the name. Nothing is interpreted: the cells of text
    files stay texts. What cannot be read raises a `TableError` of one line with file and line.

    Parameters
    ----------
    path : str, path, or object with ``read``
        "-" is the standard input.
    sep : str, optional
        The separator of a text file, one character or "tab"; guessed from the first lines.
    encoding : str, optional
        The encoding of a text file. Without it: by the byte order mark, else UTF-8, else
        Windows-1252, which a note says.
    header : bool, default True
        Whether the first line has the names of the columns; without it they are "column 1", ...

    Returns
    -------
    RawTable

    Examples
    --------
    >>> import io
    >>> table = read_table(io.StringIO("size,label\n1.5,cat|dog\n2.5,cat\n"))
    >>> table.frame["label"].tolist()
    ['cat|dog', 'cat']
    >>> read_table(io.StringIO("a,b\n1,2\n3\n"))
    Traceback (most recent call last):
        ...
    disambig.exceptions.TableError: the given buffer, line 3: 1 field, expected 2 as in ...
    """
    return read_rows(path, sep=sep, encoding=encoding, header=header)


def read_rows(
    path: Any,
    *,
    sep: str | None = None,
    encoding: str | None = None,
    header: bool = True,
    skip: Skip | None = None,
) -> RawTable:
    """`read_table`, which may leave out rows that cannot be read.

    Parameters
    ----------
    path, sep, encoding, header
        As of `read_table`.
    skip : callable, optional
        Called with the error of each such row; by default it is raised.
    """
    check_flag("read_table", "header", header)
    contents = read_contents(path)
    options = {"sep": sep, "encoding": encoding, "header": header}
    if contents.format != "text":
        if isinstance(contents.data, str):
            raise AssertionError("text is no binary format")
        unused = [name for name, usual in _USUAL.items() if options[name] != usual]
        if unused:
            raise contents.source.error(
                f"{unused[0]}= is for text files; this is a {contents.format} file."
            )
        frame = read_binary(contents.data, contents.format, contents.source)
        found = RawTable(frame, contents.source)
    else:
        found = _read_text(contents, sep, encoding, header, skip)
    if not isinstance(path, (str, os.PathLike)) or path == "-":
        return found
    return replace(found, origin={"file": str(Path(path).resolve()), **options})


def _read_text(
    contents: Contents, sep: str | None, encoding: str | None, header: bool, skip: Skip | None
) -> RawTable:
    source = contents.source
    text, notes = decoded(contents.data, encoding, source)
    if not text.strip():
        raise source.error("the file is empty.")
    if sep is None and (contents.suffix in _JSON_SUFFIXES or looks_like_json(text)):
        frame, lines = read_json(text, source, skip)
        return RawTable(frame, Source(source.name, lines), notes)
    table = read_delimited(text, sep, header, source, skip)
    return RawTable(table.frame, Source(source.name, table.lines), (*notes, *table.notes))


def raw_table(data: Any, **options: Any) -> RawTable:
    """`data` as a raw table: a file, a frame, or a raw table itself.

    Examples
    --------
    >>> import pandas as pd
    >>> raw_table(pd.DataFrame({"a": [1, 2]}))
    RawTable(2 rows, 1 columns, from a frame)
    """
    if isinstance(data, RawTable):
        return data
    if hasattr(data, "columns") or hasattr(data, "to_pandas"):
        frame = as_frame(data)
        if not len(frame) or not frame.shape[1]:
            raise Source().error(f"there are {len(frame)} rows and {frame.shape[1]} columns.")
        return RawTable(frame, Source())
    return read_table(data, **options)
