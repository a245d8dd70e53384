"""The face that answers one row best, beside the one that it has."""

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
from disambig.compiled.jit import kernel
from disambig.notation import AnyArray, BoolArray, FloatArray

# What becomes of a row: the face that answers best; that one, joined to the older one where it
# gains nothing; or the older vertex unless another is better.
NEWEST, GROWN, SETTLED = 0, 1, 2


@kernel
def gains_by_table(
    votes: FloatArray,
    touched: AnyArray,
    n_touched: int,
    each: float,
    table: FloatArray,
    gains: FloatArray,
) -> None:
    """``gains = -(votes + each) @ table``."""
    gains[:] = 0.0
    if each != 0.0:
        for t in range(table.shape[0]):
            for v in range(gains.size):
                gains[v] -= each * table[t, v]
    for k in range(n_touched):
        t = touched[k]
        for v in range(gains.size):
            gains[v] -= votes[t] * table[t, v]


@kernel
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
    """``(new code, mean gain there)`` of row i; several vertices are put in `face`.

    Gains are 0 outside the first `n_touched` of `touched`.
    """
    if kept.size and kept[i]:
        copy_bits(words, i, face, 0)
        return older, _mean_gain(i, older, gains, touched, n_touched, size, words)
    best, count, first, mean = _leaders(i, gains, touched, n_touched, size, allowed, limit, face)
    if rule == SETTLED:
        if gains[older] >= best - limit:
            return older, gains[older]
        return first, gains[first]
    # A single older vertex that ties is among the leaders already.
    if rule == GROWN and older >= size:
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


@kernel
def _mean_of_members(i: int, gains: FloatArray, words: AnyArray) -> float:
    """The mean gain over the vertices of the i-th set."""
    total = 0.0
    count = 0
    for w in range(words.shape[1]):
        word = np.int64(words[i, w])
        while word:
            total += gains[32 * w + lowest_bit(word)]
            word &= word - 1
            count += 1
    return total / count


@kernel
def _mean_gain(
    i: int,
    code: Any,
    gains: FloatArray,
    touched: AnyArray,
    n_touched: int,
    size: int,
    words: AnyArray,
) -> float:
    """The mean gain over the face that row i has."""
    if code < size:
        return float(gains[code])
    if code > size:
        return float(_mean_of_members(i, gains, words))
    total = 0.0
    for k in range(n_touched):
        total += gains[touched[k]]
    return total / size


@kernel
def _leaders(
    i: int,
    gains: FloatArray,
    touched: AnyArray,
    n_touched: int,
    size: int,
    allowed: AnyArray,
    limit: float,
    face: AnyArray,
) -> tuple[float, int, int, float]:
    """Allowed vertices within `limit` of the largest gain: ``(best, how many, first, mean)``.

    More than one are put in `face`.
    """
    free = allowed.shape[0] == 0
    best = -np.inf
    for k in range(n_touched):
        v = touched[k]
        if gains[v] > best and (free or has_bit(allowed, i, v)):
            best = gains[v]
    # Whoever was not heard of has gain 0, which ties with or beats a best that is no larger.
    if n_touched < size and best <= limit:
        return _leaders_of_all(i, gains, size, allowed, limit, face)
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


@kernel
def _leaders_of_all(
    i: int, gains: FloatArray, size: int, allowed: AnyArray, limit: float, face: AnyArray
) -> tuple[float, int, int, float]:
    """The same, looking at every allowed vertex."""
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
