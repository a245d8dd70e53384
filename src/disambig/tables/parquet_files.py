"""Parquet files that are one table, of which a few rows or columns are in memory at a time."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from disambig.notation import IntArray
from disambig.storage.parquet import load_pyarrow, parquet_paths, reading_parquet
from disambig.tables.columnar import arrow_frame
from disambig.tables.reading import RawTable
from disambig.tables.source import Source, refuse_repeated

# Cells that are read at a time.
_CELLS = 2**21
_MARK = b"PAR1"


class FilePart(NamedTuple):
    """Some row groups of one file.

    Attributes
    ----------
    path : str
    groups : tuple of int
    first_row : int
        In the file.
    n_rows : int
    """

    path: str
    groups: tuple[int, ...]
    first_row: int
    n_rows: int


@dataclass(frozen=True)
class ParquetFiles:
    """Parquet files with the same columns, in the order of their rows.

    Parameters
    ----------
    paths : tuple of str
    lengths : tuple of int
        Rows of each file.
    names : tuple of str
        Of the columns.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for part in (0, 1):
    ...         frame = pd.DataFrame({"a": [part, part + 2], "y": ["u", "v"]})
    ...         frame.to_parquet(f"{folder}/part-{part}.parquet")
    ...     files = ParquetFiles.open(folder)
    ...     len(files), files.rows(np.array([1, 2])).frame["a"].tolist()
    (4, [2, 1])
    """

    paths: tuple[str, ...]
    lengths: tuple[int, ...]
    names: tuple[str, ...]

    @classmethod
    def open(cls, source: Any) -> "ParquetFiles":
        """The files of a folder or of a list, after their columns were compared.

        Parameters
        ----------
        source : path of a folder or of a file, or sequence of paths

        Raises
        ------
        TableError
            If a file is not there or no Parquet file, or they disagree in columns or types.
        """
        paths = parquet_paths(source)
        lengths, first = [], None
        for path in paths:
            with path.open("rb") as stream:
                if stream.read(4) != _MARK:
                    raise Source(path.name).error(
                        "is no Parquet file. What is read in chunks must be Parquet: write other "
                        "files by pandas.DataFrame.to_parquet, or fit them in memory."
                    )
            with reading_parquet(path):
                metadata = load_pyarrow().parquet.read_metadata(path)
                schema = metadata.schema.to_arrow_schema()
            refuse_repeated(list(schema.names), Source(path.name))
            types = {name: str(schema.field(name).type) for name in schema.names}
            first = first or (path.name, types)
            if (names := sorted(types)) != (others := sorted(first[1])):
                odd = sorted(set(names) ^ set(others))[0]
                has, lacks = (path.name, first[0]) if odd in types else (first[0], path.name)
                raise Source(lacks).error(
                    f"there is no column {odd!r}, which {has} has. Give all files the same columns."
                )
            for name, own in types.items():
                if own != first[1][name]:
                    raise Source(path.name).error(
                        f"the type is {own}, and in {first[0]} it is {first[1][name]}. Give all "
                        "files the same types.",
                        column=name,
                    )
            lengths.append(int(metadata.num_rows))
        assert first is not None
        if not sum(lengths):
            raise Source(paths[0].name).error("there are no rows.")
        return cls(tuple(str(path.resolve()) for path in paths), tuple(lengths), tuple(first[1]))

    def __len__(self) -> int:
        return sum(self.lengths)

    @property
    def source(self) -> Source:
        """For errors about rows of all files together."""
        more = len(self.paths) - 1
        name = Path(self.paths[0]).name
        return Source(f"{name} and {more} more files" if more else name)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of what the files say about their contents: their footers and sizes."""
        found = hashlib.sha256()
        for path in map(Path, self.paths):
            size = path.stat().st_size
            with path.open("rb") as stream:
                stream.seek(-8, 2)
                length = int.from_bytes(stream.read(4), "little")
                stream.seek(-8 - length, 2)
                found.update(f"{size} {length}".encode() + stream.read(length))
        return found.hexdigest()

    def columns(self, names: Sequence[str]) -> RawTable:
        """Some columns of all rows, in memory.

        Parameters
        ----------
        names : sequence of str
        """
        return self._table([part for _, part in self._batches(names)], self.source)

    def rows(self, rows: IntArray) -> RawTable:
        """Some rows in ascending order, with all columns, in memory.

        Parameters
        ----------
        rows : int array (k,)
        """
        found, start = [], 0
        for _, part in self._batches(self.names):
            first, last = np.searchsorted(rows, [start, start + part.num_rows])
            if last > first:
                found.append(part.take(rows[first:last] - start))
            start += part.num_rows
        return self._table(found, self.source)

    def chunks(self, names: Sequence[str]) -> Iterator[RawTable]:
        """All rows in order, a few at a time.

        Parameters
        ----------
        names : sequence of str
        """
        for source, part in self._batches(names):
            yield self._table([part], source)

    def parts(self, most: int) -> list[FilePart]:
        """The row groups of all files, about evenly in at most so many parts, or one a file.

        Parameters
        ----------
        most : int
        """
        wanted = max(1, len(self) // most)
        found = []
        for path in self.paths:
            metadata = load_pyarrow().parquet.read_metadata(path)
            groups: list[int] = []
            first_row = n_rows = 0
            for group in range(metadata.num_row_groups):
                groups.append(group)
                n_rows += metadata.row_group(group).num_rows
                if n_rows >= wanted or group == metadata.num_row_groups - 1:
                    found.append(FilePart(path, tuple(groups), first_row, n_rows))
                    first_row, n_rows, groups = first_row + n_rows, 0, []
        return [part for part in found if part.n_rows]

    def _batches(self, names: Sequence[str]) -> Iterator[tuple[Source, Any]]:
        n_rows = max(1, _CELLS // max(1, len(names)))
        for path in map(Path, self.paths):
            first_row = 0
            with reading_parquet(path), load_pyarrow().parquet.ParquetFile(path) as file:
                for batch in file.iter_batches(n_rows, columns=list(names)):
                    yield Source(path.name, None, first_row), batch
                    first_row += batch.num_rows

    def _table(self, parts: list[Any], source: Source) -> RawTable:
        with reading_parquet(Path(source.name or "")):
            table = load_pyarrow().Table.from_batches(parts)
            # Damaged offsets of texts and lists would be followed outside of the memory.
            table.validate(full=True)
        return RawTable(arrow_frame(table, source), source)


def part_rows(part: FilePart, names: Sequence[str]) -> RawTable:
    """The rows of some row groups.

    Parameters
    ----------
    part : FilePart
    names : sequence of str
        Of the columns to read.
    """
    path = Path(part.path)
    source = Source(path.name, None, part.first_row)
    with reading_parquet(path), load_pyarrow().parquet.ParquetFile(path) as file:
        table = file.read_row_groups(list(part.groups), columns=list(names))
        table.validate(full=True)
    return RawTable(arrow_frame(table, source), source)
