"""Parts from the numbers of predecessors, against a search of the graph."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from disambig.compiled.majority import majority_parts
from disambig.compiled.orders import score_sequences
from disambig.compiled.orders.score_sequences import is_order
from tests.compiled.parts import callable_part

count_before = callable_part(score_sequences.count_before)
count_ties = callable_part(score_sequences.count_ties)
find_parts = callable_part(score_sequences.find_parts)


@given(
    st.integers(0, 10_000), st.integers(1, 8), st.sampled_from([0.0, 0.3]), st.sampled_from([0, 1])
)
def test_the_parts_are_the_strongly_connected_ones(seed, m, forced, tolerance):
    rng = np.random.default_rng(seed)
    i, j = np.triu_indices(m, 1)
    scores = rng.integers(-2, 3, i.size) * 1.0
    before = np.zeros((m, m), dtype=bool)
    before[i, j] = rng.random(i.size) < forced
    order = rng.permutation(m)
    before = before[np.ix_(order, order)]
    costs = np.zeros((m, m))
    costs[i, j], costs[j, i] = scores, -scores
    parts, solved = majority_parts(costs[None], before[None], True, np.array([1.0 * tolerance]))

    numbers, ties = np.empty(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
    assert count_before(scores, before, 1.0 * tolerance, numbers)
    assert is_order(numbers, np.empty(m, dtype=bool)) == solved[0]
    count_ties(scores, before, 1.0 * tolerance, numbers, ties)
    assert ties.sum() == numbers.sum() - i.size
    items, sizes = np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
    find_parts(numbers, ties, np.empty((3, m), dtype=np.int64), items, sizes)
    # By part, then by index.
    np.testing.assert_array_equal(items, np.argsort(parts[0], kind="stable"))
    np.testing.assert_array_equal(sizes[sizes > 0], np.bincount(parts[0]))
    np.testing.assert_array_equal(
        np.flatnonzero(sizes), np.cumsum(sizes[sizes > 0]) - sizes[sizes > 0]
    )


def test_an_item_before_itself_is_reported():
    assert not count_before(np.zeros(3), np.eye(3, dtype=bool), 0.0, np.empty(3, dtype=np.int64))
