"""Parquet, Arrow, Feather and JSON lines to a frame."""

import json
from typing import Any

import numpy as np

from disambig.exceptions import TableError
from disambig.notation import IntArray
from disambig.tables.source import Skip, Source, pandas, refuse_repeated, shown


def read_binary(data: bytes, format_: str, source: Source) -> Any:
    """The frame of a Parquet, Arrow or Feather file."""
    pandas()
    try:
        import pyarrow as pa
        from pyarrow import feather, parquet
    except ImportError as error:
        raise ImportError(
            "Parquet and Arrow files need pyarrow: pip install 'disambig[io]'."
        ) from error
    buffer = pa.BufferReader(data)
    try:
        if format_ == "parquet":
            file = parquet.ParquetFile(buffer)
            refuse_repeated(list(file.schema_arrow.names), source)
            table = file.read()
        elif format_ == "arrow stream":
            table = pa.ipc.open_stream(buffer).read_all()
        else:
            table = feather.read_table(buffer)
        # Damaged offsets of texts and lists would be followed outside of the memory.
        table.validate(full=True)
    except TableError:
        raise
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError) as error:
        reason = " ".join(str(error).split())[:120].rstrip(".")
        raise source.error(f"the {format_} file is damaged or incomplete: {reason}.") from None
    return arrow_frame(table, source)


def arrow_frame(table: Any, source: Source) -> Any:
    """The frame of an Arrow table with at least one row and one column.

    Parameters
    ----------
    table : pyarrow.Table
    source : Source
    """
    import pyarrow as pa

    names = list(table.schema.names)
    refuse_repeated(names, source)
    if not names or not table.num_rows:
        raise source.error(f"there are {table.num_rows} rows and {len(names)} columns.")
    try:
        # An index of pandas is a column like any other; integers beside nulls stay integers.
        return table.to_pandas(ignore_metadata=True, integer_object_nulls=True)
    except (pa.ArrowException, OSError, ValueError, TypeError) as error:
        raise source.error(f"holds values that pandas does not have: {error}.") from None


def looks_like_json(text: str) -> bool:
    """Whether a text begins with a JSON object, or with a list of them."""
    start = text.lstrip()[:4096]
    if start.startswith("["):
        return start[1:].lstrip().startswith("{")
    if not start.startswith("{"):
        return False
    rest = start[1:].lstrip()
    return rest.startswith(('"', "}"))


def read_json(text: str, source: Source, skip: Skip | None = None) -> tuple[Any, IntArray]:
    """The frame of JSON lines, or of one list of objects, and the line of each row.

    Lines that cannot be read are left out if there is `skip`, which gets their errors.
    """
    records: list[Any] = []
    lines: list[int] = []
    if text.lstrip().startswith("["):
        records, lines = _json_list(text, source)
    else:
        for line, part in enumerate(text.split("\n"), start=1):
            if not part.strip():
                continue
            try:
                records.append(_parsed(part, line, source))
            except TableError as error:
                if skip is None:
                    raise
                skip(error)
                continue
            lines.append(line)
    at = Source(source.name, np.array(lines, dtype=np.intp))
    for row, record in enumerate(records):
        if not isinstance(record, dict):
            raise at.error(f"holds {shown(record)} where a JSON object is expected.", row)
        for name, value in record.items():
            if isinstance(value, dict):
                raise at.error("holds an object inside an object; columns must be flat.", row, name)
    names = list(dict.fromkeys(name for record in records for name in record))
    refuse_repeated(names, source)
    if not records or not names:
        raise source.error(f"there are {len(records)} rows and {len(names)} columns.")
    columns = {}
    for name in names:
        column = np.empty(len(records), dtype=object)
        column[:] = [record.get(name) for record in records]
        columns[name] = column
    return pandas().DataFrame(columns), np.asarray(at.lines)


def _json_list(text: str, source: Source) -> tuple[list[Any], list[int]]:
    """The entries of a list, and the line at which each begins."""
    decoder = json.JSONDecoder(object_pairs_hook=_object)
    records: list[Any] = []
    lines: list[int] = []
    place, line, counted = text.index("[") + 1, 1, 0
    while True:
        while place < len(text) and text[place] in " \t\r\n,":
            place += 1
        line, counted = line + text.count("\n", counted, place), place
        if place >= len(text):
            raise source.error("the list of JSON objects is not closed.")
        if text[place] == "]":
            return records, lines
        try:
            record, place = decoder.raw_decode(text, place)
        except (RecursionError, ValueError) as error:
            at = Source(source.name, np.array([line]))
            raise at.error(f"is no valid JSON: {_reason(error)}.", 0) from None
        records.append(record)
        lines.append(line)


def _parsed(part: str, line: int, source: Source) -> Any:
    try:
        return json.loads(part, object_pairs_hook=_object)
    except (RecursionError, ValueError) as error:
        at = Source(source.name, np.array([line]))
        raise at.error(f"is no valid JSON: {_reason(error)}.", 0) from None


def _reason(error: Exception) -> str:
    return error.msg if isinstance(error, json.JSONDecodeError) else str(error) or "nested too deep"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {repeated!r} occurs twice")
    return found
