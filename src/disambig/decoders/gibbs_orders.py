"""Orders at a temperature, exactly: the mean of a Gibbs law and its normalisation."""

from typing import NamedTuple

import numpy as np

from disambig.decoders.dynamic import require_lattice
from disambig.decoders.problems import first_rows
from disambig.kernels import path_sums
from disambig.notation import AnyArray, FloatArray

__all__ = ["GibbsOrders", "gibbs_orders"]


class GibbsOrders(NamedTuple):
    """Laws of b problems on the orders of m items, by what losses of pairs need of them.

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
    scores: FloatArray, m: int, before: AnyArray | None = None, *, scales: FloatArray
) -> GibbsOrders:
    """The law ``exp(-sum_{i<j} scores_ij sign_ij / scale)`` on orders, the sign 1 if i is first.

    By the programme over down-sets, which visits every order and lists none.

    Parameters
    ----------
    scores : float array (b, at least m (m - 1) / 2)
        Pairs by i, then by j, as in ``np.triu_indices(m, 1)``; further columns do not count.
    m : int, at most 20
    before : bool array (b, m, m), optional
        ``before[r, i, j]``: i must stand before j. Acyclic, transitively closed.
    scales : float array (b,)
        Positive; where 0, the law is uniform whatever the scores.

    Returns
    -------
    GibbsOrders

    Examples
    --------
    Two items: the first stands before the other three times as often.

    >>> law = gibbs_orders(np.array([[-0.5 * np.log(3)]]), 2, scales=np.ones(1))
    >>> law.signs.round(3), law.log_sums.round(3)
    (array([[0.5]]), array([0.837]))

    At an infinite temperature all linear extensions count the same:

    >>> before = np.zeros((1, 3, 3), dtype=bool)
    >>> before[0, 0, 1] = True
    >>> law = gibbs_orders(np.zeros((1, 3)), 3, before, scales=np.ones(1))
    >>> law.signs.round(2), np.exp(law.log_sums).round(2)
    (array([[ 1.  ,  0.33, -0.33]]), array([3.]))
    """
    require_lattice(
        m, "gibbs_orders", "Orders of more items are settled by solver='alternating' alone."
    )
    heard = np.asarray(scales) > 0
    scores = np.ascontiguousarray(np.where(heard[:, None], scores, 0.0), dtype=np.float64)
    finite = np.asarray(np.isfinite(scores).all(axis=1))
    if not finite.all():
        raise ValueError(
            f"gibbs_orders: the scores of problem {first_rows(~finite)} are no number."
        )
    divisors = np.where(heard, scales, 1.0).astype(np.float64)
    # A copy, since compiled loops would be compiled once more for arrays that are read-only.
    forced = np.zeros((1, m, m), dtype=np.bool_) if before is None else np.array(before, order="C")
    return GibbsOrders(*path_sums.gibbs_signs(scores, divisors, forced))
