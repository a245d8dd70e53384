"""The transpose of votes in blocks of rows, in blocks of rows, within a stated memory.

Entries are counted by column first, so that every block of the transpose fits in memory. Then each
block of rows is divided by the blocks of the transpose that its entries belong to, and written as a
part. At last each block of the transpose is put together from what the parts have for it, in the
order of the rows. Parts and blocks that are there are not made again.
"""

import json
import shutil
import zlib
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.atomic import atomic_write
from disambig.exceptions import MemoryBudgetError, VotesError
from disambig.notation import AnyArray, IntArray
from disambig.storage.sizes import size_text
from disambig.votes.protocol import CompressedRows
from disambig.votes.stored.folder import BlockFolder, StoredBlock

# Bytes for each entry of a block that is divided or put together: measured are 29 with an array of
# votes, 22 without.
_BYTES_PER_ENTRY = 48
_BYTES_PER_SHARED_ENTRY = 32


def transpose_blocks(
    source: BlockFolder,
    path: str | Path,
    *,
    memory: int,
    bounds: Sequence[int] | None = None,
) -> BlockFolder:
    """Write the transpose of votes ``(q, n)`` to another folder; resumes where it was interrupted.

    Parameters
    ----------
    source : BlockFolder
    path : path
        A new folder, or that of the interrupted call.
    memory : int
        Bytes that the arrays of this function take at most, beside one number for each column.
    bounds : sequence of int, optional
        From 0 to n. By default those of the rows, if the votes are square, or a single block; a
        block that does not fit is divided.

    Returns
    -------
    BlockFolder

    Raises
    ------
    MemoryBudgetError
        If a block of rows, a given block of the transpose or a single column does not fit.
    """
    blocks = source.blocks
    n = source.n_columns
    units = {block.unit for block in blocks if block.n_entries}
    unit = units.pop() if len(units) == 1 else None
    per_entry = _BYTES_PER_ENTRY if unit is None else _BYTES_PER_SHARED_ENTRY
    most = (memory - 16 * n) // per_entry
    largest = max(block.n_entries for block in blocks)
    if largest > most:
        raise _too_small(
            f"a block of rows has {largest} entries", largest * per_entry + 16 * n, memory
        )
    root = Path(path)
    if (root / "blocks.json").exists():
        folder = BlockFolder.open(root)
        _check_resumed(folder, source, bounds)
    else:
        counts = _column_counts(blocks, n)
        given = bounds is not None
        if bounds is None:
            bounds = source.bounds if source.bounds[-1] == n else (0, n)
        chosen = _divided(np.asarray(bounds), counts, most, given, per_entry, memory)
        folder = BlockFolder.create(root, source.bounds[-1], chosen, _origin(source))
    missing = folder.missing()
    # Named by what they are parts of, so that no others are taken for them.
    name = zlib.crc32(f"{folder.origin} {folder.bounds}".encode())
    parts = root.with_name(f".{root.name}.{name:08x}.parts")
    if missing:
        parts.mkdir(exist_ok=True)
        for block, first_row in zip(blocks, source.bounds[:-1], strict=True):
            if not (parts / f"part-{block.number:05d}.json").exists():
                _write_part(block, first_row, folder, parts, unit)
        for number in missing:
            folder.write(number, _put_together(number, blocks, folder, parts, unit))
    shutil.rmtree(parts, ignore_errors=True)
    return folder


def _column_counts(blocks: Sequence[StoredBlock], n: int) -> IntArray:
    counts = np.zeros(n, dtype=np.int64)
    for block in blocks:
        counts += np.bincount(block.rows.indices, minlength=n)
    return counts


def _divided(
    bounds: IntArray,
    counts: IntArray,
    most: int,
    given: bool,
    per_entry: int,
    memory: int,
) -> list[int]:
    """The bounds, with others between them so that no block has more than `most` entries."""
    before = np.concatenate([[0], np.cumsum(counts)])
    if bounds[0] != 0 or bounds[-1] != counts.size or (np.diff(bounds) < 0).any():
        raise VotesError(
            f"The bounds of the transpose must ascend from 0 to {counts.size}; got "
            f"{bounds.tolist()}."
        )
    chosen = [0]
    for start, stop in pairwise(bounds.tolist()):
        while before[stop] - before[start] > most:
            end = int(np.searchsorted(before, before[start] + most, side="right")) - 1
            if given or end == start:
                size = int(before[stop] - before[start]) if given else int(counts[start])
                what = f"columns {start} to {stop - 1} have" if given else f"column {start} has"
                raise _too_small(
                    f"{what} {size} entries", size * per_entry + 16 * counts.size, memory
                )
            chosen.append(end)
            start = end
        chosen.append(int(stop))
    return chosen


def _too_small(what: str, needed: int, memory: int) -> MemoryBudgetError:
    return MemoryBudgetError(
        f"The transpose of the votes: {what}, which takes {size_text(needed)}, and of memory "
        f"{size_text(max(memory, 0))} are left. Give more memory, or divide the rows into more "
        "blocks."
    )


def _origin(source: BlockFolder) -> str:
    made = [source.bounds, [(block.n_entries, block.checksum) for block in source.blocks]]
    return f"the transpose of votes with the checksum {zlib.crc32(json.dumps(made).encode()):08x}"


def _check_resumed(folder: BlockFolder, source: BlockFolder, bounds: Sequence[int] | None) -> None:
    expected = source.bounds[-1], source.n_columns, _origin(source)
    found = folder.n_columns, folder.bounds[-1], folder.origin
    if found != expected or (bounds is not None and tuple(bounds) != folder.bounds):
        raise VotesError(
            f"{Path(folder.path).name}: the folder holds the transpose of other votes. Delete it, "
            "or name another folder."
        )


def _save(path: Path, array: AnyArray) -> None:
    with atomic_write(path) as stream:
        np.save(stream, array, allow_pickle=False)


def _write_part(
    block: StoredBlock, first_row: int, folder: BlockFolder, parts: Path, unit: float | None
) -> None:
    """Divide the entries of a block by blocks of the transpose, in the order of the rows."""
    rows = block.rows
    n_blocks = folder.n_blocks
    owner = np.searchsorted(np.asarray(folder.bounds[1:]), rows.indices, side="right")
    owner = owner.astype(np.uint16 if n_blocks <= 2**16 else np.int64)
    # Stable, so that rows ascend for each block of the transpose.
    order = np.argsort(owner, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=n_blocks))])
    del owner
    stem = f"part-{block.number:05d}"
    _save(parts / f"{stem}.columns.npy", rows.indices[order])
    if unit is None:
        data = rows.data if rows.data.size else np.full(rows.indices.size, rows.unit)
        _save(parts / f"{stem}.data.npy", data[order])
    numbers = np.arange(first_row, first_row + block.n_rows).astype(_index_type(folder.n_columns))
    numbers = np.repeat(numbers, np.diff(rows.indptr))[order]
    _save(parts / f"{stem}.rows.npy", numbers)
    with atomic_write(parts / f"{stem}.json") as stream:
        stream.write(json.dumps(starts.tolist()).encode())


def _put_together(
    number: int,
    blocks: Sequence[StoredBlock],
    folder: BlockFolder,
    parts: Path,
    unit: float | None,
) -> CompressedRows:
    """A block of the transpose, from what the parts have for it."""
    slices = []
    for block in blocks:
        starts = json.loads((parts / f"part-{block.number:05d}.json").read_text(encoding="utf-8"))
        slices.append(slice(starts[number], starts[number + 1]))

    def joined(name: str) -> AnyArray:
        found = [
            _mapped(parts / f"part-{block.number:05d}.{name}.npy")[part]
            for block, part in zip(blocks, slices, strict=True)
        ]
        return np.concatenate(found)

    first, stop = folder.bounds[number], folder.bounds[number + 1]
    rows = joined("columns")
    rows = rows.view(f"i{rows.dtype.itemsize}")
    rows -= first
    columns = joined("rows")
    index = _index_type(folder.n_columns)
    dtype = np.result_type(*(block.dtypes[1] for block in blocks))
    data: Any = np.ones(rows.size, dtype=np.int8) if unit is not None else joined("data")
    shape = stop - first, folder.n_columns
    matrix = sp.coo_array((data, (rows, columns)), shape=shape).tocsr()
    return CompressedRows(
        matrix.indptr.astype(np.int64),
        matrix.indices.astype(index, copy=False).view(f"u{index.itemsize}"),
        np.zeros(0, dtype) if unit is not None else matrix.data.astype(dtype, copy=False),
        1.0 if unit is None else unit,
    )


def _index_type(n: int) -> Any:
    """What column numbers of n columns are stored as, with a sign as scipy reads them."""
    return np.dtype(np.int32 if n <= np.iinfo(np.int32).max else np.int64)


def _mapped(path: Path) -> AnyArray:
    found: AnyArray
    try:
        found = np.load(path, mmap_mode="r", allow_pickle=False).view(np.ndarray)
    except ValueError:
        # An empty array cannot be mapped.
        found = np.load(path, allow_pickle=False)
    return found
