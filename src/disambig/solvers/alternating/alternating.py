"""The paper's solver."""

import warnings
from typing import Any

from sklearn.base import BaseEstimator

from disambig.exceptions import ConvergenceWarning
from disambig.losses.protocol import Faces
from disambig.problem import Problem
from disambig.solvers.alternating.decoding import decode
from disambig.solvers.alternating.descent import Descent
from disambig.solvers.alternating.row_descent import RowDescent
from disambig.solvers.alternating.starts import (
    automatic_start,
    first_predictions,
    first_row_predictions,
    start_names,
)
from disambig.solvers.loop import Callback, Progress, Status, iterate
from disambig.solvers.solution import Solution


class AlternatingMinimization(BaseEstimator):
    """Minimise ``F`` over predictions and targets in turn, each step exact (Section 4.3).

    Rows whose candidates tie rest on the barycentre of the tied ones, which lets labels travel
    from informed rows to uninformed ones. When nothing moves any more, undecided rows are decoded
    one connected group at a time.

    Parameters
    ----------
    start : str, array (n, p), or a list of them, default "auto"
        ``"average"`` (the mean of each set), ``"infimum"`` (the loss to its nearest member),
        ``"intersection"`` (classes common to a growing neighbourhood), ``"measure"`` (finite
        losses: the signed measure that asks for exactly the set), or a score matrix;
        ``"auto"`` is the first under the 0-1 loss, as in the paper, and the second for every other
        loss that offers it. Of several starts the one with the lowest decoded objective wins, the
        earlier at a tie.
    max_iter : int, default 300
        Iterations of each run; the method needs a handful, or the diameter of the graph in
        semi-supervised problems.
    max_rounds : int, default 200
        Rounds of pinning in the decoding of undecided rows; rows that are undecided still take
        their first candidate.
    tie_tolerance : float, optional
        Relative size below which two scores tie; by default 1e-10 (votes in float32: 1e-5).

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

    def solve(self, problem: Problem, *, callback: Callback | None = None) -> Solution:
        """Disambiguate; `callback` hears of every iteration and stops the run by True."""
        self._check()
        if self.tie_tolerance is not None:
            problem = Problem(problem.votes, problem.loss, problem.candidates, self.tie_tolerance)
        best: Solution | None = None
        trace: tuple[Progress, ...] = ()
        for name, start in start_names(self.start):
            found = self._solve_from(problem, name, start, callback)
            trace += found.trace
            if best is None or found.objective < best.objective - problem.objective_tolerance:
                best = found
            if found.status is Status.STOPPED:
                break
        assert best is not None
        if best.status is Status.MAX_ITER:
            warnings.warn(
                f"AlternatingMinimization: not converged after max_iter={self.max_iter} "
                "iterations; the result is usable and may improve with a larger max_iter.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return best.with_trace(trace)

    def _check(self) -> None:
        for name in ("max_iter", "max_rounds"):
            if int(getattr(self, name)) < 1:
                raise ValueError(
                    f"AlternatingMinimization: {name}={getattr(self, name)!r}; expected at least 1."
                )

    def _solve_from(
        self, problem: Problem, name: str, start: Any, callback: Callback | None
    ) -> Solution:
        if isinstance(start, str) and start == "auto":
            name = start = automatic_start(problem)
        # The same states either way; see disambig.losses.protocol.
        descent: Any
        if problem.row_steps is None:
            descent, predictions = Descent(problem), first_predictions(problem, start)
        else:
            descent = RowDescent(problem)
            predictions = first_row_predictions(problem, problem.row_steps, start)
        run = iterate(
            descent,
            descent.begin(predictions),
            max_iter=self.max_iter,
            stage=name,
            callback=callback,
        )
        ending = decode(
            problem,
            run.state,
            # Who stops the run wants an answer now: undecided rows take their first candidate.
            max_iter=0 if run.status is Status.STOPPED else self.max_iter,
            max_rounds=0 if run.status is Status.STOPPED else self.max_rounds,
            stage=name,
            callback=callback,
        )
        return Solution(
            targets=run.state.targets,
            decoded=ending.state.targets,
            relaxed_objective=run.state.objective,
            objective=_objective(problem, ending.state.targets),
            start=name,
            status=Status.STOPPED if ending.status is Status.STOPPED else run.status,
            n_iter=run.n_iter,
            trace=run.trace + ending.trace,
        )


def _objective(problem: Problem, targets: Faces) -> float:
    """``min_zeta F``."""
    if problem.row_steps is None:
        return problem.objective(targets.embedded)
    sweep = problem.row_steps.best_predictions(targets, problem.prediction_tolerance)
    return float(sweep.paid.sum())
