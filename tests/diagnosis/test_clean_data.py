"""No issue on clean data, of every kind."""

import numpy as np
import pytest
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_multilabel_classification,
)

from disambig import Intervals, PartialBits, PartialOrders, diagnose
from disambig.datasets import UniformCorruption

# Tips that clean data may have: overlapping classes, sets of all classes, units.
MAX_TIPS = 3


def assert_quiet(report):
    assert not report.issues, str(report)
    assert len(report.tips) <= MAX_TIPS, str(report)
    assert report.passed


@pytest.mark.parametrize("corruption", [0.0, 0.3])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits, load_breast_cancer])
def test_labels(load, corruption):
    X, truth = load(return_X_y=True)
    y = UniformCorruption(corruption)(truth, random_state=0) if corruption else truth
    assert_quiet(diagnose(X, y))


@pytest.mark.parametrize("seed", range(3))
def test_numbers(seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(300, 3))
    center = np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=300)
    below, above = rng.exponential(0.5, size=(2, 300))
    y = np.column_stack([center - below, center + above])
    y[:40, 1] = np.inf
    y[40:80, 0] = -np.inf
    assert_quiet(diagnose(X, Intervals.from_any(y)))
    assert_quiet(diagnose(X, center))


@pytest.mark.parametrize("seed", range(3))
def test_orders(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 4))
    ranks = np.argsort(np.argsort(-X @ rng.normal(size=(4, 5)), axis=1), axis=1).astype(float)
    assert_quiet(diagnose(X, PartialOrders.from_any(ranks)))
    ranks[rng.random(ranks.shape) < 0.4] = np.nan
    assert_quiet(diagnose(X, PartialOrders.from_any(ranks)))


@pytest.mark.parametrize("seed", range(3))
def test_bits(seed):
    X, bits = make_multilabel_classification(300, n_classes=6, random_state=seed)
    assert_quiet(diagnose(X, PartialBits.from_any(bits)))
    hidden = np.random.default_rng(seed).random(bits.shape) < 0.4
    assert_quiet(diagnose(X, PartialBits.from_any(np.where(hidden, np.nan, bits))))


def test_heavily_corrupted_sets_are_no_region_that_never_narrows():
    X, truth = load_digits(return_X_y=True)
    y = UniformCorruption(0.8)(truth[:1000], random_state=0)
    assert not diagnose(X[:1000], y).issues


def test_no_findings_on_random_clean_labels():
    """Three blobs that overlap a little, many draws: never an issue."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        truth = rng.integers(3, size=150)
        X = rng.normal(size=(150, 2)) + 4.0 * np.eye(3, 2)[truth]
        y = UniformCorruption(0.4)(truth, random_state=seed)
        report = diagnose(X, y)
        assert not report.issues, str(report)
