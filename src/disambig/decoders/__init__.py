"""Exact combinatorial minimisers for orders: plain arrays in, ranks and proofs out.

A batch of b problems on m items has ``costs`` ``(b, m, m)``: ``costs[r, i, j]`` is paid if item i
stands before item j. ``before`` ``(b, m, m)`` or ``(m, m)`` forces pairs. An order is given as
ranks ``(b, m)``: ``ranks[r, i]`` is the position of item i, 0 = first.
"""

from disambig.decoders.cuts import cut_orders
from disambig.decoders.decode import OrderDecoder, order_decoder
from disambig.decoders.decoded import DecodedOrders
from disambig.decoders.dynamic import LARGEST_LATTICE, dynamic_orders
from disambig.decoders.gibbs_orders import GibbsOrders, gibbs_orders
from disambig.decoders.linear_extensions import linear_extensions
from disambig.decoders.local import local_orders
from disambig.decoders.order_law import OrderLaw
from disambig.decoders.pair_signs import (
    pair_costs,
    pairs_of_signs,
    signs_of_pairs,
    signs_of_ranks,
)
from disambig.decoders.parts import OrderParts, first_look, order_parts
from disambig.decoders.place_orders import place_orders
from disambig.decoders.positions import position_orders
from disambig.decoders.problems import order_values
from disambig.decoders.sampling import SampledOrders, sample_linear_extensions
from disambig.decoders.sorted_orders import PlaceLaw, sorted_orders
from disambig.decoders.tied import tied_orders, tied_position_orders
from disambig.decoders.tied_signs import SignLaw, tied_signs
from disambig.decoders.weighted import WeightedLaw, tied_weighted_orders

__all__ = [
    "LARGEST_LATTICE",
    "DecodedOrders",
    "GibbsOrders",
    "OrderDecoder",
    "OrderLaw",
    "OrderParts",
    "PlaceLaw",
    "SampledOrders",
    "SignLaw",
    "WeightedLaw",
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
