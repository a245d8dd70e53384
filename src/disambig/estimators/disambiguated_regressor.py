"""Recover a target for every row, then train any regressor of scikit-learn."""

from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, has_fit_parameter

from disambig.candidates import NumberSets, number_sets
from disambig.estimators.fitting import validated_inputs
from disambig.estimators.interval_regressor import IntervalRegressor
from disambig.exceptions import warn
from disambig.metrics import interval_r2
from disambig.notation import FloatArray, IntArray
from disambig.solvers.loop import Callback
from disambig.weights import is_pairwise

_UNRESOLVED = ("exclude", "include")
_OUT_OF_BAG = "out-of-bag"


class DisambiguatedRegressor(RegressorMixin, BaseEstimator):
    """Recover a number for every row from its interval, then fit any regressor to the numbers.

    The weighting that disambiguates and the model that predicts can differ: kernel ridge recovers
    the targets; a forest, boosting or a linear model learns from them, and can then revise them
    (`refits`).

    Parameters
    ----------
    estimator : scikit-learn regressor, optional
        The regressor of the recovered targets; by default ``Ridge()``.
    weights, loss, method, formulation, solver, margin, missing, callback
        How the targets are recovered; see `IntervalRegressor`.
    refits : int, default 0
        Rounds that revise the targets. In each round the regressor, trained on the other folds,
        predicts every row; the target moves to the number of its interval nearest to this
        prediction; and the regressor is fitted again.
    folds : int or "out-of-bag", default 5
        Folds of each round. The model that revises a target is trained without its row: a flexible
        model would reproduce the target that it was trained on. Forests with ``bootstrap=True`` and
        ``oob_score=True`` need no folds: "out-of-bag" averages the trees whose bootstrap sample
        does not contain the row, and a round costs one fit. A row that is in the sample of every
        tree keeps its target.
    unresolved : {"exclude", "include"}, default "exclude"
        What to do with rows whose target has no votes, so that any number of their interval has
        the same cost: leave them out of the first fit, or train on the solver's choice. A warning
        gives their number.

    Attributes
    ----------
    estimator_ : the fitted regressor
    disambiguator_ : IntervalRegressor
        Fitted on the same rows; has `certified_`, `trace_` and its other attributes.
    labels_ : float array (n,); (n, d) for boxes
        The targets that `estimator_` was trained on.
    resolved_ : bool array (n,)
        That of `disambiguator_`.
    training_rows_ : int array
        Rows that `estimator_` was trained on.

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
        missing: Literal["error", "whole"] = "error",
        refits: int = 0,
        folds: int | Literal["out-of-bag"] = 5,
        unresolved: Literal["exclude", "include"] = "exclude",
        callback: Callback | None = None,
    ) -> None:
        self.estimator = estimator
        self.weights = weights
        self.loss = loss
        self.method = method
        self.formulation = formulation
        self.solver = solver
        self.margin = margin
        self.missing = missing
        self.refits = refits
        self.folds = folds
        self.unresolved = unresolved
        self.callback = callback

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = self._template()
        if hasattr(inner, "__sklearn_tags__"):
            tags.input_tags.sparse = inner.__sklearn_tags__().input_tags.sparse
        return tags

    def _template(self) -> Any:
        return Ridge() if self.estimator is None else self.estimator

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
        sets = number_sets(y, missing=self.missing)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, checked, dtype=np.float64)
            self._require_sample_weight()
        self.disambiguator_ = IntervalRegressor(
            weights=self.weights,
            loss=self.loss,
            method=self.method,
            formulation=self.formulation,
            solver=self.solver,
            margin=self.margin,
            callback=self.callback,
        ).fit(checked, sets, sample_weight=sample_weight)
        self.labels_ = self.disambiguator_.labels_
        self.resolved_ = self.disambiguator_.resolved_
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
        if self.folds == _OUT_OF_BAG:
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
        folds = min(int(self.folds), len(taken))
        if folds < 2:
            return
        # Rows are often sorted; without shuffling, folds would differ from each other.
        for train, test in KFold(folds, shuffle=True, random_state=0).split(taken):
            # In the first round, rows that `unresolved` leaves out have no target yet.
            known = np.intersect1d(taken[train], self.training_rows_)
            if not known.size:
                continue
            model = self._fitted(inputs, known, weights)
            held = taken[test]
            predictions = model.predict(_safe_indexing(inputs, held))
            found[held] = np.reshape(predictions, (len(held), -1))

    def _fill_out_of_bag(self, found: FloatArray) -> None:
        """Write into `found` the out-of-bag predictions of the forest."""
        if not hasattr(self.estimator_, "oob_prediction_"):
            raise ValueError(
                f"folds={_OUT_OF_BAG!r} needs a forest with bootstrap=True and oob_score=True; "
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
        if self.unresolved not in _UNRESOLVED:
            raise ValueError(
                f"unresolved={self.unresolved!r} is not known; choose one of {list(_UNRESOLVED)}."
            )
        if int(self.refits) < 0:
            raise ValueError(f"refits={self.refits!r}; expected 0 or more.")
        if self.folds != _OUT_OF_BAG and (isinstance(self.folds, str) or int(self.folds) < 2):
            raise ValueError(f"folds={self.folds!r}; expected at least 2, or {_OUT_OF_BAG!r}.")
        if is_pairwise(self.weights):
            raise ValueError(
                "DisambiguatedRegressor needs inputs that its regressor can learn from; X cannot "
                "hold precomputed pairs. Use IntervalRegressor with them, then fit on labels_."
            )

    def _training_rows(self, weights: FloatArray | None) -> IntArray:
        taken = np.ones(len(self.resolved_), np.bool_) if weights is None else weights > 0
        open_rows = ~self.resolved_ & taken
        if open_rows.any():
            what = "left out" if self.unresolved == "exclude" else "trained on as the solver chose"
            warn(
                f"{int(open_rows.sum())} of {int(taken.sum())} rows have a target without votes, "
                f"so that any number of their interval has the same cost; they are {what} "
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

    def _require_sample_weight(self) -> None:
        if not has_fit_parameter(self._template(), "sample_weight"):
            raise ValueError(
                f"{type(self._template()).__name__}.fit takes no sample_weight. Choose a regressor "
                "that does, or fit without sample_weight."
            )

    @staticmethod
    def _inner_inputs(X: Any, checked: Any) -> Any:
        # Data frames are passed on unchanged, so that a pipeline inside can select columns by name.
        return X if hasattr(X, "columns") else checked

    def predict(self, X: Any) -> FloatArray:
        """The numbers that `estimator_` predicts, ``(q,)``; ``(q, d)`` for boxes."""
        check_is_fitted(self)
        queries = self._inner_inputs(X, validated_inputs(self, X, reset=False))
        predictions: FloatArray = self.estimator_.predict(queries)
        return predictions.reshape(-1, *self.labels_.shape[1:])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R² on plain y; on intervals R² of the distances to them, see `interval_r2`."""
        return interval_r2(y, self.predict(X), missing=self.missing, sample_weight=sample_weight)
