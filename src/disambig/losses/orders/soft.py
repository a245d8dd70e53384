"""The Kendall loss at a temperature.

Every row has a distribution on its linear extensions, ``q(order)`` proportional to
``exp(-sum_{i<j} costs_ij sign_ij)``. It is given by its mean signs and its relative entropy to the
uniform distribution, which are computed exactly for at most 20 items.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from disambig.candidates.orders.partial_orders import PartialOrders
from disambig.losses.embeddings import SignEmbedding, SoftSigns
from disambig.losses.orders.faces import OrderFaces, sign_faces
from disambig.losses.softening import SoftMeans
from disambig.notation import BoolArray, FloatArray
from disambig.orderings.decode import OrderDecoder
from disambig.orderings.distributions import GibbsOrders, gibbs_orders

# Orders tie if their total costs differ by less, hence their probabilities by a smaller fraction.
# Rounding leaves differences of this size.
_TIE_TOLERANCE = 1e-6
# Decimals of mean signs that are kept. Sums over up to a million sets of items are more accurate.
_SIGN_DECIMALS = 12


@dataclass(frozen=True, eq=False)
class SoftOrders(SoftSigns):
    """Distributions on orders, given by mean signs of pairs, relative entropies and costs.

    Parameters
    ----------
    signs : float array (n, m (m - 1) / 2)
        ``P(i before j) - P(j before i)`` for i < j.
    divergences : float array (n,)
        Relative entropies to the uniform distributions on the linear extensions, or upper bounds.
    costs : float array (n, m (m - 1) / 2)
        The distribution is proportional to ``exp(-sum_{i<j} costs_ij sign_ij)``. After an
        interpolation these are the costs of the distribution that it moved towards.
    orders : PartialOrders
        The candidates.
    decoder : OrderDecoder
    as_target, as_prediction : SignEmbedding
        Embeddings of signs.
    """

    signs: FloatArray
    divergences: FloatArray
    costs: FloatArray
    orders: PartialOrders
    decoder: OrderDecoder
    as_target: SignEmbedding
    as_prediction: SignEmbedding

    @cached_property
    def largest(self) -> OrderFaces:
        """The most likely orders of each row, as faces."""
        return sign_faces(
            self.costs,
            self.orders.n_items,
            self.orders.before,
            windows=self.orders.windows,
            tolerance=np.full(len(self), _TIE_TOLERANCE),
            decoder=self.decoder,
            embed=self.as_target.embed,
        )

    @property
    def undecided(self) -> BoolArray:
        """Pairs that occur in both directions among the most likely orders, ``(n, m, m)``."""
        return self.largest.undecided

    def interpolate(self, other: "SoftOrders", fraction: float) -> "SoftOrders":
        if fraction == 1.0:
            return other
        # The relative entropy of a mixture of two distributions cannot be computed. It is convex,
        # so the mean of theirs is an upper bound.
        return replace(
            self,
            signs=self.signs + fraction * (other.signs - self.signs),
            divergences=self.divergences + fraction * (other.divergences - self.divergences),
            costs=other.costs,
        )


@dataclass(frozen=True, eq=False)
class OrderSoftening:
    """The `Softening` of the Kendall loss on partial orders of at most 20 items.

    Parameters
    ----------
    as_target, as_prediction : SignEmbedding
        Embeddings of the signs of the pairs i < j.
    orders : PartialOrders
        The candidates.
    decoder : OrderDecoder
    """

    as_target: SignEmbedding
    as_prediction: SignEmbedding
    orders: PartialOrders
    decoder: OrderDecoder

    @property
    def unit_temperature(self) -> float:
        # The mean weight of a pair: the weights sum to one.
        return 1.0 / max(1, self.width - 1)

    @property
    def width(self) -> int:
        return len(self.as_target.factors) + 1

    @property
    def is_symmetric(self) -> bool:
        return True

    @cached_property
    def _uniform(self) -> GibbsOrders:
        """Uniform distributions on the linear extensions, one for each row."""
        first, rows = self.orders.distinct
        windows = self.orders.windows
        uniform = gibbs_orders(
            np.zeros((len(first), self.width - 1)),
            self.orders.n_items,
            self.orders.before[first],
            windows=None if windows is None else windows[first],
            scales=np.ones(len(first)),
        )
        return GibbsOrders(uniform.signs[rows], uniform.log_sums[rows])

    def prior(self) -> SoftOrders:
        n = len(self.orders)
        return self._soft_orders(self._uniform.signs, np.zeros(n), np.zeros((n, self.width - 1)))

    def predictions(self, scores: FloatArray, scales: FloatArray) -> SoftMeans:
        costs = _per_scale(scores[:, :-1] * self.as_prediction.factors, scales)
        gibbs = gibbs_orders(costs, self.orders.n_items, scales=np.ones(len(costs)))
        log_count = float(gammaln(self.orders.n_items + 1))
        divergences = _divergences(costs, gibbs, np.full(len(costs), log_count))
        return SoftMeans(self.as_prediction.embed(_rounded(gibbs.signs)), divergences)

    def targets(self, scores: FloatArray, scales: FloatArray) -> SoftOrders:
        return self._on_candidates(_per_scale(scores[:, :-1] * self.as_target.factors, scales))

    def targets_as_predictions(self, scores: FloatArray, scales: FloatArray) -> SoftOrders:
        return self._on_candidates(_per_scale(scores[:, :-1] * self.as_prediction.factors, scales))

    def _on_candidates(self, costs: FloatArray) -> SoftOrders:
        gibbs = gibbs_orders(
            costs,
            self.orders.n_items,
            self.orders.before,
            windows=self.orders.windows,
            scales=np.ones(len(costs)),
        )
        divergences = _divergences(costs, gibbs, self._uniform.log_sums)
        return self._soft_orders(gibbs.signs, divergences, costs)

    def _soft_orders(
        self, signs: FloatArray, divergences: FloatArray, costs: FloatArray
    ) -> SoftOrders:
        return SoftOrders(
            _rounded(signs),
            divergences,
            costs,
            self.orders,
            self.decoder,
            self.as_target,
            self.as_prediction,
        )


def _per_scale(costs: FloatArray, scales: FloatArray) -> FloatArray:
    """Costs divided by the scale of their row; zero if the scale is 0."""
    has_votes = (scales > 0)[:, None]
    return np.asarray(np.where(has_votes, costs, 0.0) / np.where(has_votes, scales[:, None], 1.0))


def _rounded(signs: FloatArray) -> FloatArray:
    """Signs without their last digits, in which equal pairs differ by rounding.

    Below some temperature similar rows amplify each other's signs. The rounding error of a pair
    that no row compares would then grow until it decides that pair.
    """
    return np.asarray(np.round(signs, _SIGN_DECIMALS))


def _divergences(costs: FloatArray, gibbs: GibbsOrders, log_counts: FloatArray) -> FloatArray:
    """``sum q log(q / u) = -<costs, signs> - log sum + log count``, ``(n,)``; u is uniform."""
    mean_costs = np.einsum("ip,ip->i", costs, gibbs.signs)
    # Rounding can make a divergence of zero slightly negative.
    return np.asarray(np.maximum(log_counts - gibbs.log_sums - mean_costs, 0.0))
