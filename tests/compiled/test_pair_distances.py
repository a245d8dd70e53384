import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.compiled.nearest import dense_pair_distances, sparse_pair_distances


def all_pairs(q, n):
    indptr = np.arange(0, q * n + 1, n, dtype=np.int64)
    return indptr, np.tile(np.arange(n, dtype=np.int64), q)


def parts(matrix):
    matrix = sp.csr_array(matrix)
    matrix.sort_indices()
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data


def distances(left, right, indptr, indices, *, sparse):
    if sparse:
        return sparse_pair_distances(*parts(left), *parts(right), indptr, indices)
    return dense_pair_distances(left, right, indptr, indices)


@given(seed=st.integers(0, 10_000), width=st.integers(1, 9), sparse=st.booleans())
def test_sum_of_squared_differences(seed, width, sparse):
    rng = np.random.default_rng(seed)
    left = rng.normal(size=(4, width)) * rng.integers(0, 2, (4, width))
    right = rng.normal(size=(5, width)) * rng.integers(0, 2, (5, width))
    found = distances(left, right, *all_pairs(4, 5), sparse=sparse).reshape(4, 5)
    expected = ((left[:, None] - right[None]) ** 2).sum(axis=-1)
    assert_allclose(found, expected, rtol=1e-13)
    turned = distances(right, left, *all_pairs(5, 4), sparse=sparse).reshape(5, 4)
    assert_array_equal(found, turned.T)


@given(seed=st.integers(0, 10_000), sparse=st.booleans())
def test_only_listed_pairs(seed, sparse):
    rng = np.random.default_rng(seed)
    left, right = rng.normal(size=(3, 6)), rng.normal(size=(4, 6))
    indptr, indices = np.array([0, 2, 2, 5]), np.array([3, 0, 1, 1, 2])
    everything = distances(left, right, *all_pairs(3, 4), sparse=sparse).reshape(3, 4)
    found = distances(left, right, indptr, indices, sparse=sparse)
    assert_array_equal(found, everything[[0, 0, 2, 2, 2], indices])


def test_equal_rows_are_at_distance_zero_far_from_the_origin():
    rows = 1e8 + np.random.default_rng(0).normal(size=(3, 20))
    for sparse in (False, True):
        found = distances(rows, rows.copy(), *all_pairs(3, 3), sparse=sparse).reshape(3, 3)
        assert_array_equal(found.diagonal(), np.zeros(3))
