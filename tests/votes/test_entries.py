"""Entries that arithmetic cannot use."""

import numpy as np
import pytest
import scipy.sparse as sp

from disambig.exceptions import VotesError
from disambig.votes import as_votes
from disambig.votes.entries import BadEntry, first_bad_entry, largest_entry, widened

FORMS = [np.array, sp.csr_array]


@pytest.mark.parametrize("wrap", FORMS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_largest_entry(wrap, dtype):
    assert largest_entry(wrap(np.array([[1, -3], [0, 2]], dtype=dtype))) == 3.0
    assert largest_entry(wrap(np.zeros((2, 2), dtype=dtype))) == 0.0
    assert largest_entry(wrap(np.array([[-1, -3]], dtype=dtype))) == 3.0


@pytest.mark.parametrize("wrap", FORMS)
def test_entries_that_are_not_finite_come_before_large_ones(wrap):
    X = np.array([[1.0, 1e40], [-1e300, 2.0], [0.0, -np.inf]])
    assert first_bad_entry(wrap(X)) == BadEntry(2, 1, -np.inf, 1)
    X[2, 1] = np.nan
    found = first_bad_entry(wrap(X))
    assert (found.row, found.column, found.total) == (2, 1, 1)
    assert np.isnan(found.value)
    X[2, 1] = 0.0
    assert first_bad_entry(wrap(X)) == BadEntry(0, 1, 1e40, 2)
    assert first_bad_entry(wrap(X), limit=1e100) == BadEntry(1, 0, -1e300, 1)
    assert first_bad_entry(wrap(X[:0])) is None
    assert first_bad_entry(np.array([[True, False]])) is None


@pytest.mark.parametrize("wrap", FORMS)
@pytest.mark.parametrize(
    ("value", "dtype"), [(1.0, "float32"), (0.0, "float32"), (1e16, "float64"), (1e-16, "float64")]
)
def test_single_precision_is_kept_where_squares_can_be_computed(wrap, value, dtype):
    X = wrap(np.array([[value, 0.0]], dtype=np.float32))
    assert widened(X).dtype == dtype
    assert widened(X.astype(np.float64)).dtype == np.float64


@pytest.mark.parametrize("wrap", FORMS)
def test_votes_whose_squares_overflow(wrap):
    alpha = np.eye(3)
    alpha[1, 2] = -1e160
    with pytest.raises(VotesError, match=r"hold -1e\+160 in row 1, column 2; .* 1e\+140.*Scale"):
        as_votes(wrap(alpha))
