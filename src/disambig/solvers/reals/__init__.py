"""Solvers for real targets: convex programs with a certificate, alternation, unions."""

from disambig.solvers.reals.accelerated import AcceleratedRegression
from disambig.solvers.reals.alternating import AlternatingRegression
from disambig.solvers.reals.automatic import AutomaticRegression
from disambig.solvers.reals.choice import resolve_real_solver
from disambig.solvers.reals.linear import LinearProgramRegression
from disambig.solvers.reals.newton import NewtonRegression
from disambig.solvers.reals.solution import RealSolution, RealSolver
from disambig.solvers.reals.stacked_forms import voted_forms
from disambig.solvers.reals.together import JointRegression, regress_together
from disambig.solvers.reals.unions import UnionRegression

__all__ = [
    "AcceleratedRegression",
    "AlternatingRegression",
    "AutomaticRegression",
    "JointRegression",
    "LinearProgramRegression",
    "NewtonRegression",
    "RealSolution",
    "RealSolver",
    "UnionRegression",
    "regress_together",
    "resolve_real_solver",
    "voted_forms",
]
