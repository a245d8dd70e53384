"""A start for losses of positions: what the observed pairs of all rows say together.

Position by position a partial order says little, and its mean order drags every item to the middle:
begun there, descent ends high. Pairs say exactly what was seen. So the first targets are those of
the Kendall loss: the order that the votes on observed pairs call for at each row, and the
candidates that suit these orders best.
"""

import numpy as np

from disambig.candidates import PartialOrders
from disambig.decoders import OrderDecoder, pair_costs, tied_orders, tied_signs
from disambig.notation import FloatArray
from disambig.votes import Votes

__all__ = ["compared_places"]

_RTOL = 1e-10


def compared_places(votes: Votes, orders: PartialOrders) -> FloatArray:
    """``[j, i, k]``: share of the first targets of row j that have item i at position k.

    One round of the Kendall loss: predictions for the observed pairs, targets for the predictions,
    uniform over ties (one order where more than 20 items hang together).

    Parameters
    ----------
    votes : Votes (n, n)
    orders : PartialOrders, n rows

    Examples
    --------
    >>> from disambig.votes import as_votes
    >>> orders = PartialOrders.from_strings(["a>b", "b>c"])
    >>> compared_places(as_votes(np.ones((2, 2))), orders)[0]
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    m, decoder = orders.n_items, OrderDecoder()
    # Costs fall with the votes for a pair.
    heard = votes @ orders.signs().astype(np.float64)
    first = tied_signs(-heard, m, tolerance=_RTOL * votes.absolute_row_sums(), decoder=decoder)
    back = votes.T
    called_for = back @ first.signs
    law = tied_orders(
        pair_costs(-called_for, m),
        orders.before,
        tolerance=_RTOL * back.absolute_row_sums(),
        decoder=decoder,
    )
    return law.places
