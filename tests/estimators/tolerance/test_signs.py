from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disambig import PartialBits, PartialOrders
from disambig.estimators.held_out.wrong_sets import WrongSets
from disambig.estimators.tolerance.signs import SignVerdict, judge_bits, judge_orders


def verdict_of(orders, logits):
    return SignVerdict(orders, orders.signs(), logits, WrongSets(0.0), 0.0)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0, 3))
def test_the_pairs_that_remain_agree_with_the_cheapest_order(seed, price):
    rng = np.random.default_rng(seed)
    n, m = 5, 4
    ranks = np.argsort(rng.random((n, m)), axis=1).astype(float)
    ranks[rng.random((n, m)) < 0.3] = np.nan
    orders = PartialOrders.from_ranks(ranks)
    i, j = np.triu_indices(m, 1)
    logits, signs = rng.normal(size=(n, i.size)), orders.signs()
    found = verdict_of(orders, logits).widened(price)
    everything = np.array(list(permutations(range(m))))
    own = np.sign(everything[:, j] - everything[:, i])
    for row in range(n):
        contradicted = (-signs[row] * logits[row] > price).any()
        if not contradicted:
            np.testing.assert_array_equal(found.before[row], orders.before[row])
            continue
        # By enumeration: minus the log-likelihood of the pairs, and the price of reversed ones.
        costs = -0.5 * own @ logits[row] + price * ((own * signs[row]) < 0).sum(axis=1)
        best = everything[costs.argmin()]
        agrees = orders.before[row] & (best[:, None] < best[None, :])
        np.testing.assert_array_equal(found.before[row], agrees | found.before[row] & agrees)
        assert found[row : row + 1].contains(best[None]).all()


def test_a_chain_is_not_closed_again():
    orders = PartialOrders.from_any(["a>b>c"])
    # a before c alone is contradicted; the other pairs imply it, and one of them must go too.
    found = verdict_of(orders, np.array([[0.1, -9.0, 3.0]])).widened(1.0)
    assert found[0] == {("b", "c")}


def test_bits_leave_one_by_one_where_their_odds_exceed_the_price():
    bits = PartialBits.from_any([[1, 0, np.nan], [1, 1, 0]], ["a", "b", "c"])
    signs = np.array([[1, -1, 0], [1, 1, -1]])
    logits = np.array([[-2.0, 0.9, -5.0], [-1.0, 3.0, 1.1]])
    found = SignVerdict(bits, signs, logits, WrongSets(0.0), 0.0).widened(1.0)
    np.testing.assert_array_equal(found.bits, [[-1, 0, -1], [1, 1, -1]])


@pytest.mark.parametrize("share", [0.0, 0.15])
def test_judged_signs_have_the_share_of_wrong_ones(share):
    rng = np.random.default_rng(0)
    n, m = 800, 3
    p = rng.beta(0.3, 0.3, size=(n, m))
    truth = rng.random((n, m)) < p
    wrong = rng.random((n, m)) < share
    bits = PartialBits((truth ^ wrong).astype(np.int8))
    found = judge_bits(p, bits, np.ones(n))
    assert found.wrong_share == pytest.approx(share, abs=0.05)
    left = found.widened(np.log((1 - 0.15) / 0.15)).bits == -1
    if share:
        assert wrong[left].mean() > 0.5


def test_few_signs_are_not_certain():
    orders = PartialOrders.from_any(["a>b", "b>a"])
    found = judge_orders(np.array([[1.0], [1.0]]), orders, np.ones(2))
    # A unanimous vote of few rows is no certainty.
    np.testing.assert_allclose(found.logits, np.log(0.999 / 0.001))
    assert found.wrong_share == 0.0
