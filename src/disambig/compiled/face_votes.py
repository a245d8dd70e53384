"""Votes of the neighbours of one row for vertices, from faces stored as codes and bits.

Codes and words are those of `face_sweep`. Indices and codes are unsigned, so that the compiler need
not handle negative indices; this halves the time of the loops over neighbours.
"""

from typing import Any

import numpy as np

from disambig.compiled.bits import has_bit, lowest_bit
from disambig.compiled.jit import compiled
from disambig.notation import AnyArray, BoolArray, FloatArray

_ONE = np.uint64(1)


@compiled
def packed_width(size: int) -> int:
    """Bits per code if ``size + 2`` counts share an integer of 63 bits; 0 if fewer than four."""
    width = 63 // (size + 2)
    return width if width >= 4 else 0


@compiled
def count_few(first: int, last: int, indices: AnyArray, codes: AnyArray, width: int) -> Any:
    """The number of neighbours with each code, packed into one integer, `width` bits each.

    Precondition: fewer than ``2**width`` neighbours.
    """
    counts = np.uint64(0)
    wide = np.uint64(width)
    for e in range(np.uint64(first), np.uint64(last)):
        counts += _ONE << (np.uint64(codes[indices[e]]) * wide)
    return np.int64(counts)


@compiled
def leader_of_few(counts: int, width: int, size: int, allowed: Any) -> tuple[int, int]:
    """The most votes of an allowed vertex, and that vertex, or -1 if several have as many.

    Precondition: at least one vertex is allowed.
    """
    count_mask = (1 << width) - 1
    best = second = vertex = 0
    for v in range(size):
        count = ((counts & count_mask) + 1) * (allowed & 1)
        counts >>= width
        allowed >>= 1
        second = max(second, min(best, count))
        vertex = v if count > best else vertex
        best = max(best, count)
    return best - 1, (vertex if best > second else -1)


@compiled
def leader_of_many(
    first: int,
    last: int,
    indices: AnyArray,
    codes: AnyArray,
    size: int,
    i: int,
    allowed: AnyArray,
    tallies: AnyArray,
    buffer: AnyArray,
) -> tuple[Any, Any, Any]:
    """The most votes of an allowed vertex, that vertex, and the number of votes for all vertices.

    For votes that are all equal. The vertex is -1 if several have as many votes, if no allowed
    vertex has a vote, or if a neighbour has several vertices.

    Preconditions: `tallies`, int32 ``(size + 2,)``, is 0 everywhere, and is 0 again afterwards;
    `buffer` has at least as many entries as there are neighbours.
    """
    free = allowed.shape[0] == 0
    count = np.uint64(last - first)
    start = np.uint64(first)
    for t in range(count):
        code = codes[indices[start + np.uint64(t)]]
        buffer[t] = code
        tallies[code] += 1
    best = second = for_all = np.int64(0)
    vertex = np.int64(-1)
    mixed = False
    for t in range(count):
        code = buffer[t]
        tally = np.int64(tallies[code])
        # The tally of a code is cleared at its first occurrence.
        if tally == 0:
            continue
        tallies[code] = 0
        if code >= size:
            mixed = mixed or code > size
            for_all += tally
        elif tally > second and (free or has_bit(allowed, i, np.int64(code))):
            if tally > best:
                best, second, vertex = tally, best, np.int64(code)
            else:
                second = tally
    return best, (vertex if best > second and not mixed else np.int64(-1)), for_all


@compiled
def add_counts(
    counts: int, width: int, size: int, votes: FloatArray, touched: AnyArray, seen: BoolArray
) -> tuple[int, float]:
    """Unpack the counts of `count_few` into `votes`.

    Returns the number of vertices with votes and the number of votes for all vertices.
    """
    count_mask = (1 << width) - 1
    n_touched = 0
    for v in range(size):
        count = counts & count_mask
        counts >>= width
        if count:
            votes[v] = count
            seen[v] = True
            touched[n_touched] = v
            n_touched += 1
    return n_touched, float(counts & count_mask)


@compiled
def add_votes(
    first: int,
    last: int,
    indices: AnyArray,
    data: FloatArray,
    codes: AnyArray,
    words: AnyArray,
    size: int,
    shared: bool,
    votes: FloatArray,
    touched: AnyArray,
    seen: BoolArray,
) -> tuple[int, float, float]:
    """Add up the votes of the neighbours of a row in `votes`.

    Returns the number of vertices with votes, the sum of votes for all vertices, and the sum of all
    votes. Vertices with votes are listed in ``touched[:n_touched]``.

    Preconditions: `votes` is 0 and `seen` is False everywhere. The caller resets both at
    ``touched[:n_touched]``.
    """
    n_touched = 0
    for_all = 0.0
    total = 0.0
    equal = data.size == 0
    for e in range(np.uint64(first), np.uint64(last)):
        vote = 1.0 if equal else np.float64(data[e])
        code = codes[indices[e]]
        total += vote
        if code < size:
            if not seen[code]:
                seen[code] = True
                touched[n_touched] = code
                n_touched += 1
            votes[code] += vote
        elif code == size:
            for_all += vote
        else:
            # `count_bits` inlined by hand: calling it for every neighbour doubles the time.
            j = indices[e]
            share = vote
            if shared:
                count = 0
                for w in range(words.shape[1]):
                    word = np.int64(words[j, w])
                    while word:
                        word &= word - 1
                        count += 1
                share = vote / count
            for w in range(words.shape[1]):
                word = np.int64(words[j, w])
                while word:
                    v = 32 * w + lowest_bit(word)
                    word &= word - 1
                    if not seen[v]:
                        seen[v] = True
                        touched[n_touched] = v
                        n_touched += 1
                    votes[v] += share
    return n_touched, for_all, total
