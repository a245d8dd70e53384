"""From what a user writes to a solver for real targets."""

from typing import Any

from sklearn.base import clone

from disambig.solvers.reals.accelerated import AcceleratedRegression
from disambig.solvers.reals.alternating import AlternatingRegression
from disambig.solvers.reals.automatic import AutomaticRegression
from disambig.solvers.reals.linear import LinearProgramRegression
from disambig.solvers.reals.newton import NewtonRegression
from disambig.solvers.reals.solution import RealSolver
from disambig.solvers.reals.unions import UnionRegression

__all__ = ["resolve_real_solver"]

_NAMES = {
    "accelerated": AcceleratedRegression(),
    "alternating": AlternatingRegression(),
    "auto": AutomaticRegression(),
    "linear_program": LinearProgramRegression(),
    "newton": NewtonRegression(),
    "unions": UnionRegression(),
}


def resolve_real_solver(solver: Any) -> RealSolver:
    """A solver from its name or a piece (which is cloned).

    Examples
    --------
    >>> resolve_real_solver("newton")
    NewtonRegression()
    """
    if isinstance(solver, str):
        if solver not in _NAMES:
            raise ValueError(
                f"solver={solver!r} is not known; choose one of {sorted(_NAMES)} or a piece of "
                "disambig.solvers."
            )
        solver = _NAMES[solver]
    if isinstance(solver, type) or not isinstance(solver, RealSolver):
        got = solver.__name__ if isinstance(solver, type) else type(solver).__name__
        raise TypeError(
            f"solver must be one of {sorted(_NAMES)} or a piece with a method solve_reals, such as "
            f"NewtonRegression(); got {got}."
        )
    piece: RealSolver = clone(solver)
    return piece
