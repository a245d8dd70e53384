"""The contract of losses between numbers: no other point has a lower sum of losses."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from disambig.candidates import Intervals, IntervalUnions
from disambig.losses import AbsoluteLoss, NumberLoss, PinballLoss, SquaredLoss
from disambig.votes import as_votes
from disambig.votes.operator import OperatorVotes
from disambig.votes.product import ProductVotes
from tests.oracles.number_lines import (
    average_value,
    infimum_value,
    interesting_points,
    random_sets,
    segments_of_row,
    sum_value,
)

LOSSES = [SquaredLoss(), AbsoluteLoss(), PinballLoss(0.2), PinballLoss(0.9)]
SPAN = np.array([[-2.0, 3.0]])
# Slopes up to 1e-10 of the steepest one count as zero, and the sum of the votes times the squared
# span is below 1000 here.
VALUE_TOLERANCE = 1e-7


@pytest.fixture(params=LOSSES, ids=repr, scope="module")
def loss(request):
    return request.param


seeds = st.integers(0, 100_000)


def random_case(seed, *, q=3, unions=True):
    """Votes (q, n), sets and their span: signed or not, whole numbers or not, with empty rows."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    whole = bool(rng.integers(2))
    sets = random_sets(rng, n, unions=unions and bool(rng.integers(2)), whole_numbers=whole)
    alpha = rng.integers(-2, 4, (q, n)) * 1.0 if whole else rng.normal(0.4, 1.0, (q, n))
    if rng.random() < 0.4:
        alpha = np.abs(alpha)
    alpha *= rng.random((q, n)) < rng.choice([0.3, 0.9])
    return rng, alpha, sets, sets.span


@given(seed=seeds)
def test_declared_facts_give_the_loss(loss, seed):
    z, y = np.random.default_rng(seed).normal(size=(2, 20))
    below, above = np.maximum(y - z, 0), np.maximum(z - y, 0)
    expected = (z - y) ** 2 if loss.is_quadratic else np.dot(loss.slopes, [below, above])
    assert_allclose(loss.pointwise(z, y), expected, atol=1e-12)
    assert loss.is_quadratic == (loss.slopes is None)


def has_minimum(loss, row):
    """Whether the minimum may lie outside the span: there is one on the whole line."""
    return isinstance(loss, SquaredLoss) and row.sum() > 0


def assert_lowest(value, found, points):
    values = value(np.append(points, found))
    assert values[-1] <= values.min() + VALUE_TOLERANCE


@given(seed=seeds)
def test_no_prediction_is_better(loss, seed):
    rng, alpha, sets, span = random_case(seed)
    y = sets.within(span).nearest(rng.normal(size=(alpha.shape[1], 1)))
    found = loss.best_prediction(as_votes(alpha), y, span)
    assert found.shape == (len(alpha), 1)
    points = interesting_points(None, span, y)
    for row, z in zip(alpha, found[:, 0], strict=True):
        assert span[0, 0] <= z <= span[0, 1] or has_minimum(loss, row)
        assert_lowest(lambda t, row=row: sum_value(loss, row, t, y[:, 0]), z, points)


@given(seed=seeds)
def test_no_candidate_is_better(loss, seed):
    rng, alpha, sets, span = random_case(seed)
    z = rng.uniform(span[0, 0], span[0, 1], (len(alpha), 1))
    found = loss.best_target(as_votes(alpha).T, z, sets, span)
    bounded = sets.within(span)
    # The squared loss can have minima beyond the span, on half-lines.
    assert (sets if isinstance(loss, SquaredLoss) else bounded).contains(found).all()
    points = interesting_points(sets, span, np.append(z, found))

    def value(votes, y):
        return sum(a * loss.pointwise(b, y) for a, b in zip(votes, z[:, 0], strict=True))

    for row, y in enumerate(found[:, 0]):
        allowed = [t for t in points if any(a <= t <= b for a, b in segments_of_row(bounded, row))]
        assert_lowest(lambda t, row=row: value(alpha[:, row], t), y, allowed)


@given(seed=seeds)
def test_no_infimum_is_lower(loss, seed):
    _, alpha, sets, span = random_case(seed)
    found = loss.infimum_prediction(as_votes(alpha), sets, span)
    points = interesting_points(sets, span)
    for row, z in zip(alpha, found[:, 0], strict=True):
        assert span[0, 0] <= z <= span[0, 1] or has_minimum(loss, row)
        assert_lowest(lambda t, row=row: infimum_value(loss, row, t, sets, span), z, points)


@given(seed=seeds)
def test_no_average_is_lower(loss, seed):
    _, alpha, sets, span = random_case(seed)
    found = loss.average_prediction(as_votes(alpha), sets, span)
    points = interesting_points(sets, span)
    counted = np.isfinite(sets.centers[:, 0])  # not the whole line
    for row, z in zip(alpha, found[:, 0], strict=True):
        assert span[0, 0] <= z <= span[0, 1] or has_minimum(loss, row[counted])
        assert_lowest(lambda t, row=row: average_value(loss, row, t, sets), z, points)


@given(seed=seeds)
def test_alternating_steps_never_raise_the_objective(loss, seed):
    rng, _, sets, span = random_case(seed)
    A = rng.normal(0.3, 1.0, (len(sets), len(sets)))
    votes = as_votes(A)
    y = sets.within(span).nearest(rng.normal(size=(len(sets), 1)))
    z = loss.best_prediction(votes, y, span)
    before = loss.total(votes, z, y)
    for _ in range(5):
        y = loss.best_target(votes.T, z, sets, span, y)
        after_targets = loss.total(votes, z, y)
        z = loss.best_prediction(votes, y, span, z)
        after = loss.total(votes, z, y)
        assert after_targets <= before + 1e-9 * np.abs(A).sum()
        assert after <= after_targets + 1e-9 * np.abs(A).sum()
        before = after


def test_total_is_the_double_sum(loss):
    rng = np.random.default_rng(0)
    A = rng.normal(size=(4, 6)) * (rng.random((4, 6)) < 0.7)
    z, y = rng.normal(size=(4, 2)), rng.normal(size=(6, 2))
    indices = np.ndindex(4, 6, 2)
    expected = sum(A[i, j] * float(loss.pointwise(z[i, c], y[j, c])) for i, j, c in indices)
    forms = [as_votes(A), as_votes(sp.csr_array(A)), ProductVotes(A, np.eye(6))]
    for votes in [*forms, OperatorVotes(as_votes(A))]:
        assert_allclose(loss.total(votes, z, y), expected, rtol=1e-12)
    assert loss.total(as_votes(A), z[:, :1], np.repeat(z[:1, :1], 6, axis=0)) != 0


def test_pointwise_values():
    loss = PinballLoss(0.9)
    assert_allclose(loss.pointwise(np.array([0.0, 2.0]), np.array([1.0, 1.0])), [0.9, 0.1])
    assert_allclose(AbsoluteLoss().pointwise(np.array([0.0, 4.0]), np.array([1.0, 1.0])), [1, 3])
    assert_allclose(SquaredLoss().pointwise(np.array([0.0, 4.0]), np.array([1.0, 1.0])), [1, 9])


def test_cloning_and_pickling(loss):
    assert isinstance(loss, NumberLoss)
    for other in (clone(loss), pickle.loads(pickle.dumps(loss))):
        assert other.get_params() == loss.get_params()
        z = np.arange(3.0)
        assert_array_equal(other.pointwise(z, 1.0), loss.pointwise(z, 1.0))


def test_the_pinball_loss_at_one_half_is_half_the_absolute_loss():
    _, alpha, sets, span = random_case(3)
    votes = as_votes(alpha)
    y = sets.within(span).nearest(np.zeros((len(sets), 1)))
    half, median = PinballLoss(), AbsoluteLoss()
    assert_array_equal(half.best_prediction(votes, y, span), median.best_prediction(votes, y, span))
    z = np.zeros((3, 1))
    assert_allclose(2 * half.total(votes, z, y), median.total(votes, z, y))


@pytest.mark.parametrize("quantile", [0, 1, -0.1, 1.5, np.nan, "0.5", None])
def test_quantiles_outside_zero_and_one_are_refused(quantile):
    loss = PinballLoss(quantile)
    with pytest.raises(
        ValueError, match=r"PinballLoss: quantile must be a finite number > 0 and < 1; got"
    ):
        loss.pointwise(np.zeros(1), np.ones(1))


def boxes(rng, n, d):
    low = rng.normal(size=(n, d))
    high = low + rng.exponential(size=(n, d))
    low[rng.random((n, d)) < 0.2] = -np.inf
    high[rng.random((n, d)) < 0.2] = np.inf
    return Intervals(low, high, flat=False)


def all_minimisers(loss, votes, y, sets, span, current=None):
    return [
        loss.best_prediction(votes, y, span, current),
        loss.best_target(votes.T, y[: votes.shape[0]], sets, span),
        loss.infimum_prediction(votes, sets, span),
        loss.average_prediction(votes, sets, span),
    ]


def test_columns_are_separate_problems(loss):
    rng = np.random.default_rng(1)
    sets = boxes(rng, 9, 3)
    votes = as_votes(rng.normal(0.5, 1, (9, 9)))
    y = sets.within(sets.span).nearest(rng.normal(size=(9, 3)))
    together = all_minimisers(loss, votes, y, sets, sets.span)
    for c in range(3):
        column = Intervals(sets.lower[:, c], sets.upper[:, c])
        alone = all_minimisers(loss, votes, y[:, [c]], column, sets.span[[c]])
        for a, b in zip(together, alone, strict=True):
            assert_allclose(a[:, [c]], b, atol=1e-12)


@given(seed=seeds)
def test_all_classes_of_votes_agree(loss, seed):
    rng, alpha, sets, span = random_case(seed)
    n = alpha.shape[1]
    A = np.resize(alpha, (n, n))
    y = sets.within(span).nearest(rng.normal(size=(n, 1)))
    expected = all_minimisers(loss, as_votes(A), y, sets, span)
    shuffled = sp.csr_array(A)
    shuffled.indices = shuffled.indices.copy()
    for row in range(n):
        here = slice(shuffled.indptr[row], shuffled.indptr[row + 1])
        shuffled.indices[here] = shuffled.indices[here][::-1]
        shuffled.data[here] = shuffled.data[here][::-1]
    shuffled.has_sorted_indices = False
    forms = [sp.csr_array(A), shuffled, A.copy(order="F"), ProductVotes(A, np.eye(n))]
    for form in [*forms, OperatorVotes(as_votes(A))]:
        for a, b in zip(all_minimisers(loss, as_votes(form), y, sets, span), expected, strict=True):
            assert_allclose(a, b, atol=1e-9)


def test_rows_do_not_depend_on_their_block(loss):
    rng = np.random.default_rng(2)
    sets = random_sets(rng, 1000)
    A = rng.normal(0.2, 1, (3000, 1000))
    some = np.array([0, 1, 2095, 2096, 2097, 2098, 2999])
    # Matrix products of different sizes can round differently.
    assert_allclose(
        loss.infimum_prediction(as_votes(A), sets, sets.span)[some],
        loss.infimum_prediction(as_votes(A[some]), sets, sets.span),
        rtol=1e-13,
    )


def test_preferred_points_do_not_depend_on_their_block(loss):
    no_votes = as_votes(np.zeros((3000, 1000)))
    preferred = np.linspace(-2, 3, 3000)[:, None]
    found = loss.best_prediction(no_votes, np.zeros((1000, 1)), SPAN, preferred)
    assert_array_equal(found, preferred)


def test_single_precision_votes_have_a_larger_tie_tolerance():
    """Thirds do not sum to one in float32; the flat part between two medians is still found."""
    alpha = np.array([[1 / 3, 1 / 3, 2 / 3]], dtype=np.float32)
    y, span = np.array([[0.0], [0.0], [1.0]]), np.array([[0.0, 1.0]])
    for form in (alpha, sp.csr_array(alpha)):
        found = AbsoluteLoss().best_prediction(as_votes(form), y, span)
        assert_array_equal(found, [[0.5]])


def test_read_only_inputs(loss):
    rng, alpha, sets, span = random_case(8)
    y = sets.within(span).nearest(rng.normal(size=(alpha.shape[1], 1)))
    expected = loss.best_prediction(as_votes(alpha), y, span)
    for array in (alpha, y, span):
        array.setflags(write=False)
    assert_array_equal(loss.best_prediction(as_votes(alpha), y, span), expected)


def test_rows_without_votes_keep_their_current_value(loss):
    sets = IntervalUnions.from_any([[(-2, -1), (1, 3)], [(0, 0), (2, 2)], [(-np.inf, np.inf)]])
    no_votes = as_votes(np.zeros((3, 3)))
    z = np.array([[0.5], [7.0], [-1.5]])
    assert_array_equal(loss.best_prediction(no_votes, z, SPAN, z), [[0.5], [3.0], [-1.5]])
    assert_array_equal(loss.best_prediction(no_votes, z, SPAN), [[0.5]] * 3)
    current = np.array([[2.0], [0.9], [-1.5]])
    assert_array_equal(loss.best_target(no_votes, z, sets, SPAN, current), [[2.0], [0.0], [-1.5]])
    assert_array_equal(loss.best_target(no_votes, z, sets, SPAN), [[-1.5], [0.0], [0.5]])
    assert_array_equal(loss.infimum_prediction(no_votes, sets, SPAN), [[0.5]] * 3)
    assert_array_equal(loss.average_prediction(no_votes, sets, SPAN), [[0.5]] * 3)


def test_nan_is_no_preference(loss):
    no_votes = as_votes(np.zeros((2, 1)))
    preferred = np.array([[np.nan], [2.0]])
    found = loss.best_prediction(no_votes, np.zeros((1, 1)), SPAN, preferred)
    assert_array_equal(found, [[0.5], [2.0]])
    sets = Intervals.from_any([(0, 1), (0, 1)])
    found = loss.best_target(no_votes, np.zeros((1, 1)), sets, SPAN, preferred)
    assert_array_equal(found, [[0.5], [1.0]])


@given(seed=seeds)
def test_the_infimum_of_overlapping_sets_is_the_middle_of_their_intersection(loss, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    low, high = -rng.exponential(size=n), rng.exponential(size=n)
    low[rng.random(n) < 0.3] = -np.inf
    high[rng.random(n) < 0.3] = np.inf
    sets = Intervals(low + 5.0, high + 5.0)
    span = np.array([[1.0, 8.0]])
    votes = as_votes(rng.random((1, n)) + 0.01)
    intersection = [max(1.0, sets.lower.max()), min(8.0, sets.upper.min())]
    found = loss.infimum_prediction(votes, sets, span)
    assert_allclose(found, [[np.mean(intersection)]], rtol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_votes_for_whole_lines_do_not_affect_the_tolerance(loss, form):
    sets = Intervals.from_any([(-np.inf, np.inf), (0, 0), (4, 4), (1, 1)])
    votes = as_votes(form(np.array([[1.0, 0.0, 0.0, 1e-14]])))
    assert_allclose(loss.infimum_prediction(votes, sets, sets.span), [[1.0]])
    assert_allclose(loss.average_prediction(votes, sets, sets.span), [[1.0]])


def test_of_equal_minima_the_nearest_then_the_lower(loss):
    """Both members of a set around the middle are equally good for a vote at the middle."""
    middle = np.array([[0.0]])
    sets = IntervalUnions.from_any([[(-1, -1), (1, 1)]] * 3)
    span = np.array([[-1.0, 1.0]])
    symmetric = not isinstance(loss, PinballLoss)
    for sign in (1.0, -1.0):
        votes = as_votes(np.full((3, 1), sign))
        current = np.array([[0.2], [-0.2], [0.0]])
        found = loss.best_target(votes, middle, sets, span, current)
        if symmetric:
            assert_array_equal(found, [[1.0], [-1.0], [-1.0]])
            assert_array_equal(loss.best_target(votes, middle, sets, span), [[-1.0]] * 3)
        else:
            steeper = np.sign(loss.quantile - 0.5)
            assert_array_equal(found, [[-steeper * sign]] * 3)


def test_negative_votes_give_predictions_at_the_ends(loss):
    y, span = np.array([[0.0]]), np.array([[-1.0, 3.0]])
    found = loss.best_prediction(as_votes(np.array([[-1.0]])), y, span)
    expected = max(span[0], key=lambda z: float(loss.pointwise(z, 0.0)))
    assert_array_equal(found, [[expected]])


@given(seed=seeds)
def test_minimisers_are_equivariant_to_scale_and_shift(loss, seed):
    rng, alpha, sets, _ = random_case(seed, unions=False)
    n = alpha.shape[1]
    A = np.resize(np.abs(alpha) if rng.random() < 0.5 else alpha, (n, n))
    # Short binary fractions: sums with the shift, and products, are exact.
    lower, upper = (np.round(end * 64) / 64 for end in (sets.lower, sets.upper))
    sets = Intervals(lower, upper)
    y = np.round(sets.within(sets.span).centers * 64) / 64
    for factor, shift in ((4.0, 0.0), (1.0, 32.0), (0.25, -1000.0)):
        moved = Intervals(factor * lower + shift, factor * upper + shift)
        before = all_minimisers(loss, as_votes(A), y, sets, sets.span)
        moved_span = factor * sets.span + shift
        after = all_minimisers(loss, as_votes(A), factor * y + shift, moved, moved_span)
        for a, b in zip(before, after, strict=True):
            assert_allclose(factor * a + shift, b, atol=1e-9)


@pytest.mark.parametrize("offset", [2.0**20, -(2.0**30)])
def test_small_sets_far_from_zero(loss, offset):
    """Around a million, with widths of a thousandth: as exact as around zero."""
    rng = np.random.default_rng(4)
    scale = 2.0**-10
    low = rng.integers(0, 1024, 40) / 1024
    high = low + rng.integers(0, 512, 40) / 1024
    near, far = Intervals(low, high), Intervals(offset + scale * low, offset + scale * high)
    A = rng.normal(0.3, 1.0, (40, 40))
    for votes in (as_votes(np.abs(A)), as_votes(A)):
        before = all_minimisers(loss, votes, near.lower, near, near.span)
        after = all_minimisers(loss, votes, far.lower, far, far.span)
        for a, b in zip(before, after, strict=True):
            # The spacing of floats around the offset, in units of the width.
            assert_allclose((b - offset) / scale, a, atol=4 * np.spacing(abs(offset)) / scale)


def test_a_far_outlier_does_not_reduce_the_precision_elsewhere(loss):
    """A span of a million and sets of a thousandth: results are as exact as the numbers."""
    low = 1e6 + 1e-3 * np.array([0.0, 0.2, 0.5, 0.9])
    sets = Intervals(np.append(low, 0.0), np.append(low + 1e-4, 0.0))
    votes = as_votes(np.array([[1.0, 1.0, 1.0, 1.0, 0.0]]))
    alone = as_votes(np.ones((1, 4)))
    for step in ("infimum_prediction", "average_prediction"):
        found = getattr(loss, step)(votes, sets, sets.span)
        expected = getattr(loss, step)(alone, sets[:4], sets[:4].span)
        assert_allclose(found, expected, atol=1e-9, rtol=0)


@given(seed=seeds)
def test_very_short_intervals_do_not_spoil_the_slopes(seed):
    """A width of 1e-12 gives a curvature of 1e12; no rounding error of it may remain."""
    rng = np.random.default_rng(seed)
    low = 0.1 + 3e-12 * rng.random(6)
    high = low + 1e-12 * (1 + rng.random(6))
    sets = Intervals(np.append(low, 0.9), np.append(high, 1.0))
    some = rng.random(6) + 0.1
    # As many votes below as above: flat from one to the other.
    votes = as_votes(np.append(some, some.sum())[None, :])
    found = AbsoluteLoss().average_prediction(votes, sets, np.array([[0.0, 2.0]]))
    assert_allclose(found, [[(high.max() + 0.9) / 2]], atol=1e-9)


def test_a_span_of_a_single_point(loss):
    sets = Intervals.from_points(np.array([2.0, 2.0]))
    votes = as_votes(np.array([[1.0, -3.0], [0.0, 0.0]]))
    for found in all_minimisers(loss, votes, np.full((2, 1), 2.0), sets, sets.span):
        assert_array_equal(found, [[2.0], [2.0]])
