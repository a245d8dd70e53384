"""Orders from lists of pairs and from texts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.candidates import PartialOrders
from disambig.exceptions import CandidateError

NAN = float("nan")
ITEMS = ["a", "b", "c", "d", "e"]


def error_message(read, *args, **options):
    with pytest.raises(CandidateError) as caught:
        read(*args, **options)
    return str(caught.value)


@st.composite
def acyclic_pairs(draw):
    """Rows of pairs of letters, each in the order of a ranking of its own."""
    rows = []
    for _ in range(draw(st.integers(1, 6))):
        ranking = draw(st.permutations("abcde"))
        places = st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda p: p[0] < p[1])
        rows.append([(ranking[i], ranking[j]) for i, j in draw(st.lists(places, max_size=6))])
    return rows


def closed_by_hand(pairs):
    pairs = set(pairs)
    while True:
        more = {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs
        if not more:
            return pairs
        pairs |= more


# ---------------------------------------------------------------- pairs


@given(acyclic_pairs())
def test_pairs_are_closed_and_round_trip(rows):
    orders = PartialOrders.from_pairs(rows, items=ITEMS)
    assert orders.to_pairs() == [closed_by_hand(row) for row in rows]
    assert PartialOrders.from_pairs(orders.to_pairs(), items=orders.items) == orders
    assert PartialOrders.from_any(list(orders), items=orders.items) == orders
    assert PartialOrders.from_any(np.asarray(orders), items=orders.items) == orders


@given(acyclic_pairs(), st.randoms(use_true_random=False))
def test_reading_and_permuting_rows_commute(rows, random):
    order = list(range(len(rows)))
    random.shuffle(order)
    orders = PartialOrders.from_any(rows, items=ITEMS)
    assert PartialOrders.from_any([rows[r] for r in order], items=ITEMS) == orders[order]


@given(acyclic_pairs())
def test_texts_and_pairs_give_the_same_orders(rows):
    texts = ["; ".join(f"{a} > {b}" for a, b in row) for row in rows]
    orders = PartialOrders.from_pairs(rows, ITEMS)
    assert PartialOrders.from_strings(texts, ITEMS) == orders
    mixed = [text if r % 2 else row for r, (text, row) in enumerate(zip(texts, rows, strict=True))]
    assert PartialOrders.from_any(mixed, ITEMS) == orders


@pytest.mark.parametrize(
    "row",
    [
        [("b", "a"), ("a", "c")],
        (("b", "a"), ["a", "c"]),
        {("b", "a"), ("a", "c")},
        frozenset({("b", "a"), ("a", "c")}),
        np.array([["b", "a"], ["a", "c"]]),
        [np.array(["b", "a"]), ("a", "c")],
        [("b", "a"), ("a", "c"), ("b", "a"), ("b", "c")],
    ],
)
def test_pairs_in_any_collection(row):
    for read in (PartialOrders.from_pairs, PartialOrders.from_any):
        orders = read([row, []])
        assert orders.items.tolist() == ["a", "b", "c"]
        assert orders.to_pairs() == [{("b", "a"), ("a", "c"), ("b", "c")}, set()]


def test_pairs_in_an_object_array_or_an_array_of_pairs():
    rows = np.empty(2, dtype=object)
    rows[:] = [[(0, 1)], [(1, 2), (2, 0)]]
    assert PartialOrders.from_any(rows).n_observed.tolist() == [1, 3]
    assert PartialOrders.from_pairs(np.array([[(3, 1)], [(1, 3)]])).to_pairs() == [
        {(3, 1)},
        {(1, 3)},
    ]


def test_items_are_sorted_or_as_they_are_named():
    assert PartialOrders.from_pairs([[("x", 3)], [(4, 3)]]).items.tolist() == [3, 4, "x"]
    y = [[(10, 2)]]
    assert PartialOrders.from_pairs(y).items.tolist() == [2, 10]
    orders = PartialOrders.from_pairs(y, items=[10, 5, 2])
    assert orders.items.tolist() == [10, 5, 2]
    assert orders[0] == {(10, 2)}
    assert all(type(item) is int for pair in orders[0] for item in pair)


def test_rows_without_pairs_exclude_nothing():
    orders = PartialOrders.from_pairs([[], None, NAN, [("a", "b")], ()])
    assert orders.informative.tolist() == [False, False, False, True, False]
    for read in (PartialOrders.from_pairs, PartialOrders.from_any):
        assert "no row mentions an item" in error_message(read, [[], None])
        assert not read([[], None], items=["a", "b"]).informative.any()


def test_a_contradiction_names_row_and_cycle():
    rows = [[("a", "b")]] * 17 + [[("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]]
    for read in (PartialOrders.from_pairs, PartialOrders.from_any):
        message = error_message(read, rows)
        assert message.startswith(
            "PartialOrders: row 17 contradicts itself: a > b > c > a (1 such row). "
        )
    assert "row 0 contradicts itself: 4 > 4" in error_message(PartialOrders.from_pairs, [[(4, 4)]])


def test_an_unknown_item_names_the_row():
    y = [[("a", "b")], [("a", "z")], [("y", "a"), ("z", "a")]]
    message = error_message(PartialOrders.from_any, y, items=["a", "b"])
    assert message.startswith("PartialOrders: row 1 mentions 'z'")
    assert "not among the items ['a', 'b'] (2 such rows)" in message
    assert "must be distinct; 'a'" in error_message(
        PartialOrders.from_any, y, items=["a", "b", "a"]
    )


@pytest.mark.parametrize("item", [None, NAN, ["x"], ("x",), {"x": 1}])
def test_invalid_items_name_the_row(item):
    for items in (None, ["a", "b"]):
        message = error_message(
            PartialOrders.from_pairs, [[("a", "b")], [("a", item)]], items=items
        )
        assert message.startswith("PartialOrders: row 1 mentions ")
        assert "where an item is expected (1 such row)" in message


def test_unhashable_items_raise():
    class Odd:
        __hash__ = None

        def __eq__(self, other):
            return self is other

    assert "row 0 mentions <" in error_message(PartialOrders.from_pairs, [[("a", Odd())]])


@pytest.mark.parametrize(
    "row", [("a", "b"), [("a", "b", "c")], [{"a", "b"}], [("a",)], ["ab"], [("a", "b"), "c"]]
)
def test_invalid_pairs_name_the_row(row):
    for read in (PartialOrders.from_pairs, PartialOrders.from_any):
        message = error_message(read, [[("a", "b")], row])
        assert message.startswith("PartialOrders: row 1 holds ")
        assert "(1 such row)" in message
        assert "[('a', 'b')]" in message


@pytest.mark.parametrize("row", ["a>b", 3, {"a": "b"}])
def test_rows_that_are_no_lists_of_pairs_raise(row):
    message = error_message(PartialOrders.from_pairs, [[("a", "b")], row])
    assert "PartialOrders: row 1 holds " in message
    assert "where a list of pairs is expected" in message


# ---------------------------------------------------------------- texts


def test_chains():
    orders = PartialOrders.from_strings(["c>a>b", " a > b ; a>c ", "b", "", "  ", None, NAN])
    assert orders.items.tolist() == ["a", "b", "c"]
    assert orders.to_pairs() == [
        {("c", "a"), ("a", "b"), ("c", "b")},
        {("a", "b"), ("a", "c")},
        *[set()] * 5,
    ]
    assert PartialOrders.from_any(["c>a>b", " a > b ; a>c ", "b"]) == orders[:3]
    assert PartialOrders.from_any(np.array(["c>a>b", "a>b;a>c", "b"])) == orders[:3]
    assert PartialOrders.from_any(np.array([["c>a>b"], ["a>b;a>c"], ["b"]])) == orders[:3]


def test_adjacent_letters_are_one_item():
    assert PartialOrders.from_strings(["e>f>abc"]).items.tolist() == ["abc", "e", "f"]


def test_a_single_item_is_among_the_items():
    assert PartialOrders.from_strings(["a>b", "z"]).items.tolist() == ["a", "b", "z"]


def test_another_separator():
    orders = PartialOrders.from_strings(["b < a; c < a"], separator="<")
    assert orders[0] == {("b", "a"), ("c", "a")}
    for separator in ("", " ", ";", 3, None):
        message = error_message(PartialOrders.from_strings, ["a>b"], separator=separator)
        assert "separator must be a text" in message


@pytest.mark.parametrize("text", ["a>", ">a", "a>>b", "a>b;", ";a>b", "a> ;b"])
def test_an_empty_part_names_the_row(text):
    message = error_message(PartialOrders.from_any, ["a>b", text])
    assert message.startswith(f"PartialOrders: row 1 holds {text!r}, which has an empty part")


@pytest.mark.parametrize("text", ["a>b=c", "a<b", "a>b,b>c", "a~b>c"])
def test_other_notations_raise_unless_the_items_are_named(text):
    message = error_message(PartialOrders.from_any, ["a>b", text])
    assert message.startswith(f"PartialOrders: row 1 holds {text!r}, in which")
    assert "would be an item (1 such row)" in message
    assert "not among the items" in error_message(
        PartialOrders.from_any, ["a>b", text], items=["a", "b", "c"]
    )


def test_names_with_signs_may_be_named():
    orders = PartialOrders.from_strings(["<5 > 5,5"], items=["<5", "5,5"])
    assert orders[0] == {("<5", "5,5")}


def test_a_text_that_contradicts_itself():
    assert "row 1 contradicts itself: a > b > a" in error_message(
        PartialOrders.from_any, ["a>b", "b>a>b"]
    )


def test_rows_that_are_no_text_name_the_row():
    for row in (3, ["a", "b"], b"a>b"):
        message = error_message(PartialOrders.from_strings, ["a>b", row])
        assert "PartialOrders: row 1 holds " in message
        assert "where text is expected (1 such row)" in message
