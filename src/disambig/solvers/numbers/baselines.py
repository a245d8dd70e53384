"""Predictions of numbers at queries, and the two baselines: infimum loss and average candidates."""

from dataclasses import dataclass

import numpy as np

from disambig.candidates import Intervals
from disambig.candidates.numbers.number_sets import NumberSets
from disambig.losses import NumberLoss
from disambig.notation import FloatArray
from disambig.number_problem import NumberProblem, RiskProblem
from disambig.solvers.loop import Progress, Status
from disambig.solvers.numbers.automatic import suited_solver
from disambig.solvers.numbers.solution import number_solution
from disambig.solvers.solution import Solution
from disambig.votes import Votes
from disambig.votes.blocks import row_blocks
from disambig.votes.dense import DenseVotes
from disambig.votes.iterated import IteratedVotes
from disambig.votes.product import ProductVotes


@dataclass(frozen=True, eq=False)
class NumberRule:
    """How a method predicts numbers from votes.

    Parameters
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


def number_rule(problem: NumberProblem, method: str, targets: FloatArray | None) -> NumberRule:
    """The rule of a method; `targets` are those of disambiguation, None for the baselines."""
    linear = isinstance(problem, RiskProblem) and method != "infimum"
    if targets is None:
        # Where `linear` is False the baselines predict from the sets, and do not use the targets.
        targets = _means(problem) if linear else problem.sets.centers
    return NumberRule(targets, problem.loss, problem.sets, problem.span, method, linear)


def number_baseline(problem: NumberProblem, votes: Votes, method: str) -> Solution:
    """Label each row by the member of its set nearest to the prediction of a baseline there.

    Parameters
    ----------
    problem : NumberProblem
    votes : Votes (n, n)
        At the training rows, not scaled by sample weights.
    method : {"infimum", "average"}
    """
    targets = problem.sets.nearest(number_rule(problem, method, None).predict(votes))
    objective = problem.objective(targets, problem.predictions(targets))
    return number_solution(
        problem,
        targets,
        start=method,
        status=Status.CONVERGED,
        n_iter=1,
        trace=(Progress(method, 1, objective, 0),),
        single=np.ones(len(targets), dtype=np.bool_),
    )


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
    means = problem.with_sets(Intervals(lower, upper, problem.sets.flat))
    return suited_solver(means).solve(means).targets.embedded
