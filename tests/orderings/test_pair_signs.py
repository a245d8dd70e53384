"""Conversions between orders, probabilities of pairs, and signs."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from disambig.orderings.signs import pair_costs, pairs_of_signs, signs_of_pairs, signs_of_ranks


@given(st.integers(0, 10_000), st.integers(1, 8))
def test_signs_of_ranks(seed, m):
    ranks = np.argsort(np.random.default_rng(seed).random((5, m)), axis=1)
    signs = signs_of_ranks(ranks)
    earlier = (ranks[:, :, None] < ranks[:, None, :]).astype(float)
    np.testing.assert_array_equal(signs, signs_of_pairs(earlier))
    np.testing.assert_array_equal(pairs_of_signs(signs, m), earlier)
    i, j = np.triu_indices(m, 1)
    np.testing.assert_array_equal(signs, np.sign(ranks[:, j] - ranks[:, i]))


@given(st.integers(0, 10_000), st.integers(2, 6))
def test_costs_of_pairs_sum_to_scores_times_signs(seed, m):
    rng = np.random.default_rng(seed)
    scores, ranks = rng.normal(size=(4, m * (m - 1) // 2)), np.argsort(rng.random((4, m)), axis=1)
    earlier = ranks[:, :, None] < ranks[:, None, :]
    paid = np.where(earlier, pair_costs(scores, m), 0.0).sum(axis=(1, 2))
    np.testing.assert_allclose(paid, (scores * signs_of_ranks(ranks)).sum(axis=1), atol=1e-12)


def test_signs_are_1_only_if_the_other_direction_never_occurs():
    rare = 1e-19
    pairs = np.array([[[0.0, rare], [1.0 - rare, 0.0]], [[0.0, 0.0], [1.0, 0.0]]])
    signs = signs_of_pairs(pairs)
    assert -1.0 < signs[0, 0] < -0.9999999
    assert signs[1, 0] == -1.0
