"""Problems fall into parts that stand one after another; often every part is a single item."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from disambig.decoders.problems import as_problems
from disambig.kernels.majority import majority_parts
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

__all__ = ["OrderParts", "PartGroup", "first_look", "order_parts", "sub_problems"]


@dataclass(frozen=True, eq=False)
class PartGroup:
    """Parts of one size k, c of them.

    Parameters
    ----------
    problems : int array (c,)
        Whose parts they are.
    items : int array (c, k)
        Their items, by index.
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
        """`problems` as a column, to index beside `items`."""
        return self.problems[:, None]


@dataclass(frozen=True, eq=False)
class OrderParts:
    """For each problem the parts of its items, in the order in which they stand.

    Parameters
    ----------
    parts : int array (b, m)
        ``parts[r, i]`` is the number of the part that holds item i.
    settled : bool array (b,)
        Whether each part is a single item. Then `parts` are the ranks of an optimal order.
    """

    parts: IntArray
    settled: BoolArray

    @property
    def starts(self) -> IntArray:
        """How many items stand in earlier parts than item i, ``(b, m)``: ranks if settled."""
        parts = self.parts
        counts: IntArray = (parts[:, None, :] < parts[:, :, None]).sum(axis=2)
        return counts

    def groups(self) -> Iterator[PartGroup]:
        """The parts of two and more items, group by group of equal size, small ones first."""
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

    i should stand before j if it must, or if nothing is forced and
    ``costs[i, j] < costs[j, i]``. All pairs between parts can then go their way at once, so an
    optimal order is optimal orders of the parts, one after another.

    Parameters
    ----------
    costs : array (b, m, m)
        ``costs[r, i, j]`` is paid if i stands before j.
    before : bool array (b, m, m) or (m, m), optional
        ``before[r, i, j]``: i must stand before j. Acyclic.
    ties : "split" or "join"
        With "split" a tied pair relates nothing: the finest parts, enough for *one* optimal order
        (of parts that may go either way, the one with the smallest index stands first). With
        "join" it relates both ways: *every* order within `tolerance` of the optimum keeps these
        parts one after another.
    tolerance : float or array (b,)
        The largest difference that is a tie, for "join".

    Returns
    -------
    OrderParts

    Examples
    --------
    Items 0, 1, 2 in a circle, item 3 better before them all:

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
    """Where the cheaper directions and the forced pairs have no cycle, their order is optimal.

    Parameters
    ----------
    costs : array (b, m, m)
    before : bool array (b, m, m) or (m, m), optional

    Returns
    -------
    OrderParts
        ``parts[settled]`` are the ranks: tied pairs by the smallest index first. Where it is not
        settled, the parts that are left to order.

    Examples
    --------
    >>> costs = np.zeros((2, 3, 3))
    >>> costs[0, 2, 0] = 1  # prefers 0 before 2
    >>> costs[1, [1, 2, 0], [0, 1, 2]] = 1  # 0 before 1 before 2 before 0
    >>> look = first_look(costs)
    >>> look.settled, look.parts[look.settled]
    (array([ True, False]), array([[0, 1, 2]]))
    """
    return order_parts(costs, before)
