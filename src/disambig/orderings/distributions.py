"""Distributions of orders: Gibbs distributions, and uniform ones on linear extensions.

`gibbs_orders` gives the mean signs and the normalisation at a temperature, `linear_extensions` the
exact uniform distribution on all orders that respect a partial order, and
`sample_linear_extensions` draws from it.
"""

from dataclasses import dataclass
from math import ceil, log
from typing import NamedTuple

import numpy as np

from disambig.compiled import lattice_sums
from disambig.compiled.lattice_ties import drawn_orders
from disambig.compiled.majority import majority_parts
from disambig.compiled.relations import swap_neighbours
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.orderings.dynamic import LARGEST_LATTICE, require_lattice
from disambig.orderings.problems import OrderParts, as_problems, first_rows
from disambig.orderings.ties import OrderDistribution, tied_orders
from disambig.orderings.windows import (
    as_windows,
    no_windows,
    placed_problems,
    sub_windows,
    window_parts,
)

# Random numbers that the Markov chains hold at once: 8 MB.
_MAX_RANDOM_NUMBERS = 1_000_000


class GibbsOrders(NamedTuple):
    """Gibbs distributions of b problems on the orders of m items, as losses of pairs need them.

    Attributes
    ----------
    signs : float array (b, m (m - 1) / 2)
        ``P(i before j) - P(j before i)`` for i < j.
    log_sums : float array (b,)
        ``log of the sum over orders of exp(-cost / scale)``.
    """

    signs: FloatArray
    log_sums: FloatArray


def gibbs_orders(
    scores: FloatArray,
    m: int,
    before: AnyArray | None = None,
    *,
    windows: AnyArray | None = None,
    scales: FloatArray,
) -> GibbsOrders:
    """The distribution ``exp(-sum_{i<j} scores_ij sign_ij / scale)`` on orders.

    The sign is 1 if i stands before j, else -1. Computed by a dynamic program over down-sets, which
    sums over all orders without listing them.

    Parameters
    ----------
    scores : float array (b, at least m (m - 1) / 2)
        Pairs by i, then by j, as in ``np.triu_indices(m, 1)``; further columns are ignored.
    m : int, at most 20
    before : bool array (b, m, m), optional
        ``before[r, i, j]``: i must stand before j. Acyclic, transitively closed.
    windows : int array (b, m, 2), optional
        The first and the last place of each item. Pairs that follow from them are in `before`.
    scales : float array (b,)
        Not negative; where 0, the distribution is uniform, whatever the scores.

    Returns
    -------
    GibbsOrders

    Examples
    --------
    Two items: the first stands before the second three times as often as after it.

    >>> found = gibbs_orders(np.array([[-0.5 * np.log(3)]]), 2, scales=np.ones(1))
    >>> found.signs.round(3), found.log_sums.round(3)
    (array([[0.5]]), array([0.837]))

    At an infinite temperature all linear extensions have the same probability:

    >>> before = np.zeros((1, 3, 3), dtype=bool)
    >>> before[0, 0, 1] = True
    >>> found = gibbs_orders(np.zeros((1, 3)), 3, before, scales=np.ones(1))
    >>> found.signs.round(2), np.exp(found.log_sums).round(2)
    (array([[ 1.  ,  0.33, -0.33]]), array([3.]))
    """
    require_lattice(
        m, "gibbs_orders", "With more items use solver='alternating', which needs no temperature."
    )
    has_scale = np.asarray(scales) > 0
    scores = np.ascontiguousarray(np.where(has_scale[:, None], scores, 0.0), dtype=np.float64)
    finite = np.asarray(np.isfinite(scores).all(axis=1))
    if not finite.all():
        raise ValueError(
            f"gibbs_orders: the scores of problem {first_rows(~finite)} are not finite."
        )
    divisors = np.where(has_scale, scales, 1.0).astype(np.float64)
    # A copy is writeable: for read-only arrays numba would compile the function once more.
    forced = np.zeros((1, m, m), dtype=np.bool_) if before is None else np.array(before, order="C")
    limits = as_windows(windows, forced, len(scores), m, "gibbs_orders")
    own = no_windows() if limits is None else limits
    return GibbsOrders(*lattice_sums.gibbs_signs(scores, divisors, forced, own))


def linear_extensions(before: AnyArray, windows: AnyArray | None = None) -> OrderDistribution:
    """The uniform distribution on the linear extensions of partial orders, within windows.

    These are the tied orders of problems in which all costs are 0.

    Parameters
    ----------
    before : bool array (b, m, m) or (m, m)
        ``before[r, i, j]``: i must stand before j. Acyclic. Parts whose items are all compared with
        all other items are counted separately; each may have at most 20 items, or any number if no
        two of its items are compared.
    windows : int array (b, m, 2), optional
        The first and the last place of each item. Parts are then those that windows separate.

    Returns
    -------
    OrderDistribution
        ``counts`` are the numbers of linear extensions, ``mean_ranks`` the average ranks.

    Examples
    --------
    The "N" (0 before 2, 1 before 2, 1 before 3) has five linear extensions.

    >>> before = np.zeros((4, 4), dtype=bool)
    >>> before[[0, 1, 1], [2, 2, 3]] = True
    >>> found = linear_extensions(before)
    >>> found.counts, found.pairs[0, 0]
    (array([5.]), array([0. , 0.4, 1. , 0.8]))
    """
    forced = np.asarray(before)
    if forced.ndim == 2:
        forced = forced[None]
    return tied_orders(np.zeros(forced.shape), forced, windows=windows, tolerance=0.0)


@dataclass(frozen=True, eq=False)
class SampledOrders:
    """Random orders of m items, d for each of b partial orders.

    Parameters
    ----------
    ranks : int array (b, d, m)
    exact : bool array (b,)
        Whether the distribution is exactly uniform; otherwise a Markov chain drew the orders.
    steps : int array (b,)
        Steps of the longest Markov chain; 0 if none was needed.
    """

    ranks: IntArray
    exact: BoolArray
    steps: IntArray

    def __post_init__(self) -> None:
        for array in (self.ranks, self.exact, self.steps):
            array.setflags(write=False)


def mixing_steps(m: int, distance: float) -> int:
    """Steps after which a Markov chain of swaps is within `distance` of the uniform distribution.

    ``(m^3 - m) / 6 * log(m^2 / (4 distance))``, in total variation. The chain chooses the positions
    p, p + 1 with probability proportional to ``p (m - p)``, p = 1 ... m - 1, and swaps their items
    with probability 1/2 if that is allowed. In expectation, a step reduces the distance of two
    coupled chains by a factor of ``1 - 6 / (m^3 - m)``, from at most ``m^2 / 4`` (Bubley and Dyer,
    1999).

    Examples
    --------
    >>> mixing_steps(30, 0.01)
    45046
    """
    return ceil((m**3 - m) / 6 * log(m * m / (4 * distance)))


def _swapped_orders(
    before: BoolArray, n_samples: int, steps: int, generator: np.random.Generator
) -> IntArray:
    """Ranks, ``(c, n_samples, k)``, by Markov chains of swaps for c orders ``(c, k, k)``."""
    c, k, _ = before.shape
    start, _ = majority_parts(np.zeros(before.shape), before, False, np.zeros(c))
    order = np.repeat(np.argsort(start, axis=1), n_samples, axis=0)
    owners = np.repeat(np.arange(c), n_samples)
    p = np.arange(1, k)
    cumulative = np.cumsum(p * (k - p))
    block_steps = max(1, _MAX_RANDOM_NUMBERS // len(order))
    for done in range(0, steps, block_steps):
        shape = (len(order), min(block_steps, steps - done))
        choices = generator.integers(0, 2 * cumulative[-1], size=shape)
        swap_neighbours(order, owners, before, cumulative, choices)
    return np.argsort(order, axis=1).reshape(c, n_samples, k)


def sample_linear_extensions(
    before: AnyArray,
    n_samples: int = 1,
    *,
    windows: AnyArray | None = None,
    random_state: int | np.random.Generator = 0,
    distance: float = 0.01,
) -> SampledOrders:
    """Draw linear extensions, all equally likely.

    Parts whose items are all compared with all other items are drawn separately: parts without
    forced pairs by shuffling, parts of at most 20 items by counting the extensions of each down-set
    (both exactly), larger parts by a Markov chain of swaps that is within `distance` of uniform.

    Parameters
    ----------
    before : bool array (b, m, m) or (m, m)
        ``before[r, i, j]``: i must stand before j. Acyclic.
    n_samples : int
        ``d``, draws for each partial order.
    windows : int array (b, m, 2), optional
        The first and the last place of each item. Parts are then those that windows separate, of
        at most 20 items if windows matter within them: a Markov chain need not reach all orders.
    random_state : int or numpy Generator
    distance : float
        Total variation between the distribution of a Markov chain and the uniform one. See
        `mixing_steps`.

    Returns
    -------
    SampledOrders

    Examples
    --------
    >>> before = np.zeros((4, 4), dtype=bool)
    >>> before[0, 1] = before[2, 3] = True
    >>> drawn = sample_linear_extensions(before, 1000)
    >>> drawn.exact, bool((drawn.ranks[0, :, 0] < drawn.ranks[0, :, 1]).all())
    (array([ True]), True)
    """
    given = np.asarray(before)
    if given.ndim == 2:
        given = given[None]
    costs, forced = as_problems(np.zeros(given.shape), given, "sample_linear_extensions")
    b = len(costs)
    generator = np.random.default_rng(random_state)
    limits = as_windows(windows, forced, b, costs.shape[1], "sample_linear_extensions")
    parts = OrderParts(*majority_parts(costs, forced, True, np.zeros(b)))
    if limits is not None:
        placed = placed_problems(limits, forced)
        parts = OrderParts(
            np.where(placed[:, None], window_parts(limits).parts, parts.parts), parts.solved
        )
        limits[~placed] = 0, costs.shape[1] - 1
    ranks = np.repeat(parts.starts[:, None, :], n_samples, axis=1)
    exact, steps = np.ones(b, dtype=np.bool_), np.zeros(b, dtype=np.intp)
    draws = np.arange(n_samples)[None, :, None]
    for group in parts.groups():
        sub_before = forced[group.rows[:, :, None], group.items[:, :, None], group.items[:, None]]
        compared = np.asarray(sub_before.any(axis=(1, 2)))
        own = None
        if limits is not None:
            own = sub_windows(limits, group)
            bounded = placed_problems(own, sub_before)
            own[~bounded] = 0, group.size - 1
            if bounded.any():
                require_lattice(
                    group.size,
                    "sample_linear_extensions",
                    "Beyond that, known places are not supported.",
                )
            compared |= bounded
        free, constrained = np.flatnonzero(~compared), np.flatnonzero(compared)
        local = np.empty((len(compared), n_samples, group.size), dtype=np.intp)
        shuffled = generator.random((free.size, n_samples, group.size))
        local[free] = np.argsort(np.argsort(shuffled, axis=2), axis=2)
        if group.size <= LARGEST_LATTICE:
            uniforms = generator.random((constrained.size, n_samples, group.size))
            within = no_windows() if own is None else own[constrained]
            local[constrained] = drawn_orders(sub_before[constrained], within, uniforms)
        elif constrained.size > 0:
            length = mixing_steps(group.size, distance)
            local[constrained] = _swapped_orders(
                sub_before[constrained], n_samples, length, generator
            )
            exact[group.problems[constrained]] = False
            steps[group.problems[constrained]] = length
        rows, items = group.rows[:, :, None], group.items[:, None, :]
        ranks[rows, draws, items] = group.starts[:, None, None] + local
    return SampledOrders(ranks, exact, steps)
