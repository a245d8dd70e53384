"""How far targets are from the optimality conditions of their problem.

Alternation between predictions and real targets: the paper's own way.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator

from disambig.candidates import Intervals
from disambig.exceptions import ConvergenceWarning
from disambig.notation import FloatArray
from disambig.number_problem import NumberProblem
from disambig.solvers.boxes.quadratic import box_quadratic
from disambig.solvers.loop import Callback, Status, iterate
from disambig.solvers.numbers.columns import box_columns
from disambig.solvers.numbers.solution import CERTIFIED, NumberSolution


def optimality_residual(
    problem: NumberProblem, targets: FloatArray, start: FloatArray
) -> float | None:
    """`scaled_kkt` of the worst column; None if the problem is no quadratic one on intervals.

    The start gives the unit, as in the convex solvers: targets that all can be zero would
    themselves be none.
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
        residuals.append(box.at(box.clip(y)).kkt)
    return max(residuals)


@dataclass(frozen=True, eq=False)
class NumberState:
    """Targets, the predictions that they answer, and what both cost."""

    targets: FloatArray
    predictions: FloatArray
    objective: float
    undecided: int = 0


@dataclass(frozen=True, eq=False)
class NumberDescent:
    """Both half steps in turn; the objective never rises from the first target step on.

    Parameters
    ----------
    problem : NumberProblem
    tol : float
        A run has converged when no target moves by more than this part of the span.
    """

    problem: NumberProblem
    tol: float

    def begin(self, targets: FloatArray) -> NumberState:
        """The predictions that the first targets call for."""
        predictions = self.problem.predictions(targets)
        return NumberState(targets, predictions, self.problem.objective(targets, predictions))

    def step(self, state: NumberState) -> NumberState:
        """One target step, then one prediction step."""
        targets = self.problem.targets(state.predictions, state.targets)
        predictions = self.problem.predictions(targets, state.predictions)
        return NumberState(targets, predictions, self.problem.objective(targets, predictions))

    def has_converged(self, before: NumberState, after: NumberState) -> bool:
        """Did hardly a target move?"""
        low, high = self.problem.span.T
        # Half-lines that all begin in one place span nothing; kernel ridge can still move them.
        width = np.where(high > low, high - low, np.abs(high))
        moved = np.abs(after.targets - before.targets).max(axis=0, initial=0.0)
        return bool((moved <= self.tol * width).all())


class AlternatingRegression(BaseEstimator):
    """Predictions for targets, targets for predictions, each step exact, as in the paper.

    Where the votes are signed and the problem is not convex this is what there is; its end is then
    a local optimum. Convex problems have better: `NewtonRegression` and `LinearProgramRegression`
    reach the global optimum, which for the absolute and the pinball loss alternation seldom does,
    and under the squared loss at a small ridge only after very many steps.

    Stopping early regularises: targets that have moved a few steps from the middles of their
    intervals are a compromise between averaging the candidates and disambiguation. Ask for it by
    `steps`; the number of steps is then a parameter of the model, to be chosen as any other.

    Parameters
    ----------
    start : {"average", "infimum"}, default "average"
        The first predictions: of the mean of every set, or of the infimum loss.
    steps : int, optional
        Stop after so many steps, on purpose. By default: run until convergence.
    max_iter : int, default 10000
        Give up, with a warning, after so many steps; of no use together with `steps`.
    tol : float, default 1e-9
        Converged when no target moves by more than this part of the span of all ends.

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
        """Alternate; `callback` hears of every step and stops the run by True."""
        self._check()
        return self.descend(problem, problem.first_targets(self.start), callback=callback)

    def descend(
        self, problem: NumberProblem, targets: FloatArray, *, callback: Callback | None = None
    ) -> NumberSolution:
        """The same from given targets inside their sets; never ends above them."""
        on_purpose = self.steps is not None
        descent = NumberDescent(problem, -1.0 if on_purpose else float(self.tol))
        run = iterate(
            descent,
            descent.begin(targets),
            max_iter=int(self.max_iter if self.steps is None else self.steps),
            stage=self.start,
            callback=callback,
        )
        if run.status is Status.MAX_ITER and not on_purpose:
            warnings.warn(
                f"AlternatingRegression: not converged after max_iter={self.max_iter} steps; the "
                f"result is usable, but stands where it happened to be. {_instead(problem)}",
                ConvergenceWarning,
                stacklevel=2,
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


def _instead(problem: NumberProblem) -> str:
    """What to do about a run that did not end: whoever came here through "auto" has no optimum."""
    go_on = "a larger max_iter, or with steps=... to stop early on purpose."
    if not problem.is_convex:
        return (
            "Votes of both signs make this problem not convex: use weights without negative votes, "
            "or kernel ridge with formulation='risk'; or pass AlternatingRegression with " + go_on
        )
    if isinstance(problem.sets, Intervals):
        return "Use solver='auto' for the optimum, or AlternatingRegression with " + go_on
    return "Use UnionRegression, which starts several times, or AlternatingRegression with " + go_on
