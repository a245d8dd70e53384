"""Rows in files: graphs of neighbours and changed inputs go to a folder, not into memory.

A folder holds `graph` and `transposed`; votes of other neighbours, or of the same inputs on other
scales, get folders of their own, named by a checksum. What is there is not made again.
"""

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from disambig.exceptions import MissingOracleError
from disambig.notation import AnyArray, BoolArray
from disambig.storage.rows import ArrayFile, bounds_of, store_rows
from disambig.storage.sizes import resident_bytes
from disambig.votes.executor import Deferred, LocalExecutor, read
from disambig.votes.row_blocks import RowBlocks
from disambig.votes.sparse import SparseVotes
from disambig.votes.stored.folder import BlockFolder
from disambig.votes.stored.transpose import transpose_blocks
from disambig.weights.divided.neighbors import VotesOptions, query_votes
from disambig.weights.divided.rows import DividedRows
from disambig.weights.neighbors.file_parts import RowParts, nearest_rows
from disambig.weights.neighbors.lists import VOTES
from disambig.weights.neighbors.parts import RowIndex
from disambig.weights.neighbors.stored_graph import (
    GraphPlan,
    begun_graph,
    graph_origin,
    write_graphs,
)

# A part of the rows takes at most so many bytes, and this share of the memory.
_BYTES_PER_PART = 2**24
_PART_SHARE = 1 / 64
# The index of all rows is kept for new inputs if it takes no more than this share of the memory.
_KEPT_SHARE = 1 / 8
# Measured for 8 features; see `GraphPlan`.
_INDEX_BYTES_PER_ENTRY = 24


@dataclass(frozen=True, eq=False)
class FileParts(Sequence[Any]):
    """Parts of the rows of a file, which are read when they are used.

    Parameters
    ----------
    X : ArrayFile
    bounds : list of int
    """

    X: ArrayFile
    bounds: list[int]

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def __getitem__(self, part: Any) -> Any:
        if not 0 <= part < len(self):
            raise IndexError(part)
        return Deferred(rows_between, (self.X, self.bounds[part], self.bounds[part + 1]))


@dataclass(frozen=True, eq=False)
class RowFolder:
    """The folder in which rows in files keep their graphs, and what it may take.

    Parameters
    ----------
    path : Path
        It must exist.
    memory : int
        Bytes that the process holds at most while graphs are built and searched.
    n_threads : int
    with_others : bool
        Whether the votes of the k nearest others are written in the same search as those of the k
        nearest rows. Otherwise they are when they are asked for, in a search of their own.

    Examples
    --------
    >>> import tempfile
    >>> from disambig.weights import NeighborWeights
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(folder + "/X.npy", [[0.0], [1.0], [3.0]])
    ...     rows = RowFolder(Path(folder), 2**33).rows_of(ArrayFile.open(folder + "/X.npy"))
    ...     votes = NeighborWeights(2).fit(rows).training_votes()
    ...     (votes @ np.eye(3)).tolist()
    [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.5, 0.5]]
    """

    path: Path
    memory: int
    n_threads: int = 1
    with_others: bool = False

    def rows_of(self, X: ArrayFile, names: tuple[str, ...] | None = None) -> DividedRows:
        """The rows of a file in parts; they are read once to see where cells are missing.

        Parameters
        ----------
        X : ArrayFile
        names : tuple of str, optional
            Of the columns.
        """
        rows = self._divided(X, names)
        found = rows.map(_holes)
        missing, without_input = (np.concatenate(marks) for marks in zip(*found, strict=True))
        return self._divided(X, names, _or_none(missing), _or_none(without_input))

    def neighbors(self, rows: DividedRows, options: VotesOptions) -> "StoredNeighbors":
        """What `NeighborWeights` keeps of the rows.

        Parameters
        ----------
        rows : DividedRows
        options : VotesOptions
        """
        if options.vote not in VOTES:
            raise MissingOracleError(
                f"NeighborWeights(vote={options.vote!r:.60}) is not written to files, which could "
                f"not tell one function from another. Use one of {list(VOTES)}."
            )
        return StoredNeighbors(self, self.file_of(rows), options, self.memory - resident_bytes())

    def transformed(
        self,
        rows: DividedRows,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        n_features: int,
    ) -> DividedRows:
        """The rows ``function(part, *arguments)`` in a file of their own.

        Parameters
        ----------
        rows : DividedRows
        function : callable
        arguments : tuple
        n_features : int
        """
        parts = [Deferred(function, (part, *arguments)) for part in rows.parts]
        return self._divided(self._written(parts, (len(rows), n_features)))

    def file_of(self, rows: DividedRows) -> ArrayFile:
        """The file of the rows; some rows of a file are copied to another one.

        Parameters
        ----------
        rows : DividedRows
        """
        if isinstance(rows.parts, FileParts):
            return rows.parts.X
        return self._written(rows.parts, rows.shape)

    def _divided(
        self,
        X: ArrayFile,
        names: tuple[str, ...] | None = None,
        missing: BoolArray | None = None,
        without_input: BoolArray | None = None,
    ) -> DividedRows:
        n, d = X.shape
        n_bytes = min(_BYTES_PER_PART, int(_PART_SHARE * self.memory / self.n_threads))
        bounds = bounds_of(n, max(1, n_bytes // (8 * max(1, d))))
        return DividedRows(
            FileParts(X, bounds),
            np.asarray(bounds, dtype=np.int64),
            d,
            LocalExecutor(self.n_threads, keeps=False),
            names=names,
            missing=missing,
            without_input=without_input,
            stored=self,
        )

    def _written(self, parts: Sequence[Any], shape: tuple[int, int]) -> ArrayFile:
        source = _ComputedRows(parts, shape)
        partial = self.path / "inputs.partial.npy"
        store_rows(source, partial, 1)
        # The same rows are the same file, in this run and in one that resumes.
        path = self.path / f"inputs-{source.checksum:08x}.npy"
        partial.replace(path)
        return ArrayFile.open(path)


@dataclass(frozen=True, eq=False)
class StoredNeighbors:
    """The nearest rows of all rows of a file, as graphs in a folder, and the search of new inputs.

    Parameters
    ----------
    folder : RowFolder
    X : ArrayFile (n, d)
    options : VotesOptions
    budget : int
        Bytes that graphs may take beside what the process held before.
    """

    folder: RowFolder
    X: ArrayFile
    options: VotesOptions
    budget: int

    @cached_property
    def plan(self) -> GraphPlan:
        """How many rows are held at a time."""
        return GraphPlan.within(self.budget, *self.X.shape, self.options.n_neighbors)

    @cached_property
    def parts(self) -> RowParts:
        """The parts that are searched."""
        return RowParts.of(self.X, self.plan.part_rows)

    def training_votes(self, leave_one_out: bool) -> RowBlocks:
        """The votes at the rows, ``(n, n)``, in files; they are made if they are not there."""
        return self._others if leave_one_out else self._own

    def votes(self, X: AnyArray) -> SparseVotes:
        """The votes at new inputs ``(q, d)`` in memory, ``(q, n)``."""
        table = nearest_rows(
            self.parts,
            np.ascontiguousarray(X),
            self.options.n_neighbors,
            held=self._kept_index,
            n_jobs=self.folder.n_threads,
        )
        return SparseVotes(query_votes(table, self.options, self.X.shape[0]))

    @cached_property
    def _kept_index(self) -> RowIndex | None:
        n, d = self.X.shape
        n_bytes = _INDEX_BYTES_PER_ENTRY * n * d
        if self.parts.n_parts > 1 or n_bytes > _KEPT_SHARE * self.folder.memory:
            return None
        return self.parts.index(0, self.folder.n_threads)

    @cached_property
    def _own(self) -> RowBlocks:
        return self._built(False, self.folder.with_others)

    @cached_property
    def _others(self) -> RowBlocks:
        return self._built(True, False)

    def _built(self, leave_one_out: bool, with_others: bool) -> RowBlocks:
        k, vote = self.options
        found = {leave_one_out: self._begun(leave_one_out)}
        if with_others:
            others = self._begun(True)
            # An earlier run may have written them in other blocks.
            if others.bounds == found[False].bounds:
                found[True] = others
        write_graphs(self.parts, found, k, vote, n_jobs=self.folder.n_threads)
        graph = found[leave_one_out]
        # Compiled functions follow the numbers of columns: those in files are checked first.
        graph.check()
        name = Path(graph.path).name.replace("graph", "transposed")
        transposed = StoredTranspose(graph, self.folder.path / name, self.budget)
        return RowBlocks(graph.blocks, transposed, LocalExecutor(self.folder.n_threads))

    def _begun(self, leave_one_out: bool) -> BlockFolder:
        origin = graph_origin(self.parts, *self.options, leave_one_out)
        path = self.folder.path / "graph"
        is_mine = path.exists() and BlockFolder.open(path).origin == origin
        if not is_mine and (leave_one_out or path.exists()):
            path = path.with_name(f"graph-{zlib.crc32(origin.encode()):08x}")
        return begun_graph(path, self.plan.block_rows, origin, self.X.shape[0])


@dataclass(frozen=True, eq=False)
class StoredTranspose(Sequence[Any]):
    """The blocks of the transpose of a graph, which is written when they are first used.

    Parameters
    ----------
    graph : BlockFolder
    path : Path
    budget : int
        Bytes that it may take.
    """

    graph: BlockFolder
    path: Path
    budget: int

    def __len__(self) -> int:
        return len(self._blocks)

    def __getitem__(self, block: Any) -> Any:
        return self._blocks[block]

    @cached_property
    def _blocks(self) -> Sequence[Any]:
        found = transpose_blocks(self.graph, self.path, memory=self.budget)
        found.check()
        return found.blocks


class _ComputedRows:
    """Parts of rows as a `RowSource` that is read once, and the checksum of what was read."""

    columns = None

    def __init__(self, parts: Sequence[Any], shape: tuple[int, int]) -> None:
        self.parts, self.shape, self.checksum = parts, shape, 0
        self.dtype = np.dtype(read(parts[0]).dtype)

    def chunks(self, n_rows: int) -> Iterator[AnyArray]:
        """The parts, of any number of rows."""
        for part in self.parts:
            found = np.ascontiguousarray(read(part), dtype=self.dtype)
            self.checksum = zlib.crc32(found.data, self.checksum)
            yield found


def rows_between(X: ArrayFile, start: int, stop: int) -> AnyArray:
    """Some rows of a file: mapped if they can be used as they are, so that few can be taken."""
    mapped = np.load(X.path, mmap_mode="c", allow_pickle=False)
    if mapped.shape != X.shape or mapped.dtype != X.dtype or not mapped.flags.c_contiguous:
        return X.rows(start, stop)
    # The plain array: compiled functions would be compiled again for the type of the map.
    rows: AnyArray = mapped[start:stop].view(np.ndarray)
    return rows


def _holes(part: AnyArray) -> tuple[BoolArray, BoolArray]:
    is_missing = np.isnan(part)
    return np.any(is_missing, axis=1), np.all(is_missing, axis=1)


def _or_none(marks: BoolArray) -> BoolArray | None:
    return marks if marks.any() else None
