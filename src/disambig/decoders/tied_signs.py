"""All optimal orders of problems given pair by pair, and no more than losses of pairs need.

`tied_orders` takes any costs and says everything; this takes what the sign of each pair costs, and
gives the mean signs in the same form. It never writes out ``(b, m, m)`` numbers, and most problems
take a microsecond.
"""

from typing import NamedTuple

import numpy as np

from disambig.decoders.decode import OrderDecoder
from disambig.decoders.dynamic import LARGEST_LATTICE
from disambig.decoders.pair_signs import pair_costs, signs_of_pairs
from disambig.decoders.problems import first_rows
from disambig.decoders.tied import tied_orders
from disambig.kernels import tied_signs as kernels
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

__all__ = ["SignLaw", "tied_signs"]


class SignLaw(NamedTuple):
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
) -> SignLaw:
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
    SignLaw

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
    law, status = SignLaw(*found[:3]), found[3]
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
    law: SignLaw,
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
