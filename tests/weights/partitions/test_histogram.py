"""Cells of grids against a dictionary of bins."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.exceptions import MemoryBudgetError, VotesError
from disambig.weights import HistogramWeights

RNG = np.random.default_rng(0)
X, Q = RNG.normal(size=(60, 2)), RNG.normal(size=(15, 2)) * 2


def entries(votes):
    return votes @ np.eye(votes.shape[1])


def by_bins(A, B, thresholds, sample_weight):
    """Cells as tuples: the number of thresholds below each entry."""

    def cell(row):
        return tuple(sum(x > cut for cut in cuts) for x, cuts in zip(row, thresholds, strict=True))

    columns = [cell(row) for row in B]
    alpha = np.array([[cell(row) == other for other in columns] for row in A]) * sample_weight
    sums = alpha.sum(axis=1, keepdims=True)
    return alpha / np.where(sums > 0, sums, 1.0)


@pytest.mark.parametrize("strategy", ["quantile", "uniform"])
@given(seed=st.integers(0, 10_000), bins=st.integers(1, 5), d=st.integers(1, 4))
def test_against_tuples_of_bins(strategy, seed, bins, d):
    rng = np.random.default_rng(seed)
    # Few distinct entries, so that they tie and equal thresholds.
    A, B = rng.integers(-3, 4, (12, d)) / 2, rng.integers(-3, 4, (9, d)) / 2
    sample_weight = rng.integers(1, 4, 12) * 1.0
    weights = HistogramWeights(bins, strategy=strategy).fit(A, sample_weight)
    assert_allclose(
        entries(weights.training_votes()),
        by_bins(A, A, weights.thresholds_, sample_weight),
        atol=1e-12,
    )
    expected = by_bins(B, A, weights.thresholds_, sample_weight)
    assert_allclose(entries(weights.votes(B)), expected, atol=1e-12)
    sparse = HistogramWeights(bins, strategy=strategy).fit(sp.csr_array(A), sample_weight)
    assert_allclose(entries(sparse.votes(sp.csr_array(B))), expected, atol=1e-12)


def test_uniform_bins_are_equally_wide():
    weights = HistogramWeights(4, strategy="uniform").fit(np.array([[0.0, 5.0], [8.0, 5.0]]))
    assert_allclose(weights.thresholds_[0], [2.0, 4.0, 6.0])
    # A constant feature has one bin, whatever the grid.
    assert_allclose(entries(weights.training_votes()), np.eye(2))


@pytest.mark.parametrize("bins", [2, 3, 7])
def test_quantile_bins_have_equal_weight(bins):
    column = RNG.permutation(42).astype(float)[:, None]
    weights = HistogramWeights(bins).fit(column)
    assert_array_equal(np.bincount(weights.partition_.leaves[0]), np.full(bins, 42 // bins))


def test_the_default_number_of_bins():
    assert [len(cuts) + 1 for cuts in HistogramWeights().fit(X).thresholds_] == [3, 3]
    heavy = HistogramWeights().fit(X, np.full(60, 4.0))
    assert [len(cuts) + 1 for cuts in heavy.thresholds_] == [4, 4]


def test_an_empty_cell_has_no_votes():
    weights = HistogramWeights([[0.0], [0.0]]).fit(np.array([[-1.0, -1.0], [1.0, 1.0]]))
    queries = np.array([[-9.0, -9.0], [-1.0, 1.0], [0.0, 0.0]])
    assert_array_equal(entries(weights.votes(queries)), [[1, 0], [0, 0], [1, 0]])


def test_more_cells_than_integers_count():
    rows = RNG.normal(size=(50, 300))
    weights = HistogramWeights(100).fit(rows)
    assert weights.cells_.size == 50
    assert_array_equal(entries(weights.votes(rows)), np.eye(50))
    assert_array_equal(entries(weights.votes(-rows)), np.zeros((50, 50)))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"bins": 0}, "bins must be an integer >= 1; got 0"),
        ({"bins": 2.0}, "bins must be an integer >= 1; got 2.0"),
        ({"bins": "fd"}, "bins must be one of 'auto' an integer, or thresholds .*; got 'fd'"),
        ({"strategy": "kmeans"}, "strategy must be one of 'quantile', 'uniform'; got 'kmeans'"),
        ({"leave_one_out": "no"}, "leave_one_out must be True or False; got 'no'"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=f"HistogramWeights: {message}"):
        HistogramWeights(**parameters).fit(X)


@pytest.mark.parametrize(
    ("bins", "message"),
    [
        ([[0.0]], "thresholds for each of the 2 features of X; got 1"),
        ([[0.0], [1.0, 1.0]], r"thresholds of feature 1 must be one ascending .*\[1.0, 1.0\]"),
        ([[0.0, np.nan], []], "thresholds of feature 0"),
        ([[np.nan], []], "thresholds of feature 0"),
        ([[[0.0]], []], "thresholds of feature 0"),
    ],
)
def test_bad_thresholds(bins, message):
    with pytest.raises(VotesError, match=f"HistogramWeights: .*{message}"):
        HistogramWeights(bins).fit(X)


def test_more_bins_than_the_memory_holds():
    with pytest.raises(MemoryBudgetError, match="Take fewer bins"):
        HistogramWeights(bins=10**30).fit(np.ones((3, 1)))


@pytest.mark.parametrize("bins", [np.array("a"), np.array(2.5)])
def test_bins_that_are_a_single_value(bins):
    with pytest.raises(ValueError, match="bins must be an integer >= 1"):
        HistogramWeights(bins=bins).fit(np.ones((3, 1)))


@pytest.mark.parametrize("cuts", [["a"], [[1.0], [1.0, 2.0]], [1j]])
def test_thresholds_that_are_no_numbers(cuts):
    with pytest.raises(VotesError, match="thresholds of feature 0 must be one ascending list"):
        HistogramWeights(bins=[cuts]).fit(np.ones((3, 1)))
