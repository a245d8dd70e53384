"""The Kendall loss between orders: the share of pairs that stand the other way round."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from disambig.candidates import PartialOrders
from disambig.losses.embeddings import SignEmbedding
from disambig.losses.named_weights import named_weights, weights_of_positions
from disambig.losses.orders.faces import OrderFaces, sign_faces
from disambig.losses.orders.means import mean_signs
from disambig.losses.orders.position_kendall import BoundPositionKendall, largest_sum
from disambig.losses.orders.soft import OrderSoftening
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.orderings import OrderDecoder, order_decoder, signs_of_ranks
from disambig.orderings.dynamic import require_lattice
from disambig.votes import Votes


class KendallLoss(BaseEstimator):
    """``loss(z, y) = sum of w[i] w[j] v[z(i)] over discordant pairs / the largest sum``, in [0, 1].

    A pair is discordant if the prediction z has i before j and the target y has j before i. It
    weighs the product of its items, times the weight of the position at which the prediction has
    its earlier item.

    Parameters
    ----------
    item_weights : array-like (m,) or mapping from item to weight, optional
        ``w``, positive. By default all items weigh the same.
    position_weights : "inverse", "log2" or array-like (m,), optional
        ``v``: ``1 / (k + 1)`` or ``1 / log2(k + 2)`` for position k = 0, 1, ... of the prediction,
        or numbers of your own, not negative; only their ratios matter, and the last is never paid.
        By default all positions weigh the same; with equal items the loss is then
        ``(1 - tau) / 2`` with Kendall's tau.

        With weights, predictions are exact for at most 20 items, with all their ties; differences
        of the loss below 1e-10 are ties. How a prediction orders items at positions of weight 0
        costs nothing and means nothing. A weight for each pair of positions is not to be had:
        exact predictions are built item by item, and later positions are not known then.
    decoder : {"auto", "dynamic", "exact", "local"}, default "auto"
        How orders are found; see `disambig.orderings.order_decoder`. Whatever the choice, up to 20
        items that hang together are ordered by exact dynamic programming with all their ties.

    Examples
    --------
    >>> import numpy as np
    >>> loss = KendallLoss().bind(np.array(["a", "b", "c"]))
    >>> z, y = np.array([[0, 1, 2]]), np.array([[0, 2, 1]])
    >>> round(float((loss.psi(z) * loss.phi(y)).sum()), 3)
    0.333

    What is wrong at the second position costs half of what it costs at the first:

    >>> loss = KendallLoss(position_weights="inverse").bind(np.array(["a", "b", "c"]))
    >>> y = np.array([[0, 2, 1], [1, 0, 2]])
    >>> (loss.psi(z) @ loss.phi(y).T).round(3)
    array([[0.2, 0.4]])
    """

    def __init__(
        self, item_weights: Any = None, position_weights: Any = None, decoder: Any = "auto"
    ) -> None:
        self.item_weights = item_weights
        self.position_weights = position_weights
        self.decoder = decoder

    def bind(self, items: AnyArray) -> "BoundKendall | BoundPositionKendall":
        """The loss on these items."""
        weights = named_weights("KendallLoss", "item_weights", "item", self.item_weights, items)
        positions = weights_of_positions(self.position_weights, len(items))
        decoder = order_decoder(self.decoder)
        i, j = np.triu_indices(len(items), 1)
        pairs = weights[i] * weights[j]
        # Equal weights are none: then any number of items will do. The last is never paid.
        if (positions[:-1] == positions[0]).all():
            total = pairs.sum()
            return BoundKendall(len(items), pairs / total if total > 0 else pairs, decoder)
        require_lattice(
            len(items),
            "KendallLoss(position_weights=...)",
            "Leave position_weights out, or use DCGLoss, which weighs positions too.",
        )
        return BoundPositionKendall(positions, pairs / largest_sum(positions, pairs), decoder)


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
    def as_target(self) -> SignEmbedding:
        """How (means of) signs of targets are embedded, ``p = m (m - 1) / 2 + 1``."""
        return SignEmbedding(np.ones(len(self.pair_weights)), 1.0)

    @cached_property
    def as_prediction(self) -> SignEmbedding:
        """How (means of) signs of predictions are embedded."""
        # A single item has no pairs, and nothing to lose.
        return SignEmbedding(-0.5 * self.pair_weights, 0.5 if self.pair_weights.size else 0.0)

    def phi(self, ranks: IntArray) -> FloatArray:
        """Embedding of targets, ``(n, p)`` with ``p = m (m - 1) / 2 + 1``."""
        return self.as_target.embed(signs_of_ranks(ranks))

    def psi(self, ranks: IntArray) -> FloatArray:
        """Embedding of predictions, ``(n, p)``."""
        return self.as_prediction.embed(signs_of_ranks(ranks))

    def magnitude(self, candidates: PartialOrders) -> float:
        return 1.0

    def start(self, candidates: PartialOrders, kind: str) -> FloatArray:
        """``"average"``: the mean over all linear extensions; ``"infimum"``: observed pairs.

        The latter is the paper's start: ±1 for pairs known from the closure, 0 for the others. It
        favours the orders of the set and no other, which makes ranking well-behaved.
        """
        if kind == "average":
            return self.as_target.embed(mean_signs(candidates).signs)
        if kind == "infimum":
            return self.as_target.embed(candidates.signs().astype(np.float64))
        raise ValueError(
            f"start={kind!r} is not known to the Kendall loss; choose 'average' or 'infimum'."
        )

    def usual_start(self, votes: Votes, candidates: PartialOrders) -> str:
        """``"infimum"``, the observed pairs, as in the paper."""
        return "infimum"

    def best_prediction(self, scores: FloatArray, tolerance: FloatArray) -> OrderFaces:
        return sign_faces(
            scores[:, :-1] * self.as_prediction.factors,
            self.n_items,
            None,
            tolerance=tolerance,
            decoder=self.decoder,
            embed=self.as_prediction.embed,
        )

    def best_candidate(
        self, scores: FloatArray, candidates: PartialOrders, tolerance: FloatArray
    ) -> OrderFaces:
        return sign_faces(
            scores,
            self.n_items,
            candidates.before,
            tolerance=tolerance,
            decoder=self.decoder,
            embed=self.as_target.embed,
        )

    def softened(self, candidates: PartialOrders) -> OrderSoftening:
        """The loss at temperatures, on these candidates."""
        require_lattice(
            self.n_items,
            "KendallLoss at a temperature",
            "Use solver='alternating', which takes any number.",
        )
        return OrderSoftening(self.as_target, self.as_prediction, candidates, self.decoder)
