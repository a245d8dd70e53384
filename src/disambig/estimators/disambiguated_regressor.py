"""Any regressor of scikit-learn, in alternation with the numbers that it is trained on."""

from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.linear_model import Ridge

from disambig.candidates import Intervals, IntervalUnions, number_sets
from disambig.candidates.numbers.number_sets import NumberSets
from disambig.estimators.alternation.loop import Alternation, Iterate
from disambig.estimators.alternation.numbers import NumberTask, check_bounded
from disambig.estimators.alternation.training import take_rows
from disambig.estimators.disambiguated import DisambiguatedEstimator
from disambig.estimators.fitting import check_lengths
from disambig.estimators.held_out.number_judges import judged_numbers
from disambig.estimators.interval_regressor import IntervalRegressor
from disambig.estimators.progress.whole_fits import all_or_nothing
from disambig.estimators.rows.kept import (
    KeptRows,
    kept_rows,
)
from disambig.exceptions import MissingOracleError
from disambig.losses.registry import resolve_number_loss
from disambig.metrics import interval_r2
from disambig.notation import FloatArray
from disambig.parameters import check_choice, check_number
from disambig.solvers.loop import Callback

_UNDECIDED = {
    "exclude": "the first models are trained without them",
    "include": "the first models are trained on the solver's choice",
}
# The square of an end plus a margin must stay finite.
_MAX_MARGIN = 1e100


class DisambiguatedRegressor(RegressorMixin, DisambiguatedEstimator):
    """Any regressor of scikit-learn, trained from intervals that contain the numbers.

    Rounds alternate between the regressor and the targets: models that are trained on the other
    folds predict every row, and the target of the row becomes the number of its interval nearest to
    that prediction. The targets whose models predict other rows best are kept, which may be those
    of the start, and the regressor is fitted to them.

    Parameters
    ----------
    estimator : scikit-learn regressor, optional
        By default ``Ridge()``.
    start : {"votes", "average"}, default "votes"
        The first targets: the numbers that votes recover (`IntervalRegressor`), or mid-points. A
        half-line starts at its end; a whole line has no part in the first models. X with missing
        values needs "average".
    weights, method, formulation, solver, time_limit
        How the votes recover numbers; see `IntervalRegressor`. For ``start="votes"`` only.
    loss : {"squared", "absolute", "pinball"} or loss, default "squared"
        As in `IntervalRegressor`; also that by which targets are kept. The regressor keeps
        its own.
    margin, unlabeled, missing
        See `IntervalRegressor`.
    max_iter : int, default 5
        The largest number of rounds. Each costs the fits of `cv`, as does the start. 0: the
        regressor is fitted to the start.
    tol : float, default 1e-3
        Rounds end when no target moves by more than this share of the span of all ends.
    cv : int, splitter, iterable, "out-of-bag" or None, default 5
        Which models predict a row. Folds are given as in scikit-learn, except that an int shuffles
        the rows and keeps rows with equal inputs together; of other splits, training rows equal to
        a test row are left out. "out-of-bag" is for forests and bagging with ``bootstrap=True``:
        the members predict that were trained without the row, and a round costs one fit. A row
        that all members were trained on keeps its target. None: models that were trained on the
        row itself predict it. A flexible model then reproduces any start. For least squares the
        objective never rises, and the rounds minimise the empirical risk over function and targets
        together.
    undecided : {"exclude", "include"}, default "exclude"
        What the first models do with rows whose optimum under the votes is no single number: leave
        them out, or train on the solver's choice. A warning gives their number. For
        ``start="votes"`` only.
    tolerance : float, "auto" or None, default None
        Lets a number leave its interval at a price, see `IntervalRegressor`;
        then also in rounds. For ``start="votes"`` only.
    resolve_at : float, default 0.9
        The confidence from which on a decided label is resolved (`resolved_`).
    random_state : int, RandomState or None, default 0
        Of the shuffle that an int in `cv` means.
    n_jobs : int, optional
        Processes for the fits of `cv`, as in scikit-learn.
    callback : callable, optional
        Called with a `disambig.solvers.Progress` after every step of every phase of the fit;
        returning True ends the phase, which uses what it has found so far.
    verbose : int, default 0
        From 1 on, every step is logged (logger "disambig").

    Attributes
    ----------
    estimator_ : the fitted regressor
    labels_ : float array (n,); (n, d) for boxes
        The targets that `estimator_` was trained on, inside their intervals; for other rows the
        number nearest to their prediction.
    outside_ : bool array (n,)
        Rows whose label left its interval.
    tolerance_ : float
        The price of that; infinite if no label may leave.
    confidence_ : float array (n,)
        The probability that the true number is within `confidence_distance_` of `labels_`, given
        that it is in its set: see `IntervalRegressor`, with predictions by models without the row.
        1 for known numbers, 0 for rows without such a prediction.
    confidence_distance_ : float array (d,)
        A tenth of the range from the 5 % to the 95 % quantile of `labels_`.
    decided_ : bool array (n,)
        Known numbers, and rows with such a prediction.
    resolved_ : bool array (n,)
        Decided rows with a confidence of at least `resolve_at`.
    confidence_kind_ : {"hidden sets", "leave-one-out", "in-sample"}
        Who judged the labels: rows that never saw the set, the other rows, or all rows.
    objective_, relaxed_objective_ : float
        The mean infimum loss: that of the predictions by models without the row at the nearest
        number of its interval. The kept targets have the lowest. In sample if `cv` is None (which
        keeps the last targets) or there was no round.
    n_iter_ : int
        Rounds that were run.
    converged_ : bool
        Whether the last round moved no target by more than `tol`. Otherwise `solution_.status` has
        the reason: earlier targets came back (rounds can cycle), rounds ran out, or the callback
        stopped.
    certified_ : bool
        False: nothing is proved about a round.
    trace_ : tuple of Progress
        Iterations of the votes, then one entry for the start and for each round.
    solution_ : Alternation
        The kept targets, the held-out predictions of their models, and the status.
    disambiguator_ : IntervalRegressor or None
        What recovered the start; None for ``start="average"``.
    trials_, weights_, solver_
        Those of `disambiguator_`; empty or None without it.
    loss_ : the loss in use
    training_rows_ : int array
        Rows that `estimator_` was trained on.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from disambig import DisambiguatedRegressor
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0]]
    >>> y = [[0, 0], [-5, 3], [2, float("inf")], [2.5, 9], [4, 4]]
    >>> model = DisambiguatedRegressor(LinearRegression(), weights="kernel_ridge").fit(X, y)
    >>> model.predict([[0.2], [3.9]]).round(1).tolist()
    [0.2, 3.9]
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        start: Literal["votes", "average"] = "votes",
        weights: Any = "auto",
        loss: Any = "squared",
        method: str = "disambiguation",
        formulation: Literal["auto", "votes", "risk"] = "auto",
        solver: Any = "auto",
        margin: float = 0.0,
        unlabeled: Any = None,
        tolerance: Any = None,
        resolve_at: float = 0.9,
        missing: Literal["error", "whole"] = "error",
        max_iter: int = 5,
        tol: float = 1e-3,
        cv: Any = 5,
        undecided: Literal["exclude", "include"] = "exclude",
        random_state: Any = 0,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        callback: Callback | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.start = start
        self.weights = weights
        self.loss = loss
        self.method = method
        self.formulation = formulation
        self.solver = solver
        self.margin = margin
        self.unlabeled = unlabeled
        self.tolerance = tolerance
        self.resolve_at = resolve_at
        self.missing = missing
        self.max_iter = max_iter
        self.tol = tol
        self.cv = cv
        self.undecided = undecided
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.callback = callback
        self.verbose = verbose

    _role = "regressor"
    _of_votes: ClassVar[dict[str, Any]] = {
        "weights": "auto",
        "method": "disambiguation",
        "formulation": "auto",
        "solver": "auto",
        "undecided": "exclude",
        "tolerance": None,
        "time_limit": None,
    }

    def _template(self) -> Any:
        return Ridge() if self.estimator is None else self.estimator

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Alternate between the regressor and the targets, then fit the regressor to the targets.

        Parameters
        ----------
        X : array-like or sparse matrix (n, d)
            With missing cells, NaN, if `estimator` accepts them.
        y : array-like, n rows
            Intervals in any form that `number_sets` reads.
        sample_weight : array-like (n,), optional
            w means w copies of a row, in all steps. Rows of weight zero take no part; their label
            is the number of their set nearest to what `estimator_` predicts.
        groups : array-like (n,), optional
            Rows of one group are in the same fold.
        """
        name = type(self).__name__
        check_choice(name, "undecided", self.undecided, _UNDECIDED)
        check_number(name, "tol", self.tol)
        check_number(name, "margin", self.margin, most=_MAX_MARGIN)
        self._check_parameters()
        checked = self._checked(X, reset=True)
        if y is None:
            raise ValueError(f"{name} requires y to be passed, but the target y is None.")
        given = number_sets(y, missing=self.missing, unlabeled=self.unlabeled)
        check_lengths(checked, given)
        kept = kept_rows(sample_weight, checked, groups)
        self.loss_ = resolve_number_loss(self.loss)
        self._check_loss(self._narrowed(given))
        inputs = self._inner_inputs(X, checked)
        if kept.weights is not None:
            self._require_sample_weight("fit without sample_weight")
        self._without_votes(len(given))
        task = self._task(inputs, self._narrowed(given), kept)
        held_out = self._held_out(task, checked, kept, given, groups)
        if self.start == "votes":
            votes = IntervalRegressor(loss=self.loss, margin=self.margin)
            self._start_by_votes(votes, checked, given, sample_weight, groups)
        if self.outside_.any():
            task = self._task(inputs, self._with_outside(self._narrowed(given)), kept)
            held_out = self._held_out(task, checked, kept, given, groups)
        is_open = not bool(task.sets.is_point.all())
        found = self._alternate(task, self._started(task, kept), held_out, kept, is_open)
        self._store(task, given, kept, found, inputs)
        self._store_resolved()
        self._remember(checked, kept)
        return self

    def _task(self, inputs: Any, sets: NumberSets, kept: KeptRows) -> NumberTask:
        return NumberTask(
            self._template(),
            take_rows(inputs, kept.rows),
            sets if kept.all_rows else sets[kept.rows],
            self.loss_,
            kept.weights,
            float(self.tol),
        )

    def _with_outside(self, sets: NumberSets) -> NumberSets:
        """The intervals, extended to the numbers that left them at the start."""
        if not self.outside_.any():
            return sets
        assert isinstance(sets, Intervals)
        labels = np.reshape(self.disambiguator_.labels_, (len(sets), -1))
        left = self.outside_[:, np.newaxis]
        lower = np.where(left, np.minimum(sets.lower, labels), sets.lower)
        upper = np.where(left, np.maximum(sets.upper, labels), sets.upper)
        return Intervals(lower, upper, sets.flat)

    def _narrowed(self, sets: NumberSets) -> NumberSets:
        return sets.inset(float(self.margin)) if self.margin else sets

    def _check_loss(self, sets: NumberSets) -> None:
        """The nearest number of a union costs least only if both directions cost the same."""
        slopes = self.loss_.slopes
        if isinstance(sets, IntervalUnions) and slopes is not None and slopes[0] != slopes[1]:
            raise MissingOracleError(
                f"{type(self).__name__}: the nearest number of a union of intervals is not the one "
                f"of least loss under {self.loss_!r}. Use loss='absolute' or loss='squared'."
            )

    def _started(self, task: NumberTask, kept: KeptRows) -> Iterate:
        """The first targets: mid-points, or the numbers that the votes recover."""
        if self.disambiguator_ is None:
            check_bounded(task.sets)
            return task.start()
        votes = self.disambiguator_
        known = self._decided_rows(votes.decided_[kept.rows], self.undecided, _UNDECIDED)
        targets = np.reshape(votes.labels_, (kept.n, -1))[kept.rows]
        return Iterate(targets, known, "numbers")

    def _store(
        self, task: NumberTask, sets: NumberSets, kept: KeptRows, found: Alternation, inputs: Any
    ) -> None:
        self._flat_ = sets.flat
        votes = self.disambiguator_
        if not self._alternated_ and votes is not None:
            self._take_from(votes, "confidence_distance_")
            return
        labels = np.empty((kept.n, sets.n_columns))
        predictions = np.full(labels.shape, np.nan)
        labels[kept.rows] = found.targets
        if self._alternated_:
            predictions[kept.rows] = found.predictions
            moved = task.move(found.predictions, found.iterate).targets
            labels[kept.rows] = np.where(found.iterate.known[:, np.newaxis], found.targets, moved)
        rest = np.setdiff1d(np.arange(kept.n), kept.rows)
        if rest.size:
            values = self.estimator_.predict(take_rows(inputs, rest))
            predictions[rest] = np.reshape(values, (rest.size, -1))
            narrowed = self._with_outside(self._narrowed(sets))
            labels[rest] = narrowed[rest].nearest(predictions[rest])
        speaks = ~np.isnan(predictions).any(axis=1)
        self.labels_ = labels[:, 0] if sets.flat else labels
        self.decided_ = speaks | self._narrowed(sets).is_point
        # The margin is a choice; what is known about the number is its given set.
        wider = self._with_outside(sets)
        judged = judged_numbers(labels, predictions, wider, kept.all_weights, sets)
        self.confidence_, self.confidence_distance_ = judged.confidence, judged.distance
        self.outside_ = self.outside_ & ~sets.contains(labels)

    def predict(self, X: Any) -> FloatArray:
        """The numbers that `estimator_` predicts, ``(q,)``; ``(q, d)`` for boxes.

        Parameters
        ----------
        X : array-like (q, d)
            In any form that the estimator reads.
        """
        queries = self._queries(X)
        predictions: FloatArray = self.estimator_.predict(queries)
        return predictions.reshape(-1, *self.labels_.shape[1:])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R² on plain y; on intervals R² of the distances to them, see `interval_r2`.

        Parameters
        ----------
        X : array-like or sparse matrix (q, d)
        y : numbers, or intervals in any form that `fit` reads, q rows
        sample_weight : array-like (q,), optional
        """
        return interval_r2(
            y,
            self.predict(X),
            missing=self.missing,
            unlabeled=self.unlabeled,
            sample_weight=sample_weight,
        )
