"""Labels from solutions, and when sets of labels say nothing."""

from typing import NamedTuple

import numpy as np

from disambig.candidates import LabelSets
from disambig.estimators.base import Fit
from disambig.estimators.prediction import Predictor
from disambig.estimators.probabilities import candidate_shares
from disambig.exceptions import NoInformationError, UnusedClassWarning, warn
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.problem import Problem
from disambig.solvers import Solution
from disambig.solvers.baselines import average_candidates, infimum_solution

# Equal frequencies that are summed in different orders differ by rounding.
_FREQUENCY_ROUNDING = 1e-12


def run_baseline(problem: Problem, method: str) -> tuple[Solution, bool | None]:
    """The solution of ``"infimum"`` or ``"average"``; whether the infimum is exact, or None."""
    if method == "average":
        return average_candidates(problem), None
    return infimum_solution(problem)


def label_distribution(sets: LabelSets, solution: Solution, method: str) -> FloatArray:
    """The distributions of the labels that prediction learns from, ``(n, K)``."""
    if method == "average":
        return sets.distribution()
    faces = solution.decoded if method == "infimum" else solution.targets
    distribution: FloatArray = faces.distribution  # type: ignore[union-attr]
    return distribution


def label_frequencies(
    solution: Solution, distribution: FloatArray, sample_weight: FloatArray
) -> FloatArray:
    """The share of each class among the labels of resolved rows, ``(K,)``; of all if none is."""
    resolved = solution.resolved
    trusted = resolved if resolved.any() else np.ones(len(resolved), np.bool_)
    counts = sample_weight[trusted] @ distribution[trusted]
    frequencies: FloatArray = counts / counts.sum()
    return frequencies


class RowLabels(NamedTuple):
    """Labels of all rows.

    Attributes
    ----------
    codes : int array (n,)
        Positions among the classes.
    resolved : bool array (n,)
    shares : float array (n, K)
        Positive votes of the other rows within each set, divided by their sum.
    """

    codes: IntArray
    resolved: BoolArray
    shares: FloatArray

    @property
    def confidence(self) -> FloatArray:
        """The share of each label, ``(n,)``."""
        confidence: FloatArray = self.shares[np.arange(len(self.codes)), self.codes]
        return confidence


def row_labels(fit: Fit, distribution: FloatArray, predictor: Predictor) -> RowLabels:
    """Labels of all rows of a fit.

    A row of weight zero has the candidate nearest to its prediction; of several the one with the
    most votes of the others, of these the most frequent.

    Parameters
    ----------
    fit : Fit
    distribution : float array (n, K)
        What prediction learns from.
    predictor : Predictor
    """
    solution, taken = fit.solution, fit.taken
    votes = fit.weightings.leave_one_out(distribution)
    shares = candidate_shares(votes, taken.mask, taken.distribution())
    codes, resolved = solution.decoded.outputs, solution.resolved
    if fit.kept.all_rows:
        return RowLabels(codes, resolved, shares)
    rest, rest_votes = fit.candidates[fit.rest], fit.rest_votes()
    votes = rest_votes @ distribution
    other = candidate_shares(votes, rest.mask, rest.distribution())
    # Shares that differ by rounding only are tied.
    tied = _largest(other, np.ones(other.shape, np.bool_), solution.tie_tolerance)
    nearest = predictor.nearest(predictor.predict_quietly(rest_votes), rest)
    best = _largest(other, nearest.mask, solution.tie_tolerance)  # type: ignore[attr-defined]
    frequencies = label_frequencies(solution, distribution, fit.kept.sample_weight)
    chosen = _largest(np.tile(frequencies, (len(rest), 1)), best, _FREQUENCY_ROUNDING)
    return RowLabels(
        fit.scatter(codes, chosen.argmax(axis=1)),
        fit.scatter(resolved, tied.sum(axis=1) == 1),
        fit.scatter(shares, other),
    )


def _largest(values: FloatArray, among: BoolArray, tolerance: float) -> BoolArray:
    """The largest values of each row among some, and those that tie with them, ``(n, K)``."""
    inside = np.where(among, values, -1.0)
    largest: BoolArray = inside >= inside.max(axis=1, keepdims=True) * (1.0 - tolerance)
    return largest & among


def informative(sets: LabelSets, method: str) -> BoolArray:
    """Rows that a method can learn from, ``(n,)``."""
    if sets.weights is not None and method == "average":
        # The average learns from the weights themselves: they may all be positive.
        unequal: BoolArray = np.ptp(sets.weights, axis=1) > 0
        return unequal
    return sets.informative


def check_information(sets: LabelSets, method: str) -> None:
    """Raise an error if no set excludes a class; warn of classes that are never a candidate."""
    is_informative = informative(sets, method)
    if sets.n_classes > 1 and not is_informative.any() and sets.weights is not None:
        raise NoInformationError(
            f"y: all {len(sets)} rows give every class a positive weight, so that no set excludes "
            "a class (every class of positive weight is a candidate). Set small weights to 0, or "
            "use method='average', which learns from the weights themselves."
        )
    if sets.n_classes > 1 and not is_informative.any():
        raise NoInformationError(
            f"y: none of the {len(sets)} rows excludes a class, so there is nothing to learn from. "
            "Label at least one row, or narrow some sets."
        )
    unused = sets.unused_classes
    if len(unused):
        names = ", ".join(map(repr, unused[:5].tolist())) + (", ..." if len(unused) > 5 else "")
        warn(
            f"{len(unused)} of {sets.n_classes} classes are never a candidate ({names}); they keep "
            "probability 0.",
            UnusedClassWarning,
        )
