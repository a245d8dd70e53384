"""The contract of weightings, run over every weighting."""

import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.tree import DecisionTreeRegressor

from disambig.checks import check_weighting
from disambig.weights import (
    ForestWeights,
    FunctionWeights,
    HistogramWeights,
    KernelLaplacianWeights,
    KernelRidgeWeights,
    LaplacianWeights,
    MixedWeights,
    NadarayaWatsonWeights,
    NeighborWeights,
    NystromWeights,
    PathWeights,
    PoissonWeights,
    PrecomputedWeights,
    RandomFeatureWeights,
    ScaledWeights,
    SquashedWeights,
    TreeWeights,
)
from disambig.weights.registry import is_pairwise, reads_missing

RNG = np.random.default_rng(0)
X = RNG.normal(size=(25, 3))
X[7] = X[3]
Q = RNG.normal(size=(6, 3))
COUNTS = RNG.integers(1, 5, 25)


def inner(A, B):
    return np.maximum(A @ B.T, 0.0)


WEIGHTINGS = {
    "neighbors": NeighborWeights(4),
    "neighbors, brute": NeighborWeights(4, algorithm="brute", metric="manhattan"),
    "neighbors, precomputed": NeighborWeights(4, metric="precomputed"),
    "neighbors, by distance": NeighborWeights(4, vote="distance"),
    "neighbors, gaussian": NeighborWeights(4, vote="gaussian"),
    "neighbors, adaptive": NeighborWeights(4, adaptive=True),
    "kernel ridge": KernelRidgeWeights(),
    "kernel ridge, laplacian": KernelRidgeWeights("laplacian", normalize=True),
    "kernel ridge, polynomial": KernelRidgeWeights("polynomial", degree=2),
    "kernel ridge, precomputed": KernelRidgeWeights("precomputed"),
    "kernel ridge, intercept": KernelRidgeWeights(intercept=True),
    "kernel ridge, precomputed, intercept": KernelRidgeWeights(
        "precomputed", intercept=True, normalize=True
    ),
    "low rank, landmarks": NystromWeights(n_landmarks=8),
    "low rank, every row a landmark": NystromWeights("laplacian", intercept=True),
    "low rank, spread landmarks": NystromWeights(
        "polynomial", degree=2, n_landmarks=3, landmarks="kmeans++"
    ),
    "low rank, landmarks by leverage": NystromWeights(
        n_landmarks=2, landmarks="leverage", intercept=True
    ),
    "low rank, given landmarks": NystromWeights(landmarks=X[:6].tolist()),
    "low rank, iterative": NystromWeights(n_landmarks=8, solver="iterative", intercept=True),
    "low rank, random features, iterative": RandomFeatureWeights(n_features=10, solver="iterative"),
    "low rank, random features": RandomFeatureWeights(n_features=10),
    "low rank, random features, intercept": RandomFeatureWeights(
        "laplacian", n_features=40, intercept=True
    ),
    "Nadaraya-Watson": NadarayaWatsonWeights(),
    "Nadaraya-Watson, box": NadarayaWatsonWeights("box", bandwidth=1.0),
    "Nadaraya-Watson, precomputed": NadarayaWatsonWeights("precomputed"),
    "forest, grown": ForestWeights(n_estimators=7, min_samples_split=5),
    "forest, given": ForestWeights(
        ExtraTreesRegressor(5, min_samples_leaf=2, random_state=0).fit(X, X[:, 0])
    ),
    "tree, grown": TreeWeights(min_samples_split=5),
    "tree, given": TreeWeights(DecisionTreeRegressor(min_samples_leaf=3).fit(X, X[:, 1])),
    "histogram, grown": HistogramWeights(),
    "histogram, grown uniformly": HistogramWeights(2, strategy="uniform"),
    "histogram, given": HistogramWeights([[0.0], [-0.5, 0.5], []]),
    "graph": LaplacianWeights(4),
    "graph, spreading": LaplacianWeights(3, normalization="symmetric", affinity="binary"),
    "graph, random walk": LaplacianWeights(5, normalization="random_walk", bandwidth=0.7),
    "graph, iterative": LaplacianWeights(4, solver="iterative", own_votes="exact"),
    "graph, precomputed": LaplacianWeights(4, metric="precomputed"),
    "graph, Poisson": PoissonWeights(4),
    "graph, Poisson, precomputed": PoissonWeights(
        3, metric="precomputed", affinity="binary", solver="iterative"
    ),
    "graph, paths": PathWeights(4),
    "low rank, gradients": KernelLaplacianWeights(),
    "low rank, gradients, few landmarks": KernelLaplacianWeights(6, bandwidth=2.0, smoothing=0.1),
    "kernel ridge and neighbors, mixed": MixedWeights(
        [NeighborWeights(4), KernelRidgeWeights()], shares=[1, 3]
    ),
    "kernel ridge, scaled": ScaledWeights(KernelRidgeWeights(), scales=[1.0, 0.5, 0.0]),
    "graph, paths, scaled": ScaledWeights(PathWeights(3, power=1.0), scales=[1.0, 0.5, 2.0]),
    "neighbors, scaled": ScaledWeights(NeighborWeights(4), scales=[1.0, 0.5, 2.0]),
    "kernel ridge, squashed": SquashedWeights(KernelRidgeWeights(), scales=[1.0, 0.5, 0.0]),
    "neighbors, squashed": SquashedWeights(NeighborWeights(4)),
    "precomputed": PrecomputedWeights(),
    "precomputed, normalized": PrecomputedWeights(normalize=True),
    "function": FunctionWeights(inner),
    "function, normalized": FunctionWeights(inner, normalize=True),
}
TAKE_SPARSE = [
    name for name, weighting in WEIGHTINGS.items() if not isinstance(weighting, FunctionWeights)
]
every_weighting = pytest.mark.parametrize("name", WEIGHTINGS)


def inputs(weighting, A, B):
    """`A` in the form that the weighting needs, with training rows `B`."""
    if not is_pairwise(weighting):
        return A
    squared = ((A[:, None] - B[None]) ** 2).sum(axis=-1)
    if isinstance(weighting, NeighborWeights | LaplacianWeights | PoissonWeights):
        return np.sqrt(squared)
    return np.exp(-squared / 2)


def fitted(name, rows=X, sample_weight=None):
    weighting = clone(WEIGHTINGS[name])
    return weighting.fit(inputs(weighting, rows, rows), sample_weight)


def entries(votes):
    return votes @ np.eye(votes.shape[1])


@every_weighting
def test_the_public_check(name):
    weighting = WEIGHTINGS[name]
    check_weighting(weighting, inputs=lambda A, B: inputs(weighting, A, B))


@every_weighting
def test_leave_one_out_has_no_diagonal(name):
    others = entries(fitted(name, sample_weight=COUNTS).leave_one_out_votes())
    # The diagonal of votes that are solved for, or held as products, is zero up to rounding.
    rounding = 1e-14 if "graph" in name or "low rank" in name else 0.0
    assert_allclose(
        others.diagonal(), np.zeros(25), atol=1e-11 if "low rank, iter" in name else rounding
    )


# Kernel ridge, of low rank or not, keeps n lam, partitions keep their leaves, graphs their nodes:
# see their own tests.
KEEPING = ("kernel ridge", "low rank", "grown", "graph", "adaptive")
REMOVED = [name for name in WEIGHTINGS if not any(word in name for word in KEEPING)]


@pytest.mark.parametrize("name", REMOVED)
def test_leave_one_out_is_removal(name):
    weighting = fitted(name, sample_weight=COUNTS)
    parameters = {"bandwidth": weighting.bandwidth_} if name == "Nadaraya-Watson" else {}
    found = entries(weighting.leave_one_out_votes())
    for i in range(25):
        rest = np.delete(np.arange(25), i)
        without = clone(WEIGHTINGS[name]).set_params(**parameters)
        without.fit(inputs(without, X[rest], X[rest]), COUNTS[rest])
        expected = entries(without.votes(inputs(without, X[i : i + 1], X[rest])))[0]
        assert_allclose(found[i, rest], expected, atol=1e-12)


@pytest.mark.parametrize("name", TAKE_SPARSE)
def test_sparse_inputs(name):
    weighting = fitted(name)
    sparse = clone(WEIGHTINGS[name]).fit(sp.csr_matrix(stored(inputs(weighting, X, X))))
    queries = inputs(weighting, Q, X)
    assert_allclose(
        entries(sparse.votes(stored(queries))), entries(weighting.votes(queries)), atol=1e-9
    )
    assert_allclose(
        entries(sparse.training_votes()), entries(weighting.training_votes()), atol=1e-9
    )


def stored(array):
    """A sparse array that stores its zeros, which are distances too."""
    q, n = array.shape
    return sp.csr_array(
        (array.ravel(), np.tile(np.arange(n), q), np.arange(0, q * n + 1, n)), shape=(q, n)
    )


@every_weighting
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (
            np.ones(24),
            r"sample_weight must have shape \(25,\), one number for each row; got shape \(24,\)",
        ),
        (np.ones((25, 1)), r"got shape \(25, 1\)"),
        (np.arange(25.0), r"row 0 has 0.0 \(1 such rows\). Leave rows of weight 0 out"),
        (np.where(np.arange(25) < 23, 1.0, -1.0), r"row 23 has -1.0 \(2 such rows\)"),
        (np.where(np.arange(25) == 4, np.nan, 1.0), "row 4 has nan"),
        (np.where(np.arange(25) == 4, np.inf, 1.0), "row 4 has inf"),
    ],
)
def test_bad_weights(name, weights, message):
    with pytest.raises(ValueError, match=f"{type(WEIGHTINGS[name]).__name__}: .*{message}"):
        fitted(name, sample_weight=weights)


@pytest.mark.parametrize("name", TAKE_SPARSE)
@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("wrap", [np.array, sp.csr_array])
def test_inputs_that_are_not_finite(name, value, wrap):
    weighting = fitted(name)
    rows, queries = inputs(weighting, X, X).copy(), inputs(weighting, Q, X).copy()
    rows[5, 1] = queries[2, 1] = value
    if reads_missing(weighting) and np.isnan(value) and wrap is np.array:
        assert np.isfinite(entries(weighting.votes(queries))).all()
        return
    who = type(weighting).__name__
    with pytest.raises(
        ValueError, match=rf"{who}: X contains NaN or infinity, first in row 2, column 1: "
    ):
        weighting.votes(wrap(queries))
    with pytest.raises(
        ValueError, match=rf"{who}: X contains NaN or infinity, first in row 5, column 1: "
    ):
        weighting.fit(wrap(rows))


@pytest.mark.parametrize("name", TAKE_SPARSE)
@pytest.mark.parametrize("value", [1.1e36, -1e154, np.finfo(np.float64).min])
@pytest.mark.parametrize("wrap", [np.array, sp.csr_array])
def test_entries_whose_squares_overflow(name, value, wrap):
    weighting = fitted(name)
    rows, queries = inputs(weighting, X, X).copy(), inputs(weighting, Q, X).copy()
    rows[5, 1] = queries[2, 1] = value
    message = rf"{type(weighting).__name__}: X contains {re.escape(f'{value:g}')} in row"
    limit = r"column 1; the largest size accepted is 1e\+36.*Scale"
    with pytest.raises(ValueError, match=rf"{message} 2, {limit}"):
        weighting.votes(wrap(queries))
    with pytest.raises(ValueError, match=rf"{message} 5, {limit}"):
        weighting.fit(wrap(rows))


@pytest.mark.parametrize("name", TAKE_SPARSE)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("wrap", [np.array, sp.csr_array])
def test_the_largest_entries_that_are_accepted(name, dtype, wrap):
    weighting = fitted(name)
    if not is_pairwise(weighting):
        # One weighting scales a column by 2.
        far = wrap(np.array([[5e35, -5e35, 5e35], [0.0, 0.0, 5e35]], dtype=dtype))
        assert np.isfinite(entries(weighting.votes(far))).all()
    rows = wrap((inputs(weighting, X, X) * 2.0**116).astype(dtype))
    refitted = clone(weighting)
    if isinstance(weighting, KernelRidgeWeights) and is_pairwise(weighting):
        refitted.set_params(regularization=1e-3 * 2.0**116)
    refitted.fit(rows)
    for votes in (refitted.training_votes(), refitted.leave_one_out_votes()):
        assert np.isfinite(entries(votes)).all()


@pytest.mark.parametrize("wrap", [np.array, sp.csr_array])
def test_scales_that_make_entries_too_large(wrap):
    weighting = ScaledWeights(NeighborWeights(4), scales=[1.0, 1e30, 1.0])
    rows = X.copy()
    rows[5, 1] = 1e10
    message = r"ScaledWeights: multiplied by its scales, X contains 1e\+40 in row 5, column 1"
    with pytest.raises(ValueError, match=message):
        clone(weighting).fit(wrap(rows))
    with pytest.raises(ValueError, match=message):
        clone(weighting).fit(wrap(X)).votes(wrap(rows))


@pytest.mark.parametrize("name", TAKE_SPARSE)
@pytest.mark.parametrize("wrap", [np.array, sp.csr_array])
def test_features_that_are_all_tiny(name, wrap):
    weighting = clone(WEIGHTINGS[name])
    rows = wrap(1e-160 * inputs(weighting, X, X))
    if is_pairwise(weighting):
        assert np.isfinite(entries(weighting.fit(rows).votes(rows))).all()
        return
    message = r": X: the largest entry in size is .*e-160, less than 1e-36: .*Scale X"
    with pytest.raises(ValueError, match=type(weighting).__name__ + message):
        weighting.fit(rows)
    # Queries near zero are no problem.
    assert np.isfinite(entries(fitted(name).votes(wrap(1e-160 * Q)))).all()


@pytest.mark.parametrize("name", TAKE_SPARSE)
@pytest.mark.parametrize(("value", "text"), [(np.inf, "NaN or inf"), (-1e300, r"-1e\+300")])
def test_errors_name_the_columns_of_a_frame(name, value, text):
    weighting = fitted(name)
    rows = inputs(weighting, X, X).copy()
    rows[5, 1] = value
    names = [f"feature {k}" for k in range(rows.shape[1])]
    frame = pd.DataFrame(rows, columns=names)
    with pytest.raises(ValueError, match=rf"X contains {text}.* in row 5, column 'feature 1'"):
        clone(weighting).fit(frame)
    numbered = pd.DataFrame(rows, columns=range(10, 10 + rows.shape[1]))
    with pytest.raises(ValueError, match=rf"X contains {text}.* in row 5, column 1\b"):
        clone(weighting).fit(numbered)


@every_weighting
@pytest.mark.parametrize(
    ("low", "high", "message"),
    [
        (1.0, 1e51, r"row 4 has 1e\+51; expected 0, or a number from 1e-100 to 1e\+50"),
        (1.0, 1e-101, "row 4 has 1e-101; expected 0, or a number from 1e-100"),
        (1e-60, 1e-55, "the largest is 1e-55, in row 4; expected at least 1e-50"),
    ],
)
def test_sample_weights_of_extreme_size(name, low, high, message):
    sample_weight = np.where(np.arange(25) == 4, high, low)
    with pytest.raises(ValueError, match=f"{type(WEIGHTINGS[name]).__name__}: .*{message}"):
        fitted(name, sample_weight=sample_weight)


@every_weighting
@pytest.mark.parametrize("scale", [1e-49, 1e49])
@pytest.mark.filterwarnings("ignore:.*n_neighbors:UserWarning")
def test_sample_weights_of_large_and_small_scale(name, scale):
    weighting = fitted(name, sample_weight=scale * COUNTS)
    for votes in (
        weighting.training_votes(),
        weighting.leave_one_out_votes(),
        weighting.votes(inputs(weighting, Q, X)),
    ):
        assert np.isfinite(entries(votes)).all()


@pytest.mark.parametrize("name", TAKE_SPARSE)
def test_another_number_of_columns(name):
    weighting = fitted(name)
    with pytest.raises(ValueError, match=r"shape \(6, 2\)|has 2 features"):
        weighting.votes(inputs(weighting, Q, X)[:, :2])
