"""Solvers: methods that choose targets, and what they return.

All have the same contract, `Solver`: ``solve(problem, *, start=None, callback=None)`` returns a
`Solution`. Minimisation is for labels, bits, orders and structures (`Problem`), regression for
numbers (`VotedProblem`, `RiskProblem`).
"""

from disambig.number_problem import RiskProblem, VotedProblem
from disambig.problem import Problem
from disambig.solvers.alternating.alternating import AlternatingMinimization
from disambig.solvers.annealing.annealing import AnnealedMinimization
from disambig.solvers.frank_wolfe import FrankWolfeMinimization
from disambig.solvers.loop import Progress, Status
from disambig.solvers.numbers.alternating import AlternatingRegression
from disambig.solvers.numbers.automatic import UnionRegression
from disambig.solvers.numbers.linear import LinearProgramRegression
from disambig.solvers.numbers.quadratic import AcceleratedRegression, NewtonRegression
from disambig.solvers.quadratic_objective import quadratic_objective
from disambig.solvers.solution import Certificate, Solution, Solver

__all__ = [
    "AcceleratedRegression",
    "AlternatingMinimization",
    "AlternatingRegression",
    "AnnealedMinimization",
    "Certificate",
    "FrankWolfeMinimization",
    "LinearProgramRegression",
    "NewtonRegression",
    "Problem",
    "Progress",
    "RiskProblem",
    "Solution",
    "Solver",
    "Status",
    "UnionRegression",
    "VotedProblem",
    "quadratic_objective",
]
