"""Fit an estimator on all folds but one, and score the rows of that one."""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold

from disambig.candidates import RealSets
from disambig.estimators.held_out import HeldOut
from disambig.estimators.inputs import take_inputs

__all__ = ["calibrate"]


def calibrate(estimator: Any, folds: Any, X: Any, sets: RealSets, sample_weight: Any) -> HeldOut:
    """Models without a fold each, and the scores of the rows that they have not seen.

    Parameters
    ----------
    estimator : IntervalRegressor
        Cloned, without its calibration.
    folds : int or splitter
    X : array (n, d)
    sets : RealSets, n rows
    sample_weight : array (n,) or None
        Rows of weight zero and rows that say nothing calibrate nothing; weights do not enter the
        quantiles.
    """
    n = len(sets)
    weights = (
        None
        if sample_weight is None
        else np.broadcast_to(np.asarray(sample_weight, dtype=np.float64), (n,))
    )
    splitter = _splitter(folds, len(sets))
    owner = np.full(n, -1)
    models, trained_on = [], []
    predictions = np.full((n, sets.n_columns), np.nan)
    pairwise = estimator.__sklearn_tags__().input_tags.pairwise
    for number, (train, test) in enumerate(splitter.split(np.zeros((n, 1)))):
        if (owner[test] >= 0).any():
            raise ValueError(
                "calibration: a row is held out twice. Give a splitter whose test folds do not "
                "overlap, such as KFold."
            )
        model = clone(estimator).set_params(calibration=None)
        rows = np.asarray(train)
        model.fit(
            take_inputs(X, rows, rows if pairwise else None),
            sets[rows],
            sample_weight=None if weights is None else weights[rows],
        )
        held = take_inputs(X, np.asarray(test), rows if pairwise else None)
        predictions[test] = np.reshape(model.predict(held), (len(test), -1))
        owner[test] = number
        models.append(model)
        trained_on.append(rows)
    used = (owner >= 0) & sets.informative
    if weights is not None:
        used &= weights > 0
    judged = np.flatnonzero(used)
    found, judges = predictions[judged], sets[judged]
    says = np.isfinite(judges.centers)
    far = np.maximum(found - judges.hull.lower, judges.hull.upper - found)
    return HeldOut(
        tuple(models),
        tuple(trained_on) if pairwise else None,
        owner[judged],
        np.where(says, judges.distances(found), np.nan),
        np.where(says, far, np.nan),
    )


def _splitter(folds: Any, n: int) -> Any:
    if isinstance(folds, (int, np.integer)) and not isinstance(folds, bool):
        if not 2 <= folds <= n:
            raise ValueError(
                f"calibration={folds}; expected a number of folds from 2 to the number of rows, "
                f"n_samples={n}."
            )
        # Shuffled: rows are often sorted, and then no fold is like the others.
        return KFold(int(folds), shuffle=True, random_state=0)
    if isinstance(folds, str) or not hasattr(folds, "split"):
        raise TypeError(
            f"calibration={folds!r}; expected a number of folds or a splitter such as KFold(5)."
        )
    return folds
