"""The Kendall loss on orders: the (weighted) share of pairs that are reversed.

`KendallLoss` is the parameter of an estimator. Bound to items, it is a `BoundKendall`, or with
weights of positions a `BoundPositionKendall`.
"""

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
from disambig.orderings.decode import OrderDecoder, order_decoder
from disambig.orderings.dynamic import require_lattice
from disambig.orderings.signs import signs_of_ranks
from disambig.parameters import choice_message
from disambig.votes import Votes


class KendallLoss(BaseEstimator):
    """``loss(z, y) = sum of w[i] w[j] v[z(i)] over discordant pairs / the largest sum``, in [0, 1].

    A pair is discordant if the prediction z has i before j and the target y has j before i. Its
    weight is the product of the weights of its items, times the weight of the position at which the
    prediction has i.

    Parameters
    ----------
    item_weights : array-like (m,) or mapping from item to weight, optional
        ``w``, positive. By default all weights are equal.
    position_weights : "inverse", "log2" or array-like (m,), optional
        ``v``: ``1 / (k + 1)`` or ``1 / log2(k + 2)`` for position k = 0, 1, ... of the prediction,
        or an array of numbers >= 0. Only their ratios matter, and the last one has no effect.
        By default all weights are equal; if the items have equal weights, too, the loss is
        ``(1 - tau) / 2`` with Kendall's tau.

        With these weights, predictions are exact, with all ties, for at most 20 items. Differences
        of the loss below 1e-10 are ties. The order of items at positions of weight 0 costs nothing
        and is arbitrary. Weights of pairs of positions are not supported: exact predictions are
        built item by item, before the later position is known.
    decoder : {"auto", "dynamic", "exact", "local"}, default "auto"
        How orders are found; see `disambig.orderings.decode.order_decoder`. Whatever the choice,
        connected components of at most 20 items are ordered by exact dynamic programming, with all
        ties.

    Examples
    --------
    >>> import numpy as np
    >>> loss = KendallLoss().bind(np.array(["a", "b", "c"]))
    >>> z, y = np.array([[0, 1, 2]]), np.array([[0, 2, 1]])
    >>> round(float((loss.psi(z) * loss.phi(y)).sum()), 3)
    0.333

    An error at the second position costs half as much as one at the first:

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
        # Equal weights are as good as none and allow any number of items. The last has no effect.
        if (positions[:-1] == positions[0]).all():
            total = pairs.sum()
            return BoundKendall(len(items), pairs / total if total > 0 else pairs, decoder)
        require_lattice(
            len(items),
            "KendallLoss(position_weights=...)",
            "Leave position_weights out, or use DCGLoss, which also weights positions.",
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
        For problems that are too large for dynamic programming.
    """

    n_items: int
    pair_weights: FloatArray
    decoder: OrderDecoder

    @cached_property
    def as_target(self) -> SignEmbedding:
        """Embedding of (means of) signs of targets, ``p = m (m - 1) / 2 + 1``."""
        return SignEmbedding(np.ones(len(self.pair_weights)), 1.0)

    @cached_property
    def as_prediction(self) -> SignEmbedding:
        """Embedding of (means of) signs of predictions."""
        # A single item has no pairs: the loss is 0.
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

        The latter is the start of the paper: ±1 for pairs known from the transitive closure, 0 for
        the others. Its best predictions are exactly the orders of the set, which makes ranking
        well-behaved; of known places it has the pairs that follow from them, which is less.
        """
        if kind == "average":
            return self.as_target.embed(mean_signs(candidates).signs)
        if kind == "infimum":
            return self.as_target.embed(candidates.signs().astype(np.float64))
        names = ("average", "infimum")
        raise ValueError(choice_message("", "start of the Kendall loss", kind, names))

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
            windows=candidates.windows,
            tolerance=tolerance,
            decoder=self.decoder,
            embed=self.as_target.embed,
        )

    def softened(self, candidates: PartialOrders) -> OrderSoftening:
        """The loss at a temperature, on these candidates."""
        require_lattice(
            self.n_items,
            "KendallLoss at a temperature",
            "Use solver='alternating', which allows any number of items.",
        )
        return OrderSoftening(self.as_target, self.as_prediction, candidates, self.decoder)
