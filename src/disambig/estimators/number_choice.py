"""What ``weights="auto"`` of `IntervalRegressor` means: which search, and what is made of it."""

from typing import Any

from disambig.candidates.numbers.number_sets import NumberSets
from disambig.estimators.mixture import Mixture
from disambig.estimators.selection import SearchSpace, Selection
from disambig.estimators.selection.members import mixture_of
from disambig.estimators.selection.number_trials import NumberSelection
from disambig.estimators.selection.numbers import (
    MAX_NUMBER_MEMBERS,
    NUMBER_PULL,
    NUMBER_SPACE,
    SINGLE_SPACE,
    NumberMembers,
)

# Parameters that a member shares with the estimator that selects it.
_SHARED = ("predict_weights", "loss", "method", "formulation", "solver")


def number_selection(estimator: Any, taken: NumberSets) -> NumberSelection:
    """The selection of a regressor that has read its loss and its sets."""

    def member(weights: Any, margin: float) -> Any:
        shared = {name: getattr(estimator, name) for name in _SHARED}
        return type(estimator)(weights, margin=margin, **shared)

    margin = None if isinstance(estimator.margin, str) else float(estimator.margin)
    is_risk = number_space(estimator) is NUMBER_SPACE
    only_kernels = estimator.formulation == "risk"
    return NumberSelection(
        NumberMembers(taken, estimator.loss_, member, margin, is_risk, len(taken), only_kernels)
    )


def number_space(estimator: Any) -> SearchSpace:
    """`NUMBER_SPACE` if members minimise squared distances, otherwise `SINGLE_SPACE`."""
    is_risk = (
        estimator.loss_.is_quadratic
        and estimator.method == "disambiguation"
        and estimator.formulation != "votes"
        and isinstance(estimator.solver, str)
        and estimator.solver == "auto"
        and estimator.predict_weights is None
    )
    return NUMBER_SPACE if is_risk else SINGLE_SPACE


def chosen_mixture(selection: Selection) -> Mixture:
    """The mixture of the best members; one member if nothing is mixed, or nothing was selected."""
    if selection.is_fallback:
        return Mixture([selection.weights], [1.0])
    return mixture_of(selection, most=MAX_NUMBER_MEMBERS, pull=NUMBER_PULL, unit="best")
