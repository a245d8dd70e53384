"""The temperature of highest likelihood of the sets: brute force, simulation, limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import softmax

from disambig.estimators.held_out.set_likelihood import SetCalibration, fit_set_calibration


def simulated(n, n_classes, temperature, wrong_share=0.0, seed=0):
    """Scores, and sets that contain the true class with uniform others, or miss it."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n, n_classes))
    probabilities = softmax(scores / temperature, axis=1)
    truth = (probabilities.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    # Sizes say nothing, and of the sets of a size all are as likely.
    size = rng.integers(1, n_classes, n)
    is_wrong = rng.random(n) < wrong_share
    keys = rng.random((n, n_classes))
    keys[np.arange(n), truth] = np.where(is_wrong, 2.0, -1.0)
    mask = keys.argsort(axis=1).argsort(axis=1) < size[:, None]
    return scores, mask


def log_likelihood(scores, mask, temperature, nu, weights):
    """Row by row, from the formula."""
    total = 0.0
    for row, members, weight in zip(scores, mask, weights, strict=True):
        size = int(members.sum())
        if size == len(members):
            continue
        p = np.exp(row / temperature)
        inside = p[members].sum() / p.sum()
        odds = size / (len(members) - size)
        total += weight * np.log((1 - nu) * inside + nu * (1 - inside) * odds)
    return total


def fit(scores, mask, weights=None):
    weights = np.ones(len(mask)) if weights is None else weights
    return fit_set_calibration(scores, mask, weights, np.ones(mask.shape[1], dtype=bool))


@pytest.mark.parametrize("wrong_share", [0.0, 0.25])
def test_no_point_of_a_grid_has_a_higher_likelihood(wrong_share):
    scores, mask = simulated(150, 4, 0.5, wrong_share)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, 150)
    found = fit(scores, mask, weights)
    best = log_likelihood(scores, mask, found.temperature, found.wrong_share, weights)
    used = weights[~mask.all(axis=1)].sum()
    assert_allclose(best / used, found.log_likelihood)
    shares = [0.0] if found.wrong_share == 0 else np.linspace(0.0, 0.5, 26)
    for temperature in np.geomspace(0.02, 20.0, 60):
        for nu in shares:
            assert log_likelihood(scores, mask, temperature, nu, weights) <= best + 1e-3


@pytest.mark.parametrize("temperature", [0.3, 1.0])
def test_the_temperature_of_simulated_sets_is_found(temperature):
    scores, mask = simulated(8000, 5, temperature)
    found = fit(scores, mask)
    assert_allclose(found.temperature, temperature, rtol=0.08)
    assert found.wrong_share < 0.02


def test_wrong_sets_are_found_and_do_not_raise_the_temperature():
    scores, mask = simulated(8000, 5, 0.3, wrong_share=0.2)
    found = fit(scores, mask)
    assert_allclose(found.temperature, 0.3, rtol=0.12)
    assert_allclose(found.wrong_share, 0.2, atol=0.03)


def test_certainty_is_not_claimed_where_every_set_contains_the_best_class():
    scores = np.tile([1.0, 0.0, 0.0], (20, 1))
    mask = np.tile([True, True, False], (20, 1))
    found = fit(scores, mask)
    # As if half a set had been missed.
    assert_allclose(log_likelihood(scores, mask, found.temperature, 0.0, np.ones(20)), -0.5, 0.1)
    twice = fit(np.tile(scores, (50, 1)), np.tile(mask, (50, 1)))
    assert twice.temperature < found.temperature


def test_rows_without_information_play_no_part():
    scores, mask = simulated(200, 4, 0.5)
    extra_scores = np.vstack([scores, np.ones((30, 4)), np.zeros((5, 4))])
    extra_mask = np.vstack([mask, np.ones((30, 4), bool), np.eye(4, dtype=bool)[[0, 1, 2, 3, 0]]])
    assert fit(extra_scores, extra_mask) == fit(scores, mask)
    nothing = fit(np.zeros((3, 4)), np.ones((3, 4), bool))
    assert nothing == SetCalibration(1.0, 0.0, 0.0)


def test_impossible_classes_have_no_probability():
    possible = np.array([True, False, True])
    found = SetCalibration(0.5, 0.0, 0.0)(np.array([[0.2, 5.0, 0.1]]), possible)
    assert found[0, 1] == 0
    assert_allclose(found.sum(), 1.0)


@given(st.integers(0, 10_000), st.floats(0.1, 10.0))
@settings(max_examples=20, deadline=None)
def test_units_of_scores_and_copies_do_not_matter(seed, unit):
    scores, mask = simulated(40, 3, 0.5, seed=seed)
    found = fit(scores, mask)
    scaled = fit(scores * unit, mask)
    assert_allclose(scaled.temperature, found.temperature * unit, rtol=0.05)
    copies = np.random.default_rng(seed).integers(1, 4, 40)
    repeated = fit(np.repeat(scores, copies, axis=0), np.repeat(mask, copies, axis=0))
    weighted = fit(scores, mask, copies.astype(float))
    assert_allclose(repeated.temperature, weighted.temperature, rtol=1e-6)
