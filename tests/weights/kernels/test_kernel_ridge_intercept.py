"""Kernel ridge with an intercept against augmented systems, refits and direct minimisation."""

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge

from disambig.exceptions import VotesError
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
every_mass = pytest.mark.parametrize(
    "sample_weight", [None, SAMPLE_WEIGHT], ids=["alone", "weighted"]
)


def kernel_of(kernel, A, B):
    return Similarity(kernel, **KERNELS[kernel])(A, B)


def with_intercept(kernel="gaussian", **parameters):
    return KernelRidgeWeights(kernel, intercept=True, **KERNELS.get(kernel, {}), **parameters)


def entries(votes):
    return votes @ np.eye(votes.shape[1])


def augmented(K, ridge, sample_weight=None):
    """Coefficients ``(n, n)`` and intercept ``(n,)`` as linear functions of the targets."""
    n = K.shape[0]
    system = np.zeros((n + 1, n + 1))
    system[:n, :n] = K + np.diag(ridge / (np.ones(n) if sample_weight is None else sample_weight))
    system[:n, n] = system[n, :n] = 1.0
    solved = np.linalg.solve(system, np.eye(n + 1)[:, :n])
    return solved[:n], solved[n]


@pytest.mark.parametrize("kernel", KERNELS)
@every_mass
@pytest.mark.parametrize("lam", [1e-6, 1e-3, 1.0, 1e3, 1e9])
def test_against_the_augmented_system(kernel, sample_weight, lam):
    weighting = with_intercept(kernel, regularization=lam).fit(X, sample_weight)
    K, K_x = kernel_of(kernel, X, X), kernel_of(kernel, Q, X)
    inverse, constant = augmented(K, weighting.ridge_, sample_weight)
    assert weighting.ridge_ == lam * (30 if sample_weight is None else sample_weight.sum())
    assert_allclose(entries(weighting.training_votes()), K @ inverse + constant, atol=1e-7)
    assert_allclose(entries(weighting.votes(Q)), K_x @ inverse + constant, atol=1e-7)
    assert_allclose(weighting.inverse_ * weighting.ridge_, inverse * weighting.ridge_, atol=1e-7)
    assert_allclose(weighting.residual_form(), inverse * weighting.ridge_, atol=1e-7)


@every_mass
def test_against_ridge_regression(sample_weight):
    y = RNG.normal(size=(30, 2)) + 5.0
    weighting = with_intercept("linear", regularization=0.02).fit(X, sample_weight)
    reference = Ridge(alpha=weighting.ridge_).fit(X, y, sample_weight=sample_weight)
    assert_allclose(weighting.training_votes() @ y, reference.predict(X), atol=1e-9)
    assert_allclose(weighting.votes(Q) @ y, reference.predict(Q), atol=1e-9)


@pytest.mark.parametrize("kernel", KERNELS)
def test_against_kernel_ridge_on_centred_kernels_and_targets(kernel):
    y = RNG.normal(size=(30, 2)) + 5.0
    K, K_x = kernel_of(kernel, X, X), kernel_of(kernel, Q, X)
    mean = K.mean(axis=0)
    centred = K - mean - mean[:, None] + mean.mean()
    reference = KernelRidge(alpha=30 * 0.02, kernel="precomputed").fit(centred, y - y.mean(axis=0))
    queries = K_x - mean - K_x.mean(axis=1)[:, None] + mean.mean()
    weighting = with_intercept(kernel, regularization=0.02).fit(X)
    assert_allclose(
        weighting.training_votes() @ y, reference.predict(centred) + y.mean(axis=0), atol=1e-9
    )
    assert_allclose(weighting.votes(Q) @ y, reference.predict(queries) + y.mean(axis=0), atol=1e-9)


@every_mass
@pytest.mark.parametrize("lam", [1e-4, 0.1, 1e4])
def test_leave_one_out_against_refitting(sample_weight, lam):
    w = np.ones(30) if sample_weight is None else sample_weight
    found = entries(with_intercept(regularization=lam).fit(X, sample_weight).leave_one_out_votes())
    assert_array_equal(found.diagonal(), np.zeros(30))
    for i in range(30):
        rest = np.delete(np.arange(30), i)
        # n lam stays that of all rows.
        without = with_intercept(regularization=lam * w.sum() / w[rest].sum())
        without.fit(X[rest], w[rest])
        assert_allclose(found[i, rest], entries(without.votes(X[i : i + 1]))[0], atol=1e-8)


@every_mass
@pytest.mark.parametrize("intercept", [False, True])
def test_the_residual_form_is_the_minimum(sample_weight, intercept):
    y = RNG.normal(size=30) + 2.0
    weighting = KernelRidgeWeights(bandwidth=1.3, regularization=0.01, intercept=intercept)
    R = weighting.fit(X, sample_weight).residual_form()
    w = np.ones(30) if sample_weight is None else sample_weight
    # Functions as coordinates in an orthonormal basis: ordinary least squares.
    values, vectors = np.linalg.eigh(kernel_of("gaussian", X, X))
    basis = vectors * np.sqrt(np.maximum(values, 0.0))
    design = np.vstack(
        [
            np.column_stack([basis, np.full(30, float(intercept))]) * np.sqrt(w)[:, None],
            np.column_stack([np.sqrt(weighting.ridge_) * np.eye(30), np.zeros(30)]),
        ]
    )
    target = np.concatenate([np.sqrt(w) * y, np.zeros(30)])
    best = scipy.optimize.lsq_linear(design, target, tol=1e-14)
    assert_allclose(y @ R @ y, 2.0 * best.cost, rtol=1e-9)
    assert_array_equal(R, R.T)
    assert np.linalg.eigvalsh(R).min() > -1e-13
    # The sum of squared residuals plus the penalty.
    residuals = y - weighting.training_votes() @ y
    paid = w @ residuals**2 + residuals @ (w * (y - residuals - intercept * best.x[-1]))
    assert_allclose(y @ R @ y, paid, rtol=1e-9)
    if intercept:
        assert_allclose(R @ np.ones(30), np.zeros(30), atol=1e-13)


def test_the_residual_form_of_copies():
    copies = np.repeat(np.arange(30), SAMPLE_WEIGHT.astype(int))
    y = RNG.normal(size=30)
    for intercept in (False, True):
        weighting = KernelRidgeWeights(bandwidth=1.3, intercept=intercept)
        weighted = clone(weighting).fit(X, SAMPLE_WEIGHT).residual_form()
        repeated = clone(weighting).fit(X[copies]).residual_form()
        assert_allclose(y @ weighted @ y, y[copies] @ repeated @ y[copies], rtol=1e-9)


@every_mass
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("lam", [1e-12, 1e-9, 1e-6, 1e-3, 1.0, 1e6, 1e12])
def test_rows_sum_to_one(kernel, sample_weight, lam):
    weighting = with_intercept(kernel, regularization=lam).fit(X, sample_weight)
    assert_allclose(weighting.training_votes().row_sums(), np.ones(30), atol=1e-13)
    assert_allclose(weighting.leave_one_out_votes().row_sums(), np.ones(30), atol=1e-11)
    votes = weighting.votes(Q)
    # Rounding errors of a product are of the size of its factors.
    size = np.abs(votes.left) @ (np.abs(votes.right) @ np.ones(30))
    assert (np.abs(votes.row_sums() - 1.0) <= 1e-14 * size).all()


@given(seed=st.integers(0, 10_000), exponent=st.integers(-12, 6), n=st.integers(1, 12))
def test_the_training_votes_shrink_what_is_not_constant(seed, exponent, n):
    rows = np.random.default_rng(seed).integers(0, 3, (n, 2)).astype(float)
    weighting = KernelRidgeWeights(bandwidth=0.7, regularization=10.0**exponent, intercept=True)
    A = weighting.fit(rows).training_votes().array
    assert_array_equal(A, A.T)
    assert_allclose(A.sum(axis=1), np.ones(n), atol=1e-13)
    values = np.linalg.eigvalsh(A)
    assert values[0] > -1e-13
    assert_allclose(values[-1], 1.0, atol=1e-13)
    R = weighting.residual_form()
    assert_array_equal(R, R.T)
    assert_allclose(R, np.eye(n) - A, atol=1e-13)
    alone = weighting.leave_one_out_votes()
    assert np.isfinite(entries(alone)).all()
    assert_allclose(alone.row_sums(), np.full(n, float(n > 1)), atol=1e-12)


@pytest.mark.parametrize("lam", [0.0, 1e-12, 1e-6])
def test_no_digits_are_lost_on_a_kernel_without_constants(lam):
    # K 1 = 0: the plain inverse is of size 1 / (n lam), the one on vectors of sum zero is not.
    factor = np.linalg.qr(RNG.normal(size=(30, 30)))[0]
    factor -= factor.mean(axis=0)
    K = factor @ factor.T
    weighting = KernelRidgeWeights("precomputed", regularization=lam, intercept=True).fit(K)
    # K is the projection away from constants, so the result is known.
    away = np.eye(30) - 1.0 / 30
    assert_allclose(weighting.inverse_, away / (1 + 30 * lam), atol=1e-13)
    assert_allclose(entries(weighting.votes(K)), away / (1 + 30 * lam) + 1.0 / 30, atol=1e-13)
    assert_allclose(
        weighting.residual_form(), 30 * lam * away / (1 + 30 * lam), atol=1e-18, rtol=1e-9
    )
    expected = (1 - np.eye(30)) / 29
    assert_allclose(entries(weighting.leave_one_out_votes()), expected, atol=1e-13)


@pytest.mark.parametrize("lam", [1e-12, 1e-6, 1.0])
def test_constants_in_the_kernel_change_nothing(lam):
    line = np.linspace(0.0, 1.0, 12)[:, None]
    K = np.exp(-np.abs(line - line.T))
    plain = KernelRidgeWeights("precomputed", regularization=lam, intercept=True).fit(K)
    moved = KernelRidgeWeights("precomputed", regularization=lam, intercept=True).fit(K + 1e3)
    for left, right in (
        (plain.training_votes(), moved.training_votes()),
        (plain.leave_one_out_votes(), moved.leave_one_out_votes()),
        (plain.votes(K[:4] / 2), moved.votes(K[:4] / 2 + 1e3)),
    ):
        assert_allclose(entries(left), entries(right), atol=1e-9)
    assert_allclose(plain.residual_form(), moved.residual_form(), atol=1e-9)


def test_inputs_far_from_the_origin_make_no_large_factors():
    # <x, x'> has the square of the offset in it, which only constants depend on.
    near = with_intercept("linear").fit(X).votes(Q)
    far = with_intercept("linear").fit(X + 1e3).votes(Q + 1e3)
    assert_allclose(far.absolute_row_sums(), near.absolute_row_sums(), rtol=1e-4)
    assert_allclose(far.row_sums(), np.ones(8), atol=1e-11)


def test_a_large_ridge_leaves_the_mean():
    weighting = with_intercept(regularization=1e15).fit(X, SAMPLE_WEIGHT)
    mean = SAMPLE_WEIGHT / SAMPLE_WEIGHT.sum()
    assert_allclose(entries(weighting.training_votes()), np.tile(mean, (30, 1)), atol=1e-14)
    assert_allclose(entries(weighting.votes(Q)), np.tile(mean, (8, 1)), atol=1e-14)
    others = np.where(np.eye(30) > 0, 0.0, SAMPLE_WEIGHT)
    others /= others.sum(axis=1)[:, None]
    assert_allclose(entries(weighting.leave_one_out_votes()), others, atol=1e-14)
    spread = np.diag(SAMPLE_WEIGHT) - np.outer(mean, SAMPLE_WEIGHT)
    assert_allclose(weighting.residual_form(), spread, atol=1e-12)


def test_sample_weights_of_very_different_size():
    sample_weight = np.where(np.arange(30) == 4, 1e12, 1.0)
    weighting = with_intercept(regularization=1e-9).fit(X, sample_weight)
    for votes in (weighting.training_votes(), weighting.leave_one_out_votes(), weighting.votes(Q)):
        assert_allclose(votes.row_sums(), np.ones(votes.shape[0]), atol=1e-9)
    without = with_intercept(regularization=1e-9 * sample_weight.sum() / 29).fit(
        np.delete(X, 4, axis=0)
    )
    # The row of large weight has a ridge of 1e-9 and a kernel of 1, so rounding errors of the
    # kernel are 1e9 times larger after the row is removed.
    assert_allclose(
        np.delete(entries(weighting.leave_one_out_votes())[4], 4),
        entries(without.votes(X[4:5]))[0],
        rtol=4 * np.finfo(float).eps / 1e-9,
        atol=1e-9,
    )


@pytest.mark.parametrize("lam", [0.0, 1e-3])
@pytest.mark.parametrize("normalize", [False, True])
def test_a_single_row(lam, normalize):
    weighting = KernelRidgeWeights(
        bandwidth=1.0, regularization=lam, intercept=True, normalize=normalize
    ).fit(X[:1], [3.0])
    assert_array_equal(entries(weighting.training_votes()), [[1.0]])
    assert_array_equal(entries(weighting.leave_one_out_votes()), [[0.0]])
    assert_array_equal(entries(weighting.votes(Q)), np.ones((8, 1)))
    assert_array_equal(weighting.residual_form(), [[0.0]])


def test_two_rows_vote_for_each_other():
    weighting = with_intercept().fit(X[:2], [3.0, 1.0])
    assert_allclose(entries(weighting.leave_one_out_votes()), [[0.0, 1.0], [1.0, 0.0]], atol=1e-13)


def test_equal_rows_vote_by_their_sample_weights():
    weighting = with_intercept().fit(np.zeros((3, 2)), [1.0, 2.0, 1.0])
    expected = np.tile([0.25, 0.5, 0.25], (3, 1))
    assert_allclose(entries(weighting.training_votes()), expected, atol=1e-13)


@every_mass
def test_normalisation_changes_nothing(sample_weight):
    plain = with_intercept().fit(X, sample_weight)
    normalized = with_intercept(normalize=True).fit(X, sample_weight)
    for ask in ("training_votes", "leave_one_out_votes"):
        assert_array_equal(getattr(plain, ask)().array, getattr(normalized, ask)().array)
    assert_array_equal(normalized.votes(Q).left, plain.votes(Q).left)


@every_mass
def test_new_votes_are_a_product(sample_weight):
    weighting = with_intercept().fit(X, sample_weight)
    votes = weighting.votes(Q)
    assert isinstance(weighting.training_votes(), DenseVotes)
    assert isinstance(votes, ProductVotes)
    assert votes.left.shape == (8, 31)
    assert votes.right.shape == (31, 30)
    alpha, scales = entries(votes), RNG.uniform(size=30)
    assert (votes.absolute_row_sums() >= np.abs(alpha).sum(axis=1)).all()
    assert (votes.absolute_row_sums(scales) >= np.abs(alpha) @ scales).all()
    positive, negative = votes.split()
    assert_allclose(entries(positive) - entries(negative), alpha, atol=1e-12)
    assert_allclose(votes.T @ np.eye(8), alpha.T, atol=1e-12)
    assert_allclose(votes.diagonal(), alpha.diagonal(), atol=1e-12)


def test_a_kernel_that_is_positive_on_vectors_of_sum_zero():
    # Splines: -|x - x'| is positive on vectors of sum zero only, which suffices with an intercept.
    line, queries = np.array([[0.0], [0.3], [1.0], [2.0]]), np.array([[0.5], [9.0]])

    def kernel(A, B):
        return -np.abs(A - B.T)

    weighting = KernelRidgeWeights(kernel, regularization=1e-3, intercept=True).fit(line)
    inverse, constant = augmented(kernel(line, line), 4e-3)
    expected = kernel(queries, line) @ inverse + constant
    assert_allclose(entries(weighting.votes(queries)), expected, atol=1e-10)
    # Without a ridge the spline interpolates the targets by straight lines.
    y = np.array([0.0, 1.0, -1.0, 3.0])
    spline = KernelRidgeWeights(kernel, regularization=0, intercept=True).fit(line)
    assert_allclose((spline.votes(queries) @ y)[0], np.interp(0.5, line[:, 0], y), atol=1e-10)
    with pytest.raises(VotesError, match="not positive semi-definite"):
        KernelRidgeWeights(kernel).fit(line)


def test_no_ridge_where_the_kernel_cannot_be_inverted():
    with pytest.raises(VotesError, match=r"on vectors of sum zero, .* regularization above \d"):
        with_intercept("linear", regularization=0).fit(X)
    # Four points in three dimensions: with an intercept every target can be interpolated.
    weighting = with_intercept("linear", regularization=0).fit(X[:4])
    assert_allclose(entries(weighting.training_votes()), np.eye(4), atol=1e-10)
    assert_array_equal(weighting.residual_form(), np.zeros((4, 4)))


def test_a_changed_intercept_takes_effect_at_the_next_fit():
    weighting = KernelRidgeWeights(bandwidth=1.3)
    assert clone(weighting.set_params(intercept=True)).get_params()["intercept"] is True
    weighting.fit(X)
    before = entries(weighting.votes(Q))
    weighting.set_params(intercept=False)
    assert_array_equal(entries(weighting.votes(Q)), before)
    plain = KernelRidgeWeights(bandwidth=1.3).fit(X)
    assert_array_equal(entries(weighting.fit(X).votes(Q)), entries(plain.votes(Q)))
