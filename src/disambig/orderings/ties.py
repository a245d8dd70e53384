"""A uniform law on a set of orders, by what losses need of it.

All optimal orders at once: how many, and what they agree on.
"""

from dataclasses import dataclass
from math import factorial

import numpy as np

from disambig.compiled import lattice_ties as tied_paths
from disambig.compiled.majority import majority_parts
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.orderings.decode import OrderDecoder
from disambig.orderings.dynamic import LARGEST_LATTICE, require_lattice
from disambig.orderings.problems import OrderParts, as_problems, blocks, sub_problems


@dataclass(frozen=True, eq=False)
class OrderDistribution:
    """For each of b problems the uniform law on some orders of m items.

    Parameters
    ----------
    ranks : int array (b, m)
        One of the orders: the deterministic choice.
    counts : float array (b,)
        How many there are: exact up to ``2 ** 53``, rounded beyond (relative error below 1e-14).
    pairs : float array (b, m, m)
        ``pairs[r, i, j]``: probability that i stands before j; 0 on the diagonal. Exactly 0 or 1
        where all orders agree.
    places : float array (b, m, m)
        ``places[r, i, k]``: probability that item i has position k.
    complete : bool array (b,)
        False where the law stands for `ranks` alone, since all orders were out of reach.

    Examples
    --------
    >>> from disambig.orderings import linear_extensions
    >>> before = np.zeros((3, 3), dtype=bool)
    >>> before[0, 1] = True  # of 0, 1, 2: 0 before 1, and 2 anywhere
    >>> law = linear_extensions(before)
    >>> law.counts, law.mean_ranks
    (array([3.]), array([[0.33333333, 1.66666667, 1.        ]]))
    >>> law.undecided[0].astype(int)
    array([[0, 0, 1],
           [0, 0, 1],
           [1, 1, 0]])
    """

    ranks: IntArray
    counts: FloatArray
    pairs: FloatArray
    places: FloatArray
    complete: BoolArray

    def __post_init__(self) -> None:
        for array in (self.ranks, self.counts, self.pairs, self.places, self.complete):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.ranks)

    @property
    def mean_ranks(self) -> FloatArray:
        """Expected positions, ``(b, m)``."""
        return np.asarray(self.pairs.sum(axis=1))

    @property
    def undecided(self) -> BoolArray:
        """Pairs of which both directions occur, ``(b, m, m)``."""
        both: BoolArray = (self.pairs > 0.0) & (np.swapaxes(self.pairs, 1, 2) > 0.0)
        return both


# What one group of parts contributes: ranks, counts, pairs, places, complete.
_Law = tuple[IntArray, FloatArray, FloatArray, FloatArray, BoolArray]


def _tolerances(tolerance: AnyArray | float | None, costs: FloatArray) -> FloatArray:
    if tolerance is None:
        return np.asarray(1e-10 * np.abs(costs).max(axis=(1, 2), initial=0.0))
    return np.array(np.broadcast_to(np.asarray(tolerance, dtype=np.float64), len(costs)))


def _counted_law(
    costs: FloatArray, before: BoolArray, slack: FloatArray, *, positions: bool
) -> _Law:
    """By counting paths."""
    ranks, counts, pairs, places, _ = tied_paths.tied_orders(costs, before, positions, None, slack)
    total = counts[:, None, None]
    return ranks, counts.astype(np.float64), pairs / total, places / total, counts > 0


def _free_law(c: int, k: int) -> _Law:
    """All orders of k items: half of them have i before j."""
    return (
        np.tile(np.arange(k), (c, 1)),
        np.full(c, float(factorial(k))),
        np.tile((1.0 - np.eye(k)) / 2.0, (c, 1, 1)),
        np.full((c, k, k), 1.0 / k),
        np.ones(c, dtype=np.bool_),
    )


def _single_law(ranks: IntArray) -> _Law:
    """One order."""
    c, k = ranks.shape
    return (
        ranks,
        np.ones(c),
        (ranks[:, :, None] < ranks[:, None, :]).astype(np.float64),
        (ranks[:, :, None] == np.arange(k)).astype(np.float64),
        np.zeros(c, dtype=np.bool_),
    )


def _law_of_parts(
    costs: FloatArray, before: BoolArray, slack: FloatArray, decoder: OrderDecoder | None
) -> _Law:
    """Parts of one size ``(c, k, k)``: free ones, counted ones, ones that are too large."""
    c, k, _ = costs.shape
    spread = np.abs(costs - np.swapaxes(costs, 1, 2)).sum(axis=(1, 2)) / 2.0
    free = (spread <= slack) & ~before.any(axis=(1, 2))
    law = _free_law(c, k)
    left = np.flatnonzero(~free)
    if left.size == 0:
        return law
    if k > LARGEST_LATTICE and decoder is not None:
        other = _single_law(decoder.decode(costs[left], before[left]).ranks)
    else:
        require_lattice(k, "tied_orders", "Give a decoder, which returns one of the orders.")
        other = _counted_law(costs[left], before[left], slack[left], positions=False)
    for array, rest in zip(law, other, strict=True):
        array[left] = rest
    return law


def _law_of_block(
    costs: FloatArray, before: BoolArray, slack: FloatArray, decoder: OrderDecoder | None
) -> _Law:
    """Part by part; the law of a problem is that of independent parts, one after another."""
    parts = OrderParts(*majority_parts(costs, before, True, slack))
    b, m, _ = costs.shape
    ranks = parts.starts
    counts, complete = np.ones(b), np.ones(b, dtype=np.bool_)
    pairs = (ranks[:, :, None] < ranks[:, None, :]).astype(np.float64)
    places = (ranks[:, :, None] == np.arange(m)).astype(np.float64)
    for group in parts.groups():
        sub_costs, sub_before = sub_problems(costs, before, group)
        law = _law_of_parts(sub_costs, sub_before, slack[group.problems], decoder)
        rows, items, starts = group.rows, group.items, group.starts[:, None]
        ranks[rows, items] = starts + law[0]
        # A problem may have several parts of one size: all count.
        np.multiply.at(counts, group.problems, law[1])
        np.logical_and.at(complete, group.problems, law[4])
        pairs[rows[:, :, None], items[:, :, None], items[:, None, :]] = law[2]
        at = (starts + np.arange(group.size))[:, None, :]
        places[rows[:, :, None], items[:, :, None], at] = law[3]
    return ranks, counts, pairs, places, complete


def tied_orders(
    costs: AnyArray,
    before: AnyArray | None = None,
    *,
    tolerance: AnyArray | float | None = None,
    decoder: OrderDecoder | None = None,
) -> OrderDistribution:
    """The uniform law on the optimal orders: the barycentre of the optimal face.

    An order belongs if every step of it is on an order that costs at most `tolerance` more than
    the best. So all orders within the tolerance belong, and none that is more than m times as far
    off; below the smallest difference between values of orders these are exactly the optimal ones.

    Parameters
    ----------
    costs : array (b, m, m)
        ``costs[r, i, j]`` is paid if i stands before j.
    before : bool array (b, m, m) or (m, m), optional
        ``before[r, i, j]``: i must stand before j. Acyclic.
    tolerance : float or array (b,), optional
        By default ``1e-10 * max |costs[r]|``. With 0 rounding decides between equal sums.
    decoder : OrderDecoder, optional
        What orders a tied part of more than 20 items; such a row has `complete` False and a law of
        one order. Without it such a part is refused.

    Returns
    -------
    OrderDistribution

    Examples
    --------
    Three items in a circle of equal links: three optimal orders, each breaks one link.

    >>> costs = np.zeros((1, 3, 3))
    >>> costs[0, [1, 2, 0], [0, 1, 2]] = 1
    >>> law = tied_orders(costs)
    >>> law.counts, law.pairs[0].round(2)
    (array([3.]), array([[0.  , 0.67, 0.33],
           [0.33, 0.  , 0.67],
           [0.67, 0.33, 0.  ]]))
    """
    costs, forced = as_problems(costs, before, "tied_orders")
    slack = _tolerances(tolerance, costs)
    laws = []
    for rows in blocks(*costs.shape[:2]):
        own = forced if len(forced) == 1 else forced[rows]
        laws.append(_law_of_block(costs[rows], own, slack[rows], decoder))
    if len(laws) == 1:
        return OrderDistribution(*laws[0])
    return OrderDistribution(*(np.concatenate(arrays) for arrays in zip(*laws, strict=True)))


def tied_position_orders(
    costs: AnyArray,
    before: AnyArray | None = None,
    *,
    tolerance: AnyArray | float | None = None,
) -> OrderDistribution:
    """The uniform law on the orders that minimise ``sum_i costs[i, position of i]``.

    Parameters
    ----------
    costs : array (b, m, m), m <= 20
        ``costs[r, i, k]`` is paid if item i has position k.
    before : bool array (b, m, m) or (m, m), optional
    tolerance : float or array (b,), optional
        As for `tied_orders`.

    Returns
    -------
    OrderDistribution

    Examples
    --------
    Item 0 must be last, the others may do as they like:

    >>> costs = np.zeros((1, 3, 3))
    >>> costs[0, 0, :2] = 1
    >>> law = tied_position_orders(costs)
    >>> law.counts, law.mean_ranks
    (array([2.]), array([[2. , 0.5, 0.5]]))
    """
    costs, forced = as_problems(costs, before, "tied_position_orders", diagonal=True)
    require_lattice(
        costs.shape[1], "tied_position_orders", "Use position_orders, which returns one of them."
    )
    slack = _tolerances(tolerance, costs)
    return OrderDistribution(*_counted_law(costs, forced, slack, positions=True))
