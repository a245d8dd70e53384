"""Inputs in files, read a few rows at a time.

Arrays in ``.npy`` files are opened anew for each read and closed after it. Pages of a file that
stay mapped would count as memory of the process.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.lib import format as npy_format

from disambig.atomic import atomic_write
from disambig.exceptions import TableError
from disambig.notation import AnyArray


class RowSource(Protocol):
    """Inputs ``(n, d)`` that are read in chunks of rows, in order, as often as wanted."""

    @property
    def shape(self) -> tuple[int, int]:
        """``(n, d)``."""
        ...

    @property
    def dtype(self) -> Any:
        """float64 or float32."""
        ...

    @property
    def columns(self) -> list[str] | None:
        """Names of the columns; None if they have none."""
        ...

    def chunks(self, n_rows: int) -> Iterator[AnyArray]:
        """All rows in order, in C-ordered arrays of at most `n_rows` rows."""
        ...


@dataclass(frozen=True)
class ArrayFile:
    """A two-dimensional array of numbers in a ``.npy`` file, of which any rows can be read.

    Parameters
    ----------
    path : str
    shape : tuple of int, (n, d)
    stored : str
        The dtype in the file; integers and booleans are read as float64.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(folder + "/X.npy", np.arange(6).reshape(3, 2))
    ...     rows = ArrayFile.open(folder + "/X.npy")
    ...     rows.shape, rows.rows(1, 3).tolist()
    ((3, 2), [[2.0, 3.0], [4.0, 5.0]])
    """

    path: str
    shape: tuple[int, int]
    stored: str

    @classmethod
    def open(cls, path: str | Path) -> "ArrayFile":
        """The array in a file, after its header and its length have been checked.

        Raises
        ------
        TableError
            If the file is no ``.npy`` file of a matrix of numbers, or is not whole.
        """
        path = Path(path)
        try:
            mapped = np.load(path, mmap_mode="r", allow_pickle=False)
        except FileNotFoundError:
            raise
        except (ValueError, OSError, EOFError) as error:
            raise TableError(
                f"{path.name}: expected a whole .npy file with a matrix of numbers; numpy says: "
                f"{str(error).rstrip('.')}. Write it anew with numpy.save."
            ) from None
        if not isinstance(mapped, np.ndarray) or mapped.ndim != 2:
            raise TableError(
                f"{path.name}: expected an array with one line for each row and one column for "
                f"each feature; got shape {getattr(mapped, 'shape', None)}."
            )
        if mapped.dtype.kind not in "biuf" or mapped.dtype.itemsize > 8:
            raise TableError(
                f"{path.name}: expected numbers in single or double precision; got dtype "
                f"{mapped.dtype}. Convert it with X.astype(float)."
            )
        n, d = mapped.shape
        return cls(str(path.resolve()), (n, d), mapped.dtype.str)

    @property
    def dtype(self) -> Any:
        return np.dtype(np.float32 if np.dtype(self.stored) == np.float32 else np.float64)

    @property
    def columns(self) -> list[str] | None:
        return None

    def rows(self, start: int, stop: int) -> AnyArray:
        """The rows from `start` to `stop`, a C-ordered copy in memory."""
        mapped = np.load(self.path, mmap_mode="r", allow_pickle=False)
        return np.array(mapped[start:stop], dtype=self.dtype, order="C")

    def chunks(self, n_rows: int) -> Iterator[AnyArray]:
        """All rows in order; see `RowSource`."""
        for start, stop in pairwise(bounds_of(self.shape[0], n_rows)):
            yield self.rows(start, stop)


def bounds_of(n: int, n_rows: int) -> list[int]:
    """Bounds of blocks of at most `n_rows` of n rows, as equal as possible; one block if n is 0.

    Examples
    --------
    >>> bounds_of(10, 4)
    [0, 3, 6, 10]
    """
    count = max(1, -(-n // n_rows))
    return [n * block // count for block in range(count + 1)]


def store_rows(source: RowSource, path: str | Path, n_rows: int) -> ArrayFile:
    """Copy a source to a ``.npy`` file, of which any rows can be read; atomic.

    Parameters
    ----------
    source : RowSource
    path : path
    n_rows : int
        Rows that are held at a time.
    """
    dtype = np.dtype(source.dtype)
    header = {
        "descr": npy_format.dtype_to_descr(dtype),
        "fortran_order": False,
        "shape": source.shape,
    }
    written = 0
    with atomic_write(path) as stream:
        npy_format.write_array_header_1_0(stream, header)
        for chunk in source.chunks(n_rows):
            stream.write(np.ascontiguousarray(chunk, dtype=dtype).data)
            written += chunk.shape[0]
        if written != source.shape[0]:
            raise TableError(
                f"{Path(path).name}: {source.shape[0]} rows were announced and {written} were "
                "read. Do not change the files while they are read."
            )
    return ArrayFile.open(path)
