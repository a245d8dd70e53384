"""The contract `NumberSolver` of solvers for real targets, and what they return."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from disambig.notation import FloatArray
from disambig.number_problem import NumberProblem
from disambig.solvers.loop import Callback, Progress, Status

# A scaled residual of the optimality conditions up to this value certifies an optimum.
CERTIFIED = 1e-8


@dataclass(frozen=True, eq=False)
class NumberSolution:
    """The solution of a problem with real targets.

    Attributes
    ----------
    targets, predictions : float array (n, d)
        The recovered targets and the best predictions for them.
    objective : float
    residual : float or None
        How far the optimality conditions are from being met, without a unit: `scaled_kkt` for the
        squared loss, the relative duality gap of a linear program. None if the solver does not
        compute one.
    is_convex : bool
        Is every local optimum of the problem a global one?
    start : str
        The name of the start of the run.
    status : Status
    n_iter : int
    trace : tuple of Progress
    """

    targets: FloatArray
    predictions: FloatArray
    objective: float
    residual: float | None
    is_convex: bool
    start: str
    status: Status
    n_iter: int
    trace: tuple[Progress, ...]

    @property
    def certified(self) -> bool:
        """Is this a global optimum, proven to a scaled residual of 1e-8?"""
        return self.is_convex and self.residual is not None and self.residual <= CERTIFIED

    @property
    def converged(self) -> bool:
        """Did the run converge?"""
        return self.status is Status.CONVERGED


@runtime_checkable
class NumberSolver(Protocol):
    """A scikit-learn ``BaseEstimator`` that solves a `NumberProblem`."""

    def solve_numbers(
        self, problem: NumberProblem, *, callback: Callback | None = None
    ) -> NumberSolution:
        """Disambiguate."""
        ...
