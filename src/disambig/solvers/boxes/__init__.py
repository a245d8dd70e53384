"""Convex programs over boxes: quadratics, and a linear program, each with a certificate."""

from disambig.solvers.boxes.dense import projected_newton
from disambig.solvers.boxes.gradient import accelerated
from disambig.solvers.boxes.linear import LinearSolution, linear_program
from disambig.solvers.boxes.projected import projected_gradient
from disambig.solvers.boxes.quadratic import BoxSolution, scaled_kkt

__all__ = [
    "BoxSolution",
    "LinearSolution",
    "accelerated",
    "linear_program",
    "projected_gradient",
    "projected_newton",
    "scaled_kkt",
]
