"""Choice of a setting without the truth, by the share of held-out sets that contain predictions."""

import time
from dataclasses import dataclass

import numpy as np
from sklearn.preprocessing import StandardScaler

from benchmarks.accuracy.method import Fitted, Method, Setting
from benchmarks.accuracy.shared_work import WORK
from disambig.notation import BoolArray, FloatArray, IntArray

__all__ = ["Outcome", "choose", "fit_scaled", "run"]

_HELD_OUT_SHARE = 0.2


@dataclass(frozen=True)
class Outcome:
    """Shares of right test rows and right training labels, the chosen setting, CPU seconds."""

    accuracy: float
    recovered: float
    setting: Setting
    seconds: float


def fit_scaled(
    method: Method, setting: Setting, X: FloatArray, mask: BoolArray, seed: int
) -> Fitted:
    """Fit on columns of mean 0 and variance 1 over these rows."""
    scaler = StandardScaler().fit(X)
    fitted = method.fit(scaler.transform(X), mask, seed=seed, **setting)
    return Fitted(lambda queries: fitted.predict(scaler.transform(queries)), fitted.labels)


def choose(method: Method, X: FloatArray, mask: BoolArray, seed: int) -> Setting:
    """The first of the settings with the highest covering accuracy on a fifth of the rows.

    The rows depend on the seed only, so all methods, corruptions and levels have the same. Full
    sets are not counted, because they contain every prediction.
    """
    if len(method.settings) == 1:
        return method.settings[0]
    order = np.random.default_rng(seed).permutation(len(X))
    held_out, train = np.split(order, [round(_HELD_OUT_SHARE * len(X))])
    held_out = held_out[~mask[held_out].all(axis=1)]
    if not held_out.size:
        return method.settings[0]
    scores = []
    for setting in method.settings:
        fitted = fit_scaled(method, setting, X[train], mask[train], seed)
        scores.append(mask[held_out, fitted.predict(X[held_out])].mean())
    return method.settings[int(np.argmax(scores))]


def run(
    method: Method,
    train: tuple[FloatArray, BoolArray, IntArray],
    test: tuple[FloatArray, IntArray],
    seed: int,
) -> Outcome:
    """Choose and fit on `train`, (X, mask, truth), and score on `test`, (X, truth)."""
    X, mask, truth = train
    WORK.start_account()
    begun = time.process_time()
    setting = choose(method, X, mask, seed)
    fitted = fit_scaled(method, setting, X, mask, seed)
    predictions = fitted.predict(test[0])
    seconds = time.process_time() - begun + WORK.reused_seconds
    return Outcome(
        float(np.mean(predictions == test[1])),
        float(np.mean(fitted.labels == truth)),
        setting,
        seconds,
    )
