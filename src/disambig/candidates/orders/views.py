"""What partial orders are read as: signs, pairs of names, rankings, and a line of text."""

from typing import Any

import numpy as np

from disambig.candidates.labels.classes import listed, preview
from disambig.candidates.orders.items import order_error
from disambig.notation import AnyArray, BoolArray, IntArray
from disambig.notebooks import first_rows


def sign_array(before: BoolArray) -> AnyArray:
    """+1 where i stands before j, -1 where after, 0 not known: ``(n, m, m)`` of int8."""
    signs = before.astype(np.int8)
    signs -= before.transpose(0, 2, 1)
    return signs


def pair_signs(before: BoolArray) -> AnyArray:
    """One sign per pair ``i < j``, ``(n, m (m - 1) / 2)`` of int8."""
    n, m, _ = before.shape
    i, j = np.triu_indices(m, 1)
    # One index into flattened pairs is several times as fast as two.
    pairs = before.reshape(n, m**2).view(np.int8)
    return np.asarray(pairs.take(i * m + j, 1) - pairs.take(j * m + i, 1))


def named_pairs(before: BoolArray, items: AnyArray) -> list[frozenset[tuple[Any, Any]]]:
    """The pairs of each row, as n frozensets of pairs of names."""
    _, first, second = np.nonzero(before)
    names = listed(items)
    pairs = [(names[i], names[j]) for i, j in zip(first.tolist(), second.tolist(), strict=True)]
    ends = np.cumsum(np.count_nonzero(before, axis=(1, 2))).tolist()
    starts = [0, *ends][: len(ends)]
    return [frozenset(pairs[i:j]) for i, j in zip(starts, ends, strict=True)]


def only_rankings(before: BoolArray, is_total: BoolArray) -> IntArray:
    """The ranking of each row, ``(n, m)``, from 0 on; raises if a row is not total."""
    if not is_total.all():
        raise order_error(
            ~is_total,
            "allows several rankings",
            "Select the rows where is_total is True.",
        )
    ranks: IntArray = np.count_nonzero(before, axis=1)
    return ranks


def placed_rows(windows: IntArray | None, n: int, m: int) -> BoolArray:
    """Rows, ``(n,)``, with a window that is not all m places."""
    if windows is None:
        return np.zeros(n, dtype=np.bool_)
    return np.asarray((windows != np.array([0, m - 1])).any(axis=(1, 2)))


def same_windows(a: IntArray | None, b: IntArray | None) -> bool:
    """Whether windows are equal; None is the same as windows of all places."""
    if a is None or b is None:
        return not any(placed_rows(w, *w.shape[:2]).any() for w in (a, b) if w is not None)
    return np.array_equal(a, b)


def described(orders: Any) -> str:
    """The contents of `PartialOrders` in a line."""
    n, m = orders.shape
    n_pairs = n * m * (m - 1) // 2
    known = f"{orders.n_observed.sum() / n_pairs:.0%}" if n_pairs else "0%"
    placed = np.count_nonzero(orders.is_placed)
    return (
        f"PartialOrders({n} rows, {m} items {preview(listed(orders.items))}, "
        f"{np.count_nonzero(orders.is_total)} total, "
        f"{np.count_nonzero(~orders.informative)} empty, {known} of pairs known"
        f"{f', {placed} with places' if placed else ''})"
    )


def as_html(orders: Any) -> str:
    """The first rows, for notebooks."""
    return first_rows(orders)
