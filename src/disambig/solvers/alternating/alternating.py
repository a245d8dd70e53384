"""Alternating minimisation, the solver of the paper."""

from dataclasses import replace
from typing import Any

from sklearn.base import BaseEstimator

from disambig.candidates.reading import require_separable
from disambig.exceptions import ConvergenceWarning, warn
from disambig.losses.protocol import Faces
from disambig.parameters import check_integer
from disambig.problem import Problem
from disambig.solvers.alternating.decoding import as_guess, decode
from disambig.solvers.alternating.descent import Descent
from disambig.solvers.alternating.row_descent import RowDescent
from disambig.solvers.alternating.starts import (
    automatic_start,
    first_predictions,
    first_row_predictions,
    start_names,
)
from disambig.solvers.loop import Callback, Progress, Status, iterate
from disambig.solvers.solution import Solution, check_embedded, require_solution


class AlternatingMinimization(BaseEstimator):
    """Minimise ``F`` over predictions and targets in turn, each step exact (Section 4.3).

    Rows whose candidates tie stay at the barycentre of the tied ones, so that labels spread from
    informative rows to the others. When nothing changes any more, undecided rows are decoded, one
    row of each connected group at a time.

    Parameters
    ----------
    start : str, array (n, p), or a list of them, default "auto"
        ``"average"`` (the mean of each set), ``"infimum"`` (the loss to its nearest member),
        ``"intersection"`` (classes common to a growing neighbourhood), ``"measure"`` (finite
        losses: the signed measure of Definition 5 for each set), or a score matrix. ``"auto"`` is
        ``"average"`` under the 0-1 loss, as in the paper, and ``"infimum"`` for every other loss
        that offers it. Of several starts the one with the lowest decoded objective is kept, the
        earlier one if they tie.
    max_iter : int, default 300
        The largest number of iterations of each run. Most problems need a handful,
        semi-supervised ones up to the diameter of the graph.
    max_rounds : int, default 200
        The largest number of decoding rounds. Rows that are still undecided then take their first
        candidate.
    tie_tolerance : float, optional
        Relative difference below which two scores tie; by default 1e-10 (votes in float32: 1e-5).

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.candidates import LabelSets
    >>> from disambig.losses import ZeroOneLoss
    >>> from disambig.problem import Problem
    >>> from disambig.votes import as_votes
    >>> sets = LabelSets.from_sets([{"a"}, {"a", "b"}, {"b"}])
    >>> votes = as_votes([[0.5, 0.5, 0], [0.4, 0.4, 0.2], [0, 0, 1]])
    >>> solution = AlternatingMinimization().solve(
    ...     Problem(votes, ZeroOneLoss().bind(sets.classes), sets)
    ... )
    >>> sets.classes[solution.decoded.outputs].tolist()
    ['a', 'a', 'b']
    """

    def __init__(
        self,
        start: Any = "auto",
        *,
        max_iter: int = 300,
        max_rounds: int = 200,
        tie_tolerance: float | None = None,
    ) -> None:
        self.start = start
        self.max_iter = max_iter
        self.max_rounds = max_rounds
        self.tie_tolerance = tie_tolerance

    def solve(
        self, problem: Problem, *, start: Solution | None = None, callback: Callback | None = None
    ) -> Solution:
        """Disambiguate; see `disambig.solvers.Solver`. A warm start replaces the other starts."""
        name = type(self).__name__
        check_embedded(problem, name)
        require_separable(problem.candidates, name)
        for parameter in ("max_iter", "max_rounds"):
            check_integer(name, parameter, getattr(self, parameter), least=1)
        if self.tie_tolerance is not None:
            problem = replace(problem, tie_tolerance=self.tie_tolerance)
        if start is not None:
            require_solution(start, name)
            best = self._solve_from(problem, "warm", start, callback)
            _warn_of(best, self.max_iter)
            return best
        found: Solution | None = None
        trace: tuple[Progress, ...] = ()
        for stage, first in start_names(self.start):
            other = self._solve_from(problem, stage, first, callback)
            trace += other.trace
            if found is None or other.objective < found.objective - problem.objective_tolerance:
                found = other
            if other.status is Status.STOPPED:
                break
        assert found is not None
        _warn_of(found, self.max_iter)
        return found.with_trace(trace)

    def _solve_from(
        self, problem: Problem, name: str, start: Any, callback: Callback | None
    ) -> Solution:
        if isinstance(start, str) and start == "auto":
            name = start = automatic_start(problem)
        # Both go through the same states; see disambig.losses.protocol.
        descent: Any
        if problem.row_steps is None:
            descent, predictions = Descent(problem), first_predictions(problem, start)
        else:
            descent = RowDescent(problem)
            predictions = first_row_predictions(problem, problem.row_steps, start)
        first = descent.begin(predictions)
        guess = as_guess(start, first.targets) if isinstance(start, Solution) else None
        run = iterate(
            descent,
            first,
            max_iter=self.max_iter,
            stage=name,
            callback=callback,
        )
        decoding = decode(
            problem,
            run.state,
            # A stopped run must end at once: undecided rows take their first candidate.
            max_iter=0 if run.status is Status.STOPPED else self.max_iter,
            max_rounds=0 if run.status is Status.STOPPED else self.max_rounds,
            stage=name,
            callback=callback,
            guess=guess,
        )
        return Solution(
            targets=run.state.targets,
            decoded=decoding.state.targets,
            relaxed_objective=run.state.objective,
            objective=_objective(problem, decoding.state.targets),
            start=name,
            status=Status.STOPPED if decoding.status is Status.STOPPED else run.status,
            n_iter=run.n_iter,
            trace=run.trace + decoding.trace,
            tie_tolerance=problem.rtol,
        )


def _warn_of(solution: Solution, max_iter: int) -> None:
    if solution.status is Status.MAX_ITER:
        warn(
            f"AlternatingMinimization: not converged after max_iter={max_iter} "
            "iterations. The result is usable; a larger max_iter may improve it.",
            ConvergenceWarning,
        )


def _objective(problem: Problem, targets: Faces) -> float:
    """``min_zeta F`` at given targets."""
    if problem.row_steps is None:
        return problem.objective(targets.embedded)
    sweep = problem.row_steps.best_predictions(targets, problem.prediction_tolerance)
    return float(sweep.costs.sum())
