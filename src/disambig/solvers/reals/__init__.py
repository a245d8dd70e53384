"""Solvers for real targets: convex programs with a certificate, alternation, unions."""

from disambig.solvers.reals.accelerated import AcceleratedRegression
from disambig.solvers.reals.alternating import AlternatingRegression
from disambig.solvers.reals.automatic import AutomaticRegression
from disambig.solvers.reals.choice import resolve_real_solver
from disambig.solvers.reals.linear import LinearProgramRegression
from disambig.solvers.reals.newton import NewtonRegression
from disambig.solvers.reals.solution import RealSolution, RealSolver
from disambig.solvers.reals.unions import UnionRegression

__all__ = [
    "AcceleratedRegression",
    "AlternatingRegression",
    "AutomaticRegression",
    "LinearProgramRegression",
    "NewtonRegression",
    "RealSolution",
    "RealSolver",
    "UnionRegression",
    "resolve_real_solver",
]
