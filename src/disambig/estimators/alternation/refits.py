"""Fit an estimator again, on its own or at the end of a pipeline, without searching again."""

from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from disambig.estimators.interval_regressor import IntervalRegressor
from disambig.inputs.completed_weights import CompletedWeights, plain_weights
from disambig.metrics.scorer import innermost

# Parameters that repeat what "auto" chose, and the attributes that have it.
_CHOSEN = {"weights": "weights_", "solver": "solver_", "margin": "margin_"}


def step_options(model: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Options of `fit`, which go to the last step of a pipeline."""
    if not isinstance(model, Pipeline):
        return options
    name = model.steps[-1][0]
    return {f"{name}__{option}": value for option, value in options.items()}


def without_search(model: Any, *, calibrates: bool = False) -> Any:
    """An unfitted copy that repeats what "auto" chose, without choosing again.

    Without `calibrates` it has no folds for `predict_interval`, which judgements do not need.
    """
    copy, last = clone(model), innermost(model)
    if isinstance(last, IntervalRegressor) and not calibrates:
        innermost(copy).set_params(cv=None)
    weights = plain_weights(getattr(last, "weights", None))
    if not (isinstance(weights, str) and weights == "auto") or last.weights_ is None:
        return copy
    chosen = {
        name: clone(getattr(last, attribute), safe=False)
        for name, attribute in _CHOSEN.items()
        if name in last.get_params(deep=False) and getattr(last, attribute, None) is not None
    }
    if "solver" in chosen and last.solver != "auto":
        del chosen["solver"]
    completion = getattr(getattr(last, "disambiguator_", last), "completion_", None)
    if completion is not None and completion.n_missing:
        chosen["weights"] = CompletedWeights(chosen["weights"], completion)
    innermost(copy).set_params(**chosen)
    return copy
