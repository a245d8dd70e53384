"""The Kendall loss between orders: the share of pairs that stand the other way round."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from disambig.candidates import PartialOrders
from disambig.decoders import OrderDecoder, order_decoder, tied_orders
from disambig.losses.order_faces import OrderFaces
from disambig.losses.pair_signs import mean_signs, pair_costs, signs_of_pairs, signs_of_ranks
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.votes import Votes

__all__ = ["BoundKendall", "KendallLoss"]


class KendallLoss(BaseEstimator):
    """``loss(z, y) = sum of w[i] w[j] over discordant pairs / sum over all pairs``, in [0, 1].

    Parameters
    ----------
    item_weights : array-like (m,) or mapping from item to weight, optional
        Positive; a pair weighs the product of its items. By default all pairs weigh the same, and
        the loss is ``(1 - tau) / 2`` with Kendall's tau.
    decoder : {"auto", "dynamic", "exact", "local"}, default "auto"
        How orders are found; see `disambig.decoders.order_decoder`. Whatever the choice, up to 20
        items that hang together are ordered by exact dynamic programming with all their ties.

    Examples
    --------
    >>> import numpy as np
    >>> loss = KendallLoss().bind(np.array(["a", "b", "c"]))
    >>> z, y = np.array([[0, 1, 2]]), np.array([[0, 2, 1]])
    >>> round(float((loss.psi(z) * loss.phi(y)).sum()), 3)
    0.333
    """

    def __init__(self, item_weights: Any = None, decoder: Any = "auto") -> None:
        self.item_weights = item_weights
        self.decoder = decoder

    def bind(self, items: AnyArray) -> "BoundKendall":
        """The loss on these items."""
        weights = self._weights(items)
        i, j = np.triu_indices(len(items), 1)
        pairs = weights[i] * weights[j]
        total = pairs.sum()
        return BoundKendall(
            len(items), pairs / total if total > 0 else pairs, order_decoder(self.decoder)
        )

    def _weights(self, items: AnyArray) -> FloatArray:
        if self.item_weights is None:
            return np.ones(len(items))
        given = self.item_weights
        if hasattr(given, "keys"):
            missing = [item for item in items.tolist() if item not in given]
            if missing:
                raise ValueError(
                    f"KendallLoss: item_weights has no weight for the item {missing[0]!r}. Give "
                    "one for each item."
                )
            given = [given[item] for item in items.tolist()]
        weights = np.asarray(given, dtype=np.float64)
        if weights.shape != (len(items),):
            raise ValueError(
                f"KendallLoss: item_weights has shape {weights.shape}; expected one weight for "
                f"each of the {len(items)} items."
            )
        bad = ~(np.isfinite(weights) & (weights > 0))
        if bad.any():
            raise ValueError(
                f"KendallLoss: the weight of item {items.tolist()[int(bad.argmax())]!r} is "
                f"{weights[bad.argmax()]}; expected positive numbers."
            )
        return weights


@dataclass(frozen=True, eq=False)
class BoundKendall:
    """``phi(y) = (signs of y, 1)``, ``psi(z) = (-w signs of z, 1) / 2`` over the pairs i < j.

    Parameters
    ----------
    n_items : int
    pair_weights : float array (m (m - 1) / 2,)
        Sum to one.
    decoder : OrderDecoder
        For what is too large to be counted.
    """

    n_items: int
    pair_weights: FloatArray
    decoder: OrderDecoder

    @cached_property
    def _halves(self) -> FloatArray:
        return np.asarray(-0.5 * self.pair_weights)

    def phi(self, ranks: IntArray) -> FloatArray:
        """Embedding of targets, ``(n, p)`` with ``p = m (m - 1) / 2 + 1``."""
        return self.target_embedding(signs_of_ranks(ranks))

    def psi(self, ranks: IntArray) -> FloatArray:
        """Embedding of predictions, ``(n, p)``."""
        return self._prediction_embedding(signs_of_ranks(ranks))

    def target_embedding(self, signs: FloatArray) -> FloatArray:
        """Embedding of (means of) signs of targets."""
        return np.column_stack([signs, np.ones(len(signs))])

    def _prediction_embedding(self, signs: FloatArray) -> FloatArray:
        return np.column_stack([signs * self._halves, np.full(len(signs), 0.5)])

    def magnitude(self, candidates: PartialOrders) -> float:
        return 1.0

    def start(self, candidates: PartialOrders, kind: str) -> FloatArray:
        """``"average"``: the mean over all linear extensions; ``"infimum"``: observed pairs.

        The latter is the paper's start: ±1 for pairs known from the closure, 0 for the others. It
        favours the orders of the set and no other, which makes ranking well-behaved.
        """
        if kind == "average":
            return self.target_embedding(mean_signs(candidates).signs)
        if kind == "infimum":
            return self.target_embedding(candidates.signs().astype(np.float64))
        raise ValueError(
            f"start={kind!r} is not known to the Kendall loss; choose 'average' or 'infimum'."
        )

    def usual_start(self, votes: Votes, candidates: PartialOrders) -> str:
        """``"infimum"``, the observed pairs, as in the paper."""
        return "infimum"

    def best_prediction(self, scores: FloatArray, tolerance: FloatArray) -> OrderFaces:
        costs = pair_costs(scores[:, :-1] * self._halves, self.n_items)
        return self._faces(costs, None, tolerance, prediction=True)

    def best_candidate(
        self, scores: FloatArray, candidates: PartialOrders, tolerance: FloatArray
    ) -> OrderFaces:
        costs = pair_costs(scores[:, :-1], self.n_items)
        return self._faces(costs, candidates.before, tolerance, prediction=False)

    def _faces(
        self, costs: FloatArray, before: AnyArray | None, tolerance: FloatArray, *, prediction: bool
    ) -> OrderFaces:
        embed = self._prediction_embedding if prediction else self.target_embedding
        law = tied_orders(costs, before, tolerance=tolerance, decoder=self.decoder)
        # Pairs that all tied orders agree on come out as exactly 0 or 1.
        means = embed(signs_of_pairs(law.pairs))

        def another(rows: IntArray) -> OrderFaces:
            # The same problems with the items numbered backwards: ties fall the other way.
            forced = None if before is None else before[rows][:, ::-1, ::-1]
            other = tied_orders(
                costs[rows][:, ::-1, ::-1],
                forced,
                tolerance=tolerance[rows],
                decoder=self.decoder,
            )
            ranks = np.ascontiguousarray(other.ranks[:, ::-1])
            corners = embed(signs_of_ranks(ranks))
            return OrderFaces(ranks, corners, corners)

        return OrderFaces(law.ranks, embed(signs_of_ranks(law.ranks)), means, law.pairs, another)
