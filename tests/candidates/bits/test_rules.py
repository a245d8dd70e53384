"""The cheapest bits under rules against all ``2 ** m`` bit vectors."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.candidates.bits.implications import Implications
from disambig.candidates.bits.rules import TagRules
from disambig.exceptions import MissingOracleError


def cheapest_by_listing(costs, bits, pairs, counts):
    """Mean, least cost and all ties, of every bit vector that is allowed."""
    m = len(costs)
    allowed = [
        np.array(y)
        for y in itertools.product((0, 1), repeat=m)
        if all(known < 0 or known == bit for known, bit in zip(bits, y, strict=True))
        and all(y[i] <= y[j] for i, j in pairs)
        and counts[0] <= sum(y) <= counts[1]
    ]
    if not allowed:
        return None
    values = np.array([y @ costs for y in allowed])
    tied = [y for y, value in zip(allowed, values, strict=True) if value <= values.min() + 1e-9]
    return values.min(), tied


@st.composite
def rule_problems(draw):
    m = draw(st.integers(1, 6))
    # Implications from larger to smaller positions of a random order have no cycle.
    order = draw(st.permutations(range(m)))
    places = st.tuples(st.integers(0, m - 1), st.integers(0, m - 1)).filter(lambda p: p[0] < p[1])
    pairs = draw(st.lists(places, max_size=5)) if m > 1 else []
    pairs = [(order[j], order[i]) for i, j in pairs]
    # Small whole numbers: many ties, and sums without rounding.
    costs = draw(st.lists(st.integers(-2, 2), min_size=m, max_size=m))
    bits = draw(st.lists(st.sampled_from([-1, -1, -1, 0, 1]), min_size=m, max_size=m))
    low = draw(st.integers(0, m))
    return np.array(costs, float), bits, pairs, (low, draw(st.integers(low, m)))


@given(rule_problems())
def test_it_is_the_cheapest_of_all_bit_vectors(problem):
    costs, bits, pairs, counts = problem
    m = len(costs)
    implications = Implications(np.array(pairs).reshape(-1, 2), m) if pairs else None
    rules = TagRules(np.arange(m), implications)
    known = np.array([bits], dtype=np.int8)
    found = rules.cheapest(costs[None], known, np.array([counts]), np.full(1, 1e-9))
    expected = cheapest_by_listing(costs, bits, pairs, counts)
    if expected is None:
        assert found.costs[0] == np.inf
        return
    least, tied = expected
    assert found.costs[0] == least
    np.testing.assert_allclose(found.means[0], np.mean(tied, axis=0), atol=1e-12)
    assert found.log_numbers[0] == pytest.approx(np.log(len(tied)), abs=1e-12)
    for chosen in (found.first, found.last):
        assert any((chosen[0] == y).all() for y in tied)
    assert (found.first == found.last).all() == (len(tied) == 1)


def test_rows_are_separate_problems():
    rng = np.random.default_rng(0)
    rules = TagRules(np.arange(5), Implications(np.array([[1, 0], [2, 1], [4, 3]]), 5))
    costs, counts = rng.normal(size=(40, 5)), np.tile([1, 3], (40, 1))
    bits = np.full((40, 5), -1, dtype=np.int8)
    together = rules.cheapest(costs, bits, counts)
    for i in range(40):
        alone = rules.cheapest(costs[i : i + 1], bits[:1], counts[:1])
        assert (alone.first[0] == together.first[i]).all()
        least, tied = cheapest_by_listing(costs[i], bits[i], [(1, 0), (2, 1), (4, 3)], (1, 3))
        assert (tied[0] == together.first[i]).all()
        assert together.costs[i] == pytest.approx(least)


def test_many_tags_without_a_decision_have_a_mean():
    # 2 ** 1200 ties are more than a float can count.
    found = TagRules(np.arange(1200), None).cheapest(
        np.zeros((1, 1200)), np.full((1, 1200), -1, dtype=np.int8)
    )
    np.testing.assert_allclose(found.means, 0.5, rtol=1e-9)


def test_too_many_combinations_are_refused_in_words():
    # Every tag implies the first two, which no tag of a forest can.
    pairs = np.array([[t, r] for t in range(2, 14) for r in (0, 1)])
    rules = TagRules(np.array([f"t{k}" for k in range(14)]), Implications(pairs, 14))
    with pytest.raises(MissingOracleError, match="more than 1024 combinations"):
        rules.cheapest(np.zeros((1, 14)), np.full((1, 14), -1, dtype=np.int8))
