"""Prediction intervals from held-out rows, with a guarantee about the *sets* of new rows.

A model that is trained without the fold of row j predicts row j. The score of row j is the distance
from this prediction to its set. The interval at a new input x takes quantiles over all j of
"prediction at x of the model without row j, plus or minus the score of row j": the CV+ construction
of Barber, Candes, Ramdas and Tibshirani (2021). Their proof only compares scores, so it also holds
for sets, whichever score is used.
"""

import reprlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from joblib import effective_n_jobs
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import KFold
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from disambig.candidates.numbers.number_sets import NumberSets
from disambig.estimators.mixture import Mixture, only_predicts
from disambig.estimators.number_fits import MixtureModel, fitted_on_distinct
from disambig.estimators.progress.following import unfollowed
from disambig.estimators.progress.reporting import Phase, unreported
from disambig.estimators.rows.kept import take_inputs
from disambig.inputs.completed_weights import plain_weights
from disambig.inputs.holes import rows_without_input
from disambig.notation import FloatArray, IntArray
from disambig.parameters import check_choice, check_jobs, check_number
from disambig.threads import limit_threads

MEANINGS = ("meets", "contains")
# Entries of the table "queries times calibration rows" that are in memory at once: 32 MiB.
_MAX_TABLE_ENTRIES = 2**22


def check_coverage(coverage: Any, meaning: str) -> float:
    """Raise an error if the coverage is not a level or the meaning is not known."""
    owner = "IntervalRegressor"
    if meaning == "truth":
        raise ValueError(
            "predict_interval: meaning='truth' needs the true numbers of some rows, and candidate "
            "sets have none. Use cross_examine(model, X, y).with_answers(rows, numbers) of "
            "disambig.trust, and its predict_set(X, meaning='truth')."
        )
    check_choice(owner, "meaning", meaning, MEANINGS)
    return check_number(owner, "coverage", coverage, positive=True, below=1)


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Models that were each trained without one fold, and their distances to the sets of that fold.

    Attributes
    ----------
    models : tuple of estimators
    rows : tuple of int arrays, or None
        The training rows of each model, which are its columns of X if X holds pairs of samples;
        None otherwise.
    folds : int array (c,)
        For each of the c calibration rows, the model that was trained without it.
    meets, contains : float array (c, d)
        The distance from the prediction to the set, and to the farthest point of the set; NaN
        where the set allows every number.
    """

    models: tuple[Any, ...]
    rows: tuple[IntArray, ...] | None
    folds: IntArray
    meets: FloatArray
    contains: FloatArray

    def predictions(self, X: Any, n_columns: int) -> FloatArray:
        """The predictions of every model, ``(models, q, d)``."""
        inputs = [X] * len(self.models) if self.rows is None else [X[:, r] for r in self.rows]
        found = [model.predict(part) for model, part in zip(self.models, inputs, strict=True)]
        return np.stack([np.reshape(one, (-1, n_columns)) for one in found])

    def interval(self, predictions: FloatArray, coverage: float, meaning: str) -> FloatArray:
        """Ends ``(q, d, 2)`` from the predictions ``(models, q, d)`` of all models."""
        scores = self.meets if meaning == "meets" else self.contains
        _, q, d = predictions.shape
        ends = np.empty((q, d, 2))
        ends[..., 0], ends[..., 1] = -np.inf, np.inf
        for column in range(d):
            known = ~np.isnan(scores[:, column])
            folds, radius = self.folds[known], scores[known, column, None]
            c = len(folds)
            # The ceil(coverage (c + 1))-th smallest; rounding first keeps a product that is an
            # integer. With too few rows there is none, and the interval is the whole line.
            position = int(np.ceil(round(coverage * (c + 1), 9))) - 1
            if position >= c:
                continue
            step = max(1, _MAX_TABLE_ENTRIES // c)
            for start in range(0, q, step):
                rows = slice(start, min(q, start + step))
                middle = predictions[folds, rows, column]
                above = np.partition(middle + radius, position, axis=0)[position]
                below = -np.partition(radius - middle, position, axis=0)[position]
                ends[rows, column, 0], ends[rows, column, 1] = below, above
        # The two quantiles are computed separately. They can cross where the models disagree by
        # more than the scores; the interval is then what lies between them.
        ends.sort(axis=-1)
        return ends


def calibrated(held_out: HeldOut | None) -> HeldOut:
    """The models of the folds, or an error that says how to get them."""
    if held_out is None:
        raise ValueError(
            "predict_interval needs held-out rows: fit with cv=5 (or another number of folds)."
        )
    return held_out


def calibrate(estimator: Any, cv: Any, X: Any, sets: NumberSets, sample_weight: Any) -> HeldOut:
    """Train one model without each fold, and score the rows of that fold.

    Parameters
    ----------
    estimator : IntervalRegressor
        Cloned, without its calibration.
    cv : int, splitter or iterable of (train, test)
    X : array (n, d)
        Completed.
    sets : NumberSets, n rows
    sample_weight : array (n,) or None
        Rows of weight zero and uninformative rows are not scored; weights do not enter the
        quantiles.
    """
    n = len(sets)
    weights = (
        None
        if sample_weight is None
        else np.broadcast_to(np.asarray(sample_weight, dtype=np.float64), (n,))
    )
    fold_of = np.full(n, -1)
    predictions = np.full((n, sets.n_columns), np.nan)
    pairwise = estimator.__sklearn_tags__().input_tags.pairwise
    splits = splits_of(type(estimator).__name__, cv, n, estimator.random_state)
    for number, (_, test) in enumerate(splits):
        if (fold_of[test] >= 0).any():
            raise ValueError(
                "cv: a row is held out twice. Give a splitter whose test folds do not "
                "overlap, such as KFold."
            )
        fold_of[test] = number
    check_jobs(type(estimator).__name__, estimator.n_jobs)
    template = clone(estimator).set_params(cv=None, n_jobs=None)
    # X is completed.
    template.set_params(weights=plain_weights(template.weights))
    if isinstance(template.weights, str) and template.weights == "auto":
        # What was selected on all rows is fitted again: a search in every fold would cost as much
        # as all fits together.
        template.set_params(weights=clone(estimator.weights_), margin=estimator.margin_)
    trained = [train for train, _ in splits]
    without_input = rows_without_input(X)
    if without_input is not None:
        trained = [train[~without_input[train]] for train in trained]
    models = _models(template, X, sets, weights, trained, pairwise, estimator.n_jobs)
    # Rows of folds that a callback has left out are not scored.
    splits = splits[: len(models)]
    fold_of[fold_of >= len(models)] = -1
    for model, (train, test) in zip(models, splits, strict=True):
        held = take_inputs(X, test, train if pairwise else None)
        predictions[test] = np.reshape(model.predict(held), (len(test), -1))
    used = (fold_of >= 0) & sets.informative
    if weights is not None:
        used &= weights > 0
    scored = np.flatnonzero(used)
    found, scored_sets = predictions[scored], sets[scored]
    is_informative = np.isfinite(scored_sets.centers)
    far = np.maximum(found - scored_sets.hull.lower, scored_sets.hull.upper - found)
    return HeldOut(
        tuple(models),
        tuple(train for train, _ in splits) if pairwise else None,
        fold_of[scored],
        np.where(is_informative, scored_sets.distances(found), np.nan),
        np.where(is_informative, far, np.nan),
    )


def _models(
    template: Any,
    X: Any,
    sets: NumberSets,
    weights: FloatArray | None,
    trained: list[IntArray],
    pairwise: bool,
    n_jobs: int | None,
) -> list[Any]:
    """The models of the folds; of the first folds if a callback ends the phase."""
    phase = Phase("calibration", len(trained))
    # The template has the callback of the estimator, also in other processes.
    with unreported():
        if effective_n_jobs(n_jobs) == 1:
            return [
                _fitted(template, X, sets, weights, rows, pairwise) for rows in phase.over(trained)
            ]
        models: list[Any] = Parallel(n_jobs=n_jobs)(
            delayed(_fitted)(template, X, sets, weights, rows, pairwise) for rows in trained
        )
        phase.finish()
        return models


def _fitted(
    template: Any,
    X: Any,
    sets: NumberSets,
    weights: FloatArray | None,
    rows: IntArray,
    pairwise: bool,
) -> Any:
    """The estimator, fitted on some rows."""
    if isinstance(template.weights, Mixture):
        ones = np.ones(len(rows))
        return MixtureModel(
            fitted_on_distinct(
                template.weights,
                X[rows],
                sets[rows],
                ones if weights is None else weights[rows],
                cross_fit=False,
            )
        )
    with only_predicts():
        fitted = clone(template).fit(
            take_inputs(X, rows, rows if pairwise else None),
            sets[rows],
            sample_weight=None if weights is None else weights[rows],
        )
    return unfollowed(fitted)


def splits_of(owner: str, cv: Any, n: int, random_state: Any) -> list[tuple[IntArray, IntArray]]:
    """Training and test rows of each fold.

    Parameters
    ----------
    owner : str
        The estimator, named in errors.
    cv : int, splitter, or iterable of (train, test)
        As in scikit-learn, except that an int shuffles the rows.
    n : int
        Number of rows.
    random_state : int, RandomState or None
        Of this shuffle.
    """
    if isinstance(cv, (int, np.integer)) and not isinstance(cv, bool):
        if not 2 <= cv <= n:
            raise ValueError(
                f"{owner}: cv must be a number of folds from 2 to the number of rows, "
                f"n_samples={n}; got {cv}."
            )
        # Rows are often sorted; without shuffling, folds would differ from each other.
        cv = KFold(int(cv), shuffle=True, random_state=check_random_state(random_state))
    if hasattr(cv, "split") and not isinstance(cv, str):
        cv = cv.split(np.zeros((n, 1)))
    elif isinstance(cv, str) or not isinstance(cv, Iterable):
        raise TypeError(
            f"{owner}: cv must be a number of folds, a splitter such as KFold(5) or pairs of "
            f"training and test rows; got {cv!r}."
        )
    return _checked_splits(owner, cv, n)


def _checked_splits(owner: str, pairs: Iterable[Any], n: int) -> list[tuple[IntArray, IntArray]]:
    splits: list[tuple[IntArray, IntArray]] = []
    for number, pair in enumerate(pairs):
        rows = [_rows_of(part, n) for part in pair] if isinstance(pair, (tuple, list)) else []
        if len(rows) != 2 or not all(_are_rows(part, n) for part in rows):
            raise ValueError(
                f"{owner}: cv: pair {number} must hold training and test rows, integers from 0 to "
                f"{n - 1}, at least one of each; got {reprlib.repr(pair)}."
            )
        splits.append((rows[0], rows[1]))
    if not splits:
        raise ValueError(f"{owner}: cv has no folds; at least one is needed.")
    return splits


def _rows_of(part: Any, n: int) -> Any:
    rows = np.asarray(part)
    return np.flatnonzero(rows) if rows.dtype == np.bool_ and rows.shape == (n,) else rows


def _are_rows(rows: Any, n: int) -> bool:
    if rows.ndim != 1 or not rows.size or rows.dtype.kind not in "iu":
        return False
    return bool(rows.min() >= 0 and rows.max() < n)


class CoveringMixin:
    """`predict_interval` of a regressor that keeps its held-out rows in ``_held_out_``."""

    _held_out_: Any
    _flat_: bool
    span_: FloatArray
    _queries_of_folds: Any

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
        held_out = calibrated(self._held_out_)
        X = self._queries_of_folds(X)
        with config_context(assume_finite=True):
            found = held_out.predictions(X, len(self.span_))
        ends = held_out.interval(found, level, meaning)
        return ends[:, 0] if self._flat_ else ends
