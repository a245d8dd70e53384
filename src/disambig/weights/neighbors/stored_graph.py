"""The graph of neighbours of rows in a file, written block by block within a stated memory.

Each block of the graph is a function of the inputs and of its bounds. Its queries search one part
of the rows after the other, and a part whose box is farther than the neighbours found so far is
left out. So the graph is exact, and equal to that of `NeighborWeights` bit for bit.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from disambig.exceptions import MemoryBudgetError, warn
from disambig.notation import IntArray
from disambig.parameters import check_choice, check_flag, check_integer
from disambig.storage.rows import ArrayFile, bounds_of
from disambig.storage.sizes import memory_size, resident_bytes, size_text
from disambig.votes.executor import LocalExecutor
from disambig.votes.protocol import CompressedRows
from disambig.votes.row_blocks import RowBlocks
from disambig.votes.sparse import SparseVotes
from disambig.votes.stored.folder import BlockFolder
from disambig.votes.stored.transpose import transpose_blocks
from disambig.weights.neighbors.file_parts import RowParts, nearest_rows
from disambig.weights.neighbors.lists import VOTES
from disambig.weights.neighbors.parts import NearestRows, neighbor_votes

# Bytes for each row of a part while it is indexed: three copies of the inputs, the boxes, numbers.
# Measured are 169 for d = 8, of the 288 that this gives.
_PART_BYTES, _PART_BYTES_PER_FEATURE = 32, 32
# Bytes for each query and neighbour: three tables of nearest rows, and the votes.
_BYTES_PER_NEIGHBOR = 60
_QUERY_BYTES_PER_FEATURE = 24
# Share of the memory for the parts; the rest is for the queries.
_PART_SHARE = 0.5
# Queries that are searched together visit the same boxes: at n = 10^7, 194 us a query for 30,000
# and 140 for 200,000. More rows in a block would make checkpoints rare.
_MAX_BLOCK_ROWS = 2**20
# What a process holds when it resumes differs a little from what it held when it began: blocks
# take this share of what is left for them.
_BLOCK_SHARE = 0.875
# Fewer rows in a block or a part would take for ever.
_MIN_ROWS = 1024
# Queries whose votes are computed together.
_QUERIES_AT_A_TIME = 2**15


@dataclass(frozen=True)
class GraphPlan:
    """How many rows are held at a time.

    Parameters
    ----------
    part_rows : int
        Rows of a part, at most, that is indexed.
    block_rows : int
        Rows of a block of the graph, at most.
    """

    part_rows: int
    block_rows: int

    @classmethod
    def within(cls, n_bytes: int, n: int, d: int, n_neighbors: int) -> "GraphPlan":
        """The plan for arrays of `n_bytes` in total.

        Raises
        ------
        MemoryBudgetError
            If they are too few.

        Examples
        --------
        >>> GraphPlan.within(2**30, 10**7, 8, 20)
        GraphPlan(part_rows=1864135, block_rows=323527)
        """
        per_part = _PART_BYTES + _PART_BYTES_PER_FEATURE * d
        per_query = _BYTES_PER_NEIGHBOR * (n_neighbors + 1) + _QUERY_BYTES_PER_FEATURE * d
        for_queries = _BLOCK_SHARE * (1.0 - _PART_SHARE)
        least = _MIN_ROWS * max(per_part / _PART_SHARE, per_query / for_queries)
        if n_bytes < least:
            raise MemoryBudgetError(
                f"A graph of {n_neighbors} neighbours with {d} features needs at least "
                f"{size_text(least)} beside what the process holds already, and of memory "
                f"{size_text(max(n_bytes, 0))} are left. Give more memory."
            )
        part_rows = min(max(n, 1), int(_PART_SHARE * n_bytes / per_part))
        left = _BLOCK_SHARE * (n_bytes - part_rows * per_part)
        return cls(part_rows, min(max(n, 1), _MAX_BLOCK_ROWS, int(left / per_query)))


def graph_block(
    table: NearestRows,
    n_neighbors: int,
    n: int,
    own: IntArray,
    *,
    vote: str = "uniform",
    leave_one_out: bool = False,
) -> CompressedRows:
    """`neighbor_votes` as compressed rows, computed a few queries at a time."""
    q = own.size
    found = []
    for start, stop in pairwise(bounds_of(q, _QUERIES_AT_A_TIME)):
        part = NearestRows(table.distances[start:stop], table.indices[start:stop])
        votes = neighbor_votes(
            part, n_neighbors, n, own[start:stop], vote=vote, leave_one_out=leave_one_out
        )
        found.append(SparseVotes(votes).compressed)
    lengths = np.concatenate([np.diff(rows.indptr) for rows in found])
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    indices = np.concatenate([rows.indices for rows in found])
    units = {rows.unit for rows in found if rows.indices.size}
    if len(units) == 1 and not any(rows.data.size for rows in found):
        return CompressedRows(indptr, indices, np.zeros(0), units.pop())
    data = [
        rows.data if rows.data.size else np.full(rows.indices.size, rows.unit) for rows in found
    ]
    return CompressedRows(indptr, indices, np.concatenate(data), 1.0)


def build_graph(
    X: ArrayFile,
    path: str | Path,
    n_neighbors: int,
    *,
    memory: object,
    vote: str = "uniform",
    leave_one_out: bool = False,
    n_jobs: int | None = None,
) -> BlockFolder:
    """Write the votes of the nearest neighbours, ``(n, n)``; resumes where it was interrupted.

    Parameters
    ----------
    X : ArrayFile, (n, d)
    path : path
        A new folder, or that of the interrupted call.
    n_neighbors : int
        k.
    memory : str or int
        What the process holds at most, such as "4GiB".
    vote : {"uniform", "distance", "gaussian"}
        As for `NeighborWeights`.
    leave_one_out : bool
        Whether the k nearest *others* vote.
    n_jobs : int or None
        Threads; the graph does not depend on it.

    Returns
    -------
    BlockFolder

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(folder + "/X.npy", [[0.0], [1.0], [3.0]])
    ...     X = ArrayFile.open(folder + "/X.npy")
    ...     graph = build_graph(X, folder + "/graph", 2, memory="8GiB")
    ...     rows = graph.blocks[0].rows
    ...     rows.indices.tolist(), rows.unit
    ([0, 1, 0, 1, 1, 2], 0.5)
    """
    check_integer("build_graph", "n_neighbors", n_neighbors, least=1)
    check_choice("build_graph", "vote", vote, VOTES)
    check_flag("build_graph", "leave_one_out", leave_one_out)
    n, d = X.shape
    plan = GraphPlan.within(memory_size(memory) - resident_bytes(), n, d, n_neighbors)
    parts = RowParts.of(X, plan.part_rows)
    others = "other " if leave_one_out else ""
    most = n - 1 if leave_one_out else n
    if n_neighbors > most:
        warn(
            f"build_graph: n_neighbors={n_neighbors} is more than the {most} {others}rows: all "
            f"{others}rows vote.",
            UserWarning,
        )
    folder = begun_graph(
        path, plan.block_rows, graph_origin(parts, n_neighbors, vote, leave_one_out), n
    )
    write_graphs(parts, {leave_one_out: folder}, n_neighbors, vote, n_jobs=n_jobs)
    return folder


def graph_origin(parts: RowParts, n_neighbors: int, vote: str, leave_one_out: bool) -> str:
    """The text that tells from what a graph is made.

    Parameters
    ----------
    parts : RowParts
    n_neighbors : int
    vote : str
    leave_one_out : bool
    """
    n, d = parts.X.shape
    return (
        f"{n} × {d} inputs with the checksum {parts.checksum:08x}, {n_neighbors} "
        f"{'other ' if leave_one_out else ''}neighbours, vote={vote!r}"
    )


def write_graphs(
    parts: RowParts,
    folders: Mapping[bool, BlockFolder],
    n_neighbors: int,
    vote: str,
    *,
    n_jobs: int | None = None,
) -> None:
    """Write the missing blocks of graphs of the same rows, in one search.

    Parameters
    ----------
    parts : RowParts
    folders : mapping of bool to BlockFolder
        By whether the k nearest *others* vote. They have the same bounds.
    n_neighbors : int
    vote : str
    n_jobs : int or None
    """
    wanted = {flag: set(folder.missing()) for flag, folder in folders.items()}
    missing = sorted(set().union(*wanted.values()))
    bounds = next(iter(folders.values())).bounds
    held = parts.index(0, n_jobs) if missing and parts.n_parts == 1 else None
    for number in missing:
        start, stop = bounds[number], bounds[number + 1]
        queries = parts.X.rows(start, stop)
        table = nearest_rows(parts, queries, n_neighbors + 1, first=start, held=held, n_jobs=n_jobs)
        own = np.arange(start, stop, dtype=np.int64)
        for flag, folder in folders.items():
            if number in wanted[flag]:
                rows = graph_block(
                    table, n_neighbors, parts.X.shape[0], own, vote=vote, leave_one_out=flag
                )
                folder.write(number, rows)
                del rows
        del table, queries


def build_votes(
    X: ArrayFile,
    path: str | Path,
    n_neighbors: int,
    *,
    memory: object,
    n_threads: int = 1,
    **options: Any,
) -> RowBlocks:
    """The votes of the nearest neighbours and their transpose on disk, for solvers.

    Parameters
    ----------
    X : ArrayFile, (n, d)
    path : path
        For the folders ``graph`` and ``transposed``; what is there of them is not made again.
    n_neighbors : int
    memory : str or int
        What the process holds at most, such as "4GiB".
    n_threads : int
        Of the search, and of the products and steps that follow.
    **options
        Of `build_graph`.
    """
    root = Path(path)
    # Read once: memory that was freed by the graph stays with the process, and is used again.
    left = memory_size(memory) - resident_bytes()
    graph = build_graph(X, root / "graph", n_neighbors, memory=memory, n_jobs=n_threads, **options)
    # Compiled functions follow the numbers of columns: those in files are checked first.
    graph.check()
    transposed = transpose_blocks(graph, root / "transposed", memory=left)
    transposed.check()
    return RowBlocks(graph.blocks, transposed.blocks, LocalExecutor(n_threads))


def begun_graph(path: str | Path, block_rows: int, origin: str, n: int) -> BlockFolder:
    """The folder; one that resumes keeps its blocks, also if there is more or less memory now.

    Parameters
    ----------
    path : path
    block_rows : int
        Of `GraphPlan`.
    origin : str
    n : int
    """
    bounds = bounds_of(n, block_rows)
    if (Path(path) / "blocks.json").exists():
        present = BlockFolder.open(path)
        if present.origin == origin:
            bounds = list(present.bounds)
            largest = max(stop - start for start, stop in pairwise(bounds))
            if largest * _BLOCK_SHARE > block_rows and present.missing():
                raise MemoryBudgetError(
                    f"{Path(path).name}: the interrupted build has blocks of {largest} rows, and "
                    f"memory is enough for {block_rows}. Give as much memory as before, or delete "
                    "the folder."
                )
    return BlockFolder.create(path, n, bounds, origin)
