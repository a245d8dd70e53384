"""Mean signs of the optimal orders from scores of pairs, against `tied_orders`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.exceptions import MissingOracleError
from disambig.orderings.decode import order_decoder
from disambig.orderings.dynamic import LARGEST_LATTICE
from disambig.orderings.signs import pair_costs, signs_of_pairs, signs_of_ranks, tied_signs
from disambig.orderings.ties import tied_orders

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
def test_same_distribution_as_tied_orders(seed, m, levels, share):
    rng = np.random.default_rng(seed)
    b = 6
    scores = random_scores(rng, b, m, levels)
    scores[0] = 0.0
    before = None if share == 0.0 else random_orders(rng, b, m, share)
    tolerance = np.full(b, 1e-10)
    found = tied_signs(scores, m, before, tolerance=tolerance)
    reference = tied_orders(pair_costs(scores, m), before, tolerance=tolerance)
    np.testing.assert_array_equal(found.ranks, reference.ranks)
    np.testing.assert_array_equal(found.signs, signs_of_pairs(reference.pairs))
    np.testing.assert_array_equal(found.single, reference.counts == 1)
    np.testing.assert_array_equal(found.single, (np.abs(found.signs) == 1).all(axis=1))


@given(SEEDS, st.sampled_from([0.0, 0.3, 1.1, 5.0]))
def test_orders_within_a_large_tolerance_tie(seed, tolerance):
    rng = np.random.default_rng(seed)
    scores, before = random_scores(rng, 5, 5, 2), random_orders(rng, 5, 5, 0.2)
    slack = np.full(5, tolerance)
    found = tied_signs(scores, 5, before, tolerance=slack)
    reference = tied_orders(pair_costs(scores, 5), before, tolerance=slack)
    np.testing.assert_array_equal(found.ranks, reference.ranks)
    np.testing.assert_array_equal(found.signs, signs_of_pairs(reference.pairs))


def test_further_columns_are_ignored_and_inputs_may_be_read_only():
    rng = np.random.default_rng(0)
    scores, before = rng.normal(size=(4, 7)), random_orders(rng, 4, 4, 0.3)
    for array in (scores, before):
        array.setflags(write=False)
    found = tied_signs(scores, 4, before, tolerance=np.zeros(4))
    short = tied_signs(scores[:, :6], 4, before, tolerance=np.zeros(4))
    np.testing.assert_array_equal(found.ranks, short.ranks)
    assert found.signs.shape == (4, 6)


def test_many_parts_of_one_size_are_solved_in_batches():
    rng = np.random.default_rng(1)
    b, m = 3000, 4  # more parts of two, three and four items than one batch takes
    scores = random_scores(rng, b, m, 1)
    found = tied_signs(scores, m, tolerance=np.zeros(b))
    again = [tied_signs(part, m, tolerance=np.zeros(len(part))) for part in np.split(scores, 30)]
    np.testing.assert_array_equal(found.ranks, np.concatenate([one.ranks for one in again]))
    np.testing.assert_array_equal(found.signs, np.concatenate([one.signs for one in again]))
    np.testing.assert_array_equal(found.single, np.concatenate([one.single for one in again]))


def test_no_problems_and_one_item():
    assert tied_signs(np.empty((0, 3)), 3, tolerance=np.empty(0)).signs.shape == (0, 3)
    found = tied_signs(np.empty((2, 0)), 1, tolerance=np.zeros(2))
    assert found.ranks.tolist() == [[0], [0]]
    assert found.single.all()


def cycle(m):
    """i is cheaper before i + 1, and the last item before the first: one part."""
    i, j = np.triu_indices(m, 1)
    return np.where((i == 0) & (j == m - 1), 1.0, np.where(j == i + 1, -1.0, -1e-3))[None]


def test_a_part_that_is_too_large_is_decoded():
    m = LARGEST_LATTICE + 2
    scores = np.concatenate([cycle(m), -np.ones((1, m * (m - 1) // 2))])
    found = tied_signs(scores, m, tolerance=np.zeros(2), decoder=order_decoder("local"))
    assert found.single.all()
    np.testing.assert_array_equal(found.signs, signs_of_ranks(found.ranks))
    np.testing.assert_array_equal(found.ranks[1], np.arange(m))
    reference = tied_orders(pair_costs(scores, m), tolerance=0.0, decoder=order_decoder("local"))
    np.testing.assert_array_equal(found.ranks, reference.ranks)
    with pytest.raises(MissingOracleError, match="22 items have to be ordered at once"):
        tied_signs(scores, m, tolerance=np.zeros(2))


def test_a_large_part_without_preferences_needs_no_decoder():
    m = 70  # a table of their sets would not fit into memory
    found = tied_signs(np.zeros((1, m * (m - 1) // 2)), m, tolerance=np.zeros(1))
    assert not found.signs.any()
    assert not found.single[0]
    assert found.ranks[0].tolist() == list(range(m))


@pytest.mark.parametrize("pairs", [[(1, 1)], [(0, 1), (1, 0)], [(0, 1), (1, 2), (2, 0)]])
def test_forced_pairs_in_a_cycle_raise(pairs):
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
