"""Names of solvers: from the parameter `solver` of an estimator to a solver object."""

from typing import Any

from sklearn.base import clone

from disambig.parameters import check_choice, choice_message
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
    known, other = _SOLVERS["outputs"], _SOLVERS["numbers"]
    if numbers:
        known, other = other, known
    names = ("auto", *known)
    more = f"or a solver object such as {next(iter(known.values())).__name__}()"
    if isinstance(solver, str):
        check_choice("", "solver", solver, names, more)
        named: Solver | None = None if solver == "auto" else known[solver]()
        return named
    if isinstance(solver, type) or not isinstance(solver, Solver):
        got = solver if isinstance(solver, type) else type(solver)
        raise TypeError(choice_message("", "solver", got, names, more))
    if type(solver) in other.values():
        kinds = "labels, bits and orders" if numbers else "numbers"
        raise TypeError(
            f"{choice_message('', 'solver', type(solver), names, more)} "
            f"{type(solver).__name__} is for {kinds}."
        )
    cloned: Solver = clone(solver)
    return cloned
