"""Names of solvers: from the parameter `solver` of an estimator to a solver object."""

from typing import Any

from sklearn.base import clone

from disambig.solvers.alternating.alternating import AlternatingMinimization
from disambig.solvers.annealing.annealing import AnnealedMinimization
from disambig.solvers.frank_wolfe import FrankWolfeMinimization
from disambig.solvers.numbers.alternating import AlternatingRegression
from disambig.solvers.numbers.automatic import UnionRegression
from disambig.solvers.numbers.linear import LinearProgramRegression
from disambig.solvers.numbers.quadratic import AcceleratedRegression, NewtonRegression
from disambig.solvers.solution import Solver

_SOLVERS: dict[str, dict[str, type[Any]]] = {
    "outputs": {
        "alternating": AlternatingMinimization,
        "annealed": AnnealedMinimization,
        "frank_wolfe": FrankWolfeMinimization,
    },
    "numbers": {
        "accelerated": AcceleratedRegression,
        "alternating": AlternatingRegression,
        "linear_program": LinearProgramRegression,
        "newton": NewtonRegression,
        "unions": UnionRegression,
    },
}


def resolve_solver(solver: Any, *, numbers: bool = False) -> Solver | None:
    """A solver from its name or from a solver object, which is cloned; None for "auto".

    Parameters
    ----------
    solver : str or solver
    numbers : bool
        Whether targets are numbers; otherwise they are labels, bits, orders or structures.

    Examples
    --------
    >>> resolve_solver("alternating")
    AlternatingMinimization()
    >>> resolve_solver("newton", numbers=True)
    NewtonRegression()
    """
    known = _SOLVERS["numbers" if numbers else "outputs"]
    if isinstance(solver, str):
        if solver == "auto":
            return None
        if solver not in known:
            raise ValueError(
                f"solver={solver!r} is not known; choose one of {sorted(['auto', *known])} or a "
                "solver object of disambig.solvers."
            )
        named: Solver = known[solver]()
        return named
    if isinstance(solver, type) or not isinstance(solver, Solver):
        got = solver.__name__ if isinstance(solver, type) else type(solver).__name__
        raise TypeError(
            f"solver must be one of {sorted(['auto', *known])} or an object with a method solve, "
            f"such as {next(iter(known.values())).__name__}(); got {got}."
        )
    other = _SOLVERS["outputs" if numbers else "numbers"]
    if type(solver) in other.values():
        kinds = "numbers" if not numbers else "labels, bits and orders"
        raise TypeError(
            f"solver: {type(solver).__name__} is for {kinds}; choose one of "
            f"{sorted(['auto', *known])}."
        )
    cloned: Solver = clone(solver)
    return cloned
