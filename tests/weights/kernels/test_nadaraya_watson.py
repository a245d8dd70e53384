"""Local averages against their formula."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig import memory
from disambig.exceptions import MemoryBudgetError, VotesError
from disambig.votes.dense import DenseVotes
from disambig.votes.sparse import SparseVotes
from disambig.weights import NadarayaWatsonWeights
from disambig.weights.kernels import compact as module

RNG = np.random.default_rng(0)
X, Q = RNG.normal(size=(30, 2)), RNG.normal(size=(8, 2))
SAMPLE_WEIGHT = RNG.uniform(0.5, 3, 30)
H = 0.6
FORMULAS = {
    "gaussian": lambda d, m: np.exp(-(d**2) / (2 * H**2)),
    "laplacian": lambda d, m: np.exp(-m / H),
    "box": lambda d, m: (d <= H) * 1.0,
    "epanechnikov": lambda d, m: np.maximum(0, 1 - d**2 / H**2),
}


def by_formula(kernel, A, B, sample_weight=None, *, normalize=True, leave_one_out=False):
    difference = A[:, None] - B[None]
    d, m = np.sqrt((difference**2).sum(axis=-1)), np.abs(difference).sum(axis=-1)
    alpha = FORMULAS[kernel](d, m) * (1.0 if sample_weight is None else sample_weight)
    if leave_one_out:
        alpha = alpha * (1 - np.eye(len(A)))
    sums = alpha.sum(axis=1, keepdims=True)
    return alpha / np.where(sums > 0, sums, 1.0) if normalize else alpha


def entries(votes):
    return votes @ np.eye(votes.shape[1])


@pytest.mark.parametrize("kernel", FORMULAS)
@pytest.mark.parametrize("sample_weight", [None, SAMPLE_WEIGHT])
@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("wrap", [np.asarray, sp.csr_matrix])
def test_against_the_formula(kernel, sample_weight, normalize, wrap):
    weighting = NadarayaWatsonWeights(kernel, bandwidth=H, normalize=normalize).fit(
        wrap(X), sample_weight
    )
    expected = by_formula(kernel, X, X, sample_weight, normalize=normalize)
    assert_allclose(entries(weighting.training_votes()), expected, atol=1e-12)
    expected = by_formula(kernel, X, X, sample_weight, normalize=normalize, leave_one_out=True)
    assert_allclose(entries(weighting.leave_one_out_votes()), expected, atol=1e-12)
    expected = by_formula(kernel, Q, X, sample_weight, normalize=normalize)
    assert_allclose(entries(weighting.votes(wrap(Q))), expected, atol=1e-12)
    kind = SparseVotes if kernel in ("box", "epanechnikov") else DenseVotes
    assert isinstance(weighting.training_votes(), kind)
    assert isinstance(weighting.votes(Q), kind)


@given(seed=st.integers(0, 10_000), h=st.sampled_from([1.0, 2.0, 5.0]), d=st.sampled_from([2, 20]))
def test_a_box_includes_its_border(seed, h, d):
    # With many features candidates come from matrix products, whose rounding must not matter.
    rng = np.random.default_rng(seed)
    rows = np.zeros((40, d))
    rows[:, :2] = rng.integers(0, 6, (40, 2))
    rows += 1e5
    alpha = NadarayaWatsonWeights("box", bandwidth=h, normalize=False).fit(rows).training_votes()
    squared = ((rows[:, None] - rows[None]) ** 2).sum(axis=-1)
    assert_array_equal(alpha.matrix.toarray(), (squared <= h**2) * 1.0)


@pytest.mark.parametrize("kernel", FORMULAS)
def test_no_votes_where_the_kernel_is_zero(kernel):
    weighting = NadarayaWatsonWeights(kernel, bandwidth=0.01).fit(X)
    found = entries(weighting.votes(np.array([[1e6, 0.0], X[3]])))
    assert_array_equal(found[0], np.zeros(30))
    assert_allclose(found[1].sum(), 1.0)


def test_an_isolated_row_has_only_its_own_vote():
    rows = np.array([[0.0], [0.1], [50.0]])
    weighting = NadarayaWatsonWeights("box", bandwidth=1.0, leave_one_out=True).fit(rows)
    assert_array_equal(entries(weighting.training_votes()), [[0, 1, 0], [1, 0, 0], [0, 0, 0]])


def test_votes_that_nearly_vanish_still_sum_to_one():
    weighting = NadarayaWatsonWeights(bandwidth=1.0).fit(np.array([[0.0], [1e-3]]))
    found = entries(weighting.votes(np.array([[38.5]])))
    assert np.isfinite(found).all()
    assert_allclose(found.sum(), 1.0)


def test_the_bandwidth_of_the_paper():
    weighting = NadarayaWatsonWeights(bandwidth=np.sqrt(0.08 / 2), normalize=False).fit(X)
    squared = ((Q[:, None] - X[None]) ** 2).sum(axis=-1)
    assert_allclose(entries(weighting.votes(Q)), np.exp(-squared / 0.08), atol=1e-12)


@pytest.mark.parametrize("wrap", [np.asarray, sp.csr_array])
def test_precomputed_similarities(wrap):
    S, S_x = by_formula("box", X, X, normalize=False), by_formula("box", Q, X, normalize=False)
    weighting = NadarayaWatsonWeights("precomputed").fit(wrap(S), SAMPLE_WEIGHT)
    assert_allclose(entries(weighting.training_votes()), by_formula("box", X, X, SAMPLE_WEIGHT))
    assert_allclose(entries(weighting.votes(wrap(S_x))), by_formula("box", Q, X, SAMPLE_WEIGHT))
    assert isinstance(
        weighting.training_votes(), SparseVotes if sp.issparse(wrap(S)) else DenseVotes
    )


def test_a_function():
    weighting = NadarayaWatsonWeights(lambda A, B: np.exp(A @ B.T)).fit(X)
    expected = np.exp(Q @ X.T)
    assert_allclose(entries(weighting.votes(Q)), expected / expected.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("kernel", ["box", "epanechnikov"])
def test_blocks_do_not_matter(kernel, monkeypatch):
    weighting = NadarayaWatsonWeights(kernel, bandwidth=H).fit(X)
    whole = entries(weighting.training_votes())
    monkeypatch.setattr(module, "_QUERIES_PER_BLOCK", 7)
    assert_array_equal(entries(weighting.training_votes()), whole)
    assert weighting.votes(np.zeros((0, 2))).shape == (0, 30)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "linear"}, "kernel must be one of 'gaussian', 'laplacian', 'box'"),
        ({"kernel": "precomputed", "bandwidth": 1.0}, "has no bandwidth"),
        ({"bandwidth": -2}, "bandwidth must be a finite number > 0"),
        ({"normalize": "yes"}, "normalize must be True or False"),
        ({"leave_one_out": 1}, "leave_one_out must be True or False"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        NadarayaWatsonWeights(**parameters).fit(np.eye(3))


def test_bad_similarities():
    with pytest.raises(VotesError, match=r"hold the similarities .* got shape \(2, 3\)"):
        NadarayaWatsonWeights("precomputed").fit(np.ones((2, 3)))


@pytest.mark.parametrize("kernel", ["gaussian", "box"])
def test_memory_is_checked(kernel, monkeypatch):
    weighting = NadarayaWatsonWeights(kernel, bandwidth=5.0).fit(X)
    monkeypatch.setattr(memory, "free_bytes", lambda: 1000)
    with pytest.raises(MemoryBudgetError, match="NeighborWeights"):
        weighting.training_votes()
