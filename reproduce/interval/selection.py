"""Errors of a method at the parameters chosen with the truth, as published, or without it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.notation import FloatArray, IntArray
from reproduce.interval.methods import Method
from reproduce.interval.problems import SineProblem

# Up to this many rows, they are left out one by one.
_MAX_FOLDS = 10


@dataclass(frozen=True, eq=False)
class Errors:
    """Errors and held-out distances of a method on several problems.

    Attributes
    ----------
    settings : list of (ridge, value)
    errors : float array (problems, settings)
        Mean squared error at the queries.
    distances : float array (problems, settings)
        Mean squared distance of the predictions at held-out rows to their intervals.
    uncertified, concave : int
        Number of runs on convex problems without a certificate of optimality, and number of runs
        on problems that are not convex.
    """

    settings: list[tuple[float, Any]]
    errors: FloatArray
    distances: FloatArray
    uncertified: int
    concave: int

    @property
    def with_truth(self) -> FloatArray:
        """Errors of the best setting of each problem, (problems,)."""
        found: FloatArray = self.errors.min(axis=1)
        return found

    @property
    def chosen(self) -> IntArray:
        """Settings of least held-out distance, (problems,); the first if several are equal."""
        found: IntArray = self.distances.argmin(axis=1)
        return found

    @property
    def without_truth(self) -> FloatArray:
        """Errors of the settings that the held-out distance chooses, (problems,)."""
        found: FloatArray = self.errors[np.arange(len(self.errors)), self.chosen]
        return found

    def at(self, ridge: float) -> FloatArray:
        """Errors at this ridge and the best value of the other parameter, (problems,)."""
        same_ridge = [k for k, (given, _) in enumerate(self.settings) if given == ridge]
        found: FloatArray = self.errors[:, same_ridge].min(axis=1)
        return found


def measure(method: Method, problems: Sequence[SineProblem]) -> Errors:
    """Fit every setting on every problem, on all rows and without those of each fold."""
    settings = method.settings()
    errors = np.empty((len(problems), len(settings)))
    distances = np.empty(errors.shape)
    uncertified = concave = 0
    for t, problem in enumerate(problems):
        for k, found in enumerate(method.path(problem)):
            errors[t, k] = np.mean((found.predictions - problem.truth) ** 2)
            concave += found.convex is False
            uncertified += found.convex is True and found.certified is False
        distances[t] = _held_out(method, problem)
    return Errors(settings, errors, distances, uncertified, concave)


def _held_out(method: Method, problem: SineProblem) -> FloatArray:
    """Mean squared distances of held-out predictions to their intervals, (settings,)."""
    n = len(problem.X)
    total = np.zeros(len(method.settings()))
    # Inputs are independent draws, so consecutive rows are a random fold.
    for rows in np.array_split(np.arange(n), min(n, _MAX_FOLDS)):
        held = problem.intervals[rows]
        for k, found in enumerate(method.path(problem.without(rows))):
            total[k] += float((held.distances(found.predictions[:, np.newaxis]) ** 2).sum())
    return total / n
