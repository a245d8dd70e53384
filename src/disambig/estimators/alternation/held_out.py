"""Predictions of rows by models that were trained without them: folds, out of bag, or in sample.

Rows that must not be separated form a *unit*: rows with equal inputs, and rows of one group of the
user. A model is trained without the whole unit of a row that it predicts.
"""

import numbers
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.parallel import Parallel, delayed

from disambig.estimators.alternation.loop import Alternation, HeldOut, Iterate, Task, alternate
from disambig.estimators.calibration import splits_of
from disambig.estimators.rows.kept import KeptRows
from disambig.exceptions import MissingOracleError
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.solvers.loop import Callback
from disambig.weights.row_groups import hash_rows, joined_groups

OUT_OF_BAG = "out-of-bag"
Splits = Sequence[tuple[IntArray, IntArray]]


def units_of(X: Any, groups: AnyArray | None = None) -> IntArray:
    """The unit of each row, ``(n,)``: rows are in one if their inputs or their groups are equal.

    The numbers depend neither on the order of the rows nor on how often a row occurs.

    Examples
    --------
    >>> units = units_of(np.array([[1.0], [2.0], [1.0], [4.0]]), np.array(["a", "b", "c", "c"]))
    >>> bool(units[0] == units[2] == units[3]), sorted(set(units.tolist()))
    (True, [0, 1])
    """
    if sp.issparse(X):
        X = sp.csr_array(X, copy=True)
        X.sum_duplicates()
    codes = None if groups is None else np.unique(groups, return_inverse=True)[1].ravel()
    return joined_groups(hash_rows(X), codes)


def unit_splits(
    owner: str,
    cv: Any,
    units: IntArray,
    *,
    kept: KeptRows | None = None,
    candidates: Any = None,
    groups: AnyArray | None = None,
    random_state: Any = 0,
) -> Splits:
    """Training and test rows of each fold, with no unit in both.

    Parameters
    ----------
    owner : str
        The estimator, named in errors.
    cv : int, splitter, or iterable of (train, test)
        An int shuffles the units and takes at most as many folds as there are units; no folds if
        there is a single unit. Of other splits, training rows that are equal to a test row are left
        out, and a group in both parts is an error.
    units : int array (m,)
        Of the rows that take part.
    kept : KeptRows, optional
        Which of all n rows these are, by default all. Splits of the user are over all n rows, those
        that are returned over the m rows.
    candidates, groups : n rows, optional
        What a splitter is given beside the rows.
    random_state : int, RandomState or None
        Of the shuffle that an int means.
    """
    m = len(units)
    if isinstance(cv, numbers.Integral):
        n_units = int(units.max()) + 1
        folds = min(int(cv), n_units)
        if folds < 2:
            return []
        parts = splits_of(owner, folds, n_units, random_state)
        tests = [np.flatnonzero(np.isin(units, test)) for _, test in parts]
        return [(np.setdiff1d(np.arange(m), test), test) for test in tests]
    n = m if kept is None else kept.n
    if hasattr(cv, "split") and not isinstance(cv, str):
        with warnings.catch_warnings():
            # Folds that part a group are an error below; others may come from any splitter.
            warnings.filterwarnings("ignore", message="The groups parameter is ignored")
            cv = list(cv.split(np.zeros((n, 1)), candidates, groups))
    splits = splits_of(owner, cv, n, random_state)
    if groups is not None:
        _check_groups(owner, splits, groups)
    if kept is not None and not kept.all_rows:
        splits = [(_places(train, kept), _places(test, kept)) for train, test in splits]
    return [(train[~np.isin(units[train], units[test])], test) for train, test in splits]


def _places(rows: IntArray, kept: KeptRows) -> IntArray:
    """Where some of all rows are among those that take part."""
    return np.flatnonzero(np.isin(kept.rows, rows))


def _check_groups(owner: str, splits: Splits, groups: AnyArray) -> None:
    for number, (train, test) in enumerate(splits):
        parted = np.isin(groups[test], groups[train])
        if parted.any():
            row = int(test[np.argmax(parted)])
            raise ValueError(
                f"{owner}: cv does not keep groups together: in fold {number} the group "
                f"{groups[row]!r} of row {row} is also trained on. Use a splitter such as "
                "GroupKFold, a number of folds, or no groups."
            )


def by_folds(task: Task, splits: Splits, n_jobs: int | None = None) -> HeldOut:
    """Predictions by models of the other folds; the mean for a row that is in several test folds.

    A fold whose training rows have no target yet predicts nothing.
    """

    def held_out(iterate: Iterate) -> FloatArray:
        pairs = [(train[iterate.known[train]], test) for train, test in splits]
        pairs = [(train, test) for train, test in pairs if train.size and test.size]
        found = Parallel(n_jobs=n_jobs)(
            delayed(_fold_predictions)(task, iterate, train, test) for train, test in pairs
        )
        sums = np.zeros(iterate.targets.shape)
        counts = np.zeros(len(sums))
        for (_, test), predictions in zip(pairs, found, strict=True):
            sums[test] += predictions
            counts[test] += 1
        counts[counts == 0] = np.nan
        means: FloatArray = sums / counts[:, np.newaxis]
        return means

    return held_out


def _fold_predictions(task: Task, iterate: Iterate, train: IntArray, test: IntArray) -> FloatArray:
    return task.predict(task.fit(iterate, train), test)


def in_sample(task: Task) -> HeldOut:
    """Predictions by one model of all rows."""
    return lambda iterate: task.predict(task.fit(iterate))


def out_of_bag(task: Task, units: IntArray) -> HeldOut:
    """Predictions by the members of a bagged model that were trained without the unit of a row."""
    return lambda iterate: task.out_of_bag(task.fit(iterate), iterate, units)


def require_bags(model: Any) -> None:
    """Raise a ValueError unless a model, fitted or not, draws known samples of its rows."""
    if not hasattr(type(model), "estimators_samples_") or not getattr(model, "bootstrap", False):
        raise ValueError(
            f"cv={OUT_OF_BAG!r} needs a forest or a bagging estimator with bootstrap=True, whose "
            f"members are trained on known samples of the rows; got {model!r}. Give a number of "
            "folds."
        )


def bag_rows(model: Any, rows: IntArray) -> list[IntArray]:
    """The rows that each member of a fitted forest or bagging was trained on.

    Parameters
    ----------
    model : fitted ensemble of scikit-learn
    rows : int array
        The row of each sample that the ensemble was fitted to: soft targets repeat rows.
    """
    require_bags(model)
    return [np.unique(rows[np.asarray(drawn)]) for drawn in model.estimators_samples_]


def member_inputs(model: Any, inputs: Any, number: int) -> Any:
    """Rows as one member of a forest or bagging reads them: its features, without column names."""
    values = inputs.to_numpy() if hasattr(inputs, "to_numpy") else inputs
    if hasattr(model, "estimators_features_"):
        return values[:, model.estimators_features_[number]]
    # The trees of a forest are given single precision, in which their thresholds were chosen.
    return values.astype(np.float32)


def cross_fitted(
    task: Task,
    start: Iterate,
    splits: Splits,
    *,
    max_iter: int = 4,
    n_jobs: int | None = None,
    callback: Callback | None = None,
) -> Alternation:
    """The alternation over given folds: held-out predictions of all rows, and their targets.

    Parameters
    ----------
    task : LabelTask or NumberTask
        Holds the template, the inputs, the candidate sets and the sample weights.
    start : Iterate
        For instance ``task.start()``.
    splits : sequence of (train, test)
    max_iter : int
    n_jobs : int, optional
    callback : callable, optional

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from disambig.candidates import Intervals
    >>> from disambig.estimators.alternation.numbers import NumberTask
    >>> X, sets = np.arange(4.0)[:, None], Intervals.from_any([(0, 0), (0, 3), (1, 9), (3, 3)])
    >>> task = NumberTask(LinearRegression(), X, sets)
    >>> splits = unit_splits("example", 4, units_of(X))
    >>> found = cross_fitted(task, task.start(), splits, max_iter=50)
    >>> found.targets[:, 0].round(2).tolist(), found.converged
    ([0.0, 1.0, 2.0, 3.0], True)
    """
    if not splits:
        raise MissingOracleError("cross_fitted needs at least two folds; got none.")
    held_out = by_folds(task, splits, n_jobs)
    return alternate(task, start, held_out, max_iter=max_iter, callback=callback)
