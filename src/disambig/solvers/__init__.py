"""HOW IT IS SETTLED: solvers, the one loop, and the baselines."""

from disambig.solvers.alternating import AlternatingMinimization
from disambig.solvers.baselines import average_candidates, infimum_loss
from disambig.solvers.choice import resolve_solver
from disambig.solvers.infimum import InfimumPrediction, infimum_prediction
from disambig.solvers.loop import Callback, Progress, Status
from disambig.solvers.solution import Solution, Solver

__all__ = [
    "AlternatingMinimization",
    "Callback",
    "InfimumPrediction",
    "Progress",
    "Solution",
    "Solver",
    "Status",
    "average_candidates",
    "infimum_loss",
    "infimum_prediction",
    "resolve_solver",
]
