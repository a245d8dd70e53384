"""The Kendall loss with weights of positions: errors at the top of a prediction can cost more."""

from dataclasses import dataclass

import numpy as np

from disambig.candidates import PartialOrders
from disambig.losses.orders.faces import OrderFaces, sign_faces
from disambig.losses.orders.means import mean_signs
from disambig.notation import FloatArray, IntArray
from disambig.orderings.decode import OrderDecoder
from disambig.orderings.signs import pair_costs, signs_of_pairs, signs_of_ranks
from disambig.orderings.weighted import WeightedOrderDistribution, tied_weighted_orders
from disambig.parameters import choice_message
from disambig.votes import Votes


def largest_sum(position_weights: FloatArray, pair_weights: FloatArray) -> float:
    """``max_z sum over i before j in z of position_weights[z(i)] pair_weights_ij``.

    This is the largest possible loss: a prediction and its reverse disagree on all pairs.

    Examples
    --------
    >>> largest_sum(np.array([1.0, 0.5, 0.0]), np.array([1.0, 1.0, 3.0]))
    4.5
    """
    m = len(position_weights)
    costs = np.zeros((1, m, m))
    i, j = np.triu_indices(m, 1)
    costs[0, i, j] = costs[0, j, i] = -pair_weights
    charges = tied_weighted_orders(costs, position_weights, tolerance=0.0).charges
    return -float((costs * charges).sum())


@dataclass(frozen=True, eq=False)
class BoundPositionKendall:
    """``phi(y) = (signs of y, 1, ..., 1)``, ``psi(z) = (-a(z) signs of z, a(z)) / 2`` over pairs.

    ``a(z)_ij = pair_weights_ij position_weights[min(z(i), z(j))]`` is the cost of the pair i < j if
    it is discordant, ``loss = sum a(z) (1 - sign of z * sign of y) / 2``, and ``p = m (m - 1)``.

    The second half of ``phi`` is the same for all targets. It is needed for the starts: a pair that
    was not observed must cost 0 at every position, not ``a(z) / 2``.

    Both minimisers are exact. The prediction step is a dynamic program over sets of items; the size
    of the set is the position of the next item. The target step orders items by pair costs, as
    without weights of positions.

    Parameters
    ----------
    position_weights : float array (m,)
        Not negative.
    pair_weights : float array (m (m - 1) / 2,)
        Scaled so that the largest loss is 1.
    decoder : OrderDecoder
        For targets.
    """

    position_weights: FloatArray
    pair_weights: FloatArray
    decoder: OrderDecoder

    @property
    def n_items(self) -> int:
        """``m``."""
        return len(self.position_weights)

    def phi(self, ranks: IntArray) -> FloatArray:
        """Embedding of targets, ``(n, p)``."""
        return _target_embedding(signs_of_ranks(ranks))

    def psi(self, ranks: IntArray) -> FloatArray:
        """Embedding of predictions, ``(n, p)``."""
        earlier = ranks[:, :, None] < ranks[:, None, :]
        return self._prediction_embedding(self.position_weights[ranks][:, :, None] * earlier)

    def _prediction_embedding(self, charges: FloatArray) -> FloatArray:
        """``psi`` from (means of) charges: the weight of the position of i if i is before j."""
        i, j = np.triu_indices(self.n_items, 1)
        forward, backward = charges[:, i, j], charges[:, j, i]
        halves = 0.5 * self.pair_weights
        return np.hstack([halves * (backward - forward), halves * (backward + forward)])

    def magnitude(self, candidates: PartialOrders) -> float:
        return 1.0

    def start(self, candidates: PartialOrders, kind: str) -> FloatArray:
        """``"average"``: the mean over all linear extensions; ``"infimum"``: observed pairs.

        Under the latter the cost of a prediction is that of the observed pairs that it reverses. It
        is at most the loss to the nearest order of the set, and 0 if and only if that loss is 0 (of
        known places it has the pairs that follow from them, which is less).
        """
        if kind == "average":
            return _target_embedding(mean_signs(candidates).signs)
        if kind == "infimum":
            observed = candidates.signs().astype(np.float64)
            return np.hstack([observed, np.abs(observed)])
        names = ("average", "infimum")
        raise ValueError(choice_message("", "start of the Kendall loss", kind, names))

    def usual_start(self, votes: Votes, candidates: PartialOrders) -> str:
        """``"infimum"``, the observed pairs, as in the paper."""
        return "infimum"

    def best_prediction(self, scores: FloatArray, tolerance: FloatArray) -> OrderFaces:
        costs = self._costs(scores)
        tied = self._predictions(costs, tolerance)
        ranks = tied.orders.ranks
        vertices, means = self.psi(ranks), self._prediction_embedding(tied.charges)
        # The mean over positions of equal weight is that weight; remove its rounding error.
        means = np.where(np.isclose(means, vertices, rtol=1e-13, atol=0.0), vertices, means)

        def another(rows: IntArray) -> OrderFaces:
            # The same problems with the items in reverse order: ties are broken the other way.
            other = self._predictions(costs[rows][:, ::-1, ::-1], tolerance[rows])
            other_ranks = np.ascontiguousarray(other.orders.ranks[:, ::-1])
            embedded = self.psi(other_ranks)
            return OrderFaces(other_ranks, embedded, embedded)

        return OrderFaces(ranks, vertices, means, signs_of_pairs(tied.orders.pairs), another)

    def _costs(self, scores: FloatArray) -> FloatArray:
        """Cost of i before j at a position of weight 1, ``(n, m, m)``."""
        signs, constants = np.hsplit(0.5 * scores, 2)
        costs = pair_costs(-self.pair_weights * signs, self.n_items)
        i, j = np.triu_indices(self.n_items, 1)
        costs[:, i, j] += self.pair_weights * constants
        costs[:, j, i] += self.pair_weights * constants
        return costs

    def _predictions(self, costs: FloatArray, tolerance: FloatArray) -> WeightedOrderDistribution:
        return tied_weighted_orders(costs, self.position_weights, tolerance=tolerance)

    def best_candidate(
        self, scores: FloatArray, candidates: PartialOrders, tolerance: FloatArray
    ) -> OrderFaces:
        # The second half of the scores costs the same for all targets.
        return sign_faces(
            scores,
            self.n_items,
            candidates.before,
            windows=candidates.windows,
            tolerance=tolerance,
            decoder=self.decoder,
            embed=_target_embedding,
        )


def _target_embedding(signs: FloatArray) -> FloatArray:
    return np.hstack([signs, np.ones_like(signs)])
