"""The Kendall loss at a temperature: exact laws on linear extensions."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from disambig.candidates.partial_orders import PartialOrders
from disambig.decoders import GibbsOrders, OrderDecoder, gibbs_orders
from disambig.losses.sign_embedding import SignEmbedding
from disambig.losses.soft_orders import SoftOrders
from disambig.losses.softening import SoftMeans
from disambig.notation import AnyArray, FloatArray

__all__ = ["OrderSoftening"]

# Sums over up to a million sets of items are right to more digits.
_DIGITS = 12


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
