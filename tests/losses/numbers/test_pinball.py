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


def quantile_interval(values, counts, quantile):
    """Smallest and largest z with a share `quantile` of the votes below and the rest above."""
    total = sum(counts)
    order = sorted(range(len(values)), key=lambda j: values[j])
    below = Fraction(0)
    for position, j in enumerate(order):
        below += counts[j]
        if below >= quantile * total:
            if below > quantile * total:
                return values[j], values[j]
            later = [values[k] for k in order[position + 1 :] if counts[k] > 0]
            return values[j], later[0] if later else None
    raise AssertionError


@st.composite
def values_and_vote_counts(draw):
    n = draw(st.integers(1, 8))
    values = draw(st.lists(st.integers(-5, 5), min_size=n, max_size=n))
    counts = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n).filter(any))
    return np.array(values, dtype=float), counts


@pytest.mark.parametrize("quantile", QUANTILES)
@given(drawn=values_and_vote_counts())
def test_predictions_are_weighted_quantiles(quantile, drawn):
    values, counts = drawn
    low, high = quantile_interval(values.tolist(), [Fraction(m) for m in counts], quantile)
    span = np.array([[-6.0, 6.0]])
    loss = PinballLoss(float(quantile))
    # Divided by ten, sums of votes are rounded, but the quantile is the same.
    votes = as_votes(np.array([counts]) / 10)
    y = values[:, None]
    assert high is not None
    assert_array_equal(loss.best_prediction(votes, y, span), [[(low + high) / 2]])
    for preferred in (-6.0, -0.3, 6.0):
        nearest = min(max(preferred, low), high)
        found = loss.best_prediction(votes, y, span, np.array([[preferred]]))
        assert_array_equal(found, [[nearest]])


@pytest.mark.parametrize("quantile", QUANTILES)
@given(drawn=values_and_vote_counts(), ends=st.tuples(st.integers(-5, 5), st.integers(-5, 5)))
def test_targets_are_opposite_quantiles_clipped_to_the_set(quantile, drawn, ends):
    values, counts = drawn
    low, high = quantile_interval(values.tolist(), [Fraction(m) for m in counts], 1 - quantile)
    a, b = min(ends), max(ends)
    assert high is not None
    inside = [min(max(low, a), b), min(max(high, a), b)]
    found = PinballLoss(float(quantile)).best_target(
        as_votes(np.array([counts]) / 10),
        values[:, None],
        Intervals.from_any([(a, b)]),
        np.array([[-6.0, 6.0]]),
    )
    assert_array_equal(found, [[np.mean(inside)]])


def test_targets_in_half_lines_and_whole_lines_stay_in_the_span():
    sets = Intervals.from_any([(-np.inf, 1.0), (3.0, np.inf), (-np.inf, np.inf)])
    span = np.array([[1.0, 3.0]])
    negative = as_votes(np.full((3, 1), -1.0))
    found = AbsoluteLoss().best_target(negative, np.array([[1.5]]), sets, span)
    assert_array_equal(found, [[1.0], [3.0], [3.0]])


def test_infimum_with_a_negative_vote_takes_the_worst_member():
    """A vote for 0 and a negative one for [-1, 3]: its worst member is 3 below 1, else -1."""
    sets = Intervals.from_any([(0, 0), (-1, 3)])
    votes = as_votes(np.array([[1.0, -0.5], [1.0, -1.5]]))
    span = np.array([[-1.0, 3.0]])
    found = AbsoluteLoss().infimum_prediction(votes, sets, span)
    # |z| - .5 max(z + 1, 3 - z) is lowest at the kink 0; with 1.5 at the end -1.
    assert_array_equal(found, [[0.0], [-1.0]])


def test_infimum_on_symmetric_unions():
    """The point 0.5 decides between the two signs of the unions."""
    sets = IntervalUnions.from_any([[(-2, -1), (1, 2)], [(-3, -1.5), (1.5, 3)], 0.5])
    votes = as_votes(np.array([[1.0, 1.0, 0.1]]))
    assert_array_equal(AbsoluteLoss().infimum_prediction(votes, sets, sets.span), [[1.5]])


@pytest.mark.parametrize("loss", [AbsoluteLoss(), PinballLoss(0.3)], ids=repr)
@given(seed=st.integers(0, 10_000))
def test_average_prediction_agrees_with_scipy(loss, seed):
    """Overlapping intervals and positive votes: convex, with a unique minimum."""
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
def test_mirrored_sets_and_the_opposite_quantile_mirror_the_prediction(seed):
    rng = np.random.default_rng(seed)
    sets = random_sets(rng, 5, unions=False)
    mirrored = Intervals(-sets.upper, -sets.lower)
    votes = as_votes(rng.random((3, 5)))
    span = np.array([[-7.0, 7.0]])
    for step in ("infimum_prediction", "average_prediction"):
        one = getattr(PinballLoss(0.7), step)(votes, sets, span)
        other = getattr(PinballLoss(1 - 0.7), step)(votes, mirrored, span)
        assert_allclose(one, -other, atol=1e-9)
