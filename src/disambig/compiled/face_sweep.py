"""Half steps over a sparse graph: what the neighbours of a row say, and what answers it best.

A face is a *code* a row: ``v < size`` the vertex v alone, ``size`` all vertices, ``size + 1``
several of them, which `bit_words` then list. Nearly all rows hold one vertex, so that one small
integer is all that most neighbours ask for.
"""

from typing import Any

import numpy as np

from disambig.compiled.bits import count_bits, lowest_bit
from disambig.compiled.face_choice import NEWEST, choose_face, gains_by_table
from disambig.compiled.face_votes import (
    add_counts,
    add_votes,
    count_few,
    leader_of_few,
    leader_of_many,
    packed_width,
)
from disambig.compiled.jit import kernel
from disambig.notation import AnyArray, BoolArray, FloatArray

# Neighbours of a row whose codes are kept at hand; who has more of them is counted more slowly.
_RECENT = 512


@kernel
def face_codes(words: AnyArray, size: int) -> AnyArray:
    """The codes of faces from the bits of their vertices, int64 ``(n,)``; none is empty."""
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


@kernel
def mark_neighbors(
    indptr: AnyArray, indices: AnyArray, moved: BoolArray, marked: BoolArray
) -> None:
    """Mark in place every column that a row in `moved` has an entry in."""
    for i in range(moved.size):
        if moved[i]:
            for e in range(indptr[i], indptr[i + 1]):
                marked[indices[e]] = True


@kernel
def sweep_faces(
    indptr: AnyArray,
    indices: AnyArray,
    data: FloatArray,
    unit: float,
    heard_codes: AnyArray,
    heard_words: AnyArray,
    heard_size: int,
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
    r"""For each visited row the face of least ``<table.T @ w, e(v)>``, w what its neighbours say.

    ``w[t] = sum_e data[e] [t in face of e]``, shared out among the vertices of a face if `shared`.

    Parameters
    ----------
    indptr, indices, data : (n + 1,), (nnz,), (nnz,) or (0,)
        Votes in compressed rows; without data every vote is `unit`.
    unit : float
        Factor of all votes, positive.
    heard_codes, heard_words, heard_size : (m,), (m, W'), int
        The faces of the neighbours.
    shared : bool
    table : (heard_size, size), or (0, 0)
        Costs of vertex v where t is heard; none stands for ``1 - identity``.
    size : int
        Vertices to choose from.
    allowed : (n, W), or (0, W)
        The sets to choose within; none stands for everything.
    tolerance : (n,)
        Vertices within it of the least cost tie.
    visited, kept : (n,) and (n,) or (0,)
        Rows to look at, and those of them whose face stays.
    rule : int
        NEWEST, GROWN or SETTLED of `face_choice`.
    codes, words, paid, moved : (n,), (n, W), (n,), (n,)
        Faces and their costs, changed in place; `moved` becomes True where a face changes.
    """
    votes = np.zeros(heard_size, dtype=np.float64)
    touched = np.zeros(heard_size, dtype=np.int64)
    seen = np.zeros(heard_size, dtype=np.bool_)
    everything = np.arange(size)
    gains = np.zeros(size if table.size else 0, dtype=np.float64)
    face = np.zeros((1, words.shape[1]), dtype=np.uint32)
    counted = data.size == 0 and table.size == 0
    width = packed_width(heard_size) if data.size == 0 else 0
    tallies = np.zeros(heard_size + 2, dtype=np.int32)
    recent = np.zeros(_RECENT, dtype=heard_codes.dtype)
    for i in range(visited.size):
        if not visited[i]:
            continue
        first, last = indptr[i], indptr[i + 1]
        older = np.int64(codes[i])
        limit = tolerance[i] / unit
        total = float(last - first)
        crowded = last - first >= 1 << width
        packed = last > first and not crowded
        counts = 0
        if packed:
            counts = count_few(first, last, indices, heard_codes, width)
            packed = counts >> (width * (heard_size + 1)) == 0
        # Nearly every row: counts with one leader, and a vertex that stays or changes.
        if counted and limit < 1.0 and not (kept.size and kept[i]):
            vertex, gain, whole = -1, 0, 0
            if older >= size and rule != NEWEST:
                pass
            elif packed:
                within = np.int64(allowed[i, 0]) if allowed.shape[0] else (1 << size) - 1
                gain, vertex = leader_of_few(counts, width, size, within)
                whole = counts >> (width * heard_size)
            elif crowded and last - first <= recent.size:
                gain, vertex, whole = leader_of_many(
                    first, last, indices, heard_codes, size, i, allowed, tallies, recent
                )
            if vertex >= 0:
                paid[i] = unit * (total - whole / heard_size - gain)
                codes[i] = vertex
                moved[i] |= vertex != older
                continue
        if packed:
            n_touched, everyone = add_counts(counts, width, heard_size, votes, touched, seen)
        else:
            n_touched, everyone, total = add_votes(
                first, last, indices, data, heard_codes, heard_words, heard_size, shared,
                votes, touched, seen,
            )  # fmt: skip
        final, cost = _answer(
            i, older, votes, touched, n_touched, everyone, total, table, gains, everything,
            size, allowed, limit, kept, rule, words, face,
        )  # fmt: skip
        paid[i] = unit * cost
        if final != older or final > size:
            moved[i] |= _store(i, final, older, size, codes, words, face)
        for t in range(n_touched):
            votes[touched[t]] = 0.0
            seen[touched[t]] = False


@kernel
def _answer(
    i: int,
    older: Any,
    votes: FloatArray,
    touched: AnyArray,
    n_touched: int,
    everyone: float,
    total: float,
    table: FloatArray,
    gains: FloatArray,
    everything: AnyArray,
    size: int,
    allowed: AnyArray,
    limit: float,
    kept: BoolArray,
    rule: int,
    words: AnyArray,
    face: AnyArray,
) -> tuple[int, float]:
    """``(new code, its cost)`` for the votes that row i heard."""
    # Gains are costs with the sign turned round, up to a constant of the row.
    each = everyone / votes.size
    if table.size:
        gains_by_table(votes, touched, n_touched, each, table, gains)
        final, mean = choose_face(
            i, older, gains, everything, size, size, allowed, limit, kept, rule, words, face
        )
        return final, -mean
    final, mean = choose_face(
        i, older, votes, touched, n_touched, size, allowed, limit, kept, rule, words, face
    )
    return final, total - each - mean


@kernel
def _store(
    i: int, final: int, older: Any, size: int, codes: AnyArray, words: AnyArray, face: AnyArray
) -> bool:
    """Write the face of row i; did it change?"""
    changed = bool(final != older)
    codes[i] = final
    if final == size + 1:
        for w in range(face.shape[1]):
            if changed or words[i, w] != face[0, w]:
                changed = True
                words[i, w] = face[0, w]
    return changed
