"""HOW IT IS SETTLED: solvers, the one loop, and the baselines."""

from disambig.solvers.alternating import AlternatingMinimization
from disambig.solvers.annealing import AnnealedMinimization
from disambig.solvers.baselines import average_candidates, infimum_loss
from disambig.solvers.choice import resolve_solver
from disambig.solvers.folds import FoldRelaxation, relax_folds
from disambig.solvers.frank_wolfe import FrankWolfeMinimization
from disambig.solvers.infimum import InfimumPrediction, infimum_prediction
from disambig.solvers.loop import Callback, Progress, Status
from disambig.solvers.quadratic_bound import QuadraticBound, quadratic_objective
from disambig.solvers.reals import (
    AcceleratedRegression,
    AlternatingRegression,
    AutomaticRegression,
    JointRegression,
    LinearProgramRegression,
    NewtonRegression,
    RealSolution,
    RealSolver,
    UnionRegression,
    regress_together,
    resolve_real_solver,
    voted_forms,
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
    "FrankWolfeMinimization",
    "InfimumPrediction",
    "JointRegression",
    "LinearProgramRegression",
    "NewtonRegression",
    "Progress",
    "QuadraticBound",
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
    "quadratic_objective",
    "regress_together",
    "relax_folds",
    "relax_together",
    "resolve_real_solver",
    "resolve_solver",
    "voted_forms",
]
