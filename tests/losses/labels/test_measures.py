"""The measure whose best predictions are a given set, or the proof that there is none."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from disambig.losses.labels.measures import every_set_has_measure, find_measure

PAPER = np.array([[0.0, 1, 1], [1, 0, 2], [1, 2, 0]])
MATRICES = ("normal", "integers", "low rank", "ordinal")


def squared(levels):
    return np.subtract.outer(np.arange(levels), np.arange(levels)) ** 2.0


def member_mask(count, members):
    mask = np.zeros(count, dtype=np.bool_)
    mask[list(members)] = True
    return mask


def check_property(matrix, found):
    """A measure that was found satisfies the definition."""
    losses = matrix @ found.measure
    np.testing.assert_allclose(losses[found.members], found.level, atol=1e-9)
    assert (losses[~found.members] >= found.level + 1 - 1e-9).all()


def check_certificate(matrix, found):
    """The weights prove that no measure has a smaller sum than `lightest`."""
    weights = found.certificate
    assert (weights[~found.members] >= 0).all()
    assert weights[~found.members].sum() == pytest.approx(1, abs=1e-12)
    assert weights.sum() == pytest.approx(0, abs=1e-12)
    distance = np.abs(weights @ matrix).max()
    if found.exists:
        assert distance * found.lightest == pytest.approx(1, rel=1e-9)
    else:
        assert distance <= 1e-12 * np.abs(matrix).max()
        assert found.lightest > 1e9 / max(np.abs(matrix).max(), 1e-200)


def lightest_by_primal_program(matrix, members):
    """``min sum |mu|`` over positive and negative parts and a free level; None if infeasible."""
    P, K = matrix.shape
    rows = np.hstack([matrix, -matrix, -np.ones((P, 1))])
    found = linprog(
        np.r_[np.ones(2 * K), 0],
        A_ub=-rows[~members],
        b_ub=-np.ones(np.count_nonzero(~members)),
        A_eq=rows[members],
        b_eq=np.zeros(np.count_nonzero(members)),
        bounds=[(0, None)] * (2 * K) + [(None, None)],
        method="highs",
    )
    assert found.status in (0, 2)
    return found.fun if found.status == 0 else None


def drawn(kind, rng):
    P, K = rng.integers(2, 7, size=2)
    if kind == "normal":
        return rng.normal(size=(P, K))
    if kind == "integers":
        return rng.integers(0, 3, size=(P, K)).astype(float)
    if kind == "low rank":
        return rng.integers(-2, 3, size=(P, 2)) @ rng.integers(-2, 3, size=(2, K)).astype(float)
    return np.abs(np.subtract.outer(np.arange(P), np.arange(K))) ** float(rng.integers(1, 4))


@pytest.mark.parametrize("members", [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)])
def test_every_set_of_the_papers_example_has_a_measure(members):
    found = find_measure(PAPER, member_mask(3, members))
    assert found.exists
    check_property(PAPER, found)


def test_measures_of_the_paper_are_right_except_for_a_misprint():
    for members, measure in [((0, 1), [0.5, 0.5, 0]), ((0, 2), [0.5, 0, 0.5])]:
        losses = PAPER @ np.array(measure)
        assert np.flatnonzero(losses == losses.min()).tolist() == list(members)
    as_printed = PAPER @ np.array([0, 0.5, 0.5])
    assert np.ptp(as_printed) == 0


def test_ends_of_three_levels_need_a_measure_without_positive_sum():
    found = find_measure(squared(3), member_mask(3, (0, 2)))
    assert found.exists
    check_property(squared(3), found)
    assert found.measure.sum() <= 1e-12


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_certificate_for_two_of_four_levels_without_a_measure(scale):
    matrix = scale * squared(4)
    found = find_measure(matrix, member_mask(4, (0, 2)))
    assert not found.exists
    assert found.measure is None
    assert found.level is None
    check_certificate(matrix, found)


def test_measure_of_all_predictions_is_zero():
    found = find_measure(PAPER, np.ones(3, dtype=np.bool_))
    assert not found.measure.any()
    assert found.level == 0
    assert found.lightest == 0


def test_loss_of_zeros_has_no_measure_for_a_proper_subset():
    found = find_measure(np.zeros((2, 3)), member_mask(2, (0,)))
    assert not found.exists
    assert found.lightest == np.inf
    np.testing.assert_array_equal(found.certificate, [-1, 1])


def test_one_of_two_equal_predictions_has_no_measure():
    matrix = np.vstack([PAPER, PAPER[1]])
    found = find_measure(matrix, member_mask(4, (1,)))
    assert not found.exists
    np.testing.assert_allclose(found.certificate @ matrix, 0, atol=1e-12)


def test_no_member_is_an_error():
    with pytest.raises(ValueError, match="at least one"):
        find_measure(PAPER, np.zeros(3, dtype=np.bool_))


@pytest.mark.parametrize("kind", MATRICES)
@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), exponent=st.integers(-4, 4))
def test_measure_and_certificate_agree_with_the_primal_program(kind, seed, exponent):
    rng = np.random.default_rng(seed)
    matrix = drawn(kind, rng)
    members = rng.random(len(matrix)) < 0.5
    members[rng.integers(len(members))] = True
    scale = 10.0**exponent
    found = find_measure(scale * matrix, members)
    lightest = lightest_by_primal_program(matrix, members)
    assert found.exists == (lightest is not None)
    if found.exists:
        check_property(scale * matrix, found)
        assert np.abs(found.measure).sum() * scale == pytest.approx(lightest, rel=1e-6)
    if not members.all():
        check_certificate(scale * matrix, found)
    if every_set_has_measure(matrix):
        assert found.exists


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), K=st.integers(2, 5))
def test_every_set_of_an_invertible_matrix_has_a_measure(seed, K):
    rng = np.random.default_rng(seed)
    matrix = np.linalg.qr(rng.normal(size=(K, K)))[0] * rng.uniform(0.1, 10, size=K)
    assert every_set_has_measure(matrix)
    for size in range(1, K + 1):
        for members in itertools.combinations(range(K), size):
            found = find_measure(matrix, member_mask(K, members))
            assert found.exists
            check_property(matrix, found)


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        (1 - np.eye(5), True),
        (PAPER, True),
        (squared(3), True),
        (squared(4), False),
        (np.ones((2, 2)), False),
        (np.zeros((1, 2)), True),
        (np.zeros((2, 2)), False),
        # Affinely independent, though singular: one more prediction than classes.
        (np.array([[0.0, 1], [1, 0], [0.2, 0.2]]), True),
        (np.array([[0.0, 1], [1, 0], [0.5, 0.5]]), False),
        (np.ones((9, 2)), False),
    ],
    ids=["zero-one", "paper", "3 levels", "4 levels", "equal rows", "one prediction", "no loss",
         "abstain", "abstain at its price", "many predictions"],
)  # fmt: skip
def test_every_set_has_a_measure_if_rows_are_affinely_independent(matrix, expected):
    assert every_set_has_measure(matrix) is expected


@pytest.mark.parametrize("K", [10, 30, 60])
def test_nearly_singular_loss_has_a_measure_or_a_large_bound(K):
    """The numerical rank is far below K: a valid measure, or a bound too large to be useful."""
    places = np.subtract.outer(np.arange(K), np.arange(K)) / 20
    matrix = 1 - np.exp(-(places**2))
    rng = np.random.default_rng(K)
    for _ in range(4):
        found = find_measure(matrix, member_mask(K, rng.choice(K, size=3, replace=False)))
        if found.exists:
            losses = matrix @ found.measure
            assert np.ptp(losses[found.members]) <= 1e-5
            assert losses[~found.members].min() >= losses[found.members].max() + 1 - 1e-5
        else:
            assert np.abs(found.certificate @ matrix).max() <= 1e-6
            assert found.certificate.sum() == pytest.approx(0, abs=1e-6)
