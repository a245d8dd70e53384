"""Random linear extensions of partial orders, all equally likely."""

from dataclasses import dataclass
from math import ceil, log

import numpy as np

from disambig.decoders.dynamic import LARGEST_LATTICE
from disambig.decoders.parts import OrderParts
from disambig.decoders.problems import as_problems
from disambig.kernels.majority import majority_parts
from disambig.kernels.tied_paths import drawn_orders
from disambig.kernels.transpositions import swap_neighbours
from disambig.notation import AnyArray, BoolArray, IntArray

__all__ = ["SampledOrders", "mixing_steps", "sample_linear_extensions"]

# Random numbers held at once by the walks.
_CHUNK = 1_000_000


@dataclass(frozen=True, eq=False)
class SampledOrders:
    """Random orders of m items, d for each of b partial orders.

    Parameters
    ----------
    ranks : int array (b, d, m)
    exact : bool array (b,)
        Whether the law is uniform exactly; otherwise it comes from a walk.
    steps : int array (b,)
        Steps of the longest walk; 0 where none was needed.
    """

    ranks: IntArray
    exact: BoolArray
    steps: IntArray

    def __post_init__(self) -> None:
        for array in (self.ranks, self.exact, self.steps):
            array.setflags(write=False)


def mixing_steps(m: int, distance: float) -> int:
    """``(m^3 - m) / 6 * log(m^2 / (4 distance))`` steps bring a walk of swaps that near to uniform.

    The walk chooses the positions p, p + 1 with probability proportional to ``p (m - p)``,
    p = 1 ... m - 1, and swaps half the time if it may. Two walks coupled step by step come nearer
    by a factor ``1 - 6 / (m^3 - m)`` in expectation, from at most ``m^2 / 4`` (Bubley and Dyer,
    1999); `distance` is in total variation.

    Examples
    --------
    >>> mixing_steps(30, 0.01)
    45046
    """
    return ceil((m**3 - m) / 6 * log(m * m / (4 * distance)))


def _walk(
    before: BoolArray, n_samples: int, steps: int, generator: np.random.Generator
) -> IntArray:
    """Walks of swaps, `n_samples` for each of c partial orders ``(c, k, k)``; ranks."""
    c, k, _ = before.shape
    start, _ = majority_parts(np.zeros(before.shape), before, False, np.zeros(c))
    order = np.repeat(np.argsort(start, axis=1), n_samples, axis=0)
    owners = np.repeat(np.arange(c), n_samples)
    p = np.arange(1, k)
    cumulative = np.cumsum(p * (k - p))
    at_once = max(1, _CHUNK // len(order))
    for done in range(0, steps, at_once):
        shape = (len(order), min(at_once, steps - done))
        choices = generator.integers(0, 2 * cumulative[-1], size=shape)
        swap_neighbours(order, owners, before, cumulative, choices)
    return np.argsort(order, axis=1).reshape(c, n_samples, k)


def sample_linear_extensions(
    before: AnyArray,
    n_samples: int = 1,
    *,
    random_state: int | np.random.Generator = 0,
    distance: float = 0.01,
) -> SampledOrders:
    """Draw linear extensions, all equally likely.

    Parts that are compared with everything else are drawn apart: free ones by shuffling, those of
    at most 20 items by counting the extensions of each down-set (both exact), larger ones by a walk
    of swaps that is `distance` from uniform at most.

    Parameters
    ----------
    before : bool array (b, m, m) or (m, m)
        ``before[r, i, j]``: i must stand before j. Acyclic.
    n_samples : int
        ``d``, draws for each partial order.
    random_state : int or numpy Generator
    distance : float
        Total variation between the law of a walk and the uniform one. See `mixing_steps`.

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
    parts = OrderParts(*majority_parts(costs, forced, True, np.zeros(b)))
    ranks = np.repeat(parts.starts[:, None, :], n_samples, axis=1)
    exact, steps = np.ones(b, dtype=np.bool_), np.zeros(b, dtype=np.intp)
    draws = np.arange(n_samples)[None, :, None]
    for group in parts.groups():
        sub_before = forced[group.rows[:, :, None], group.items[:, :, None], group.items[:, None]]
        compared = np.asarray(sub_before.any(axis=(1, 2)))
        free, bound = np.flatnonzero(~compared), np.flatnonzero(compared)
        local = np.empty((len(compared), n_samples, group.size), dtype=np.intp)
        shuffled = generator.random((free.size, n_samples, group.size))
        local[free] = np.argsort(np.argsort(shuffled, axis=2), axis=2)
        if group.size <= LARGEST_LATTICE:
            uniforms = generator.random((bound.size, n_samples, group.size))
            local[bound] = drawn_orders(sub_before[bound], uniforms)
        elif bound.size > 0:
            length = mixing_steps(group.size, distance)
            local[bound] = _walk(sub_before[bound], n_samples, length, generator)
            exact[group.problems[bound]] = False
            steps[group.problems[bound]] = length
        rows, items = group.rows[:, :, None], group.items[:, None, :]
        ranks[rows, draws, items] = group.starts[:, None, None] + local
    return SampledOrders(ranks, exact, steps)
