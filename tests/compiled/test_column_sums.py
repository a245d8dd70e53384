"""Sums of columns are products."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from disambig.compiled.products import add_columns


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 40),
    p=st.integers(1, 5),
    share=st.sampled_from([0.0, 0.05, 0.4, 1.0]),
)
def test_sums_are_products(seed, n, p, share):
    rng = np.random.default_rng(seed)
    # Small integers, so that every order of summation gives the same.
    array = rng.integers(-5, 6, (n, 13)).astype(float)
    rows = rng.integers(0, n, rng.integers(0, 2 * n))
    values = rng.integers(-3, 4, (rows.size, p)) * (rng.random((rows.size, p)) < share) * 1.0
    product = rng.integers(-3, 4, (p, 13)).astype(float)
    expected = product + values.T @ array[rows]
    add_columns(array, rows, values, product)
    assert_array_equal(product, expected)


@pytest.mark.needs_jit
def test_many_rows():
    rng = np.random.default_rng(0)
    array = rng.integers(-5, 6, (500, 500)).astype(float)
    values = np.eye(7)[rng.integers(0, 7, 500)]
    product = np.zeros((7, 500))
    add_columns(array, np.arange(500), values, product)
    assert_array_equal(product, values.T @ array)
