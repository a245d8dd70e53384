"""Absolute and pinball loss: medians and quantiles, by counting votes."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize_scalar

from disambig.candidates import Intervals, IntervalUnions
from disambig.losses import AbsoluteLoss, PinballLoss
from disambig.votes import as_votes
from tests.oracles.number_lines import average_value, random_sets

QUANTILES = [Fraction(1, 4), Fraction(1, 2), Fraction(9, 10)]


def quantile_interval(values, masses, quantile):
    """Smallest and largest z with at most `quantile` of the mass below and the rest above."""
    total = sum(masses)
    order = sorted(range(len(values)), key=lambda j: values[j])
    seen = Fraction(0)
    for place, j in enumerate(order):
        seen += masses[j]
        if seen >= quantile * total:
            if seen > quantile * total:
                return values[j], values[j]
            later = [values[k] for k in order[place + 1 :] if masses[k] > 0]
            return values[j], later[0] if later else None
    raise AssertionError


@st.composite
def values_and_masses(draw):
    n = draw(st.integers(1, 8))
    values = draw(st.lists(st.integers(-5, 5), min_size=n, max_size=n))
    masses = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n).filter(any))
    return np.array(values, dtype=float), masses


@pytest.mark.parametrize("quantile", QUANTILES)
@given(drawn=values_and_masses())
def test_predictions_are_weighted_quantiles(quantile, drawn):
    values, masses = drawn
    low, high = quantile_interval(values.tolist(), [Fraction(m) for m in masses], quantile)
    span = np.array([[-6.0, 6.0]])
    loss = PinballLoss(float(quantile))
    # A tenth of each: sums of votes round, the quantile is the same.
    votes = as_votes(np.array([masses]) / 10)
    y = values[:, None]
    assert high is not None
    assert_array_equal(loss.best_prediction(votes, y, span), [[(low + high) / 2]])
    for wish in (-6.0, -0.3, 6.0):
        nearest = min(max(wish, low), high)
        found = loss.best_prediction(votes, y, span, np.array([[wish]]))
        assert_array_equal(found, [[nearest]])


@pytest.mark.parametrize("quantile", QUANTILES)
@given(drawn=values_and_masses(), ends=st.tuples(st.integers(-5, 5), st.integers(-5, 5)))
def test_targets_are_the_other_quantiles_moved_into_the_set(quantile, drawn, ends):
    values, masses = drawn
    low, high = quantile_interval(values.tolist(), [Fraction(m) for m in masses], 1 - quantile)
    a, b = min(ends), max(ends)
    assert high is not None
    inside = [min(max(low, a), b), min(max(high, a), b)]
    found = PinballLoss(float(quantile)).best_target(
        as_votes(np.array([masses]) / 10),
        values[:, None],
        Intervals.from_any([(a, b)]),
        np.array([[-6.0, 6.0]]),
    )
    assert_array_equal(found, [[np.mean(inside)]])


def test_targets_in_half_lines_and_whole_lines_stay_in_the_span():
    sets = Intervals.from_any([(-np.inf, 1.0), (3.0, np.inf), (-np.inf, np.inf)])
    span = np.array([[1.0, 3.0]])
    against = as_votes(np.full((3, 1), -1.0))
    found = AbsoluteLoss().best_target(against, np.array([[1.5]]), sets, span)
    assert_array_equal(found, [[1.0], [3.0], [3.0]])


def test_infimum_with_a_negative_vote_fears_the_worst_member():
    """One vote for 0 and one against [-1, 3], whose worst member is 3 below 1 and -1 above."""
    sets = Intervals.from_any([(0, 0), (-1, 3)])
    votes = as_votes(np.array([[1.0, -0.5], [1.0, -1.5]]))
    span = np.array([[-1.0, 3.0]])
    found = AbsoluteLoss().infimum_prediction(votes, sets, span)
    # |z| - .5 max(z + 1, 3 - z) is lowest at the kink 0; with 1.5 at the end -1.
    assert_array_equal(found, [[0.0], [-1.0]])


def test_infimum_on_a_set_whose_sign_is_unknown():
    """Which sign is meant is settled by the row that knows."""
    sets = IntervalUnions.from_any([[(-2, -1), (1, 2)], [(-3, -1.5), (1.5, 3)], 0.5])
    votes = as_votes(np.array([[1.0, 1.0, 0.1]]))
    assert_array_equal(AbsoluteLoss().infimum_prediction(votes, sets, sets.span), [[1.5]])


@pytest.mark.parametrize("loss", [AbsoluteLoss(), PinballLoss(0.3)], ids=repr)
@given(seed=st.integers(0, 10_000))
def test_the_smooth_average_agrees_with_a_general_minimiser(loss, seed):
    """Overlapping intervals and votes that are positive: convex, and curved at the bottom."""
    rng = np.random.default_rng(seed)
    center = rng.uniform(-0.5, 0.5, 6)
    sets = Intervals(center - 1 - rng.random(6), center + 1 + rng.random(6))
    row = rng.random(6) + 0.1
    found = loss.average_prediction(as_votes(row[None, :]), sets, sets.span)[0, 0]
    other = minimize_scalar(
        lambda z: float(average_value(loss, row, np.array(z), sets)),
        bounds=tuple(sets.span[0]),
        method="bounded",
        options={"xatol": 1e-11},
    )
    assert average_value(loss, row, np.array(found), sets) <= other.fun + 1e-13
    assert_allclose(found, other.x, atol=1e-6)


@given(seed=st.integers(0, 10_000))
def test_turning_the_line_round_turns_the_quantile_round(seed):
    rng = np.random.default_rng(seed)
    sets = random_sets(rng, 5, unions=False)
    turned = Intervals(-sets.upper, -sets.lower)
    votes = as_votes(rng.random((3, 5)))
    span = np.array([[-7.0, 7.0]])
    for step in ("infimum_prediction", "average_prediction"):
        one = getattr(PinballLoss(0.7), step)(votes, sets, span)
        other = getattr(PinballLoss(1 - 0.7), step)(votes, turned, span)
        assert_allclose(one, -other, atol=1e-9)
