"""Cases of a sparse matrix, against sorting."""

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from disambig.compiled.sets import unique_cases


@given(st.integers(0, 10_000), st.integers(1, 8), st.integers(1, 5), st.floats(0.0, 1.0))
def test_each_combination_has_one_number(seed, q, n, density):
    rng = np.random.default_rng(seed)
    matrix = sp.csr_array(rng.random((q, n)) < density)
    positive = rng.random(matrix.nnz) < 0.5
    groups = np.sort(rng.integers(0, 3, q))
    case, cases = unique_cases(
        groups,
        matrix.indptr.astype(np.int64),
        matrix.indices.astype(np.int64),
        positive,
        n,
    )
    rows = np.repeat(np.arange(q), np.diff(matrix.indptr))
    expected = np.column_stack([groups[rows], matrix.indices, positive])
    np.testing.assert_array_equal(cases[case], expected)
    assert len(cases) == len(np.unique(expected, axis=0))
    assert (np.diff(cases[:, 0]) >= 0).all()
