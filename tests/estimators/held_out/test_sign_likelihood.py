"""Temperatures of held-out signs, against a grid, a general optimiser and known temperatures."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, logit

from disambig.estimators.held_out import sign_likelihood
from disambig.estimators.held_out.sign_likelihood import (
    CLIP,
    MIN_SIGNS,
    SignCalibration,
    fit_sign_calibration,
)


def signs_of(logits, rng, wrong=0.0):
    signs = np.where(rng.random(logits.shape) < expit(logits), 1, -1)
    return np.where(rng.random(logits.shape) < wrong, -signs, signs)


def log_likelihood(temperature, wrong_share, probabilities, signs, weights):
    """By the formula, entry by entry."""
    q = expit(signs * logit(np.clip(probabilities, CLIP, 1 - CLIP)) / temperature)
    values = np.log((1 - wrong_share) * q + wrong_share * (1 - q))
    return float((np.where(signs == 0, 0.0, values) * weights[:, None]).sum())


def independent(n, rng, temperature=1.0, wrong=0.0):
    """One sign a row: then rows are all that varies, and no adjustment is due."""
    logits = 2.5 * rng.normal(size=(n, 1))
    return expit(logits * temperature), signs_of(logits, rng, wrong)


@pytest.mark.parametrize("wrong", [0.0, 0.15])
def test_the_largest_temperature_within_half_a_unit_of_the_best(wrong):
    rng = np.random.default_rng(3)
    p, signs = independent(2000, rng, 1.2, wrong)
    weights = rng.uniform(0.5, 2.0, size=2000)
    found = fit_sign_calibration(p, signs, weights)
    assert (found.wrong_share > 0) == (wrong > 0)
    free = [(None, None), (1e-9, 0.5) if wrong else (0.0, 0.0)]
    best = minimize(
        lambda v: -log_likelihood(np.exp(v[0]), v[1], p, signs, weights),
        [0.0, 0.1 if wrong else 0.0],
        bounds=free,
    )
    lost = -best.fun - log_likelihood(found.temperature, found.wrong_share, p, signs, weights)
    assert lost == pytest.approx(0.5, abs=0.01)
    assert found.temperature > np.exp(best.x[0])
    # By a grid: nothing larger is as good.
    for larger in found.temperature * np.array([1.02, 1.1, 2.0]):
        shares = np.linspace(0, 0.5, 201) if wrong else [0.0]
        assert all(
            -best.fun - log_likelihood(larger, share, p, signs, weights) > lost - 1e-3
            for share in shares
        )


@pytest.mark.parametrize("temperature", [0.4, 1.0, 3.0])
def test_a_known_temperature_is_found(temperature):
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(4000, 6)) * 1.5
    signs = signs_of(logits, rng) * (rng.random(logits.shape) < 0.5)
    found = fit_sign_calibration(expit(logits * temperature), signs, np.ones(4000))
    assert found.temperature == pytest.approx(temperature, rel=0.08)
    assert found.wrong_share == 0
    # Clipping bounds what is returned.
    inside = np.abs(logits * temperature) < logit(1 - CLIP)
    gap = found(expit(logits * temperature)) - expit(logits)
    assert np.abs(gap[inside]).max() < 0.03


def test_wrong_signs_are_found_and_do_not_raise_the_temperature():
    rng = np.random.default_rng(0)
    logits = 4 * rng.normal(size=(3000, 2))
    found = fit_sign_calibration(expit(logits), signs_of(logits, rng, 0.1), np.ones(3000))
    assert found.wrong_share == pytest.approx(0.1, abs=0.02)
    assert found.temperature == pytest.approx(1.1, abs=0.2)
    assert found(np.array([0.0, 0.5, 1.0])) == pytest.approx([0.1, 0.5, 0.9], abs=0.03)


def test_signs_of_one_row_that_depend_on_each_other_count_as_fewer():
    """Each sign three times: the optimum stays, and so does what cannot be distinguished."""
    rng = np.random.default_rng(1)
    p, signs = independent(300, rng)
    once = fit_sign_calibration(p, signs, np.ones(300))
    thrice = fit_sign_calibration(np.tile(p, 3), np.tile(signs, 3), np.ones(300))
    as_rows = fit_sign_calibration(np.tile(p, (3, 1)), np.tile(signs, (3, 1)), np.ones(900))
    assert thrice.temperature == pytest.approx(once.temperature, rel=0.03)
    assert as_rows.temperature < 0.97 * once.temperature


def test_binned_logits_have_the_same_optimum(monkeypatch):
    rng = np.random.default_rng(2)
    logits = 3 * rng.normal(size=(1500, 4))
    p, signs, weights = expit(2 * logits), signs_of(logits, rng, 0.05), rng.uniform(size=1500)
    binned = fit_sign_calibration(p, signs, weights)
    monkeypatch.setattr(sign_likelihood, "_MAX_SIGNS", 10**9)
    exact = fit_sign_calibration(p, signs, weights)
    assert binned.temperature == pytest.approx(exact.temperature, rel=2e-3)
    assert binned.wrong_share == pytest.approx(exact.wrong_share, abs=1e-3)


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_properties(seed):
    rng = np.random.default_rng(seed)
    p = np.round(rng.random((60, 3)), int(rng.integers(1, 4)))
    signs = rng.integers(-1, 2, size=p.shape)
    weights = rng.integers(0, 3, size=60)
    found = fit_sign_calibration(p, signs, weights.astype(float))
    # A pair read backwards has the opposite probability.
    turned = fit_sign_calibration(1 - p, -signs, weights.astype(float))
    np.testing.assert_allclose(turned.temperature, found.temperature, rtol=1e-3)
    np.testing.assert_allclose(found(1 - p), 1 - found(p), atol=1e-12)
    # A weight is a number of copies; what was not observed does not matter.
    p = np.where(signs == 0, np.nan, p)
    copies = np.repeat(np.arange(60), weights)
    repeated = fit_sign_calibration(p[copies], signs[copies], np.ones(len(copies)))
    np.testing.assert_allclose(repeated.temperature, found.temperature, rtol=1e-3)
    values = np.linspace(0, 1, 101)
    calibrated = found(values)
    assert (np.diff(calibrated) >= 0).all()
    assert ((calibrated >= 0) & (calibrated <= 1)).all()
    assert calibrated[50] == pytest.approx(0.5)


def test_certainty_is_not_claimed_where_every_sign_is_predicted():
    p = np.full((200, 1), 0.9)
    found = fit_sign_calibration(p, np.ones((200, 1)), np.ones(200))
    # sum log q >= -1/2: the largest error that 200 right signs allow.
    assert 200 * np.log(found(p)[0, 0]) == pytest.approx(-0.5, abs=0.05)
    pure = fit_sign_calibration(p, np.tile([[1], [-1]], (100, 1)), np.ones(200))
    assert pure(p)[0, 0] < 0.52


def test_few_signs_leave_probabilities_as_they_are():
    p = np.array([[0.0, 0.3], [1.0, 0.9]])
    none = fit_sign_calibration(p, np.zeros((2, 2)), np.ones(2))
    assert none == SignCalibration()
    np.testing.assert_array_equal(none(p), p)
    few = np.full((MIN_SIGNS - 1, 1), 0.7)
    ones = np.ones_like(few)
    assert not fit_sign_calibration(few, ones, ones[:, 0]).is_fitted
    assert fit_sign_calibration(few, ones, 2 * ones[:, 0]).is_fitted
