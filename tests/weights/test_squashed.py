"""`SquashedWeights`: tails, units, copies."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from disambig.weights import KernelRidgeWeights, NeighborWeights, SquashedWeights
from disambig.weights.squashed import Squash


def heavy(n=60, seed=0):
    return np.exp(2.0 * np.random.default_rng(seed).normal(size=(n, 3)))


def test_the_map_is_linear_near_the_median_and_logarithmic_in_the_tails():
    x = np.concatenate([np.linspace(-1, 1, 101), [1e6]])[:, None]
    squash = Squash.of(x, np.ones(102))
    low, middle, high = np.sort(x[:, 0])[[25, 50, 76]]
    spread = high - low
    t = (x[:, 0] - middle) / spread
    expected = np.where(np.abs(t) <= 3, t, np.sign(t) * (3 + np.log(np.maximum(np.abs(t) - 2, 1))))
    found = squash(x)[:, 0]
    assert_allclose(found, (expected - expected.mean()) / expected.std(), rtol=1e-10)
    assert found[-1] < 15


def test_units_and_offsets_do_not_matter():
    X, factors = heavy(), np.array([1e-6, 1.0, 1e7])
    queries = heavy(5, seed=1)
    weights = KernelRidgeWeights(bandwidth=1.0)
    plain = SquashedWeights(weights).fit(X).votes(queries) @ np.eye(60)
    moved = SquashedWeights(weights).fit(X * factors + 1.0).votes(queries * factors + 1.0)
    assert_allclose(moved @ np.eye(60), plain, atol=1e-6)


def test_a_weight_is_so_many_copies():
    X = heavy(20)
    weight = np.arange(20) % 3 + 1.0
    copies = np.repeat(X, weight.astype(int), axis=0)
    one, other = Squash.of(X, weight), Squash.of(copies, np.ones(len(copies)))
    for name in ("centers", "spreads", "means", "factors"):
        assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-12)


def test_scales_and_constant_columns():
    X = np.column_stack([heavy()[:, 0], np.full(60, 7.0)])
    assert (Squash.of(X, np.ones(60))(X)[:, 1] == 0).all()
    near = SquashedWeights(NeighborWeights(1), [0.0, 1.0]).fit(X)
    assert_allclose(near.votes(X[:3]).absolute_row_sums(), 1.0)
    with pytest.raises(ValueError, match="scales must be 2 finite numbers >= 0"):
        SquashedWeights(NeighborWeights(1), [1.0]).fit(X)


def test_too_many_sparse_rows_are_refused():
    X = sp.csr_array((10**6, 10**8))
    with pytest.raises(MemoryError, match="Use ScaledWeights"):
        SquashedWeights(NeighborWeights(1)).fit(X)
