"""Regression from intervals, boxes and unions of intervals."""

from typing import Any, Literal, Self

import numpy as np
from sklearn import config_context
from sklearn.base import RegressorMixin

from disambig.candidates import MeanBounds, bag_means, number_sets
from disambig.candidates.numbers.number_sets import NumberSets
from disambig.estimators.balance.means import check_means, is_auto, weights_for_means
from disambig.estimators.base import CandidateEstimator
from disambig.estimators.calibration import CoveringMixin, calibrate
from disambig.estimators.fitting import (
    Fit,
    FittedWeightings,
)
from disambig.estimators.held_out.number_judges import judged_numbers, other_predictions
from disambig.estimators.mixture import Mixture
from disambig.estimators.number_choice import (
    chosen_mixture,
    number_selection,
    number_space,
)
from disambig.estimators.number_fits import (
    bounded_rows,
    check_mixed,
    checked_margin,
    fit_number_mixture,
    number_problem,
    with_other_rows,
)
from disambig.estimators.prediction import number_predictor_of
from disambig.estimators.progress.whole_fits import all_or_nothing
from disambig.estimators.queries.number_predictions import NumberPredictionMixin
from disambig.estimators.rows.kept import (
    KeptRows,
    kept_rows,
)
from disambig.estimators.selection import SearchSpace, Selection
from disambig.estimators.selection.protocol import SelectionKind
from disambig.estimators.tolerance.relearning import check_kind
from disambig.losses.registry import resolve_number_loss
from disambig.notation import FloatArray
from disambig.number_problem import NumberProblem
from disambig.parameters import check_choice
from disambig.solvers import Solution, Solver
from disambig.solvers.loop import Callback
from disambig.solvers.numbers.automatic import suited_solver
from disambig.solvers.numbers.baselines import number_baseline, number_rule
from disambig.solvers.registry import resolve_solver
from disambig.threads import limit_threads
from disambig.votes import Votes

_FORMULATIONS = ("auto", "risk", "votes")


class IntervalRegressor(CoveringMixin, NumberPredictionMixin, RegressorMixin, CandidateEstimator):
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
        weighting. With fewer than 20 informative rows it is a fixed rule, with a warning. With
        means of bags it is the kernel ridge regression that predicts left-out bags best.
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
    tolerance : float, "auto" or None, default None
        Lets a number leave its interval at a price; see `PartialLabelClassifier`. It leaves where
        the interval is more than ``exp(tolerance)`` times as probable for the number of any row as
        for that of its own, by rows that never saw it. Not for unions of intervals.
    resolve_at, time_limit
        See `PartialLabelClassifier`.
    missing : {"error", "whole"}, default "error"
        What NaN in y means: an error, or an end that is not known.
    cv : int, splitter or iterable, optional
        Folds whose held-out rows calibrate `predict_interval`, as in scikit-learn, except that an
        int shuffles the rows. The fit costs that many additional fits. What ``weights="auto"``
        selected is fitted again without a search: the selection has then seen the held-out sets.
    random_state, n_jobs
        Of the shuffle that an int in `cv` means, and of its fits, as in scikit-learn.
    callback : callable, optional
        Called with a `disambig.solvers.Progress` after every step of every phase of the fit;
        returning True ends the phase, which uses what it has found so far.
    verbose : int, default 0
        From 1 on, every step is logged (logger "disambig").

    Attributes
    ----------
    labels_ : float array (n,); (n, d) for boxes
        The recovered target of every training row, inside its interval. For a mixture: the number
        of the interval nearest to what members predict that were trained without the row.
    outside_ : bool array (n,)
        Rows whose label left its interval.
    tolerance_ : float
        The price in use; infinite if no label may leave.
    slack_ : float array (n, 2); (n, d, 2) for boxes
        How far `labels_` are inside the lower and the upper end: 0 where the end is active.
    decided_ : bool array (n,)
        Rows whose optimum is a single number. The target of any other row could be another number
        of its interval at the same cost; the nearest to the middle is taken.
        Except for convex problems of the squared loss, predictions are taken as given here.
    resolved_ : bool array (n,)
        Decided rows with a confidence of at least `resolve_at`.
    confidence_kind_ : {"hidden sets", "leave-one-out", "in-sample"}
        Who judged the labels: rows that never saw the set, the other rows, or all rows.
    confidence_ : float array (n,)
        The probability that the true number is within `confidence_distance_` of `labels_`, given
        that it is in its set: from the prediction of the row by others, and the distribution of
        residuals under which all sets are most likely. 1 for known numbers.
    confidence_distance_ : float array (d,)
        A tenth of the range from the 5 % to the 95 % quantile of `labels_`.
    objective_, relaxed_objective_ : float
        The objective at `labels_`; numbers are not relaxed. For a mixture the mean squared distance
        of held-out predictions to the sets.
    residual_ : float or None
        How far the optimality conditions are from being met, without a unit.
    certified_ : bool
        Whether `labels_` are a global optimum, to a residual of 1e-8. False for a mixture, which
        solves no single problem: its kernel members in `members_` have certificates.
    is_convex_ : bool
        False for votes of both signs, unions of intervals (a local optimum) and mixtures.
    span_ : float array (d, 2)
        Smallest and largest finite end.
    n_iter_, converged_, trace_, margin_
    solution_ : Solution or None
        The result of the solver, for a warm start or for its certificate; None for a mixture.
    trials_ : tuple of Trial
        Of ``weights="auto"``: what was tried, with its held-out loss, best first.
    members_, shares_ : tuple of estimators, float array
        The fitted members of a mixture and their shares; empty if there is none.
    infimum_is_exact_ : bool or None
        Whether ``method="infimum"`` minimised exactly, which it does here; None for other methods.
    loss_, weights_, predict_weights_, solver_
        The components in use; `solver_` is None for baselines and mixtures. With
        ``weights=model.weights_, margin=model.margin_`` a fit repeats this one without a search.
    completion_, without_input_, n_features_in_, feature_names_in_
        How missing cells of X are completed; rows without input, bool (n,); as in scikit-learn.

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
    _instead_of_y = " It may be None with bags= and means= only."

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
        tolerance: Any = None,
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
        self.tolerance = tolerance
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
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        groups: Any = None,
        bags: Any = None,
        means: Any = None,
    ) -> Self:
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
        bags : array-like (n,), optional
            The bag of each row: a group of rows of whose numbers the mean is known.
        means : mapping of bag to mean, optional
            Numbers, pairs of bounds, or None if not known; `disambig.candidates.bag_means` reads
            them. The labels keep them, and y may be None: rows without an interval.
        """
        if bags is not None or means is not None:
            y = bag_means(y, bags, means, self.missing, self.unlabeled)
        self._fit(X, y, sample_weight, groups)
        self._held_out_ = None
        if self.cv is not None:
            sets = number_sets(y, missing=self.missing, unlabeled=self.unlabeled)
            with config_context(assume_finite=True):
                X = self._completed(self._checked(X, reset=False))
                self._held_out_ = calibrate(self, self.cv, X, sets, sample_weight)
        return self

    def _read(self, y: Any) -> NumberSets:
        name = type(self).__name__
        check_choice(name, "formulation", self.formulation, _FORMULATIONS)
        self.margin_ = checked_margin(name, self.margin)
        self.loss_ = resolve_number_loss(self.loss)
        self._flat_ = True
        if isinstance(y, MeanBounds):
            check_means(self)
            return y
        sets = number_sets(y, missing=self.missing, unlabeled=self.unlabeled)
        if self.tolerance is not None:
            check_kind(name, self.tolerance, sets)
        self._flat_ = sets.flat
        return sets

    def _kept(self, sample_weight: Any, X: Any, candidates: NumberSets, groups: Any) -> KeptRows:
        return bounded_rows(kept_rows(sample_weight, X, groups), candidates, self.method)

    def _choose(self, X: Any, kept: KeptRows, taken: NumberSets) -> tuple[Any, Solver | None, Any]:
        if isinstance(taken, MeanBounds) and is_auto(self.weights):
            return weights_for_means(X, taken, kept), self._named_solver(), ()
        return super()._choose(X, kept, taken)

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

    def _of_member(self, member: Any) -> tuple[Any, Solver | None]:
        self.margin_ = float(member.margin)
        return member.weights, self._named_solver()

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
        others, self.confidence_kind_ = other_predictions(fit, self.solver_, self._predictor_)
        labels, others, decided = with_other_rows(fit, self._predictor_, targets, others)
        self.decided_ = decided | sets.is_point
        self._store_labels(kept, sets, labels, others)

    def _learn_mixture(
        self, mixture: Mixture, X: Any, kept: KeptRows, candidates: NumberSets, taken: NumberSets
    ) -> None:
        check_mixed(self, taken)
        found = fit_number_mixture(mixture, X, kept, taken)
        self._store_mixture(mixture, found.fitted, found.objective)
        self.span_ = taken.span
        self.is_convex_, self.residual_ = False, None
        # A margin of the user also holds for labels; those that members chose need not.
        narrowed = candidates.inset(self.margin_) if self.margin_ else candidates
        self.decided_ = np.ones(len(candidates), dtype=np.bool_)
        labels = narrowed.nearest(found.predictions)
        self._store_labels(kept, candidates, labels, found.predictions)
        # Unless one group has all the information, members never saw the set that they predict.
        self.confidence_kind_ = "hidden sets" if found.fitted.hides_sets else "in-sample"

    def _store_labels(
        self, kept: KeptRows, sets: NumberSets, labels: FloatArray, others: FloatArray
    ) -> None:
        """Labels ``(n, d)``, and what predictions without their row say about them."""
        sets = sets.sets if isinstance(sets, MeanBounds) else sets
        judged = judged_numbers(labels, others, sets, kept.all_weights, self._given_)
        self.confidence_, self.confidence_distance_ = judged.confidence, judged.distance
        self._others_ = others
        segments = (sets if self._given_ is None else self._given_).segments_at(labels)
        slack = np.stack([labels - segments.lower, segments.upper - labels], axis=-1)
        self.labels_ = self._output(labels)
        self.slack_ = slack[:, 0] if self._flat_ else slack

    def _output(self, values: FloatArray) -> FloatArray:
        return values[:, 0] if self._flat_ else values
