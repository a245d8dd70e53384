"""Intervals: the constructors and their errors."""

import numpy as np
import pytest

from disambig.candidates import Intervals
from disambig.exceptions import CandidateError

inf, nan = float("inf"), float("nan")


def error_message(constructor, *arguments, **options):
    with pytest.raises(CandidateError) as caught:
        constructor(*arguments, **options)
    return str(caught.value)


class TestConstruction:
    def test_columns_and_plain_numbers(self):
        assert Intervals([0, 1], [2, 3]).lower.tolist() == [[0.0], [1.0]]
        assert Intervals([[0], [1]], [[2], [3]]) == Intervals([0, 1], [2, 3])
        box = Intervals([[0, 1]], [[2, 3]], flat=False)
        assert (box.n_columns, box.flat, box.shape) == (2, False, (1, 2, 2))
        assert box[0].tolist() == [[0, 2], [1, 3]]
        one = Intervals([[0]], [[2]], flat=False)
        assert (one.shape, one.flat) == ((1, 1, 2), False)
        assert one != Intervals([0], [2])

    def test_the_arrays_are_copies(self):
        lower, upper = np.zeros((2, 1)), np.ones((2, 1))
        intervals = Intervals(lower, upper)
        lower[0], upper[0] = 9, 9
        assert intervals[0] == (0, 1)

    @pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float16, np.float32, np.longdouble])
    def test_dtypes(self, dtype):
        intervals = Intervals(np.zeros((2, 1), dtype), np.ones((2, 1), dtype))
        assert intervals.lower.dtype == intervals.upper.dtype == np.float64

    def test_flat_needs_one_column(self):
        assert "flat=True is for targets of one column; got 2" in error_message(
            Intervals, [[0, 1]], [[2, 3]]
        )

    def test_dtypes_and_shapes_that_are_refused(self):
        assert "lower must hold one real number" in error_message(Intervals, ["0"], [1])
        assert "upper must hold one real number" in error_message(Intervals, [0], [None])
        assert "same shape; got (1, 1) and (2, 1)" in error_message(Intervals, [0], [1, 2])
        assert "expected at least one column" in error_message(
            Intervals, np.zeros((2, 0)), np.zeros((2, 0)), flat=False
        )

    def test_ends_in_the_wrong_order(self):
        text = error_message(Intervals, [0, 3, 5], [1, 2, 4])
        assert text.startswith(
            "Intervals: row 1 has its lower end 3.0 above its upper end 2.0 (2 such rows)."
        )
        text = error_message(Intervals, [[0, 3]], [[1, 2]], flat=False)
        assert "upper end 2.0 in column 1 (1 such row)" in text
        assert "lower end inf above its upper end 3.0" in error_message(Intervals, [inf], [3])

    @pytest.mark.parametrize(("lower", "upper"), [(inf, inf), (-inf, -inf)])
    def test_infinite_points(self, lower, upper):
        text = error_message(Intervals, [0, lower], [1, upper])
        assert f"row 1 holds no number: its ends are {lower} and {upper}" in text
        assert "contains infinity" in text

    @pytest.mark.parametrize(("lower", "upper"), [(nan, 1), (0, nan), (nan, nan)])
    def test_nan(self, lower, upper):
        text = error_message(Intervals, [0, lower], [1, upper])
        assert "row 1 lacks an end (1 such row)" in text
        assert "missing='whole'" in text

    def test_ends_whose_squares_overflow(self):
        assert Intervals([-1e150], [1e150]).span.tolist() == [[-1e150, 1e150]]
        text = error_message(Intervals, [0, -2e150], [1, 1])
        assert "row 1 has an end of -2e+150, the square of which overflows (1 such row)" in text
        assert "rescale y" in text
        huge = np.array([np.longdouble(10) ** 400])
        if np.isfinite(huge).all():
            assert "1e+400" in error_message(Intervals, huge, huge)


class TestConstructorsByName:
    def test_bounds(self):
        assert Intervals.from_bounds([0, 1], [2, 3])[1] == (1, 3)
        assert Intervals.from_bounds(-inf, [2, 3])[1] == (-inf, 3)
        assert Intervals.from_bounds([2, 3], inf)[0] == (2, inf)
        assert Intervals.from_bounds([[0, 1]], [[2, 3]]).shape == (1, 2, 2)
        assert Intervals.from_bounds([[0]], [[2]]).shape == (1, 1, 2)

    def test_missing_bounds(self):
        assert "row 1 lacks an end" in error_message(Intervals.from_bounds, [0, None], [1, 1])
        opened = Intervals.from_bounds([0, None, nan], [nan, 1, None], missing="whole")
        assert list(opened) == [(0, inf), (-inf, 1), (-inf, inf)]
        assert Intervals.from_bounds(None, [1.0], missing="whole")[0] == (-inf, 1)

    def test_bounds_of_different_shapes(self):
        assert "got (2,) and (3,)" in error_message(Intervals.from_bounds, [0, 1], [1, 2, 3])
        assert "both single numbers" in error_message(Intervals.from_bounds, 0, 1)
        assert "got shape (1, 1, 1)" in error_message(Intervals.from_bounds, [[[0]]], [1])
        assert "same number of columns" in error_message(Intervals.from_bounds, [[0, 1], [2]], 5)

    def test_points(self):
        assert Intervals.from_points([1, 2]).is_point.all()
        assert Intervals.from_points([1, 2]).flat
        several = Intervals.from_points([[1, 2], [3, 4]])
        assert (several.flat, several.shape) == (False, (2, 2, 2))
        assert several.is_point.all()
        # A two-dimensional array of points gives boxes, even with one column.
        assert Intervals.from_points([[1], [2]]).shape == (2, 1, 2)
        assert list(Intervals.from_points([1, nan], missing="whole"))[1] == (-inf, inf)
        assert "row 1 lacks an end" in error_message(Intervals.from_points, [1, nan])
        assert "row 0 holds no number" in error_message(Intervals.from_points, [inf])
        assert "row 1 holds 'a', a str" in error_message(
            Intervals.from_points, np.array([1, "a"], dtype=object)
        )

    def test_centers(self):
        assert list(Intervals.from_centers([5, 7], [1, 2])) == [(4, 6), (5, 9)]
        assert Intervals.from_centers([5.0], 0)[0] == (5, 5)
        assert Intervals.from_centers([5.0], inf)[0] == (-inf, inf)
        assert Intervals.from_centers(0, [1, 2])[1] == (-2, 2)
        assert Intervals.from_centers([[1, 2]], 1).shape == (1, 2, 2)
        assert Intervals.from_centers([1, nan], 1, missing="whole")[1] == (-inf, inf)

    def test_invalid_centers_and_radii(self):
        assert "row 1 has a negative radius (1 such row)" in error_message(
            Intervals.from_centers, [1, 2], [1, -1]
        )
        assert "row 0 has an infinite centre" in error_message(Intervals.from_centers, [inf], [inf])
        assert "overflows" in error_message(Intervals.from_centers, [1e308], [1e308])
        assert "row 1 lacks an end" in error_message(Intervals.from_centers, [1, nan], 1)

    @pytest.mark.parametrize(
        ("constructor", "arguments"),
        [
            (Intervals.from_any, ([1],)),
            (Intervals.from_points, ([1],)),
            (Intervals.from_bounds, ([1], [1])),
            (Intervals.from_centers, ([1], [1])),
        ],
    )
    def test_missing_must_be_error_or_whole(self, constructor, arguments):
        assert "missing must be 'error' or 'whole'; got 'drop'" in error_message(
            constructor, *arguments, missing="drop"
        )


def test_repr_counts_points_half_lines_and_whole_lines():
    intervals = Intervals([0, 1, -inf, 2, -inf], [1, 1, 3, inf, inf])
    assert repr(intervals) == (
        "Intervals(5 rows, 1 bounded, 1 points, 2 half-lines, 1 whole, ends from 0 to 3)"
    )
    boxes = Intervals([[0, 1], [-inf, 1]], [[0, 2], [inf, 1]], flat=False)
    assert repr(boxes) == (
        "Intervals(2 rows of 2 columns, 1 bounded, 0 points, 1 half-bounded, 0 whole, "
        "ends from 0 to 2)"
    )


def test_the_centre_of_a_point_is_the_point():
    sizes = 10.0 ** np.linspace(-300, 149, 1000)
    values = np.random.default_rng(0).normal(size=1000) * sizes
    np.testing.assert_array_equal(Intervals(values, values).centers[:, 0], values)


def test_ends_that_are_no_arrays_of_numbers():
    with pytest.raises(CandidateError, match="must hold one real number per row"):
        Intervals([[1.0], [1.0, 2.0]], [1.0, 2.0])
