"""The default of `PartialLabelClassifier` with one thing changed at a time."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np
from sklearn.base import clone

from benchmarks.accuracy.method import Fitted, Method
from benchmarks.choices_default import default_of, fitted, sets_of
from benchmarks.choices_predictors import (
    PREDICTORS,
    fit_alternation,
    fit_chosen_predictor,
    fit_predictor,
)
from disambig import PartialForestClassifier, PartialLabelClassifier
from disambig.estimators.selection import SEARCH_SPACE, SearchSpace, select_weights_and_solver
from disambig.losses import ZeroOneLoss
from disambig.notation import BoolArray, FloatArray
from disambig.solvers import AnnealedMinimization
from disambig.weights import KernelRidgeWeights, MixedWeights, NeighborWeights

__all__ = ["DEFAULT", "ONE_VARIANT", "PLAIN", "VARIANTS"]

DEFAULT, PLAIN, ONE_VARIANT = "default", "10 neighbours, alternating", "kernel ridge, annealed"
# To be raised when the library's choice changes though no setting does.
_VERSION = "3"
_BEGUN = f"{_VERSION} {SEARCH_SPACE!r}"
_MIXED = 4

_PORTFOLIOS: Mapping[str, SearchSpace] = {
    "features as they are": replace(SEARCH_SPACE, learns_scales=False),
    "no infimum start": replace(SEARCH_SPACE, cool_temperatures=()),
    "three folds": replace(SEARCH_SPACE, folds=(3, 3)),
    "all weightings in the final": replace(SEARCH_SPACE, finalists=1000),
    "own votes left out or not": replace(SEARCH_SPACE, formulations=("one_block", "two_blocks")),
    "own votes kept": replace(SEARCH_SPACE, formulations=("two_blocks",)),
    "forests, too": replace(SEARCH_SPACE, forests=(5, 20)),
    "neighbours only": replace(SEARCH_SPACE, kernels={}),
    "kernels only": replace(SEARCH_SPACE, neighbors=()),
}
_ESTIMATORS: Mapping[str, PartialLabelClassifier | PartialForestClassifier] = {
    "sharp targets only": PartialLabelClassifier(solver=AnnealedMinimization()),
    "the paper's solver": PartialLabelClassifier(solver="alternating"),
    "infimum loss": PartialLabelClassifier(method="infimum"),
    "average candidates": PartialLabelClassifier(method="average"),
    "a forest in alternation": PartialForestClassifier(),
    PLAIN: PartialLabelClassifier(NeighborWeights(10), solver="alternating"),
    ONE_VARIANT: PartialLabelClassifier(KernelRidgeWeights(), solver="annealed"),
}


def fit_default(X: FloatArray, mask: BoolArray, *, seed: int) -> Fitted:
    return fitted(default_of(X, mask))


def fit_portfolio(X: FloatArray, mask: BoolArray, *, seed: int, space: SearchSpace) -> Fitted:
    """The default with another list to choose from."""
    sets = sets_of(mask)
    loss = ZeroOneLoss().bind(sets.classes)
    weights, solver, _ = select_weights_and_solver(
        X, sets, loss, None, np.ones(len(X)), space=space
    )
    return fitted(PartialLabelClassifier(weights, solver=solver).fit(X, sets))


def fit_estimator(
    X: FloatArray,
    mask: BoolArray,
    *,
    seed: int,
    estimator: PartialLabelClassifier | PartialForestClassifier,
) -> Fitted:
    return fitted(clone(estimator).fit(X, sets_of(mask)))


def fit_mixture(X: FloatArray, mask: BoolArray, *, seed: int) -> Fitted:
    """The different weights of the four best trials, mixed alike, and the solver of the best."""
    default = default_of(X, mask)
    if not default.trials_ or default.solver_ is not default.trials_[0].solver:
        # Nothing was chosen, and there is nothing to mix.
        return fitted(default)
    # Trials of one weighting hold the same object.
    best = list({id(trial.weights): trial.weights for trial in default.trials_[:_MIXED]}.values())
    mixed = PartialLabelClassifier(MixedWeights(best), solver=default.solver_)
    return fitted(mixed.fit(X, sets_of(mask)))


def fit_with_infimum_loss(X: FloatArray, mask: BoolArray, *, seed: int) -> Fitted:
    """The default, or the infimum loss with chosen votes where it predicts hidden sets better."""
    default = default_of(X, mask)
    infimum = PartialLabelClassifier(method="infimum").fit(X, sets_of(mask))
    return fitted(infimum if _score(infimum) < _score(default) else default)


def _score(model: PartialLabelClassifier) -> float:
    """Of what was chosen; infinite where nothing was."""
    if not model.trials_ or str(model.weights_) != str(model.trials_[0].weights):
        return np.inf
    return model.trials_[0].score


VARIANTS = (
    Method(DEFAULT, fit_default, version=_BEGUN),
    *(
        Method(name, partial(fit_portfolio, space=tried), version=f"{_VERSION} {tried!r}")
        for name, tried in _PORTFOLIOS.items()
    ),
    Method("mixture of the four best", fit_mixture, version=_BEGUN),
    *(
        Method(f"{name} on its labels", partial(fit_predictor, predictor=kind), version=_BEGUN)
        for name, kind in PREDICTORS.items()
    ),
    Method("a predictor chosen by hidden sets", fit_chosen_predictor, version=_BEGUN),
    Method(
        "boosting in alternation",
        partial(fit_alternation, predictor=PREDICTORS["boosting"]),
        version=_BEGUN,
    ),
    Method("or the infimum loss", fit_with_infimum_loss, version=_BEGUN),
    *(
        Method(name, partial(fit_estimator, estimator=kind), version=_BEGUN)
        for name, kind in _ESTIMATORS.items()
    ),
)
