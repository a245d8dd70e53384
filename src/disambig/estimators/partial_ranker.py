"""Ranking from partial orders, and probabilities of pairs from the votes for their signs."""

from typing import Any, Literal, Self, cast

import numpy as np

from disambig.candidates import PartialOrders
from disambig.estimators.base import CandidateEstimator
from disambig.estimators.fitting import Fit
from disambig.estimators.held_out.sign_likelihood import SignCalibration, fit_sign_calibration
from disambig.estimators.mixed_ranking import (
    PairDecoder,
    best_in_sets,
    check_members,
    fit_rankers,
)
from disambig.estimators.mixture import Mixture
from disambig.estimators.prediction import predictor_of
from disambig.estimators.progress.whole_fits import all_or_nothing
from disambig.estimators.queries.order_predictions import OrderPredictionMixin
from disambig.estimators.rankers.calibration import pair_scale
from disambig.estimators.rankers.pairs import row_orders, vote_shares
from disambig.estimators.rows.kept import KeptRows
from disambig.estimators.selection.members import MemberSelection, mixture_of
from disambig.estimators.selection.order_space import MAX_VOTED_ITEMS, ORDER_SPACE
from disambig.estimators.selection.orders import OrderMembers, pair_shares
from disambig.estimators.selection.search import Selection
from disambig.estimators.tolerance.relearning import check_kind
from disambig.exceptions import NoInformationError
from disambig.losses.orders.faces import OrderFaces
from disambig.losses.orders.kendall import BoundKendall
from disambig.losses.orders.means import mean_signs
from disambig.losses.orders.protocol import LimitedOrderLoss
from disambig.losses.registry import bind_order_loss
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.problem import Problem
from disambig.solvers import AlternatingMinimization, Solver
from disambig.solvers.loop import Callback
from disambig.threads import limit_threads

# Members of a mixture at most, and rows that say nothing but "equal shares".
_MAX_MEMBERS = 4
_PULL = 5.0


class PartialRanker(OrderPredictionMixin, CandidateEstimator):
    """Predict total orders from partial ones: disambiguate all rows together, then learn.

    Parameters
    ----------
    weights : str, weighting, Mixture or callable, default "auto"
        See `PartialLabelClassifier`. "auto" mixes the best of several families by the observed
        pairs and places of held-out rows: linear utilities, kernel utilities, linear pairs,
        forests of items, and votes; see docs/default_orders.md. With another loss than Kendall's,
        with weights of positions, another method, a named solver or `predict_weights`, it selects
        one weighting by the held-out loss (up to 15 items; beyond, the 10 nearest neighbours).
    predict_weights : str, weighting or callable, optional
        The weighting at new inputs; by default the same. A `Mixture` has none.
    loss : {"kendall", "footrule", "dcg"} or loss, default "kendall"
        The share of discordant pairs (`KendallLoss`, which also has the decoder as a parameter and
        accepts weights of items and of positions), the distance of items from their positions
        (`FootruleLoss`), or the loss of discounted cumulative gain (`DCGLoss`). See
        `disambig.losses`.
    method : {"disambiguation", "infimum", "average"}, default "disambiguation"
        The paper's method (DF), or a baseline. The infimum loss is minimised by alternation at
        each query, which can stop above the minimum (`infimum_is_exact_`). The average is over
        all linear extensions of each row, exact while they can be counted (`average_is_exact_`).
    solver : str or solver, default "auto"
        "auto" is alternating minimisation from the observed pairs, as in the paper: for the Kendall
        loss ``AlternatingMinimization("infimum")``, for other losses from the targets that are
        optimal for the votes on observed pairs. "annealed" keeps a distribution over the orders of
        every row while a temperature falls (`AnnealedMinimization`): Kendall loss, at most 20
        items. The baselines do not use it.
    items : array-like (m,), optional
        Names of the items, in the order of the columns of `predict`.
    ties : {"ignore", "error"}, default "ignore"
        What equal ranks in y mean: a pair that is not compared, or an error.
    ranks : {"order", "places"}, default "order"
        What the numbers of a table y mean: they are compared, or each is the place of its item
        among all m items, 0 = first, see `PartialOrders.from_places`. An item at place 1 of 4
        stands after one item and before two, whichever these are.
    unlabeled : object or list of objects, optional
        Markers of rows that compare nothing, such as "" or "unknown".
    tolerance : float, "auto" or None, default None
        Lets observed pairs be reversed at a price for each; see `PartialLabelClassifier`.
    resolve_at : float, default 0.9
        The confidence from which on a decided label is resolved (`resolved_`).
    time_limit : float, optional
        See `PartialLabelClassifier`.
    callback : callable, optional
        Called with a `disambig.solvers.Progress` after every step of every phase of the fit;
        returning True ends the phase, which uses what it has found so far.
    verbose : int, default 0
        From 1 on, every step is logged (logger "disambig").

    Attributes
    ----------
    items_ : array (m,)
    labels_ : int array (n, m)
        The recovered ranks of every training row, 0 = first.
    outside_ : bool array (n,)
        Rows whose label reverses an observed pair.
    tolerance_ : float
        The price in use; infinite if no pair may be reversed.
    decided_ : bool array (n,)
        Rows whose optimum is a single order.
    resolved_ : bool array (n,)
        Decided rows with a confidence of at least `resolve_at`.
    confidence_kind_ : {"hidden sets", "leave-one-out", "in-sample"}
        Who judged the labels: rows that never saw the set, the other rows, or all rows.
    confidence_ : float array (n,)
        The mean over pairs of `pair_probabilities_` in the direction of `labels_`: one minus the
        expected share of discordant pairs.
    undecided_pairs_ : bool array (n, m, m)
        Pairs of a row that can be reversed at the same cost while the other rows stay as they are,
        and pairs that no chain of comparisons of any rows connects: these can be reversed in all
        rows together.
    pair_probabilities_ : float array (n, m, m)
        ``[r, i, j]``: the probability of i before j. From the other rows' votes, or from a mixture
        that was fitted without the row's fold; calibrated by the observed pairs of all rows if they
        are 30 or more, see docs/default_orders.md. Observed pairs are 0 or 1, unless `tolerance`
        dropped them.
    objective_, relaxed_objective_ : float
        Of a mixture: the mean loss of held-out predictions to the nearest orders of the sets.
    n_iter_, converged_, certified_, trace_
        Iterations, whether they ended by themselves, whether optimality is proved, and `Progress`.
    solution_ : Solution or None
        The result of the solver, for a warm start or for its certificate; None for a mixture.
    trials_ : tuple of Trial
        What "auto" tried, best first: weights (an estimator that is a member), solver, held-out
        loss and score.
    members_, shares_ : tuple of fitted rankers, float array
        Of a mixture; otherwise empty.
    infimum_is_exact_, average_is_exact_ : bool or None
        None for other methods.
    loss_, weights_, predict_weights_, solver_
        The components in use; `solver_` is None for the baselines and for a mixture.
        ``PartialRanker(weights=model.weights_)`` fits the same without a search.
    completion_, without_input_, n_features_in_, feature_names_in_
        How missing cells of X are completed; rows without input, bool (n,); as in scikit-learn.

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

    _search_space = ORDER_SPACE
    _mixes = True
    average_is_exact_: bool | None

    def __init__(
        self,
        weights: Any = "auto",
        *,
        predict_weights: Any = None,
        loss: Any = "kendall",
        method: str = "disambiguation",
        solver: Any = "auto",
        items: Any = None,
        ties: Literal["ignore", "error"] = "ignore",
        ranks: Literal["order", "places"] = "order",
        unlabeled: Any = None,
        tolerance: Any = None,
        resolve_at: float = 0.9,
        time_limit: float | None = None,
        callback: Callback | None = None,
        verbose: int = 0,
    ) -> None:
        self.weights = weights
        self.predict_weights = predict_weights
        self.loss = loss
        self.method = method
        self.solver = solver
        self.items = items
        self.ties = ties
        self.ranks = ranks
        self.unlabeled = unlabeled
        self.tolerance = tolerance
        self.resolve_at = resolve_at
        self.time_limit = time_limit
        self.callback = callback
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # y has one column for each item, and still one column if there is a single item.
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags

    @all_or_nothing
    @limit_threads(1)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Disambiguate the training rows.

        Parameters
        ----------
        X : array-like or sparse matrix (n, d); (n, n) for precomputed weights
        y : array-like, n rows
            Partial orders in any form that `PartialOrders.from_any` reads: ranks ``(n, m)`` with
            NaN for items not observed, signs ``(n, m, m)``, lists of pairs, texts ``"a>b"``
            (several chains are joined by ``;``). With ``ranks="places"``, places ``(n, m)`` or
            first and last places ``(n, m, 2)``.
        sample_weight : array-like (n,), optional
            w means w copies of a row. Rows of weight zero take no part; they get the order of
            their set nearest to their prediction.
        groups : array-like (n,), optional
            Rows that are hidden together, as copies of a row are: photographs of one person, say.
            Leave-one-out votes (`confidence_kind_`) hide neither.
        """
        self._fit(X, y, sample_weight, groups)
        return self

    def _read(self, y: Any) -> PartialOrders:
        orders = PartialOrders.from_any(
            y, items=self.items, ties=self.ties, unlabeled=self.unlabeled, ranks=self.ranks
        )
        if self.tolerance is not None:
            check_kind(type(self).__name__, self.tolerance, orders)
        self.items_ = orders.items
        self.loss_ = bind_order_loss(self.loss, self.items_)
        if isinstance(self.loss_, LimitedOrderLoss):
            self.loss_.check_candidates(orders)
        return orders

    def _check_information(self, candidates: PartialOrders) -> None:
        if candidates.n_items > 1 and not candidates.informative.any():
            raise NoInformationError(
                f"y: none of the {len(candidates)} rows compares two items, so there is nothing to "
                "learn from. Give at least one pair, or a known place."
            )

    def _members(self, orders: PartialOrders, solver: Solver | None) -> OrderMembers:
        # Footrule, DCG and weights of positions need more than probabilities of pairs.
        is_mixed = (
            isinstance(self.loss_, BoundKendall)
            and self.method == "disambiguation"
            and solver is None
            and self.predict_weights is None
        )
        return OrderMembers(orders, self.loss_, self, is_mixed)

    def _selection_kind(
        self, taken: PartialOrders, solver: Solver | None
    ) -> MemberSelection[OrderMembers] | None:
        members = self._members(taken, solver)
        # A single item has one order. Members that all vote take too long with many items.
        most = np.inf if members.is_mixed else MAX_VOTED_ITEMS
        return MemberSelection(members) if 1 < taken.n_items <= most else None

    def _chosen(self, selection: Selection) -> tuple[Any, Solver | None]:
        solver = self._named_solver()
        if selection.is_fallback:
            return selection.weights, solver
        assert selection.scored is not None
        kind = cast("MemberSelection[OrderMembers]", selection.scored[0])
        if not kind.members.is_mixed:
            return selection.weights.weights, solver
        mixture = mixture_of(selection, most=_MAX_MEMBERS, pull=_PULL)
        first = mixture.members[0]
        is_ordinary = isinstance(first, PartialRanker) and first.method == self.method
        return (first.weights if len(mixture.members) == 1 and is_ordinary else mixture), solver

    def _learn_mixture(
        self, mixture: Mixture, X: Any, kept: KeptRows, candidates: Any, taken: Any
    ) -> None:
        check_members(type(self).__name__, mixture, self.loss, self.loss_)
        members = self._members(taken, None)
        fitted = fit_rankers(mixture, X, kept, members)
        losses = members.losses(members.decoded(fitted.held_out))
        scored = kept.sample_weight * taken.informative
        objective = float(scored @ losses / scored.sum()) if scored.any() else 0.0
        self._store_mixture(mixture, fitted, objective)
        self.average_is_exact_ = None
        self.confidence_kind_ = "hidden sets" if fitted.hides_sets else "in-sample"
        shares = fitted.at_rows(pair_shares, X, kept.rows)
        faces = best_in_sets(self.loss_, shares, candidates)
        self._decoder_ = PairDecoder.of(
            self.loss_, taken, faces.outputs[kept.rows], kept.sample_weight
        )
        found = faces.outputs, faces.is_vertex, faces.undecided
        self._store_labels(candidates, taken, kept, found, shares)

    def _suited_solver(self, problem: Problem) -> Solver:
        return AlternatingMinimization(self.loss_.usual_start(problem.votes, problem.candidates))

    def _store(self, fit: Fit) -> None:
        solution, kept, orders = fit.solution, fit.kept, fit.candidates
        self._predictor_ = predictor_of(fit.problem, solution, self.method, kept.sample_weight)
        self.average_is_exact_ = None
        if self.method == "average":
            signs, self.average_is_exact_ = mean_signs(fit.taken)
        else:
            learned = solution.decoded if self.method == "infimum" else solution.targets
            signs = cast(OrderFaces, learned).signs
        self._pair_targets_ = np.column_stack([signs, np.ones(len(signs))])
        labels, decided = solution.decoded.outputs, solution.decided
        undecided = cast(OrderFaces, solution.targets).undecided
        votes = fit.weightings.leave_one_out(self._pair_targets_)
        self._pair_slope_ = pair_scale(votes[:, :-1], fit.taken.signs(), kept.sample_weight)
        if not kept.all_rows:
            rest_votes = fit.rest_votes()
            predictions = self._predictor_.predict(rest_votes)
            nearest = cast(OrderFaces, self._predictor_.nearest(predictions, orders[fit.rest]))
            labels = fit.scatter(labels, nearest.outputs)
            decided = fit.scatter(decided, nearest.is_vertex)
            undecided = fit.scatter(undecided, nearest.undecided)
            votes = fit.scatter(votes, rest_votes @ self._pair_targets_)
        self._store_labels(
            orders, fit.taken, kept, (labels, decided, undecided), vote_shares(votes)
        )

    def _store_labels(
        self,
        orders: PartialOrders,
        taken: PartialOrders,
        kept: KeptRows,
        found: tuple[IntArray, BoolArray, BoolArray],
        shares: FloatArray,
    ) -> None:
        """Labels, and calibrated probabilities from what others predict, ``(n, pairs)``."""
        self._others_ = shares
        observed = taken if self._given_ is None else self._given_[kept.rows]
        self._calibration_: SignCalibration = fit_sign_calibration(
            shares[kept.rows], observed.signs(), kept.sample_weight
        )
        rows = row_orders(orders, taken, found, self._calibration_(shares))
        self.labels_, self.decided_, self.undecided_pairs_ = rows[:3]
        self.pair_probabilities_, self.confidence_ = rows[3:]
