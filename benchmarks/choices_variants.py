"""The default of `PartialLabelClassifier` with one thing changed at a time."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from benchmarks.accuracy.method import Fitted, Method
from benchmarks.accuracy.shared_work import WORK
from disambig import LabelSets, PartialLabelClassifier
from disambig.estimators.portfolio import PORTFOLIO, Portfolio, choose_pieces
from disambig.losses import ZeroOneLoss
from disambig.notation import BoolArray, FloatArray
from disambig.solvers import AnnealedMinimization
from disambig.weights import KernelRidgeWeights, MixedWeights, NeighborWeights

__all__ = ["DEFAULT", "ONE_VARIANT", "PLAIN", "VARIANTS"]

DEFAULT, PLAIN, ONE_VARIANT = "default", "10 neighbours, alternating", "kernel ridge, annealed"
# To be raised when the library's choice changes though no setting does.
_VERSION = "2"
_MIXED = 4

_PORTFOLIOS: Mapping[str, Portfolio] = {
    "features as they are": replace(PORTFOLIO, learns_scales=False),
    "no infimum start": replace(PORTFOLIO, cool_temperatures=()),
    "three folds": replace(PORTFOLIO, folds=(3, 3)),
    "neighbours only": replace(PORTFOLIO, kernels={}),
    "kernels only": replace(PORTFOLIO, neighbors=()),
}
_ESTIMATORS: Mapping[str, PartialLabelClassifier] = {
    "sharp targets only": PartialLabelClassifier(solver=AnnealedMinimization()),
    "the paper's solver": PartialLabelClassifier(solver="alternating"),
    "infimum loss": PartialLabelClassifier(method="infimum"),
    "average candidates": PartialLabelClassifier(method="average"),
    PLAIN: PartialLabelClassifier(NeighborWeights(10), solver="alternating"),
    ONE_VARIANT: PartialLabelClassifier(KernelRidgeWeights(), solver="annealed"),
}
_PREDICTORS: Mapping[str, Any] = {
    "extra trees on its labels": ExtraTreesClassifier(200, random_state=0),
    "logistic regression on its labels": LogisticRegression(max_iter=2000),
    "boosting on its labels": HistGradientBoostingClassifier(
        max_iter=30, min_samples_leaf=5, early_stopping=False, random_state=0
    ),
}


def fit_default(X: FloatArray, mask: BoolArray, *, seed: int) -> Fitted:
    return _fitted(_default(X, mask))


def fit_portfolio(X: FloatArray, mask: BoolArray, *, seed: int, portfolio: Portfolio) -> Fitted:
    """The default with another list to choose from."""
    sets = _sets(mask)
    loss = ZeroOneLoss().bind(sets.classes)
    weights, solver, _ = choose_pieces(X, sets, loss, None, np.ones(len(X)), portfolio=portfolio)
    return _fitted(PartialLabelClassifier(weights, solver=solver).fit(X, sets))


def fit_estimator(
    X: FloatArray, mask: BoolArray, *, seed: int, estimator: PartialLabelClassifier
) -> Fitted:
    return _fitted(clone(estimator).fit(X, _sets(mask)))


def fit_mixture(X: FloatArray, mask: BoolArray, *, seed: int) -> Fitted:
    """The different weights of the four best trials, mixed alike, and the solver of the best."""
    default = _default(X, mask)
    if not default.trials_ or default.solver_ is not default.trials_[0].solver:
        # Nothing was chosen, and there is nothing to mix.
        return _fitted(default)
    # Trials of one weighting hold the same object.
    best = list({id(trial.weights): trial.weights for trial in default.trials_[:_MIXED]}.values())
    mixed = PartialLabelClassifier(MixedWeights(best), solver=default.solver_)
    return _fitted(mixed.fit(X, _sets(mask)))


def fit_predictor(X: FloatArray, mask: BoolArray, *, seed: int, predictor: Any) -> Fitted:
    """A classifier of its own on the labels that the default recovers."""
    labels = _default(X, mask).labels_
    if (labels == labels[0]).all():
        # Not every classifier takes a single class.
        predictor = DummyClassifier()
    return Fitted(clone(predictor).fit(X, labels).predict, labels)


def _default(X: FloatArray, mask: BoolArray) -> PartialLabelClassifier:
    """Fitted once a problem; all who use it are charged for it."""
    what = f"default, sets {hashlib.sha256(mask.tobytes()).hexdigest()}"
    return WORK.get(what, X, lambda: PartialLabelClassifier().fit(X, _sets(mask)))


def _fitted(model: PartialLabelClassifier) -> Fitted:
    return Fitted(model.predict, model.labels_)


def _sets(mask: BoolArray) -> LabelSets:
    return LabelSets(mask, np.arange(mask.shape[1]))


VARIANTS = (
    Method(DEFAULT, fit_default, version=f"{_VERSION} {PORTFOLIO!r}"),
    *(
        Method(name, partial(fit_portfolio, portfolio=tried), version=f"{_VERSION} {tried!r}")
        for name, tried in _PORTFOLIOS.items()
    ),
    Method("mixture of the four best", fit_mixture, version=f"{_VERSION} {PORTFOLIO!r}"),
    *(
        Method(name, partial(fit_predictor, predictor=kind), version=f"{_VERSION} {PORTFOLIO!r}")
        for name, kind in _PREDICTORS.items()
    ),
    *(
        Method(name, partial(fit_estimator, estimator=kind), version=f"{_VERSION} {PORTFOLIO!r}")
        for name, kind in _ESTIMATORS.items()
    ),
)
