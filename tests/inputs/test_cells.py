"""The steps of the objective of cells, against brute force, enumeration and scikit-learn."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge

from disambig.inputs import CellProblem, InputDraws, PartialInputs, fit_distribution
from disambig.inputs.cells import CellChoice
from disambig.weights.kernels.random_features import FourierFeatures


def problem(seed=0, n=14, m=3, temperature=1.0, q=2):
    """Draws of some of n rows, targets and weights."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, m, 2))
    rows = np.flatnonzero(rng.random(n) < 0.6)
    known = values.mean(axis=1)
    targets = rng.normal(size=(n, q))
    weights = rng.integers(1, 4, n).astype(float)
    draws = InputDraws(known, rows, values[rows])
    return CellProblem.of(draws, targets, temperature, weights), targets


def test_the_predictor_is_a_weighted_ridge_regression():
    cells, targets = problem()
    r, m, d = cells.draws.values.shape
    rng = np.random.default_rng(1)
    weights = rng.dirichlet(np.ones(m), r)
    closed = np.setdiff1d(np.arange(len(targets)), cells.draws.rows)
    inputs = np.vstack([cells.draws.known[closed], cells.draws.values.reshape(-1, d)])
    rows = np.concatenate([closed, np.repeat(cells.draws.rows, m)])
    copies = np.concatenate([np.ones(len(closed)), weights.ravel()])
    ridge = Ridge(cells.ridge, fit_intercept=False, solver="cholesky")
    ridge.fit(cells.features(inputs), targets[rows], copies * cells.sample_weight[rows])
    np.testing.assert_allclose(cells.predictor(targets, weights).T, ridge.coef_, atol=1e-8)


@pytest.mark.parametrize("temperature", [0.2, 1.0, 5.0])
def test_no_weights_on_a_grid_are_better(temperature):
    """All distributions over three draws in steps of a twentieth, in each row."""
    cells, targets = problem(temperature=temperature)
    r, m, _ = cells.draws.values.shape
    coefficients = cells.predictor(targets, np.full((r, m), 1 / m))
    costs = cells.costs(coefficients, targets)[1]
    found = cells.weights(costs)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    grid = np.array([p for p in itertools.product(range(21), repeat=3) if sum(p) == 20]) / 20
    logs = np.where(grid > 0, np.log(np.where(grid > 0, m * grid, 1.0)), 0.0)
    divergence = (grid * logs).sum(axis=1)
    best = (costs @ grid.T + cells.temperature * divergence).min(axis=1)
    own = (found * (costs + cells.temperature * np.log(m * found))).sum(axis=1)
    assert (own <= best + 1e-12).all()
    # And the grid is so fine that the two are close.
    assert (best - own < 0.05 * cells.temperature).all()


def test_the_limits_of_the_temperature():
    cold, targets = problem(temperature=1e-9)
    coefficients = cold.predictor(targets, np.full(cold.draws.values.shape[:2], 1 / 3))
    costs = cold.costs(coefficients, targets)[1]
    np.testing.assert_array_equal(cold.weights(costs).argmax(axis=1), costs.argmin(axis=1))
    np.testing.assert_allclose(cold.weights(costs).max(axis=1), 1)
    hot, _ = problem(temperature=1e9)
    np.testing.assert_allclose(hot.solve(targets).weights, 1 / 3, atol=1e-6)


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.floats(0.05, 10.0))
def test_the_objective_never_rises(seed, temperature):
    rng = np.random.default_rng(seed)
    values, rows = rng.normal(size=(12, 3, 2)), np.flatnonzero(rng.random(12) < 0.6)
    draws = InputDraws(values.mean(axis=1), rows, values[rows])
    features, weights = FourierFeatures(rng.normal(size=(2, 4))), rng.random(12) + 0.1
    cells = CellProblem(draws, weights, features, 10.0 ** rng.uniform(-3, 1), temperature, 1.0)
    targets = rng.normal(size=(12, 2))
    choice: CellChoice | None = None
    trace = []
    for _ in range(4):
        choice = cells.solve(targets, choice)
        trace.extend(choice.trace)
        assert choice.objective == pytest.approx(
            cells.objective(choice.coefficients, choice.weights, targets)
        )
        proposed = rng.normal(size=targets.shape)
        better = cells.better_targets(choice, targets, proposed)
        targets = np.where(better[:, None], proposed, targets)
        trace.append(cells.objective(choice.coefficients, choice.weights, targets))
    assert (np.diff(trace) <= 1e-9 * np.abs(trace[:-1])).all()


def test_alternation_finds_what_enumeration_finds():
    """Four cells that are one of two values each: the best of all sixteen choices."""
    x = np.linspace(-1, 1, 12)
    rows = np.array([1, 4, 7, 10])
    values = np.stack([x[rows], -x[rows]], axis=1)[:, :, None]
    draws = InputDraws(np.where(np.isin(np.arange(12), rows), 0.0, x)[:, None], rows, values)
    targets = np.sign(x)[:, None]
    cells = CellProblem.of(draws, targets, 0.05)
    found = cells.solve(targets).weights.argmax(axis=1)
    objectives = {}
    for choice in itertools.product((0, 1), repeat=4):
        weights = np.eye(2)[list(choice)]
        objectives[choice] = cells.objective(cells.predictor(targets, weights), weights, targets)
    assert tuple(found) == min(objectives, key=objectives.__getitem__) == (0, 0, 0, 0)


def test_blocks_of_rows_change_nothing(monkeypatch):
    cells, targets = problem()
    found = cells.solve(targets)
    monkeypatch.setattr("disambig.inputs.cells._BLOCK_ENTRIES", 512)
    monkeypatch.setattr("disambig.inputs.cells._KEPT_ENTRIES", 0)
    again, _ = problem()
    assert len(again._parts) > len(cells._parts)
    np.testing.assert_allclose(again.solve(targets).weights, found.weights, rtol=1e-8)


def test_weights_are_copies():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(20, 2, 2))
    copies = rng.integers(1, 4, 20)
    targets = rng.normal(size=(20, 1))
    one = InputDraws(values.mean(axis=1), np.arange(20), values)
    many = one.take(np.repeat(np.arange(20), copies))
    weighted = CellProblem(one, copies.astype(float), *_same(one, targets))
    repeated = CellProblem(many, np.ones(copies.sum()), *_same(one, targets))
    found = weighted.solve(targets)
    other = repeated.solve(np.repeat(targets, copies, axis=0))
    np.testing.assert_allclose(np.repeat(found.weights, copies, axis=0), other.weights, rtol=1e-6)
    assert found.objective == pytest.approx(other.objective)


def _same(draws, targets):
    found = CellProblem.of(draws, targets, 1.0)
    return found.features, found.ridge, found.temperature, found.noise


def test_in_sample_fit_is_gamed_without_a_penalty_and_held_out_rows_show_it():
    """Noise as targets: a low temperature explains the rows themselves, and no others."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(60, 2))
    X = PartialInputs.from_bounds(values - 1.5, values + 1.5)
    distribution = fit_distribution(X)
    draws = distribution.draws(X)
    targets = rng.choice([-1.0, 1.0], (60, 1))
    fits = {}
    for temperature in (0.02, 1e6):
        cells = CellProblem.of(draws, targets, temperature)
        found = cells.solve(targets)
        cost = (found.weights * cells.costs(found.coefficients, targets)[1]).sum(axis=1).mean()
        new = PartialInputs.from_bounds(values[::-1] - 1.0, values[::-1] + 1.5)
        labels = rng.choice([-1.0, 1.0], (60, 1))
        predicted = cells.features(distribution.means(new)) @ found.coefficients
        fits[temperature] = cost, float(((predicted - labels) ** 2).mean())
    # Among the rows themselves the targets look more predictable; at new rows they are not.
    assert fits[0.02][0] < 0.8 * fits[1e6][0]
    assert fits[0.02][1] > 0.95
