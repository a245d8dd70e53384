"""The nearest of a list until their mass suffices, in the order (distance, index).

Each row keeps a heap of the best so far, worst on top. Nothing depends on the order in which a
row lists its members, and equal distances go to the smaller index.
"""

from typing import Any

import numpy as np

from disambig.compiled.distances import squared_distance
from disambig.compiled.jit import kernel
from disambig.notation import AnyArray, BoolArray, FloatArray

# Where each row begins, whom it takes and how far they are, the farthest distance taken, whether
# the row found all the mass it wanted.
Selection = tuple[AnyArray, AnyArray, FloatArray, FloatArray, BoolArray]

# Running sums of fractional masses are off by far less than this part of the wanted mass; what
# is left to take below it is rounding, not a vote.
NEGLIGIBLE = 1e-9


@kernel
def _sink(distances: FloatArray, members: AnyArray, size: Any, root: Any) -> None:
    """Move the entry at `root` down until no child is worse."""
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


@kernel
def _rise(distances: FloatArray, members: AnyArray, leaf: Any) -> None:
    """Move the entry at `leaf` up until its parent is worse."""
    while leaf > 0:
        parent = (leaf - 1) // 2
        if distances[parent] > distances[leaf] or (
            distances[parent] == distances[leaf] and members[parent] > members[leaf]
        ):
            return
        distances[parent], distances[leaf] = distances[leaf], distances[parent]
        members[parent], members[leaf] = members[leaf], members[parent]
        leaf = parent


@kernel
def _counted(member: Any, sample_weight: FloatArray, wanted: Any, own: Any) -> Any:
    """What a member adds to the mass held.

    No more than the wanted one, so that a huge mass does not blur the running sum of the small
    ones; nothing for the row itself, which is kept on top of what was wanted.
    """
    return 0.0 if member == own else min(sample_weight[member], wanted)


@kernel
def _offer(
    distances: FloatArray,
    members: AnyArray,
    size: Any,
    held: Any,
    distance: Any,
    member: Any,
    sample_weight: FloatArray,
    wanted: Any,
    own: Any,
) -> Any:
    """Add a member unless the heap is full of better ones; drop what became superfluous."""
    enough = wanted * (1.0 - NEGLIGIBLE)
    if held >= enough and (
        distance > distances[0] or (distance == distances[0] and member > members[0])
    ):
        return size, held
    distances[size] = distance
    members[size] = member
    _rise(distances, members, size)
    size += 1
    held += _counted(member, sample_weight, wanted, own)
    while size > 1 and held - _counted(members[0], sample_weight, wanted, own) >= enough:
        held -= _counted(members[0], sample_weight, wanted, own)
        size -= 1
        distances[0] = distances[size]
        members[0] = members[size]
        _sink(distances, members, size, 0)
    return size, held


@kernel
def _settle(
    distances: FloatArray,
    members: AnyArray,
    size: Any,
    sample_weight: FloatArray,
    wanted: Any,
    own: Any,
) -> Any:
    """Sort the heap; how many members take part, how far the last is, whether they suffice."""
    end = size
    while end > 1:
        end -= 1
        distances[0], distances[end] = distances[end], distances[0]
        members[0], members[end] = members[end], members[0]
        _sink(distances, members, end, 0)
    taken = 0.0
    count = 0
    while count < size and wanted - taken > NEGLIGIBLE * wanted:
        if members[count] != own:
            taken += min(sample_weight[members[count]], wanted - taken)
        count += 1
    farthest = distances[count - 1] if count > 0 else 0.0
    return count, farthest, wanted - taken <= NEGLIGIBLE * wanted


@kernel
def _append_integers(store: AnyArray, used: Any, new: AnyArray, count: Any) -> AnyArray:
    if used + count > store.size:
        grown = np.empty(max(2 * store.size, used + count), dtype=np.int64)
        grown[:used] = store[:used]
        store = grown
    store[used : used + count] = new[:count]
    return store


@kernel
def _append_floats(store: FloatArray, used: Any, new: FloatArray, count: Any) -> FloatArray:
    if used + count > store.size:
        grown = np.empty(max(2 * store.size, used + count), dtype=np.float64)
        grown[:used] = store[:used]
        store = grown
    store[used : used + count] = new[:count]
    return store


@kernel
def nearest_in_lists(
    indptr: AnyArray,
    indices: AnyArray,
    distances: FloatArray,
    sample_weight: FloatArray,
    wanted: Any,
    own: AnyArray,
) -> Selection:
    """Each row takes the nearest it lists until the mass of the *others* reaches `wanted`.

    The row itself is taken where it comes before the last of them, so that what is taken serves
    votes with and without it.

    Parameters
    ----------
    indptr, indices, distances : int64 (q + 1,), int64 (pairs,), float64 (pairs,)
        What each row lists, in any order; no NaN, no member twice.
    masses : float64, (n,), positive
    wanted : float, positive
    own : int64, (q,)
        The member that each row is itself; -1 for none.

    Returns
    -------
    indptr, indices, distances : int64 (q + 1,), int64, float64
        Taken members by (distance, index).
    farthest : float64, (q,)
        The largest distance taken; 0 where nothing was.
    filled : bool, (q,)
        Whether the row listed enough.
    """
    q = indptr.size - 1
    widest = 1
    for i in range(q):
        widest = max(widest, indptr[i + 1] - indptr[i])
    heap_distances = np.empty(widest, dtype=np.float64)
    heap_members = np.empty(widest, dtype=np.int64)
    out_indptr = np.zeros(q + 1, dtype=np.int64)
    out_indices: AnyArray = np.empty(16, dtype=np.int64)
    out_distances: FloatArray = np.empty(16, dtype=np.float64)
    farthest = np.zeros(q, dtype=np.float64)
    filled = np.zeros(q, dtype=np.bool_)
    for i in range(q):
        size = 0
        held = 0.0
        for position in range(indptr[i], indptr[i + 1]):
            size, held = _offer(
                heap_distances,
                heap_members,
                size,
                held,
                distances[position],
                indices[position],
                sample_weight,
                wanted,
                own[i],
            )
        count, farthest[i], filled[i] = _settle(
            heap_distances, heap_members, size, sample_weight, wanted, own[i]
        )
        out_indices = _append_integers(out_indices, out_indptr[i], heap_members, count)
        out_distances = _append_floats(out_distances, out_indptr[i], heap_distances, count)
        out_indptr[i + 1] = out_indptr[i] + count
    end = out_indptr[q]
    return out_indptr, out_indices[:end], out_distances[:end], farthest, filled


@kernel
def nearest_by_scan(
    left: FloatArray, right: FloatArray, sample_weight: FloatArray, wanted: Any, own: AnyArray
) -> Selection:
    """The same where each row of `left` lists all rows of `right`, at squared distance.

    Rows are visited by index, so a row that has its mass at distance 0 stops: whatever comes
    later loses the tie. Data made of repeated rows are thus quick, where a search tree or a
    sorted list would wade through all the copies.
    """
    q, n = left.shape[0], right.shape[0]
    heap_distances = np.empty(n + 1, dtype=np.float64)
    heap_members = np.empty(n + 1, dtype=np.int64)
    out_indptr = np.zeros(q + 1, dtype=np.int64)
    out_indices: AnyArray = np.empty(16, dtype=np.int64)
    out_distances: FloatArray = np.empty(16, dtype=np.float64)
    farthest = np.zeros(q, dtype=np.float64)
    filled = np.zeros(q, dtype=np.bool_)
    enough = wanted * (1.0 - NEGLIGIBLE)
    for i in range(q):
        size = 0
        held = 0.0
        for member in range(n):
            if held >= enough and heap_distances[0] == 0.0:
                break
            distance = squared_distance(left, i, right, member)
            size, held = _offer(
                heap_distances,
                heap_members,
                size,
                held,
                distance,
                member,
                sample_weight,
                wanted,
                own[i],
            )
        count, farthest[i], filled[i] = _settle(
            heap_distances, heap_members, size, sample_weight, wanted, own[i]
        )
        out_indices = _append_integers(out_indices, out_indptr[i], heap_members, count)
        out_distances = _append_floats(out_distances, out_indptr[i], heap_distances, count)
        out_indptr[i + 1] = out_indptr[i] + count
    end = out_indptr[q]
    return out_indptr, out_indices[:end], out_distances[:end], farthest, filled


@kernel
def mass_in_order(
    indptr: AnyArray,
    indices: AnyArray,
    sample_weight: FloatArray,
    wanted: FloatArray,
    absent: AnyArray,
) -> FloatArray:
    """The mass that each row takes from its members, in the order it lists them.

    Parameters
    ----------
    indptr, indices : int64, (q + 1,) and (pairs,)
    masses : float64, (n,), positive
    wanted : float64, (q,), positive
        The last member is clipped so that the masses sum to it.
    absent : int64, (q,)
        A member that each row passes over; -1 for none.

    Returns
    -------
    float64, (pairs,)
        0 for those that come too late.
    """
    out = np.zeros(indices.size, dtype=np.float64)
    for i in range(indptr.size - 1):
        taken = 0.0
        for position in range(indptr[i], indptr[i + 1]):
            if wanted[i] - taken <= NEGLIGIBLE * wanted[i]:
                break
            if indices[position] != absent[i]:
                out[position] = min(sample_weight[indices[position]], wanted[i] - taken)
                taken += out[position]
    return out
