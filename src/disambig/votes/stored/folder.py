"""Blocks of rows of the votes in a folder: written one by one, mapped into memory when read.

A folder has a description, ``blocks.json``, and for each block plain ``.npy`` arrays of compressed
rows and a record, ``block-00003.json``, which is written last: a block without a record is missing,
and a build that was interrupted resumes with it. Every file is whole or absent.
"""

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from disambig.atomic import atomic_write, write_text_atomically
from disambig.exceptions import VotesError
from disambig.notation import AnyArray
from disambig.votes.protocol import CompressedRows

_DESCRIPTION = "blocks.json"
_FORMAT = "disambig row blocks"
_VERSION = 1
_ANEW = "Delete the folder and build it anew."
_INDEX_TYPES = ("<u4", "<u8")
_VOTE_TYPES = ("<f4", "<f8")
# Entries that are checked at a time.
_CHECKED_AT_A_TIME = 2**22


@dataclass(frozen=True)
class StoredBlock:
    """Some rows of the votes in files: a short description that travels instead of the rows.

    Parameters
    ----------
    folder : str
    number : int
    n_columns : int
    n_rows, n_entries : int
    unit : float or None
        The vote that all entries share, of which no array is stored; None if they differ.
    dtypes : tuple of two str
        Of the column numbers and of the votes.
    checksum : int
    """

    folder: str
    number: int
    n_columns: int
    n_rows: int
    n_entries: int
    unit: float | None
    dtypes: tuple[str, str]
    checksum: int

    @property
    def rows(self) -> CompressedRows:
        """The rows, mapped into memory: opened anew by each call."""
        indptr = self._array("indptr", "<i8", self.n_rows + 1)
        indices = self._array("indices", self.dtypes[0], self.n_entries)
        if self.unit is not None:
            return CompressedRows(indptr, indices, np.zeros(0, self.dtypes[1]), self.unit)
        return CompressedRows(
            indptr, indices, self._array("data", self.dtypes[1], self.n_entries), 1.0
        )

    def check(self) -> None:
        """Raise `VotesError` if the contents are not those that were written. Reads all of them."""
        rows = self.rows
        if _checksum(rows) != self.checksum:
            raise VotesError(
                f"{self._name('*')}: the contents are not those that were written. {_ANEW}"
            )
        columns = max((int(part.max()) for part in _parts(rows.indices)), default=-1)
        indptr = rows.indptr
        if columns >= self.n_columns or not (
            indptr[0] == 0 and indptr[-1] == self.n_entries and (np.diff(indptr) >= 0).all()
        ):
            raise VotesError(f"{self._name('*')}: the rows are not in the right form. {_ANEW}")

    def _name(self, array: str) -> str:
        return f"{Path(self.folder).name}/block-{self.number:05d}.{array}.npy"

    def _array(self, array: str, dtype: str, size: int) -> AnyArray:
        path = Path(self.folder) / f"block-{self.number:05d}.{array}.npy"
        try:
            # An empty array cannot be mapped. Copy-on-write, not read-only, for which compiled
            # functions would be compiled again; nothing is written.
            found = np.load(path, mmap_mode="c" if size else None, allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise VotesError(
                f"{self._name(array)}: expected {size} numbers of {dtype}; numpy says: "
                f"{str(error).rstrip('.')}. {_ANEW}"
            ) from None
        if found.shape != (size,) or found.dtype != np.dtype(dtype):
            raise VotesError(
                f"{self._name(array)}: expected {size} numbers of {dtype}; found shape "
                f"{found.shape} of {found.dtype}. {_ANEW}"
            )
        # The plain array: compiled functions would be compiled again for the type of the map.
        plain: AnyArray = found.view(np.ndarray)
        return plain


@dataclass(frozen=True)
class BlockFolder:
    """A folder with the votes ``(q, n)`` in blocks of rows, some of which may be missing.

    Parameters
    ----------
    path : str
    n_columns : int
        ``n``.
    bounds : tuple of int
        Block b has the rows ``bounds[b]:bounds[b + 1]``.
    origin : str
        A text that tells from what the votes are made: a build resumes only if it is the same.

    Examples
    --------
    >>> import tempfile
    >>> from disambig.votes.protocol import CompressedRows
    >>> with tempfile.TemporaryDirectory() as path:
    ...     folder = BlockFolder.create(path, 2, [0, 2])
    ...     rows = np.array([0, 1, 2]), np.array([1, 0], dtype=np.uint32)
    ...     folder.write(0, CompressedRows(*rows, np.zeros(0), 1.0))
    ...     BlockFolder.open(path).blocks[0].rows.indices.tolist()
    [1, 0]
    """

    path: str
    n_columns: int
    bounds: tuple[int, ...]
    origin: str

    @classmethod
    def create(
        cls, path: str | Path, n_columns: int, bounds: Sequence[int], origin: str = ""
    ) -> "BlockFolder":
        """Begin a folder, or resume the same one: its blocks that are there stay.

        Raises
        ------
        VotesError
            If there is another folder of blocks, or the folder holds something else.
        """
        root = Path(path)
        folder = cls(str(root.resolve()), int(n_columns), tuple(map(int, bounds)), origin)
        steps = np.diff(folder.bounds)
        if len(folder.bounds) < 2 or folder.bounds[0] != 0 or (steps < 0).any():
            raise VotesError(
                f"{root.name}: the bounds of the blocks must ascend from 0; got {list(bounds)}."
            )
        if (root / _DESCRIPTION).exists():
            present = cls.open(root)
            if present != folder:
                raise VotesError(
                    f"{root.name}: the folder holds blocks of other votes ({present._words()}; "
                    f"now {folder._words()}). Delete it, or name another folder."
                )
            return folder
        root.mkdir(parents=True, exist_ok=True)
        others = sorted(entry.name for entry in root.iterdir() if not entry.name.startswith("."))
        if others:
            raise VotesError(
                f"{root.name}: the folder holds {others[0]!r} and no {_DESCRIPTION}, so that it is "
                "no folder of blocks. Name another folder, or a new one."
            )
        content = {
            "format": _FORMAT,
            "version": _VERSION,
            "n_columns": folder.n_columns,
            "bounds": list(folder.bounds),
            "origin": origin,
        }
        write_text_atomically(root / _DESCRIPTION, json.dumps(content) + "\n")
        return folder

    @classmethod
    def open(cls, path: str | Path) -> "BlockFolder":
        """Read the description of a folder.

        Raises
        ------
        VotesError
            If there is none, or it is not one of ours.
        """
        root = Path(path)
        name = f"{root.name}/{_DESCRIPTION}"
        try:
            content = json.loads((root / _DESCRIPTION).read_text(encoding="utf-8"))
        except OSError:
            raise VotesError(
                f"{name}: there is no such file, so that the folder holds no blocks of votes."
            ) from None
        except ValueError:
            raise VotesError(f"{name}: the file is damaged. {_ANEW}") from None
        if not isinstance(content, dict) or content.get("format") != _FORMAT:
            raise VotesError(f"{name}: the file does not describe blocks of votes.")
        if content.get("version") != _VERSION:
            raise VotesError(
                f"{name}: the version is {content.get('version')!r}; this release reads "
                f"{_VERSION}. {_ANEW}"
            )
        bounds, n_columns, origin = (
            content.get(name) for name in ("bounds", "n_columns", "origin")
        )
        if not (
            isinstance(n_columns, int)
            and isinstance(origin, str)
            and isinstance(bounds, list)
            and len(bounds) >= 2
            and all(type(bound) is int for bound in bounds)
            and bounds == sorted(bounds)
            and bounds[0] == 0
        ):
            raise VotesError(f"{name}: the file is damaged. {_ANEW}")
        return cls(str(root.resolve()), n_columns, tuple(bounds), origin)

    @property
    def n_blocks(self) -> int:
        """The number of blocks, those that are missing included."""
        return len(self.bounds) - 1

    def missing(self) -> list[int]:
        """The blocks that have not been written."""
        return [number for number in range(self.n_blocks) if not self._record(number).exists()]

    def write(self, number: int, rows: CompressedRows) -> None:
        """Write the rows of a block; a block that is there is replaced.

        Parameters
        ----------
        number : int
        rows : CompressedRows
            Column numbers ascend in each row.
        """
        n_rows = self.bounds[number + 1] - self.bounds[number]
        if rows.indptr.size != n_rows + 1:
            raise VotesError(
                f"{Path(self.path).name}: block {number} has {n_rows} rows; got "
                f"{rows.indptr.size - 1}."
            )
        is_shared = not rows.data.size and rows.indices.size > 0
        narrow = rows.indices.dtype.itemsize == 4
        indices = rows.indices.astype("<u4" if narrow else "<u8", copy=False)
        data = rows.data.astype("<f4" if rows.data.dtype == np.float32 else "<f8", copy=False)
        rows = CompressedRows(rows.indptr.astype("<i8", copy=False), indices, data, rows.unit)
        arrays = {"indptr": rows.indptr, "indices": indices, "data": data}
        if is_shared:
            del arrays["data"]
        stem = f"block-{number:05d}"
        self._record(number).unlink(missing_ok=True)
        for name, array in arrays.items():
            with atomic_write(Path(self.path) / f"{stem}.{name}.npy") as stream:
                np.save(stream, np.ascontiguousarray(array), allow_pickle=False)
        if is_shared:
            (Path(self.path) / f"{stem}.data.npy").unlink(missing_ok=True)
        record = {
            "n_entries": int(rows.indices.size),
            "unit": float(rows.unit) if is_shared else None,
            "dtypes": [indices.dtype.str, data.dtype.str],
            "checksum": _checksum(rows),
        }
        write_text_atomically(self._record(number), json.dumps(record) + "\n")

    @cached_property
    def blocks(self) -> list[StoredBlock]:
        """All blocks, after the lengths of their files were checked.

        Raises
        ------
        VotesError
            If a block is missing or its files are not whole.
        """
        missing = self.missing()
        if missing:
            raise VotesError(
                f"{Path(self.path).name}: {len(missing)} of {self.n_blocks} blocks are missing, "
                f"the first is block {missing[0]}. Resume the build."
            )
        found = [self._block(number) for number in range(self.n_blocks)]
        for block in found:
            _ = block.rows
        return found

    def check(self) -> None:
        """Raise `VotesError` if the contents of a block are not those that were written."""
        for block in self.blocks:
            block.check()

    def _record(self, number: int) -> Path:
        return Path(self.path) / f"block-{number:05d}.json"

    def _block(self, number: int) -> StoredBlock:
        try:
            content = json.loads(self._record(number).read_text(encoding="utf-8"))
        except ValueError:
            content = None
        if not _is_record(content):
            raise VotesError(
                f"{Path(self.path).name}/{self._record(number).name}: the file is damaged. {_ANEW}"
            )
        n_rows = self.bounds[number + 1] - self.bounds[number]
        return StoredBlock(
            self.path,
            number,
            self.n_columns,
            n_rows,
            content["n_entries"],
            content["unit"],
            tuple(content["dtypes"]),
            content["checksum"],
        )

    def _words(self) -> str:
        made = f", made from {self.origin}" if self.origin else ""
        return f"{self.bounds[-1]} × {self.n_columns} in {self.n_blocks} blocks{made}"


def _is_record(content: Any) -> bool:
    """Whether a record of a block has what is read from it."""
    if not isinstance(content, dict):
        return False
    dtypes, unit = content.get("dtypes"), content.get("unit", "")
    return (
        type(content.get("n_entries")) is int
        and type(content.get("checksum")) is int
        and (unit is None or isinstance(unit, float))
        and isinstance(dtypes, list)
        and len(dtypes) == 2
        and dtypes[0] in _INDEX_TYPES
        and dtypes[1] in _VOTE_TYPES
    )


def _parts(array: AnyArray) -> Iterator[AnyArray]:
    for start in range(0, array.size, _CHECKED_AT_A_TIME):
        yield array[start : start + _CHECKED_AT_A_TIME]


def _checksum(rows: CompressedRows) -> int:
    value = zlib.crc32(repr(float(rows.unit)).encode())
    for array in (rows.indptr, rows.indices, rows.data):
        for part in _parts(array):
            value = zlib.crc32(np.ascontiguousarray(part).data, value)
    return value
