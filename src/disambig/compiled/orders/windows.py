"""Orders in which every item stands within its window of places.

Item i has a place from ``windows[i, 0]`` to ``windows[i, 1]``, and ``before`` forces pairs. Forced
pairs first narrow the windows: a later item has a later first place, an earlier item an earlier
last place. Then *earliest deadline first* decides whether such an order exists: at every place
stands, of the items whose windows have begun, the one whose window ends first. It respects the
forced pairs by itself, because the window of an earlier item begins and ends earlier.
"""

from typing import Any

import numpy as np

from disambig.compiled.jit import compiled, compiled_part, inlined
from disambig.notation import AnyArray, BoolArray


@compiled_part
def fill_windows(lower: AnyArray, upper: AnyArray, order: AnyArray) -> Any:
    """Fill `order` with the items by place, earliest deadline first.

    Returns False if no order has all items within their windows.
    """
    m = order.shape[0]
    placed = np.zeros(m, dtype=np.bool_)
    for place in range(m):
        chosen = -1
        for i in range(m):
            if not placed[i] and lower[i] <= place and (chosen < 0 or upper[i] < upper[chosen]):
                chosen = i
        if chosen < 0 or upper[chosen] < place:
            return False
        placed[chosen] = True
        order[place] = chosen
    return True


@compiled_part
def _narrow_by_pairs(
    before: BoolArray, sorted_items: AnyArray, lower: AnyArray, upper: AnyArray
) -> None:
    """Narrow windows by forced pairs; `sorted_items` are in an order that respects the pairs."""
    m = sorted_items.shape[0]
    for at in range(m):
        j = sorted_items[at]
        for i in range(m):
            if before[i, j] and lower[j] <= lower[i]:
                lower[j] = lower[i] + 1
    for at in range(m - 1, -1, -1):
        i = sorted_items[at]
        for j in range(m):
            if before[i, j] and upper[i] >= upper[j]:
                upper[i] = upper[j] - 1


@compiled_part
def _sort_by_pairs(before: BoolArray) -> AnyArray:
    """Items in an order that respects `before`, which is transitively closed."""
    n_before = np.zeros(before.shape[0], dtype=np.int64)
    for i in range(before.shape[0]):
        for j in range(before.shape[0]):
            n_before[j] += before[i, j]
    items = np.empty(n_before.shape[0], dtype=np.int64)
    count = 0
    for number in range(n_before.shape[0]):
        for i in range(n_before.shape[0]):
            if n_before[i] == number:
                items[count] = i
                count += 1
    return items


@compiled_part
def _try_order(
    before: BoolArray,
    sorted_items: AnyArray,
    lower: AnyArray,
    upper: AnyArray,
    order: AnyArray,
    possible: BoolArray,
    least: AnyArray,
    most: AnyArray,
) -> Any:
    """Look for an order within narrower windows, and record what it shows to be possible.

    `lower` and `upper` are overwritten. ``possible[i, j]``: i can stand before j; `least` and
    `most` are the extreme places seen of each item.
    """
    _narrow_by_pairs(before, sorted_items, lower, upper)
    if not fill_windows(lower, upper, order):
        return False
    m = order.shape[0]
    for place in range(m):
        i = order[place]
        least[i] = min(least[i], place)
        most[i] = max(most[i], place)
        for later in range(place + 1, m):
            possible[i, order[later]] = True
    return True


@inlined
def _copy_windows(lower: AnyArray, upper: AnyArray, low: AnyArray, high: AnyArray) -> None:
    """Copy by a loop, because the assignment of an array to a slice takes a second to compile."""
    for i in range(lower.shape[0]):
        low[i], high[i] = lower[i], upper[i]


@compiled_part
def _narrow_row(before: BoolArray, windows: AnyArray) -> Any:
    """Make the windows of one row, ``(m, 2)``, tight and add all pairs that follow from them.

    Returns False if no order is possible. An order that is found is evidence for many pairs and
    places at once, so that few of the others are left to be tried.
    """
    m = before.shape[0]
    lower, upper = windows[:, 0].copy(), windows[:, 1].copy()
    low, high = np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
    order, sorted_items = np.empty(m, dtype=np.int64), _sort_by_pairs(before)
    possible = np.zeros((m, m), dtype=np.bool_)
    least, most = np.full(m, m), np.full(m, -1)
    if not _try_order(before, sorted_items, lower, upper, order, possible, least, most):
        return False
    sorted_items = order.copy()
    for i in range(m):
        while lower[i] < least[i]:
            _copy_windows(lower, upper, low, high)
            high[i] = (lower[i] + least[i]) // 2
            middle = high[i]
            if not _try_order(before, sorted_items, low, high, order, possible, least, most):
                lower[i] = middle + 1
        while upper[i] > most[i]:
            _copy_windows(lower, upper, low, high)
            low[i] = (upper[i] + most[i] + 1) // 2
            middle = low[i]
            if not _try_order(before, sorted_items, low, high, order, possible, least, most):
                upper[i] = middle - 1
    for i in range(m):
        for j in range(m):
            if i != j and not possible[i, j] and not before[j, i]:
                _copy_windows(lower, upper, low, high)
                low[j] = max(low[j], low[i] + 1)
                high[i] = min(high[i], high[j] - 1)
                if not _try_order(before, sorted_items, low, high, order, possible, least, most):
                    before[j, i] = True
    for i in range(m):
        windows[i, 0], windows[i, 1] = lower[i], upper[i]
    return True


@compiled_part
def _says_more_than_pairs(before: BoolArray, windows: AnyArray) -> Any:
    """Whether a window is narrower than the pairs of its item alone make it."""
    m = before.shape[0]
    for i in range(m):
        earlier, later = 0, 0
        for j in range(m):
            earlier += before[j, i]
            later += before[i, j]
        if windows[i, 0] > earlier or windows[i, 1] < m - 1 - later:
            return True
    return False


@compiled
def narrow_windows(before: BoolArray, windows: AnyArray) -> BoolArray:
    """Make windows tight and add the pairs that follow from them, in place.

    Afterwards each end of a window is the place of its item in some order, and a pair that is not
    in `before` occurs in both directions. So equal sets of orders have equal arrays. A row whose
    windows follow from its pairs gets windows of all places.

    Parameters
    ----------
    before : bool, (n, m, m)
        Transitively closed, without a cycle.
    windows : int64, (n, m, 2)
        The first and the last place of each item, from 0 to m - 1.

    Returns
    -------
    impossible : bool, (n,)
        Rows that no order fits; they are not changed.
    """
    n, m = before.shape[0], before.shape[1]
    impossible = np.zeros(n, dtype=np.bool_)
    for r in range(n):
        impossible[r] = not _narrow_row(before[r], windows[r])
        if not impossible[r] and not _says_more_than_pairs(before[r], windows[r]):
            for i in range(m):
                windows[r, i, 0], windows[r, i, 1] = 0, m - 1
    return impossible


@compiled_part
def start_within_windows(before: BoolArray, windows: AnyArray, order: AnyArray) -> Any:
    """Fill `order` with items by place that respects pairs, closed or not, and windows ``(m, 2)``.

    Returns False if there is none.
    """
    m = order.shape[0]
    lower, upper = windows[:, 0].copy(), windows[:, 1].copy()
    # One pass for each pair of a chain is enough; a cycle makes windows empty.
    for _ in range(m):
        changed = False
        for i in range(m):
            for j in range(m):
                if before[i, j] and lower[j] <= lower[i]:
                    lower[j] = lower[i] + 1
                    changed = True
                if before[i, j] and upper[i] >= upper[j]:
                    upper[i] = upper[j] - 1
                    changed = True
        if not changed:
            break
    return fill_windows(lower, upper, order)


@compiled
def fits_windows(before: BoolArray, windows: AnyArray) -> BoolArray:
    """Whether some order respects the pairs and the windows of each problem, ``(b,)``.

    Parameters
    ----------
    before : bool, (b, m, m) or (1, m, m)
        Without a cycle; need not be closed.
    windows : int64, (b, m, 2)
    """
    fits = np.zeros(windows.shape[0], dtype=np.bool_)
    order = np.empty(windows.shape[1], dtype=np.int64)
    for r in range(windows.shape[0]):
        fits[r] = start_within_windows(before[min(r, before.shape[0] - 1)], windows[r], order)
    return fits
