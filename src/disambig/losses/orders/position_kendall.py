"""The Kendall loss with weights of positions: an error at the top of a prediction can cost more."""

from dataclasses import dataclass

import numpy as np

from disambig.candidates import PartialOrders
from disambig.losses.orders.faces import OrderFaces, sign_faces
from disambig.losses.orders.means import mean_signs
from disambig.notation import FloatArray, IntArray
from disambig.orderings import (
    OrderDecoder,
    WeightedOrderDistribution,
    pair_costs,
    signs_of_pairs,
    signs_of_ranks,
    tied_weighted_orders,
)
from disambig.votes import Votes


def largest_sum(position_weights: FloatArray, pair_weights: FloatArray) -> float:
    """``max_z sum over i before j in z of position_weights[z(i)] pair_weights_ij``.

    A prediction and its reverse disagree on all pairs, so this is the largest loss there is.

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

    ``a(z)_ij = pair_weights_ij position_weights[min(z(i), z(j))]`` is what the pair i < j costs if
    it is discordant, ``loss = sum a(z) (1 - sign of z * sign of y) / 2``, and ``p = m (m - 1)``.

    The second half of ``phi`` is the same for all targets and is there for the starts: a pair on
    which a start has no word must cost nothing wherever it stands, not one half of ``a(z)``.

    Both minimisers are exact. The prediction step is a programme over sets of items, which sees
    the position of the item it adds; the target step is an ordering by pairs, as without weights.

    Parameters
    ----------
    position_weights : float array (m,)
        Not negative.
    pair_weights : float array (m (m - 1) / 2,)
        Such that the largest loss is 1.
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
        """From (means of) the weight of i where i stands before j, 0 elsewhere, ``(n, m, m)``."""
        i, j = np.triu_indices(self.n_items, 1)
        forward, backward = charges[:, i, j], charges[:, j, i]
        halves = 0.5 * self.pair_weights
        return np.hstack([halves * (backward - forward), halves * (backward + forward)])

    def magnitude(self, candidates: PartialOrders) -> float:
        return 1.0

    def start(self, candidates: PartialOrders, kind: str) -> FloatArray:
        """``"average"``: the mean over all linear extensions; ``"infimum"``: observed pairs.

        Under the latter a prediction pays for the observed pairs that it reverses and for nothing
        else: no more than the loss to the nearest order of the set, and nothing exactly where that
        is nothing.
        """
        if kind == "average":
            return _target_embedding(mean_signs(candidates).signs)
        if kind == "infimum":
            observed = candidates.signs().astype(np.float64)
            return np.hstack([observed, np.abs(observed)])
        raise ValueError(
            f"start={kind!r} is not known to the Kendall loss; choose 'average' or 'infimum'."
        )

    def usual_start(self, votes: Votes, candidates: PartialOrders) -> str:
        """``"infimum"``, the observed pairs, as in the paper."""
        return "infimum"

    def best_prediction(self, scores: FloatArray, tolerance: FloatArray) -> OrderFaces:
        costs = self._costs(scores)
        law = self._predictions(costs, tolerance)
        ranks = law.orders.ranks
        corners, means = self.psi(ranks), self._prediction_embedding(law.charges)
        # Positions of equal weight add up to that weight; rounding must not make a difference of
        # it.
        means = np.where(np.isclose(means, corners, rtol=1e-13, atol=0.0), corners, means)

        def another(rows: IntArray) -> OrderFaces:
            # The same problems with the items numbered backwards: ties fall the other way.
            other = self._predictions(costs[rows][:, ::-1, ::-1], tolerance[rows])
            turned = np.ascontiguousarray(other.orders.ranks[:, ::-1])
            there = self.psi(turned)
            return OrderFaces(turned, there, there)

        return OrderFaces(ranks, corners, means, signs_of_pairs(law.orders.pairs), another)

    def _costs(self, scores: FloatArray) -> FloatArray:
        """What i before j costs at a position of weight 1, ``(n, m, m)``."""
        signs, masses = np.hsplit(0.5 * scores, 2)
        costs = pair_costs(-self.pair_weights * signs, self.n_items)
        i, j = np.triu_indices(self.n_items, 1)
        costs[:, i, j] += self.pair_weights * masses
        costs[:, j, i] += self.pair_weights * masses
        return costs

    def _predictions(self, costs: FloatArray, tolerance: FloatArray) -> WeightedOrderDistribution:
        return tied_weighted_orders(costs, self.position_weights, tolerance=tolerance)

    def best_candidate(
        self, scores: FloatArray, candidates: PartialOrders, tolerance: FloatArray
    ) -> OrderFaces:
        # The second half of the scores is paid by all targets alike.
        return sign_faces(
            scores,
            self.n_items,
            candidates.before,
            tolerance=tolerance,
            decoder=self.decoder,
            embed=_target_embedding,
        )


def _target_embedding(signs: FloatArray) -> FloatArray:
    return np.hstack([signs, np.ones_like(signs)])
