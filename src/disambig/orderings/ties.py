"""All optimal orders at once, as a uniform distribution.

A distribution on orders is represented by its size, the probabilities of pairs, and those of the
positions of items, which is what losses need.
"""

from dataclasses import dataclass
from math import factorial

import numpy as np

from disambig.compiled import lattice_ties
from disambig.compiled.majority import majority_parts
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.orderings.decode import OrderDecoder
from disambig.orderings.dynamic import LARGEST_LATTICE, require_lattice
from disambig.orderings.problems import OrderParts, as_problems, blocks, sub_problems
from disambig.orderings.windows import (
    as_windows,
    no_windows,
    placed_problems,
    sub_windows,
    window_parts,
)


@dataclass(frozen=True, eq=False)
class OrderDistribution:
    """For each of b problems the uniform distribution on some orders of m items.

    Parameters
    ----------
    ranks : int array (b, m)
        One of the orders, chosen deterministically.
    counts : float array (b,)
        The number of orders: exact up to ``2 ** 53``, beyond with a relative error below 1e-14.
    pairs : float array (b, m, m)
        ``pairs[r, i, j]``: probability that i stands before j; 0 on the diagonal. Exactly 0 or 1
        where all orders agree.
    places : float array (b, m, m)
        ``places[r, i, k]``: probability that item i has position k.
    complete : bool array (b,)
        False if the distribution has the order `ranks` only, because the others are too expensive
        to count.

    Examples
    --------
    >>> from disambig.orderings.distributions import linear_extensions
    >>> before = np.zeros((3, 3), dtype=bool)
    >>> before[0, 1] = True  # of 0, 1, 2: 0 before 1, and 2 anywhere
    >>> found = linear_extensions(before)
    >>> found.counts, found.mean_ranks
    (array([3.]), array([[0.33333333, 1.66666667, 1.        ]]))
    >>> found.undecided[0].astype(int)
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
        """Pairs for which both directions occur, ``(b, m, m)``."""
        both: BoolArray = (self.pairs > 0.0) & (np.swapaxes(self.pairs, 1, 2) > 0.0)
        return both


# The distributions of a group of parts: ranks, counts, pairs, places, complete.
_Distributions = tuple[IntArray, FloatArray, FloatArray, FloatArray, BoolArray]


def _tolerances(tolerance: AnyArray | float | None, costs: FloatArray) -> FloatArray:
    """The tolerance of each problem, ``(b,)``; by default 1e-10 of its largest cost."""
    if tolerance is None:
        return np.asarray(1e-10 * np.abs(costs).max(axis=(1, 2), initial=0.0))
    return np.array(np.broadcast_to(np.asarray(tolerance, dtype=np.float64), len(costs)))


def _counted_distribution(
    costs: FloatArray,
    before: BoolArray,
    slack: FloatArray,
    windows: IntArray | None,
    *,
    positions: bool,
) -> _Distributions:
    """The optimal orders, counted by the dynamic program over prefixes."""
    ranks, counts, pairs, places, _ = lattice_ties.tied_orders(
        costs, before, no_windows() if windows is None else windows, positions, None, slack
    )
    total = counts[:, None, None]
    return ranks, counts.astype(np.float64), pairs / total, places / total, counts > 0


def _free_distribution(c: int, k: int) -> _Distributions:
    """All orders of k items, for c parts: i stands before j in half of them."""
    return (
        np.tile(np.arange(k), (c, 1)),
        np.full(c, float(factorial(k))),
        np.tile((1.0 - np.eye(k)) / 2.0, (c, 1, 1)),
        np.full((c, k, k), 1.0 / k),
        np.ones(c, dtype=np.bool_),
    )


def _single_distribution(ranks: IntArray) -> _Distributions:
    """A single order per part, given by its ranks; `complete` is False."""
    c, k = ranks.shape
    return (
        ranks,
        np.ones(c),
        (ranks[:, :, None] < ranks[:, None, :]).astype(np.float64),
        (ranks[:, :, None] == np.arange(k)).astype(np.float64),
        np.zeros(c, dtype=np.bool_),
    )


def _distribution_of_parts(
    costs: FloatArray, before: BoolArray, slack: FloatArray, decoder: OrderDecoder | None
) -> _Distributions:
    """Parts of one size, ``(c, k, k)``: all orders tie, or they are counted or decoded."""
    c, k, _ = costs.shape
    # If nothing is forced and the cost differences of all pairs sum to at most the tolerance, all
    # orders tie.
    spread = np.abs(costs - np.swapaxes(costs, 1, 2)).sum(axis=(1, 2)) / 2.0
    free = (spread <= slack) & ~before.any(axis=(1, 2))
    distribution = _free_distribution(c, k)
    left = np.flatnonzero(~free)
    if left.size == 0:
        return distribution
    if k > LARGEST_LATTICE and decoder is not None:
        other = _single_distribution(decoder.decode(costs[left], before[left]).ranks)
    else:
        require_lattice(k, "tied_orders", "Pass a decoder, which returns one of the orders.")
        other = _counted_distribution(costs[left], before[left], slack[left], None, positions=False)
    _put(distribution, left, other)
    return distribution


def _distribution_of_placed_parts(
    costs: FloatArray,
    before: BoolArray,
    windows: IntArray,
    slack: FloatArray,
    decoder: OrderDecoder | None,
) -> _Distributions:
    """Parts of one size that windows separate: as a whole if windows matter within them."""
    c, k, _ = costs.shape
    placed = placed_problems(windows, before)
    rest, left = np.flatnonzero(~placed), np.flatnonzero(placed)
    distribution = _free_distribution(c, k)
    if rest.size:
        found = _distribution_of_block(costs[rest], before[rest], slack[rest], decoder)
        _put(distribution, rest, found)
    if left.size:
        costs, before, windows = costs[left], before[left], windows[left]
        if k > LARGEST_LATTICE and decoder is not None:
            found = _single_distribution(decoder.decode(costs, before, windows).ranks)
        else:
            require_lattice(k, "tied_orders", "Pass a decoder, which returns one of the orders.")
            found = _counted_distribution(costs, before, slack[left], windows, positions=False)
        _put(distribution, left, found)
    return distribution


def _put(distribution: _Distributions, rows: IntArray, found: _Distributions) -> None:
    """Write what was found to some rows of a distribution."""
    for array, values in zip(distribution, found, strict=True):
        array[rows] = values


def _distribution_of_block(
    costs: FloatArray,
    before: BoolArray,
    slack: FloatArray,
    decoder: OrderDecoder | None,
    windows: IntArray | None = None,
) -> _Distributions:
    """Solve part by part: an optimal order consists of independent orders of its parts."""
    if windows is None:
        parts = OrderParts(*majority_parts(costs, before, True, slack))
    else:
        parts = window_parts(windows)
    b, m, _ = costs.shape
    ranks = parts.starts
    counts, complete = np.ones(b), np.ones(b, dtype=np.bool_)
    pairs = (ranks[:, :, None] < ranks[:, None, :]).astype(np.float64)
    places = (ranks[:, :, None] == np.arange(m)).astype(np.float64)
    for group in parts.groups():
        sub_costs, sub_before = sub_problems(costs, before, group)
        own = slack[group.problems]
        if windows is None:
            found = _distribution_of_parts(sub_costs, sub_before, own, decoder)
        else:
            limits = sub_windows(windows, group)
            found = _distribution_of_placed_parts(sub_costs, sub_before, limits, own, decoder)
        rows, items, starts = group.rows, group.items, group.starts[:, None]
        ranks[rows, items] = starts + found[0]
        # `ufunc.at`, since a problem may have several parts of one size.
        np.multiply.at(counts, group.problems, found[1])
        np.logical_and.at(complete, group.problems, found[4])
        pairs[rows[:, :, None], items[:, :, None], items[:, None, :]] = found[2]
        positions = (starts + np.arange(group.size))[:, None, :]
        places[rows[:, :, None], items[:, :, None], positions] = found[3]
    return ranks, counts, pairs, places, complete


def tied_orders(
    costs: AnyArray,
    before: AnyArray | None = None,
    *,
    windows: AnyArray | None = None,
    tolerance: AnyArray | float | None = None,
    decoder: OrderDecoder | None = None,
) -> OrderDistribution:
    """The uniform distribution on the optimal orders: the barycentre of the optimal face.

    An order is included if each of its transitions, from one prefix to the next, is on some order
    that costs at most `tolerance` more than the best. So all orders within the tolerance are
    included, and none that exceeds the best cost by more than m times the tolerance. If the
    tolerance is smaller than the least difference between costs of orders, these are exactly the
    optimal orders.

    Parameters
    ----------
    costs : array (b, m, m)
        ``costs[r, i, j]`` is paid if i stands before j.
    before : bool array (b, m, m) or (m, m), optional
        ``before[r, i, j]``: i must stand before j. Acyclic.
    windows : int array (b, m, 2), optional
        The first and the last place of each item.
    tolerance : float or array (b,), optional
        By default ``1e-10 * max |costs[r]|``. With 0, rounding decides between equal sums.
    decoder : OrderDecoder, optional
        Orders tied parts of more than 20 items. The distribution of such a problem then has a
        single order of that part, and `complete` is False. Without a decoder such a part raises.

    Returns
    -------
    OrderDistribution

    Examples
    --------
    Three items in a cycle of equal links: each of the three optimal orders breaks one link.

    >>> costs = np.zeros((1, 3, 3))
    >>> costs[0, [1, 2, 0], [0, 1, 2]] = 1
    >>> found = tied_orders(costs)
    >>> found.counts, found.pairs[0].round(2)
    (array([3.]), array([[0.  , 0.67, 0.33],
           [0.33, 0.  , 0.67],
           [0.67, 0.33, 0.  ]]))
    """
    costs, forced = as_problems(costs, before, "tied_orders")
    b, m, _ = costs.shape
    slack = _tolerances(tolerance, costs)
    limits = as_windows(windows, forced, b, m, "tied_orders")
    if limits is None:
        return OrderDistribution(*_distribution_of_rows(costs, forced, slack, decoder))
    forced = np.broadcast_to(forced, costs.shape)
    placed = placed_problems(limits, forced)
    distribution = _free_distribution(b, m)
    for rows, own in ((np.flatnonzero(~placed), None), (np.flatnonzero(placed), limits[placed])):
        found = _distribution_of_rows(costs[rows], forced[rows], slack[rows], decoder, own)
        _put(distribution, rows, found)
    return OrderDistribution(*distribution)


def _distribution_of_rows(
    costs: FloatArray,
    before: BoolArray,
    slack: FloatArray,
    decoder: OrderDecoder | None,
    windows: IntArray | None = None,
) -> _Distributions:
    """Solve block by block, which bounds the memory."""
    found = []
    for rows in blocks(*costs.shape[:2]):
        own = before if len(before) == 1 else before[rows]
        limits = None if windows is None else windows[rows]
        found.append(_distribution_of_block(costs[rows], own, slack[rows], decoder, limits))
    if len(found) == 1:
        return found[0]
    ranks, counts, pairs, places, complete = (
        np.concatenate(arrays) for arrays in zip(*found, strict=True)
    )
    return ranks, counts, pairs, places, complete


def tied_position_orders(
    costs: AnyArray,
    before: AnyArray | None = None,
    *,
    windows: AnyArray | None = None,
    tolerance: AnyArray | float | None = None,
) -> OrderDistribution:
    """The uniform distribution on the orders that minimise ``sum_i costs[i, position of i]``.

    Parameters
    ----------
    costs : array (b, m, m), m <= 20
        ``costs[r, i, k]`` is paid if item i has position k.
    before : bool array (b, m, m) or (m, m), optional
    windows : int array (b, m, 2), optional
    tolerance : float or array (b,), optional
        As for `tied_orders`.

    Returns
    -------
    OrderDistribution

    Examples
    --------
    Item 0 should be last, and the order of the others does not matter:

    >>> costs = np.zeros((1, 3, 3))
    >>> costs[0, 0, :2] = 1
    >>> found = tied_position_orders(costs)
    >>> found.counts, found.mean_ranks
    (array([2.]), array([[2. , 0.5, 0.5]]))
    """
    costs, forced = as_problems(costs, before, "tied_position_orders", diagonal=True)
    require_lattice(
        costs.shape[1], "tied_position_orders", "Use position_orders, which returns one of them."
    )
    slack = _tolerances(tolerance, costs)
    limits = as_windows(windows, forced, len(costs), costs.shape[1], "tied_position_orders")
    return OrderDistribution(*_counted_distribution(costs, forced, slack, limits, positions=True))
