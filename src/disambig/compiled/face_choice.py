"""Choose the face of one row: its vertices of largest gain, and the face that it has.

A gain is a negative cost, up to a constant of the row. Faces are codes and words as in
`face_sweep`.
"""

from typing import Any

import numpy as np

from disambig.compiled.bits import (
    add_bit,
    clear_bits,
    copy_bits,
    count_bits,
    fill_bits,
    has_bit,
    lowest_bit,
)
from disambig.compiled.jit import compiled
from disambig.notation import AnyArray, BoolArray, FloatArray

# The new face of a row. REPLACE: the face of best vertices. GROW: that face, united with the older
# one if its mean gain is not larger. KEEP_VERTEX: the older vertex, unless another one is better.
REPLACE, GROW, KEEP_VERTEX = 0, 1, 2


@compiled
def gains_by_table(
    votes: FloatArray,
    touched: AnyArray,
    n_touched: int,
    vote_for_all: float,
    table: FloatArray,
    gains: FloatArray,
) -> None:
    """``gains = -(votes + vote_for_all) @ table``; votes are 0 outside ``touched[:n_touched]``."""
    gains[:] = 0.0
    if vote_for_all != 0.0:
        for t in range(table.shape[0]):
            for v in range(gains.size):
                gains[v] -= vote_for_all * table[t, v]
    for k in range(n_touched):
        t = touched[k]
        for v in range(gains.size):
            gains[v] -= votes[t] * table[t, v]


@compiled
def choose_face(
    i: int,
    older: Any,
    gains: FloatArray,
    touched: AnyArray,
    n_touched: int,
    size: int,
    allowed: AnyArray,
    limit: float,
    kept: BoolArray,
    rule: int,
    words: AnyArray,
    face: AnyArray,
) -> tuple[int, float]:
    """The new code of row i and the mean gain of that face.

    A face of several vertices, but not all, is written to `face`. Gains are 0 outside
    ``touched[:n_touched]``. An `allowed` without rows allows every vertex, and a `kept` without
    entries keeps no row. Gains within `limit` tie.
    """
    if kept.size and kept[i]:
        copy_bits(words, i, face, 0)
        return older, _mean_gain(i, older, gains, touched, n_touched, size, words)
    best, count, first, mean = _best_vertices(
        i, gains, touched, n_touched, size, allowed, limit, face
    )
    if rule == KEEP_VERTEX:
        if gains[older] >= best - limit:
            return older, gains[older]
        return first, gains[first]
    # A single older vertex that ties is among the best vertices already.
    if rule == GROW and older >= size:
        before = _mean_gain(i, older, gains, touched, n_touched, size, words)
        if not mean - before > limit:
            if older == size:
                return older, before
            if count == 1:
                clear_bits(face, 0)
                add_bit(face, 0, first)
            for w in range(face.shape[1]):
                face[0, w] |= words[i, w]
            count = count_bits(face, 0)
            mean = _mean_of_members(0, gains, face)
    if count == 1:
        return first, mean
    return (size if count == size else size + 1), mean


@compiled
def _mean_of_members(i: int, gains: FloatArray, words: AnyArray) -> float:
    """The mean gain of the vertices in the i-th set."""
    total = 0.0
    count = 0
    for w in range(words.shape[1]):
        word = np.int64(words[i, w])
        while word:
            total += gains[32 * w + lowest_bit(word)]
            word &= word - 1
            count += 1
    return total / count


@compiled
def _mean_gain(
    i: int,
    code: Any,
    gains: FloatArray,
    touched: AnyArray,
    n_touched: int,
    size: int,
    words: AnyArray,
) -> float:
    """The mean gain of the vertices of the face that row i has."""
    if code < size:
        return float(gains[code])
    if code > size:
        return float(_mean_of_members(i, gains, words))
    total = 0.0
    for k in range(n_touched):
        total += gains[touched[k]]
    return total / size


@compiled
def _best_vertices(
    i: int,
    gains: FloatArray,
    touched: AnyArray,
    n_touched: int,
    size: int,
    allowed: AnyArray,
    limit: float,
    face: AnyArray,
) -> tuple[float, int, int, float]:
    """Allowed vertices within `limit` of the largest gain.

    Returns the largest gain, the number of these vertices, the smallest of them, and their mean
    gain. If there are several, they are written to `face`.
    """
    free = allowed.shape[0] == 0
    best = -np.inf
    for k in range(n_touched):
        v = touched[k]
        if gains[v] > best and (free or has_bit(allowed, i, v)):
            best = gains[v]
    # Vertices that are not touched have gain 0. They matter only if 0 is within `limit` of the best
    # gain of the others, or larger.
    if n_touched < size and best <= limit:
        return _best_of_all_vertices(i, gains, size, allowed, limit, face)
    count = 0
    first = size
    total = 0.0
    for k in range(n_touched):
        v = touched[k]
        if gains[v] >= best - limit and (free or has_bit(allowed, i, v)):
            if count == 1:
                clear_bits(face, 0)
                add_bit(face, 0, first)
            if count >= 1:
                add_bit(face, 0, v)
            count += 1
            first = min(first, v)
            total += gains[v]
    return best, count, first, total / count


@compiled
def _best_of_all_vertices(
    i: int, gains: FloatArray, size: int, allowed: AnyArray, limit: float, face: AnyArray
) -> tuple[float, int, int, float]:
    """`_best_vertices` with a look at every allowed vertex, touched or not."""
    if allowed.shape[0] == 0:
        fill_bits(face, 0, size)
    else:
        copy_bits(allowed, i, face, 0)
    best = -np.inf
    for w in range(face.shape[1]):
        word = np.int64(face[0, w])
        while word:
            gain = gains[32 * w + lowest_bit(word)]
            word &= word - 1
            if gain > best:
                best = gain
    count = 0
    first = size
    total = 0.0
    for w in range(face.shape[1]):
        word = np.int64(face[0, w])
        while word:
            v = 32 * w + lowest_bit(word)
            if gains[v] >= best - limit:
                count += 1
                first = min(first, v)
                total += gains[v]
            else:
                face[0, w] = np.int64(face[0, w]) & ~(word & -word)
            word &= word - 1
    return best, count, first, total / count
