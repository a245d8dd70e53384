"""Orders as the signs of their pairs i < j: +1 where i stands before j.

All optimal orders of problems given pair by pair, and no more than losses of pairs need.

`tied_orders` takes any costs and says everything; this takes what the sign of each pair costs, and
gives the mean signs in the same form. It never writes out ``(b, m, m)`` numbers, and most problems
take a microsecond.
"""

from typing import NamedTuple

import numpy as np

from disambig.compiled import pair_signs as kernels
from disambig.compiled.pair_signs import signs_of_orders
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.orderings.decode import OrderDecoder
from disambig.orderings.dynamic import LARGEST_LATTICE
from disambig.orderings.problems import first_rows
from disambig.orderings.ties import tied_orders

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


class SignDistribution(NamedTuple):
    """The uniform law on the optimal orders of b problems: one of them, their mean, is it one?

    Parameters
    ----------
    ranks : int array (b, m)
        The order that `tied_orders` gives.
    signs : float array (b, m (m - 1) / 2)
        ``P(i before j) - P(j before i)`` for i < j; 1 or -1 where all orders agree, and only there.
    single : bool array (b,)
        Is there a single order?
    """

    ranks: IntArray
    signs: FloatArray
    single: BoolArray


def tied_signs(
    scores: FloatArray,
    m: int,
    before: AnyArray | None = None,
    *,
    tolerance: FloatArray,
    decoder: OrderDecoder | None = None,
) -> SignDistribution:
    """The orders that minimise ``sum_{i<j} scores_ij sign_ij``, the sign 1 if i stands before j.

    Parameters
    ----------
    scores : float array (b, at least m (m - 1) / 2)
        Pairs by i, then by j, as in ``np.triu_indices(m, 1)``; further columns do not count.
    m : int
    before : bool array (b, m, m), optional
        ``before[r, i, j]``: i must stand before j. Acyclic.
    tolerance : float array (b,)
    decoder : OrderDecoder, optional
        These two as for `tied_orders`.

    Returns
    -------
    SignDistribution

    Examples
    --------
    Of three items the first stands before the second, and the third anywhere:

    >>> law = tied_signs(np.array([[-1.0, 0.0, 0.0]]), 3, tolerance=np.zeros(1))
    >>> law.ranks, law.signs.round(2), law.single
    (array([[0, 1, 2]]), array([[ 1.  ,  0.33, -0.33]]), array([False]))
    """
    scores = np.ascontiguousarray(scores, dtype=np.float64)
    if not np.isfinite(scores).all():
        rows = np.asarray(~np.isfinite(scores).all(axis=1))
        raise ValueError(f"tied_signs: the scores of problem {first_rows(rows)} are not finite.")
    forced = np.zeros((1, m, m), dtype=np.bool_) if before is None else _writeable(before)
    found = kernels.tied_signs(
        _writeable(scores), forced, np.array(tolerance, dtype=np.float64), LARGEST_LATTICE
    )
    law, status = SignDistribution(*found[:3]), found[3]
    if status.any():
        cyclic = status == kernels.CYCLIC
        if cyclic.any():
            raise ValueError(
                f"tied_signs: the forced pairs of problem {first_rows(cyclic)} contain a cycle."
            )
        _settle_large(law, np.flatnonzero(status), scores, before, tolerance, decoder)
    return law


def _writeable(array: AnyArray) -> AnyArray:
    """Compiled loops would be compiled once more for arrays that are read-only."""
    array = np.ascontiguousarray(array)
    return array if array.flags.writeable else array.copy()


def _settle_large(
    law: SignDistribution,
    rows: IntArray,
    scores: FloatArray,
    before: AnyArray | None,
    tolerance: FloatArray,
    decoder: OrderDecoder | None,
) -> None:
    """Problems with a part that is too large to be counted, into their rows of the law."""
    m = law.ranks.shape[1]
    rest = tied_orders(
        pair_costs(scores[rows, : law.signs.shape[1]], m),
        None if before is None else before[rows],
        tolerance=tolerance[rows],
        decoder=decoder,
    )
    law.ranks[rows] = rest.ranks
    law.signs[rows] = signs_of_pairs(rest.pairs)
    law.single[rows] = rest.counts == 1.0
