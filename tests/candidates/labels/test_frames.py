"""Series and frames of pandas and polars."""

import numpy as np
import pytest
from sklearn.exceptions import DataConversionWarning

from disambig.candidates import LabelSets
from disambig.exceptions import CandidateError

NAN = float("nan")


def error_message(y, read=LabelSets.from_any, **options):
    with pytest.raises(CandidateError) as caught:
        read(y, **options)
    return str(caught.value)


@pytest.fixture
def pd():
    return pytest.importorskip("pandas")


@pytest.fixture
def pl():
    return pytest.importorskip("polars")


class TestPandas:
    @pytest.mark.parametrize("dtype", [None, "Int64", "int8", "float64", "category", object])
    def test_series_of_numbers(self, pd, dtype):
        sets = LabelSets.from_any(pd.Series([2, 0, 2], dtype=dtype, index=[5, 6, 7]))
        assert sets.to_sets() == [{2}, {0}, {2}]

    @pytest.mark.parametrize("dtype", [None, "string", "category", object])
    def test_series_of_text(self, pd, dtype):
        sets = LabelSets.from_any(pd.Series(["b", "a", "b"], dtype=dtype))
        assert sets.classes.tolist() == ["a", "b"]
        assert sets.first_labels().tolist() == ["b", "a", "b"]

    def test_categories_are_sorted_and_only_those_present(self, pd):
        y = pd.Series(pd.Categorical(["b", "a"], categories=["c", "b", "a"]))
        assert LabelSets.from_any(y).classes.tolist() == ["a", "b"]
        assert LabelSets.from_any(y, classes=y.cat.categories).classes.tolist() == ["c", "b", "a"]

    def test_bare_arrays_of_pandas(self, pd):
        assert LabelSets.from_any(pd.Categorical(["b", "a"])).to_sets() == [{"b"}, {"a"}]
        assert LabelSets.from_any(pd.array([1, 2])).to_sets() == [{1}, {2}]
        assert LabelSets.from_any(pd.Index(["b", "a"])).to_sets() == [{"b"}, {"a"}]

    @pytest.mark.parametrize("dtype", ["Int64", "float64", object])
    def test_missing_rows_need_the_marker(self, pd, dtype):
        y = pd.Series([1, None, 0], dtype=dtype)
        assert "LabelSets: row 1 holds" in error_message(y)
        assert LabelSets.from_any(y, unlabeled=NAN).to_sets() == [{1}, {0, 1}, {0}]
        assert LabelSets.from_any(y, unlabeled=pd.NA).to_sets() == [{1}, {0, 1}, {0}]

    @pytest.mark.parametrize("dtype", [None, "string", "category", object])
    def test_missing_text_needs_the_marker(self, pd, dtype):
        y = pd.Series(["a", None, "b"], dtype=dtype)
        assert "Input y contains NaN" in error_message(y)
        assert LabelSets.from_any(y, unlabeled=NAN).to_sets() == [{"a"}, {"a", "b"}, {"b"}]
        assert LabelSets.from_strings(y, unlabeled=NAN).to_sets()[1] == {"a", "b"}

    def test_integers_beside_missing_stay_integers(self, pd):
        sets = LabelSets.from_any(pd.Series([1, None], dtype="Int64"), unlabeled=NAN)
        assert sets.classes.dtype.kind == "i"

    def test_missing_dates(self, pd):
        y = pd.Series(pd.to_datetime(["2020-01-01", None, "2021-01-01"]))
        assert "row 1" in error_message(y)
        assert LabelSets.from_any(y, unlabeled=NAN).sizes.tolist() == [1, 2, 1]

    def test_series_of_sets(self, pd):
        y = pd.Series([{"a", "b"}, ["b"], "c", None])
        assert LabelSets.from_any(y, unlabeled=NAN).to_sets() == [
            {"a", "b"},
            {"b"},
            {"c"},
            {"a", "b", "c"},
        ]

    @pytest.mark.parametrize("dtype", [bool, int, float, "boolean", "Int8"])
    def test_a_frame_is_a_mask_named_by_its_columns(self, pd, dtype):
        y = pd.DataFrame({"b": [1, 0], "a": [1, 1]}).astype(dtype)
        sets = LabelSets.from_any(y)
        assert sets.classes.tolist() == ["b", "a"]
        assert sets.to_sets() == [{"a", "b"}, {"a"}]

    def test_a_frame_of_mixed_dtypes(self, pd):
        y = pd.DataFrame({"b": [True, False], "a": [1, 1], "c": [0.0, 1.0]})
        assert LabelSets.from_any(y).to_sets() == [{"a", "b"}, {"a", "c"}]

    def test_a_frame_of_weights(self, pd):
        sets = LabelSets.from_any(pd.DataFrame({"b": [0.5, 0.0], "a": [0.5, 1.0]}))
        assert sets.weights.tolist() == [[0.5, 0.5], [0.0, 1.0]]

    def test_columns_that_are_classes_are_matched_by_name(self, pd):
        y = pd.DataFrame({"b": [True, False], "a": [False, True]})
        sets = LabelSets.from_any(y, classes=["a", "b", "c"])
        assert sets.to_sets() == [{"b"}, {"a"}]
        assert sets.classes.tolist() == ["a", "b", "c"]

    def test_unlabeled_rows_may_also_be_classes_without_a_column(self, pd):
        y = pd.DataFrame({"b": [0.5, NAN], "a": [0.5, NAN]})
        sets = LabelSets.from_any(y, classes=["a", "b", "c"], unlabeled=NAN)
        assert sets.is_whole.tolist() == [False, True]
        np.testing.assert_allclose(sets.weights, [[0.5, 0.5, 0], [1 / 3] * 3])

    def test_columns_that_are_merely_counted_are_matched_by_position(self, pd):
        y = pd.DataFrame(np.eye(3, dtype=int))
        assert LabelSets.from_any(y, classes=[2, 0, 1]).to_sets() == [{2}, {0}, {1}]
        assert LabelSets.from_any(y).classes.tolist() == [0, 1, 2]

    def test_columns_of_other_names_are_matched_by_position(self, pd):
        y = pd.DataFrame({"is_b": [1, 0], "is_a": [0, 1]})
        assert LabelSets.from_any(y, classes=["b", "a"]).to_sets() == [{"b"}, {"a"}]

    def test_columns_of_which_some_are_classes_raise(self, pd):
        y = pd.DataFrame({"b": [1, 0], "is_a": [0, 1]})
        assert "columns ['is_a'] are not among the classes" in error_message(y, classes=["b", "a"])

    def test_messages_name_the_column(self, pd):
        y = pd.DataFrame({"b": [1, 0], "a": [0, 3]})
        assert error_message(y).startswith("LabelSets: row 1, column 'a' holds 3 (1 such entry).")
        text = pd.DataFrame({"b": ["x", "y"], "a": ["x", "y"]})
        assert "row 0, column 'b' holds 'x'" in error_message(text)
        holes = pd.DataFrame({"b": pd.array([True, None], dtype="boolean"), "a": [True, True]})
        assert "row 1, column 'b' holds nan" in error_message(holes)

    def test_columns_must_be_distinct(self, pd):
        y = pd.DataFrame(np.eye(2, dtype=int), columns=["a", "a"])
        assert "must be distinct" in error_message(y)

    def test_a_frame_of_one_column_is_that_column(self, pd):
        with pytest.warns(DataConversionWarning, match="column-vector"):
            sets = LabelSets.from_any(pd.DataFrame({"y": ["b", "a"]}))
        assert sets.to_sets() == [{"b"}, {"a"}]

    def test_contains_a_series(self, pd):
        sets = LabelSets.from_any([{"a", "b"}, "b"])
        labels = pd.Series(["a", "a"], index=[7, 8])
        assert sets.contains(labels).tolist() == [True, False]


class TestPolars:
    def test_series_of_plain_labels(self, pl):
        assert LabelSets.from_any(pl.Series([2, 0])).to_sets() == [{2}, {0}]
        assert LabelSets.from_any(pl.Series(["b", "a"])).to_sets() == [{"b"}, {"a"}]
        assert LabelSets.from_any(pl.Series([True, False])).to_sets() == [{True}, {False}]
        text = pl.Series(["b", "a"], dtype=pl.Categorical)
        assert LabelSets.from_any(text).to_sets() == [{"b"}, {"a"}]

    def test_missing_rows_need_the_marker_and_leave_integers_alone(self, pl):
        y = pl.Series([1, None, 0])
        assert "row 1 holds None" in error_message(y)
        sets = LabelSets.from_any(y, unlabeled=NAN)
        assert sets.to_sets() == [{1}, {0, 1}, {0}]
        assert sets.classes.dtype.kind == "i"

    def test_series_of_lists_are_sets(self, pl):
        y = pl.Series([["a", "b"], ["b"], None])
        assert LabelSets.from_any(y, unlabeled=NAN).to_sets() == [{"a", "b"}, {"b"}, {"a", "b"}]
        assert "may be a mask or sets" in error_message(pl.Series([[0, 1], [1, 0]]))

    def test_series_of_objects(self, pl):
        y = pl.Series([{1, 2}, {3}], dtype=pl.Object)
        assert LabelSets.from_any(y).to_sets() == [{1, 2}, {3}]

    def test_a_frame_is_a_mask_named_by_its_columns(self, pl):
        y = pl.DataFrame({"b": [True, False], "a": [1, 1]})
        sets = LabelSets.from_any(y)
        assert sets.classes.tolist() == ["b", "a"]
        assert sets.to_sets() == [{"a", "b"}, {"a"}]

    def test_missing_entries_raise_with_the_column(self, pl):
        y = pl.DataFrame({"b": [True, None], "a": [True, True]})
        assert "row 1, column 'b' holds nan" in error_message(y)

    def test_a_frame_of_one_column_is_that_column(self, pl):
        with pytest.warns(DataConversionWarning, match="column-vector"):
            sets = LabelSets.from_any(pl.DataFrame({"y": [[1, 2], [3]]}))
        assert sets.to_sets() == [{1, 2}, {3}]

    def test_a_lazy_frame_has_no_rows_yet(self, pl):
        assert "got LazyFrame" in error_message(pl.DataFrame({"a": [1], "b": [0]}).lazy())

    def test_classes_from_a_series(self, pl):
        assert LabelSets.from_any(["a"], classes=pl.Series(["b", "a"])).n_classes == 2
