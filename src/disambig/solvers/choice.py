"""From what a user writes to a solver."""

from typing import Any

from sklearn.base import clone

from disambig.solvers.alternating import AlternatingMinimization
from disambig.solvers.annealing import AnnealedMinimization
from disambig.solvers.frank_wolfe import FrankWolfeMinimization
from disambig.solvers.solution import Solver

__all__ = ["resolve_solver"]

_NAMES = {
    "alternating": AlternatingMinimization(),
    "annealed": AnnealedMinimization(),
    "frank_wolfe": FrankWolfeMinimization(),
}


def resolve_solver(solver: Any) -> Solver:
    """A solver from its name or a piece (which is cloned).

    Examples
    --------
    >>> resolve_solver("alternating")
    AlternatingMinimization()
    """
    if isinstance(solver, str):
        if solver not in _NAMES:
            raise ValueError(
                f"solver={solver!r} is not known; choose one of {sorted(_NAMES)} or a piece of "
                "disambig.solvers."
            )
        solver = _NAMES[solver]
    if not isinstance(solver, Solver):
        raise TypeError(
            f"solver must be a name or a piece of disambig.solvers; got {type(solver).__name__}."
        )
    piece: Solver = clone(solver)
    return piece
