"""Inputs of any kind as rows in a file: paths, mapped arrays, arrays, folders of Parquet."""

import mmap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from disambig.exceptions import TableError
from disambig.notation import AnyArray
from disambig.storage.parquet import ParquetRows
from disambig.storage.rows import ArrayFile, bounds_of, store_rows

# What a chunk may take while it is copied.
_BYTES_PER_CHUNK = 2**24


@dataclass(frozen=True, eq=False)
class ArrayRows:
    """An array ``(n, d)`` of numbers, in memory or mapped, as a `RowSource`.

    Parameters
    ----------
    X : array
    """

    X: AnyArray

    @property
    def shape(self) -> tuple[int, int]:
        n, d = self.X.shape
        return n, d

    @property
    def dtype(self) -> Any:
        return np.dtype(np.float32 if self.X.dtype == np.float32 else np.float64)

    @property
    def columns(self) -> list[str] | None:
        return None

    def chunks(self, n_rows: int) -> Iterator[AnyArray]:
        """All rows in order; see `RowSource`."""
        for start, stop in pairwise(bounds_of(self.X.shape[0], n_rows)):
            yield np.array(self.X[start:stop], dtype=self.dtype, order="C")


def open_rows(X: Any, folder: str | Path, *, columns: Sequence[str] | None = None) -> ArrayFile:
    """Rows of which any can be read: the file itself if it is one, or a copy in a folder.

    Parameters
    ----------
    X : path, array, or sequence of paths
        A ``.npy`` file, or an array that `numpy.load` maps whole, is read where it is. A folder of
        Parquet files, Parquet files and other arrays are copied to ``inputs.npy``, a few rows at a
        time.
    folder : path
        For the copy; it must exist.
    columns : sequence of str, optional
        Of Parquet files; by default all.

    Raises
    ------
    TableError
        If X is something else, or cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     open_rows(np.eye(3), folder).rows(1, 2).tolist()
    [[0.0, 1.0, 0.0]]
    """
    if isinstance(X, (str, Path)) and Path(X).suffix == ".npy":
        return ArrayFile.open(X)
    if isinstance(X, np.ndarray):
        if X.ndim != 2 or X.dtype.kind not in "biuf":
            raise TableError(
                f"X: expected numbers, one line for each row and one column for each feature; got "
                f"shape {X.shape} of {X.dtype}."
            )
        whole = _whole_file(X)
        if whole is not None:
            return whole
        return _copied(ArrayRows(X), folder)
    is_paths = isinstance(X, (list, tuple)) and all(isinstance(path, (str, Path)) for path in X)
    if isinstance(X, (str, Path)) or is_paths:
        return _copied(ParquetRows.open(X, columns), folder)
    raise TableError(
        f"X: expected an array, a .npy file, or a folder of Parquet files; got {type(X).__name__}."
    )


def _whole_file(X: AnyArray) -> ArrayFile | None:
    """The ``.npy`` file that an array maps from its first row to its last; else None."""
    if not isinstance(X, np.memmap) or not isinstance(X.base, mmap.mmap) or X.filename is None:
        return None
    if Path(X.filename).suffix != ".npy":
        return None
    found = ArrayFile.open(X.filename)
    is_whole = found.shape == X.shape and found.stored == X.dtype.str
    # Changes of an array that was mapped copy-on-write are not in the file.
    return found if is_whole and X.mode != "c" else None


def _copied(source: Any, folder: str | Path) -> ArrayFile:
    n_rows = max(1, _BYTES_PER_CHUNK // (8 * max(1, source.shape[1])))
    return store_rows(source, Path(folder) / "inputs.npy", n_rows)
