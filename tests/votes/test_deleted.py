"""Votes without some rows against their formula."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.votes import Votes
from disambig.votes.deleted import DeletedVotes
from disambig.votes.dense import SymmetricArray


def deleted(seed=0, n=9, e=3, *, even=False):
    """Votes and the array that they represent."""
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(n, n + 2))
    whole = factor @ factor.T
    order = rng.permutation(n)
    left_out, kept = order[:e], np.sort(order[e:])
    beside = whole[np.ix_(kept, left_out)]
    answers = -np.linalg.solve(whole[np.ix_(left_out, left_out)], beside.T).T
    own, right = rng.random(n - e), np.full(n - e, 0.7)
    left = right if even else rng.random(n - e) + 0.1
    votes = DeletedVotes(
        SymmetricArray(whole), kept, left_out, beside, answers.copy(), own, left, right
    )
    inner = whole[np.ix_(kept, kept)] + beside @ answers.T
    return votes, np.diag(own) - left[:, None] * inner * right, whole


cases = given(
    seed=st.integers(0, 10_000), e=st.integers(0, 8), even=st.booleans(), p=st.integers(1, 4)
)


@cases
def test_products_and_sums(seed, e, even, p):
    votes, array, whole = deleted(seed, e=e, even=even)
    assert isinstance(votes, Votes)
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(9 - e, p))
    assert_allclose(votes @ values, array @ values, atol=1e-9)
    assert_allclose(votes @ values[:, 0], array @ values[:, 0], atol=1e-9)
    assert_allclose(votes.T @ values, array.T @ values, atol=1e-9)
    assert (votes.T is votes) == even
    columns = np.flatnonzero(rng.random(9 - e) < 0.5)
    part = votes.combine_columns(columns, values[columns])
    assert_allclose(part, array[:, columns] @ values[columns], atol=1e-9)
    every = rng.normal(size=(9, p))
    known = votes.known_product(every, whole @ every)
    assert_allclose(known, array @ every[votes.kept], atol=1e-8)
    assert_allclose(votes.row_sums(), array.sum(axis=1), atol=1e-9)
    assert_allclose(votes.diagonal(), array.diagonal(), atol=1e-9)


@cases
def test_absolute_sums_are_bounds(seed, e, even, p):
    votes, array, _ = deleted(seed, e=e, even=even)
    scales = np.random.default_rng(seed).random((9 - e, p))
    assert (votes.absolute_row_sums() >= np.abs(array).sum(axis=1) - 1e-9).all()
    assert (votes.absolute_row_sums(scales) >= np.abs(array) @ scales - 1e-9).all()
    found = votes.absolute_row_sums(scales[:, 0])
    assert_allclose(found, votes.absolute_row_sums(scales)[:, 0])
    if not e:
        assert_allclose(found, np.abs(array) @ scales[:, 0], atol=1e-9)


@cases
def test_entries(seed, e, even, p):
    votes, array, _ = deleted(seed, e=e, even=even)
    formed = votes.rows(0, 9 - e)
    assert_allclose(formed, array, atol=1e-9)
    assert votes.formed.symmetric == even
    if even:
        assert_array_equal(formed, formed.T)
    positive, negative = votes.split()
    assert_array_equal(positive.array - negative.array, formed)
    assert_array_equal(votes.strongest(2), votes.formed.strongest(2))
    columns = np.array([0])
    rows, positions, entries = votes.column_entries(columns)
    rebuilt = np.zeros((9 - e, 1))
    rebuilt[rows, positions] = entries
    assert_allclose(rebuilt, array[:, columns], atol=1e-9)
    assert votes.links(columns) is None


@cases
def test_scaled_rows(seed, e, even, p):
    votes, array, _ = deleted(seed, e=e, even=even)
    factors = np.random.default_rng(seed).random(9 - e) + 0.5
    scaled = votes.scale_rows(factors)
    assert_allclose(scaled @ np.eye(9 - e), factors[:, None] * array, atol=1e-9)
    back = votes.scale_rows(votes.right / votes.left)
    assert back.T is back


@pytest.mark.needs_jit
def test_larger_ones():
    votes, array, _ = deleted(n=400, e=50, even=True)
    values = np.eye(3)[np.arange(350) % 3]
    assert_allclose(votes @ values, array @ values, rtol=1e-6, atol=1e-6)
    again = pickle.loads(pickle.dumps(votes))
    assert_allclose(again @ values, votes @ values)
