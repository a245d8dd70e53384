"""From laws to labels."""

from typing import Any

import numpy as np

from disambig.losses.protocol import Faces
from disambig.problem import Problem
from disambig.solvers.frank_wolfe.hulls import Hulls
from disambig.solvers.frank_wolfe.losses import QuadraticLoss, gram_product
from disambig.solvers.quadratic_objective import quadratic_objective


def rounded(
    problem: Problem,
    loss: QuadraticLoss,
    hulls: Hulls,
    point: Any,
    n_samples: int,
    rng: np.random.Generator,
) -> tuple[Faces, Faces]:
    """The nearest vertices with their ties, and the best single ones that were found.

    Nearest in the norm in which the loss is a difference of squares:
    ``<x - e, (plus + minus) (x - e)>``, which is linear in the vertex e. The best are the nearest,
    or the one of `n_samples` drawn labellings whose quadratic objective is lower.
    """
    gram, norms = loss.plus + loss.minus, loss.plus_norms + loss.minus_norms
    nearest = hulls.nearest(norms - 2.0 * gram_product(point.places, gram))
    best: Faces = nearest.first()
    if n_samples:
        lowest = quadratic_objective(problem, best)
        for _ in range(n_samples):
            drawn = hulls.draw(point, rng)
            value = quadratic_objective(problem, drawn)
            if value < lowest - problem.objective_tolerance:
                best, lowest = drawn, value
    return nearest, best
