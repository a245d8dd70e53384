"""A half step takes the vertices of least cost, with their ties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from reproduce.batch.kernels import label_step

ALL_ALLOWED = np.zeros((0, 0, 0), dtype=bool)
ZERO_ONE = np.zeros((0, 0))


def expected_face(costs, allowed, tolerance, older, *, grow):
    newer = allowed & (costs <= costs[allowed].min() + tolerance)
    if grow and not costs[older].mean() - costs[newer].mean() > tolerance:
        return newer | older
    return newer


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("zero_one", [False, True])
@pytest.mark.parametrize("grow", [False, True])
@given(seed=st.integers(0, 10_000))
def test_each_row_takes_the_expected_face(free, zero_one, grow, seed):
    rng = np.random.default_rng(seed)
    # Small integers tie; with a tolerance of one, consecutive integers tie too.
    scores = rng.integers(-2, 3, (2, 5, 3)).astype(float)
    table = ZERO_ONE if zero_one else rng.integers(0, 3, (4, 3)).astype(float)
    size = 3 if zero_one else 4
    allowed = rng.random((2, 5, size)) < 0.6
    allowed[..., rng.integers(size)] = True
    mask = rng.random((2, 5, size)) < 0.4
    mask[..., rng.integers(size)] = True
    if not free:
        mask = np.where((mask & allowed).any(axis=2, keepdims=True), mask & allowed, allowed)
    distribution = mask / mask.sum(axis=2, keepdims=True)
    tolerance = rng.integers(0, 2, (2, 5)).astype(float)
    older, untouched, total_cost = mask.copy(), distribution[0].copy(), np.zeros(2)
    given_sets = ALL_ALLOWED if free else allowed
    moved = label_step(
        np.array([1]), scores, table, given_sets, tolerance, grow, mask, distribution, total_cost
    )
    matrix = 1.0 - np.eye(3) if zero_one else table
    total = 0.0
    for i in range(5):
        costs = matrix @ scores[1, i]
        sets = np.ones(size, dtype=bool) if free else allowed[1, i]
        face = expected_face(costs, sets, tolerance[1, i], older[1, i], grow=grow)
        assert_array_equal(mask[1, i], face)
        assert_allclose(distribution[1, i], face / face.sum())
        total += costs[face].mean()
    assert_allclose(total_cost, [0.0, total], atol=1e-12)
    assert moved.tolist() == [0, (mask[1] != older[1]).any(axis=1).sum()]
    # Other blocks do not change.
    assert_array_equal(mask[0], older[0])
    assert_array_equal(distribution[0], untouched)
