"""Orders as the signs of their pairs i < j: +1 where i stands before j."""

import numpy as np

from disambig.kernels.tied_signs import signs_of_orders
from disambig.notation import FloatArray, IntArray

__all__ = ["pair_costs", "pairs_of_signs", "signs_of_pairs", "signs_of_ranks"]

# The largest number below 1: a direction that occurs shows in its sign, however rare it is.
_OPEN = float(np.nextafter(1.0, 0.0))


def _directions(m: int) -> tuple[IntArray, IntArray]:
    """Where ``[i, j]`` and ``[j, i]`` of the pairs i < j are in a flat ``(m, m)`` array."""
    i, j = np.triu_indices(m, 1)
    # One index into flat pairs is several times as fast as two.
    return i * m + j, j * m + i


def signs_of_ranks(ranks: IntArray) -> FloatArray:
    """1 where ``ranks[i] < ranks[j]`` for i < j, else -1; ``(n, m)`` to ``(n, m (m - 1) / 2)``.

    Ranks are distinct.

    Examples
    --------
    >>> signs_of_ranks(np.array([[0, 2, 1]]))
    array([[ 1.,  1., -1.]])
    """
    # A copy, since compiled loops would be compiled once more for arrays that are read-only.
    return signs_of_orders(np.array(ranks, dtype=np.int64, order="C"))


def signs_of_pairs(pairs: FloatArray) -> FloatArray:
    """``P(i before j) - P(j before i)`` for i < j, ``(n, m, m)`` to ``(n, m (m - 1) / 2)``.

    1 and -1 only where the other direction has no chance at all.

    Examples
    --------
    >>> signs_of_pairs(np.array([[[0.0, 0.75], [0.25, 0.0]]]))
    array([[0.5]])
    """
    n, m, _ = pairs.shape
    first, second = _directions(m)
    flat = pairs.reshape(n, m * m)
    forward, backward = flat.take(first, axis=1), flat.take(second, axis=1)
    signs: FloatArray = forward - backward
    hidden = (np.abs(signs) == 1.0) & (forward > 0.0) & (backward > 0.0)
    if hidden.any():
        signs[hidden] *= _OPEN
    return signs


def pairs_of_signs(signs: FloatArray, m: int) -> FloatArray:
    """``P(i before j)`` from the mean signs of the pairs i < j, ``(n, m, m)``; diagonal 0.

    Examples
    --------
    >>> pairs_of_signs(np.array([[0.5]]), 2)
    array([[[0.  , 0.75],
            [0.25, 0.  ]]])
    """
    first, second = _directions(m)
    pairs = np.zeros((len(signs), m * m))
    pairs[:, first] = (1.0 + signs) / 2.0
    pairs[:, second] = (1.0 - signs) / 2.0
    return pairs.reshape(-1, m, m)


def pair_costs(scores: FloatArray, m: int) -> FloatArray:
    """Costs ``(n, m, m)`` of orders from what each sign ``(n, m (m - 1) / 2)`` costs.

    ``sum_{i<j} scores_ij sign_ij`` is paid: by each direction, with opposite signs.

    Examples
    --------
    >>> pair_costs(np.array([[3.0]]), 2)
    array([[[ 0.,  3.],
            [-3.,  0.]]])
    """
    first, second = _directions(m)
    costs = np.zeros((len(scores), m * m))
    costs[:, first] = scores
    costs[:, second] = -scores
    return costs.reshape(-1, m, m)
