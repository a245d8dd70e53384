"""Votes of many rows and few factors: bounds and blocks instead of an array."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from disambig.exceptions import MemoryBudgetError
from disambig.votes import blocks, product
from disambig.votes.dense import DenseVotes
from disambig.votes.product import ProductVotes

RNG = np.random.default_rng(0)


@pytest.fixture
def never_exact(monkeypatch):
    monkeypatch.setattr(product, "_MAX_EXACT_OPERATIONS", 0)


def orthogonal_factors(q, n, rank, shares):
    """Left factors, and right ones with ``right diag(1 / shares) right' = diag(energies)``."""
    basis, _ = np.linalg.qr(RNG.normal(size=(n, rank)))
    energies = RNG.uniform(0.5, 3.0, size=rank)
    right = (basis * np.sqrt(energies)).T * np.sqrt(shares)
    return RNG.normal(size=(q, rank)), right, energies


@pytest.mark.usefixtures("never_exact")
@pytest.mark.parametrize("own", [False, True])
def test_sums_are_bounded_by_lengths(own):
    shares = RNG.uniform(0.5, 2.0, size=30)
    left, right, energies = orthogonal_factors(30, 30, 4, shares)
    scales = RNG.uniform(size=4)
    taken = RNG.normal(size=30) if own else None
    votes = ProductVotes(left, right, scales, taken, energies, None, shares)
    array = np.abs(votes.rows(0, 30))
    weights = RNG.uniform(size=30)
    assert votes.is_thin
    for given, exact in ((None, array.sum(axis=1)), (weights, array @ weights)):
        bound = votes.absolute_row_sums(given)
        assert (bound >= exact).all()
        assert (bound <= 4 * exact + 2).all()
    factors = RNG.uniform(size=30)
    scaled = votes.scale_rows(factors).absolute_row_sums()
    assert_allclose(scaled, factors * votes.absolute_row_sums())
    # Lengths are not known for the transpose, so the factors bound the sums.
    assert not votes.T.is_thin
    assert (votes.T.absolute_row_sums() >= array.sum(axis=0)).all()


@pytest.mark.usefixtures("never_exact")
def test_lengths_of_rows_follow_their_scale():
    row_shares, column_shares = RNG.uniform(0.5, 2.0, size=(2, 20))
    left, right, energies = orthogonal_factors(20, 20, 3, column_shares)
    basis, _ = np.linalg.qr(RNG.normal(size=(20, 3)))
    left = (basis * np.sqrt(energies)) * np.sqrt(row_shares)[:, None]
    votes = ProductVotes(left, right, None, None, energies, row_shares, column_shares)
    factors = RNG.uniform(0.1, 3.0, size=20)
    for found in (votes.T, votes.scale_rows(factors).T):
        exact = np.abs(found.rows(0, 20)).sum(axis=1)
        assert found.is_thin
        assert (found.absolute_row_sums() >= exact).all()
        assert (found.absolute_row_sums() <= 5 * exact + 5 * exact.mean()).all()


def test_small_votes_have_exact_sums_whatever_is_known():
    votes = ProductVotes(np.array([[1.0, -1.0]]), np.array([[3.0, 1.0], [3.0, 2.0]]))
    assert votes.is_thin
    assert_array_equal(votes.absolute_row_sums(), [1.0])


def test_the_strongest_are_found_in_blocks(monkeypatch):
    votes = ProductVotes(RNG.normal(size=(50, 3)), RNG.normal(size=(3, 40)))
    expected = DenseVotes(votes.rows(0, 50)).strongest(5)
    largest = []
    usual = ProductVotes.rows

    def rows(votes, start, stop):
        largest.append(stop - start)
        return usual(votes, start, stop)

    monkeypatch.setattr(ProductVotes, "rows", rows)
    monkeypatch.setattr(blocks.row_blocks, "__defaults__", (400,))
    assert_array_equal(votes.strongest(5), expected)
    assert max(largest) == 10


def test_what_does_not_fit_is_refused(monkeypatch):
    votes = ProductVotes(np.ones((100, 1)), np.ones((1, 100)))
    monkeypatch.setattr("disambig.memory.free_bytes", lambda: 1000)
    with pytest.raises(MemoryBudgetError, match=r"sign of each vote needs the 100 x 100 votes"):
        votes.split()
    with pytest.raises(MemoryBudgetError, match=r"The votes of 9 rows at 100 inputs"):
        votes.column_entries(np.arange(9))
