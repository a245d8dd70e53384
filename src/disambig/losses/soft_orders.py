"""Orders that stay soft: a law on the linear extensions of each row, by its mean."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from disambig.candidates.partial_orders import PartialOrders
from disambig.decoders import OrderDecoder
from disambig.losses.order_faces import OrderFaces
from disambig.losses.sign_embedding import SignEmbedding
from disambig.losses.sign_faces import sign_faces
from disambig.notation import BoolArray, FloatArray, IntArray

__all__ = ["SoftOrders"]

# Orders whose probabilities differ by a smaller part tie: it is what rounding leaves.
_TIE = 1e-6


@dataclass(frozen=True, eq=False)
class SoftOrders:
    """Laws on orders, too many to list: how they compare every pair, and where they lean.

    Parameters
    ----------
    signs : float array (n, m (m - 1) / 2)
        ``P(i before j) - P(j before i)`` for i < j.
    divergences : float array (n,)
        Relative entropies to the uniform laws on the linear extensions, or bounds from above.
    costs : float array (n, m (m - 1) / 2)
        The law is, or goes towards, ``exp(-sum_{i<j} costs_ij sign_ij)``.
    orders : PartialOrders
        The candidates.
    decoder : OrderDecoder
    as_target, as_prediction : SignEmbedding
        How signs are embedded.
    """

    signs: FloatArray
    divergences: FloatArray
    costs: FloatArray
    orders: PartialOrders
    decoder: OrderDecoder
    as_target: SignEmbedding
    as_prediction: SignEmbedding

    def __len__(self) -> int:
        return len(self.signs)

    @cached_property
    def embedded(self) -> FloatArray:
        return self.as_target.embed(self.signs)

    @property
    def as_predictions(self) -> FloatArray:
        return self.as_prediction.embed(self.signs)

    @cached_property
    def largest(self) -> OrderFaces:
        """The orders that have the most of each row, as faces."""
        return sign_faces(
            self.costs,
            self.orders.n_items,
            self.orders.before,
            tolerance=np.full(len(self), _TIE),
            decoder=self.decoder,
            embed=self.as_target.embed,
        )

    @property
    def is_vertex(self) -> BoolArray:
        return self.largest.is_vertex

    @property
    def undecided(self) -> BoolArray:
        """Pairs of which both directions occur among the likeliest orders, ``(n, m, m)``."""
        return self.largest.undecided

    @property
    def outputs(self) -> IntArray:
        return self.largest.outputs

    def first(self) -> OrderFaces:
        return self.largest.first()

    def way_to(self, other: "SoftOrders") -> FloatArray:
        return np.asarray(other.embedded - self.embedded)

    def towards(self, other: "SoftOrders", part: float) -> "SoftOrders":
        if part == 1.0:
            return other
        # The entropy of a mean of two laws is not to be had; by convexity it is no further from
        # uniform than they are on average.
        return replace(
            self,
            signs=self.signs + part * (other.signs - self.signs),
            divergences=self.divergences + part * (other.divergences - self.divergences),
            costs=other.costs,
        )

    def distance(self, other: "SoftOrders") -> float:
        return float(np.abs(other.signs - self.signs).max(initial=0.0)) / 2.0
