"""Names of solvers: from the parameter `solver` of an estimator to a solver object.

`resolve_solver` serves labels, bits and orders; `resolve_number_solver` serves numbers.
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
    """A solver of labels, bits or orders from its name or from a solver object, which is cloned.

    Examples
    --------
    >>> resolve_solver("alternating")
    AlternatingMinimization()
    """
    if isinstance(solver, str):
        if solver not in _SOLVERS:
            raise ValueError(
                f"solver={solver!r} is not known; choose one of {sorted(_SOLVERS)} or a solver "
                "object of disambig.solvers."
            )
        solver = _SOLVERS[solver]
    if not isinstance(solver, Solver):
        raise TypeError(
            "solver must be a name or a solver object of disambig.solvers; "
            f"got {type(solver).__name__}."
        )
    cloned: Solver = clone(solver)
    return cloned


def resolve_number_solver(solver: Any) -> NumberSolver:
    """A solver of numbers from its name or from a solver object, which is cloned.

    Examples
    --------
    >>> resolve_number_solver("newton")
    NewtonRegression()
    """
    if isinstance(solver, str):
        if solver not in _NUMBER_SOLVERS:
            raise ValueError(
                f"solver={solver!r} is not known; choose one of {sorted(_NUMBER_SOLVERS)} or a "
                "solver object of disambig.solvers."
            )
        solver = _NUMBER_SOLVERS[solver]
    if isinstance(solver, type) or not isinstance(solver, NumberSolver):
        got = solver.__name__ if isinstance(solver, type) else type(solver).__name__
        raise TypeError(
            f"solver must be one of {sorted(_NUMBER_SOLVERS)} or an object with a method "
            f"solve_numbers, such as NewtonRegression(); got {got}."
        )
    cloned: NumberSolver = clone(solver)
    return cloned
