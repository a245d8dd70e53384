"""Iterated products, clipped to a box, equal those written with numpy."""

from itertools import pairwise

import numpy as np
import pytest

from reproduce.interval.methods import iterate_to_tolerance, iterate_with_checkpoints


def problem(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(5, 5))
    matrix = root @ root.T
    lower = rng.normal(size=5)
    return np.ascontiguousarray(matrix / np.linalg.norm(matrix, 2)), lower, lower + rng.random(5)


@pytest.mark.parametrize("seed", range(3))
def test_steps_are_clipped_products(seed: int) -> None:
    matrix, lower, upper = problem(seed)
    states = [(lower + upper) / 2]
    for _ in range(6):
        states.append(np.clip(matrix @ states[-1], lower, upper))
    found = iterate_with_checkpoints(matrix, lower, upper, np.array([1, 2, 6]))
    np.testing.assert_allclose(found, [states[1], states[2], states[6]], rtol=1e-12)
    targets, steps = iterate_to_tolerance(matrix, lower, upper, 0.0, 4)
    moved = [np.abs(b - a).max() > 0 for a, b in pairwise(states)]
    assert steps == min(4, 1 + sum(moved))
    np.testing.assert_allclose(targets, states[steps], rtol=1e-12)


def test_iteration_stops_when_no_entry_moves_by_more_than_the_tolerance() -> None:
    matrix, lower, upper = problem(4)
    targets, steps = iterate_to_tolerance(matrix, lower, upper, 1e-9, 10_000)
    assert 1 <= steps < 10_000
    np.testing.assert_allclose(np.clip(matrix @ targets, lower, upper), targets, atol=1e-8)
