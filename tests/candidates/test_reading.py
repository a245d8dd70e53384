"""Markers of what says nothing, and errors that name the reader."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from disambig.candidates import (
    Intervals,
    IntervalUnions,
    LabelSets,
    PartialBits,
    PartialOrders,
    number_sets,
)
from disambig.candidates.reading import Markers, is_missing, own_rows, table_of
from disambig.exceptions import CandidateError

NAN = float("nan")
NAT = np.datetime64("NaT")


def markers(unlabeled):
    return Markers.of(unlabeled, "LabelSets")


READERS = {
    "LabelSets": LabelSets.from_any,
    "PartialOrders": PartialOrders.from_any,
    "Intervals": Intervals.from_any,
    "PartialBits": PartialBits.from_any,
}
each_reader = pytest.mark.parametrize("owner", READERS)


@pytest.mark.parametrize(
    ("marker", "same", "others"),
    [
        (-1, [-1, -1.0, np.int8(-1), np.float32(-1), Decimal(-1)], ["-1", b"-1", True, None, NAN]),
        (1, [1, 1.0, np.uint8(1), Fraction(1)], [True, np.True_, "1"]),
        (True, [True, np.True_], [1, 1.0, "True"]),
        (0, [0, 0.0, -0.0], [False, "", None]),
        ("", ["", np.str_("")], [0, None, b"", " "]),
        ("?", ["?"], ["??", b"?", " ?"]),
        (np.datetime64("2020-01-01"), [np.datetime64("2020-01-01")], ["2020-01-01", NAT]),
    ],
)
def test_a_marker_matches_values_of_its_type(marker, same, others):
    found = markers(marker)
    assert all(map(found.matches, same))
    assert not any(map(found.matches, others))
    assert all(map(markers([marker, "another"]).matches, same))


@pytest.mark.parametrize("given", [NAN, [NAN], [None], (None, -1), {NAT, "?"}])
def test_a_missing_marker_stands_for_every_missing_value(given):
    assert all(map(markers(given).matches, [None, NAN, np.float32("nan"), NAT]))
    assert not markers(given).matches("nan")
    assert not markers(given).named.matches(None)


@pytest.mark.parametrize("given", [None, [], (), set()])
def test_no_marker_matches_nothing(given):
    assert not markers(given)
    assert not any(map(markers(given).matches, [None, NAN, "", 0, -1]))


def test_a_collection_is_no_marker():
    assert not markers(-1).matches(np.array([-1, -1]))
    assert not markers([NAN, -1]).matches(np.array([]))
    assert not markers(NAN).matches([None])
    assert not is_missing(np.array([NAN, NAN]))


@pytest.mark.parametrize(
    "values",
    [
        np.array([-1, 0, 1]),
        np.array([1, 255], dtype=np.uint8),
        np.array([-1.0, NAN, 2.5]),
        np.array([True, False]),
        np.array(["-1", "?", ""]),
        np.array([b"?", b""]),
        np.array(["2020-01-01", "NaT"], dtype="M8[D]"),
        np.array([-1, "?", None, NAN, True, 1], dtype=object),
    ],
)
@pytest.mark.parametrize("given", [-1, 1, True, "?", "", NAN, [-1, None, "?"], [b"?", 2.5]])
def test_arrays_and_single_values_match_alike(values, given):
    found = markers(given)
    table = np.stack([values, values[::-1]])
    expected = [[found.matches(value) for value in row] for row in table]
    assert found.where(table).tolist() == expected


@each_reader
@pytest.mark.parametrize("marker", [np.array([1, 2]), [1], {1: 2}, np.array(1)])
def test_a_collection_among_the_markers_is_refused(owner, marker):
    with pytest.raises(TypeError, match=rf"{owner}: unlabeled must be one value.*list, tuple"):
        READERS[owner]([1.0, 2.0], unlabeled=[marker, -1])


def test_an_array_or_a_series_of_markers_is_refused():
    pd = pytest.importorskip("pandas")
    for given in (np.array([-1]), pd.Series([-1]), [pd.Series([-1])], pd.DataFrame({"a": [1]})):
        with pytest.raises(TypeError, match=r"tolist\(\)"):
            LabelSets.from_any([0, 1], unlabeled=given)


# ---------------------------------------------------------------- every kind


def test_several_markers_of_labels():
    y = ["a", "?", None, "b", -1, ""]
    sets = LabelSets.from_any(y, unlabeled=["?", None, -1, ""])
    assert sets.classes.tolist() == ["a", "b"]
    assert sets.sizes.tolist() == [1, 2, 2, 1, 2, 2]
    assert LabelSets.from_strings(y, unlabeled={"?", NAN, -1, ""}) == sets
    table = np.array([[1, 0], [-1, -2], [-2, -2]])
    assert LabelSets.from_any(table, unlabeled=(-1, -2)).sizes.tolist() == [1, 2, 2]


def test_truth_values_and_numbers_are_kept_apart_in_lists():
    assert LabelSets.from_any([True, 0, 1], unlabeled=True).classes.tolist() == [0, 1]
    assert LabelSets.from_any([True, 0, 1], unlabeled=1).classes.tolist() == [0, True]
    assert LabelSets.from_any([True, 0, 1]).to_sets() == [{True}, {0}, {True}]
    assert LabelSets.from_any(np.array([True, False]), unlabeled=1).sizes.tolist() == [1, 1]


def test_an_array_where_text_is_expected():
    with pytest.raises(CandidateError, match=r"row 0 holds array.*where text is expected"):
        LabelSets.from_strings([np.array(["a", "b"]), "a"], unlabeled=-1)


def test_blanks_around_a_marker_do_not_count_in_texts():
    assert (
        LabelSets.from_strings(["a|b", "  ", " ? "], unlabeled=["", "?"]).sizes.tolist() == [2] * 3
    )


ORDERS = {
    "texts": (PartialOrders.from_any, ["a>b", "?", " ? "], "?"),
    "texts by name": (PartialOrders.from_strings, ["a>b", "?", "unknown"], ["?", "unknown"]),
    "a number": (PartialOrders.from_any, ["a>b", -1, [-1]], -1),
    "pairs": (PartialOrders.from_pairs, [[("a", "b")], -1, [-1]], -1),
    "lists of ranks": (PartialOrders.from_any, [[1, 2], -1, [-1, -1]], -1),
    "ranks": (PartialOrders.from_ranks, np.array([[1, 2], [-1, 1], [-1, -1]]), -1),
    "objects": (PartialOrders.from_ranks, np.array([[1, 2], ["?", 1], ["?", None]], object), "?"),
    "scores": (PartialOrders.from_scores, np.array([[2, 1], [-1, 1], [-1, -1]]), -1),
    "best items": (PartialOrders.from_top_k, [["a", "-"], "-", ["-", "-"]], "-"),
    "groups": (PartialOrders.from_buckets, [[["a"], ["b"]], "?", ["?"]], "?"),
    "signs": (PartialOrders.from_signs, [[[0, 1], [9, 0]], 9, [[9, 9], [9, 9]]], 9),
}


@pytest.mark.parametrize("form", ORDERS)
def test_what_is_marked_has_no_pair(form):
    read, y, unlabeled = ORDERS[form]
    items = ["a", "b"]
    orders = read(y, items=items, unlabeled=unlabeled)
    assert orders.to_pairs() == [{("a", "b")}, frozenset(), frozenset()]


def test_markers_beside_items_raise_with_the_row():
    with pytest.raises(CandidateError, match=r"row 1 holds the marker unlabeled='\?' beside items"):
        PartialOrders.from_any(["a>b", "a>?"], unlabeled="?")
    with pytest.raises(CandidateError, match=r"unlabeled='b' is also among the items"):
        PartialOrders.from_any(["a>b"], items=["a", "b"], unlabeled="b")
    with pytest.raises(CandidateError, match=r"unlabeled=-1 is also among the signs"):
        PartialOrders.from_signs([[[0, 1], [-1, 0]]], unlabeled=-1)
    with pytest.raises(CandidateError, match="without a gap"):
        PartialOrders.from_top_k([["a", "-", "b"]], unlabeled="-")


def test_large_integer_ranks_beside_markers_stay_exact():
    big = 2**62
    orders = PartialOrders.from_ranks([[big, big + 1, -1]], unlabeled=-1, ties="error")
    assert orders.to_pairs() == [{(0, 1)}]
    with pytest.raises(CandidateError, match="equal ranks"):
        PartialOrders.from_ranks([[1, 1, -1]], unlabeled=-1, ties="error")
    assert len(PartialOrders.from_ranks([[2, 1, -1, -1]], unlabeled=-1, ties="error")) == 1


def test_the_rank_of_a_single_item_may_be_marked():
    assert PartialOrders.from_any([1, -1, 2], unlabeled=-1).n_observed.tolist() == [0, 0, 0]
    assert PartialOrders.from_any([1, NAN], unlabeled=NAN).n_items == 1
    with pytest.raises(CandidateError, match="contains NaN"):
        PartialOrders.from_any([1, NAN], unlabeled=-1)


INF = np.inf
NUMBERS = {
    "rows": ([3, -9, "?", (2, -9), ("?", 5), "[-9, 5]", "4"], ["?", -9]),
    "texts": (np.array(["3", "?", " ? ", "2..inf", "<5", "[-9, 5]", "4"]), "?"),
}


@pytest.mark.parametrize("form", NUMBERS)
@pytest.mark.parametrize("read", [number_sets, Intervals.from_any, IntervalUnions.from_any])
def test_marked_rows_are_the_whole_line_and_marked_ends_are_open(form, read):
    y, unlabeled = NUMBERS[form]
    sets = read(y, unlabeled=unlabeled)
    assert sets.lower.ravel().tolist() == [3, -INF, -INF, 2, -INF, -9, 4]
    assert sets.upper.ravel().tolist() == [3, INF, INF, INF, 5, 5, 4]


def test_markers_in_arrays_of_numbers():
    line = [-INF, INF]
    assert np.asarray(number_sets(np.array([1, -9]), unlabeled=-9)).tolist() == [[1, 1], line]
    ends = np.array([[0, 1], [-9, 1], [0, -9], [-9, -9]])
    expected = [[0, 1], [-INF, 1], [0, INF], line]
    assert np.asarray(number_sets(ends, unlabeled=-9)).tolist() == expected
    assert np.asarray(number_sets(ends.tolist(), unlabeled=-9)).tolist() == expected
    assert np.asarray(number_sets(ends[:, np.newaxis], unlabeled=-9))[:, 0].tolist() == expected
    bounds = Intervals.from_bounds([0, "?"], [1, 2], unlabeled="?")
    assert np.asarray(bounds).tolist() == [[0, 1], [-INF, 2]]
    assert np.asarray(Intervals.from_bounds("?", [1, 2], unlabeled="?"))[0].tolist() == [-INF, 1]
    assert np.asarray(Intervals.from_points([1, "?"], unlabeled="?")).tolist() == [[1, 1], line]
    for centers, radii in (([5, -9], [1, 1]), ([5, 5], [1, -9])):
        sets = Intervals.from_centers(centers, radii, unlabeled=-9)
        assert np.asarray(sets).tolist() == [[4, 6], line]
    union = number_sets([[(-2, -1), (1, -9)], -9], unlabeled=-9)
    assert union[0] == ((-2.0, -1.0), (1.0, INF))
    assert union[1] == ((-INF, INF),)


def test_half_of_a_number_is_left_to_the_policy_of_missing_ends():
    y = [(1.0, 2.0), (NAN, NAN), None]
    assert number_sets(y, unlabeled=NAN).informative.tolist() == [True, False, False]
    y = [*y, (NAN, 3.0)]
    for read in (number_sets, Intervals.from_any):
        with pytest.raises(CandidateError, match="row 3 lacks an end"):
            read(y, unlabeled=NAN)
        assert read(y, missing="whole", unlabeled=NAN)[3] == (-INF, 3.0)
    with pytest.raises(CandidateError, match="row 1 lacks an end"):
        number_sets(y, unlabeled=-9)


def test_marked_bits_are_not_known():
    expected = [[1, -1], [-1, -1], [0, 1]]
    assert PartialBits.from_any([[1, "?"], "?", [0, 1]], unlabeled="?").bits.tolist() == expected
    assert PartialBits.from_any([[1, -1], -1, [0, 1]], unlabeled=-1).bits.tolist() == expected
    table = np.array([[1, -1], [-1, -1], [0, 1]])
    assert PartialBits.from_any(table, unlabeled=-1).bits.tolist() == expected
    assert PartialBits.from_any([[1, None], None, [0, 1]]).bits.tolist() == expected
    assert PartialBits.from_any([1, "?", 0], unlabeled="?").bits.ravel().tolist() == [1, -1, 0]


def test_bits_refuse_what_is_neither_a_row_nor_a_marker():
    with pytest.raises(CandidateError, match=r"PartialBits: row 1 holds '\?', a str"):
        PartialBits.from_any([[1, 0], "?"], unlabeled=-1)
    for zero, known in (("unknown", -1), ("absent", 0)):
        with pytest.raises(CandidateError, match=f"an entry of {known} is a known 0"):
            PartialBits.from_any([[1, 0]], zero=zero, unlabeled=known)


# ---------------------------------------------------------------- names and containers


def test_errors_of_tables_name_their_reader():
    with pytest.raises(CandidateError, match=r"^PartialOrders: .*column per item"):
        table_of(np.zeros(3), "PartialOrders", "item")
    for owner, read in READERS.items():
        with pytest.raises(CandidateError, match=f"^{owner}"):
            read(np.zeros((0, 2)))
        with pytest.raises(CandidateError, match=f"^{owner}"):
            read([])


def test_integers_of_128_bits():
    pl = pytest.importorskip("polars")
    if not hasattr(pl, "Int128"):
        pytest.skip("this polars has no integers of 128 bits")
    frame = pl.DataFrame({"a": [1, 0], "b": [1, 1]}, schema={"a": pl.Int128, "b": pl.Int128})
    assert LabelSets.from_any(frame).to_sets() == [{"a", "b"}, {"b"}]
    assert PartialOrders.from_any(frame).to_pairs() == [frozenset(), {("a", "b")}]
    assert np.asarray(Intervals.from_any(frame)).tolist() == [[1, 1], [0, 1]]
    assert PartialBits.from_any(frame).bits.tolist() == [[1, 1], [0, 1]]
    assert Intervals.from_points(frame["a"]).lower.ravel().tolist() == [1, 0]
    assert LabelSets.from_any(pl.Series([2**100, 1], dtype=pl.Int128)).classes.tolist() == [
        1,
        2**100,
    ]


def test_selected_rows_share_no_memory():
    table = np.arange(12.0).reshape(6, 2)
    for rows in (slice(1, 3), slice(None, None, -1), [0, 2], np.arange(6) > 3, Ellipsis):
        selected = own_rows(table, rows)
        assert not np.shares_memory(selected, table)
        assert selected.flags.c_contiguous
        np.testing.assert_array_equal(selected, table[rows])


def test_markers_compare_decimal_numbers_with_those_of_numpy():
    for marker, value in [(np.int64(3), Decimal(3)), (Decimal(3), np.int64(3)), (np.int8(3), 3.0)]:
        markers = Markers.of(marker, "LabelSets")
        assert markers.matches(value)
        assert not markers.matches(Decimal(4))
        assert not markers.matches(np.int64(4))
