"""Passes over sparse votes, rows in one place or in blocks: new faces, and what they affect.

A pass over blocks sends codes of the voting rows to every block, and to each block the codes of
its own rows: one small integer for each row. Words of faces travel only where a face has several
vertices, and costs return only where they are needed.
"""

from typing import Any, NamedTuple

import numpy as np

from disambig.compiled.face_sweep import mark_neighbors, sweep_faces
from disambig.losses.labels.faces import CodedFaces, IdentityEmbedding
from disambig.losses.protocol import Sweep
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.votes import Votes
from disambig.votes.executor import RowSlices
from disambig.votes.protocol import CompressedRows
from disambig.votes.row_block import Block, compressed_block
from disambig.votes.row_blocks import RowBlocks

# An empty array means to the compiled functions that no row is kept.
NO_ROWS = np.zeros(0, dtype=np.bool_)
# A pass reads codes and words of faces only.
_NOT_USED = IdentityEmbedding()
# If a larger share of rows moved, finding the rows that they affect takes longer than visiting all.
_MAX_SHARE_MOVED = 1 / 16


class Choice(NamedTuple):
    """What rows choose their faces by; see `disambig.compiled.face_sweep.sweep_faces`.

    Attributes
    ----------
    table : float array (T, V), or (0, 0)
    allowed : uint32 array (n, W), or (0, W)
    tolerance : float array (n,)
    visited : bool array (n,)
    kept : bool array (n,) or (0,)
    rule : int
    """

    table: FloatArray
    allowed: AnyArray
    tolerance: FloatArray
    visited: BoolArray
    kept: BoolArray
    rule: int


def is_swept(votes: Votes) -> bool:
    """Whether votes and their transpose have rows that a pass can read."""
    return isinstance(votes, RowBlocks) or votes.compressed is not None


def sweep(
    votes: Votes,
    voting: CodedFaces,
    choice: Choice,
    found: Sweep[CodedFaces],
    *,
    shared: bool = True,
    with_costs: bool = True,
) -> None:
    """`sweep_faces` with the faces of the voting rows; writes to the arrays of `found`.

    `found` has the older faces and costs. Without `with_costs` the costs of blocks need not be
    written.
    """
    if isinstance(votes, RowBlocks):
        _sweep_blocks(votes, voting, choice, found, shared, with_costs)
        return
    _sweep_rows(_compressed(votes), voting, shared, choice, found)


def columns_of(votes: Votes, moved: BoolArray) -> BoolArray:
    """Columns in which a row in `moved` has an entry; all if many rows moved."""
    if np.count_nonzero(moved) > _MAX_SHARE_MOVED * moved.size:
        return all_rows(moved.size)
    marked = np.zeros(moved.size, dtype=np.bool_)
    if isinstance(votes, RowBlocks):
        for found in votes.map(_block_columns, votes.slices(moved)):
            if found.dtype == np.uint8:
                marked |= np.unpackbits(found, count=marked.size).view(np.bool_)
            else:
                marked[found] = True
        return marked
    rows = _compressed(votes)
    mark_neighbors(rows.indptr, rows.indices, moved, marked)
    return marked


def rows_at(votes: Votes, rows: IntArray) -> Any:
    """Some rows of the votes as a ``csr_array``."""
    return votes.rows_at(rows) if isinstance(votes, RowBlocks) else votes.entries[rows]


def all_rows(n: int) -> BoolArray:
    """True for every row."""
    return np.ones(n, dtype=np.bool_)


def _compressed(votes: Votes) -> CompressedRows:
    rows = votes.compressed
    assert rows is not None, "checked by `FiniteLoss.row_steps`"
    return rows


def _sweep_rows(
    rows: CompressedRows,
    voting: CodedFaces,
    shared: bool,
    choice: Choice,
    found: Sweep[CodedFaces],
) -> None:
    faces = found.faces
    sweep_faces(
        rows.indptr,
        rows.indices,
        rows.data,
        rows.unit,
        voting.codes,
        voting.words,
        voting.size,
        shared,
        choice.table,
        faces.size,
        choice.allowed,
        choice.tolerance,
        choice.visited,
        choice.kept,
        choice.rule,
        faces.codes,
        faces.words,
        found.costs,
        found.moved,
    )


# ------------------------------------------------------------------ votes in blocks


class _BlockFaces(NamedTuple):
    """What the rows of a block chose.

    Attributes
    ----------
    codes : unsigned int array (m,)
    several : int array (s,)
        Rows of the block whose face has several vertices.
    words : uint32 array (s, W)
    costs : float array (m,), or (0,)
    moved : uint8 array
        A bit for each row.
    """

    codes: AnyArray
    several: IntArray
    words: AnyArray
    costs: FloatArray
    moved: AnyArray


def _sweep_blocks(
    votes: RowBlocks,
    voting: CodedFaces,
    choice: Choice,
    found: Sweep[CodedFaces],
    shared: bool,
    with_costs: bool,
) -> None:
    faces, bounds = found.faces, votes.bounds
    several, several_words = faces.several_words
    ends = np.searchsorted(several, bounds)
    parts = votes.map(
        _sweep_block,
        votes.unit,
        voting.codes,
        *voting.several_words,
        voting.size,
        shared,
        choice.table,
        # Without rows they mean something else, and are the same for all blocks.
        votes.slices(choice.allowed) if len(choice.allowed) else choice.allowed,
        votes.slices(choice.tolerance),
        None if choice.visited.all() else votes.slices(choice.visited),
        votes.slices(choice.kept) if len(choice.kept) else choice.kept,
        choice.rule,
        # A copy, because the results are written to the array.
        votes.slices(faces.codes.copy()),
        RowSlices(several, ends),
        RowSlices(several_words, ends),
        RowSlices(bounds[:-1], np.arange(bounds.size)),
        faces.size,
        with_costs,
    )
    for part, start, stop in zip(parts, bounds[:-1], bounds[1:], strict=True):
        faces.codes[start:stop] = part.codes
        faces.words[start + part.several] = part.words
        visited = choice.visited[start:stop]
        if with_costs:
            found.costs[start:stop][visited] = part.costs
        moved = np.unpackbits(part.moved, count=int(stop - start)).view(np.bool_)
        found.moved[start:stop] |= moved


def _sweep_block(
    block: Block,
    unit: float | None,
    voting_codes: AnyArray,
    voting_several: IntArray,
    voting_words: AnyArray,
    voting_size: int,
    shared: bool,
    table: FloatArray,
    allowed: AnyArray,
    tolerance: FloatArray,
    visited: BoolArray | None,
    kept: BoolArray,
    rule: int,
    codes: AnyArray,
    several: IntArray,
    several_words: AnyArray,
    first: IntArray,
    size: int,
    with_costs: bool,
) -> _BlockFaces:
    """The pass over the rows of a block; changes none of its arguments."""
    m = codes.size
    new_codes = codes.copy()
    own = CodedFaces.from_several(new_codes, several - first, several_words, size, _NOT_USED)
    voters = CodedFaces.from_several(
        voting_codes, voting_several, voting_words, voting_size, _NOT_USED
    )
    costs, moved = np.zeros(m), np.zeros(m, dtype=np.bool_)
    visited = all_rows(m) if visited is None else visited
    _sweep_rows(
        compressed_block(block, unit),
        voters,
        shared,
        Choice(table, allowed, tolerance, visited, kept, rule),
        Sweep(own, costs, moved),
    )
    paid = costs[visited] if with_costs else costs[:0]
    return _BlockFaces(new_codes, *own.several_words, paid, np.packbits(moved))


def _block_columns(block: Block, moved: BoolArray) -> AnyArray:
    """The columns in which a row that moved has an entry: a bit for each one, or their numbers.

    What is shorter returns, so that many blocks send no more than the entries of these rows.
    """
    marked = np.zeros(block.n_columns, dtype=np.bool_)
    rows = block.rows
    mark_neighbors(rows.indptr, rows.indices, moved, marked)
    bits, numbers = np.packbits(marked), np.flatnonzero(marked).astype(rows.indices.dtype)
    return bits if bits.nbytes <= numbers.nbytes else numbers
