"""Intersections along a growing neighbourhood, against Python's sets."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from disambig.compiled.sets import growing_intersection


def by_sets(order, sets):
    """The intersection, one set at a time."""
    members = [frozenset(np.flatnonzero(row).tolist()) for row in sets]
    rows = []
    for neighbors in order.tolist():
        common = frozenset(range(sets.shape[1]))
        for j in neighbors:
            if j < 0 or len(common) == 1:
                break
            common = (common & members[j]) or common
        rows.append([v in common for v in range(sets.shape[1])])
    return np.array(rows, dtype=np.bool_).reshape(len(order), sets.shape[1])


@st.composite
def neighbourhoods(draw):
    n, size = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    q, k = draw(st.integers(0, 5)), draw(st.integers(0, 7))
    sets = draw(hnp.arrays(np.bool_, (n, size)))
    sets[~sets.any(axis=1)] = True
    order = draw(hnp.arrays(np.intp, (q, k), elements=st.integers(0, n - 1)))
    ends = draw(hnp.arrays(np.intp, q, elements=st.integers(0, k)))
    order[np.arange(k) >= ends[:, None]] = -1
    return order, sets


@given(neighbourhoods())
def test_as_by_sets(drawn):
    order, sets = drawn
    result = growing_intersection(order, sets)
    assert result.dtype == np.bool_
    assert np.array_equal(result, by_sets(order, sets))


@given(neighbourhoods())
def test_never_empty(drawn):
    assert growing_intersection(*drawn).any(axis=1).all()


def test_without_neighbours_everything_is_possible():
    order = np.array([[-1, -1]])
    assert growing_intersection(order, np.eye(3, dtype=np.bool_)).all()


def test_a_contradiction_is_skipped_and_farther_sets_still_count():
    sets = np.array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0]], dtype=np.bool_)
    found = growing_intersection(np.array([[0, 1, 2]]), sets)
    assert found.tolist() == [[True, False, False, False]]


def test_nearer_sets_win():
    sets = np.array([[1, 0], [0, 1]], dtype=np.bool_)
    found = growing_intersection(np.array([[0, 1], [1, 0]]), sets)
    assert found.tolist() == [[True, False], [False, True]]


def test_nothing_after_the_end_mark_is_read():
    sets = np.array([[1, 1], [0, 1]], dtype=np.bool_)
    assert growing_intersection(np.array([[0, -1, 1]]), sets).tolist() == [[True, True]]
