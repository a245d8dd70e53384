"""Intervals in frames, series and interval arrays of pandas and polars."""

import numpy as np
import pytest
from sklearn.exceptions import DataConversionWarning

from disambig.candidates import Intervals, IntervalUnions, number_sets
from disambig.exceptions import CandidateError

inf, nan = float("inf"), float("nan")


def error_message(y, **options):
    with pytest.raises(CandidateError) as caught:
        number_sets(y, **options)
    return str(caught.value)


@pytest.fixture
def pd():
    return pytest.importorskip("pandas")


@pytest.fixture
def pl():
    return pytest.importorskip("polars")


class TestPandas:
    @pytest.mark.parametrize("dtype", [None, "float32", "Int64", "Float64", object])
    def test_two_columns(self, pd, dtype):
        y = pd.DataFrame({"lower": [0, 2], "upper": [1, 3]}, dtype=dtype, index=[7, 9])
        assert list(number_sets(y)) == [(0, 1), (2, 3)]

    @pytest.mark.parametrize("dtype", [None, "float64", "Int64", "Float64", object])
    def test_missing_ends(self, pd, dtype):
        y = pd.DataFrame({"lower": [0, None], "upper": [1, 3]}, dtype=dtype)
        assert "row 1 lacks an end" in error_message(y)
        assert list(number_sets(y, missing="whole")) == [(0, 1), (-inf, 3)]

    def test_columns_of_two_dtypes(self, pd):
        y = pd.DataFrame({"lower": pd.array([0, None], dtype="Int64"), "upper": [1.5, inf]})
        assert list(number_sets(y, missing="whole")) == [(0, 1.5), (-inf, inf)]

    def test_other_numbers_of_columns(self, pd):
        assert "got shape (1, 3)" in error_message(pd.DataFrame([[0, 1, 2]]))
        with pytest.warns(DataConversionWarning, match="column-vector"):
            assert number_sets(pd.DataFrame({"y": [1, 2]})).is_point.all()
        with pytest.warns(DataConversionWarning, match="column-vector"):
            assert number_sets(pd.DataFrame({"y": ["[0, 1]", "2"]}))[0] == (0, 1)

    @pytest.mark.parametrize("dtype", ["int64", "float32", "Int64", "Float64", object])
    def test_a_series_of_numbers_is_points(self, pd, dtype):
        assert number_sets(pd.Series([1, 2], dtype=dtype, index=[5, 6])).is_point.all()

    @pytest.mark.parametrize("dtype", ["float64", "Int64", "Float64", object])
    def test_a_series_with_missing_numbers(self, pd, dtype):
        y = pd.Series([1, None], dtype=dtype)
        assert "row 1 lacks an end" in error_message(y)
        assert list(number_sets(y, missing="whole")) == [(1, 1), (-inf, inf)]

    @pytest.mark.parametrize("closed", ["left", "right", "both", "neither"])
    @pytest.mark.parametrize("form", ["array", "index", "series", "objects", "list"])
    def test_interval_arrays(self, pd, closed, form):
        y = pd.arrays.IntervalArray.from_tuples([(0, 1), (2, 2), (3, inf)], closed=closed)
        y = {
            "array": lambda: y,
            "index": lambda: pd.IntervalIndex(y),
            "series": lambda: pd.Series(y, index=[4, 5, 6]),
            "objects": lambda: pd.Series(y).astype(object),
            "list": lambda: list(y),
        }[form]()
        # It does not matter whether the ends are members.
        assert list(number_sets(y)) == [(0, 1), (2, 2), (3, inf)]

    def test_missing_intervals(self, pd):
        y = pd.arrays.IntervalArray.from_tuples([(0, 1), None])
        for form in (y, pd.Series(y), list(y)):
            assert "row 1 lacks an end" in error_message(form)
            assert list(number_sets(form, missing="whole")) == [(0, 1), (-inf, inf)]

    def test_categories_of_cut(self, pd):
        cut = pd.cut([1.0, 7.0, 4.0, 50.0], [-inf, 3, 5, 10])
        for form in (cut, pd.Series(cut)):
            assert "row 3 lacks an end" in error_message(form)
            assert list(number_sets(form, missing="whole")) == [
                (-inf, 3),
                (5, 10),
                (3, 5),
                (-inf, inf),
            ]

    def test_intervals_of_dates(self, pd):
        dates = pd.interval_range(pd.Timestamp("2020-01-01"), periods=2)
        assert "days since the first date" in error_message(dates)
        assert "no interval of numbers" in error_message(list(dates))

    def test_intervals_beside_other_rows_and_in_unions(self, pd):
        y = [pd.Interval(0, 1), 5.0, [pd.Interval(0, 1), (2, 3)]]
        assert list(number_sets(y)) == [((0, 1),), ((5, 5),), ((0, 1), (2, 3))]

    @pytest.mark.parametrize("dtype", [None, "string", "category", object])
    def test_texts(self, pd, dtype):
        y = pd.Series(["[0, 1]", None, "> 3"], dtype=dtype)
        assert "row 1 lacks an end" in error_message(y)
        assert list(number_sets(y, missing="whole")) == [(0, 1), (-inf, inf), (3, inf)]

    def test_series_of_pairs_and_of_lists_of_pairs(self, pd):
        assert list(number_sets(pd.Series([(0, 1), [2, 3]]))) == [(0, 1), (2, 3)]
        unions = number_sets(pd.Series([[(0, 1), (2, 3)], 5.0]))
        assert isinstance(unions, IntervalUnions)

    def test_constructors_by_name(self, pd):
        frame = pd.DataFrame({"a": [0, 1], "b": [2, 3]})
        assert Intervals.from_bounds(frame["a"], frame["b"])[1] == (1, 3)
        assert Intervals.from_points(frame).shape == (2, 2, 2)
        assert Intervals.from_centers(frame["b"], frame["a"])[1] == (2, 4)
        nullable = pd.Series([0, None], dtype="Int64")
        assert Intervals.from_bounds(nullable, 5, missing="whole")[1] == (-inf, 5)


class TestPolars:
    def test_two_columns(self, pl):
        y = pl.DataFrame({"lower": [0, 2], "upper": [1.5, inf]})
        assert list(number_sets(y)) == [(0, 1.5), (2, inf)]
        with_missing = pl.DataFrame({"lower": [0, None], "upper": [1, 3]})
        assert "row 1 lacks an end" in error_message(with_missing)
        assert list(number_sets(with_missing, missing="whole")) == [(0, 1), (-inf, 3)]

    def test_one_column(self, pl):
        with pytest.warns(DataConversionWarning, match="column-vector"):
            assert number_sets(pl.DataFrame({"y": [1, 2]})).is_point.all()

    def test_series(self, pl):
        assert number_sets(pl.Series([1, 2])).is_point.all()
        assert list(number_sets(pl.Series([1, None]), missing="whole"))[1] == (-inf, inf)
        assert list(number_sets(pl.Series(["[0, 1]", "2"]))) == [(0, 1), (2, 2)]
        assert list(number_sets(pl.Series([[0, 1], [2, 3]]))) == [(0, 1), (2, 3)]
        assert list(number_sets(pl.Series([[0, 1], [2, 3]], dtype=pl.Array(pl.Int64, 2)))) == [
            (0, 1),
            (2, 3),
        ]
        unions = number_sets(pl.Series([[[0, 1], [2, 3]], [[4, 5]]]))
        assert list(unions) == [((0, 1), (2, 3)), ((4, 5),)]

    def test_categories_of_cut(self, pl):
        y = pl.Series(["(-inf, 3]", "(5, inf]", "(3, 5]"], dtype=pl.Categorical)
        assert list(number_sets(y)) == [(-inf, 3), (5, inf), (3, 5)]

    def test_constructors_by_name(self, pl):
        frame = pl.DataFrame({"a": [0, 1], "b": [2, 3]})
        assert Intervals.from_bounds(frame["a"], frame["b"])[1] == (1, 3)
        assert Intervals.from_points(frame).shape == (2, 2, 2)


def test_pyarrow():
    pa = pytest.importorskip("pyarrow")
    assert list(number_sets(pa.array([1.0, 2.0]))) == [(1, 1), (2, 2)]
    table = pa.table({"lower": [0.0, 2.0], "upper": [1.0, 3.0]})
    assert list(number_sets(table)) == [(0, 1), (2, 3)]
    assert np.array_equal(number_sets(pa.chunked_array([[1.0], [2.0]])).lower.ravel(), [1, 2])
