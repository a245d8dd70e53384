"""Solvers: methods that choose targets, the loop that they share, and the baselines."""

from disambig.solvers.alternating.alternating import AlternatingMinimization
from disambig.solvers.annealing.annealing import AnnealedMinimization
from disambig.solvers.baselines import (
    InfimumPrediction,
    average_candidates,
    infimum_loss,
    infimum_prediction,
)
from disambig.solvers.frank_wolfe import FrankWolfeMinimization
from disambig.solvers.loop import Callback, Progress, Status
from disambig.solvers.numbers import (
    AcceleratedRegression,
    AlternatingRegression,
    AutomaticRegression,
    LinearProgramRegression,
    NewtonRegression,
    NumberSolution,
    NumberSolver,
    UnionRegression,
)
from disambig.solvers.quadratic_objective import QuadraticBound, quadratic_objective
from disambig.solvers.registry import resolve_number_solver, resolve_solver
from disambig.solvers.solution import Solution, Solver

__all__ = [
    "AcceleratedRegression",
    "AlternatingMinimization",
    "AlternatingRegression",
    "AnnealedMinimization",
    "AutomaticRegression",
    "Callback",
    "FrankWolfeMinimization",
    "InfimumPrediction",
    "LinearProgramRegression",
    "NewtonRegression",
    "NumberSolution",
    "NumberSolver",
    "Progress",
    "QuadraticBound",
    "Solution",
    "Solver",
    "Status",
    "UnionRegression",
    "average_candidates",
    "infimum_loss",
    "infimum_prediction",
    "quadratic_objective",
    "resolve_number_solver",
    "resolve_solver",
]
