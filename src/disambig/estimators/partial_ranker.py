"""Ranking from partial orders, and probabilities of pairs from the votes for their signs."""

from typing import Any, Literal, Self, cast

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import shortest_path
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from disambig.candidates import PartialOrders
from disambig.estimators.fitting import (
    KeptRows,
    MethodResult,
    check_lengths,
    check_method,
    fit_weightings,
    kept_rows,
    rows_without_votes,
    run_method,
    validated_inputs,
)
from disambig.exceptions import NoInformationError
from disambig.losses import Faces, OrderFaces, bind_order_loss
from disambig.losses.orders.means import mean_signs
from disambig.losses.orders.protocol import LimitedOrderLoss
from disambig.metrics import kendall_tau
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.problem import Problem
from disambig.solvers import AlternatingMinimization, Callback, Solver, resolve_solver
from disambig.threads import limit_threads
from disambig.votes import Votes
from disambig.weights import is_pairwise


def pair_probabilities(votes: FloatArray, m: int) -> FloatArray:
    """Votes ``(q, m (m - 1) / 2 + 1)`` for the signs of pairs as probabilities ``(q, m, m)``.

    The last column is the sum of all votes, so ``(sum + sign) / 2`` of them are for i before j and
    ``(sum - sign) / 2`` for j before i. Their positive parts are divided by their sum; the result
    is 1/2 where neither is positive.

    Examples
    --------
    >>> pair_probabilities(np.array([[0.5, 1.0]]), 2)[0].tolist()
    [[0.0, 0.75], [0.25, 0.0]]
    """
    i, j = np.triu_indices(m, 1)
    total, signs = votes[:, -1:], votes[:, :-1]
    earlier = np.maximum((total + signs) / 2, 0.0)
    later = np.maximum((total - signs) / 2, 0.0)
    has_votes = earlier + later > 0
    share = np.where(has_votes, earlier / np.where(has_votes, earlier + later, 1.0), 0.5)
    probabilities = np.zeros((len(votes), m, m))
    probabilities[:, i, j] = share
    probabilities[:, j, i] = 1.0 - share
    return probabilities


class PartialRanker(BaseEstimator):
    """Predict total orders from partial ones: disambiguate all rows together, then learn.

    Parameters
    ----------
    weights, predict_weights
        See `PartialLabelClassifier`; "auto" is not available.
    loss : {"kendall", "footrule", "dcg"} or loss, default "kendall"
        The share of discordant pairs (`KendallLoss`, which also has the decoder as a parameter and
        accepts weights of items and of positions), the distance of items from their positions
        (`FootruleLoss`), or the loss of discounted cumulative gain (`DCGLoss`). See
        `disambig.losses`.
    method : {"disambiguation", "infimum", "average"}, default "disambiguation"
        The paper's method (DF), or a baseline. The infimum loss is minimised by alternation at
        each query, which can stop above the minimum (`infimum_is_exact_`). The average is over
        all linear extensions of each row, exact while they can be counted (`average_is_exact_`).
    solver : str or solver, default "alternating"
        "alternating" starts from the observed pairs, as the paper does: for the Kendall loss it is
        ``AlternatingMinimization("infimum")``, for other losses it starts from the targets that
        are optimal for the votes on observed pairs. "annealed" keeps a distribution over the orders
        of every row while a temperature falls (`AnnealedMinimization`): Kendall loss, at most 20
        items. The baselines do not use it.
    items : array-like (m,), optional
        Names of the items, in the order of the columns of `predict`.
    ties : {"ignore", "error"}, default "ignore"
        What equal ranks in y mean: a pair that is not compared, or an error.
    callback : callable, optional
        Called with a `Progress` after every iteration; returning True stops the run.

    Attributes
    ----------
    items_ : array (m,)
    labels_ : int array (n, m)
        The recovered ranks of every training row, 0 = first.
    resolved_ : bool array (n,)
        Rows with a single optimal order.
    undecided_pairs_ : bool array (n, m, m)
        Pairs of a row that can be reversed at the same cost while the other rows stay as they are,
        and pairs that no chain of comparisons of any rows connects: these can be reversed in all
        rows together.
    pair_probabilities_ : float array (n, m, m)
        ``[r, i, j]``: the share of the other rows' votes for i before j; observed pairs are 0 or 1.
    objective_, relaxed_objective_ : float
    n_iter_ : int
    converged_ : bool
    trace_ : tuple of Progress
    infimum_is_exact_, average_is_exact_ : bool or None
        None for other methods.
    loss_, weights_, predict_weights_, solver_
        The components in use.

    Examples
    --------
    >>> from disambig import PartialRanker
    >>> from disambig.weights import NeighborWeights
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> y = ["a>b", "b>c", "a>c", "c>b", "b>a", "c>a"]
    >>> model = PartialRanker(weights=NeighborWeights(n_neighbors=3)).fit(X, y)
    >>> model.predict_order([[0.05], [5.05]]).tolist()
    [['a', 'b', 'c'], ['c', 'b', 'a']]
    >>> model.labels_[0].tolist()
    [0, 1, 2]
    """

    def __init__(
        self,
        weights: Any = "neighbors",
        *,
        predict_weights: Any = None,
        loss: Any = "kendall",
        method: str = "disambiguation",
        solver: Any = "alternating",
        items: Any = None,
        ties: Literal["ignore", "error"] = "ignore",
        callback: Callback | None = None,
    ) -> None:
        self.weights = weights
        self.predict_weights = predict_weights
        self.loss = loss
        self.method = method
        self.solver = solver
        self.items = items
        self.ties = ties
        self.callback = callback

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        # y has one column for each item, and still one column if there is a single item.
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = is_pairwise(self.weights)
        return tags

    @limit_threads(1)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Disambiguate the training rows.

        Parameters
        ----------
        X : array-like or sparse matrix (n, d); (n, n) for precomputed weights
        y : array-like, n rows
            Partial orders in any form that `PartialOrders.from_any` reads: ranks ``(n, m)`` with
            NaN for items not observed, signs ``(n, m, m)``, lists of pairs, texts ``"a>b"``.
        sample_weight : array-like (n,), optional
            w means w copies of a row. Rows of weight zero take no part; they get the order of
            their set nearest to their prediction.
        """
        check_method(self.method)
        X = validated_inputs(self, X, reset=True)
        if y is None:
            raise ValueError("PartialRanker requires y to be passed, but the target y is None.")
        orders = self._orders(y, self.items)
        check_lengths(X, orders)
        kept = kept_rows(sample_weight, X)
        taken = orders if kept.all_rows else orders[kept.rows]
        if orders.n_items > 1 and not taken.informative.any():
            raise NoInformationError(
                f"y: none of the {len(taken)} rows compares two items, so there is nothing to "
                "learn from. Give at least one pair."
            )
        self.items_ = orders.items
        self.loss_ = bind_order_loss(self.loss, self.items_)
        if isinstance(self.loss_, LimitedOrderLoss):
            self.loss_.check_candidates(orders)
        self._weightings_ = fit_weightings(self.weights, self.predict_weights, X, kept)
        self.weights_ = self._weightings_.weights
        self.predict_weights_ = self._weightings_.predict_weights
        problem = Problem(self._weightings_.training_votes(), self.loss_, taken)
        self.solver_ = self._solver(problem)
        found = run_method(problem, self.method, self.solver_, self.callback)
        self._store(found, kept)
        self._store_pairs(found, taken)
        self._label_rows(found, kept, X, orders)
        return self

    def _solver(self, problem: Problem) -> Solver:
        if not (isinstance(self.solver, str) and self.solver == "alternating"):
            return resolve_solver(self.solver)
        if self.method != "disambiguation":
            return AlternatingMinimization()
        return AlternatingMinimization(self.loss_.usual_start(problem.votes, problem.candidates))

    def _orders(self, y: Any, items: Any) -> PartialOrders:
        return PartialOrders.from_any(y, items=items, ties=self.ties)

    def _store(self, found: MethodResult, kept: KeptRows) -> None:
        solution = found.solution
        self._predictor_ = found.predictor
        self.infimum_is_exact_ = found.infimum_is_exact
        self.objective_ = solution.objective
        self.relaxed_objective_ = solution.relaxed_objective
        self.n_iter_ = solution.n_iter
        self.converged_ = solution.converged
        self.trace_ = solution.trace
        # The mean target: inputs without votes are predicted from it.
        self._prior_ = kept.sample_weight @ found.predictor.xi / kept.sample_weight.sum()

    def _store_pairs(self, found: MethodResult, orders: PartialOrders) -> None:
        """Store the signs of pairs of the targets that prediction learns from, for any loss."""
        self.average_is_exact_ = None
        if self.method == "average":
            signs, self.average_is_exact_ = mean_signs(orders)
        else:
            learned = found.solution.decoded if self.method == "infimum" else found.solution.targets
            signs = cast(OrderFaces, learned).signs
        self._pair_targets_ = np.column_stack([signs, np.ones(len(signs))])

    def _label_rows(
        self, found: MethodResult, kept: KeptRows, X: Any, orders: PartialOrders
    ) -> None:
        n, m = orders.shape
        self.labels_ = np.zeros((n, m), dtype=np.intp)
        self.resolved_ = np.zeros(n, dtype=np.bool_)
        self.undecided_pairs_ = np.zeros((n, m, m), dtype=np.bool_)
        votes = np.zeros((n, self._pair_targets_.shape[1]))
        solution = found.solution
        self.labels_[kept.rows] = solution.decoded.outputs
        self.resolved_[kept.rows] = solution.resolved
        self.undecided_pairs_[kept.rows] = cast(OrderFaces, solution.targets).undecided
        votes[kept.rows] = self._weightings_.leave_one_out(self._pair_targets_)
        if not kept.all_rows:
            rest = np.setdiff1d(np.arange(n), kept.rows)
            rest_votes = self._weightings_.votes(X[rest])
            nearest = found.predictor.nearest(self._predictions(rest_votes), orders[rest])
            self.labels_[rest] = nearest.outputs
            self.resolved_[rest] = nearest.is_vertex
            self.undecided_pairs_[rest] = cast(OrderFaces, nearest).undecided
            votes[rest] = rest_votes @ self._pair_targets_
        self.undecided_pairs_ |= _never_connected(orders[kept.rows])
        # A loss may ignore some pairs: they are undecided although every target is optimal.
        self.resolved_ &= ~self.undecided_pairs_.any(axis=(1, 2))
        known = orders.before
        shares = pair_probabilities(votes, m)
        shares[known] = 1.0
        shares[np.swapaxes(known, 1, 2)] = 0.0
        self.pair_probabilities_ = shares

    @limit_threads(1)
    def predict(self, X: Any) -> IntArray:
        """Ranks ``(q, m)`` of least expected loss, 0 = first, columns in the order of `items_`.

        Inputs without votes get the order nearest to the mean target.
        """
        ranks: IntArray = self._predictions(self._checked_votes(X)).outputs
        return ranks

    def predict_order(self, X: Any) -> AnyArray:
        """The items of each prediction from first to last, ``(q, m)``."""
        order: AnyArray = self.items_[np.argsort(self.predict(X), axis=1)]
        return order

    @limit_threads(1)
    def pairwise_proba(self, X: Any) -> FloatArray:
        """``[r, i, j]``: the share of the votes for i before j, ``(q, m, m)``; diagonal 0.

        Negative votes are set to zero; the share is 1/2 for inputs without votes.
        """
        votes = self._checked_votes(X)
        return pair_probabilities(votes @ self._pair_targets_, len(self.items_))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Mean Kendall tau over rows; of partial orders, over the observed pairs."""
        return kendall_tau(y, self.predict(X), items=self.items_, sample_weight=sample_weight)

    def _predictions(self, votes: Votes) -> Faces:
        predictions = self._predictor_.predict(votes)
        rows = np.flatnonzero(rows_without_votes(votes, "the mean of the recovered orders"))
        if rows.size:
            default = self._predictor_.best_predictions(self._prior_[None, :])
            predictions = predictions.replace(rows, default.take(np.zeros_like(rows)))
        return predictions

    def _checked_votes(self, X: Any) -> Votes:
        check_is_fitted(self)
        return self._weightings_.votes(validated_inputs(self, X, reset=False))


def _never_connected(orders: PartialOrders) -> BoolArray:
    """Pairs ``(m, m)`` that are compared neither in a row nor by a chain through several rows.

    If the rows do not contradict each other, one order for all of them has loss zero, and such a
    pair can have either direction in it.
    """
    direct = sp.csr_array(orders.before.any(axis=0))
    reached = np.isfinite(shortest_path(direct, unweighted=True))
    return np.asarray(~(reached | reached.T))
