"""Orders of least cost, exactly: plain arrays in, ranks and proven bounds out.

A batch of b problems on m items has ``costs``, ``(b, m, m)``: ``costs[r, i, j]`` is paid if item i
stands before item j. ``before``, ``(b, m, m)`` or ``(m, m)``, forces pairs. An order is given by
its ranks, ``(b, m)``: ``ranks[r, i]`` is the position of item i, 0 = first.
"""

from disambig.orderings.cuts import cut_orders
from disambig.orderings.decode import OrderDecoder, local_orders, order_decoder
from disambig.orderings.distributions import (
    GibbsOrders,
    SampledOrders,
    gibbs_orders,
    linear_extensions,
    sample_linear_extensions,
)
from disambig.orderings.dynamic import LARGEST_LATTICE, dynamic_orders, position_orders
from disambig.orderings.places import PositionDistribution, place_orders, sorted_orders
from disambig.orderings.problems import (
    DecodedOrders,
    OrderParts,
    first_look,
    order_parts,
    order_values,
)
from disambig.orderings.signs import (
    SignDistribution,
    pair_costs,
    pairs_of_signs,
    signs_of_pairs,
    signs_of_ranks,
    tied_signs,
)
from disambig.orderings.ties import OrderDistribution, tied_orders, tied_position_orders
from disambig.orderings.weighted import WeightedOrderDistribution, tied_weighted_orders

__all__ = [
    "LARGEST_LATTICE",
    "DecodedOrders",
    "GibbsOrders",
    "OrderDecoder",
    "OrderDistribution",
    "OrderParts",
    "PositionDistribution",
    "SampledOrders",
    "SignDistribution",
    "WeightedOrderDistribution",
    "cut_orders",
    "dynamic_orders",
    "first_look",
    "gibbs_orders",
    "linear_extensions",
    "local_orders",
    "order_decoder",
    "order_parts",
    "order_values",
    "pair_costs",
    "pairs_of_signs",
    "place_orders",
    "position_orders",
    "sample_linear_extensions",
    "signs_of_pairs",
    "signs_of_ranks",
    "sorted_orders",
    "tied_orders",
    "tied_position_orders",
    "tied_signs",
    "tied_weighted_orders",
]
