"""Faces of problems that cost a sum over pairs: the cheapest orders, embedded by their signs."""

from collections.abc import Callable

import numpy as np

from disambig.decoders import OrderDecoder, signs_of_ranks, tied_signs
from disambig.losses.order_faces import OrderFaces
from disambig.notation import AnyArray, FloatArray, IntArray

__all__ = ["sign_faces"]


def sign_faces(
    scores: FloatArray,
    m: int,
    before: AnyArray | None,
    *,
    tolerance: FloatArray,
    decoder: OrderDecoder,
    embed: Callable[[FloatArray], FloatArray],
) -> OrderFaces:
    """The orders that minimise ``sum_{i<j} scores_ij sign_ij``, the sign 1 if i stands before j.

    Parameters
    ----------
    scores : float array (n, at least m (m - 1) / 2)
        Pairs as in ``np.triu_indices(m, 1)``; further columns do not count.
    m : int
    before : bool array (n, m, m), optional
        ``before[r, i, j]``: i must stand before j.
    tolerance : float array (n,)
    decoder : OrderDecoder
        For what is too large to be counted.
    embed : callable
        From (means of) signs, ``(n, m (m - 1) / 2)``, to the embedding, ``(n, p)``; affine.

    Examples
    --------
    >>> faces = sign_faces(
    ...     np.array([[-1.0, 0.0, 0.0]]),
    ...     3,
    ...     None,
    ...     tolerance=np.zeros(1),
    ...     decoder=OrderDecoder(),
    ...     embed=np.copy,
    ... )
    >>> faces.outputs, faces.embedded.round(2), faces.is_vertex
    (array([[0, 1, 2]]), array([[ 1.  ,  0.33, -0.33]]), array([False]))
    """
    law = tied_signs(scores, m, before, tolerance=tolerance, decoder=decoder)
    means = embed(law.signs)
    corners = means
    tied = np.flatnonzero(~law.single)
    if tied.size:
        corners = means.copy()
        corners[tied] = embed(signs_of_ranks(law.ranks[tied]))

    def another(rows: IntArray) -> OrderFaces:
        # The same problems with the items numbered backwards: ties fall the other way.
        other = tied_signs(
            -scores[np.ix_(rows, _backwards(m))],
            m,
            None if before is None else before[rows][:, ::-1, ::-1],
            tolerance=tolerance[rows],
            decoder=decoder,
        )
        ranks = np.ascontiguousarray(other.ranks[:, ::-1])
        there = embed(signs_of_ranks(ranks))
        return OrderFaces(ranks, there, there)

    return OrderFaces(law.ranks, corners, means, law.signs, another)


def _backwards(m: int) -> IntArray:
    """Which pair becomes the pair (i, j) when the items are numbered backwards."""
    number = np.zeros((m, m), dtype=np.intp)
    i, j = np.triu_indices(m, 1)
    number[i, j] = np.arange(i.size)
    return np.asarray(number[m - 1 - j, m - 1 - i])
