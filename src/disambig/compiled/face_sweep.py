"""Half steps over a sparse graph: the best face of each row, given the faces of its neighbours.

A face is stored as one *code* per row: ``v < size`` is the vertex v alone, ``size`` are all
vertices, and ``size + 1`` are several of them, which the bits of ``words[i]`` then list. Nearly all
rows hold one vertex, so that one small integer is all that is read of most neighbours.
"""

from typing import Any

import numpy as np

from disambig.compiled.bits import count_bits, lowest_bit
from disambig.compiled.face_choice import REPLACE, choose_face, gains_by_table
from disambig.compiled.face_votes import (
    add_counts,
    add_votes,
    count_few,
    leader_of_few,
    leader_of_many,
    packed_width,
)
from disambig.compiled.jit import compiled
from disambig.notation import AnyArray, BoolArray, FloatArray

# Rows with up to this many neighbours have their codes copied to a buffer and votes_are_counts by
# `leader_of_many`; rows with more neighbours take the slower way through `add_votes`.
_MAX_BUFFERED_NEIGHBORS = 512


@compiled
def face_codes(words: AnyArray, size: int) -> AnyArray:
    """The codes, int64 ``(n,)``, of faces given by the bits of their vertices; none is empty."""
    codes = np.empty(words.shape[0], dtype=np.int64)
    for i in range(words.shape[0]):
        count = count_bits(words, i)
        if count == 1:
            w = 0
            while words[i, w] == 0:
                w += 1
            codes[i] = 32 * w + lowest_bit(np.int64(words[i, w]))
        else:
            codes[i] = size if count == size else size + 1
    return codes


@compiled
def mark_neighbors(
    indptr: AnyArray, indices: AnyArray, moved: BoolArray, marked: BoolArray
) -> None:
    """Mark in place every column in which a row that `moved` has an entry."""
    for i in range(moved.size):
        if moved[i]:
            for e in range(indptr[i], indptr[i + 1]):
                marked[indices[e]] = True


@compiled
def sweep_faces(
    indptr: AnyArray,
    indices: AnyArray,
    data: FloatArray,
    unit: float,
    neighbor_codes: AnyArray,
    neighbor_words: AnyArray,
    neighbor_size: int,
    shared: bool,
    table: FloatArray,
    size: int,
    allowed: AnyArray,
    tolerance: FloatArray,
    visited: BoolArray,
    kept: BoolArray,
    rule: int,
    codes: AnyArray,
    words: AnyArray,
    paid: FloatArray,
    moved: BoolArray,
) -> None:
    r"""For each visited row the face of vertices v with the least cost ``(table.T @ w)[v]``.

    ``w[t] = sum_e data[e] [t in face of e]`` is the sum of the votes of the neighbours e for t. If
    `shared`, the vote of a neighbour is divided equally among the vertices of its face.

    Parameters
    ----------
    indptr, indices, data : (n + 1,), (nnz,), (nnz,) or (0,)
        Votes in compressed rows. Without data every vote is 1.
    unit : float
        Factor of all votes, positive.
    neighbor_codes, neighbor_words, neighbor_size : (m,), (m, W'), int
        The faces of the neighbours.
    shared : bool
    table : (neighbor_size, size), or (0, 0)
        ``table[t, v]`` is the cost of vertex v per vote for t. An empty table stands for the 0-1
        loss, ``1 - identity``.
    size : int
        Number of vertices to choose from.
    allowed : (n, W), or (0, W)
        The vertices to choose from. Without rows every vertex is allowed.
    tolerance : (n,)
        Vertices whose cost exceeds the least one by no more than this tie.
    visited, kept : (n,) and (n,) or (0,)
        Rows to compute, and those of them that keep their face.
    rule : int
        REPLACE, GROW or KEEP_VERTEX of `face_choice`.
    codes, words, paid, moved : (n,), (n, W), (n,), (n,)
        Faces and their costs, changed in place; `moved` becomes True where a face changes.
    """
    votes = np.zeros(neighbor_size, dtype=np.float64)
    touched = np.zeros(neighbor_size, dtype=np.int64)
    seen = np.zeros(neighbor_size, dtype=np.bool_)
    all_vertices = np.arange(size)
    gains = np.zeros(size if table.size else 0, dtype=np.float64)
    face = np.zeros((1, words.shape[1]), dtype=np.uint32)
    votes_are_counts = data.size == 0 and table.size == 0
    width = packed_width(neighbor_size) if data.size == 0 else 0
    tallies = np.zeros(neighbor_size + 2, dtype=np.int32)
    buffer = np.zeros(_MAX_BUFFERED_NEIGHBORS, dtype=neighbor_codes.dtype)
    for i in range(visited.size):
        if not visited[i]:
            continue
        first, last = indptr[i], indptr[i + 1]
        older = np.int64(codes[i])
        limit = tolerance[i] / unit
        total = float(last - first)
        many = last - first >= 1 << width
        packed = last > first and not many
        counts = 0
        if packed:
            counts = count_few(first, last, indices, neighbor_codes, width)
            packed = counts >> (width * (neighbor_size + 1)) == 0
        # The fast path of nearly all rows: one vertex has most votes, and the row gets it.
        if votes_are_counts and limit < 1.0 and not (kept.size and kept[i]):
            vertex, gain, n_for_all = -1, 0, 0
            if older >= size and rule != REPLACE:
                pass
            elif packed:
                within = np.int64(allowed[i, 0]) if allowed.shape[0] else (1 << size) - 1
                gain, vertex = leader_of_few(counts, width, size, within)
                n_for_all = counts >> (width * neighbor_size)
            elif many and last - first <= buffer.size:
                gain, vertex, n_for_all = leader_of_many(
                    first, last, indices, neighbor_codes, size, i, allowed, tallies, buffer
                )
            if vertex >= 0:
                paid[i] = unit * (total - n_for_all / neighbor_size - gain)
                codes[i] = vertex
                moved[i] |= vertex != older
                continue
        if packed:
            n_touched, for_all = add_counts(counts, width, neighbor_size, votes, touched, seen)
        else:
            n_touched, for_all, total = add_votes(
                first, last, indices, data, neighbor_codes, neighbor_words, neighbor_size, shared,
                votes, touched, seen,
            )  # fmt: skip
        final, cost = _best_face(
            i, older, votes, touched, n_touched, for_all, total, table, gains, all_vertices,
            size, allowed, limit, kept, rule, words, face,
        )  # fmt: skip
        paid[i] = unit * cost
        if final != older or final > size:
            moved[i] |= _store(i, final, older, size, codes, words, face)
        for t in range(n_touched):
            votes[touched[t]] = 0.0
            seen[touched[t]] = False


@compiled
def _best_face(
    i: int,
    older: Any,
    votes: FloatArray,
    touched: AnyArray,
    n_touched: int,
    for_all: float,
    total: float,
    table: FloatArray,
    gains: FloatArray,
    all_vertices: AnyArray,
    size: int,
    allowed: AnyArray,
    limit: float,
    kept: BoolArray,
    rule: int,
    words: AnyArray,
    face: AnyArray,
) -> tuple[int, float]:
    """The new code of row i and its cost; `for_all` is the sum of votes for all vertices."""
    # Gains are negative costs, up to a constant of the row.
    vote_for_all = for_all / votes.size
    if table.size:
        gains_by_table(votes, touched, n_touched, vote_for_all, table, gains)
        final, mean = choose_face(
            i, older, gains, all_vertices, size, size, allowed, limit, kept, rule, words, face
        )
        return final, -mean
    final, mean = choose_face(
        i, older, votes, touched, n_touched, size, allowed, limit, kept, rule, words, face
    )
    return final, total - vote_for_all - mean


@compiled
def _store(
    i: int, final: int, older: Any, size: int, codes: AnyArray, words: AnyArray, face: AnyArray
) -> bool:
    """Write the face of row i; returns whether it changed."""
    changed = bool(final != older)
    codes[i] = final
    if final == size + 1:
        for w in range(face.shape[1]):
            if changed or words[i, w] != face[0, w]:
                changed = True
                words[i, w] = face[0, w]
    return changed
