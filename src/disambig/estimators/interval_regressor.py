"""Regression from intervals, boxes and unions of intervals."""

import numbers
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from disambig.candidates import NumberSets, number_sets
from disambig.estimators.calibration import calibrate, check_coverage
from disambig.estimators.fitting import (
    KeptRows,
    check_lengths,
    check_method,
    fit_weightings,
    kept_rows,
    rows_without_votes,
    validated_inputs,
)
from disambig.estimators.number_fitting import NumberMethodResult, run_number_method
from disambig.exceptions import MissingOracleError, NoInformationError
from disambig.losses import SquaredLoss, resolve_number_loss
from disambig.metrics import interval_r2
from disambig.notation import BoolArray, FloatArray
from disambig.number_problem import NumberProblem, RiskProblem, VotedProblem
from disambig.solvers import Callback, resolve_number_solver
from disambig.threads import limit_threads
from disambig.votes import Votes
from disambig.weights import (
    FittedWeights,
    KernelRidgeWeights,
    NystromWeights,
    PoissonWeights,
    RandomFeatureWeights,
    automatic_ridge,
    is_pairwise,
)

_FORMULATIONS = ("auto", "risk", "votes")
# Weightings that are ridge regressions, exact or of low rank; they offer `residual_form`.
_RIDGE_WEIGHTS = (KernelRidgeWeights, NystromWeights, RandomFeatureWeights)
# The square of an end plus a margin must stay finite.
_MAX_MARGIN = 1e100


class IntervalRegressor(RegressorMixin, BaseEstimator):
    """Predict numbers from intervals that contain them: disambiguate all rows together, then learn.

    Parameters
    ----------
    weights : str or weighting, default "auto"
        See `PartialLabelClassifier`. "auto" is ``KernelRidgeWeights(intercept=True)`` for up to
        5000 rows if its matrices fit in half of the free memory, and otherwise
        ``NystromWeights(n_landmarks=1000, intercept=True)``; `weights_` is the one in use.
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
        `AlternatingRegression`, or by `UnionRegression` for unions of intervals. `certified_` tells
        which. The baselines do not use it.
    margin : float, default 0
        How far inside its interval a target should be, in units of y: every end of an interval
        moves inwards by the margin, and an interval shorter than twice the margin becomes its
        midpoint. The true number is seldom at the very end of an interval; a margin keeps
        predictions away from it. Choose it by cross-validation, like a ridge.
    missing : {"error", "whole"}, default "error"
        What NaN in y means: an error, or an end that is not known.
    calibration : int or splitter, optional
        Folds whose held-out rows calibrate `predict_interval`; an int shuffles rows into so many
        folds. The fit costs that many additional fits.
    callback : callable, optional
        Called with a `Progress` after every iteration; returning True stops the run.

    Attributes
    ----------
    labels_ : float array (n,); (n, d) for boxes
        The recovered target of every training row, inside its interval.
    slack_ : float array (n, 2); (n, d, 2) for boxes
        How far `labels_` are from the lower and the upper end: 0 where the end is active.
    resolved_ : bool array (n,)
        Rows whose target is known, or changes the objective: it has votes in the prediction of
        another row, or in its own next to votes of another row. The target of any other row could
        be any number of its interval at the same cost.
    objective_ : float
    residual_ : float or None
        How far the optimality conditions are from being met, without a unit.
    certified_ : bool
        Whether `labels_` are a global optimum, to a residual of 1e-8.
    is_convex_ : bool
        False for votes of both signs and for unions of intervals; `labels_` are then a local
        optimum.
    span_ : float array (d, 2)
        Smallest and largest finite end.
    n_iter_, converged_, trace_
    loss_, weights_, predict_weights_, solver_
        The components in use.

    Examples
    --------
    >>> from disambig import IntervalRegressor
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0]]
    >>> y = [[0, 0], [-5, 3], [2, float("inf")], [2.5, 9], [4, 4]]
    >>> model = IntervalRegressor().fit(X, y)
    >>> model.certified_
    True
    >>> model.labels_.round(1).tolist()
    [0.0, 0.7, 2.0, 3.3, 4.0]
    """

    def __init__(
        self,
        weights: Any = "auto",
        *,
        predict_weights: Any = None,
        loss: Any = "squared",
        method: str = "disambiguation",
        formulation: Literal["auto", "votes", "risk"] = "auto",
        solver: Any = "auto",
        margin: float = 0.0,
        missing: Literal["error", "whole"] = "error",
        calibration: Any = None,
        callback: Callback | None = None,
    ) -> None:
        self.weights = weights
        self.predict_weights = predict_weights
        self.loss = loss
        self.method = method
        self.formulation = formulation
        self.solver = solver
        self.margin = margin
        self.missing = missing
        self.calibration = calibration
        self.callback = callback

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
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
            Intervals ``(n, 2)`` with ends that may be infinite, points ``(n,)``, boxes
            ``(n, d, 2)``, or any other form that `number_sets` reads.
        sample_weight : array-like (n,), optional
            w means w copies of a row. Rows of weight zero take no part; their label is the member
            of their set nearest to their prediction.
        """
        check_method(self.method)
        self._check_formulation()
        margin = self._checked_margin()
        self.loss_ = resolve_number_loss(self.loss)
        self.solver_ = resolve_number_solver(self.solver)
        X = validated_inputs(self, X, reset=True)
        if y is None:
            raise ValueError("IntervalRegressor requires y to be passed, but the target y is None.")
        sets = number_sets(y, missing=self.missing)
        check_lengths(X, sets)
        kept = self._kept(sample_weight, X, sets)
        taken = sets if kept.all_rows else sets[kept.rows]
        taken = taken.inset(margin) if margin else taken
        self.span_ = taken.span
        weights = automatic_ridge(kept.rows.size) if self._automatic else self.weights
        self._weightings_ = fit_weightings(weights, self.predict_weights, X, kept)
        self.weights_ = self._weightings_.weights
        self.predict_weights_ = self._weightings_.predict_weights
        self._check_levels()
        votes = self.weights_.training_votes()
        problem = self._problem(taken, votes)
        found = run_number_method(problem, votes, self.method, self.solver_, self.callback)
        self._store(found, kept)
        self._label_rows(found.solution.targets, problem.has_votes, kept, X, sets)
        self._held_out_ = (
            None
            if self.calibration is None
            else calibrate(self, self.calibration, X, sets, sample_weight)
        )
        return self

    @property
    def _automatic(self) -> bool:
        return isinstance(self.weights, str) and self.weights == "auto"

    def _checked_margin(self) -> float:
        margin = self.margin
        if not isinstance(margin, numbers.Real) or not 0.0 <= float(margin) <= _MAX_MARGIN:
            raise ValueError(f"margin={margin!r}; expected a number from 0 to 1e100.")
        return float(margin)

    def _kept(self, sample_weight: Any, X: Any, sets: NumberSets) -> KeptRows:
        """Rows that take part."""
        kept = kept_rows(sample_weight, X)
        informative = sets.informative[kept.rows]
        uninformative = ~np.isfinite(sets.centers[kept.rows]).any(axis=0)
        if uninformative.any():
            where = "" if sets.flat else f" in column {int(np.argmax(uninformative))}"
            raise NoInformationError(
                f"y: each of the {kept.rows.size} rows allows every number{where}, so there is "
                f"nothing to learn from{'' if sets.flat else ' there'}. Give at least one row a "
                "finite end."
            )
        if self.method == "average" and not informative.all():
            weights = None if kept.weights is None else kept.weights[informative]
            kept = KeptRows(kept.rows[informative], weights, kept.n)
        return kept

    def _check_formulation(self) -> None:
        if self.formulation not in _FORMULATIONS:
            raise ValueError(
                f"formulation={self.formulation!r} is not known; choose one of "
                f"{list(_FORMULATIONS)}."
            )

    def _problem(self, sets: NumberSets, votes: Votes) -> NumberProblem:
        obstacle = self._obstacle_to_risk()
        if self.formulation == "risk" and obstacle:
            raise MissingOracleError(f"formulation='risk' {obstacle}. Use formulation='votes'.")
        if self.formulation == "votes" or obstacle:
            # w copies of a row are w equal rows of votes.
            sample_weight = self._weightings_.row_weights
            scaled = votes if sample_weight is None else votes.scale_rows(sample_weight)
            return VotedProblem(scaled, self.loss_, sets, self.span_)
        ridge = self._weighting
        assert isinstance(ridge, _RIDGE_WEIGHTS)
        return RiskProblem(
            votes,
            ridge.residual_form(),
            bool(ridge.intercept),
            sets,
            self.span_,
        )

    def _check_levels(self) -> None:
        for weights in (self.weights_, self.predict_weights_):
            if isinstance(_unwrapped(weights), PoissonWeights):
                raise ValueError(
                    "PoissonWeights cannot be used for regression: its votes sum to zero, so that "
                    "predictions have no level. Use LaplacianWeights on the same graph."
                )

    @property
    def _weighting(self) -> Any:
        """The weighting in use, without the `FittedWeights` around it."""
        return _unwrapped(self.weights_)

    def _obstacle_to_risk(self) -> str:
        """Why the formulation "risk" is not possible; empty if it is."""
        weights = self._weighting
        if not isinstance(self.loss_, SquaredLoss):
            return f"needs the squared loss; got {self.loss_!r}"
        if not isinstance(weights, _RIDGE_WEIGHTS):
            return f"needs KernelRidgeWeights; got {type(weights).__name__}"
        divided = isinstance(weights, KernelRidgeWeights) and weights.normalize
        if weights.leave_one_out or (divided and not weights.intercept):
            return "needs KernelRidgeWeights with normalize=False and leave_one_out=False"
        if self.predict_weights is not None:
            return "predicts with the function that it fits, so predict_weights must be None"
        if self.method == "infimum":
            return (
                "is the same problem for method='infimum' and method='disambiguation'; the infimum "
                "loss is minimised at each query, which needs votes"
            )
        return ""

    def _store(self, found: NumberMethodResult, kept: KeptRows) -> None:
        solution = found.solution
        self._predictor_ = found.predictor
        self._best_constant_ = found.predictor.constant(kept.sample_weight)
        self.objective_ = solution.objective
        self.residual_ = solution.residual
        self.certified_ = solution.certified
        self.is_convex_ = solution.is_convex
        self.n_iter_ = solution.n_iter
        self.converged_ = solution.converged
        self.trace_ = solution.trace

    def _label_rows(
        self, targets: FloatArray, has_votes: BoolArray, kept: KeptRows, X: Any, sets: NumberSets
    ) -> None:
        n, d = len(sets), sets.n_columns
        labels = np.empty((n, d))
        labels[kept.rows] = targets
        self.resolved_ = sets.is_point.copy()
        self.resolved_[kept.rows] |= has_votes
        self._flat_ = sets.flat
        if not kept.all_rows:
            rest = np.setdiff1d(np.arange(n), kept.rows)
            labels[rest] = sets[rest].nearest(self._predictions(self._weightings_.votes(X[rest])))
            self.resolved_[rest] = True
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
        return self._output(self._predictions(self._checked_votes(X)))

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
        ``1 - coverage``. Each model is scored on the fold that it was trained without (CV+).

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
                "predict_interval needs held-out rows: fit with calibration=5 (or another number "
                "of folds)."
            )
        X = validated_inputs(self, X, reset=False)
        found = self._held_out_.predictions(X, len(self.span_))
        ends = self._held_out_.interval(found, level, meaning)
        return ends[:, 0] if self._flat_ else ends

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R² on plain y; on intervals R² of the distances to them, see `interval_r2`."""
        return interval_r2(y, self.predict(X), missing=self.missing, sample_weight=sample_weight)

    def _predictions(self, votes: Votes) -> FloatArray:
        predictions = self._predictor_.predict(votes)
        if not self._predictor_.linear:
            rows = rows_without_votes(votes, "the best constant")
            predictions[rows] = self._best_constant_
        return predictions

    def _checked_votes(self, X: Any) -> Votes:
        check_is_fitted(self)
        return self._weightings_.votes(validated_inputs(self, X, reset=False))


def _unwrapped(weights: Any) -> Any:
    return weights.weights if isinstance(weights, FittedWeights) else weights
