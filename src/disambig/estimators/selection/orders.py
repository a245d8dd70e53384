"""The selection for orders: rankers that vote and rankers that do not, scored by observed pairs.

A member predicts for every pair i < j the probability that i stands before j. Its score at hidden
rows is the mean squared error of these probabilities at the observed pairs and, where places of
items are known, of the expected places. Both are linear in the probabilities, so that the score of
a mixture is a quadratic form of the shares.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from disambig.candidates import PartialOrders
from disambig.estimators.mixture import Mixture
from disambig.estimators.progress.following import unfollowed
from disambig.estimators.rankers.item_forest import ItemForestRanker
from disambig.estimators.rankers.logistic_ranker import LogisticRanker
from disambig.estimators.rankers.targets import expected_places
from disambig.estimators.selection.order_space import OrderEntry, n_trees_of, order_entries
from disambig.estimators.selection.protocol import Score, mean_score
from disambig.estimators.selection.space import (
    Entry,
    EntryWeightings,
    SearchSpace,
    family_of,
    unit_neighbors,
)
from disambig.losses.orders.kendall import BoundKendall
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.weights import Weights

_VOTES = ("votes", "neighbor votes", "average votes")
# A forest whose leaves have k rows is tried on samples of at least 20 k rows.
_ROWS_PER_LEAF_ROW = 20


@dataclass(frozen=True, eq=False)
class OrderMembers:
    """Orders as `Members` of a selection.

    Parameters
    ----------
    orders : PartialOrders
    loss : BoundOrderLoss
    ranker : PartialRanker
        Unfitted. Members that vote are copies of it with weights.
    is_mixed : bool
        Whether pair probabilities are predicted and mixed; otherwise members vote, and the loss of
        predicted orders is the score.
    """

    orders: PartialOrders
    loss: Any
    ranker: Any
    is_mixed: bool

    exclusion = "exclude an order"

    @property
    def candidates(self) -> PartialOrders:
        return self.orders

    @property
    def width(self) -> int:
        return max(1, self.orders.n_items * (self.orders.n_items - 1) // 2)

    def take(self, rows: IntArray) -> "OrderMembers":
        return replace(self, orders=self.orders[rows])

    def keys(self) -> list[AnyArray]:
        n = len(self.orders)
        pairs: AnyArray = np.packbits(self.orders.before.reshape(n, -1), axis=1)
        windows = self.orders.windows
        if windows is None:
            return [pairs]
        return [pairs, np.ascontiguousarray(windows.reshape(n, -1), np.int32).view(np.uint8)]

    def table(self) -> FloatArray:
        """Expected places."""
        return expected_places(self.orders)[0]

    def entries(self, space: SearchSpace, has_scales: bool) -> list[OrderEntry]:
        method = self.ranker.method
        return order_entries(self.orders.n_items, method, self.is_mixed, has_scales)

    def family_of(self, entry: Any, member: Any) -> str:
        if entry.family in _VOTES and family_of(member.weights) == "landmarks":
            return "landmarks"
        return str(entry.family)

    def member(self, entry: Any, weightings: EntryWeightings) -> tuple[Any, Any] | None:
        if entry.family == "item forests":
            return self._forests(int(entry.size))
        if entry.family in _VOTES:
            made = weightings.both(Entry(*entry[1:]))
            if made is None:
                return None
            method = "average" if entry.family == "average votes" else self.ranker.method
            on_sample, for_all = (self._voting(weights, method) for weights in made)
            return on_sample, for_all
        model = LogisticRanker(
            "pairs" if entry.family == "linear pairs" else "utilities",
            kernel=None if entry.kind == "linear" else entry.kind,
            bandwidth=entry.size,
            regularization=entry.ridge,
            scales=weightings.learned_scales if entry.scaled else None,
        )
        return model, model

    def _forests(self, leaf: int) -> tuple[ItemForestRanker, ItemForestRanker] | None:
        # On few rows larger leaves gain nothing, and forests are most of the cost.
        if len(self.orders) < _ROWS_PER_LEAF_ROW * leaf:
            return None
        n_trees = n_trees_of(self.orders.n_items)
        for_all = ItemForestRanker(n_trees, min_samples_leaf=leaf)
        # Half of the trees are enough to compare.
        return ItemForestRanker(n_trees // 2, min_samples_leaf=leaf), for_all

    def _voting(self, weights: Weights, method: str) -> Any:
        return unfollowed(clone(self.ranker)).set_params(
            weights=weights,
            method=method,
            # The candidates are read already.
            items=None,
            ranks="order",
            unlabeled=None,
            tolerance=None,
            time_limit=None,
        )

    def predict(self, fitted: Any, X: Any) -> FloatArray:
        if self.is_mixed:
            return pair_shares(fitted, X)
        votes = fitted._weightings_.votes(X)
        ranks: FloatArray = fitted._predictor_.predict(votes).outputs.astype(np.float64)
        return ranks

    def score(self, predictions: FloatArray, sample_weight: FloatArray) -> Score:
        if not self.is_mixed:
            return mean_score(self.losses(predictions.astype(np.int64)), sample_weight)
        residuals = self._residuals(predictions)
        total = float((sample_weight @ (residuals**2)).sum())
        count = float((sample_weight @ self._is_counted).sum())
        found = mean_score(self.losses(self.decoded(predictions)), sample_weight)
        return found._replace(value=total / max(count, np.finfo(float).tiny))

    def mixing_objective(
        self, predictions: FloatArray, sample_weight: FloatArray
    ) -> Callable[[FloatArray], tuple[float, FloatArray]] | None:
        if not self.is_mixed:
            return None
        # Shares sum to one, so that the residual of the mixture is the mixture of residuals.
        root = np.sqrt(sample_weight)[:, None]
        residuals = [(root * self._residuals(one)).ravel() for one in predictions]
        count = float((sample_weight @ self._is_counted).sum())
        form = np.array([[a @ b for b in residuals] for a in residuals]) / max(count, 1.0)

        def objective(shares: FloatArray) -> tuple[float, FloatArray]:
            gradient = 2.0 * form @ shares
            return float(shares @ gradient) / 2.0, gradient

        return objective

    def constant_loss(self, sample_weight: FloatArray) -> float:
        rows = np.flatnonzero(self.orders.informative)
        part = self.take(rows)
        signs = part.orders.signs().astype(np.float64)
        if not isinstance(self.loss, BoundKendall):
            places = sample_weight[rows] @ expected_places(part.orders)[0]
            ranks = np.argsort(np.argsort(places, kind="stable"), kind="stable")
        else:
            mean = sample_weight[rows] @ signs / sample_weight[rows].sum()
            ranks = self._orders_of(mean[None, :])[0]
        losses = part.losses(np.tile(ranks, (rows.size, 1)))
        return float(np.average(losses, weights=sample_weight[rows]))

    def fallback(self, X: Any, sample_weight: FloatArray) -> tuple[Any, Any, str]:
        if not self.is_mixed:
            described = "the 10 nearest neighbours are used, on features of unit variance"
            return unit_neighbors(X, sample_weight), None, described
        members = [LogisticRanker(regularization=1e-2), ItemForestRanker()]
        described = "an even mixture of linear utilities and of forests for items is used"
        return Mixture(members, [0.5, 0.5]), None, described

    # ------------------------------------------------------------------ orders and probabilities

    def decoded(self, shares: FloatArray) -> IntArray:
        """The ranks of least expected Kendall loss for pair probabilities ``(n, pairs)``."""
        return self._orders_of(2.0 * shares - 1.0)

    def _orders_of(self, signs: FloatArray) -> IntArray:
        scores = np.column_stack([signs, np.ones(len(signs))])
        tolerance = np.full(len(signs), _DECODING_TOLERANCE)
        ranks: IntArray = self.loss.best_prediction(scores, tolerance).first().outputs
        return ranks

    def losses(self, ranks: IntArray) -> FloatArray:
        """``min over y in the set of loss(ranks, y)`` of each row, ``(n,)``."""
        scores = self.loss.psi(ranks)
        tolerance = np.full(len(ranks), _DECODING_TOLERANCE)
        nearest = self.loss.best_candidate(scores, self.orders, tolerance).first()
        found: FloatArray = (scores * nearest.embedded_outputs).sum(axis=1)
        return np.maximum(found, 0.0)

    def _residuals(self, shares: FloatArray) -> FloatArray:
        """Errors of pairs and of places, 0 where nothing is known, ``(n, pairs + m)``."""
        signs = self.orders.signs()
        pairs = np.where(signs != 0, shares - (signs > 0), 0.0)
        if self.orders.windows is None:
            return pairs
        first, last = self.orders.windows[:, :, 0], self.orders.windows[:, :, 1]
        errors = expected_ranks(shares, self.orders.n_items) - first
        places = np.where(first == last, errors, 0.0) / np.sqrt(self.orders.n_items - 1.0)
        return np.hstack([pairs, places])

    @property
    def _is_counted(self) -> AnyArray:
        """The pairs and places of `_residuals` that are known."""
        known: AnyArray = self.orders.signs() != 0
        if self.orders.windows is None:
            return known
        return np.hstack([known, self.orders.windows[:, :, 0] == self.orders.windows[:, :, 1]])


# Expected losses that differ by less tie.
_DECODING_TOLERANCE = 1e-9


def pair_shares(fitted: Any, X: Any) -> FloatArray:
    """Probabilities of i before j for the pairs i < j, ``(q, pairs)``, of any member."""
    shares: FloatArray = fitted.pair_shares(X)
    return shares


def expected_ranks(shares: FloatArray, m: int) -> FloatArray:
    """Expected places from probabilities ``(q, pairs)``: how many items stand before, ``(q, m)``.

    Examples
    --------
    >>> expected_ranks(np.array([[1.0, 1.0, 0.25]]), 3).tolist()
    [[0.0, 1.75, 1.25]]
    """
    i, j = np.triu_indices(m, 1)
    ranks = np.zeros((len(shares), m))
    for item in range(m):
        ranks[:, item] = shares[:, j == item].sum(axis=1) + (1.0 - shares[:, i == item]).sum(axis=1)
    return ranks
