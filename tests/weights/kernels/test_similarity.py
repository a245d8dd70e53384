"""Kernels against their formulas and scikit-learn, and their bandwidths."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist
from sklearn.metrics.pairwise import (
    laplacian_kernel,
    linear_kernel,
    polynomial_kernel,
    rbf_kernel,
)

from disambig.exceptions import VotesError
from disambig.weights.kernels.similarity import Similarity, median_distance, resolve_bandwidth

RNG = np.random.default_rng(0)
Q, X = RNG.normal(size=(5, 3)), RNG.normal(size=(7, 3))
H = 1.7

SCIKIT_LEARN = {
    "gaussian": rbf_kernel(Q, X, gamma=1 / (2 * H**2)),
    "laplacian": laplacian_kernel(Q, X, gamma=1 / H),
    "linear": linear_kernel(Q, X),
    "polynomial": polynomial_kernel(Q, X, degree=2, gamma=1 / H**2, coef0=0.5),
}


@pytest.mark.parametrize("kernel", SCIKIT_LEARN)
@pytest.mark.parametrize("wrap", [np.asarray, sp.csr_array])
def test_values(kernel, wrap):
    h = None if kernel == "linear" else H
    found = Similarity(kernel, h, degree=2, coef0=0.5)(wrap(Q), wrap(X))
    assert isinstance(found, np.ndarray)
    assert_allclose(found, SCIKIT_LEARN[kernel], rtol=1e-12)


def test_gaussian_far_from_the_origin():
    assert_allclose(
        Similarity("gaussian", H)(Q + 1e6, X + 1e6), SCIKIT_LEARN["gaussian"], rtol=1e-8
    )


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian"])
def test_a_tiny_bandwidth_gives_zeros_and_ones(kernel):
    for h in (1e-200, 1e-308):
        assert_array_equal(Similarity(kernel, h)(X, X), np.eye(7))


def test_a_polynomial_that_overflows():
    with pytest.raises(VotesError, match="overflows floating-point numbers"):
        Similarity("polynomial", 1e-3, degree=100)(Q, X)


def test_a_function():
    found = Similarity(lambda A, B: sp.csr_array(A @ B.T))(Q, X)
    assert_allclose(found, Q @ X.T)
    with pytest.raises(VotesError, match=r"returned shape \(5, 5\) .* expected \(5, 7\)"):
        Similarity(lambda A, B: A @ A.T)(Q, X)
    with pytest.raises(VotesError, match="NaN or infinity, first in row 0"):
        Similarity(lambda A, B: A @ B.T * np.nan)(Q, X)


def test_compact_kernels():
    distances = sp.csr_array(np.array([[0.5, 0.0, 2.0]]))
    assert_array_equal(Similarity("box", 2.0).compact(distances.copy()).toarray(), [[1, 0, 1]])
    found = Similarity("epanechnikov", 2.0).compact(distances.copy())
    assert_allclose(found.toarray(), [[1 - 0.25**2, 0, 0]])
    assert found.nnz == 1


def lower_median(values):
    return np.sort(values)[(values.size - 1) // 2]


@pytest.mark.parametrize(("norm", "name"), [("euclidean", "euclidean"), ("manhattan", "cityblock")])
@pytest.mark.parametrize("wrap", [np.asarray, sp.csr_array])
def test_median_distance(norm, name, wrap):
    rows = RNG.normal(size=(40, 3))
    expected = lower_median(pdist(rows, name))
    assert_allclose(median_distance(wrap(rows), np.ones(40), norm=norm), expected, rtol=1e-13)


@given(seed=st.integers(0, 10_000), n=st.integers(1, 9), sparse=st.booleans())
def test_median_distance_of_weights_is_that_of_copies(seed, n, sparse):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 3, (n, 2)).astype(float)
    counts = rng.integers(1, 5, n)
    wrap = sp.csr_array if sparse else np.asarray
    weighted = median_distance(wrap(rows), counts.astype(float))
    copies = median_distance(wrap(np.repeat(rows, counts, axis=0)), np.ones(counts.sum()))
    assert_allclose(weighted, copies, rtol=1e-12)
    assert weighted > 0


@pytest.mark.parametrize("wrap", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("norm", ["euclidean", "manhattan"])
def test_the_median_distance_of_a_sample_does_not_depend_on_the_order_of_rows(wrap, norm):
    rng = np.random.default_rng(2)
    # In turn a wide cloud and a narrow one: every second row would be a biased sample.
    rows = rng.uniform(-3, 3, size=(2400, 2)) * np.where(np.arange(2400) % 2, 1.0, 1e-3)[:, None]
    ones = np.ones(2400)
    found = median_distance(wrap(rows), ones, norm=norm)
    orders = [np.roll(np.arange(2400), 1), rng.permutation(2400), np.argsort(rows[:, 0])]
    assert {median_distance(wrap(rows[order]), ones, norm=norm) for order in orders} == {found}
    # A sample of 1000 of 2400 rows: within a tenth of the median of all.
    distances = pdist(rows, "cityblock" if norm == "manhattan" else norm)
    assert_allclose(found, np.median(distances), rtol=0.1)


def test_the_median_distance_of_few_distinct_rows_is_exact():
    rows = RNG.normal(size=(900, 2))
    counts = np.random.default_rng(4).integers(1, 4, 900)
    copies = np.repeat(rows, counts, axis=0)
    assert copies.shape[0] > 1000
    assert median_distance(copies, np.ones(counts.sum())) == lower_median(pdist(copies))
    assert median_distance(rows, counts.astype(float)) == lower_median(pdist(copies))


def test_the_median_distance_of_a_sample_of_weighted_rows_is_that_of_copies():
    rows = RNG.normal(size=(1500, 2))
    counts = np.random.default_rng(3).integers(1, 9, 1500)
    copies = np.repeat(rows, counts, axis=0)
    weighted = median_distance(rows, counts.astype(float))
    assert weighted == median_distance(copies, np.ones(counts.sum()))
    sample = rows[np.random.default_rng(5).integers(0, 1500, 100_000)]
    assert_allclose(
        weighted, np.median(np.linalg.norm(sample[::2] - sample[1::2], axis=1)), rtol=0.1
    )


def test_the_median_distance_of_few_weighted_rows_is_that_of_copies():
    rows = RNG.normal(size=(600, 2))
    counts = np.random.default_rng(3).integers(1, 9, 600)
    copies = np.repeat(rows[:600], counts, axis=0)
    weighted = median_distance(rows[:600], counts.astype(float))
    assert weighted == median_distance(copies, np.ones(counts.sum()))


def test_median_distance_of_weights_below_one():
    assert median_distance(np.array([[0.0], [1.0], [4.0]]), np.full(3, 1e-6)) == 3.0


def test_median_distance_where_rows_repeat():
    rows = np.zeros((9, 2))
    assert median_distance(rows, np.ones(9)) == 1.0
    assert median_distance(rows[:1], np.ones(1)) == 1.0
    rows[0] = (3.0, 4.0)
    rows[1] = (6.0, 8.0)
    # One pair at 5 between the two, seven at 5 and seven at 10 to the others, 21 at 0.
    assert_allclose(median_distance(rows, np.ones(9)), (8 * 5 + 7 * 10) / 15)


def bandwidth(kernel, value):
    choices = ("gaussian", "laplacian", "linear", "precomputed")
    return resolve_bandwidth("Weighting", kernel, value, X, np.ones(7), choices=choices)


def test_the_median_of_rows_of_tiny_weight():
    sample_weight = np.arange(1.0, 8.0) / 8.0
    assert median_distance(X, 1e-200 * sample_weight) == median_distance(X, sample_weight)


def test_resolve_bandwidth():
    assert bandwidth("gaussian", 2) == 2.0
    assert bandwidth("gaussian", None) == bandwidth("gaussian", "median")
    assert bandwidth("gaussian", None) == median_distance(X, np.ones(7))
    assert bandwidth("laplacian", None) == median_distance(X, np.ones(7), norm="manhattan")
    assert bandwidth("linear", None) is None
    assert bandwidth(np.dot, None) is None


@pytest.mark.parametrize(
    ("kernel", "value", "message"),
    [
        ("gauss", None, "Weighting: kernel must be one of 'gaussian', .* or a function"),
        (3, None, "got 3"),
        ("gaussian", 0, "bandwidth must be a finite number > 0; got 0"),
        ("gaussian", -1.0, "got -1.0"),
        ("gaussian", np.inf, "got inf"),
        ("gaussian", True, "got True"),
        ("gaussian", "mean", "got 'mean'. Or use 'median'"),
        ("linear", 1.0, "kernel='linear' has no bandwidth; got bandwidth=1.0"),
        ("precomputed", "median", "kernel='precomputed' has no bandwidth"),
        (np.dot, 1.0, "kernel=a function has no bandwidth"),
    ],
)
def test_refused_bandwidths(kernel, value, message):
    with pytest.raises(ValueError, match=message):
        bandwidth(kernel, value)
