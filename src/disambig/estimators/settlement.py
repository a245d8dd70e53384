"""Run a method on a problem, and predict from what it found: for outputs of any kind."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from disambig.losses import Faces, Loss
from disambig.notation import FloatArray
from disambig.problem import Problem
from disambig.solvers import (
    Callback,
    Solution,
    Solver,
    average_candidates,
    infimum_loss,
    infimum_prediction,
)
from disambig.votes import Votes

__all__ = ["METHODS", "Predictor", "Settlement", "check_method", "settle", "solve"]

METHODS = ("disambiguation", "infimum", "average")

_RTOL = 1e-10


@dataclass(frozen=True, eq=False)
class Predictor:
    """All that prediction needs after fit.

    Attributes
    ----------
    xi : float array (n, p)
        The targets that prediction learns from.
    loss, candidates, method
        What they were found with.
    """

    xi: FloatArray
    loss: Loss
    candidates: Any
    method: str

    def predict(self, votes: Votes) -> Faces:
        """One output at each query."""
        if self.method == "infimum":
            found = infimum_prediction(self.loss, votes, self.candidates, rtol=_RTOL)
            return found.predictions.first()
        return self.best_predictions(votes @ self.xi)

    def best_predictions(self, scores: FloatArray) -> Faces:
        """The outputs that scores ``(q, p)`` call for."""
        # Ties are judged by the scores themselves: a bound on |alpha| can be far too large here.
        size = np.abs(scores).max(axis=1, initial=0.0)
        return self.loss.best_prediction(scores, _RTOL * size).first()

    def nearest(self, predictions: Faces, candidates: Any) -> Faces:
        """For each prediction the nearest member of a set."""
        tolerance = np.full(len(predictions), _RTOL * self.loss.magnitude(candidates))
        return self.loss.best_candidate(predictions.first().embedded, candidates, tolerance)


def check_method(method: str) -> None:
    """Refuse a method that is not known."""
    if method not in METHODS:
        raise ValueError(f"method={method!r} is not known; choose one of {list(METHODS)}.")


class Settlement(NamedTuple):
    """What a method found: the solution, what predicts from it, and what is known of it.

    Attributes
    ----------
    solution : Solution
    predictor : Predictor
    infimum_is_exact : bool or None
        None for other methods.
    """

    solution: Solution
    predictor: Predictor
    infimum_is_exact: bool | None


def settle(problem: Problem, method: str, solver: Solver, callback: Callback | None) -> Settlement:
    """Disambiguate, or run a baseline."""
    solution, exact = solve(problem, method, solver, callback)
    if method == "average":
        xi = problem.loss.start(problem.candidates, "average")
    else:
        xi = (solution.decoded if method == "infimum" else solution.targets).embedded
    predictor = Predictor(xi, problem.loss, problem.candidates, method)
    return Settlement(solution, predictor, exact)


def solve(
    problem: Problem, method: str, solver: Solver, callback: Callback | None
) -> tuple[Solution, bool | None]:
    """The solution of a method alone, and whether its infimum is exact (None: it has none)."""
    check_method(method)
    if method == "average":
        return average_candidates(problem), None
    if method == "infimum":
        return infimum_loss(problem)
    return solver.solve(problem, callback=callback), None
