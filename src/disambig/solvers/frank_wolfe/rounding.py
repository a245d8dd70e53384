"""Rounding: from a point of the hulls to labels."""

from typing import Any

import numpy as np

from disambig.losses.protocol import Faces
from disambig.problem import Problem
from disambig.solvers.frank_wolfe.hulls import Hulls
from disambig.solvers.frank_wolfe.losses import QuadraticLoss
from disambig.solvers.quadratic_objective import quadratic_objective


def rounded(
    problem: Problem,
    loss: QuadraticLoss,
    hulls: Hulls,
    point: Any,
    n_samples: int,
    rng: np.random.Generator,
) -> tuple[Faces, Faces]:
    """The vertices nearest to the point, with their ties; and the best labels found.

    The distance is that of `QuadraticLoss.distance_costs`. The best labels are the nearest
    vertices, or those of `n_samples` random draws with a lower quadratic objective.
    """
    nearest = hulls.nearest(loss.distance_costs(point.coordinates))
    best: Faces = nearest.first()
    if n_samples:
        lowest = quadratic_objective(problem, best)
        for _ in range(n_samples):
            drawn = hulls.draw(point, rng)
            value = quadratic_objective(problem, drawn)
            if value < lowest - problem.objective_tolerance:
                best, lowest = drawn, value
    return nearest, best
