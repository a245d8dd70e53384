import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from disambig.compiled.products import inverse_diagonal


@given(seed=st.integers(0, 10_000), n=st.integers(1, 12))
def test_it_is_the_diagonal_of_the_inverse(seed, n):
    rng = np.random.default_rng(seed)
    links = np.triu(rng.random((n, n)) < 0.3, k=1) * rng.random((n, n))
    links += links.T
    matrix = np.diag(links.sum(axis=1) + rng.uniform(0.1, 1.0, n)) - links
    # Elimination without pivoting keeps the fill-in: the places that the function reads.
    root = np.linalg.cholesky(matrix)
    lower = sp.csc_array(np.tril(root / root.diagonal(), k=-1))
    found = inverse_diagonal(lower.indptr, lower.indices, lower.data, root.diagonal() ** 2)
    assert_allclose(found, np.linalg.inv(matrix).diagonal(), rtol=1e-10)


def test_rows_in_any_order():
    lower = np.array([[0.0, 0.0, 0.0], [-0.5, 0.0, 0.0], [-0.25, -0.5, 0.0]])
    pivots = np.array([1.0, 2.0, 4.0])
    whole = lower + np.eye(3)
    found = inverse_diagonal(
        np.array([0, 2, 3, 3]), np.array([2, 1, 2]), np.array([-0.25, -0.5, -0.5]), pivots
    )
    assert_allclose(found, np.linalg.inv(whole @ np.diag(pivots) @ whole.T).diagonal())
