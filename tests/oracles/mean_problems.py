"""Random intervals in bags whose means are known, and their optimum by another library."""

import numpy as np
from scipy.optimize import LinearConstraint, minimize

from disambig.candidates import Intervals, MeanBounds


def random_means(rng, n=12, n_bags=3):
    """`MeanBounds` around the means of random numbers of the intervals; some ends are infinite."""
    lower = rng.normal(size=n)
    upper = lower + rng.exponential(size=n) * (rng.random(n) < 0.9)
    truth = rng.uniform(lower, upper)
    lower[rng.random(n) < 0.25] = -np.inf
    upper[rng.random(n) < 0.25] = np.inf
    bags = np.concatenate([np.arange(n_bags), rng.integers(0, n_bags, n - n_bags)])
    middle = np.bincount(bags, truth) / np.bincount(bags)
    width = rng.exponential(0.1, n_bags) * (rng.random(n_bags) < 0.5)
    bounds = np.stack([middle - width, middle + width], axis=1)
    bounds[rng.random(n_bags) < 0.2, 0] = -np.inf
    return MeanBounds(Intervals(lower, upper), bounds, bags)


def slow_minimum(Q, means, center=0.0):
    """``argmin (y - c)' Q (y - c)`` over intervals and means by SLSQP, with its value."""
    table = (means.bags == np.arange(len(means.bounds))[:, None]) / means.sizes[:, None]
    found = minimize(
        lambda y: (y - center) @ Q @ (y - center),
        means.nearest(np.zeros(len(means)))[:, 0],
        jac=lambda y: 2 * Q @ (y - center),
        bounds=list(zip(means.lower[:, 0], means.upper[:, 0], strict=True)),
        constraints=[LinearConstraint(table[b], *means.bounds[b]) for b in range(len(table))],
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 1000},
    )
    assert found.success, found.message
    return found.x, found.fun
