"""The quick way from scores of pairs to mean signs, against `tied_orders`, which knows all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.exceptions import MissingOracleError
from disambig.orderings import (
    LARGEST_LATTICE,
    order_decoder,
    pair_costs,
    signs_of_pairs,
    signs_of_ranks,
    tied_orders,
    tied_signs,
)

SEEDS = st.integers(0, 10_000)


def random_orders(rng, b, m, share):
    """Pairs forced at random along a random order of each problem; not closed."""
    before = np.zeros((b, m, m), dtype=bool)
    i, j = np.triu_indices(m, 1)
    before[:, i, j] = rng.random((b, i.size)) < share
    order = np.argsort(rng.random((b, m)), axis=1)
    return before[np.arange(b)[:, None, None], order[:, :, None], order[:, None, :]]


def random_scores(rng, b, m, levels):
    """Integers tie often, normal numbers never."""
    shape = b, m * (m - 1) // 2
    return rng.normal(size=shape) if levels == 0 else rng.integers(-levels, levels + 1, shape) * 1.0


@given(SEEDS, st.integers(1, 7), st.sampled_from([0, 1, 2]), st.sampled_from([0.0, 0.2, 0.6]))
def test_the_law_is_that_of_tied_orders(seed, m, levels, share):
    rng = np.random.default_rng(seed)
    b = 6
    scores = random_scores(rng, b, m, levels)
    scores[0] = 0.0
    before = None if share == 0.0 else random_orders(rng, b, m, share)
    tolerance = np.full(b, 1e-10)
    law = tied_signs(scores, m, before, tolerance=tolerance)
    whole = tied_orders(pair_costs(scores, m), before, tolerance=tolerance)
    np.testing.assert_array_equal(law.ranks, whole.ranks)
    np.testing.assert_array_equal(law.signs, signs_of_pairs(whole.pairs))
    np.testing.assert_array_equal(law.single, whole.counts == 1)
    np.testing.assert_array_equal(law.single, (np.abs(law.signs) == 1).all(axis=1))


@given(SEEDS, st.sampled_from([0.0, 0.3, 1.1, 5.0]))
def test_what_is_within_a_visible_tolerance_ties(seed, tolerance):
    rng = np.random.default_rng(seed)
    scores, before = random_scores(rng, 5, 5, 2), random_orders(rng, 5, 5, 0.2)
    slack = np.full(5, tolerance)
    law = tied_signs(scores, 5, before, tolerance=slack)
    whole = tied_orders(pair_costs(scores, 5), before, tolerance=slack)
    np.testing.assert_array_equal(law.ranks, whole.ranks)
    np.testing.assert_array_equal(law.signs, signs_of_pairs(whole.pairs))


def test_further_columns_do_not_count_and_inputs_may_be_read_only():
    rng = np.random.default_rng(0)
    scores, before = rng.normal(size=(4, 7)), random_orders(rng, 4, 4, 0.3)
    for array in (scores, before):
        array.setflags(write=False)
    law = tied_signs(scores, 4, before, tolerance=np.zeros(4))
    short = tied_signs(scores[:, :6], 4, before, tolerance=np.zeros(4))
    np.testing.assert_array_equal(law.ranks, short.ranks)
    assert law.signs.shape == (4, 6)


def test_many_parts_of_one_size_are_settled_in_batches():
    rng = np.random.default_rng(1)
    b, m = 3000, 4  # more parts of two, three and four items than one batch takes
    scores = random_scores(rng, b, m, 1)
    law = tied_signs(scores, m, tolerance=np.zeros(b))
    again = [tied_signs(part, m, tolerance=np.zeros(len(part))) for part in np.split(scores, 30)]
    np.testing.assert_array_equal(law.ranks, np.concatenate([one.ranks for one in again]))
    np.testing.assert_array_equal(law.signs, np.concatenate([one.signs for one in again]))
    np.testing.assert_array_equal(law.single, np.concatenate([one.single for one in again]))


def test_no_problems_and_one_item():
    assert tied_signs(np.empty((0, 3)), 3, tolerance=np.empty(0)).signs.shape == (0, 3)
    law = tied_signs(np.empty((2, 0)), 1, tolerance=np.zeros(2))
    assert law.ranks.tolist() == [[0], [0]]
    assert law.single.all()


def circle(m):
    """i wants to stand before i + 1, and the last item before the first: one part."""
    i, j = np.triu_indices(m, 1)
    return np.where((i == 0) & (j == m - 1), 1.0, np.where(j == i + 1, -1.0, -1e-3))[None]


def test_a_part_that_is_too_large_is_left_to_the_decoder():
    m = LARGEST_LATTICE + 2
    scores = np.concatenate([circle(m), -np.ones((1, m * (m - 1) // 2))])
    law = tied_signs(scores, m, tolerance=np.zeros(2), decoder=order_decoder("local"))
    assert law.single.all()
    np.testing.assert_array_equal(law.signs, signs_of_ranks(law.ranks))
    np.testing.assert_array_equal(law.ranks[1], np.arange(m))
    whole = tied_orders(pair_costs(scores, m), tolerance=0.0, decoder=order_decoder("local"))
    np.testing.assert_array_equal(law.ranks, whole.ranks)
    with pytest.raises(MissingOracleError, match="22 items have to be ordered at once"):
        tied_signs(scores, m, tolerance=np.zeros(2))


def test_a_large_part_without_preferences_needs_no_decoder():
    m = 70  # a table of their sets would not fit anywhere
    law = tied_signs(np.zeros((1, m * (m - 1) // 2)), m, tolerance=np.zeros(1))
    assert not law.signs.any()
    assert not law.single[0]
    assert law.ranks[0].tolist() == list(range(m))


@pytest.mark.parametrize("pairs", [[(1, 1)], [(0, 1), (1, 0)], [(0, 1), (1, 2), (2, 0)]])
def test_forced_pairs_in_a_circle_are_refused(pairs):
    before = np.zeros((3, 4, 4), dtype=bool)
    before[1, *zip(*pairs, strict=True)] = True
    with pytest.raises(ValueError, match=r"forced pairs of problem 1 .1 such problem. contain"):
        tied_signs(np.ones((3, 6)), 4, before, tolerance=np.zeros(3))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_scores_must_be_finite(bad):
    scores = np.zeros((3, 3))
    scores[2, 1] = bad
    with pytest.raises(ValueError, match=r"scores of problem 2 .1 such problem. are not finite"):
        tied_signs(scores, 3, tolerance=np.zeros(3))
