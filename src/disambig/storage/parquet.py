"""Folders of Parquet files, read in chunks of rows."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from disambig.exceptions import TableError
from disambig.notation import AnyArray


def load_pyarrow() -> Any:
    """Import pyarrow with its Parquet reader, or say how to install it."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError("Parquet files need pyarrow: pip install 'disambig[io]'.") from error
    return pyarrow


@dataclass(frozen=True)
class ParquetRows:
    """Columns of numbers in Parquet files, in the order of the files' names and of their rows.

    Only the chunk that is asked for is in memory, beside what pyarrow decodes at a time.

    Parameters
    ----------
    paths : tuple of str
    lengths : tuple of int
        Rows of each file.
    names : tuple of str
        The columns that are read.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for part in (0, 1):
    ...         frame = pd.DataFrame({"a": [part, part], "b": [0.5, 1.5], "y": ["u", "v"]})
    ...         frame.to_parquet(f"{folder}/part-{part}.parquet")
    ...     rows = ParquetRows.open(folder, ["a", "b"])
    ...     rows.shape, [chunk.tolist() for chunk in rows.chunks(3)]
    ((4, 2), [[[0.0, 0.5], [0.0, 1.5], [1.0, 0.5]], [[1.0, 1.5]]])
    """

    paths: tuple[str, ...]
    lengths: tuple[int, ...]
    names: tuple[str, ...]

    @classmethod
    def open(cls, source: Any, columns: Sequence[str] | None = None) -> "ParquetRows":
        """The Parquet files of a folder, or of a list of paths, after their columns were checked.

        Parameters
        ----------
        source : path of a folder or of a file, or sequence of paths
            Of a folder the files ``*.parquet`` are read, sorted by name.
        columns : sequence of str, optional
            By default all columns, which must be numbers.

        Raises
        ------
        TableError
            If there is no file, one cannot be read, or they disagree in columns or types.
        """
        parquet = load_pyarrow().parquet
        paths = parquet_paths(source)
        first: Any = None
        lengths: list[int] = []
        names: tuple[str, ...] = ()
        for path in paths:
            with reading_parquet(path):
                metadata = parquet.read_metadata(path)
                schema = metadata.schema.to_arrow_schema()
            if first is None:
                names = tuple(schema.names if columns is None else columns)
                first = path, _types(path, schema, names)
            elif (found := _types(path, schema, names)) != first[1]:
                other = next(name for name in names if found[name] != first[1][name])
                raise TableError(
                    f"{path.name}: the column {other!r} has the type {found[other]}, and in "
                    f"{first[0].name} it has {first[1][other]}. Give all files the same types."
                )
            elif columns is None and set(schema.names) != set(names):
                more = sorted(set(schema.names) - set(names))
                raise TableError(
                    f"{path.name}: there are columns {more} which {first[0].name} does not have. "
                    "Give all files the same columns, or name those to read."
                )
            lengths.append(int(metadata.num_rows))
        return cls(tuple(map(str, paths)), tuple(lengths), names)

    @property
    def shape(self) -> tuple[int, int]:
        return sum(self.lengths), len(self.names)

    @property
    def dtype(self) -> Any:
        return np.dtype(np.float64)

    @property
    def columns(self) -> list[str] | None:
        return list(self.names)

    def chunks(self, n_rows: int) -> Iterator[AnyArray]:
        """All rows in order, missing values as NaN; see `RowSource`."""
        held: list[AnyArray] = []
        size = 0
        for batch in self._batches(n_rows):
            while batch.shape[0]:
                taken = batch[: n_rows - size]
                held.append(taken)
                size += taken.shape[0]
                batch = batch[taken.shape[0] :]
                if size == n_rows:
                    yield held[0] if len(held) == 1 else np.concatenate(held)
                    held, size = [], 0
        if held:
            yield np.concatenate(held)

    def _batches(self, n_rows: int) -> Iterator[AnyArray]:
        pyarrow = load_pyarrow()
        for path in self.paths:
            with reading_parquet(Path(path)), pyarrow.parquet.ParquetFile(path) as file:
                for batch in file.iter_batches(n_rows, columns=list(self.names)):
                    yield self._as_array(batch)

    def _as_array(self, batch: Any) -> AnyArray:
        out = np.empty((batch.num_rows, len(self.names)))
        for place, name in enumerate(self.names):
            column = batch.column(batch.schema.get_field_index(name))
            out[:, place] = column.to_numpy(zero_copy_only=False).astype(np.float64)
        return out


def read_columns(source: Any, columns: Sequence[str]) -> Any:
    """Some columns of Parquet files of any types, all rows in memory, as a pandas frame.

    Parameters
    ----------
    source : path of a folder or of a file, or sequence of paths
    columns : sequence of str

    Raises
    ------
    TableError
        If a file cannot be read, or does not have one of the columns.
    """
    pyarrow = load_pyarrow()
    found = []
    for path in parquet_paths(source):
        with reading_parquet(path):
            names = list(pyarrow.parquet.read_schema(path).names)
            missing = [name for name in columns if name not in names]
            if not missing:
                found.append(pyarrow.parquet.read_table(path, columns=list(columns)).to_pandas())
        if missing:
            raise TableError(
                f"{path.name}: there is no column {missing[0]!r}; it has the columns {names}."
            )
    import pandas as pd

    return pd.concat(found, ignore_index=True)


def column_names(source: Any) -> list[str]:
    """The names of the columns of the first of some Parquet files.

    Parameters
    ----------
    source : path of a folder or of a file, or sequence of paths
    """
    path = parquet_paths(source)[0]
    with reading_parquet(path):
        return list(load_pyarrow().parquet.read_schema(path).names)


@contextmanager
def reading_parquet(path: Path) -> Iterator[None]:
    """Errors of pyarrow in the block become a `TableError` that names the file.

    Parameters
    ----------
    path : Path
    """
    try:
        yield
    except (load_pyarrow().ArrowException, OSError) as error:
        raise TableError(
            f"{path.name}: expected a whole Parquet file; pyarrow says: "
            f"{' '.join(str(error).split())[:120].rstrip('.')}."
        ) from None


def parquet_paths(source: Any) -> list[Path]:
    """The files of a folder, sorted by name, or those that are listed; raises if one is missing.

    Parameters
    ----------
    source : path of a folder or of a file, or sequence of paths
    """
    if isinstance(source, (str, Path)):
        root = Path(source)
        if root.is_dir():
            paths = sorted(root.glob("*.parquet"))
            if not paths:
                raise TableError(f"{root.name}: there is no file *.parquet in this folder.")
            return paths
        paths = [root]
    else:
        paths = [Path(path) for path in source]
    if not paths:
        raise TableError("Parquet files: expected at least one path; got none.")
    for path in paths:
        if not path.is_file():
            raise TableError(f"{path.name}: there is no such file; looked at {path}.")
    return paths


def _types(path: Path, schema: Any, names: Sequence[str]) -> dict[str, str]:
    """The types of the wanted columns, which must be there once each and be numbers."""
    types = load_pyarrow().types
    found = {}
    for name in names:
        count = list(schema.names).count(name)
        if count != 1:
            raise TableError(
                f"{path.name}: the column {name!r} is there {count} times; expected once. It has "
                f"the columns {list(schema.names)}."
            )
        kind = schema.field(name).type
        is_number = types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)
        if not is_number:
            raise TableError(
                f"{path.name}: the column {name!r} has the type {kind}; expected numbers. Name the "
                "columns to read, or convert it."
            )
        found[name] = str(kind)
    return found
