"""Confidence in recovered numbers: the probability that the true one is within a distance."""

from typing import NamedTuple

import numpy as np

from disambig.candidates import Intervals
from disambig.candidates.numbers.number_sets import NumberSets
from disambig.estimators.fitting import Fit
from disambig.estimators.held_out.label_judges import deal, equal_inputs
from disambig.estimators.held_out.residual_fit import fit_residuals
from disambig.estimators.held_out.residuals import Residuals
from disambig.estimators.mixture import is_judged
from disambig.estimators.prediction import NumberPredictor, number_predictor_of
from disambig.estimators.progress.reporting import Phase
from disambig.estimators.rows.kept import kept_inputs
from disambig.estimators.selection.protocol import MIN_INFORMATIVE_ROWS
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.solvers import Solver
from disambig.solvers.loop import Status
from disambig.solvers.numbers.baselines import number_rule
from disambig.weights.row_groups import joined_groups

# "About right" for numbers: within this share of the range of the recovered numbers.
_SHARE = 0.1
_LOW, _HIGH = 0.05, 0.95
_FOLDS = 5


class NumberJudgement(NamedTuple):
    """What held-out predictions say about recovered numbers.

    Attributes
    ----------
    confidence : float array (n,)
        ``P(|y - label| <= distance | y in S)``; 1 for points, 0 for rows without a prediction.
    distance : float array (d,)
    residuals : Residuals or None
        None if no row has a prediction.
    """

    confidence: FloatArray
    distance: FloatArray
    residuals: Residuals | None


def judged_numbers(
    labels: FloatArray,
    predictions: FloatArray,
    sets: NumberSets,
    sample_weight: FloatArray,
    given: NumberSets | None = None,
    distance: FloatArray | None = None,
) -> NumberJudgement:
    """The confidence in labels, from predictions of their rows by others.

    Parameters
    ----------
    labels, predictions : float array (n, d)
        NaN where a row has no prediction.
    sets : NumberSets
    sample_weight : float array (n,)
        w counts as w rows. Rows of weight 0 are judged, and judge no others.
    given : NumberSets, optional
        The sets of the user, if `sets` are wider ones: residuals are fitted to these.
    distance : float array (d,), optional
        What counts as right; by default `confidence_distance`.
    """
    given = sets if given is None else given
    if distance is None:
        distance = confidence_distance(labels, given, sample_weight)
    is_predicted = np.isfinite(predictions).all(axis=1)
    confidence = np.where(sets.is_point, 1.0, 0.0)
    if not (is_predicted & given.informative & (sample_weight > 0)).any():
        return NumberJudgement(confidence, distance, None)
    residuals = fit_residuals(predictions, given, sample_weight)
    open_rows = np.flatnonzero(is_predicted & ~sets.is_point)
    if open_rows.size:
        confidence[open_rows] = residuals.within(
            labels[open_rows], predictions[open_rows], sets[open_rows], distance
        )
    return NumberJudgement(confidence, distance, residuals)


def confidence_distance(
    labels: FloatArray, sets: NumberSets, sample_weight: FloatArray
) -> FloatArray:
    """A tenth of the range from the 5 % to the 95 % quantile of the labels, ``(d,)``.

    Of all finite ends where these labels are equal.
    """
    ranges = np.array([_range(column, sample_weight) for column in labels.T])
    distance: FloatArray = _SHARE * np.where(ranges > 0, ranges, np.ptp(sets.span, axis=1))
    return distance


def _range(values: FloatArray, weights: FloatArray) -> float:
    """The distance of two quantiles: the smallest values that reach these shares of the weight."""
    order = np.argsort(values)
    reached = np.cumsum(weights[order])
    # Rounded, because sums of weights are not exact: w copies have the quantiles of weight w.
    shares = np.round(reached / reached[-1], 12)
    low, high = values[order[np.searchsorted(shares, [_LOW, _HIGH])]]
    return float(high - low)


def other_predictions(
    fit: Fit, solver: Solver | None, predictor: NumberPredictor
) -> tuple[FloatArray, str]:
    """Predictions of the rows that take part by others, ``(n, d)``, and who these were.

    "hidden sets" for least squares on intervals: the sets of one fold are replaced by the whole
    line, and the same problem is solved again, with the same votes, so that all other targets are
    chosen without them. Otherwise, with few rows, and if a callback ends the phase,
    "leave-one-out": the others predict with their targets as they are.

    Parameters
    ----------
    fit : Fit
    solver : Solver or None
        That of the fit; None for the baselines.
    predictor : NumberPredictor
        That of the fit.
    """
    votes = fit.weightings.weights.leave_one_out_votes()
    folds = None if solver is None else _folds(fit)
    if solver is None or folds is None:
        return predictor.predict(votes), "leave-one-out"
    sets, weights = fit.problem.sets, fit.kept.sample_weight
    found = np.empty((len(sets), sets.n_columns))
    # From an earlier solution a local optimum would depend on the hidden sets.
    start = fit.solution if fit.problem.is_convex else None
    n_folds = int(folds.max()) + 1
    phase = Phase("judgement", n_folds)
    for fold in phase.over(range(n_folds)):
        hidden = folds == fold
        problem = fit.problem.with_sets(_opened(sets, hidden))
        targets = solver.solve(problem, start=start).decoded.outputs
        rule = number_rule(problem, "disambiguation", targets)
        found[hidden] = number_predictor_of(rule, weights).predict(votes)[hidden]
    if phase.is_cut:
        return predictor.predict(votes), "leave-one-out"
    return found, "hidden sets"


def _folds(fit: Fit) -> IntArray | None:
    """The fold of each row; None where hidden sets say too little or cost too much."""
    sets, kept = fit.taken, fit.kept
    # Unions are searched from many starts, and absolute losses are linear programs.
    is_cheap = is_judged() and fit.problem.loss.is_quadratic and isinstance(sets, Intervals)
    if not is_cheap or fit.solution.status is Status.STOPPED:
        return None
    inputs = kept_inputs(fit.X, kept)
    units = joined_groups(equal_inputs(inputs, fit.weightings.pairwise), kept.groups)
    if np.unique(units[sets.informative]).size < MIN_INFORMATIVE_ROWS:
        return None
    return deal(units, sets.informative, _FOLDS, 0)


def _opened(sets: Intervals, rows: BoolArray) -> Intervals:
    """The same intervals, with the whole line for some rows."""
    chosen = rows[:, np.newaxis]
    return Intervals(
        np.where(chosen, -np.inf, sets.lower), np.where(chosen, np.inf, sets.upper), sets.flat
    )
