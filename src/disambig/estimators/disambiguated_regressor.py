"""Recover a target for every row, then train any regressor of scikit-learn."""

import numbers
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import RegressorMixin, clone
from sklearn.linear_model import Ridge
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_sample_weight

from disambig.candidates import number_sets
from disambig.candidates.numbers.number_sets import NumberSets
from disambig.estimators.base import all_or_nothing
from disambig.estimators.calibration import splits_of
from disambig.estimators.disambiguated import DisambiguatedEstimator
from disambig.estimators.fitting import kept_rows, validated_inputs
from disambig.estimators.interval_regressor import IntervalRegressor
from disambig.exceptions import warn
from disambig.metrics import interval_r2
from disambig.notation import FloatArray, IntArray
from disambig.parameters import check_choice, check_integer
from disambig.solvers.loop import Callback

_UNRESOLVED = ("exclude", "include")
_OUT_OF_BAG = "out-of-bag"


class DisambiguatedRegressor(RegressorMixin, DisambiguatedEstimator):
    """Recover a number for every row from its interval, then fit any regressor to the numbers.

    The weighting that disambiguates and the model that predicts can differ: kernel ridge recovers
    the targets; a forest, boosting or a linear model learns from them, and can then revise them
    (`refits`).

    Parameters
    ----------
    estimator : scikit-learn regressor, optional
        The regressor of the recovered targets; by default ``Ridge()``.
    weights, loss, method, formulation, solver, margin, unlabeled, missing, callback, verbose
        How the targets are recovered; see `IntervalRegressor`.
    refits : int, default 0
        Rounds that revise the targets. In each round the regressor, trained on the other folds,
        predicts every row; the target moves to the number of its interval nearest to this
        prediction; and the regressor is fitted again.
    cv : int, splitter, iterable or "out-of-bag", default 5
        Folds of each round, as in scikit-learn, except that an int shuffles the rows. The model
        that revises a target is trained without its row: a flexible model would reproduce the
        target that it was trained on. Forests with ``bootstrap=True`` and ``oob_score=True`` need
        no folds: "out-of-bag" averages the trees whose bootstrap sample does not contain the row,
        and a round costs one fit. A row that is in the sample of every tree keeps its target.
    random_state : int, RandomState or None, default 0
        Of the shuffle that an int in `cv` means.
    n_jobs : int, optional
        Processes for the fits of `cv`, as in scikit-learn.
    unresolved : {"exclude", "include"}, default "exclude"
        What to do with rows whose optimum is no single number: leave them out of the first fit, or
        train on the solver's choice. A warning gives their number.

    Attributes
    ----------
    estimator_ : the fitted regressor
    disambiguator_ : IntervalRegressor
        Fitted on the same rows; has `certified_`, `trace_` and its other attributes.
    labels_ : float array (n,); (n, d) for boxes
        The targets that `estimator_` was trained on.
    confidence_, resolved_
    objective_, relaxed_objective_, n_iter_, converged_, certified_, trace_, solution_, trials_
    loss_, weights_, solver_
        Those of `disambiguator_`.
    training_rows_ : int array
        Rows that `estimator_` was trained on.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from disambig import DisambiguatedRegressor
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0]]
    >>> y = [[0, 0], [-5, 3], [2, float("inf")], [2.5, 9], [4, 4]]
    >>> model = DisambiguatedRegressor(DecisionTreeRegressor()).fit(X, y)
    >>> model.predict([[0.2], [3.9]]).round(1).tolist()
    [0.0, 4.0]
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        weights: Any = "auto",
        loss: Any = "squared",
        method: str = "disambiguation",
        formulation: Literal["auto", "votes", "risk"] = "auto",
        solver: Any = "auto",
        margin: float = 0.0,
        unlabeled: Any = None,
        missing: Literal["error", "whole"] = "error",
        refits: int = 0,
        cv: Any = 5,
        unresolved: Literal["exclude", "include"] = "exclude",
        random_state: Any = 0,
        n_jobs: int | None = None,
        callback: Callback | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.weights = weights
        self.loss = loss
        self.method = method
        self.formulation = formulation
        self.solver = solver
        self.margin = margin
        self.unlabeled = unlabeled
        self.missing = missing
        self.refits = refits
        self.cv = cv
        self.unresolved = unresolved
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.callback = callback
        self.verbose = verbose

    _role = "regressor"

    def _template(self) -> Any:
        return Ridge() if self.estimator is None else self.estimator

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Recover the targets, then fit the regressor.

        Parameters
        ----------
        X : array-like or sparse matrix (n, d)
        y : array-like, n rows
            Intervals in any form that `number_sets` reads.
        sample_weight : array-like (n,), optional
            w means w copies of a row, in both steps.
        """
        self._check_options()
        checked = validated_inputs(self, X, reset=True)
        if y is None:
            raise ValueError(
                "DisambiguatedRegressor requires y to be passed, but the target y is None."
            )
        sets = number_sets(y, missing=self.missing, unlabeled=self.unlabeled)
        kept_rows(sample_weight, checked)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, checked, dtype=np.float64)
            self._require_sample_weight("fit without sample_weight")
        disambiguator = IntervalRegressor(
            weights=self.weights,
            loss=self.loss,
            method=self.method,
            formulation=self.formulation,
            solver=self.solver,
            margin=self.margin,
            callback=self.callback,
            verbose=self.verbose,
        )
        self._disambiguate(disambiguator, checked, sets, sample_weight)
        self.training_rows_ = self._training_rows(sample_weight)
        inputs = self._inner_inputs(X, checked)
        self.estimator_ = self._fitted(inputs, self.training_rows_, sample_weight)
        for _ in range(int(self.refits)):
            self._refit(inputs, sets.inset(float(self.margin)), sample_weight)
        return self

    def _refit(self, inputs: Any, sets: NumberSets, weights: FloatArray | None) -> None:
        n = len(sets)
        taken = np.arange(n) if weights is None else np.flatnonzero(weights)
        found = np.reshape(self.estimator_.predict(inputs), (n, -1)).astype(np.float64)
        if self.cv == _OUT_OF_BAG:
            self._fill_out_of_bag(found)
        else:
            self._fill_held_out(found, inputs, taken, weights)
        targets = sets.nearest(found)
        self.labels_ = targets[:, 0] if sets.flat else targets
        self.training_rows_ = taken
        self.estimator_ = self._fitted(inputs, taken, weights)

    def _fill_held_out(
        self, found: FloatArray, inputs: Any, taken: IntArray, weights: FloatArray | None
    ) -> None:
        """Write into `found` the predictions of models that were trained on the other folds."""
        # In the first round, rows that `unresolved` leaves out have no target yet.
        splits = [
            (np.intersect1d(train, self.training_rows_), test)
            for train, test in self._splits(taken, len(found))
        ]
        splits = [(known, test) for known, test in splits if known.size and test.size]
        models = Parallel(n_jobs=self.n_jobs)(
            delayed(self._fitted)(inputs, known, weights) for known, _ in splits
        )
        for model, (_, test) in zip(models, splits, strict=True):
            predictions = model.predict(_safe_indexing(inputs, test))
            found[test] = np.reshape(predictions, (len(test), -1))

    def _splits(self, taken: IntArray, n: int) -> list[tuple[IntArray, IntArray]]:
        """Training and test rows of each fold, of the rows that take part."""
        name = type(self).__name__
        if not isinstance(self.cv, numbers.Integral):
            return [
                (np.intersect1d(train, taken), np.intersect1d(test, taken))
                for train, test in splits_of(name, self.cv, n, self.random_state)
            ]
        folds = min(int(self.cv), len(taken))
        if folds < 2:
            return []
        splits = splits_of(name, folds, len(taken), self.random_state)
        return [(taken[train], taken[test]) for train, test in splits]

    def _fill_out_of_bag(self, found: FloatArray) -> None:
        """Write into `found` the out-of-bag predictions of the forest."""
        if not hasattr(self.estimator_, "oob_prediction_"):
            raise ValueError(
                f"cv={_OUT_OF_BAG!r} needs a forest with bootstrap=True and oob_score=True; "
                f"{type(self.estimator_).__name__} has no oob_prediction_. Give a number of folds."
            )
        rows = self.training_rows_
        predictions = np.reshape(self.estimator_.oob_prediction_, (len(rows), -1))
        # scikit-learn predicts 0, with a warning, for rows that are in the sample of every tree.
        in_all_trees = ~predictions.any(axis=1)
        found[rows] = predictions
        found[rows[in_all_trees]] = np.reshape(self.labels_, (len(found), -1))[rows[in_all_trees]]

    def _fitted(self, inputs: Any, rows: IntArray, weights: FloatArray | None) -> Any:
        options = {} if weights is None else {"sample_weight": weights[rows]}
        labels = self.labels_[rows]
        if labels.shape[1:] == (1,):
            # For a box of one column regressors expect shape (n,).
            labels = labels[:, 0]
        return clone(self._template()).fit(_safe_indexing(inputs, rows), labels, **options)

    def _check_options(self) -> None:
        name = type(self).__name__
        check_choice(name, "unresolved", self.unresolved, _UNRESOLVED)
        check_integer(name, "refits", self.refits, least=0)
        if isinstance(self.cv, numbers.Number):
            check_integer(name, "cv", self.cv, least=2)
        elif isinstance(self.cv, str):
            check_choice(name, "cv", self.cv, (_OUT_OF_BAG,), "or a number of folds")
        self._check_components()

    def _training_rows(self, weights: FloatArray | None) -> IntArray:
        taken = np.ones(len(self.resolved_), np.bool_) if weights is None else weights > 0
        open_rows = ~self.resolved_ & taken
        if open_rows.any():
            what = "left out" if self.unresolved == "exclude" else "trained on as the solver chose"
            warn(
                f"{int(open_rows.sum())} of {int(taken.sum())} rows have no single optimal "
                f"target: another number of their interval has the same cost. They are {what} "
                f"(unresolved={self.unresolved!r}).",
                UserWarning,
            )
        if self.unresolved == "exclude":
            taken = taken & self.resolved_
        if not taken.any():
            raise ValueError(
                "No row is resolved, so there is no target to train on. Use unresolved='include', "
                "or weights with more neighbours or a larger bandwidth."
            )
        return np.flatnonzero(taken)

    def predict(self, X: Any) -> FloatArray:
        """The numbers that `estimator_` predicts, ``(q,)``; ``(q, d)`` for boxes."""
        queries = self._queries(X)
        predictions: FloatArray = self.estimator_.predict(queries)
        return predictions.reshape(-1, *self.labels_.shape[1:])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R² on plain y; on intervals R² of the distances to them, see `interval_r2`."""
        return interval_r2(
            y,
            self.predict(X),
            missing=self.missing,
            unlabeled=self.unlabeled,
            sample_weight=sample_weight,
        )
