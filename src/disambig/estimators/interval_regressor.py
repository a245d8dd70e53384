"""Regression from intervals, boxes and unions of intervals."""

from typing import Any, Literal, Self

import numpy as np
from sklearn import config_context
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from disambig.candidates import number_sets
from disambig.candidates.numbers.number_sets import NumberSets
from disambig.estimators.base import CandidateEstimator, all_or_nothing
from disambig.estimators.calibration import calibrate, check_coverage
from disambig.estimators.fitting import (
    Fit,
    FittedWeightings,
    KeptRows,
    kept_rows,
    validated_inputs,
)
from disambig.estimators.mixture import Mixture
from disambig.estimators.number_choice import (
    chosen_mixture,
    number_selection,
    number_space,
    with_callback,
)
from disambig.estimators.number_fits import (
    agreement,
    check_finite_ends,
    check_mixed,
    fit_number_mixture,
    number_problem,
)
from disambig.estimators.prediction import number_predictor_of
from disambig.estimators.selection import SearchSpace, Selection
from disambig.estimators.selection.protocol import SelectionKind
from disambig.losses.registry import resolve_number_loss
from disambig.metrics import interval_r2
from disambig.notation import FloatArray
from disambig.number_problem import NumberProblem
from disambig.parameters import check_choice, check_number
from disambig.solvers import Solution, Solver
from disambig.solvers.loop import Callback
from disambig.solvers.numbers.automatic import suited_solver
from disambig.solvers.numbers.baselines import number_baseline, number_rule
from disambig.solvers.registry import resolve_solver
from disambig.threads import limit_threads
from disambig.votes import Votes

_FORMULATIONS = ("auto", "risk", "votes")
# The square of an end plus a margin must stay finite.
_MAX_MARGIN = 1e100


class IntervalRegressor(RegressorMixin, CandidateEstimator):
    """Predict numbers from intervals that contain them: disambiguate all rows together, then learn.

    Parameters
    ----------
    weights : str, weighting or Mixture, default "auto"
        See `PartialLabelClassifier`. "auto" selects by hidden sets: kernel ridge (Gaussian,
        Laplacian and linear kernels, bandwidths, ridges, margins, scales of the features),
        neighbours, a linear function with few features, trees and boosting, all without units. The
        best of each kind are mixed, with shares that minimise the squared distance of held-out
        predictions (`weights_` is the `Mixture`). Unions of intervals, other losses and methods,
        and a `solver`, `predict_weights` or ``formulation="votes"`` of the user get the one best
        weighting. With fewer than 20 informative rows it is a fixed rule, with a warning.
    predict_weights : str or weighting, optional
        The weighting at new inputs; by default the same.
    loss : {"squared", "absolute", "pinball"} or loss, default "squared"
        ``PinballLoss(quantile)`` predicts quantiles.
    method : {"disambiguation", "infimum", "average"}, default "disambiguation"
        The paper's method (DF), or a baseline: the infimum loss (IL), minimised exactly at every
        query, or the mean of each set (AC). Half-lines have no mean; their finite end is used
        instead. Rows that allow every number take no part in the average.
    formulation : {"auto", "votes", "risk"}, default "auto"
        "votes" is the paper's objective, ``sum_ij alpha_j(x_i) loss(z_i, y_j)``, for every
        weighting. "risk" is the empirical risk of kernel ridge regression,
        ``sum_j (y_j - f(x_j))^2 + n lam |f|^2``, or of its approximations of low rank
        (`NystromWeights`, `RandomFeatureWeights`), minimised over targets and f together. It is
        convex for every ridge, and its minimum over the targets is regression on the squared
        distance to the intervals. "auto" is "risk" if weights and loss allow it.
    solver : str or solver, default "auto"
        "auto" finds the global optimum if the problem is convex (`NewtonRegression`,
        `AcceleratedRegression`, `LinearProgramRegression`). Otherwise it finds a local one by
        `AlternatingRegression`, or by `UnionRegression` for unions of intervals. So it does for the
        absolute and the pinball loss from 500,000 votes on, where a linear program takes too long:
        ``solver="linear_program"`` runs it all the same. `certified_` tells which. The baselines do
        not use it.
    margin : float or "auto", default "auto"
        How far inside its interval a target should be, in units of y: every end of an interval
        moves inwards by the margin, and an interval shorter than twice the margin becomes its
        midpoint. The true number is seldom at the very end of an interval; a margin keeps
        predictions away from it. "auto" is selected with ``weights="auto"`` (0 for boxes), and 0
        for other weights. `margin_` is the one in use.
    unlabeled : object or list of objects, optional
        Markers of rows or ends that say nothing, such as "" or "unknown". A missing value (NaN,
        None) marks rows only; `missing` decides what one missing end means.
    resolve_at : float, default 0.9
        The confidence from which on a decided label is resolved (`resolved_`).
    missing : {"error", "whole"}, default "error"
        What NaN in y means: an error, or an end that is not known.
    cv : int, splitter or iterable, optional
        Folds whose held-out rows calibrate `predict_interval`, as in scikit-learn, except that an
        int shuffles the rows. The fit costs that many additional fits. What ``weights="auto"``
        selected is fitted again without a search: the selection has then seen the held-out sets.
    random_state : int, RandomState or None, default 0
        Of the shuffle that an int in `cv` means.
    n_jobs : int, optional
        Processes for the fits of `cv`, as in scikit-learn.
    time_limit, callback, verbose
        See `PartialLabelClassifier`. Every member of a mixture that has a solver calls the
        callback, and so does every fold; returning True stops that run.

    Attributes
    ----------
    labels_ : float array (n,); (n, d) for boxes
        The recovered target of every training row, inside its interval. For a mixture: the number
        of the interval nearest to what members predict that were trained without the row.
    slack_ : float array (n, 2); (n, d, 2) for boxes
        How far `labels_` are from the lower and the upper end: 0 where the end is active.
    decided_ : bool array (n,)
        Rows whose optimum is a single number. The target of any other row could be another number
        of its interval at the same cost; the nearest to the middle is taken.
        Except for convex problems of the squared loss, predictions are taken as given here.
    resolved_ : bool array (n,)
        Decided rows with a confidence of at least `resolve_at`.
    confidence_kind_ : {"hidden sets", "leave-one-out", "in-sample"}
        Who judged the labels: rows that never saw the set, the other rows, or all rows.
    confidence_ : float array (n,)
        One minus the distance from `labels_` to what the other rows predict, in units of the span
        of all ends; 1 for known numbers. Under the empirical risk (the default) a target inside its
        interval is what the fitted function says there, and has 1, too; only targets at an end have
        less. A mixture compares with predictions without the row.
    objective_, relaxed_objective_ : float
        The objective at `labels_`; numbers are not relaxed. For a mixture the mean squared distance
        of held-out predictions to the sets.
    residual_ : float or None
        How far the optimality conditions are from being met, without a unit.
    certified_ : bool
        Whether `labels_` are a global optimum, to a residual of 1e-8. False for a mixture, which
        solves no single problem: its kernel members in `members_` have certificates.
    is_convex_ : bool
        False for votes of both signs, unions of intervals (`labels_` are then a local optimum) and
        mixtures.
    span_ : float array (d, 2)
        Smallest and largest finite end.
    n_iter_, converged_, trace_
    solution_ : Solution or None
        The result of the solver, for a warm start or for its certificate; None for a mixture.
    trials_ : tuple of Trial
        Of ``weights="auto"``: what was tried, with its held-out loss, best first.
    members_, shares_ : tuple of estimators, float array
        The fitted members of a mixture and their shares; empty if there is none.
    margin_ : float
    infimum_is_exact_ : bool or None
        Whether ``method="infimum"`` minimised exactly, which it does here; None for other methods.
    loss_, weights_, predict_weights_, solver_
        The components in use; `solver_` is None for baselines and mixtures. With
        ``weights=model.weights_, margin=model.margin_`` a fit repeats this one without a search.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from disambig import IntervalRegressor
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0]]
    >>> y = [[0, 0], [-5, 3], [2, float("inf")], [2.5, 9], [4, 4]]
    >>> model = IntervalRegressor("kernel_ridge").fit(X, y)
    >>> model.certified_
    True
    >>> model.labels_.round(1).tolist()
    [0.0, 0.8, 2.1, 3.4, 4.0]
    """

    _mixes = True

    def __init__(
        self,
        weights: Any = "auto",
        *,
        predict_weights: Any = None,
        loss: Any = "squared",
        method: str = "disambiguation",
        formulation: Literal["auto", "votes", "risk"] = "auto",
        solver: Any = "auto",
        margin: float | Literal["auto"] = "auto",
        unlabeled: Any = None,
        resolve_at: float = 0.9,
        missing: Literal["error", "whole"] = "error",
        cv: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        callback: Callback | None = None,
        verbose: int = 0,
    ) -> None:
        self.weights = weights
        self.predict_weights = predict_weights
        self.loss = loss
        self.method = method
        self.formulation = formulation
        self.solver = solver
        self.margin = margin
        self.unlabeled = unlabeled
        self.resolve_at = resolve_at
        self.missing = missing
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.callback = callback
        self.verbose = verbose

    @all_or_nothing
    @limit_threads(1)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Disambiguate the training rows.

        Parameters
        ----------
        X : array-like or sparse matrix (n, d); (n, n) for precomputed weights
        y : array-like, n rows
            Intervals ``(n, 2)`` with ends that may be infinite, points ``(n,)``, boxes
            ``(n, d, 2)``, or any other form that `number_sets` reads.
        sample_weight : array-like (n,), optional
            w means w copies of a row. Rows of weight zero take no part; their label is the member
            of their set nearest to their prediction.
        groups : array-like (n,), optional
            Rows that are hidden together, as copies of a row are: photographs of one person, say.
        """
        self._fit(X, y, sample_weight, groups)
        self._held_out_ = None
        if self.cv is not None:
            sets = number_sets(y, missing=self.missing, unlabeled=self.unlabeled)
            with config_context(assume_finite=True):
                X = validated_inputs(self, X, reset=False)
                self._held_out_ = calibrate(self, self.cv, X, sets, sample_weight)
        return self

    def _read(self, y: Any) -> NumberSets:
        name = type(self).__name__
        check_choice(name, "formulation", self.formulation, _FORMULATIONS)
        if isinstance(self.margin, str):
            check_choice(name, "margin", self.margin, ("auto",), "or a number")
        else:
            check_number(name, "margin", self.margin, most=_MAX_MARGIN)
        self.margin_ = 0.0 if isinstance(self.margin, str) else float(self.margin)
        self.loss_ = resolve_number_loss(self.loss)
        sets = number_sets(y, missing=self.missing, unlabeled=self.unlabeled)
        self._flat_ = sets.flat
        return sets

    def _kept(self, sample_weight: Any, X: Any, candidates: NumberSets, groups: Any) -> KeptRows:
        kept = kept_rows(sample_weight, X, groups)
        check_finite_ends(candidates, kept.rows)
        informative = candidates.informative[kept.rows]
        if self.method == "average" and not informative.all():
            kept = kept.part(informative)
        return kept

    def _selection_kind(self, taken: NumberSets, solver: Solver | None) -> SelectionKind:
        return number_selection(self, taken)

    @property
    def _search_space(self) -> SearchSpace:  # type: ignore[override]
        return number_space(self)

    def _chosen(self, selection: Selection) -> tuple[Any, Solver | None]:
        mixture = chosen_mixture(selection)
        (first, *others) = mixture.members
        if others or not isinstance(first, IntervalRegressor):
            return mixture, None
        # A single member of this class is fitted as such, with its certificate.
        self.margin_ = float(first.margin)
        return first.weights, self._named_solver()

    def _named_solver(self) -> Solver | None:
        return resolve_solver(self.solver, numbers=True)

    def _problem(
        self, weightings: FittedWeightings, votes: Votes, taken: NumberSets
    ) -> NumberProblem:
        taken = taken.inset(self.margin_) if self.margin_ else taken
        self.span_ = taken.span
        return number_problem(self, weightings, votes, taken)

    def _suited_solver(self, problem: NumberProblem) -> Solver:
        return suited_solver(problem)

    def _run_baseline(self, problem: NumberProblem, votes: Votes) -> Solution:
        # The losses of numbers minimise the infimum exactly.
        self.infimum_is_exact_ = True if self.method == "infimum" else None
        return number_baseline(problem, votes, self.method)

    def _store(self, fit: Fit) -> None:
        solution, kept, sets = fit.solution, fit.kept, fit.candidates
        targets = solution.decoded.outputs
        learned = targets if self.method == "disambiguation" else None
        rule = number_rule(fit.problem, self.method, learned)
        self._predictor_ = number_predictor_of(rule, kept.sample_weight)
        assert solution.certificate is not None
        self.is_convex_ = solution.certificate.is_convex
        self.residual_ = solution.certificate.residual
        labels, decided = targets, solution.decided
        others = self._predictor_.predict_quietly(fit.weightings.weights.leave_one_out_votes())
        if not kept.all_rows:
            predictions = self._predictor_.predict(fit.rest_votes())
            nearest = sets[fit.rest].nearest(predictions)
            labels, others = fit.scatter(labels, nearest), fit.scatter(others, predictions)
            decided = fit.scatter(decided, np.ones(len(nearest), dtype=np.bool_))
        self.decided_ = decided | sets.is_point
        self._store_labels(sets, labels, others)

    def _learn_mixture(
        self, mixture: Mixture, X: Any, kept: KeptRows, candidates: NumberSets, taken: NumberSets
    ) -> None:
        check_mixed(self, taken)
        found = fit_number_mixture(with_callback(mixture, self._progress()), X, kept, taken)
        self._store_mixture(mixture, found.fitted, found.objective)
        self.span_ = taken.span
        self.is_convex_, self.residual_ = False, None
        # A margin of the user also holds for labels; those that members chose need not.
        narrowed = candidates.inset(self.margin_) if self.margin_ else candidates
        self.decided_ = np.ones(len(candidates), dtype=np.bool_)
        self._store_labels(candidates, narrowed.nearest(found.predictions), found.predictions)

    def _store_labels(self, sets: NumberSets, labels: FloatArray, others: FloatArray) -> None:
        """Labels ``(n, d)``, and how far they are from predictions without their row."""
        self.confidence_ = np.where(sets.is_point, 1.0, agreement(labels, others, self.span_))
        segments = sets.segments_at(labels)
        slack = np.stack([labels - segments.lower, segments.upper - labels], axis=-1)
        self.labels_ = self._output(labels)
        self.slack_ = slack[:, 0] if self._flat_ else slack

    def _output(self, values: FloatArray) -> FloatArray:
        return values[:, 0] if self._flat_ else values

    @limit_threads(1)
    def predict(self, X: Any) -> FloatArray:
        """The output of least expected loss, ``(q,)``; ``(q, d)`` for boxes.

        Inputs without votes get the best constant, with a warning. The formulation "risk" fits a
        function, which has a value at every input.
        """
        check_is_fitted(self)
        if self._mixture_ is None:
            return self._output(self._predictions(X))
        X = validated_inputs(self, X, reset=False)
        with config_context(assume_finite=True):
            return self._output(self._mixture_(X))

    @limit_threads(1)
    def predict_interval(
        self,
        X: Any,
        coverage: float = 0.9,
        *,
        meaning: Literal["meets", "contains"] = "meets",
    ) -> FloatArray:
        """Intervals ``(q, 2)`` around the predictions that cover new *sets*; boxes ``(q, d, 2)``.

        The guarantee is about the set of a new row, because the number inside is never observed.
        If rows are exchangeable, the probability that the interval fails is at most
        ``2 (1 - coverage)``, plus up to ``sqrt(2 / n)`` with few folds; in practice it is close to
        ``1 - coverage``. Each model is scored on the fold that it was trained without (CV+). This
        is proved for weights that are given; what ``weights="auto"`` selected has seen all sets.

        Parameters
        ----------
        X : array-like (q, d)
        coverage : float, default 0.9
        meaning : {"meets", "contains"}, default "meets"
            The predicted interval has a point in common with the set of the row, or it contains
            the whole set, and so the true number. "contains" gives infinite intervals if too many
            training rows are half-lines. For boxes the guarantee holds for each column; for unions
            of intervals, which can be missed on both sides, "meets" has twice the bound.
        """
        check_is_fitted(self)
        level = check_coverage(coverage, meaning)
        if self._held_out_ is None:
            raise ValueError(
                "predict_interval needs held-out rows: fit with cv=5 (or another number of folds)."
            )
        X = validated_inputs(self, X, reset=False)
        with config_context(assume_finite=True):
            found = self._held_out_.predictions(X, len(self.span_))
        ends = self._held_out_.interval(found, level, meaning)
        return ends[:, 0] if self._flat_ else ends

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R² on plain y; on intervals R² of the distances to them, see `interval_r2`."""
        return interval_r2(
            y,
            self.predict(X),
            missing=self.missing,
            unlabeled=self.unlabeled,
            sample_weight=sample_weight,
        )
