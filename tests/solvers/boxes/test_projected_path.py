"""The best point of a projected path: no point near it on the path is better."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from disambig.solvers.boxes.newton import best_on_projected_path
from tests.oracles.box_programs import random_bounds, random_form


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 60))
def test_the_point_is_a_local_minimum_of_the_path(seed, n):
    rng = np.random.default_rng(seed)
    Q = random_form("full", rng, n)
    lower, upper = random_bounds(rng, n)
    y = np.clip(rng.normal(size=n), lower, upper)
    gradient = Q @ y
    active = ((y <= lower) & (gradient >= 0)) | ((y >= upper) & (gradient <= 0))
    direction = np.where(active, 0.0, -gradient * rng.uniform(0.1, 3.0, size=n))
    found = best_on_projected_path(Q, y, gradient, direction, lower, upper)

    def value(t):
        point = np.clip(y + t * direction, lower, upper)
        return point @ Q @ point

    best = found @ Q @ found
    assert best <= value(0.0) * (1 + 1e-12)
    free = (direction != 0) & (found > lower) & (found < upper)
    if free.any():
        j = np.argmax(np.abs(np.where(free, direction, 0.0)))
        t = (found[j] - y[j]) / direction[j]
        np.testing.assert_allclose(found, np.clip(y + t * direction, lower, upper), atol=1e-9)
        for nearby in (t * (1 - 1e-4), t * (1 + 1e-4)):
            assert value(nearby) >= best * (1 - 1e-12)


def test_without_bounds_the_path_is_a_line():
    Q, y, direction = np.eye(2), np.array([4.0, 0.0]), np.array([-1.0, 0.0])
    infinite = np.full(2, np.inf)
    np.testing.assert_allclose(
        best_on_projected_path(Q, y, y, direction, -infinite, infinite), [0.0, 0.0]
    )
    # The full step is at time one; the minimum can be before it.
    long = 16 * direction
    np.testing.assert_allclose(
        best_on_projected_path(Q, y, y, long, -infinite, infinite), [0.0, 0.0]
    )
