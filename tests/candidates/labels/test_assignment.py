"""Labels of least cost that keep class counts: linear programs and listings as oracles."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.candidates import ClassCounts, LabelSets
from disambig.candidates.labels.assignment import counted_labels, require_feasible
from disambig.exceptions import CandidateError
from tests.oracles.bag_problems import (
    cheapest_by_listing,
    cheapest_by_program,
    counts_of,
    keeps,
    random_counts,
)


def _checked(costs, mask, bags, bounds, prices=None):
    """The cost of the labels, after a check that they are allowed and proved optimal by prices."""
    found = counted_labels(costs, counts_of(mask, bags, bounds), prices)
    rows, codes = np.arange(len(mask)), found.codes
    assert mask[rows, codes].all()
    assert keeps(codes, bags, bounds)
    priced = np.where(mask, costs + found.prices[bags], np.inf)
    assert (priced[rows, codes] <= priced.min(axis=1) + 1e-9).all()
    totals = np.zeros(bounds.shape[:2], dtype=int)
    np.add.at(totals, (bags, codes), 1)
    assert (found.prices[totals < bounds[..., 1]] <= 1e-12).all()
    assert (found.prices[totals > bounds[..., 0]] >= -1e-12).all()
    return float(costs[rows, codes].sum()), found


@settings(max_examples=120)
@given(st.integers(0, 10**6), st.integers(1, 30), st.integers(2, 6), st.integers(1, 3))
def test_the_labels_are_as_cheap_as_those_of_a_linear_program(seed, n, n_classes, n_bags):
    rng = np.random.default_rng(seed)
    instance = random_counts(rng, n, n_classes, n_bags, width=2)
    # Rounded costs tie.
    costs = rng.normal(size=(n, n_classes)).round(rng.integers(0, 4))
    cost, found = _checked(costs, *instance)
    assert_allclose(cost, cheapest_by_program(costs, *instance), atol=1e-8)
    near = costs + 0.1 * rng.normal(size=costs.shape)
    again, _ = _checked(near, *instance, found.prices)
    assert_allclose(again, cheapest_by_program(near, *instance), atol=1e-8)


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_tiny_ones_equal_a_listing_of_all_labels(seed):
    rng = np.random.default_rng(seed)
    n, n_classes = rng.integers(1, 7), rng.integers(2, 4)
    instance = random_counts(rng, n, n_classes, 2, feasible=False)
    costs = rng.integers(-3, 4, size=(n, n_classes)).astype(float)
    expected = cheapest_by_listing(costs, *instance)
    if expected is None:
        with pytest.raises(CandidateError, match="no labels of the sets keep the counts"):
            _checked(costs, *instance)
    else:
        assert_allclose(_checked(costs, *instance)[0], expected)


def test_several_rounds_on_a_large_bag_end_at_the_optimum():
    rng = np.random.default_rng(0)
    n, n_classes = 20_000, 6
    costs = rng.normal(size=(n, n_classes)) + rng.normal(size=n_classes)
    mask = rng.random((n, n_classes)) < 0.7
    mask[:, 0] = True
    labels = np.where(mask.any(axis=1), rng.integers(0, n_classes, n), 0)
    labels[~mask[np.arange(n), labels]] = 0
    counts = np.bincount(labels, minlength=n_classes)
    for bounds in (np.stack([counts, counts], 1), np.stack([counts - 50, counts + 900], 1)):
        _checked(costs, mask, np.zeros(n, dtype=int), bounds[None])


def test_costs_that_all_tie_are_solved_too():
    counts = np.array([[2000, 2000], [6000, 6000]])
    mask = np.ones((8000, 2), dtype=bool)
    _checked(np.zeros((8000, 2)), mask, np.zeros(8000, dtype=int), counts[None])


# ---------------------------------------------------------------- proofs that there are none


@pytest.mark.parametrize(
    ("sets", "bounds", "message"),
    [
        (
            [{"a", "b"}] * 4 + [{"a", "b", "c"}] * 2,
            [[0, 2], [0, 1], [0, 6]],
            r"4 rows \(0, 1, 2, \.\.\.\) can only be 'a' or 'b', whose counts allow at most 3",
        ),
        (
            [{"a"}, {"a", "b"}, {"b", "c"}, {"a"}, {"a"}],
            [[0, 5], [1, 2], [1, 2]],
            None,
        ),
        (
            [{"a"}, {"a"}, {"b", "c"}, {"a"}, {"a"}],
            [[0, 5], [1, 2], [1, 2]],
            r"only 1 row \(2\) can be 'b' or 'c', whose counts ask for at least 2",
        ),
    ],
)
def test_an_infeasible_demand_names_rows_and_classes(sets, bounds, message):
    counts = ClassCounts(LabelSets.from_sets(sets), bounds)
    if message is None:
        require_feasible(counts)
        return
    with pytest.raises(CandidateError, match=message):
        require_feasible(counts)


@settings(max_examples=150)
@given(st.integers(0, 10**6), st.integers(1, 15), st.integers(2, 5))
def test_every_proof_is_right(seed, n, n_classes):
    rng = np.random.default_rng(seed)
    mask, bags, bounds = random_counts(rng, n, n_classes, 2, feasible=False)
    expected = cheapest_by_program(np.zeros(mask.shape), mask, bags, bounds)
    if expected is not None:
        require_feasible(counts_of(mask, bags, bounds))
        return
    with pytest.raises(CandidateError) as caught:
        require_feasible(counts_of(mask, bags, bounds))
    proof = re.search(
        r"of bag (\d+) .*?: (?:only )?(\d+) rows? ?(?:\(([\d, .]*)\) )?can (only )?be (.*), "
        r"whose counts (allow at most|ask for at least) (\d+)",
        str(caught.value),
    )
    if proof is None:
        assert "is the only candidate of" in str(caught.value)
        return
    bag, count, limit = int(proof[1]), int(proof[2]), int(proof[7])
    chosen = np.zeros(n_classes, dtype=bool)
    chosen[[int(k) for k in re.findall(r"\d+", proof[5])]] = True
    inside = bags == bag
    if proof[4]:
        assert np.count_nonzero(inside & ~mask[:, ~chosen].any(axis=1)) == count > limit
        assert bounds[bag, chosen, 1].sum() == limit
    else:
        assert np.count_nonzero(inside & mask[:, chosen].any(axis=1)) == count < limit
        assert bounds[bag, chosen, 0].sum() == limit


def test_counts_of_bags_can_be_selected_by_whole_bags():
    rng = np.random.default_rng(1)
    mask, bags, bounds = random_counts(rng, 12, 3, 3)
    counts = counts_of(mask, bags, bounds)
    rows = np.flatnonzero(bags != 1)[::-1]
    part = counts[rows]
    assert part == ClassCounts(counts.sets[rows], bounds[[0, 2]], bags[rows] // 2)
    with pytest.raises(CandidateError, match=r"rows in bag 0 are selected, and the counts of a"):
        counts[np.flatnonzero(bags == 0)[:-1]]
    other = counts.with_classes([2, 0, 1])
    assert_array_equal(other.bounds, bounds[:, [2, 0, 1]])
