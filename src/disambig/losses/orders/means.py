"""Means over all rankings of a set: of pairs, of positions and of signs.

A set holds the linear extensions of a partial order, within windows of places if these are known.

They are counted exactly if that is feasible, and estimated from a sample otherwise. Either can take
seconds, and one fit needs them several times (start, targets, signs of pairs). So they are computed
once for each object `PartialOrders`, which cannot change, and kept as long as it lives.
"""

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import NamedTuple, TypeVar

import numpy as np

from disambig.candidates import PartialOrders
from disambig.exceptions import MissingOracleError
from disambig.notation import FloatArray, IntArray
from disambig.orderings.distributions import linear_extensions, sample_linear_extensions
from disambig.orderings.signs import signs_of_pairs, tied_signs

# Orders drawn if the linear extensions are too many to count. The standard deviation of a
# probability is then at most 0.5 / sqrt(1000) = .016.
_N_SAMPLED_ORDERS = 1000
# Comparisons between items of drawn orders that are in memory at once, one byte each.
_MAX_COMPARISONS_IN_MEMORY = 10_000_000

_Result = TypeVar("_Result")


def _once(compute: Callable[[PartialOrders, int], _Result]) -> Callable[..., _Result]:
    """Compute the result once for each object and each seed."""
    results: dict[tuple[int, int], _Result] = {}

    @wraps(compute)
    def kept(orders: PartialOrders, random_state: int = 0) -> _Result:
        # By identity: equal orders are equal objects, but to find out costs a comparison of arrays.
        key = id(orders), random_state
        if key not in results:
            results[key] = compute(orders, random_state)
            # Another object can get the same identity only after this one is gone.
            weakref.finalize(orders, results.pop, key, None).atexit = False
        return results[key]

    return kept


@dataclass(frozen=True, eq=False)
class OrderMeans:
    """Uniform distributions on the linear extensions of n partial orders, d of them distinct.

    Parameters
    ----------
    pairs : float array (d, m, m)
        ``pairs[r, i, j]``: probability that i stands before j.
    places : float array (d, m, m)
        ``places[r, i, k]``: probability that i has position k.
    rows : int array (n,)
        The distribution that belongs to each row: ``pairs[rows]`` is ``(n, m, m)``.
    exact : bool
        True if all linear extensions were counted, False if they were sampled.
    """

    pairs: FloatArray
    places: FloatArray
    rows: IntArray
    exact: bool

    def __post_init__(self) -> None:
        for array in (self.pairs, self.places, self.rows):
            array.setflags(write=False)


@_once
def mean_orders(orders: PartialOrders, random_state: int) -> OrderMeans:
    """Means of pairs and positions over all linear extensions of each row, counted or sampled.

    Examples
    --------
    >>> means = mean_orders(PartialOrders.from_strings(["a>b", "a>b"], items=["a", "b", "c"]))
    >>> means.places.round(2), means.rows, means.exact
    (array([[[0.67, 0.33, 0.  ],
            [0.  , 0.33, 0.67],
            [0.33, 0.33, 0.33]]]), array([0, 0]), True)
    """
    # Counting is the expensive step, and a data set has fewer distinct partial orders than rows.
    first, rows = orders.distinct
    try:
        counted = linear_extensions(orders.before[first], _windows_of(orders, first))
        return OrderMeans(counted.pairs, counted.places, rows, True)
    except MissingOracleError:
        return sampled_means(orders, random_state)


@_once
def sampled_means(orders: PartialOrders, random_state: int) -> OrderMeans:
    """Means of pairs and positions over a sample of the linear extensions of each row."""
    first, rows = orders.distinct
    drawn = sample_linear_extensions(
        orders.before[first],
        _N_SAMPLED_ORDERS,
        windows=_windows_of(orders, first),
        random_state=random_state,
    )
    pairs, places = _frequencies(drawn.ranks)
    return OrderMeans(pairs, places, rows, bool(drawn.exact.all()))


def _windows_of(orders: PartialOrders, rows: IntArray) -> IntArray | None:
    """The windows of some rows, ``(d, m, 2)``."""
    return None if orders.windows is None else orders.windows[rows]


def _frequencies(ranks: IntArray) -> tuple[FloatArray, FloatArray]:
    """Share of drawn ranks ``(d, draws, m)`` with i before j, and with i at position k."""
    d, draws, m = ranks.shape
    pairs, places = np.empty((d, m, m)), np.empty((d, m, m))
    at_once = max(1, _MAX_COMPARISONS_IN_MEMORY // (draws * m * m))
    for start in range(0, d, at_once):
        part = ranks[start : start + at_once, :, :, None]
        pairs[start : start + at_once] = (part < np.swapaxes(part, 2, 3)).mean(axis=1)
        places[start : start + at_once] = (part == np.arange(m)).mean(axis=1)
    return pairs, places


class MeanSigns(NamedTuple):
    """Means of signs over the linear extensions of each row, and whether they are exact."""

    signs: FloatArray
    exact: bool


def mean_signs(orders: PartialOrders, random_state: int = 0) -> MeanSigns:
    """Means of signs over all linear extensions of each row, counted or sampled.

    Examples
    --------
    >>> mean_signs(PartialOrders.from_strings(["a>b"], items=["a", "b", "c"])).signs.round(3)
    array([[ 1.   ,  0.333, -0.333]])
    """
    signs, exact = _distinct_signs(orders, random_state)
    return MeanSigns(signs[orders.distinct[1]], exact)


@_once
def _distinct_signs(orders: PartialOrders, random_state: int) -> MeanSigns:
    """Means of signs of the distinct orders."""
    first, _ = orders.distinct
    d, m = len(first), orders.n_items
    try:
        # With costs of zero all linear extensions tie.
        zero_costs = np.zeros((d, m * (m - 1) // 2))
        counted = tied_signs(
            zero_costs,
            m,
            orders.before[first],
            windows=_windows_of(orders, first),
            tolerance=np.zeros(d),
        )
        return MeanSigns(counted.signs, True)
    except MissingOracleError:
        means = sampled_means(orders, random_state)
        return MeanSigns(signs_of_pairs(means.pairs), means.exact)
