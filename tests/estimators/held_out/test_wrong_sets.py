"""The share of wrong sets and their posterior: simulation, limits, invariances."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.special import softmax

from disambig.estimators.held_out.wrong_sets import WrongSets, fit_wrong_sets, missed_share


def simulated(n, n_classes, wrong_share, *, level=0.5, softness=1.0, seed=0):
    """Probabilities that are softer than the truth, sets with it, and which of them lost it."""
    rng = np.random.default_rng(seed)
    logits = rng.exponential(12.0, n)[:, None] * rng.normal(size=(n, n_classes))
    right = np.exp(logits - logits.max(axis=1, keepdims=True))
    right /= right.sum(axis=1, keepdims=True)
    truth = (right.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    mask = rng.random((n, n_classes)) < level
    is_wrong = rng.random(n) < wrong_share
    mask[np.arange(n), truth] = ~is_wrong
    empty = ~mask.any(axis=1)
    mask[empty, (truth[empty] + 1) % n_classes] = True
    said = right**softness
    return said / said.sum(axis=1, keepdims=True), mask, is_wrong


@pytest.mark.parametrize("level", [0.1, 0.4, 0.7])
@pytest.mark.parametrize("wrong_share", [0.1, 0.25])
def test_the_share_is_found_whatever_the_temperature(level, wrong_share):
    P, mask, is_wrong = simulated(3000, 8, wrong_share, level=level)
    found = fit_wrong_sets(P, mask)
    true = is_wrong[~mask.all(axis=1)].mean()
    # Rather too low: near the surest rows, errors of the others become frequent faster than later.
    assert 0.75 * true < found.share < true + 0.02
    soft = fit_wrong_sets(simulated(3000, 8, wrong_share, level=level, softness=0.3)[0], mask)
    assert_allclose(soft.share, found.share, atol=0.03)


@pytest.mark.parametrize("softness", [0.4, 1.0])
def test_the_posterior_is_calibrated(softness):
    P, mask, is_wrong = simulated(4000, 6, 0.15, softness=softness, seed=1)
    found = fit_wrong_sets(P, mask)
    posterior = found.posterior(P, mask)
    # The power makes up for the softness.
    assert_allclose(found.power, 0.8 / softness, rtol=0.2)
    for low, high in ((0.0, 0.2), (0.2, 0.8), (0.8, 1.0)):
        part = (posterior >= low) & (posterior <= high)
        assert -0.15 < posterior[part].mean() - is_wrong[part].mean() < 0.02
    assert (posterior[mask.all(axis=1)] == 0).all()


@pytest.mark.parametrize("seed", range(4))
def test_no_share_where_no_set_is_wrong(seed):
    P, mask, _ = simulated(800, 5, 0.0, softness=0.5, seed=seed)
    found = fit_wrong_sets(P, mask)
    assert found.share < 0.02
    assert found.is_known


def test_single_labels_can_be_wrong():
    P, mask, is_wrong = simulated(2000, 4, 0.1, level=0.0)
    found = fit_wrong_sets(P, mask)
    assert 0.75 * is_wrong.mean() < found.share < is_wrong.mean() + 0.02
    # All sizes are one: nothing but the number of classes tells wrong from right.
    assert_allclose(found.size_odds, [0, 1 / 3, 0, 0, 0], atol=0.01)


def test_those_who_know_nothing_tell_nothing():
    rng = np.random.default_rng(0)
    mask = rng.random((800, 5)) < 0.5
    mask[~mask.any(axis=1), 0] = True
    found = fit_wrong_sets(rng.dirichlet(np.ones(5), size=800), mask)
    assert not found.is_known
    assert found.share == 0
    assert (found.posterior(np.full((800, 5), 0.2), mask) == 0).all()


def test_errors_of_the_others_are_no_wrong_sets():
    """In 3 of 10 rows the others prefer another class, and give the rest to the true one."""
    rng = np.random.default_rng(0)
    n, rows = 1000, np.arange(1000)
    truth = rng.integers(6, size=n)
    best = np.where(rng.random(n) < 0.3, (truth - 1) % 6, truth)
    P = np.full((n, 6), 0.01)
    P[rows, best] = rng.uniform(0.6, 0.8, n)
    P[rows, (best + 1) % 6] = 0.96 - P[rows, best]
    mask = rng.random((n, 6)) < 0.3
    mask[rows, truth] = True
    found = fit_wrong_sets(P, mask)
    assert not found.is_known
    assert found.share == 0


def test_labels_at_random_are_no_wrong_sets():
    rng = np.random.default_rng(0)
    mask = np.eye(12, dtype=bool)[rng.integers(12, size=400)]
    found = fit_wrong_sets(rng.dirichlet(np.ones(12), size=400), mask)
    assert not found.is_known
    assert found.share == 0


def test_more_dependence_needs_more_evidence():
    P, mask, _ = simulated(400, 5, 0.1)
    assert fit_wrong_sets(P, mask).share > 0
    assert fit_wrong_sets(P, mask, dependence=1e6).share == 0


def test_sets_of_all_classes_play_no_part():
    P, mask, _ = simulated(600, 4, 0.2)
    found = fit_wrong_sets(P, mask)
    more = fit_wrong_sets(
        np.vstack([P, np.full((300, 4), 0.25)]), np.vstack([mask, np.ones((300, 4), bool)])
    )
    assert_allclose(more.share, found.share)
    assert_allclose(more.power, found.power)
    assert fit_wrong_sets(P, np.ones_like(mask)).share == 0


def test_a_weight_is_a_number_of_copies():
    P, mask, _ = simulated(300, 4, 0.2)
    weights = np.random.default_rng(0).integers(0, 4, 300)
    weighted = fit_wrong_sets(P, mask, weights.astype(float))
    copied = fit_wrong_sets(np.repeat(P, weights, axis=0), np.repeat(mask, weights, axis=0))
    assert_allclose(weighted.share, copied.share, atol=1e-4)
    assert_allclose(weighted.power, copied.power, rtol=1e-2)


def test_the_limit_is_that_of_the_most_likely_curves():
    """Against a general optimiser for every exponent."""
    rng = np.random.default_rng(0)
    sureness = rng.random(400)
    u = 1 - (np.argsort(np.argsort(sureness)) + 0.5) / 400
    missed = rng.random(400) < 0.15 + 0.4 * u**3

    def loss(nu, a, g):
        rate = np.clip(nu + a * u**g, 1e-9, 1 - 1e-9)
        return -np.log(np.where(missed, rate, 1 - rate)).sum()

    exponents, bounds = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0), [(0, 1), (0, 0.9)]
    fits = [
        minimize(lambda p, g=g: loss(*p, g), [0.1, 0.2], bounds=bounds, method="Nelder-Mead")
        for g in exponents
    ]
    without = min(
        minimize(lambda p, g=g: loss(0.0, p[0], g), [0.3], bounds=[(0, 0.9)]).fun for g in exponents
    )
    losses = np.array([fit.fun for fit in fits])
    expected = softmax(-losses) @ [fit.x[0] for fit in fits]
    share, gain = missed_share(sureness, missed, np.ones(400))
    assert_allclose(share, expected, atol=1e-3)
    assert_allclose(gain, without - losses.min(), atol=1e-2)
    assert 0.05 < share < 0.25


@settings(max_examples=50)
@given(st.integers(0, 10**6))
def test_the_posterior_is_bayes_rule(seed):
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(4), size=5)
    mask = rng.random((5, 4)) < 0.5
    share, power, odds = rng.uniform(0.01, 0.5), rng.uniform(0.3, 4.0), rng.uniform(0.1, 3.0, 5)
    odds[4] = 0.0
    found = WrongSets(share, True, power, odds).posterior(P, mask)
    for p, members, value in zip(P, mask, found, strict=True):
        q = p**power / (p**power).sum()
        wrong = share * q[~members].sum() * odds[members.sum()]
        right = (1 - share) * q[members].sum()
        assert_allclose(value, wrong / (wrong + right) if wrong + right > 0 else 0, atol=1e-9)
