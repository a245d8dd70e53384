"""Orders from lists of the best items and from groups, against their definitions."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.candidates import PartialOrders
from disambig.exceptions import CandidateError

NAN = float("nan")
ITEMS = list("abcde")
best_lists = st.lists(st.lists(st.sampled_from(ITEMS), unique=True), min_size=1, max_size=5)


@st.composite
def bucket_rows(draw):
    rows = []
    for best in draw(best_lists):
        cuts = sorted(draw(st.lists(st.integers(0, len(best)), max_size=3)))
        edges = [0, *cuts, len(best)]
        rows.append([best[i:j] for i, j in itertools.pairwise(edges)])
    return rows


def error_message(read, *args, **options):
    with pytest.raises(CandidateError) as caught:
        read(*args, **options)
    return str(caught.value)


# ---------------------------------------------------------------- the best items


@given(best_lists)
def test_listed_items_stand_in_order_and_before_all_others(rows):
    expected = [
        {
            (a, b)
            for a in row
            for b in ITEMS
            if a != b and (b not in row or row.index(a) < row.index(b))
        }
        for row in rows
    ]
    orders = PartialOrders.from_top_k(rows, items=ITEMS)
    assert orders.to_pairs() == expected
    assert PartialOrders(orders.before, ITEMS) == orders


@given(best_lists, st.randoms(use_true_random=False))
def test_reading_and_permuting_rows_commute(rows, random):
    order = list(range(len(rows)))
    random.shuffle(order)
    orders = PartialOrders.from_top_k(rows, items=ITEMS)
    assert PartialOrders.from_top_k([rows[r] for r in order], items=ITEMS) == orders[order]


def test_items_are_those_that_occur():
    orders = PartialOrders.from_top_k([["b"], ["c", "a"]])
    assert orders.items.tolist() == ["a", "b", "c"]
    assert orders.to_pairs() == [{("b", "a"), ("b", "c")}, {("c", "a"), ("c", "b"), ("a", "b")}]
    assert "no row mentions an item" in error_message(PartialOrders.from_top_k, [[], []])


def test_rows_in_any_sequence():
    rows = [("b", "a"), np.array(["c", "b"]), ["a"], "c", [], None, NAN]
    orders = PartialOrders.from_top_k(rows, items=["a", "b", "c"])
    assert orders.n_observed.tolist() == [3, 3, 2, 2, 0, 0, 0]
    assert PartialOrders.from_top_k(np.array([1, 0])).to_pairs() == [{(1, 0)}, {(0, 1)}]
    assert PartialOrders.from_top_k(np.array([[2, 1], [0, 2]])).is_total.all()


def test_missing_values_pad_the_end_of_a_row_only():
    table = np.array([[2, 1], [0, NAN], [NAN, NAN]])
    orders = PartialOrders.from_top_k(table, items=[0, 1, 2])
    assert orders.to_pairs() == [{(2, 1), (2, 0), (1, 0)}, {(0, 1), (0, 2)}, set()]
    message = error_message(PartialOrders.from_top_k, [["a", "b"], ["a", None, "b"]])
    assert message.startswith("PartialOrders: row 1 holds ['a', None, 'b'], a list, where")
    assert "without a gap is expected (1 such row)" in message


def test_errors_name_the_row():
    read = PartialOrders.from_top_k
    assert "row 1 mentions 'a' twice (1 such row)" in error_message(read, [["a"], ["a", "b", "a"]])
    assert "row 1 mentions 'z', which is not among" in error_message(
        read, [["a"], ["z"]], items=["a", "b"]
    )
    assert "row 1 holds {'a'}, a set, where" in error_message(read, [["a"], {"a"}])
    assert "row 0 mentions ['a']" in error_message(read, [[["a"], ["b"]]])
    assert "target y is None" in error_message(read, None)


# ---------------------------------------------------------------- groups


@given(bucket_rows())
def test_earlier_groups_stand_before_later_ones(rows):
    expected = [
        {
            (a, b)
            for p, group in enumerate(row)
            for a in group
            for later in row[p + 1 :]
            for b in later
        }
        for row in rows
    ]
    orders = PartialOrders.from_buckets(rows, items=ITEMS)
    assert orders.to_pairs() == expected
    assert PartialOrders(orders.before, ITEMS) == orders


def test_groups_in_any_collection():
    rows = [
        [{"a", "b"}, ("c",)],
        (["b", "a"], "c"),
        [np.array(["a", "b"]), np.array("c")],
        [["a", "b"], [], ["c"]],
    ]
    orders = PartialOrders.from_buckets(rows)
    assert orders.to_pairs() == [{("a", "c"), ("b", "c")}] * 4


def test_rows_without_groups_exclude_nothing():
    orders = PartialOrders.from_buckets([[], None, NAN, [["a", "b"]], [["b"], ["a"]]])
    assert orders.n_observed.tolist() == [0, 0, 0, 0, 1]
    assert PartialOrders.from_buckets(np.array([[2, 0, 1]])).ranks().tolist() == [[1, 2, 0]]


def test_items_in_no_group_were_not_observed():
    orders = PartialOrders.from_buckets([[["a"], ["b"]]], items=["a", "b", "c"])
    assert orders[0] == {("a", "b")}


def test_errors_of_groups_name_the_row():
    read = PartialOrders.from_buckets
    good = [["a"], ["b"]]
    assert "row 1 mentions 'a' twice (2 such rows)" in error_message(
        read, [good, [["a"], ["b", "a"]], [["b", "b"]]]
    )
    assert "row 1 mentions 'z', which is not among" in error_message(
        read, [good, [["a"], "z"]], items=["a", "b"]
    )
    assert "row 1 mentions None" in error_message(read, [good, [["a"], [None]]])
    assert "row 1 mentions ['a']" in error_message(read, [good, [[["a"]]]])
    for row in ("a>b", {"a"}, 3):
        message = error_message(read, [good, row])
        assert "PartialOrders: row 1 holds " in message
        assert "where a list of groups is expected (1 such row)" in message
