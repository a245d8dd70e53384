"""Scales are large for features that the sets depend on, and do not depend on units."""

import numpy as np
import scipy.sparse as sp
from numpy.testing import assert_allclose

from disambig.estimators.selection.scales import feature_scales, unit_scales


def problem(seed=0, n=300, d=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    truth = (X[:, 0] + X[:, 2] > 0).astype(int) + (X[:, 0] > 1)
    mask = rng.random((n, 3)) < 0.4
    mask[np.arange(n), truth] = True
    return X, mask / mask.sum(axis=1, keepdims=True)


def test_informative_features_have_the_largest_scales():
    X, shares = problem()
    scales = feature_scales(X, shares, np.ones(300))
    assert set(np.argsort(-scales)[:2]) == {0, 2}
    assert scales[[0, 2]].min() > 1.2 * np.delete(scales, [0, 2]).max()
    assert_allclose(np.mean((scales * X.std(axis=0)) ** 2), 1.0)


def test_scales_do_not_depend_on_units():
    X, shares = problem()
    units = np.array([1e-3, 1.0, 1e4, 2.0, 1.0, 7.0])
    plain, other = (feature_scales(Z, shares, np.ones(300)) for Z in (X, X * units))
    assert_allclose(other * units, plain, rtol=0.05)
    weights = np.arange(1.0, 301.0)
    expected = 1 / np.sqrt(np.cov(X.T, aweights=weights, ddof=0).diagonal())
    assert_allclose(unit_scales(X, weights), expected)
    assert_allclose(unit_scales(sp.csr_array(X), weights), expected)
    X[:, 1] = 1e8
    assert unit_scales(X, weights)[1] == unit_scales(sp.csr_array(X), weights)[1] == 0.0


def test_sparse_inputs_and_sample_weights():
    X, shares = problem()
    X[np.abs(X) < 0.3] = 0.0
    dense = feature_scales(X, shares, np.ones(300))
    assert_allclose(feature_scales(sp.csr_array(X), shares, np.ones(300)), dense, atol=1e-8)
    assert not np.allclose(feature_scales(X, shares, np.arange(1.0, 301.0)), dense)


def test_no_scales_for_one_feature_or_uninformative_sets():
    X, shares = problem()
    assert feature_scales(X[:, :1], shares, np.ones(300)) is None
    assert feature_scales(X, np.full((300, 3), 1 / 3), np.ones(300)) is None
