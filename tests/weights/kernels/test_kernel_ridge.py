"""Kernel ridge votes against linear solves and against scikit-learn's predictions."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.kernel_ridge import KernelRidge

from disambig import memory
from disambig.exceptions import MemoryBudgetError, VotesError
from disambig.votes.dense import DenseVotes
from disambig.votes.product import ProductVotes
from disambig.weights import KernelRidgeWeights
from disambig.weights.kernels.similarity import Similarity

RNG = np.random.default_rng(0)
X, Q = RNG.normal(size=(30, 3)), RNG.normal(size=(8, 3))
SAMPLE_WEIGHT = RNG.integers(1, 5, 30).astype(float)
KERNELS = {
    "gaussian": {"bandwidth": 1.3},
    "laplacian": {"bandwidth": 2.0},
    "linear": {},
    "polynomial": {"bandwidth": 1.5, "degree": 2, "coef0": 0.5},
}


def kernel_of(kernel, A, B):
    return Similarity(kernel, **KERNELS[kernel])(A, B)


def entries(votes):
    return votes @ np.eye(votes.shape[1])


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("sample_weight", [None, SAMPLE_WEIGHT])
@pytest.mark.parametrize("lam", [1e-3, 1.0])
def test_against_a_linear_solve(kernel, sample_weight, lam):
    weighting = KernelRidgeWeights(kernel, regularization=lam, **KERNELS[kernel]).fit(
        X, sample_weight
    )
    w = np.ones(30) if sample_weight is None else sample_weight
    K = kernel_of(kernel, X, X)
    # The formula of the weighted problem.
    root = np.diag(np.sqrt(w))
    right = root @ np.linalg.inv(root @ K @ root + w.sum() * lam * np.eye(30)) @ root
    assert_allclose(entries(weighting.training_votes()), K @ right, atol=1e-9)
    assert_allclose(entries(weighting.votes(Q)), kernel_of(kernel, Q, X) @ right, atol=1e-9)
    assert isinstance(weighting.training_votes(), DenseVotes)
    assert isinstance(weighting.votes(Q), ProductVotes)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("sample_weight", [None, SAMPLE_WEIGHT])
def test_against_scikit_learn(kernel, sample_weight):
    y = RNG.normal(size=(30, 2))
    weighting = KernelRidgeWeights(kernel, regularization=0.02, **KERNELS[kernel]).fit(
        X, sample_weight
    )
    total = 30 if sample_weight is None else sample_weight.sum()
    reference = KernelRidge(alpha=total * 0.02, kernel="precomputed")
    reference.fit(kernel_of(kernel, X, X), y, sample_weight=sample_weight)
    assert_allclose(weighting.votes(Q) @ y, reference.predict(kernel_of(kernel, Q, X)), atol=1e-9)
    assert_allclose(
        weighting.training_votes() @ y, reference.predict(kernel_of(kernel, X, X)), atol=1e-9
    )


@pytest.mark.parametrize("sample_weight", [None, SAMPLE_WEIGHT])
@pytest.mark.parametrize("lam", [1e-4, 0.1])
def test_leave_one_out_against_removal(sample_weight, lam):
    weighting = KernelRidgeWeights(bandwidth=1.3, regularization=lam).fit(X, sample_weight)
    w = np.ones(30) if sample_weight is None else sample_weight
    found = entries(weighting.leave_one_out_votes())
    assert_array_equal(found.diagonal(), np.zeros(30))
    for i in range(30):
        rest = np.delete(np.arange(30), i)
        # n lam stays that of all rows.
        kept_lam = lam * w.sum() / w[rest].sum()
        without = KernelRidgeWeights(bandwidth=1.3, regularization=kept_lam).fit(X[rest], w[rest])
        assert_allclose(found[i, rest], entries(without.votes(X[i : i + 1]))[0], atol=1e-8)


def test_leave_one_out_is_the_diagonal_taken_out_of_the_smoother():
    weighting = KernelRidgeWeights(bandwidth=1.3, regularization=0.01).fit(X)
    A = entries(weighting.training_votes())
    diagonal = A.diagonal()
    expected = (A - np.diag(diagonal)) / (1 - diagonal)[:, None]
    assert_allclose(entries(weighting.leave_one_out_votes()), expected, atol=1e-9)


@given(seed=st.integers(0, 10_000))
def test_the_training_votes_are_symmetric(seed):
    rows = np.random.default_rng(seed).integers(0, 3, (12, 2)).astype(float)
    A = KernelRidgeWeights(bandwidth=0.7).fit(rows).training_votes().array
    assert_array_equal(A, A.T)


@pytest.mark.parametrize("wrap", [np.asarray, sp.csr_array])
def test_precomputed_and_functions_equal_the_named_kernel(wrap):
    named = KernelRidgeWeights(bandwidth=1.3).fit(X, SAMPLE_WEIGHT)
    K, K_x = kernel_of("gaussian", X, X), kernel_of("gaussian", Q, X)
    brought = KernelRidgeWeights("precomputed").fit(wrap(K), SAMPLE_WEIGHT)
    function = KernelRidgeWeights(lambda A, B: kernel_of("gaussian", A, B)).fit(X, SAMPLE_WEIGHT)
    for weighting, queries in ((brought, wrap(K_x)), (function, Q)):
        assert_allclose(
            entries(weighting.training_votes()), entries(named.training_votes()), atol=1e-9
        )
        assert_allclose(entries(weighting.votes(queries)), entries(named.votes(Q)), atol=1e-9)
    # The given arrays are not changed.
    assert_array_equal(K, kernel_of("gaussian", X, X))


def test_normalized_rows():
    plain = KernelRidgeWeights(bandwidth=1.3).fit(X)
    weighting = KernelRidgeWeights(bandwidth=1.3, normalize=True).fit(X)
    far = np.vstack([Q, [[500.0, 0.0, 0.0]]])
    for found, raw in (
        (weighting.training_votes(), plain.training_votes()),
        (weighting.leave_one_out_votes(), plain.leave_one_out_votes()),
        (weighting.votes(far), plain.votes(far)),
    ):
        alpha, sums = entries(raw), entries(raw).sum(axis=1)
        fair = sums > 1e-8 * np.abs(alpha).sum(axis=1)
        assert fair.any()
        assert_allclose(entries(found)[fair], alpha[fair] / sums[fair, None], rtol=1e-7, atol=1e-9)
        assert_allclose(entries(found)[~fair], alpha[~fair], atol=1e-9)


def test_a_row_of_negative_sum_keeps_its_sign():
    weighting = KernelRidgeWeights("linear", normalize=True).fit(np.array([[1.0], [2.0]]))
    raw = KernelRidgeWeights("linear").fit(np.array([[1.0], [2.0]]))
    queries = np.array([[-3.0], [3.0], [0.0]])
    assert_allclose(entries(weighting.votes(queries))[0], entries(raw.votes(queries))[0])
    assert_allclose(entries(weighting.votes(queries))[1].sum(), 1.0)
    assert_array_equal(entries(weighting.votes(queries))[2], [0.0, 0.0])


def test_single_precision_is_computed_in_double():
    single = KernelRidgeWeights(bandwidth=1.3, regularization=1e-7).fit(X.astype(np.float32))
    double = KernelRidgeWeights(bandwidth=1.3, regularization=1e-7)
    double.fit(X.astype(np.float32).astype(np.float64))
    assert single.training_votes().array.dtype == np.float64
    assert_array_equal(single.training_votes().array, double.training_votes().array)


def test_no_ridge_where_the_kernel_can_be_inverted():
    weighting = KernelRidgeWeights(bandwidth=0.1, regularization=0).fit(X)
    assert_allclose(entries(weighting.training_votes()), np.eye(30), atol=1e-9)


@pytest.mark.parametrize("lam", [0, 1e-20])
def test_no_ridge_where_it_cannot(lam):
    with pytest.raises(VotesError, match=r"condition number .* Use a regularization above \d"):
        KernelRidgeWeights("linear", regularization=lam).fit(X)


def test_the_suggested_ridge_is_accepted():
    largest = np.linalg.eigvalsh(X @ X.T).max()
    KernelRidgeWeights("linear", regularization=1.01 * largest / 1e14 / 30).fit(X)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"regularization": -1.0}, "regularization must be a finite number >= 0; got -1.0"),
        ({"regularization": np.nan}, "got nan"),
        ({"regularization": "auto"}, "got 'auto'"),
        ({"kernel": "box"}, "kernel must be one of 'gaussian', 'laplacian', 'linear'"),
        ({"kernel": "linear", "bandwidth": 1.0}, "has no bandwidth"),
        ({"degree": 2}, "degree and coef0 belong to kernel='polynomial'"),
        ({"kernel": "linear", "coef0": 0.0}, "degree and coef0 belong"),
        ({"kernel": "polynomial", "degree": 0}, "degree must be an integer >= 1"),
        ({"kernel": "polynomial", "coef0": -1}, "coef0 must be a finite number >= 0"),
        ({"intercept": 1.0}, "intercept must be True or False; got 1.0"),
        ({"normalize": 1}, "normalize must be True or False"),
        ({"leave_one_out": None}, "leave_one_out must be True or False"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        KernelRidgeWeights(**parameters).fit(X)


def test_bad_kernels():
    with pytest.raises(VotesError, match="smallest eigenvalue is -1"):
        KernelRidgeWeights("precomputed").fit(np.array([[0.0, 1.0], [1.0, 0.0]]))
    with pytest.raises(VotesError, match=r"must be symmetric .* differ by up to 1"):
        KernelRidgeWeights("precomputed").fit(np.array([[2.0, 1.0], [0.0, 2.0]]))
    with pytest.raises(VotesError, match=r"hold the kernel .* got shape \(2, 3\)"):
        KernelRidgeWeights("precomputed").fit(np.ones((2, 3)))


def test_memory_is_checked_before_it_is_used(monkeypatch):
    monkeypatch.setattr(memory, "free_bytes", lambda: 1000)
    with pytest.raises(MemoryBudgetError, match=r"KernelRidgeWeights on 30 rows .*NeighborWeights"):
        KernelRidgeWeights().fit(X)
    monkeypatch.undo()
    weighting = KernelRidgeWeights().fit(X)
    monkeypatch.setattr(memory, "free_bytes", lambda: 1000)
    with pytest.raises(MemoryBudgetError, match="between 8 queries and 30 rows"):
        weighting.votes(Q)
