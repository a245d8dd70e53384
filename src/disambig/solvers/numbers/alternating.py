"""Alternation between predictions and real targets, the method of the paper.

`optimality_residual` says how far its result is from the optimality conditions.
"""

from sklearn.base import BaseEstimator

from disambig.candidates import Intervals
from disambig.exceptions import ConvergenceWarning, warn
from disambig.notation import FloatArray
from disambig.number_problem import NumberProblem, NumberSteps, first_targets
from disambig.parameters import check_choice, check_integer, check_number
from disambig.solvers.alternating.descent import Descent
from disambig.solvers.boxes.quadratic import box_quadratic
from disambig.solvers.loop import Callback, Status, iterate
from disambig.solvers.numbers.columns import box_columns
from disambig.solvers.numbers.solution import check_numbers, earlier_targets, number_solution
from disambig.solvers.solution import CERTIFIED, Solution


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
    >>> steps = AlternatingRegression(steps=3)
    >>> early = IntervalRegressor("kernel_ridge", solver=steps).fit(X, y)
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

    def solve(
        self,
        problem: NumberProblem,
        *,
        start: Solution | None = None,
        callback: Callback | None = None,
    ) -> Solution:
        """Alternate; see `disambig.solvers.Solver`."""
        name = type(self).__name__
        check_numbers(problem, name)
        check_choice(name, "start", self.start, ("average", "infimum"))
        for parameter in ("steps", "max_iter"):
            if getattr(self, parameter) is not None:
                check_integer(name, parameter, getattr(self, parameter), least=1)
        check_number(name, "tol", self.tol, positive=False)
        if start is not None:
            targets = earlier_targets(problem, start, name)
            return self.descend(problem, problem.predictions(targets), "warm", callback)
        return self.descend(problem, problem.first_predictions(self.start), self.start, callback)

    def descend(
        self,
        problem: NumberProblem,
        predictions: FloatArray,
        stage: str,
        callback: Callback | None = None,
    ) -> Solution:
        """The same from given predictions ``(n, d)``; `stage` is the name of the run.

        Parameters
        ----------
        problem : VotedProblem or RiskProblem
        predictions : float array (n, d)
        stage : str
        callback : callable, optional
            See `solve`.
        """
        steps, stops_early = NumberSteps(problem), self.steps is not None
        descent = Descent(steps, tol=-1.0 if stops_early else float(self.tol))
        first = descent.begin(steps.points(predictions))
        run = iterate(
            descent,
            first,
            max_iter=int(self.max_iter if self.steps is None else self.steps),
            stage=stage,
            callback=callback,
        )
        if run.status is Status.MAX_ITER and not stops_early:
            warn(
                f"AlternatingRegression: not converged after max_iter={self.max_iter} steps; the "
                f"result is usable, but not a local optimum. {_advice(problem)}",
                ConvergenceWarning,
            )
        targets = run.state.targets.values
        return number_solution(
            problem,
            targets,
            start=stage,
            status=run.status,
            n_iter=run.n_iter,
            trace=run.trace,
            residual=optimality_residual(problem, targets, first_targets(problem, "average")),
            predictions=run.state.predictions.values,
        )


def _advice(problem: NumberProblem) -> str:
    """What to do if a run does not converge."""
    options = "a larger max_iter, or with steps=... to stop early on purpose."
    if not problem.is_convex:
        return (
            "Negative votes make this problem not convex: use weights without negative votes, "
            "or kernel ridge with formulation='risk'; or pass AlternatingRegression with " + options
        )
    if not isinstance(problem.sets, Intervals):
        return (
            "Use UnionRegression, which starts several times, or AlternatingRegression with "
            + options
        )
    if problem.loss.is_quadratic:
        return "Use solver='auto' for the optimum, or AlternatingRegression with " + options
    if problem.loss.slopes is not None:
        # For many votes solver="auto" is this solver.
        return (
            "Use solver='linear_program' for the optimum, or AlternatingRegression with " + options
        )
    return "Use AlternatingRegression with " + options
