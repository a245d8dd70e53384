"""Solvers for real targets: convex programs with a certificate, alternation, unions."""

from disambig.solvers.numbers.alternating import AlternatingRegression
from disambig.solvers.numbers.automatic import AutomaticRegression, UnionRegression
from disambig.solvers.numbers.linear import LinearProgramRegression
from disambig.solvers.numbers.quadratic import AcceleratedRegression, NewtonRegression
from disambig.solvers.numbers.solution import NumberSolution, NumberSolver

__all__ = [
    "AcceleratedRegression",
    "AlternatingRegression",
    "AutomaticRegression",
    "LinearProgramRegression",
    "NewtonRegression",
    "NumberSolution",
    "NumberSolver",
    "UnionRegression",
]
