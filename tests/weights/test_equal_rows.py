import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from disambig.weights.row_groups import EqualRows, _keys


@given(seed=st.integers(0, 10_000), n=st.integers(1, 30), d=st.integers(1, 4), wrap=st.booleans())
def test_groups_are_numbered_by_first_appearance(seed, n, d, wrap):
    rng = np.random.default_rng(seed)
    X, Q = (rng.choice([0.0, -0.0, 1.0, 2.0, -1.0, 1e-300], size=(m, d)) for m in (n, 9))
    seen = {}
    expected = [seen.setdefault(tuple(row), len(seen)) for row in X.tolist()]
    made = sp.csr_array if wrap else np.array
    rows = EqualRows.build(made(X))
    assert rows.group.tolist() == expected
    assert_array_equal(X[rows.first][rows.group], X)
    assert rows.first.tolist() == [expected.index(group) for group in range(len(seen))]
    assert rows.find(made(Q)).tolist() == [seen.get(tuple(row), -1) for row in Q.tolist()]


def test_dense_and_sparse_rows_have_one_hash():
    X = np.random.default_rng(0).choice([0.0, 0.5, 3.0], size=(50, 6))
    stored = sp.csr_array((X.ravel(), np.tile(np.arange(6), 50), np.arange(0, 301, 6)))
    assert_array_equal(_keys(X), _keys(sp.csr_array(X)))
    assert_array_equal(_keys(X), _keys(stored))


@pytest.mark.parametrize("d", [1, 3])
def test_numbers_with_few_bits_do_not_collide(d):
    # All multiples of powers of two, whose patterns end in zeros: 4096 rows, 32 bits at least.
    values = np.arange(4096.0) * 2.0**20
    X = np.zeros((4096, d))
    X[:, -1] = values
    keys = _keys(X)
    assert np.unique(keys[:, 0] >> np.uint64(16)).size == 4096
    assert np.unique(keys[:, 1] >> np.uint64(16)).size == 4096
    # A value in one column differs from the same value in another.
    swapped = _keys(np.ascontiguousarray(X[:, ::-1]))
    assert (d == 1) == np.array_equal(keys, swapped)


def test_blocks(monkeypatch):
    X = np.random.default_rng(0).normal(size=(37, 3))
    whole = _keys(X)
    monkeypatch.setattr("disambig.weights.row_groups._VALUES_PER_BLOCK", 12)
    assert_array_equal(_keys(X), whole)
