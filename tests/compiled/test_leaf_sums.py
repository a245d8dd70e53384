"""Products and lists by leaves against loops over all pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.compiled.leaves import add_leaf_sums, count_shared, list_members, list_shared

STARTS = np.array([0, 3, 4, 6])
NONE = np.empty((0, 0))


def members(rng, size):
    leaves = rng.integers(-1, np.diff(STARTS)[:, None], (3, size))
    return leaves.astype(np.int32), rng.integers(1, 9, (3, size)).astype(np.uint16)


def by_pairs(rows, row_factors, columns, column_factors, weights, skip_own):
    array = np.zeros((rows.shape[1], columns.shape[1]))
    for t in range(3):
        for i, j in np.ndindex(array.shape):
            leaf = rows[t, i]
            if leaf >= 0 and leaf == columns[t, j] and not (skip_own and i == j):
                f = row_factors[t, i] if row_factors.size else 1.0
                g = column_factors[t, j] if column_factors.size else 1.0
                array[i, j] += f * weights[STARTS[t] + leaf] * g
    return array


@pytest.mark.parametrize("skip_own", [False, True])
@pytest.mark.parametrize("with_factors", [(False, False), (True, False), (False, True)])
@given(seed=st.integers(0, 10_000), n=st.integers(1, 6))
def test_against_all_pairs(skip_own, with_factors, seed, n):
    rng = np.random.default_rng(seed)
    q = n if skip_own else int(rng.integers(1, 6))
    columns, column_factors = members(rng, n)
    rows, row_factors = members(rng, q)
    if skip_own:
        rows = np.where(rng.uniform(size=rows.shape) < 0.3, np.int32(-1), columns)
    row_factors = row_factors * 0.5 if with_factors[0] else NONE
    column_factors = column_factors if with_factors[1] else NONE
    weights = rng.uniform(size=6)
    array = by_pairs(rows, row_factors, columns, column_factors, weights, skip_own)

    values, product = rng.normal(size=(n, 2)), np.ones((q, 2))
    add_leaf_sums(
        rows, row_factors, columns, column_factors, STARTS, weights, skip_own, values, product
    )
    assert_allclose(product, 1.0 + array @ values, atol=1e-12)

    bounds, listed = list_members(columns, STARTS)
    wanted = rng.permutation(q)[: max(1, q - 1)]
    ends = count_shared(wanted, rows, STARTS, bounds, listed, n, skip_own)
    assert_array_equal(np.diff(ends), np.count_nonzero(array[wanted], axis=1))
    found, sums = list_shared(
        wanted,
        rows,
        row_factors,
        column_factors,
        STARTS,
        weights,
        bounds,
        listed,
        n,
        skip_own,
        ends,
    )
    for r, i in enumerate(wanted):
        part = slice(ends[r], ends[r + 1])
        assert_array_equal(found[part], np.flatnonzero(array[i]))
        assert_allclose(sums[part], array[i][array[i] != 0], atol=1e-12)


def test_members_of_each_leaf_in_order():
    leaves = np.array([[1, 0, 1, -1], [0, 0, 0, 0]], dtype=np.int32)
    bounds, listed = list_members(leaves, np.array([0, 3, 4]))
    lists = [listed[bounds[k] : bounds[k + 1]].tolist() for k in range(4)]
    assert lists == [[1], [0, 2], [], [0, 1, 2, 3]]


@pytest.mark.parametrize("n", [20, 400])
def test_few_and_many_members_come_in_order(n):
    # Both ways of sorting: 20 members among 20 columns and among 400.
    leaves = np.full((2, n), -1, dtype=np.int32)
    leaves[0, n - 10 :] = 0
    leaves[1, n - 20 : n - 10] = 0
    starts = np.array([0, 1, 2])
    bounds, listed = list_members(leaves, starts)
    rows = np.zeros((2, 1), dtype=np.int32)
    wanted = np.array([0])
    ends = count_shared(wanted, rows, starts, bounds, listed, n, False)
    weights = np.array([1.0, 2.0])
    found, sums = list_shared(
        wanted, rows, NONE, NONE, starts, weights, bounds, listed, n, False, ends
    )
    assert_array_equal(found, np.arange(n - 20, n))
    assert_array_equal(sums, np.repeat([2.0, 1.0], 10))
