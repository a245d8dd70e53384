"""HOW IT IS SETTLED: solvers, the one loop, and the baselines."""

from disambig.solvers.alternating import AlternatingMinimization
from disambig.solvers.annealing import AnnealedMinimization
from disambig.solvers.baselines import average_candidates, infimum_loss
from disambig.solvers.choice import resolve_solver
from disambig.solvers.folds import FoldRelaxation, relax_folds
from disambig.solvers.infimum import InfimumPrediction, infimum_prediction
from disambig.solvers.loop import Callback, Progress, Status
from disambig.solvers.reals import (
    AcceleratedRegression,
    AlternatingRegression,
    AutomaticRegression,
    LinearProgramRegression,
    NewtonRegression,
    RealSolution,
    RealSolver,
    UnionRegression,
    resolve_real_solver,
)
from disambig.solvers.solution import Solution, Solver
from disambig.solvers.together import Relaxation, relax_together

__all__ = [
    "AcceleratedRegression",
    "AlternatingMinimization",
    "AlternatingRegression",
    "AnnealedMinimization",
    "AutomaticRegression",
    "Callback",
    "FoldRelaxation",
    "InfimumPrediction",
    "LinearProgramRegression",
    "NewtonRegression",
    "Progress",
    "RealSolution",
    "RealSolver",
    "Relaxation",
    "Solution",
    "Solver",
    "Status",
    "UnionRegression",
    "average_candidates",
    "infimum_loss",
    "infimum_prediction",
    "relax_folds",
    "relax_together",
    "resolve_real_solver",
    "resolve_solver",
]
