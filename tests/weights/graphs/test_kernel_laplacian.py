"""Kernelised Laplacian regularisation against dense formulas and finite differences."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from disambig import PartialLabelClassifier
from disambig.exceptions import MemoryBudgetError
from disambig.weights import InformedWeights, KernelLaplacianWeights, KernelRidgeWeights
from disambig.weights.graphs import kernel_laplacian as energy_module
from disambig.weights.graphs.kernel_laplacian import gaussian_features, gradient_energy

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))
Q = RNG.normal(size=(5, 3))
INFORMED = RNG.random(30) < 0.4


def entries(votes):
    return votes @ np.eye(votes.shape[1])


def kernel(A, B, h):
    return np.exp(-((A[:, None] - B[None]) ** 2).sum(axis=-1) / (2 * h**2))


def differences(A, B, h, step=1e-5):
    """``d k(a_i, b_p) / d a_i``, ``(n, d, p)``, by central differences."""
    found = np.empty((len(A), A.shape[1], len(B)))
    for axis in range(A.shape[1]):
        moved = np.zeros(A.shape[1])
        moved[axis] = step
        found[:, axis] = (kernel(A + moved, B, h) - kernel(A - moved, B, h)) / (2 * step)
    return found


def dense_alpha(queries, landmarks, h, s, r, sample_weight, informed):
    """The minimiser of the objective, by normal equations in the landmarks' kernels."""
    K = kernel(X, landmarks, h)
    voting = sample_weight * informed / (sample_weight * informed).sum()
    everyone = sample_weight / sample_weight.sum()
    slopes = differences(X, landmarks, h)
    energy = h**2 * np.einsum("i,iap,iaq->pq", everyone, slopes, slopes)
    system = (K * voting[:, None]).T @ K + s * energy + r * kernel(landmarks, landmarks, h)
    return kernel(queries, landmarks, h) @ np.linalg.solve(system, (K * voting[:, None]).T)


@pytest.mark.parametrize("block", [2**21, 20])
def test_energies_are_those_of_finite_differences(monkeypatch, block):
    monkeypatch.setattr(energy_module, "_ENTRIES_PER_BLOCK", block)
    h, shares = 1.3, RNG.random(30)
    landmarks = X[[2, 5, 11, 17]]
    gram, energy = gradient_energy(X, landmarks, shares, h)
    slopes = differences(X, landmarks, h)
    assert_allclose(energy, h**2 * np.einsum("i,iap,iaq->pq", shares, slopes, slopes), atol=1e-8)
    K = kernel(X, landmarks, h)
    assert_allclose(gram, (K * shares[:, None]).T @ K, atol=1e-12)
    assert_allclose(gaussian_features(X, landmarks, h), K, atol=1e-14)
    sparse = gradient_energy(sp.csr_array(X), sp.csr_array(landmarks), shares, h)
    assert_allclose(sparse[0], gram, atol=1e-12)
    assert_allclose(sparse[1], energy, atol=1e-12)


@pytest.mark.parametrize("bandwidth", [1e-200, 1e-8, 1e8, 1e200])
def test_energies_at_any_bandwidth(bandwidth):
    gram, energy = gradient_energy(X, X[:4], np.full(30, 1 / 30), bandwidth)
    assert np.isfinite(gram).all()
    assert np.isfinite(energy).all()
    assert np.linalg.eigvalsh(energy).min() > -1e-12


@pytest.mark.parametrize("informed", [np.ones(30, dtype=bool), INFORMED], ids=["all", "some"])
@pytest.mark.parametrize("smoothing", [0.0, 0.3, 100.0])
@pytest.mark.parametrize("count", [7, 100])
def test_it_is_the_minimiser(informed, smoothing, count):
    h, r = 1.1, 1e-2
    sample_weight = RNG.integers(1, 4, 30).astype(float)
    weights = KernelLaplacianWeights(
        count, bandwidth=h, smoothing=smoothing, regularization=r, random_state=3
    ).fit_informed(X, sample_weight, informed)
    assert isinstance(weights, InformedWeights)
    landmarks = weights.landmarks_
    assert len(landmarks) == min(count, 30)
    expected = dense_alpha(X, landmarks, h, smoothing, r, sample_weight, informed)
    assert_allclose(entries(weights.training_votes()), expected, atol=2e-7)
    expected = dense_alpha(Q, landmarks, h, smoothing, r, sample_weight, informed)
    assert_allclose(entries(weights.votes(Q)), expected, atol=2e-7)
    assert_array_equal(entries(weights.votes(Q))[:, ~informed], 0.0)
    assert weights.training_votes().left.shape[1] <= len(landmarks)


def test_without_smoothing_it_is_kernel_ridge():
    weights = KernelLaplacianWeights(bandwidth=1.1, smoothing=0.0, regularization=1e-3).fit(X)
    ridge = KernelRidgeWeights(bandwidth=1.1, regularization=1e-3).fit(X)
    assert_allclose(entries(weights.training_votes()), entries(ridge.training_votes()), atol=1e-8)
    assert_allclose(entries(weights.votes(Q)), entries(ridge.votes(Q)), atol=1e-8)


@pytest.mark.parametrize("informed", [np.ones(30, dtype=bool), INFORMED], ids=["all", "some"])
def test_leave_one_out_is_a_row_without_its_target(informed):
    h, s, r = 1.1, 0.5, 1e-2
    sample_weight = RNG.integers(1, 4, 30).astype(float)
    weights = KernelLaplacianWeights(9, bandwidth=h, smoothing=s, regularization=r)
    votes = weights.fit_informed(X, sample_weight, informed).leave_one_out_votes()
    total = (sample_weight * informed).sum()
    for i in range(30):
        others = informed.copy()
        others[i] = False
        # The divisor of the mean stays that of all rows, so the other terms count more.
        left = (sample_weight * others).sum() / total
        expected = dense_alpha(
            X[i : i + 1], weights.landmarks_, h, s / left, r / left, sample_weight, others
        )
        assert_allclose(votes.rows(i, i + 1), expected, atol=1e-7)


def test_bounds_of_absolute_sums(monkeypatch):
    weights = KernelLaplacianWeights(9).fit(X)
    monkeypatch.setattr("disambig.votes.product._MAX_EXACT_OPERATIONS", 0)
    for votes in (
        weights.training_votes(),
        weights.leave_one_out_votes(),
        weights.training_votes().T,
        weights.leave_one_out_votes().T,
        weights.votes(Q),
    ):
        exact = np.abs(entries(votes)).sum(axis=1)
        bound = votes.absolute_row_sums()
        assert (bound >= exact * (1 - 1e-12)).all()
        assert (bound <= 30 * exact).all()


def test_flat_where_inputs_are_dense():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    # Two strips with labels at opposite ends: for half of the rows the nearer label is wrong.
    rows = np.stack([rng.uniform(-2, 2, 200), rng.normal(0, 0.2, 200) + 2.0 * y], axis=1)
    known = np.full(200, -1)
    known[[np.argmin(rows[:100, 0]), 100 + np.argmax(rows[100:, 0])]] = 0, 1
    accuracy = {}
    for smoothing in (0.0, 1.0):
        weights = KernelLaplacianWeights(bandwidth=0.7, smoothing=smoothing)
        model = PartialLabelClassifier(weights, method="average", unlabeled=-1).fit(rows, known)
        accuracy[smoothing] = np.mean(model.labels_ == y)
        assert_array_equal(model.weights_.informed_, np.flatnonzero(known >= 0))
    assert accuracy[1.0] == 1.0
    assert accuracy[0.0] < 0.7


def test_the_scale_of_the_inputs_does_not_matter():
    small = KernelLaplacianWeights().fit(X).training_votes()
    large = KernelLaplacianWeights().fit(X * 2.0**30).training_votes()
    assert_allclose(entries(small), entries(large), atol=1e-9)


def test_constant_and_equal_inputs():
    weights = KernelLaplacianWeights(regularization=0.5).fit(np.ones((6, 2)))
    assert_allclose(entries(weights.training_votes()), np.full((6, 6), 1 / 6 / 1.5))
    assert_allclose(entries(weights.leave_one_out_votes()).diagonal(), 0.0, atol=1e-14)
    rows = np.vstack([X, X])
    assert len(KernelLaplacianWeights().fit(rows).landmarks_) == 30


def test_far_inputs_have_no_votes():
    votes = KernelLaplacianWeights(bandwidth=1.0).fit(X).votes(np.full((1, 3), 1e3))
    assert_array_equal(votes.absolute_row_sums(), 0.0)


@pytest.mark.parametrize("regularization", [1e-18, 1e-30])
def test_a_row_with_only_its_own_vote_has_none_when_left_out(regularization):
    apart = KernelLaplacianWeights(bandwidth=0.01, smoothing=0.0, regularization=regularization)
    votes = apart.fit(X).leave_one_out_votes()
    assert_array_equal(entries(votes), 0.0)
    assert_array_equal(votes.rows(0, 30), 0.0)
    assert_array_equal(votes.absolute_row_sums(), 0.0)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_landmarks": 0}, "n_landmarks must be an integer >= 1; got 0"),
        ({"bandwidth": 0.0}, "bandwidth must be a finite number > 0; got 0.0"),
        ({"smoothing": -1.0}, "smoothing must be a finite number >= 0; got -1.0"),
        ({"regularization": 0.0}, "regularization must be a finite number > 0; got 0.0"),
        ({"leave_one_out": 1}, "leave_one_out must be True or False; got 1"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=f"KernelLaplacianWeights: {message}"):
        KernelLaplacianWeights(**parameters).fit(X)


def test_too_large_for_memory(monkeypatch):
    monkeypatch.setattr("disambig.memory.free_bytes", lambda: 1000)
    with pytest.raises(MemoryBudgetError, match=r"on 30 rows with 30 landmarks .*fewer landmarks"):
        KernelLaplacianWeights().fit(X)
