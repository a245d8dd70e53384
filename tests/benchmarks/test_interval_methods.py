"""Methods of the interval benchmark, checked by search, grids and optimality conditions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime

from benchmarks.intervals.accelerated_failure_time import BOOSTING
from benchmarks.intervals.default import DEFAULT
from benchmarks.intervals.hinge import minimum, residuals, squared_hinge
from benchmarks.intervals.interval_forest import FOREST, TREE, fit_forest
from benchmarks.intervals.interval_tree import grow
from benchmarks.intervals.linear import lasso, ridge
from benchmarks.intervals.method import MARGINS, MAX_SETTINGS, Method, grid
from benchmarks.intervals.methods import METHODS
from benchmarks.intervals.mixture import mixing_weights
from benchmarks.intervals.neighbors import fit_constant, fit_neighbors
from benchmarks.intervals.perceptron import fit_perceptron, loss_and_gradient
from benchmarks.intervals.scaling import Scaling
from benchmarks.intervals.second_list import LEARNERS, SECOND_LIST
from benchmarks.intervals.selection import choose, fit_scaled, run

margins = st.sampled_from([0.0, 0.25, 1.0])
seeds = st.integers(0, 10**6)


def problem(seed, n=12, d=3, levels=None):
    """Intervals around a line, with half-lines, points and (with `levels`) many ties."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) if levels is None else rng.integers(levels, size=(n, d)) * 1.0
    centers = X[:, 0] + rng.normal(size=n)
    if levels is not None:
        centers = np.round(centers)
    radii = rng.integers(3, size=n) / 2
    lower, upper = centers - radii, centers + radii
    lower[rng.random(n) < 0.2] = -np.inf
    upper[(rng.random(n) < 0.2) & np.isfinite(lower)] = np.inf
    return X, lower, upper


def loss(z, lower, upper, margin=0.0):
    return squared_hinge(np.asarray(z), lower, upper, margin).sum()


def test_squared_hinge_is_the_squared_distance():
    lower, upper = np.array([-np.inf, 0.0, 1.0, 2.0]), np.array([1.0, 3.0, np.inf, 2.0])
    np.testing.assert_allclose(squared_hinge(np.full(4, -1.0), lower, upper), [0, 1, 4, 9])
    np.testing.assert_allclose(squared_hinge(np.full(4, 4.0), lower, upper), [9, 1, 0, 4])
    np.testing.assert_allclose(squared_hinge(np.full(4, 2.0), lower, upper, 1.0), [4, 0, 0, 2])


@given(seed=seeds, margin=margins, levels=st.sampled_from([None, 2]))
def test_no_constant_of_a_grid_is_better_than_the_minimum(seed, margin, levels):
    _, lower, upper = problem(seed, levels=levels)
    best, value = minimum(lower, upper, margin)
    assert value == pytest.approx(loss(best, lower, upper, margin), abs=1e-10)
    nearby = best + np.array([-1e-3, 1e-3])
    others = np.concatenate([np.linspace(-6, 6, 400), nearby])
    losses = squared_hinge(others[:, None], lower, upper, margin).sum(axis=1)
    assert losses.min() >= value - 1e-10


def test_of_several_minima_the_middle_or_the_finite_end_is_returned():
    none = np.array([np.inf])
    assert minimum(np.array([0.0, 1.0]), np.array([4.0, 3.0]), 0.0) == (2.0, 0.0)
    assert minimum(np.array([1.5]), none, 0.0) == (1.5, 0.0)
    assert minimum(-none, np.array([1.5]), 0.0) == (1.5, 0.0)
    assert minimum(-none, none, 0.0) == (0.0, 0.0)


def exhaustive_split(X, lower, upper, margin, min_leaf, counts):
    """Least loss of two sides, each with its best constant, over all thresholds."""
    best = np.inf
    for f in range(X.shape[1]):
        for cut in np.unique(X[:, f])[:-1]:
            left = X[:, f] <= cut
            if min(left.sum(), (~left).sum()) >= min_leaf:
                total = sum(
                    minimum(np.repeat(lower[s], counts[s]), np.repeat(upper[s], counts[s]), margin)[
                        1
                    ]
                    for s in (left, ~left)
                )
                best = min(best, total)
    return best


@given(
    seed=seeds,
    margin=margins,
    min_leaf=st.sampled_from([1, 3]),
    levels=st.sampled_from([None, 3]),
    repeated=st.booleans(),
)
def test_every_split_is_the_best_of_an_exhaustive_search(seed, margin, min_leaf, levels, repeated):
    X, lower, upper = problem(seed, n=9, levels=levels)
    counts = np.random.default_rng(seed).integers(3 if repeated else 1, size=len(X)) + 1
    tree = grow(X, lower, upper, margin=margin, min_leaf=min_leaf, counts=counts)
    members = {0: np.arange(len(X))}
    for node, f in enumerate(tree.feature):
        rows = members[node]
        X_, lower_, upper_, times = X[rows], lower[rows], upper[rows], counts[rows]
        constant, cost = minimum(np.repeat(lower_, times), np.repeat(upper_, times), margin)
        assert tree.value[node] == pytest.approx(constant, abs=1e-9)
        best = exhaustive_split(X_, lower_, upper_, margin, min_leaf, times)
        if f < 0:
            assert best >= cost * (1 - 1e-8) - 1e-12
            continue
        left = X_[:, f] <= tree.threshold[node]
        total = 0.0
        for child, side in ((tree.left[node], left), (tree.right[node], ~left)):
            assert side.sum() >= min_leaf
            members[child] = rows[side]
            repeated_rows = np.repeat(rows[side], counts[rows[side]])
            total += minimum(lower[repeated_rows], upper[repeated_rows], margin)[1]
        assert total == pytest.approx(best, abs=1e-9)
    for node in np.flatnonzero(tree.feature < 0):
        np.testing.assert_array_equal(tree.predict(X[members[node]]), tree.value[node])


def test_counts_mean_repeated_rows():
    X, lower, upper = problem(3, n=30)
    counts = np.random.default_rng(0).integers(3, size=30)
    rows = np.repeat(np.arange(30), counts)
    counted = grow(X, lower, upper, margin=0.3, counts=counts).predict(X)
    np.testing.assert_allclose(
        counted, grow(X[rows], lower[rows], upper[rows], margin=0.3).predict(X)
    )


def test_a_forest_depends_on_its_seed_only():
    X, lower, upper = problem(5, n=40)
    setting = FOREST.settings[-1]
    first, again, other = (
        fit_forest(X, lower, upper, seed=seed, **setting)(X) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 0


@pytest.mark.parametrize("margin", [0.0, 0.7])
@pytest.mark.parametrize("penalty", [1.0, 1e-3])
def test_the_gradient_of_ridge_is_zero(margin, penalty):
    X, lower, upper = problem(1, n=60, d=4)
    w = ridge(X, lower, upper, penalty, margin)
    r = residuals(X @ w[:-1] + w[-1], lower, upper, margin)
    np.testing.assert_allclose(X.T @ r / len(X) + penalty * w[:-1], 0, atol=1e-8)
    assert r.mean() == pytest.approx(0, abs=1e-8)


def test_ridge_finds_a_linear_function_inside_all_intervals():
    X = np.random.default_rng(0).normal(size=(50, 3))
    y = X @ [1.0, -2.0, 0.5] + 3
    w = ridge(X, y - 0.01, y + 0.01, 1e-9, 0.0)
    np.testing.assert_allclose(w, [1.0, -2.0, 0.5, 3.0], atol=0.01)


@pytest.mark.parametrize("margin", [0.0, 0.7])
def test_lasso_meets_its_optimality_conditions(margin):
    X, lower, upper = problem(2, n=60, d=6)
    n, share = len(X), 0.2
    constant, _ = minimum(lower, upper, margin)
    start = 2 * X.T @ residuals(np.full(n, constant), lower, upper, margin) / n
    penalty = share * np.abs(start).max()
    w = lasso(X, lower, upper, share, margin)
    r = residuals(X @ w[:-1] + w[-1], lower, upper, margin)
    gradient = 2 * X.T @ r / n
    used = w[:-1] != 0
    assert 0 < used.sum() < 6
    np.testing.assert_allclose(gradient[used], -penalty * np.sign(w[:-1][used]), atol=1e-5)
    assert np.abs(gradient[~used]).max() <= penalty + 1e-5
    assert r.mean() == pytest.approx(0, abs=1e-5)


def test_the_gradient_of_the_perceptron_is_that_of_its_loss():
    X, lower, upper = problem(4, n=20, d=3)
    parameters = np.random.default_rng(0).normal(size=5 * 5 + 1)
    arguments = (X, lower, upper, 0.1, 0.2)
    numeric = approx_fprime(parameters, lambda p: loss_and_gradient(p, *arguments)[0], 1e-7)
    np.testing.assert_allclose(loss_and_gradient(parameters, *arguments)[1], numeric, atol=1e-5)


def test_the_perceptron_learns_a_nonlinear_function():
    X = np.linspace(-1, 1, 60)[:, None]
    y = np.abs(X[:, 0])
    predict = fit_perceptron(X, y - 0.02, y + 0.02, seed=0, penalty=1e-6, margin=0.0)
    assert np.abs(predict(X) - y).max() < 0.1


def test_all_neighbours_give_the_constant_and_one_gives_its_midpoint():
    X, lower, upper = problem(6)
    constant = fit_constant(X, lower, upper, seed=0)(X)
    all_neighbors = fit_neighbors(X, lower, upper, seed=0, k=100, margin=0.0)(X)
    np.testing.assert_allclose(all_neighbors, constant)
    one = fit_neighbors(X, lower, upper, seed=0, k=1, margin=0.0)(X)
    middles = [minimum(lower[[i]], upper[[i]], 0.0)[0] for i in range(len(X))]
    np.testing.assert_array_equal(one, middles)


def test_boosting_follows_a_step():
    pytest.importorskip("xgboost")
    X = np.repeat([[0.0], [1.0]], 30, axis=0)
    centers = np.where(X[:, 0] > 0, 1.0, -1.0)
    setting = {"distribution": "normal", "scale": 0.3, "depth": 2}
    predict = BOOSTING.fit(X, centers - 0.1, centers + 0.1, seed=0, **setting)
    np.testing.assert_allclose(predict(np.array([[0.0], [1.0]])), [-1, 1], atol=0.2)


def test_scaling_accepts_columns_of_any_kind():
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [
            rng.normal(5, 2, 40),
            np.exp(rng.normal(0, 8, 40)),
            np.full(40, 7.0),
            np.full(40, np.nan),
            np.r_[np.inf, np.nan, -np.inf, rng.normal(size=37)],
            np.r_[1.0, np.zeros(39)],
        ]
    )
    lower, upper = np.r_[-np.inf, np.arange(39.0)], np.r_[np.arange(1.0, 40), np.inf]
    scaling = Scaling.of(X, lower, upper)
    scaled = scaling.inputs(X)
    np.testing.assert_array_equal(scaling.kept, [True, True, False, False, True, True])
    np.testing.assert_allclose(scaled.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(scaled.std(axis=0), 1)
    # The order is kept, and outliers become finite.
    assert (np.argsort(X[:, 1]) == np.argsort(scaled[:, 1])).all()
    assert np.isfinite(scaling.inputs(np.full((1, 6), 1e300))).all()
    ends = scaling.targets(lower)
    assert ends[0] == -np.inf
    np.testing.assert_allclose(scaling.restored(ends[1:]), lower[1:])


@pytest.mark.parametrize(
    "method",
    # The second list fits twelve learners, which are those of the other methods.
    [
        pytest.param(one, id=one.name, marks=pytest.mark.slow if one is SECOND_LIST else [])
        for one in METHODS
    ],
)
def test_every_method_is_run_on_half_lines_and_few_rows(method):
    if not method.is_available:
        pytest.skip(f"no package {method.needs}")
    X, lower, upper = problem(7, n=14, d=2)
    # The first and the last setting, which may be the same.
    for setting in method.settings[:: max(1, len(method.settings) - 1)]:
        predictions = fit_scaled(method, setting, X, lower, upper, seed=0)(X[:5])
        assert predictions.shape == (5,)
        assert np.isfinite(predictions).all()


def test_weights_of_a_mixture_are_the_best_on_held_out_rows():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=200)
    lower, upper = truth - 0.1, truth + 0.1
    lower[::5], upper[1::5] = -np.inf, np.inf
    # Errors of the first two cancel; the third is noise.
    error = rng.normal(size=200)
    learners = np.column_stack([truth + error, truth - error, rng.normal(size=200)])
    found = mixing_weights(learners, lower, upper)
    np.testing.assert_allclose(found, [0.5, 0.5, 0], atol=0.05)
    moved = mixing_weights(1e4 * learners + 7, 1e4 * lower + 7, 1e4 * upper + 7)
    np.testing.assert_allclose(moved, found, atol=1e-3)
    unit = np.mean([squared_hinge(column, lower, upper) for column in learners.T])

    def cost(w):
        mixed = np.mean(squared_hinge(learners @ w, lower, upper))
        return mixed / unit + 0.01 * np.sum((w - 1 / 3) ** 2)

    for other in np.vstack([np.eye(3), rng.dirichlet(np.ones(3), size=50)]):
        assert cost(found) <= cost(other) + 1e-6


def test_equally_good_learners_have_equal_weights():
    ends = np.arange(6.0)
    learners = np.column_stack([ends, ends + 0.5])
    for lower in (ends - 1, ends + 2):
        found = mixing_weights(learners[:, [0, 0]], lower, lower + 3)
        np.testing.assert_allclose(found, [0.5, 0.5], atol=1e-6)
    np.testing.assert_array_equal(mixing_weights(learners, ends - 1, ends + 2), [0.5, 0.5])


def test_the_second_list_has_the_budget_of_all_methods():
    assert METHODS[:2] == (DEFAULT, SECOND_LIST)
    assert len(METHODS) == 10
    assert len(LEARNERS) == MAX_SETTINGS
    assert SECOND_LIST.settings == ({"learners": LEARNERS},)
    assert {setting["margin"] for setting in LEARNERS} <= set(MARGINS)


def test_the_first_of_equal_settings_is_chosen_and_never_nan():
    def fit(X, lower, upper, *, seed, value):
        return lambda queries: np.full(len(queries), value)

    X, lower, upper = problem(8)
    method = Method("constants", fit, grid(value=(np.nan, 50.0, 0.0, 0.0)))
    assert choose(method, X, lower, upper, seed=0) is method.settings[2]


def test_the_choice_does_not_use_held_out_rows():
    X, lower, upper = problem(9, n=40)
    train, test = slice(0, 30), slice(30, 40)
    one = run(TREE, (X[train], lower[train], upper[train]), (X[test], lower[test], upper[test]), 0)
    moved = (X[test] + 1, lower[test] - 5, upper[test] - 5)
    two = run(TREE, (X[train], lower[train], upper[train]), moved, 0)
    assert one.setting == two.setting
    assert one.loss != two.loss


def test_more_settings_than_the_budget_are_refused():
    with pytest.raises(ValueError, match="greedy: expected 1 to 12 settings, got 13"):
        Method("greedy", fit_constant, grid(k=range(13)))
