"""Ordering problems that are small enough to try every order, and the definitions in code."""

from itertools import permutations

import numpy as np


def random_before(rng, b, m, share):
    """Partial orders: a share of the pairs of a random order, transitively closed."""
    ranks = np.argsort(rng.random((b, m)), axis=1)
    before = (ranks[:, :, None] < ranks[:, None, :]) & (rng.random((b, m, m)) < share)
    for k in range(m):
        before |= before[:, :, k, None] & before[:, None, k, :]
    return before


def random_costs(rng, b, m, kind):
    if kind == "ties":
        return rng.integers(0, 3, (b, m, m)).astype(float)
    return rng.normal(size=(b, m, m))


def all_orders(m):
    """Ranks of every order, (m!, m)."""
    return np.array(list(permutations(range(m))))


def allowed_orders(before, windows=None):
    """Ranks of the linear extensions of a relation (m, m), within windows (m, 2)."""
    ranks = all_orders(len(before))
    wrong = (before & (ranks[:, :, None] > ranks[:, None, :])).any(axis=(1, 2))
    if windows is not None:
        wrong |= ((ranks < windows[:, 0]) | (ranks > windows[:, 1])).any(axis=1)
    return ranks[~wrong]


def random_windows(rng, before, share):
    """Windows (b, m, 2) of a share of the items, around a random order that respects `before`."""
    b, m, _ = before.shape
    windows = np.zeros((b, m, 2), dtype=np.int64)
    windows[:, :, 1] = m - 1
    for r in range(b):
        orders = allowed_orders(before[r])
        ranks = orders[rng.integers(len(orders))]
        known = rng.random(m) < share
        lower = ranks - rng.integers(0, 2, m) * rng.integers(0, m, m)
        upper = ranks + rng.integers(0, 2, m) * rng.integers(0, m, m)
        windows[r, known] = np.clip(np.stack([lower, upper], axis=1), 0, m - 1)[known]
    return windows


def pair_values(costs, ranks):
    """The cost of each of the orders under costs (m, m)."""
    earlier = ranks[:, :, None] < ranks[:, None, :]
    off_diagonal = np.where(np.eye(len(costs), dtype=bool), 0.0, costs)
    return (earlier * off_diagonal).sum(axis=(1, 2))


def position_values(costs, ranks):
    return np.take_along_axis(costs[None], ranks[:, :, None], axis=2).sum(axis=(1, 2))


def respects(before, ranks):
    """Whether ranks (b, m) respect before (b, m, m)."""
    return not (before & (ranks[:, :, None] >= ranks[:, None, :])).any()


def frequencies_of(ranks):
    """Pair and place frequencies of some orders (c, m)."""
    m = ranks.shape[1]
    pairs = (ranks[:, :, None] < ranks[:, None, :]).mean(axis=0)
    places = (ranks[:, :, None] == np.arange(m)).mean(axis=0)
    return pairs, places


def three_fence():
    """Gains of six items for which the relaxation by 3-cycles is not exact: the 3-fence.

    It is a gain of 1 if item i < 3 stands before item 3 + i, and if item 3 + j stands before i for
    j != i. Other pairs do not count.
    """
    gains = np.zeros((6, 6))
    for i in range(3):
        gains[i, 3 + i] = 1
        for j in range(3):
            if i != j:
                gains[3 + j, i] = 1
    return gains
