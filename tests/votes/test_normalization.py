import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from disambig.votes.entries import normalize_rows, remove_diagonal

ROWS = np.array(
    [
        [1.0, 3.0, 0.0],
        [1.0, -1.0, 0.0],  # cancels
        [-1.0, -2.0, 1.0],  # negative sum
        [0.0, 0.0, 0.0],  # no vote
        [2.0, -1.0, 0.0],
        [1.0, -1.0 + 1e-12, 0.0],  # the sum is a rounding error
        [5e-324, 5e-324, 0.0],
    ]
)
EXPECTED = ROWS.copy()
EXPECTED[0] /= 4
EXPECTED[6] = (0.5, 0.5, 0.0)


@pytest.mark.parametrize("wrap", [np.array, sp.csr_array])
def test_rows_sum_to_one_or_stay(wrap):
    found = normalize_rows(wrap(ROWS))
    found = found.toarray() if sp.issparse(found) else found
    assert_allclose(found, EXPECTED, rtol=1e-14)


def test_many_rows():
    alpha = np.random.default_rng(0).uniform(size=(2500, 1000))
    assert_allclose(normalize_rows(alpha).sum(axis=1), np.ones(2500))


@pytest.mark.parametrize("wrap", [np.array, sp.csr_array])
def test_no_diagonal(wrap):
    found = remove_diagonal(wrap(np.arange(9.0).reshape(3, 3)))
    if sp.issparse(found):
        assert found.nnz == 6
        found = found.toarray()
    assert_array_equal(found, [[0, 1, 2], [3, 0, 5], [6, 7, 0]])
