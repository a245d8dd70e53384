"""The shortest cycle, against all sequences of items."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis.extra import numpy as hnp

from disambig.candidates.orders.items import shortest_cycle


def is_cycle(relation, items):
    return all(relation[i, j] for i, j in zip(items, [*items[1:], items[0]], strict=True))


def all_cycles(relation):
    """Shortest first, then in the order of their items."""
    m = len(relation)
    for length in range(1, m + 1):
        for items in itertools.permutations(range(m), length):
            if is_cycle(relation, items):
                yield list(items)


@given(hnp.arrays(np.bool_, (4, 4)))
def test_no_cycle_is_shorter(relation):
    expected = next(all_cycles(relation), None)
    assume(expected is not None)
    found = shortest_cycle(relation)
    assert is_cycle(relation, found)
    assert len(found) == len(expected)
    assert found[0] == expected[0] == min(found)


@pytest.mark.parametrize(
    ("pairs", "cycle"),
    [
        ([(2, 2)], [2]),
        ([(0, 1), (1, 2), (2, 0), (3, 1), (1, 3)], [1, 3]),
        ([(0, 1), (1, 2), (2, 3), (3, 0)], [0, 1, 2, 3]),
    ],
)
def test_examples(pairs, cycle):
    relation = np.zeros((4, 4), dtype=bool)
    relation[tuple(np.transpose(pairs))] = True
    assert shortest_cycle(relation) == cycle
