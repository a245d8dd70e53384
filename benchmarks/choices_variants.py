"""Variants of the default of `PartialLabelClassifier` with one choice changed."""

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
from benchmarks.forest_alternation import alternate
from disambig import PartialLabelClassifier
from disambig.estimators.selection import SEARCH_SPACE, LabelSelection, SearchSpace, select
from disambig.losses import ZeroOneLoss
from disambig.notation import BoolArray, FloatArray
from disambig.solvers import AnnealedMinimization
from disambig.weights import KernelRidgeWeights, MixedWeights, NeighborWeights

__all__ = ["DEFAULT", "ONE_VARIANT", "PLAIN", "VARIANTS"]

DEFAULT, PLAIN, ONE_VARIANT = "default", "10 neighbours, alternating", "kernel ridge, annealed"
# Increase it when the choice of the library changes although no setting does.
_VERSION = "4"
_DEFAULT_VERSION = f"{_VERSION} {SEARCH_SPACE!r}"
_N_MIXED = 4

_SEARCH_SPACES: Mapping[str, SearchSpace] = {
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
_ESTIMATORS: Mapping[str, PartialLabelClassifier] = {
    "sharp targets only": PartialLabelClassifier(solver=AnnealedMinimization()),
    "the paper's solver": PartialLabelClassifier(solver="alternating"),
    "infimum loss": PartialLabelClassifier(method="infimum"),
    "average candidates": PartialLabelClassifier(method="average"),
    PLAIN: PartialLabelClassifier(NeighborWeights(10), solver="alternating"),
    ONE_VARIANT: PartialLabelClassifier(KernelRidgeWeights(), solver="annealed"),
}


def fit_default(X: FloatArray, mask: BoolArray, *, seed: int) -> Fitted:
    return fitted(default_of(X, mask))


def fit_search_space(X: FloatArray, mask: BoolArray, *, seed: int, space: SearchSpace) -> Fitted:
    """The default with another search space."""
    sets = sets_of(mask)
    loss = ZeroOneLoss().bind(sets.classes)
    kind = LabelSelection.of(sets, loss, "disambiguation", None)
    found = select(kind, X, np.ones(len(X)), space)
    return fitted(PartialLabelClassifier(found.weights, solver=found.solver).fit(X, sets))


def fit_estimator(
    X: FloatArray,
    mask: BoolArray,
    *,
    seed: int,
    estimator: PartialLabelClassifier,
) -> Fitted:
    return fitted(clone(estimator).fit(X, sets_of(mask)))


def fit_forest_alternation(X: FloatArray, mask: BoolArray, *, seed: int) -> Fitted:
    """Forests that are refitted on the labels they recover, as in the example."""
    return fitted(alternate(X, sets_of(mask)).model)


def fit_mixture(X: FloatArray, mask: BoolArray, *, seed: int) -> Fitted:
    """The distinct weights of the four best trials, mixed equally, with the solver of the best."""
    default = default_of(X, mask)
    if not default.trials_ or default.solver_ is not default.trials_[0].solver:
        # There were no trials to mix.
        return fitted(default)
    # Trials of one weighting refer to the same object.
    best = list({id(trial.weights): trial.weights for trial in default.trials_[:_N_MIXED]}.values())
    mixed = PartialLabelClassifier(MixedWeights(best), solver=default.solver_)
    return fitted(mixed.fit(X, sets_of(mask)))


def fit_with_infimum_loss(X: FloatArray, mask: BoolArray, *, seed: int) -> Fitted:
    """The default, or the infimum loss with chosen weights if its held-out loss is lower."""
    default = default_of(X, mask)
    infimum = PartialLabelClassifier(method="infimum").fit(X, sets_of(mask))
    return fitted(infimum if _score(infimum) < _score(default) else default)


def _score(model: PartialLabelClassifier) -> float:
    """The held-out loss of the chosen trial; infinite if there is none."""
    if not model.trials_ or str(model.weights_) != str(model.trials_[0].weights):
        return np.inf
    return model.trials_[0].score


VARIANTS = (
    Method(DEFAULT, fit_default, version=_DEFAULT_VERSION),
    *(
        Method(name, partial(fit_search_space, space=tried), version=f"{_VERSION} {tried!r}")
        for name, tried in _SEARCH_SPACES.items()
    ),
    Method("mixture of the four best", fit_mixture, version=_DEFAULT_VERSION),
    *(
        Method(
            f"{name} on its labels",
            partial(fit_predictor, predictor=kind),
            version=_DEFAULT_VERSION,
        )
        for name, kind in PREDICTORS.items()
    ),
    Method("a predictor chosen by hidden sets", fit_chosen_predictor, version=_DEFAULT_VERSION),
    Method(
        "boosting in alternation",
        partial(fit_alternation, predictor=PREDICTORS["boosting"]),
        version=_DEFAULT_VERSION,
    ),
    Method("or the infimum loss", fit_with_infimum_loss, version=_DEFAULT_VERSION),
    *(
        Method(name, partial(fit_estimator, estimator=kind), version=_DEFAULT_VERSION)
        for name, kind in _ESTIMATORS.items()
    ),
    Method("a forest in alternation", fit_forest_alternation, version=_DEFAULT_VERSION),
)
