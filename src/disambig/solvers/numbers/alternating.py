"""Alternation between predictions and real targets, the method of the paper.

`optimality_residual` says how far its result is from the optimality conditions.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator

from disambig.candidates import Intervals
from disambig.exceptions import ConvergenceWarning, warn
from disambig.notation import FloatArray
from disambig.number_problem import NumberProblem
from disambig.solvers.boxes.quadratic import box_quadratic
from disambig.solvers.loop import Callback, Status, iterate
from disambig.solvers.numbers.columns import box_columns
from disambig.solvers.numbers.solution import CERTIFIED, NumberSolution


def optimality_residual(
    problem: NumberProblem, targets: FloatArray, start: FloatArray
) -> float | None:
    """`scaled_kkt` of the worst column; None unless the problem is quadratic on intervals.

    The unit is taken from the start, as in the convex solvers. The targets themselves can all be
    zero at the optimum and give no unit.
    """
    form = problem.quadratic
    if form is None or not isinstance(problem.sets, Intervals):
        return None
    diagonal = form.diagonal()
    residuals = []
    for k, column in enumerate(box_columns(problem, problem.sets, form)):
        y = targets[:, k] - column.shift
        first = start[:, k] - column.shift
        box = box_quadratic(form, diagonal, column.lower, column.upper, first, CERTIFIED)
        residuals.append(box.state_at(box.clip(y)).kkt)
    return max(residuals)


@dataclass(frozen=True, eq=False)
class NumberState:
    """Targets, the best predictions for them, and the objective of both."""

    targets: FloatArray
    predictions: FloatArray
    objective: float
    undecided: int = 0


@dataclass(frozen=True, eq=False)
class NumberDescent:
    """Both half steps in turn; no step raises the objective.

    Parameters
    ----------
    problem : NumberProblem
    tol : float
        A run has converged when no target moves by more than this share of the span.
    """

    problem: NumberProblem
    tol: float

    def begin(self, targets: FloatArray) -> NumberState:
        """The first state: given targets and the best predictions for them."""
        predictions = self.problem.predictions(targets)
        return NumberState(targets, predictions, self.problem.objective(targets, predictions))

    def step(self, state: NumberState) -> NumberState:
        """One target step, then one prediction step."""
        targets = self.problem.targets(state.predictions, state.targets)
        predictions = self.problem.predictions(targets, state.predictions)
        return NumberState(targets, predictions, self.problem.objective(targets, predictions))

    def has_converged(self, before: NumberState, after: NumberState) -> bool:
        """Did no target move by more than the tolerance?"""
        low, high = self.problem.span.T
        # Half-lines with a common end have a span of zero width, but kernel ridge can still move
        # their targets.
        width = np.where(high > low, high - low, np.abs(high))
        moved = np.abs(after.targets - before.targets).max(axis=0, initial=0.0)
        return bool((moved <= self.tol * width).all())


class AlternatingRegression(BaseEstimator):
    """Alternate between exact predictions for targets and exact targets for predictions.

    This is the method of the paper. If negative votes make the problem non-convex, it finds a local
    optimum. For convex problems `NewtonRegression` and `LinearProgramRegression` are better: they
    reach the global optimum. Alternation seldom does for the absolute and the pinball loss, and for
    the squared loss with a small ridge only after very many steps.

    Stopping early regularises: after a few steps from the middles of their intervals, targets are a
    compromise between averaging the candidates and disambiguation. Use `steps` for that; the number
    of steps is then a hyperparameter of the model.

    Parameters
    ----------
    start : {"average", "infimum"}, default "average"
        The first predictions: those of the average loss, or of the infimum loss.
    steps : int, optional
        Stop early after this number of steps. By default: run until convergence.
    max_iter : int, default 10000
        Stop with a warning after this number of steps; ignored if `steps` is given.
    tol : float, default 1e-9
        Converged when no target moves by more than this share of the span of all ends.

    Examples
    --------
    >>> from disambig import IntervalRegressor
    >>> from disambig.solvers import AlternatingRegression
    >>> X, y = [[0.0], [1.0], [2.0]], [[0, 1], [0.5, 4], [2, 2]]
    >>> early = IntervalRegressor(solver=AlternatingRegression(steps=3)).fit(X, y)
    >>> early.n_iter_, early.certified_
    (3, False)
    """

    def __init__(
        self,
        start: str = "average",
        *,
        steps: int | None = None,
        max_iter: int = 10_000,
        tol: float = 1e-9,
    ) -> None:
        self.start = start
        self.steps = steps
        self.max_iter = max_iter
        self.tol = tol

    def solve_numbers(
        self, problem: NumberProblem, *, callback: Callback | None = None
    ) -> NumberSolution:
        """Alternate; `callback` is called after every step and stops the run by returning True."""
        self._check()
        return self.descend(problem, problem.first_targets(self.start), callback=callback)

    def descend(
        self, problem: NumberProblem, targets: FloatArray, *, callback: Callback | None = None
    ) -> NumberSolution:
        """The same from given targets inside their sets; the result is not worse than they are."""
        stops_early = self.steps is not None
        descent = NumberDescent(problem, -1.0 if stops_early else float(self.tol))
        run = iterate(
            descent,
            descent.begin(targets),
            max_iter=int(self.max_iter if self.steps is None else self.steps),
            stage=self.start,
            callback=callback,
        )
        if run.status is Status.MAX_ITER and not stops_early:
            warn(
                f"AlternatingRegression: not converged after max_iter={self.max_iter} steps; the "
                f"result is usable, but not a local optimum. {_advice(problem)}",
                ConvergenceWarning,
            )
        state = run.state
        return NumberSolution(
            targets=state.targets,
            predictions=state.predictions,
            objective=state.objective,
            residual=optimality_residual(problem, state.targets, targets),
            is_convex=problem.is_convex,
            start=self.start,
            status=run.status,
            n_iter=run.n_iter,
            trace=run.trace,
        )

    def _check(self) -> None:
        if self.start not in ("average", "infimum"):
            raise ValueError(
                f"AlternatingRegression: start={self.start!r} is not known; choose 'average' or "
                "'infimum'."
            )
        for name in ("steps", "max_iter"):
            value = getattr(self, name)
            if value is not None and int(value) < 1:
                raise ValueError(f"AlternatingRegression: {name}={value!r}; expected at least 1.")
        if not 0.0 <= float(self.tol) < np.inf:
            raise ValueError(f"AlternatingRegression: tol={self.tol!r}; expected a number >= 0.")


def _advice(problem: NumberProblem) -> str:
    """What to do if a run does not converge; solver="auto" gets here with non-convex problems."""
    options = "a larger max_iter, or with steps=... to stop early on purpose."
    if not problem.is_convex:
        return (
            "Negative votes make this problem not convex: use weights without negative votes, "
            "or kernel ridge with formulation='risk'; or pass AlternatingRegression with " + options
        )
    if isinstance(problem.sets, Intervals):
        return "Use solver='auto' for the optimum, or AlternatingRegression with " + options
    return (
        "Use UnionRegression, which starts several times, or AlternatingRegression with " + options
    )
