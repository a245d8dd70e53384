"""Choice of a setting by the squared hinge in cross-validation on the training rows."""

import time
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import KFold

from benchmarks.intervals.hinge import squared_hinge
from benchmarks.intervals.method import Method, Predict, Setting
from benchmarks.intervals.scaling import Scaling
from disambig.notation import FloatArray

__all__ = ["Outcome", "choose", "fit_scaled", "run"]

N_INNER_FOLDS = 5


@dataclass(frozen=True)
class Outcome:
    """Mean squared hinge of the held-out rows, the chosen setting, and CPU seconds in total."""

    loss: float
    setting: Setting
    seconds: float


def fit_scaled(
    method: Method,
    setting: Setting,
    X: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    seed: int,
) -> Predict:
    """Fit on rows scaled by themselves; predictions are in the units of the data."""
    if method.is_raw:
        return method.fit(X, lower, upper, seed=seed, **setting)
    scaling = Scaling.of(X, lower, upper)
    predict = method.fit(
        scaling.inputs(X), scaling.targets(lower), scaling.targets(upper), seed=seed, **setting
    )
    return lambda queries: scaling.restored(predict(scaling.inputs(queries)))


def choose(
    method: Method, X: FloatArray, lower: FloatArray, upper: FloatArray, seed: int
) -> Setting:
    """The first of the best settings; a setting that predicts NaN anywhere is the worst."""
    if len(method.settings) == 1:
        return method.settings[0]
    splits = list(KFold(N_INNER_FOLDS, shuffle=True, random_state=seed).split(X))
    totals = np.zeros(len(method.settings))
    for place, setting in enumerate(method.settings):
        for train, test in splits:
            predict = fit_scaled(method, setting, X[train], lower[train], upper[train], seed)
            totals[place] += squared_hinge(predict(X[test]), lower[test], upper[test]).sum()
    return method.settings[int(np.argmin(np.where(np.isnan(totals), np.inf, totals)))]


def run(
    method: Method,
    train: tuple[FloatArray, FloatArray, FloatArray],
    test: tuple[FloatArray, FloatArray, FloatArray],
    seed: int,
) -> Outcome:
    """Choose and fit on `train`, (X, lower, upper), and score on `test`."""
    begun = time.process_time()
    setting = choose(method, *train, seed)
    queries, lower, upper = test
    predictions = fit_scaled(method, setting, *train, seed)(queries)
    seconds = time.process_time() - begun
    return Outcome(float(squared_hinge(predictions, lower, upper).mean()), setting, seconds)
