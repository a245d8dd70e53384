"""Run a method on a problem whose targets are numbers, and predict from its result."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from disambig.candidates import Intervals, NumberSets
from disambig.losses import NumberLoss
from disambig.notation import FloatArray
from disambig.number_problem import NumberProblem, RiskProblem
from disambig.solvers import (
    AutomaticRegression,
    Callback,
    NumberSolution,
    NumberSolver,
    Progress,
    Status,
)
from disambig.votes import DenseVotes, IteratedVotes, ProductVotes, Votes, row_blocks


@dataclass(frozen=True, eq=False)
class NumberPredictor:
    """What prediction needs after fit.

    Attributes
    ----------
    targets : float array (n, d)
        The targets of disambiguation, or of the average in kernel ridge regression.
    loss, sets, span, method
        Those that the targets were computed with.
    linear : bool
        True: the prediction is ``alpha @ targets`` itself, as in kernel ridge regression. False: it
        is the output of least loss under the votes.
    """

    targets: FloatArray
    loss: NumberLoss
    sets: NumberSets
    span: FloatArray
    method: str
    linear: bool

    def predict(self, votes: Votes) -> FloatArray:
        """Predictions at queries, ``(q, d)``."""
        if self.linear:
            return votes @ self.targets
        thick = isinstance(votes, ProductVotes) and not votes.is_thin
        factored = isinstance(votes, (ProductVotes, IteratedVotes))
        if thick or (factored and self.method == "infimum"):
            # Whether the votes of a row sum to a positive number is decided relative to their
            # sizes, and a bound from the factors can be far larger than the votes themselves. The
            # infimum loss also needs the sign of each vote. Rows are predicted independently, so
            # that blocks of dense votes suffice.
            found = [self._predict(DenseVotes(block)) for _, block in row_blocks(votes)]
            return np.concatenate([np.empty((0, len(self.span))), *found])
        return self._predict(votes)

    def _predict(self, votes: Votes) -> FloatArray:
        if self.method == "infimum":
            return self.loss.infimum_prediction(votes, self.sets, self.span)
        if self.method == "average":
            return self.loss.average_prediction(votes, self.sets, self.span)
        return self.loss.best_prediction(votes, self.targets, self.span)

    def constant(self, sample_weight: FloatArray) -> FloatArray:
        """The best single output for all inputs, ``(d,)``."""
        best: FloatArray = self.predict(DenseVotes(sample_weight[None, :] / sample_weight.sum()))[0]
        return best


class NumberMethodResult(NamedTuple):
    """The solution of a method, and the predictor that learns from it."""

    solution: NumberSolution
    predictor: NumberPredictor


def run_number_method(
    problem: NumberProblem,
    votes: Votes,
    method: str,
    solver: NumberSolver,
    callback: Callback | None,
) -> NumberMethodResult:
    """Disambiguate, or run a baseline.

    Parameters
    ----------
    problem : NumberProblem
    votes : Votes (n, n)
        At the training rows; the baselines predict with them.
    method : {"disambiguation", "infimum", "average"}
    solver : NumberSolver
        For disambiguation.
    callback : callable, optional
    """
    linear = isinstance(problem, RiskProblem) and method != "infimum"
    settings = problem.loss, problem.sets, problem.span, method, linear
    if method == "disambiguation":
        solution = solver.solve_numbers(problem, callback=callback)
        return NumberMethodResult(solution, NumberPredictor(solution.targets, *settings))
    # Where `linear` is False the baselines predict from the sets, and do not use the targets.
    targets = _means(problem) if linear else problem.sets.centers
    predictor = NumberPredictor(targets, *settings)
    return NumberMethodResult(_baseline(problem, votes, predictor), predictor)


def _means(problem: NumberProblem) -> FloatArray:
    """The means of the sets, ``(n, d)``; where a column of a box has no mean, the optimal number.

    A target that may be any number adds nothing to the empirical risk: the result is the same as
    if the row were absent from that column.
    """
    centers = problem.sets.centers
    known = np.isfinite(centers)
    if known.all():
        return centers
    lower, upper = np.where(known, centers, -np.inf), np.where(known, centers, np.inf)
    means = Intervals(lower, upper, problem.sets.flat)
    return AutomaticRegression().solve_numbers(problem.with_sets(means)).targets


def _baseline(problem: NumberProblem, votes: Votes, predictor: NumberPredictor) -> NumberSolution:
    """Label each row by the member of its set nearest to the prediction there."""
    method = predictor.method
    predictions = predictor.predict(votes)
    targets = problem.sets.nearest(predictions)
    objective = problem.objective(targets, problem.predictions(targets))
    return NumberSolution(
        targets=targets,
        predictions=predictions,
        objective=objective,
        residual=None,
        is_convex=problem.is_convex,
        start=method,
        status=Status.CONVERGED,
        n_iter=1,
        trace=(Progress(method, 1, objective, 0),),
    )
