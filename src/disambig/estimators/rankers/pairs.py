"""Probabilities of pairs: from votes, as square tables, and of labels; pairs never compared."""

from typing import NamedTuple, cast

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import shortest_path

from disambig.candidates import PartialOrders
from disambig.exceptions import CandidateError
from disambig.notation import BoolArray, FloatArray, IntArray


def vote_shares(votes: FloatArray) -> FloatArray:
    """Votes ``(q, pairs + 1)`` for the signs of pairs as shares for i before j, ``(q, pairs)``.

    The last column is the sum of all votes, so ``(sum + sign) / 2`` of them are for i before j and
    ``(sum - sign) / 2`` for j before i. Their positive parts are divided by their sum; the result
    is 1/2 where neither is positive.

    Examples
    --------
    >>> vote_shares(np.array([[0.5, 1.0], [0.0, 0.0]])).tolist()
    [[0.75], [0.5]]
    """
    total, signs = votes[:, -1:], votes[:, :-1]
    earlier = np.maximum((total + signs) / 2, 0.0)
    later = np.maximum((total - signs) / 2, 0.0)
    has_votes = earlier + later > 0
    return np.where(has_votes, earlier / np.where(has_votes, earlier + later, 1.0), 0.5)


def square(shares: FloatArray, m: int) -> FloatArray:
    """Probabilities ``(q, pairs)`` as ``(q, m, m)``, diagonal 0.

    Examples
    --------
    >>> square(np.array([[0.75]]), 2).tolist()
    [[[0.0, 0.75], [0.25, 0.0]]]
    """
    i, j = np.triu_indices(m, 1)
    probabilities = np.zeros((len(shares), m, m))
    probabilities[:, i, j] = shares
    probabilities[:, j, i] = 1.0 - shares
    return probabilities


def pair_agreement(probabilities: FloatArray, ranks: IntArray) -> FloatArray:
    """The mean over pairs of the probability of the direction in the ranks ``(n, m)``, ``(n,)``."""
    m = ranks.shape[1]
    earlier = ranks[:, :, None] < ranks[:, None, :]
    total = np.where(earlier, probabilities, 0.0).sum(axis=(1, 2))
    n_pairs = m * (m - 1) // 2
    return np.asarray(total / n_pairs if n_pairs else np.ones(len(ranks)))


class RowOrders(NamedTuple):
    """Recovered orders with what the rows know themselves beside the shares of the others.

    Attributes
    ----------
    labels : int array (n, m)
    decided : bool array (n,)
    undecided_pairs : bool array (n, m, m)
    pair_probabilities : float array (n, m, m)
        Observed pairs are 0 or 1.
    confidence : float array (n,)
    """

    labels: IntArray
    decided: BoolArray
    undecided_pairs: BoolArray
    pair_probabilities: FloatArray
    confidence: FloatArray


def row_orders(
    orders: PartialOrders,
    taken: PartialOrders,
    found: tuple[IntArray, BoolArray, BoolArray],
    shares: FloatArray,
) -> RowOrders:
    """What is stored about all rows.

    Parameters
    ----------
    orders, taken : PartialOrders
        Of all rows, and of those that take part.
    found : tuple
        Labels ``(n, m)``, whether each is a single optimum, and its undecided pairs ``(n, m, m)``.
    shares : float array (n, pairs)
        Probabilities of i before j by the others.
    """
    labels, decided, undecided = found
    known = orders.before
    reverse = np.swapaxes(known, 1, 2)
    # What a row observed is decided there, whatever the other rows say.
    open_pairs = (undecided | never_connected(taken)) & ~(known | reverse)
    # A loss may ignore some pairs: they are undecided although every target is optimal.
    decided = decided & ~open_pairs.any(axis=(1, 2))
    probabilities = square(shares, orders.n_items)
    probabilities[known] = 1.0
    probabilities[reverse] = 0.0
    confidence = pair_agreement(probabilities, labels)
    return RowOrders(labels, decided, open_pairs, probabilities, confidence)


def never_connected(orders: PartialOrders) -> BoolArray:
    """Pairs ``(m, m)`` that are compared neither in a row nor by a chain through several rows.

    If the rows do not contradict each other, one order for all of them has loss zero, and such a
    pair can have either direction in it. Known places of all rows are then taken together.
    """
    if orders.is_placed.any():
        return _never_connected_by_places(orders)
    direct = sp.csr_array(orders.before.any(axis=0))
    reached = np.isfinite(shortest_path(direct, unweighted=True))
    return np.asarray(~(reached | reached.T))


def _never_connected_by_places(orders: PartialOrders) -> BoolArray:
    """The same with known places: none if no single order fits all rows."""
    windows = cast(IntArray, orders.windows)
    lowest, highest = windows[:, :, 0].max(axis=0), windows[:, :, 1].min(axis=0)
    try:
        together = PartialOrders(
            np.asarray(orders.before.any(axis=0))[None],
            windows=np.stack([lowest, highest], axis=1)[None],
        )
    except CandidateError:
        return np.zeros(orders.before.shape[1:], dtype=np.bool_)
    known = together.before[0]
    return np.asarray(~(known | known.T | np.eye(len(known), dtype=np.bool_)))
