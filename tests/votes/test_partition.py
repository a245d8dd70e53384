"""Votes by leaves, beyond the contract of all votes."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig import memory
from disambig.exceptions import MemoryBudgetError, VotesError
from disambig.votes import Votes
from disambig.votes import partition as module
from disambig.votes.partition import Membership, PartitionVotes
from disambig.votes.sparse import SparseVotes


def entries(votes):
    return votes @ np.eye(votes.shape[1])


def random_votes(seed, n, *, own_vote=True, q=None):
    """Small integers throughout; without own votes, some queries or samples are in no leaf."""
    rng = np.random.default_rng(seed)
    starts = np.array([0, 2, 5, 6])
    sizes = np.diff(starts)[:, None]
    leaves = rng.integers(0, sizes, (3, n)).astype(np.int32)
    rows = leaves if q is None else rng.integers(0, sizes, (3, q)).astype(np.int32)
    rows, columns = (
        np.where(rng.uniform(size=side.shape) < 0.2, np.int32(-1), side) for side in (rows, leaves)
    )
    query_leaves = Membership(rows, np.ones(rows.shape[1]), rng.integers(1, 4, rows.shape) * 1.0)
    sample_leaves = Membership(columns, rng.integers(1, 3, n) * 1.0, None)
    weights = rng.integers(1, 4, 6) * 1.0
    votes = PartitionVotes(query_leaves, sample_leaves, starts, weights, own_vote)
    same = (rows[:, :, None] == columns[:, None, :]) & (rows[:, :, None] >= 0)
    at = weights[np.maximum(rows, 0) + starts[:-1, None]] * query_leaves.factors
    array = (same * at[:, :, None]).sum(axis=0) * sample_leaves.scale
    return votes, array if own_vote else array * (1 - np.eye(n))


@given(seed=st.integers(0, 10_000), n=st.integers(1, 7))
def test_without_own_votes(seed, n):
    votes, array = random_votes(seed, n, own_vote=False)
    assert isinstance(votes, Votes)
    assert_array_equal(entries(votes), array)
    assert_array_equal(entries(votes.T), array.T)
    assert_array_equal(votes.diagonal(), np.zeros(n))
    assert_array_equal(votes.rows(0, n).toarray(), array)
    assert_array_equal(votes.T.rows(0, n).toarray(), array.T)
    assert_array_equal(votes.row_sums(), array.sum(axis=1))
    assert_array_equal(votes.absolute_row_sums(np.arange(n) * 1.0), array @ np.arange(n))
    chosen = np.arange(0, n, 2)
    assert_array_equal(votes.links(chosen).toarray(), array[np.ix_(chosen, chosen)])
    rows, positions, values = votes.column_entries(chosen)
    rebuilt = np.zeros((n, chosen.size))
    rebuilt[rows, positions] = values
    assert_array_equal(rebuilt, array[:, chosen])


@pytest.mark.parametrize("own_vote", [True, False])
def test_removed_own_votes_leave_no_rounding(own_vote):
    rng = np.random.default_rng(0)
    leaves = np.zeros((3, 5), dtype=np.int32)
    query_leaves = Membership(leaves, rng.uniform(size=5), rng.uniform(size=(3, 5)))
    sample_leaves = Membership(leaves, rng.uniform(size=5))
    votes = PartitionVotes(query_leaves, sample_leaves, np.arange(4), rng.uniform(size=3), own_vote)
    for side in (votes, votes.T):
        assert (entries(side).diagonal() == 0).all() != own_vote


def test_many_columns_go_in_blocks():
    votes, array = random_votes(3, 30, q=20)
    values = np.random.default_rng(0).normal(size=(30, 75))
    assert_allclose(votes @ values, array @ values, atol=1e-12)
    assert_allclose(votes @ np.asfortranarray(values), array @ values, atol=1e-12)
    assert (votes @ values[:, :0]).shape == (20, 0)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.bool_])
def test_values_of_any_kind_are_summed_in_double_precision(dtype):
    votes, array = random_votes(3, 30)
    values = np.random.default_rng(0).integers(0, 2, (30, 2)).astype(dtype)
    product = votes @ values
    assert product.dtype == np.float64
    assert_array_equal(product, array @ values)


def test_rows_are_in_canonical_form():
    votes, _ = random_votes(5, 40)
    block = votes.rows(3, 20)
    assert isinstance(block, sp.csr_array)
    assert block.indices.dtype == block.indptr.dtype == np.int32
    assert block.has_canonical_format


def test_no_vote_is_negative():
    votes, _ = random_votes(2, 6)
    positive, negative = votes.split()
    assert positive is votes
    assert isinstance(negative, SparseVotes)
    assert negative.matrix.nnz == 0


@pytest.mark.parametrize("shape", [(1, 2), (6,), (8, 2), (7, 2, 2), ()])
def test_values_of_another_length_are_refused(shape):
    votes, _ = random_votes(2, 7, q=6)
    with pytest.raises(ValueError, match=r"shape \(6, 7\): expected values of shape \(7,\)"):
        _ = votes @ np.ones(shape)


@pytest.mark.parametrize("factor", [-1.0, np.nan])
def test_negative_scales_are_refused(factor):
    votes, _ = random_votes(2, 3)
    with pytest.raises(VotesError, match=rf"factor of row 1 is {factor}; expected at least 0"):
        votes.scale_rows(np.array([1.0, factor, 1.0]))


def test_links_that_are_too_many_are_not_written_out(monkeypatch):
    votes, array = random_votes(4, 20, own_vote=False)
    rows = np.arange(20)
    same = votes.query_leaves.leaves[:, :, None] == votes.sample_leaves.leaves[:, None, :]
    pairs = int((same & (votes.query_leaves.leaves[:, :, None] >= 0)).sum())
    monkeypatch.setattr(module, "_MAX_LINKED_PAIRS", pairs)
    assert_array_equal(votes.links(rows).toarray(), array)
    monkeypatch.setattr(module, "_MAX_LINKED_PAIRS", pairs - 1)
    assert votes.links(rows) is None


def test_rows_that_do_not_fit_are_refused(monkeypatch):
    votes, _ = random_votes(4, 20)
    monkeypatch.setattr(memory, "free_bytes", lambda: 10)
    assert (votes @ np.ones(20)).shape == (20,)
    with pytest.raises(MemoryBudgetError, match="votes of 20 rows, written out, would take"):
        votes.rows(0, 20)
