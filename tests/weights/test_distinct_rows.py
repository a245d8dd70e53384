import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from disambig.weights import row_groups as module
from disambig.weights.row_groups import distinct_rows


@given(seed=st.integers(0, 10_000), n=st.integers(1, 30), d=st.integers(1, 3))
def test_each_group_once(seed, n, d):
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 3, (n, d)).astype(np.float32)
    found = distinct_rows(X)
    assert_array_equal(np.unique(X[found], axis=0), np.unique(X, axis=0))
    assert found.size == len(np.unique(X, axis=0))
    assert_array_equal(distinct_rows(sp.csr_array(X)), found)
    # Neither copies nor the order of the rows matter.
    again = np.concatenate([X, X])[rng.permutation(2 * n)]
    assert_array_equal(again[distinct_rows(again)], X[found])


def test_blocks_and_no_collisions(monkeypatch):
    X = np.random.default_rng(0).integers(0, 60, (20_000, 3)).astype(np.float32)
    found = distinct_rows(X)
    assert found.size == len(np.unique(X, axis=0))
    monkeypatch.setattr(module, "_VALUES_PER_BLOCK", 1000)
    assert_array_equal(distinct_rows(X), found)
