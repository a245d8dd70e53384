"""Forest, boosting and lasso on intervals: optimality, stages, boxes, weights."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.base import clone

from disambig.candidates import Intervals
from disambig.estimators.interval_models import IntervalBoosting, IntervalForest, IntervalLasso

MODELS = [IntervalForest(n_trees=20), IntervalBoosting(60), IntervalLasso(0.02)]


def plane(n=80, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    truth = 2.0 * X[:, 0] - X[:, 1]
    lower, upper = truth - rng.exponential(0.5, n), truth + rng.exponential(0.5, n)
    lower[::5], upper[1::5] = -np.inf, np.inf
    lower[2::20], upper[2::20] = -np.inf, np.inf
    return X, np.column_stack([lower, upper]), truth


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_numbers_are_learned_from_intervals_and_boxes(model):
    X, y, truth = plane(200)
    found = clone(model).fit(X, y).predict(X)
    assert found.shape == (200,)
    assert np.mean((found - truth) ** 2) < 0.35 * truth.var()
    boxes = np.stack([y, 10.0 * y], axis=1)
    both = clone(model).fit(X, boxes).predict(X)
    assert both.shape == (200, 2)
    assert np.mean((both[:, 1] / 10.0 - truth) ** 2) < 0.5 * truth.var()


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_units_do_not_matter_and_unions_are_refused(model):
    X, y, _ = plane()
    factors = np.array([1e3, 1.0, 1e-5, 7.0])
    plain = clone(model).fit(X, y).predict(X)
    moved = clone(model).fit(X * factors, y).predict(X * factors)
    assert_allclose(moved, plain, atol=1e-4)
    with pytest.raises(TypeError, match="learns from intervals; got unions"):
        clone(model).fit(X[:2], [[(0, 1), (3, 4)], 5.0])


def test_targets_of_the_forest_are_inside_their_intervals():
    X, y, _ = plane()
    model = IntervalForest(n_trees=20, margin=0.1).fit(X, y)
    assert Intervals.from_any(y).inset(0.1).contains(model.labels_).all()


def test_the_first_stages_of_boosting_are_those_of_a_shorter_run():
    X, y, _ = plane()
    long, short = IntervalBoosting(30).fit(X, y), IntervalBoosting(10).fit(X, y)
    assert_array_equal(long.staged(X, [10, 30])[0], short.predict(X))
    assert_array_equal(long.staged(X, [10, 30])[1], long.predict(X))
    sets = Intervals.from_any(y)
    losses = [np.mean(sets.distances(p) ** 2) for p in long.staged(X, [1, 10, 30])]
    assert losses[0] > losses[1] > losses[2]


@pytest.mark.parametrize("share", [0.3, 0.02])
def test_the_lasso_is_the_optimum_of_its_objective(share):
    X, y, _ = plane()
    model = IntervalLasso(share).fit(X, y)
    Z, sets = model.squash_(X), Intervals.from_any(y)

    def hinge(v):
        return np.mean(sets.distances(Z @ v[:4] + v[4]) ** 2)

    constants = np.linspace(-3, 3, 2001)
    best = constants[np.argmin([hinge(np.array([0, 0, 0, 0, c])) for c in constants])]
    start = np.array([0, 0, 0, 0, best])
    slopes = [(hinge(start + 1e-5 * e) - hinge(start - 1e-5 * e)) / 2e-5 for e in np.eye(5)[:4]]
    penalty = share * np.abs(slopes).max()

    def objective(v):
        # Positive and negative parts of the coefficients, so that the penalty is smooth.
        return hinge(np.append(v[:4] - v[4:8], v[8])) + penalty * v[:8].sum()

    exact = minimize(objective, np.zeros(9), bounds=[(0, None)] * 8 + [(None, None)])
    ours = np.concatenate(
        [np.maximum(model.coef_[:, 0], 0), np.maximum(-model.coef_[:, 0], 0), model.intercept_]
    )
    assert objective(ours) <= exact.fun + 1e-3 * hinge(start)


def test_parameters_are_checked():
    X, y, _ = plane()
    with pytest.raises(ValueError, match="rounds"):
        IntervalForest(rounds=0).fit(X, y)
    with pytest.raises(ValueError, match="n_stages"):
        IntervalBoosting(0).fit(X, y)
    with pytest.raises(ValueError, match="share"):
        IntervalLasso(0.0).fit(X, y)
