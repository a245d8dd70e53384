"""Rankings in series and frames of pandas and polars."""

import numpy as np
import pytest

from disambig.candidates import PartialOrders
from disambig.exceptions import CandidateError

NAN = float("nan")


def error_message(y, read=PartialOrders.from_any, **options):
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
    @pytest.mark.parametrize("dtype", [None, "float64", "Int64", "Float64", object])
    def test_a_frame_of_ranks_names_the_items(self, pd, dtype):
        y = pd.DataFrame({"b": [2, 1], "a": [1, None], "c": [3, 2]}, dtype=dtype)
        orders = PartialOrders.from_any(y)
        assert orders.items.tolist() == ["b", "a", "c"]
        assert orders.to_pairs() == [{("a", "b"), ("a", "c"), ("b", "c")}, {("b", "c")}]

    def test_a_frame_of_mixed_dtypes(self, pd):
        y = pd.DataFrame({"b": pd.array([2, None], dtype="Int64"), "a": [1, 1], "c": [3.5, 2.0]})
        assert PartialOrders.from_any(y).n_observed.tolist() == [3, 1]

    def test_a_frame_of_scores(self, pd):
        y = pd.DataFrame({"b": [0.5], "a": [NAN], "c": [0.75]}, index=[9])
        assert PartialOrders.from_scores(y)[0] == {("c", "b")}

    def test_columns_that_are_items_are_matched_by_name(self, pd):
        y = pd.DataFrame({"b": [1], "a": [0]})
        orders = PartialOrders.from_any(y, items=["a", "b", "c"])
        assert orders[0] == {("a", "b")}
        assert orders.items.tolist() == ["a", "b", "c"]

    def test_other_columns_are_matched_by_position(self, pd):
        y = pd.DataFrame({"rank_b": [1], "rank_a": [0]})
        assert PartialOrders.from_any(y, items=["b", "a"])[0] == {("a", "b")}
        counted = pd.DataFrame([[1, 0]])
        assert PartialOrders.from_any(counted).items.tolist() == [0, 1]
        assert PartialOrders.from_any(counted, items=[1, 0])[0] == {(0, 1)}
        assert "3 items were named for 2" in error_message(counted, items=[0, 1, 2])

    def test_columns_of_which_some_are_items_raise(self, pd):
        y = pd.DataFrame({"b": [1], "rank_a": [0]})
        assert "columns ['rank_a'] are not among the items" in error_message(y, items=["b", "a"])

    def test_columns_must_be_distinct(self, pd):
        assert "must be distinct" in error_message(pd.DataFrame([[1, 0]], columns=["a", "a"]))

    def test_messages_name_the_column(self, pd):
        y = pd.DataFrame({"b": [1, 0], "a": [0, np.inf]})
        assert "row 1, column 'a' holds inf (1 such entry)" in error_message(y)
        assert "row 0, column 'b' holds 'x'" in error_message(pd.DataFrame({"b": ["x"], "a": [1]}))

    def test_contains_matches_columns_by_name(self, pd):
        orders = PartialOrders.from_any(["a>b", "b>a"])
        ranks = pd.DataFrame({"b": [1, 1], "a": [0, 0]}, index=[7, 8])
        assert orders.contains(ranks).tolist() == [True, False]
        with pytest.raises(CandidateError, match=r"no column of the ranks is named \['b'\]"):
            orders.contains(ranks.rename(columns={"b": "z"}))

    @pytest.mark.parametrize("dtype", [None, "string", "category", object])
    def test_series_of_texts(self, pd, dtype):
        y = pd.Series(["a>b", None, "b>c"], dtype=dtype, index=[5, 6, 7])
        orders = PartialOrders.from_any(y)
        assert orders.items.tolist() == ["a", "b", "c"]
        assert orders.n_observed.tolist() == [1, 0, 1]
        assert PartialOrders.from_strings(y) == orders
        assert PartialOrders.from_any(y.to_frame()) == orders

    def test_series_of_pairs(self, pd):
        y = pd.Series([[("a", "b")], None, [("b", "c"), ("c", "a")]])
        assert PartialOrders.from_any(y).n_observed.tolist() == [1, 0, 3]
        assert PartialOrders.from_pairs(y).n_observed.tolist() == [1, 0, 3]

    @pytest.mark.parametrize("dtype", ["int64", "Int64", "float32"])
    def test_a_series_of_numbers_is_one_item(self, pd, dtype):
        y = pd.Series([3, 1, 2], dtype=dtype)
        assert PartialOrders.from_any(y).shape == (3, 1)
        assert PartialOrders.from_any(y.to_frame("a")).items.tolist() == ["a"]
        assert "contains NaN" in error_message(pd.Series([3, None], dtype="Int64"))

    def test_a_frame_of_the_best_items(self, pd):
        y = pd.DataFrame({"first": ["b", "a"], "second": ["c", None]})
        orders = PartialOrders.from_top_k(y)
        assert orders.is_total.tolist() == [True, False]
        assert orders[1] == {("a", "b"), ("a", "c")}

    def test_items_from_an_index(self, pd):
        assert PartialOrders.from_any(["a>b"], items=pd.Index(["b", "a"])).items.tolist() == [
            "b",
            "a",
        ]


class TestPolars:
    def test_a_frame_of_ranks_names_the_items(self, pl):
        y = pl.DataFrame({"b": [2, 1], "a": [1, None], "c": [3.0, NAN]})
        orders = PartialOrders.from_any(y)
        assert orders.items.tolist() == ["b", "a", "c"]
        assert orders.to_pairs() == [{("a", "b"), ("a", "c"), ("b", "c")}, set()]

    def test_series_of_texts_and_of_pairs(self, pl):
        assert PartialOrders.from_any(pl.Series(["a>b", None])).n_observed.tolist() == [1, 0]
        pairs = pl.Series([[["a", "b"]], [["b", "c"], ["c", "a"]], None, []])
        assert PartialOrders.from_any(pairs).n_observed.tolist() == [1, 3, 0, 0]

    def test_a_series_of_lists_of_numbers_holds_ranks(self, pl):
        y = pl.Series([[1, 2], [2, None]])
        assert PartialOrders.from_any(y).n_observed.tolist() == [1, 0]

    def test_a_frame_of_one_column(self, pl):
        assert PartialOrders.from_any(pl.DataFrame({"y": ["a>b"]}))[0] == {("a", "b")}
        assert PartialOrders.from_any(pl.DataFrame({"y": [3, 1]})).items.tolist() == ["y"]

    def test_a_frame_of_the_best_items(self, pl):
        y = pl.DataFrame({"first": ["b", "a"], "second": ["c", None]})
        assert PartialOrders.from_top_k(y).is_total.tolist() == [True, False]

    def test_a_lazy_frame_has_no_rows_yet(self, pl):
        assert "got LazyFrame" in error_message(pl.DataFrame({"a": [1], "b": [0]}).lazy())

    def test_items_from_a_series(self, pl):
        assert PartialOrders.from_any(["a>b"], items=pl.Series(["b", "a"])).n_items == 2
