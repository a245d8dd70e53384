"""From what a user writes to a solver.

From what a user writes to a solver for real targets.
"""

from typing import Any

from sklearn.base import clone

from disambig.solvers.alternating.alternating import AlternatingMinimization
from disambig.solvers.annealing.annealing import AnnealedMinimization
from disambig.solvers.frank_wolfe import FrankWolfeMinimization
from disambig.solvers.numbers.alternating import AlternatingRegression
from disambig.solvers.numbers.automatic import AutomaticRegression, UnionRegression
from disambig.solvers.numbers.linear import LinearProgramRegression
from disambig.solvers.numbers.quadratic import AcceleratedRegression, NewtonRegression
from disambig.solvers.numbers.solution import NumberSolver
from disambig.solvers.solution import Solver

_SOLVERS = {
    "alternating": AlternatingMinimization(),
    "annealed": AnnealedMinimization(),
    "frank_wolfe": FrankWolfeMinimization(),
}
_NUMBER_SOLVERS = {
    "accelerated": AcceleratedRegression(),
    "alternating": AlternatingRegression(),
    "auto": AutomaticRegression(),
    "linear_program": LinearProgramRegression(),
    "newton": NewtonRegression(),
    "unions": UnionRegression(),
}


def resolve_solver(solver: Any) -> Solver:
    """A solver from its name or a piece (which is cloned).

    Examples
    --------
    >>> resolve_solver("alternating")
    AlternatingMinimization()
    """
    if isinstance(solver, str):
        if solver not in _SOLVERS:
            raise ValueError(
                f"solver={solver!r} is not known; choose one of {sorted(_SOLVERS)} or a piece of "
                "disambig.solvers."
            )
        solver = _SOLVERS[solver]
    if not isinstance(solver, Solver):
        raise TypeError(
            f"solver must be a name or a piece of disambig.solvers; got {type(solver).__name__}."
        )
    piece: Solver = clone(solver)
    return piece


def resolve_number_solver(solver: Any) -> NumberSolver:
    """A solver from its name or a piece (which is cloned).

    Examples
    --------
    >>> resolve_number_solver("newton")
    NewtonRegression()
    """
    if isinstance(solver, str):
        if solver not in _NUMBER_SOLVERS:
            raise ValueError(
                f"solver={solver!r} is not known; choose one of {sorted(_NUMBER_SOLVERS)} or a "
                "piece of disambig.solvers."
            )
        solver = _NUMBER_SOLVERS[solver]
    if isinstance(solver, type) or not isinstance(solver, NumberSolver):
        got = solver.__name__ if isinstance(solver, type) else type(solver).__name__
        raise TypeError(
            f"solver must be one of {sorted(_NUMBER_SOLVERS)} or a piece with a method "
            f"solve_numbers, such as NewtonRegression(); got {got}."
        )
    piece: NumberSolver = clone(solver)
    return piece
