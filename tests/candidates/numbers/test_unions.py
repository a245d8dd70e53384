"""Unions of intervals: sorted and merged segments, and errors."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.candidates import Intervals, IntervalUnions, number_sets
from disambig.exceptions import CandidateError

inf, nan = float("inf"), float("nan")

ends = st.integers(-6, 6)
pairs = st.tuples(ends, ends).map(lambda pair: (min(pair), max(pair)))


def error_message(read, *arguments, **options):
    with pytest.raises(CandidateError) as caught:
        read(*arguments, **options)
    return str(caught.value)


@given(st.lists(st.lists(pairs, min_size=1, max_size=5), min_size=1, max_size=6))
def test_merging_keeps_the_sets_and_makes_segments_disjoint(rows):
    unions = IntervalUnions.from_any(rows)
    quarters = np.arange(-28, 29) / 4
    for row, segments in zip(rows, unions, strict=True):
        for value in quarters:
            is_member = any(low <= value <= high for low, high in row)
            assert is_member == any(low <= value <= high for low, high in segments)
        assert all(low <= high for low, high in segments)
        assert all(a[1] < b[0] for a, b in pairwise(segments))
    assert len(unions.rows) == len(unions.lower)


def test_only_segments_that_touch_are_merged():
    assert IntervalUnions.from_any([[(1, 2), (0, 1)]])[0] == ((0, 2),)
    assert IntervalUnions.from_any([[(1, 2), (0, np.nextafter(1, 0))]]).lower.tolist() == [0, 1]
    assert IntervalUnions.from_any([[(0, 9), (1, 2), (8, inf)]])[0] == ((0, inf),)
    assert IntervalUnions.from_any([[(-inf, 2), (1, inf)]]).informative.tolist() == [False]
    assert IntervalUnions.from_any([[(-inf, -1), (1, inf)]]).informative.tolist() == [True]
    assert IntervalUnions.from_any([[(3, 3), (3, 3)]]).is_point.tolist() == [True]


def test_segments_of_different_rows_are_not_merged():
    unions = IntervalUnions([0, 1, 2], [9, 2, 3], [0, 1, 2, 3])
    assert list(unions) == [((0, 9),), ((1, 2),), ((2, 3),)]


def test_centers():
    rows = [
        [(0, 1), (2, 5)],
        [(0, 0), (2, 5)],
        [(0, 0), (3, 3)],
        [(0, 2), (5, inf)],
        [(-inf, -3), (1, inf)],
        [(-inf, inf)],
    ]
    expected = [(0.5 + 3 * 3.5) / 4, 3.5, 1.5, 5, -1, nan]
    np.testing.assert_allclose(IntervalUnions.from_any(rows).centers[:, 0], expected)


def test_nearest_takes_the_lower_of_two_equally_near_members():
    unions = IntervalUnions.from_any([[(-2, -1), (1, 2)]] * 3)
    assert unions.nearest([0.0, 0.25, -0.25]).ravel().tolist() == [-1, 1, -1]


def test_constructor():
    unions = IntervalUnions(np.array([3, 0]), np.array([4, 1]), np.array([0, 2]))
    assert unions.lower.tolist() == [0, 3]
    assert unions.indptr.tolist() == [0, 2]
    assert (unions.flat, unions.n_columns, unions.shape) == (True, 1, (1,))
    indptr = np.array([0, 1, 2])
    kept = IntervalUnions([0, 1], [0, 1], indptr)
    indptr[1] = 2
    assert kept.indptr.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (([0, 1], [1, 2], [0, 2, 2]), "IntervalUnions: row 1 has no segment (1 such row)"),
        (([0, 1], [1, 2], [0, 1]), "must rise from 0 to the number of segments, 2"),
        (([0, 1], [1, 2], [1, 2]), "goes from 1 to 2"),
        (([0, 1], [1, 2], [0, 3, 2]), "must rise"),
        (([0, 1], [1, 2], [0.0, 2.0]), "must hold integers"),
        (([0, 1], [1, 2], []), "must hold integers, shape (n + 1,)"),
        (([0, 1], [1, 0], [0, 1, 2]), "row 1 has its lower end 1.0 above its upper end 0.0"),
        (([2, 1], [1, 0], [0, 2]), "row 0 has its lower end 2.0 above its upper end 1.0 (1 such"),
        (([0, nan], [1, 2], [0, 1, 2]), "row 1 lacks an end"),
        (([0, inf], [1, inf], [0, 1, 2]), "row 1 holds no number"),
        (([0, 1], [1, 1e200], [0, 1, 2]), "row 1 has an end of 1e+200"),
        (([0, 1], [1, 2, 3], [0, 1, 2]), "same shape"),
        ((np.zeros((2, 2)), np.ones((2, 2)), [0, 2]), "one column, shape (m,); got shape (2, 2)"),
        ((0.0, 1.0, [0, 1]), "got shape ()"),
    ],
)
def test_invalid_arguments(arguments, expected):
    assert expected in error_message(IntervalUnions, *arguments)


def test_from_any_reads_intervals_too():
    assert IntervalUnions.from_any([(0, 1), 5.0])[1] == ((5, 5),)
    assert IntervalUnions.from_any(Intervals([0], [1]))[0] == ((0, 1),)
    assert IntervalUnions.from_any(np.array([[0.0, 1.0]]))[0] == ((0, 1),)
    whole = IntervalUnions.from_any([None, [(None, 1), (3, None)]], missing="whole")
    assert list(whole) == [((-inf, inf),), ((-inf, 1), (3, inf))]
    assert "got boxes of 3 columns" in error_message(IntervalUnions.from_any, np.zeros((2, 3, 2)))


def test_number_sets_are_unions_only_where_needed():
    assert isinstance(number_sets([[(0, 1)], 5.0]), Intervals)
    assert isinstance(number_sets([[(0, 1), (1, 2)], 5.0]), Intervals)
    assert isinstance(number_sets([[(0, 1), (2, 3)], 5.0]), IntervalUnions)
    one = IntervalUnions.from_any([5.0])
    assert number_sets(one) is one


def test_intervals_refuse_disjoint_unions():
    assert Intervals.from_any([[(0, 1), (1, 2)], 5.0])[0] == (0, 2)
    text = error_message(Intervals.from_any, [5.0, [(0, 1), (3, 4), (6, 7)], [(0, 1), (3, 4)]])
    assert "row 1 is a union of 3 disjoint intervals (2 such rows)" in text
    assert "number_sets" in text
    assert "row 0 has its lower end" in error_message(Intervals.from_any, [[(0, 1), (4, 3)]])


def test_many_rows():
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 5, size=20_000)
    lower = rng.normal(size=counts.sum())
    upper = lower + rng.exponential(size=len(lower))
    indptr = np.append(0, np.cumsum(counts))
    unions = IntervalUnions(lower, upper, indptr)
    for row in rng.integers(0, 20_000, size=50).tolist():
        own = slice(indptr[row], indptr[row + 1])
        assert unions[row] == IntervalUnions(lower[own], upper[own], [0, counts[row]])[0]


def test_an_end_that_is_too_large_is_reported_with_its_row():
    # Row 0 has two segments, so that the third one is in row 1.
    with pytest.raises(CandidateError, match=r"row 1 has an end of -1\.7e") as caught:
        number_sets([[(5.0, 5.0), (7.0, 8.0)], [(-1.7e308, 1.7e308)]])
    assert caught.value.row == 1
