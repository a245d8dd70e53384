"""Votes of several problems give the results of each."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import block_diag

from disambig.exceptions import MissingOracleError
from disambig.votes.dense import DenseVotes
from disambig.votes.repeated import RepeatedVotes
from disambig.votes.sparse import SparseVotes


def votes_and_array(seed, times, q=4, n=4):
    rng = np.random.default_rng(seed)
    array = rng.integers(-3, 4, (q, n)) * rng.integers(0, 2, (q, n)) * 1.0
    one = SparseVotes(sp.csr_array(array)) if seed % 2 else DenseVotes(array)
    return RepeatedVotes(one, times), block_diag(*[array] * times)


@given(seed=st.integers(0, 10_000), times=st.integers(1, 4), q=st.integers(1, 5))
def test_products_and_sums(seed, times, q):
    votes, array = votes_and_array(seed, times, q)
    assert votes.shape == array.shape
    for of, expected in ((votes, array), (votes.T, array.T)):
        values = np.random.default_rng(seed + 1).normal(size=(expected.shape[1], 3))
        assert_allclose(of @ values, expected @ values, atol=1e-12)
        assert_allclose(of @ values[:, 0], expected @ values[:, 0], atol=1e-12)
        assert_array_equal(of.row_sums(), expected.sum(axis=1))
        assert_array_equal(of.absolute_row_sums(), np.abs(expected).sum(axis=1))
        scales = np.abs(values[:, 0])
        assert_allclose(of.absolute_row_sums(scales), np.abs(expected) @ scales, atol=1e-12)


@given(seed=st.integers(0, 10_000), times=st.integers(1, 4))
def test_diagonal_split_and_scaling(seed, times):
    votes, array = votes_and_array(seed, times)
    assert_array_equal(votes.diagonal(), array.diagonal())
    eye = np.eye(len(array))
    positive, negative = votes.split()
    assert_array_equal(positive @ eye, np.maximum(array, 0))
    assert_array_equal(negative @ eye, np.maximum(-array, 0))
    factors = np.tile(np.arange(1.0, 5.0), times)
    assert_array_equal(votes.scale_rows(factors) @ eye, array * factors[:, None])


def test_symmetric_votes_are_their_own_transpose():
    votes = RepeatedVotes(DenseVotes(np.eye(3), symmetric=True), 2)
    assert votes.T is votes


@pytest.mark.parametrize(
    "ask",
    [
        lambda votes: votes.rows(0, 1),
        lambda votes: votes.column_entries(np.array([0])),
        lambda votes: votes.links(np.array([0])),
        lambda votes: votes.strongest(1),
        lambda votes: votes.scale_rows(np.arange(8.0)),
    ],
    ids=["rows", "column_entries", "links", "strongest", "scale_rows"],
)
def test_methods_of_single_entries_are_refused(ask):
    votes, _ = votes_and_array(0, 2)
    with pytest.raises(MissingOracleError, match="of one of them"):
        ask(votes)


def test_the_diagonal_of_rectangular_votes_is_refused():
    votes, _ = votes_and_array(0, 2, q=3)
    with pytest.raises(MissingOracleError, match="diagonal"):
        votes.diagonal()
