"""What the neighbours of one row say: votes for vertices, from faces kept as codes and bits.

Indices and codes are unsigned, so that the compiler need not ask whether they count from the end;
the loops over neighbours take half the time.
"""

from typing import Any

import numpy as np

from disambig.compiled.bits import has_bit, lowest_bit
from disambig.compiled.jit import kernel
from disambig.notation import AnyArray, BoolArray, FloatArray

_ONE = np.uint64(1)


@kernel
def packed_width(size: int) -> int:
    """Bits that each of ``size + 2`` codes has in an integer of 63; 0 if fewer than four."""
    width = 63 // (size + 2)
    return width if width >= 4 else 0


@kernel
def count_few(first: int, last: int, indices: AnyArray, codes: AnyArray, width: int) -> Any:
    """How many neighbours have each code: counts side by side, `width` bits each.

    Precondition: fewer than ``2**width`` neighbours.
    """
    counts = np.uint64(0)
    wide = np.uint64(width)
    for e in range(np.uint64(first), np.uint64(last)):
        counts += _ONE << (np.uint64(codes[indices[e]]) * wide)
    return np.int64(counts)


@kernel
def leader_of_few(counts: int, width: int, size: int, allowed: Any) -> tuple[int, int]:
    """``(count, vertex)`` of the allowed vertex with most votes; vertex -1 if several have.

    Precondition: at least one vertex is allowed.
    """
    most = (1 << width) - 1
    best = second = vertex = 0
    for v in range(size):
        count = ((counts & most) + 1) * (allowed & 1)
        counts >>= width
        allowed >>= 1
        second = max(second, min(best, count))
        vertex = v if count > best else vertex
        best = max(best, count)
    return best - 1, (vertex if best > second else -1)


@kernel
def leader_of_many(
    first: int,
    last: int,
    indices: AnyArray,
    codes: AnyArray,
    size: int,
    i: int,
    allowed: AnyArray,
    tallies: AnyArray,
    recent: AnyArray,
) -> tuple[Any, Any, Any]:
    """Equal votes for many vertices: ``(count of the leader, its vertex, votes for all)``.

    The vertex is -1 if several lead, if none that is allowed was heard of, or if a neighbour has
    several vertices.

    Preconditions: `tallies` int32 ``(size + 2,)`` is 0 throughout, and is left so; `recent` has
    room for the neighbours.
    """
    free = allowed.shape[0] == 0
    count = np.uint64(last - first)
    start = np.uint64(first)
    for t in range(count):
        code = codes[indices[start + np.uint64(t)]]
        recent[t] = code
        tallies[code] += 1
    best = second = everyone = np.int64(0)
    vertex = np.int64(-1)
    mixed = False
    for t in range(count):
        code = recent[t]
        tally = np.int64(tallies[code])
        # A code met before has been dealt with.
        if tally == 0:
            continue
        tallies[code] = 0
        if code >= size:
            mixed = mixed or code > size
            everyone += tally
        elif tally > second and (free or has_bit(allowed, i, np.int64(code))):
            if tally > best:
                best, second, vertex = tally, best, np.int64(code)
            else:
                second = tally
    return best, (vertex if best > second and not mixed else np.int64(-1)), everyone


@kernel
def add_counts(
    counts: int, width: int, size: int, votes: FloatArray, touched: AnyArray, seen: BoolArray
) -> tuple[int, float]:
    """Unpack the counts of `count_few` into votes; ``(vertices heard of, votes for all)``."""
    most = (1 << width) - 1
    n_touched = 0
    for v in range(size):
        count = counts & most
        counts >>= width
        if count:
            votes[v] = count
            seen[v] = True
            touched[n_touched] = v
            n_touched += 1
    return n_touched, float(counts & most)


@kernel
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
    """Votes of a row; ``(vertices heard of, votes for all vertices alike, sum of all votes)``.

    Preconditions: `votes` is 0 and `seen` False throughout; whoever reads them puts that right
    again at ``touched[:n_touched]``.
    """
    n_touched = 0
    everyone = 0.0
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
            everyone += vote
        else:
            # Written out: a call for every neighbour takes as long as all of this.
            j = indices[e]
            part = vote
            if shared:
                count = 0
                for w in range(words.shape[1]):
                    word = np.int64(words[j, w])
                    while word:
                        word &= word - 1
                        count += 1
                part = vote / count
            for w in range(words.shape[1]):
                word = np.int64(words[j, w])
                while word:
                    v = 32 * w + lowest_bit(word)
                    word &= word - 1
                    if not seen[v]:
                        seen[v] = True
                        touched[n_touched] = v
                        n_touched += 1
                    votes[v] += part
    return n_touched, everyone, total
