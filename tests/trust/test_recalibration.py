import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit

from disambig.metrics import expected_calibration_error
from disambig.trust.recalibration import (
    INTERCEPT_SPREAD,
    PRIOR_ANSWERS,
    SLOPE_SPREAD,
    fit_recalibration,
)


def too_confident(rng, n):
    """Confidences that are right with the probability ``c - 0.25``."""
    confidence = rng.uniform(0.4, 1, n)
    return confidence, rng.uniform(size=n) < confidence - 0.25


@pytest.mark.parametrize(
    ("n", "method"),
    [(1, "identity"), (9, "identity"), (10, "platt"), (199, "platt"), (200, "isotonic")],
)
def test_the_method_goes_by_the_number_of_answers(n, method):
    confidence, right = too_confident(np.random.default_rng(0), n)
    found = fit_recalibration(confidence, right)
    assert (found.method, found.n_answers) == (method, n)
    equal = fit_recalibration(confidence, right, weights=np.full(n, 0.3))
    assert equal.method == method
    np.testing.assert_allclose(equal(confidence), found(confidence), atol=1e-6)


def test_unequal_weights_count_as_fewer_answers():
    confidence, right = too_confident(np.random.default_rng(0), 250)
    weights = np.where(np.arange(250) < 50, 100.0, 1.0)
    assert fit_recalibration(confidence, right, weights).method == "platt"


@given(st.integers(1, 60), st.integers(0, 999), st.sampled_from(["auto", "platt", "isotonic"]))
def test_maps_are_monotone_and_never_certain(n, seed, method):
    rng = np.random.default_rng(seed)
    # Equal confidences, 0 and 1 among them, and outcomes that may fall with the confidence.
    confidence = np.round(rng.uniform(size=n), int(rng.integers(1, 3)))
    right = rng.uniform(size=n) < rng.choice([confidence, 1 - confidence, np.ones(n)])
    weights = rng.uniform(0.1, 10, n)
    found = fit_recalibration(confidence, right, weights, method)
    values = found(np.linspace(0, 1, 101))
    assert (np.diff(values) >= -1e-12).all()
    assert found.slope >= 0
    if found.method != "identity":
        assert ((values > 0) & (values < 1)).all()


@pytest.mark.parametrize(("n", "least_gain"), [(50, 0.5), (100, 0.5), (300, 0.6)])
def test_the_calibration_error_falls(n, least_gain):
    """The mean over draws of the answers, on 4000 other rows; 0.25 without recalibration."""
    rng = np.random.default_rng(0)
    others, right_others = too_confident(rng, 4000)
    before = expected_calibration_error(others, right_others)
    after = []
    for _ in range(20):
        confidence, right = too_confident(rng, n)
        values = fit_recalibration(confidence, right)(others)
        after.append(expected_calibration_error(values, right_others))
    assert before == pytest.approx(0.25, abs=0.02)
    assert np.mean(after) < (1 - least_gain) * before


def test_platt_is_the_minimum_of_the_penalised_likelihood():
    """No point of a grid around it is better, and two of the formulas are written out."""
    rng = np.random.default_rng(1)
    confidence, right = too_confident(rng, 40)
    weights = rng.uniform(0.5, 2, 40)
    found = fit_recalibration(confidence, right, weights, "platt")
    counts = weights * weights.sum() / (weights**2).sum()

    def loss(a, b):
        p = expit(a + b * logit(np.clip(confidence, 1e-3, 1 - 1e-3)))
        fit = -(counts * np.where(right, np.log(p), np.log(1 - p))).sum()
        return fit + a**2 / (2 * INTERCEPT_SPREAD**2) + (b - 1) ** 2 / (2 * SLOPE_SPREAD**2)

    best = loss(found.intercept, found.slope)
    for da, db in [(1e-3, 0), (-1e-3, 0), (0, 1e-3), (0, -1e-3), (0.3, 0.3), (-0.3, 0.2)]:
        assert loss(found.intercept + da, found.slope + db) > best
    expected = expit(found.intercept + found.slope * logit(0.7))
    assert found([0.7])[0] == pytest.approx(expected)


def test_confidences_that_mislead_get_a_flat_map():
    confidence = np.repeat([0.01, 0.99], 80)
    found = fit_recalibration(confidence, confidence < 0.5, method="platt")
    assert found.slope == 0
    assert np.ptp(found([0.0, 0.5, 1.0])) == 0


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_many_answers_that_agree_make_no_certainty(method):
    confidence = np.repeat([0.4, 0.6], 100_000)
    values = fit_recalibration(confidence, confidence > 0.5, method=method)([0.0, 1.0])
    assert 0 < values[0] < 0.01
    assert 0.99 < values[1] < 1


def test_isotonic_steps_are_shares_shrunk_towards_platt():
    confidence = np.repeat([0.5, 0.9], [100, 300])
    right = np.r_[np.arange(100) < 20, np.arange(300) < 270]
    platt = fit_recalibration(confidence, right, method="platt")([0.5, 0.9])
    expected = [
        (20 + PRIOR_ANSWERS * platt[0]) / (100 + PRIOR_ANSWERS),
        (270 + PRIOR_ANSWERS * platt[1]) / (300 + PRIOR_ANSWERS),
    ]
    found = fit_recalibration(confidence, right)
    assert found.method == "isotonic"
    np.testing.assert_allclose(found([0.5, 0.9]), expected)
    np.testing.assert_allclose(
        found([0.0, 0.7, 1.0]), [expected[0], np.mean(expected), expected[1]]
    )


def test_weights_correct_answers_that_were_chosen_by_doubt():
    """Wrong rows are drawn three times as often; weights give their share among all rows back."""
    rng = np.random.default_rng(0)
    right = rng.uniform(size=6000) < 0.8
    inclusion = np.where(right, 0.1, 0.3)
    drawn = rng.uniform(size=6000) < inclusion
    confidence = np.full(drawn.sum(), 0.9)
    weighted = fit_recalibration(confidence, right[drawn], 1 / inclusion[drawn])([0.9])[0]
    plain = fit_recalibration(confidence, right[drawn])([0.9])[0]
    assert weighted == pytest.approx(0.8, abs=0.04)
    assert plain < 0.65


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.5, 2.0], [1, 0]), "confidence must be a number from 0 to 1; got 2.0 in row 1"),
        (([0.5], [1, 0]), "confidence has 1 rows and is_right has shape"),
        (([0.5], [1], [0.0]), "weights must hold one positive"),
        (([0.5], [1], None, "beta"), "method must be one of 'auto', 'identity'"),
    ],
)
def test_errors_in_words(arguments, message):
    with pytest.raises(ValueError, match=f"fit_recalibration: {message}"):
        fit_recalibration(*arguments)
