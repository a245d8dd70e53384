"""Convex programs over boxes: quadratics with a certificate, and a linear program."""

from disambig.solvers.boxes.accelerated import accelerated
from disambig.solvers.boxes.certificate import scaled_kkt
from disambig.solvers.boxes.dense import projected_newton
from disambig.solvers.boxes.linear import linear_program
from disambig.solvers.boxes.linear_solution import LinearSolution
from disambig.solvers.boxes.solution import BoxSolution
from disambig.solvers.boxes.stacked import StackedSolution, stacked_newton

__all__ = [
    "BoxSolution",
    "LinearSolution",
    "StackedSolution",
    "accelerated",
    "linear_program",
    "projected_newton",
    "scaled_kkt",
    "stacked_newton",
]
