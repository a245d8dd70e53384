"""Steps of the fit of `IntervalRegressor`: which formulation is possible, and mixtures."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from disambig.candidates import Intervals
from disambig.candidates.numbers.number_sets import NumberSets
from disambig.estimators.fitting import (
    Fit,
    FittedWeightings,
)
from disambig.estimators.mixture import FittedMixture, Mixture, fit_mixture
from disambig.estimators.prediction import NumberPredictor
from disambig.estimators.rows.kept import (
    KeptRows,
    kept_inputs,
)
from disambig.estimators.selection.numbers import numbers_of
from disambig.exceptions import MissingOracleError, NoInformationError
from disambig.inputs.holes import with_constant
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.number_problem import NumberProblem, RiskProblem, VotedProblem
from disambig.parameters import check_choice, check_number
from disambig.votes import Votes
from disambig.weights import (
    FittedWeights,
    KernelRidgeWeights,
    NystromWeights,
    PoissonWeights,
    RandomFeatureWeights,
    ScaledWeights,
)
from disambig.weights.row_groups import rank_hashes
from disambig.weights.squashed import SquashedWeights

# Weightings that are ridge regressions, exact or of low rank; they offer `residual_form`.
_RIDGE_WEIGHTS = (KernelRidgeWeights, NystromWeights, RandomFeatureWeights)
# Folds of the predictions that labels of a mixture come from; many rows need fewer.
_FOLDS, _FEW_FOLDS, _MANY_ROWS = 3, 2, 20_000
# The square of an end plus a margin must stay finite.
_MAX_MARGIN = 1e100


def checked_margin(owner: str, margin: Any) -> float:
    """The margin of the user, 0 for "auto", or an error in words."""
    if isinstance(margin, str):
        check_choice(owner, "margin", margin, ("auto",), "or a number")
        return 0.0
    return check_number(owner, "margin", margin, most=_MAX_MARGIN)


def check_finite_ends(sets: NumberSets, rows: IntArray) -> None:
    """Raise `NoInformationError` if these rows allow every number in some column."""
    uninformative = ~np.isfinite(sets.centers[rows]).any(axis=0)
    if uninformative.any():
        where = "" if sets.flat else f" in column {int(np.argmax(uninformative))}"
        raise NoInformationError(
            f"y: each of the {rows.size} rows allows every number{where}, so there is nothing to "
            f"learn from{'' if sets.flat else ' there'}. Give at least one row a finite end."
        )


def bounded_rows(kept: KeptRows, sets: NumberSets, method: str) -> KeptRows:
    """The rows that a method learns from: rows that allow every number have no mean.

    Raises `NoInformationError` if these rows allow every number in some column.
    """
    check_finite_ends(sets, kept.rows)
    informative = sets.informative[kept.rows]
    return kept.part(informative) if method == "average" and not informative.all() else kept


def unwrapped(weights: Any) -> Any:
    """The fitted weighting inside of those that only pass it on, or that map its inputs."""
    if isinstance(weights, FittedWeights):
        return unwrapped(weights.weights)
    if isinstance(weights, (ScaledWeights, SquashedWeights)) and not weights.leave_one_out:
        return unwrapped(weights.weights_)
    return weights


def obstacle_to_risk(estimator: Any) -> str:
    """Why the formulation "risk" is not possible for a fitted weighting; empty if it is."""
    weights = unwrapped(estimator.weights_)
    if not estimator.loss_.is_quadratic:
        return f"needs the squared loss; got {estimator.loss_!r}"
    if not isinstance(weights, _RIDGE_WEIGHTS):
        return f"needs KernelRidgeWeights; got {type(weights).__name__}"
    divided = isinstance(weights, KernelRidgeWeights) and weights.normalize
    if weights.leave_one_out or (divided and not weights.intercept):
        return "needs KernelRidgeWeights with normalize=False and leave_one_out=False"
    if estimator.predict_weights is not None:
        return "predicts with the function that it fits, so predict_weights must be None"
    if estimator.method == "infimum":
        return (
            "is the same problem for method='infimum' and method='disambiguation'; the infimum "
            "loss is minimised at each query, which needs votes"
        )
    return ""


def number_problem(
    estimator: Any, weightings: FittedWeightings, votes: Votes, sets: NumberSets
) -> NumberProblem:
    """The problem of the formulation of a regressor, on sets that its margin has narrowed."""
    for weights in (weightings.weights, weightings.predict_weights):
        if isinstance(unwrapped(weights), PoissonWeights):
            raise ValueError(
                "PoissonWeights cannot be used for regression: its votes sum to zero, so that "
                "predictions have no level. Use LaplacianWeights on the same graph."
            )
    obstacle = obstacle_to_risk(estimator)
    if estimator.formulation == "risk" and obstacle:
        raise MissingOracleError(f"formulation='risk' {obstacle}. Use formulation='votes'.")
    if estimator.formulation == "votes" or obstacle:
        # w copies of a row are w equal rows of votes.
        return VotedProblem(weightings.scaled(votes), estimator.loss_, sets, sets.span)
    ridge = unwrapped(weightings.weights)
    return RiskProblem(votes, ridge.residual_form(), bool(ridge.intercept), sets, sets.span)


def check_mixed(estimator: Any, sets: NumberSets) -> None:
    """Refuse a mixture where its members could not be mixed, or would ignore a parameter."""
    if not isinstance(sets, Intervals):
        raise ValueError(
            "IntervalRegressor: a Mixture needs intervals; the mean of two members of a union of "
            "intervals need not be near to it. Pass one weighting."
        )
    if not estimator.loss_.is_quadratic:
        raise ValueError(
            f"IntervalRegressor: a Mixture mixes means, which belong to the squared loss; got "
            f"loss={estimator.loss!r}. Pass one weighting."
        )
    if estimator.formulation == "votes":
        raise ValueError(
            "IntervalRegressor: formulation='votes' cannot be combined with a Mixture, whose "
            "members have their own. Set it in the members, and use formulation='auto'."
        )


def with_other_rows(
    fit: Fit, predictor: NumberPredictor, targets: FloatArray, others: FloatArray
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Labels, predictions by others and whether labels are single optima, of all rows.

    Rows that take no part have the number of their set nearest to their prediction.

    Parameters
    ----------
    fit : Fit
    predictor : NumberPredictor
    targets, others : float array (n, d)
        Of the rows that take part.
    """
    decided = fit.solution.decided
    if fit.kept.all_rows:
        return targets, others, decided
    predictions = predictor.predict(fit.rest_votes())
    predictions = with_constant(predictions, fit.X[fit.rest], predictor.constant)
    nearest = fit.candidates[fit.rest].nearest(predictions)
    return (
        fit.scatter(targets, nearest),
        fit.scatter(others, predictions),
        fit.scatter(decided, np.ones(len(nearest), dtype=np.bool_)),
    )


class NumberMixture(NamedTuple):
    """A fitted mixture of numbers.

    Attributes
    ----------
    fitted : FittedMixture
    predictions : float array (n, d)
        Of all rows: by members that were trained without them.
    objective : float
        The mean squared distance of these to the sets of the informative rows that take part.
    """

    fitted: FittedMixture
    predictions: FloatArray
    objective: float


def fit_number_mixture(
    mixture: Mixture, X: Any, kept: KeptRows, taken: NumberSets
) -> NumberMixture:
    """A mixture fitted on the rows that take part, with held-out predictions of all rows."""
    inputs = kept_inputs(X, kept)
    fitted = fitted_on_distinct(mixture, inputs, taken, kept.sample_weight, kept.groups)
    held_out = fitted.held_out
    weights = kept.sample_weight * taken.informative
    distances = (taken.distances(held_out) ** 2).sum(axis=1)
    predictions = held_out
    if not kept.all_rows:
        rest = np.setdiff1d(np.arange(kept.n), kept.rows)
        predictions = np.empty((kept.n, held_out.shape[1]))
        predictions[kept.rows], predictions[rest] = held_out, fitted.mixed(numbers_of, X[rest])
    return NumberMixture(fitted, predictions, float(weights @ distances / weights.sum()))


def fitted_on_distinct(
    mixture: Mixture,
    X: Any,
    sets: NumberSets,
    sample_weight: FloatArray,
    groups: IntArray | None = None,
    *,
    cross_fit: bool = True,
) -> FittedMixture:
    """Fit the members on the distinct rows, so that a weight of w is the same as w copies."""
    assert isinstance(sets, Intervals)
    hashes = rank_hashes(X)
    # Sorted by inputs and ends: members with random parts do not depend on the order of the rows.
    table = np.column_stack([hashes, sets.lower, sets.upper])
    _, first, inverse = np.unique(table, axis=0, return_index=True, return_inverse=True)
    total: FloatArray = np.bincount(inverse.ravel(), weights=sample_weight).astype(np.float64)
    n_folds = _FOLDS if first.size <= _MANY_ROWS else _FEW_FOLDS
    fitted = fit_mixture(
        mixture,
        X[first],
        sets[first],
        None if (total == 1).all() else total,
        None if groups is None else groups[first],
        numbers_of,
        hashes=hashes[first],
        n_folds=n_folds if cross_fit else 0,
    )
    return replace(fitted, held_out=fitted.held_out[inverse.ravel()])


@dataclass(frozen=True, eq=False)
class MixtureModel:
    """A fitted mixture as a model with ``predict``, for calibration."""

    fitted: FittedMixture

    def predict(self, X: Any) -> FloatArray:
        """The mixed predictions, ``(q, d)``."""
        return self.fitted.mixed(numbers_of, X)
