"""The nearest members of a list until their total weight suffices, in the order (distance, index).

Each row keeps a heap of the nearest members so far, the farthest on top. The result does not depend
on the order in which a row lists its members; of equal distances the smaller index is nearer. The
distances of the pairs in such lists are computed here, too.
"""

from typing import Any

import numpy as np

from disambig.compiled.distances import squared_distance
from disambig.compiled.jit import compiled, compiled_part, inlined
from disambig.notation import AnyArray, BoolArray, FloatArray

# indptr, indices and distances of the members that each row takes, the farthest distance taken, and
# whether the row found all of the weight that it wanted.
Selection = tuple[AnyArray, AnyArray, FloatArray, FloatArray, BoolArray]

# Part of the wanted weight that may be missing. Rounding errors of sums of fractional weights are
# far smaller, so a rest below this is rounding and not a vote.
NEGLIGIBLE_PART = 1e-9


@compiled_part
def _sift_down(distances: FloatArray, members: AnyArray, size: Any, root: Any) -> None:
    """Move the entry at `root` down until no child is farther."""
    while True:
        child = 2 * root + 1
        if child >= size:
            return
        other = child + 1
        if other < size and (
            distances[other] > distances[child]
            or (distances[other] == distances[child] and members[other] > members[child])
        ):
            child = other
        if distances[root] > distances[child] or (
            distances[root] == distances[child] and members[root] > members[child]
        ):
            return
        distances[root], distances[child] = distances[child], distances[root]
        members[root], members[child] = members[child], members[root]
        root = child


@inlined
def _sift_up(distances: FloatArray, members: AnyArray, leaf: Any) -> None:
    """Move the entry at `leaf` up until its parent is farther."""
    while leaf > 0:
        parent = (leaf - 1) // 2
        if distances[parent] > distances[leaf] or (
            distances[parent] == distances[leaf] and members[parent] > members[leaf]
        ):
            return
        distances[parent], distances[leaf] = distances[leaf], distances[parent]
        members[parent], members[leaf] = members[leaf], members[parent]
        leaf = parent


@inlined
def _counted_weight(member: Any, sample_weight: FloatArray, wanted: Any, own: Any) -> Any:
    """The weight that a member adds to the total.

    At most `wanted`, so that a huge weight does not cost the sum of the small ones their digits;
    zero for the row itself, which is taken in addition to what was wanted.
    """
    return 0.0 if member == own else min(sample_weight[member], wanted)


@inlined
def _add_if_near(
    distances: FloatArray,
    members: AnyArray,
    size: Any,
    total: Any,
    distance: Any,
    member: Any,
    sample_weight: FloatArray,
    wanted: Any,
    own: Any,
) -> Any:
    """Add a member unless nearer ones suffice; then remove the farthest while the rest suffices."""
    enough = wanted * (1.0 - NEGLIGIBLE_PART)
    if total >= enough and (
        distance > distances[0] or (distance == distances[0] and member > members[0])
    ):
        return size, total
    distances[size] = distance
    members[size] = member
    _sift_up(distances, members, size)
    size += 1
    total += _counted_weight(member, sample_weight, wanted, own)
    while size > 1 and total - _counted_weight(members[0], sample_weight, wanted, own) >= enough:
        total -= _counted_weight(members[0], sample_weight, wanted, own)
        size -= 1
        distances[0] = distances[size]
        members[0] = members[size]
        _sift_down(distances, members, size, 0)
    return size, total


@inlined
def _sort_and_count(
    distances: FloatArray,
    members: AnyArray,
    size: Any,
    sample_weight: FloatArray,
    wanted: Any,
    own: Any,
) -> Any:
    """Sort the heap; the number of members taken, the last distance, whether they suffice."""
    end = size
    while end > 1:
        end -= 1
        distances[0], distances[end] = distances[end], distances[0]
        members[0], members[end] = members[end], members[0]
        _sift_down(distances, members, end, 0)
    taken = 0.0
    count = 0
    while count < size and wanted - taken > NEGLIGIBLE_PART * wanted:
        if members[count] != own:
            taken += min(sample_weight[members[count]], wanted - taken)
        count += 1
    farthest = distances[count - 1] if count > 0 else 0.0
    return count, farthest, wanted - taken <= NEGLIGIBLE_PART * wanted


@compiled_part
def _append_integers(store: AnyArray, used: Any, new: AnyArray, count: Any) -> AnyArray:
    """Write `count` numbers behind those used, into a larger copy if `store` is too small.

    Loops, because the assignment of an array to a slice takes a second to compile.
    """
    if used + count > store.size:
        grown = np.empty(2 * store.size + count, dtype=np.int64)
        for at in range(used):
            grown[at] = store[at]
        store = grown
    for at in range(count):
        store[used + at] = new[at]
    return store


@compiled_part
def _append_floats(store: FloatArray, used: Any, new: FloatArray, count: Any) -> FloatArray:
    """As `_append_integers`."""
    if used + count > store.size:
        grown = np.empty(2 * store.size + count, dtype=np.float64)
        for at in range(used):
            grown[at] = store[at]
        store = grown
    for at in range(count):
        store[used + at] = new[at]
    return store


@compiled
def _take_nearest(
    indptr: AnyArray,
    indices: AnyArray,
    distances: FloatArray,
    sample_weight: FloatArray,
    wanted: Any,
    own: AnyArray,
    out_indptr: AnyArray,
    out_indices: AnyArray,
    out_distances: FloatArray,
    farthest: FloatArray,
    filled: BoolArray,
) -> None:
    """Write the results of `nearest_in_lists`.

    The heap of a row is built behind what is written, where there is space for all that it lists.
    """
    used = np.int64(0)
    for i in range(indptr.size - 1):
        size = np.int64(0)  # A literal would be a type of its own, and compiled for it.
        total = 0.0
        heap_distances, heap_members = out_distances[used:], out_indices[used:]
        for position in range(indptr[i], indptr[i + 1]):
            size, total = _add_if_near(
                heap_distances,
                heap_members,
                size,
                total,
                distances[position],
                indices[position],
                sample_weight,
                wanted,
                own[i],
            )
        count, farthest[i], filled[i] = _sort_and_count(
            heap_distances, heap_members, size, sample_weight, wanted, own[i]
        )
        used += count
        out_indptr[i + 1] = used


def nearest_in_lists(
    indptr: AnyArray,
    indices: AnyArray,
    distances: FloatArray,
    sample_weight: FloatArray,
    wanted: float,
    own: AnyArray,
) -> Selection:
    """Each row takes the nearest members that it lists until the weight of *others* is `wanted`.

    The row itself is taken if it is nearer than the last of them, so the result serves votes with
    and without it.

    Parameters
    ----------
    indptr, indices, distances : int64 (q + 1,), int64 (pairs,), float64 (pairs,)
        The members that each row lists, in any order; no NaN, no member twice.
    sample_weight : float64, (n,), positive
    wanted : float, positive
    own : int64, (q,)
        The member that is the row itself; -1 for none.

    Returns
    -------
    indptr, indices, distances : int64 (q + 1,), int64, float64
        Taken members by (distance, index).
    farthest : float64, (q,)
        The largest distance taken; 0 where no member was taken.
    filled : bool, (q,)
        Whether the row listed enough.
    """
    q = indptr.size - 1
    out_indptr = np.zeros(q + 1, dtype=np.int64)
    out_indices = np.empty(indices.size, dtype=np.int64)
    out_distances = np.empty(indices.size, dtype=np.float64)
    farthest, filled = np.zeros(q), np.zeros(q, dtype=np.bool_)
    _take_nearest(
        indptr,
        indices,
        distances,
        sample_weight,
        wanted,
        own,
        out_indptr,
        out_indices,
        out_distances,
        farthest,
        filled,
    )
    end = out_indptr[q]
    # Copies: most of what was allocated is often unused.
    return out_indptr, out_indices[:end].copy(), out_distances[:end].copy(), farthest, filled


@compiled
def nearest_by_scan(
    left: FloatArray, right: FloatArray, sample_weight: FloatArray, wanted: Any, own: AnyArray
) -> Selection:
    """`nearest_in_lists` where each row of `left` lists all rows of `right`, by squared distance.

    Rows of `right` are visited by index. The search of a row stops when members at distance 0
    suffice: later members would lose the tie. This is fast on data with many copies, where a search
    tree or a sorted list would visit all of them.
    """
    q, n = left.shape[0], right.shape[0]
    heap_distances = np.empty(n + 1, dtype=np.float64)
    heap_members = np.empty(n + 1, dtype=np.int64)
    out_indptr = np.zeros(q + 1, dtype=np.int64)
    out_indices: AnyArray = np.empty(16, dtype=np.int64)
    out_distances: FloatArray = np.empty(16, dtype=np.float64)
    farthest = np.zeros(q, dtype=np.float64)
    filled = np.zeros(q, dtype=np.bool_)
    enough = wanted * (1.0 - NEGLIGIBLE_PART)
    for i in range(q):
        size = np.int64(0)  # A literal would be a type of its own, and compiled for it.
        total = 0.0
        for member in range(n):
            if total >= enough and heap_distances[0] == 0.0:
                break
            distance = squared_distance(left, i, right, member)
            size, total = _add_if_near(
                heap_distances,
                heap_members,
                size,
                total,
                distance,
                member,
                sample_weight,
                wanted,
                own[i],
            )
        count, farthest[i], filled[i] = _sort_and_count(
            heap_distances, heap_members, size, sample_weight, wanted, own[i]
        )
        out_indices = _append_integers(out_indices, out_indptr[i], heap_members, count)
        out_distances = _append_floats(out_distances, out_indptr[i], heap_distances, count)
        out_indptr[i + 1] = out_indptr[i] + count
    end = out_indptr[q]
    return out_indptr, out_indices[:end], out_distances[:end], farthest, filled


@compiled
def weights_in_order(
    indptr: AnyArray,
    indices: AnyArray,
    sample_weight: FloatArray,
    wanted: FloatArray,
    absent: AnyArray,
) -> FloatArray:
    """The weight that each row takes from its members, in the order in which it lists them.

    Parameters
    ----------
    indptr, indices : int64, (q + 1,) and (pairs,)
    sample_weight : float64, (n,), positive
    wanted : float64, (q,), positive
        The last member is clipped so that the weights sum to `wanted`.
    absent : int64, (q,)
        A member that each row skips; -1 for none.

    Returns
    -------
    float64, (pairs,)
        0 for members after the last that is needed.
    """
    out = np.zeros(indices.size, dtype=np.float64)
    for i in range(indptr.size - 1):
        taken = 0.0
        for position in range(indptr[i], indptr[i + 1]):
            if wanted[i] - taken <= NEGLIGIBLE_PART * wanted[i]:
                break
            if indices[position] != absent[i]:
                out[position] = min(sample_weight[indices[position]], wanted[i] - taken)
                taken += out[position]
    return out


@compiled
def dense_pair_distances(
    left: FloatArray, right: FloatArray, indptr: AnyArray, indices: AnyArray
) -> FloatArray:
    """``|left[i] - right[j]|^2`` for every j that row i lists.

    Parameters
    ----------
    left, right : float64 or float32, (q, d) and (n, d)
        Differences are taken in double precision.
    indptr, indices : int64, (q + 1,) and (pairs,)
        Row i lists ``indices[indptr[i]:indptr[i + 1]]``.

    Returns
    -------
    float64, (pairs,)
    """
    distances = np.empty(indices.size, dtype=np.float64)
    for i in range(left.shape[0]):
        for position in range(indptr[i], indptr[i + 1]):
            distances[position] = squared_distance(left, i, right, indices[position])
    return distances


@compiled
def sparse_pair_distances(
    left_indptr: AnyArray,
    left_indices: AnyArray,
    left_data: FloatArray,
    right_indptr: AnyArray,
    right_indices: AnyArray,
    right_data: FloatArray,
    indptr: AnyArray,
    indices: AnyArray,
) -> FloatArray:
    """`dense_pair_distances` for compressed rows with sorted, distinct column indices."""
    distances = np.empty(indices.size, dtype=np.float64)
    for i in range(left_indptr.size - 1):
        for position in range(indptr[i], indptr[i + 1]):
            j = indices[position]
            a, a_end = left_indptr[i], left_indptr[i + 1]
            b, b_end = right_indptr[j], right_indptr[j + 1]
            total = 0.0
            while a < a_end or b < b_end:
                if b == b_end or (a < a_end and left_indices[a] < right_indices[b]):
                    difference = np.float64(left_data[a])
                    a += 1
                elif a == a_end or right_indices[b] < left_indices[a]:
                    difference = np.float64(right_data[b])
                    b += 1
                else:
                    difference = np.float64(left_data[a]) - np.float64(right_data[b])
                    a += 1
                    b += 1
                total += difference * difference
            distances[position] = total
    return distances
