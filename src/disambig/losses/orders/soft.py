"""Orders that stay soft: a law on the linear extensions of each row, by its mean.

The Kendall loss at a temperature: exact laws on linear extensions.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from disambig.candidates.orders.partial_orders import PartialOrders
from disambig.losses.embeddings import SignEmbedding
from disambig.losses.orders.faces import OrderFaces, sign_faces
from disambig.losses.softening import SoftMeans
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.orderings import GibbsOrders, OrderDecoder, gibbs_orders

# Orders whose probabilities differ by a smaller part tie: it is what rounding leaves.
_TIE = 1e-6
# Sums over up to a million sets of items are right to more digits.
_DIGITS = 12


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

    def direction_to(self, other: "SoftOrders") -> FloatArray:
        return np.asarray(other.embedded - self.embedded)

    def interpolate(self, other: "SoftOrders", part: float) -> "SoftOrders":
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


@dataclass(frozen=True, eq=False)
class OrderSoftening:
    """The `Softening` of the Kendall loss on partial orders of at most 20 items.

    Parameters
    ----------
    as_target, as_prediction : SignEmbedding
        How signs of the pairs i < j are embedded.
    orders : PartialOrders
        The candidates.
    decoder : OrderDecoder
    """

    as_target: SignEmbedding
    as_prediction: SignEmbedding
    orders: PartialOrders
    decoder: OrderDecoder

    @property
    def unit(self) -> float:
        # Weights of pairs sum to one: what one of them is worth on average.
        return 1.0 / max(1, self.width - 1)

    @property
    def width(self) -> int:
        return len(self.as_target.factors) + 1

    @property
    def is_symmetric(self) -> bool:
        return True

    @cached_property
    def _uniform(self) -> GibbsOrders:
        """Uniform laws on the linear extensions, one for each row."""
        first, rows = self.orders.distinct
        before = self.orders.before[first]
        law = gibbs_orders(
            np.zeros((len(first), self.width - 1)),
            self.orders.n_items,
            before,
            scales=np.ones(len(first)),
        )
        return GibbsOrders(law.signs[rows], law.log_sums[rows])

    def base(self) -> SoftOrders:
        n = len(self.orders)
        return self._laws(self._uniform.signs, np.zeros(n), np.zeros((n, self.width - 1)))

    def predictions(self, scores: FloatArray, scales: FloatArray) -> SoftMeans:
        costs = _per_scale(scores[:, :-1] * self.as_prediction.factors, scales)
        law = self._law(costs, None)
        most = float(gammaln(self.orders.n_items + 1))
        divergences = _divergences(costs, law, np.full(len(costs), most))
        return SoftMeans(self.as_prediction.embed(_without_rounding(law.signs)), divergences)

    def targets(self, scores: FloatArray, scales: FloatArray) -> SoftOrders:
        return self._candidates(_per_scale(scores[:, :-1] * self.as_target.factors, scales))

    def members(self, scores: FloatArray, scales: FloatArray) -> SoftOrders:
        return self._candidates(_per_scale(scores[:, :-1] * self.as_prediction.factors, scales))

    def _candidates(self, costs: FloatArray) -> SoftOrders:
        law = self._law(costs, self.orders.before)
        divergences = _divergences(costs, law, self._uniform.log_sums)
        return self._laws(law.signs, divergences, costs)

    def _law(self, costs: FloatArray, before: AnyArray | None) -> GibbsOrders:
        return gibbs_orders(costs, self.orders.n_items, before, scales=np.ones(len(costs)))

    def _laws(self, signs: FloatArray, divergences: FloatArray, costs: FloatArray) -> SoftOrders:
        return SoftOrders(
            _without_rounding(signs),
            divergences,
            costs,
            self.orders,
            self.decoder,
            self.as_target,
            self.as_prediction,
        )


def _per_scale(costs: FloatArray, scales: FloatArray) -> FloatArray:
    """Costs in units of the scale of their row; none where the scale is 0."""
    heard = (scales > 0)[:, None]
    return np.asarray(np.where(heard, costs, 0.0) / np.where(heard, scales[:, None], 1.0))


def _without_rounding(signs: FloatArray) -> FloatArray:
    """Signs without their last digits, in which pairs that should be alike differ.

    Below some temperature rows that say the same confirm each other in whatever they say: what
    rounding leaves of a pair that nobody compares would grow until it decides it.
    """
    return np.asarray(np.round(signs, _DIGITS))


def _divergences(costs: FloatArray, law: GibbsOrders, log_counts: FloatArray) -> FloatArray:
    """``sum q log(q / u) = -<costs, signs> - log sum + log count``, ``(n,)``."""
    paid = np.einsum("ip,ip->i", costs, law.signs)
    # Rounding can leave it a little below zero where it is zero.
    return np.asarray(np.maximum(log_counts - law.log_sums - paid, 0.0))
