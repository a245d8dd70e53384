"""Batches of ordering problems: their checks, their parts, and the result of a decoder.

A problem has costs of pairs and forced pairs; a decoder returns one order for each problem and a
proven bound. Problems fall into parts that stand one after another, and often every part is a
single item.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from disambig.compiled.majority import majority_parts
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

# Entries of the costs that are processed at once: 16 MiB, with temporaries of the same size.
_MAX_BLOCK_ENTRIES = 2**21


@dataclass(frozen=True, eq=False)
class DecodedOrders:
    """Orders of m items for b problems, each with its value and a proven bound.

    Parameters
    ----------
    ranks : int array (b, m)
        ``ranks[r, i]`` is the position of item i, 0 = first.
    values : float array (b,)
        The costs of the orders.
    gaps : float array (b,), non-negative
        No order is better by more than this: ``values - gaps`` are lower bounds.
    exact : bool array (b,)
        Whether the order is proven optimal, up to rounding.
    methods : str array (b,)
        How it was found: "first look" (every pair in its cheaper direction), "dynamic" (dynamic
        program over down-sets), "cuts" (linear programs with cuts), "local" (local search),
        "assignment". A problem that fell into parts has the most expensive method of its parts.

    Examples
    --------
    >>> from disambig.orderings.decode import order_decoder
    >>> costs = np.array([[[0, 1, 0], [2, 0, 1], [4, 3, 0]]])
    >>> found = order_decoder().decode(costs)
    >>> found.ranks, found.values, found.exact, found.methods
    (array([[0, 1, 2]]), array([2.]), array([ True]), array(['first look'], dtype='<U10'))
    """

    ranks: IntArray
    values: FloatArray
    gaps: FloatArray
    exact: BoolArray
    methods: AnyArray

    def __post_init__(self) -> None:
        for array in (self.ranks, self.values, self.gaps, self.exact, self.methods):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.ranks)

    @property
    def bounds(self) -> FloatArray:
        """Lower bounds on the cost of any order, ``(b,)``."""
        return np.asarray(self.values - self.gaps)


def as_problems(
    costs: AnyArray, before: AnyArray | None, name: str, *, diagonal: bool = False
) -> tuple[FloatArray, BoolArray]:
    """Costs as float64 ``(b, m, m)`` and forced pairs as bool ``(b, m, m)`` or ``(1, m, m)``.

    Parameters
    ----------
    costs : array (b, m, m)
        Finite. The diagonal is set to 0, unless `diagonal`.
    before : bool array (b, m, m) or (m, m), or None
        None forces nothing; a single relation holds for all problems. Raises if it has a cycle.
    name : str
        The calling function, for messages.
    diagonal : bool
        Whether the diagonal counts.

    Examples
    --------
    >>> costs, before = as_problems(np.zeros((5, 3, 3)), None, "example")
    >>> costs.shape, before.shape
    ((5, 3, 3), (1, 3, 3))
    """
    costs = np.ascontiguousarray(costs, dtype=np.float64)
    if costs.ndim != 3 or costs.shape[1] != costs.shape[2] or costs.shape[1] == 0:
        raise ValueError(
            f"{name}: costs must have shape (problems, items, items), got {costs.shape}. "
            "Write costs[None] for a single problem."
        )
    b, m, _ = costs.shape
    ignored = np.arange(0 if diagonal else m)
    # Arrays are made writeable: for read-only ones numba would compile its functions once more.
    if not costs.flags.writeable or costs[:, ignored, ignored].any():
        costs = costs.copy()
        costs[:, ignored, ignored] = 0.0
    finite = np.asarray(np.isfinite(costs).all(axis=(1, 2)))
    if not finite.all():
        raise ValueError(
            f"{name}: costs of problem {first_rows(~finite)} are not finite. "
            "Forbid a direction by `before`, not by an infinite cost."
        )
    if before is None:
        return costs, np.zeros((1, m, m), dtype=np.bool_)
    forced = np.ascontiguousarray(before)
    if forced.dtype != np.bool_:
        raise ValueError(f"{name}: before must be boolean, got {forced.dtype}.")
    if forced.ndim == 2:
        forced = forced[None]
    if forced.shape not in {(b, m, m), (1, m, m)}:
        raise ValueError(
            f"{name}: before must have shape {(b, m, m)} or {(m, m)} to fit the costs, "
            f"got {np.shape(before)}."
        )
    if not forced.flags.writeable:
        forced = forced.copy()
    _require_acyclic(forced, name)
    return costs, forced


def first_rows(mask: BoolArray) -> str:
    """The first True of a mask and their number, for messages.

    Examples
    --------
    >>> first_rows(np.array([False, True, True]))
    '1 (2 such problems)'
    """
    count = int(mask.sum())
    return f"{int(mask.argmax())} ({count} such problem{'s' if count > 1 else ''})"


def blocks(b: int, m: int) -> Iterator[slice]:
    """Slices of b problems on m items, 16 MiB of costs at a time; one empty slice if b = 0.

    Examples
    --------
    >>> [rows.stop for rows in blocks(50_000, 10)]
    [20971, 41942, 50000]
    """
    size = max(1, _MAX_BLOCK_ENTRIES // (m * m))
    for start in range(0, max(b, 1), size):
        yield slice(start, min(start + size, b))


def _require_acyclic(before: BoolArray, name: str) -> None:
    """Raise `ValueError` unless every relation ``(b, m, m)`` has an order that respects it."""
    b, m, _ = before.shape
    acyclic = np.asarray(~np.diagonal(before, axis1=1, axis2=2).any(axis=1))
    for rows in blocks(b, m):
        free = np.zeros(before[rows].shape)
        acyclic[rows] &= majority_parts(free, before[rows], False, np.zeros(len(free)))[1]
    if not acyclic.all():
        raise ValueError(
            f"{name}: the forced pairs of problem {first_rows(~acyclic)} contain a cycle. "
            "before[i, j] must be a strict partial order: no item may stand before itself, "
            "directly or through others."
        )


def order_values(costs: AnyArray, ranks: AnyArray) -> FloatArray:
    """``sum of costs[r, i, j] over pairs with ranks[r, i] < ranks[r, j]``, ``(b,)``.

    Examples
    --------
    >>> order_values(np.array([[[0, 1], [5, 0]]]), np.array([[1, 0]]))
    array([5.])
    """
    ranks, costs = np.asarray(ranks), np.asarray(costs)
    values = np.empty(len(ranks))
    for rows in blocks(*ranks.shape):
        earlier = ranks[rows, :, None] < ranks[rows, None, :]
        values[rows] = np.where(earlier, costs[rows], 0.0).sum(axis=(1, 2))
    return values


def pair_minima(costs: FloatArray, before: BoolArray) -> FloatArray:
    """The sum over pairs of the cheaper direction, or of the forced one: a lower bound, ``(b,)``.

    Examples
    --------
    >>> pair_minima(np.array([[[0.0, 1.0], [5.0, 0.0]]]), np.zeros((1, 2, 2), dtype=bool))
    array([1.])
    """
    allowed = np.where(np.swapaxes(before, 1, 2), np.inf, costs)
    first, second = np.triu_indices(costs.shape[1], 1)
    least: FloatArray = np.minimum(allowed[:, first, second], allowed[:, second, first]).sum(axis=1)
    return least


@dataclass(frozen=True, eq=False)
class PartGroup:
    """c parts of the same size k.

    Parameters
    ----------
    problems : int array (c,)
        The problem of each part.
    items : int array (c, k)
        The items of each part, sorted by index.
    starts : int array (c,)
        The position of the first item of the part in the order of the problem.
    """

    problems: IntArray
    items: IntArray
    starts: IntArray

    @property
    def size(self) -> int:
        """``k``."""
        return int(self.items.shape[1])

    @property
    def rows(self) -> IntArray:
        """`problems` as a column, to index together with `items`."""
        return self.problems[:, None]


@dataclass(frozen=True, eq=False)
class OrderParts:
    """For each problem the parts into which its items fall, in the order in which they stand.

    Parameters
    ----------
    parts : int array (b, m)
        ``parts[r, i]`` is the number of the part that holds item i.
    solved : bool array (b,)
        Whether every part is a single item. Then `parts` are the ranks of an optimal order.
    """

    parts: IntArray
    solved: BoolArray

    @property
    def starts(self) -> IntArray:
        """The number of items in earlier parts than that of item i, ``(b, m)``: ranks if solved."""
        parts = self.parts
        counts: IntArray = (parts[:, None, :] < parts[:, :, None]).sum(axis=2)
        return counts

    def groups(self) -> Iterator[PartGroup]:
        """The parts of at least two items, grouped by size, smallest first."""
        b, m = self.parts.shape
        sizes = np.bincount(
            (self.parts + m * np.arange(b)[:, None]).ravel(), minlength=b * m
        ).reshape(b, m)
        starts = np.cumsum(sizes, axis=1) - sizes
        by_part = np.argsort(self.parts, axis=1, kind="stable")
        for size in np.unique(sizes[sizes > 1]):
            problems, part = np.nonzero(sizes == size)
            first = starts[problems, part]
            items = by_part[problems[:, None], first[:, None] + np.arange(size)]
            yield PartGroup(problems, items, first)


def sub_problems(
    costs: FloatArray, before: BoolArray, group: PartGroup
) -> tuple[FloatArray, BoolArray]:
    """Costs and forced pairs within the parts of a group, ``(c, k, k)``.

    Examples
    --------
    >>> group = PartGroup(np.array([0]), np.array([[0, 2]]), np.array([0]))
    >>> costs, before = np.arange(9.0).reshape(1, 3, 3), np.zeros((1, 3, 3), dtype=bool)
    >>> sub_problems(costs, before, group)[0]
    array([[[0., 2.],
            [6., 8.]]])
    """
    rows, left, right = group.problems[:, None, None], group.items[:, :, None], group.items[:, None]
    owner = rows if len(before) == len(costs) else np.zeros_like(rows)
    return costs[rows, left, right], before[owner, left, right]


def order_parts(
    costs: AnyArray,
    before: AnyArray | None = None,
    *,
    ties: Literal["split", "join"] = "split",
    tolerance: AnyArray | float = 0.0,
) -> OrderParts:
    """Strongly connected parts of "i should stand before j", in topological order.

    i should stand before j if it must, or if neither direction is forced and
    ``costs[i, j] < costs[j, i]``. All pairs between parts can take that direction at once, so that
    optimal orders of the parts, one after another, are an optimal order.

    Parameters
    ----------
    costs : array (b, m, m)
        ``costs[r, i, j]`` is paid if i stands before j.
    before : bool array (b, m, m) or (m, m), optional
        ``before[r, i, j]``: i must stand before j. Acyclic.
    ties : "split" or "join"
        With "split" a tied pair is not related. This gives the finest parts, which suffice for
        *one* optimal order (of parts that may stand either way, the one with the smallest index
        stands first). With "join" a tied pair is related in both directions: *every* order within
        `tolerance` of the optimum keeps these parts one after another.
    tolerance : float or array (b,)
        The largest difference that is a tie, with "join".

    Returns
    -------
    OrderParts

    Examples
    --------
    Items 0, 1, 2 form a cycle, and item 3 is better before them all:

    >>> costs = np.zeros((1, 4, 4))
    >>> costs[0, [1, 2, 0], [0, 1, 2]] = 1
    >>> costs[0, :3, 3] = 1
    >>> order_parts(costs).parts
    array([[1, 1, 1, 0]])
    """
    costs, forced = as_problems(costs, before, "order_parts")
    slack = np.ascontiguousarray(np.broadcast_to(np.asarray(tolerance, dtype=float), len(costs)))
    return OrderParts(*majority_parts(costs, forced, ties == "join", slack))


def first_look(costs: AnyArray, before: AnyArray | None = None) -> OrderParts:
    """Optimal orders of the problems whose cheaper directions and forced pairs have no cycle.

    Parameters
    ----------
    costs : array (b, m, m)
    before : bool array (b, m, m) or (m, m), optional

    Returns
    -------
    OrderParts
        ``parts[solved]`` are the ranks of optimal orders; of tied items the smaller index stands
        first. In other problems the parts are still to be ordered.

    Examples
    --------
    >>> costs = np.zeros((2, 3, 3))
    >>> costs[0, 2, 0] = 1  # prefers 0 before 2
    >>> costs[1, [1, 2, 0], [0, 1, 2]] = 1  # 0 before 1 before 2 before 0
    >>> look = first_look(costs)
    >>> look.solved, look.parts[look.solved]
    (array([ True, False]), array([[0, 1, 2]]))
    """
    return order_parts(costs, before)
