"""PartialOrders: construction, properties, selection of rows, copies and other items."""

import copy
import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from disambig.candidates import Candidates, LabelSets, PartialOrders
from disambig.candidates.protocol import RepeatedSets
from disambig.exceptions import CandidateError

ITEMS = np.array(["a", "b", "c"])
# a > b > c, then c > a, then nothing, then a > b.
BEFORE = np.zeros((4, 3, 3), dtype=bool)
BEFORE[0, 0, 1] = BEFORE[0, 1, 2] = BEFORE[1, 2, 0] = BEFORE[3, 0, 1] = True
CLOSED = BEFORE.copy()
CLOSED[0, 0, 2] = True
PAIRS = [{("a", "b"), ("b", "c"), ("a", "c")}, {("c", "a")}, set(), {("a", "b")}]


@pytest.fixture
def orders():
    return PartialOrders(BEFORE, ITEMS)


def error_message(*args):
    with pytest.raises(CandidateError) as caught:
        PartialOrders(*args)
    return str(caught.value)


@st.composite
def acyclic(draw, max_items=6):
    """Relations without cycles, not closed: some pairs of a random ranking in each row."""
    shape = draw(st.integers(1, 5)), draw(st.integers(1, max_items))
    drawn = draw(hnp.arrays(np.bool_, (*shape, shape[1])))
    ranks = [draw(st.permutations(range(shape[1]))) for _ in range(shape[0])]
    ranks = np.array(ranks).reshape(shape)
    return drawn & (ranks[:, :, None] < ranks[:, None, :])


# ---------------------------------------------------------------- construction


def test_it_implements_the_candidates_protocol(orders):
    assert isinstance(orders, Candidates)


def test_pairs_that_follow_are_added(orders):
    np.testing.assert_array_equal(orders.before, CLOSED)
    assert BEFORE.sum() == 4


@given(acyclic())
def test_the_closure_is_the_union_of_all_powers(before):
    power = total = before.astype(int)
    for _ in range(before.shape[1]):
        power = (power @ before > 0).astype(int)
        total = total | power
    np.testing.assert_array_equal(PartialOrders(before).before, total.astype(bool))


def test_arrays_are_read_only_copies(orders):
    for held, given_ in ((orders.before, BEFORE), (orders.items, ITEMS)):
        assert not held.flags.writeable
        assert held.flags.c_contiguous
        assert not np.shares_memory(held, given_)
        assert given_.flags.writeable
    assert not orders.n_observed.flags.writeable
    assert not orders.masks.flags.writeable
    with pytest.raises(AttributeError):
        orders.before = BEFORE


def test_fortran_order_becomes_c_order():
    orders = PartialOrders(np.asfortranarray(BEFORE), ITEMS)
    assert orders.before.flags.c_contiguous
    np.testing.assert_array_equal(orders.before, CLOSED)


def test_items_are_counted_unless_they_are_named():
    assert PartialOrders(BEFORE).items.tolist() == [0, 1, 2]
    assert PartialOrders(BEFORE, [2, "a", 1.5]).items.tolist() == [2, "a", 1.5]


def test_arrays_that_do_not_fit_raise():
    assert "2 items were named for 3 in the data" in error_message(BEFORE, ["a", "b"])
    assert "must be distinct; 'a' is at 0 and 2" in error_message(BEFORE, ["a", "b", "a"])
    assert "items[1] is None" in error_message(BEFORE, ["a", None, "b"])
    assert "items[0] is ['a']" in error_message(BEFORE, [["a"], "b", "c"])
    assert "items must be 1-D; got shape (3, 1)" in error_message(BEFORE, ITEMS[:, None])
    assert "got str 'abc'" in error_message(BEFORE, "abc")
    assert "got int 3" in error_message(BEFORE, 3)
    assert "items is empty" in error_message(BEFORE, [])
    assert "boolean array of shape (n, m, m); got int8" in error_message(BEFORE.astype(np.int8))
    assert "of shape (3, 3)" in error_message(BEFORE[0])
    assert "of shape (4, 2, 3)" in error_message(BEFORE[:, :2])
    assert "no items" in error_message(np.zeros((2, 0, 0), dtype=bool))


def test_a_contradiction_is_named_by_row_and_cycle():
    before = np.repeat(BEFORE[:1], 20, axis=0)
    before[17, 2, 0] = before[19, 2, 0] = True
    message = error_message(before, ITEMS)
    assert message.startswith(
        "PartialOrders: row 17 contradicts itself: a > b > c > a (2 such rows). "
    )
    before[17, 1, 0] = True
    assert "row 17 contradicts itself: a > b > a (2 such rows)" in error_message(before, ITEMS)
    before[17, 2, 2] = True
    assert "row 17 contradicts itself: 2 > 2 (2 such rows)" in error_message(before)


# ---------------------------------------------------------------- contents


def test_counts_and_flags_of_rows(orders):
    assert len(orders) == 4
    assert orders.shape == (4, 3)
    assert orders.ndim == 2
    assert orders.n_items == 3
    assert orders.n_observed.tolist() == [3, 1, 0, 1]
    assert orders.informative.tolist() == [True, True, False, True]
    assert orders.is_total.tolist() == [True, False, False, False]


def test_one_item_is_a_trivial_ranking():
    orders = PartialOrders(np.zeros((2, 1, 1), dtype=bool))
    assert orders.is_total.all()
    assert not orders.informative.any()
    assert orders.ranks().tolist() == [[0], [0]]
    assert orders.signs().shape == (2, 0)
    assert orders.contains([[7.0], [-1.0]]).all()
    assert orders.contains([7.0, -1.0]).all()


def test_iteration_and_pairs(orders):
    assert orders.to_pairs() == PAIRS
    assert list(orders) == PAIRS
    assert all(isinstance(row, frozenset) for row in orders)


def test_signs(orders):
    # (a, b), (a, c), (b, c)
    assert orders.signs().tolist() == [[1, 1, 1], [0, -1, 0], [0, 0, 0], [1, 0, 0]]
    assert orders.signs().dtype == np.int8


@given(acyclic())
def test_signs_are_those_of_the_array_above_its_diagonal(before):
    orders = PartialOrders(before)
    i, j = np.triu_indices(orders.n_items, 1)
    np.testing.assert_array_equal(orders.signs(), np.asarray(orders)[:, i, j])


@given(acyclic())
def test_masks_hold_the_predecessors(before):
    orders = PartialOrders(before)
    bits = (orders.masks[:, None, :] >> np.arange(orders.n_items)[:, None]) & 1
    assert orders.masks.dtype == np.int64
    np.testing.assert_array_equal(bits.astype(bool), orders.before)


@pytest.mark.parametrize("m", [62, 63])
def test_masks_end_at_62_items(m):
    orders = PartialOrders.from_ranks([np.arange(m)])
    if m == 62:
        assert orders.masks[0, -1] == 2**61 - 1
        assert (orders.masks >= 0).all()
    else:
        with pytest.raises(CandidateError, match="at most 62; there are 63 items"):
            _ = orders.masks


@given(st.data())
def test_total_rows_have_ranks(data):
    m = data.draw(st.integers(1, 6))
    ranks = np.array(data.draw(st.lists(st.permutations(range(m)), min_size=1, max_size=5)))
    orders = PartialOrders.from_ranks(ranks)
    np.testing.assert_array_equal(orders.ranks(), ranks)
    assert orders.is_total.all()
    assert orders.ranks().dtype == np.intp


def test_rows_that_are_not_total_have_no_ranks(orders):
    assert orders[:1].ranks().tolist() == [[0, 1, 2]]
    with pytest.raises(CandidateError, match=r"row 1 allows several rankings \(3 such rows\)"):
        orders.ranks()


@given(acyclic(max_items=3))
def test_distinct_finds_rows_with_the_same_order(before):
    orders = PartialOrders(before)
    assert isinstance(orders, RepeatedSets)
    first, which = orders.distinct
    assert np.array_equal(orders.before[first][which], orders.before)
    assert len(first) == len({row.tobytes() for row in orders.before})
    # `first` is the first row with its order.
    assert all(which[:row].tolist().count(order) == 0 for order, row in enumerate(first))


@given(acyclic(max_items=4))
def test_a_ranking_is_contained_if_it_breaks_no_observed_pair(before):
    orders = PartialOrders(before)
    m = orders.n_items
    for ranks in itertools.permutations(range(m)):
        by_definition = [
            all(ranks[i] < ranks[j] for i, j in np.argwhere(row).tolist()) for row in before
        ]
        assert orders.contains([ranks] * len(orders)).tolist() == by_definition


def test_contains_looks_at_each_row(orders):
    ranks = np.array([[0, 1, 2], [0, 1, 2], [0, 1, 2], [1, 0, 2]])
    assert orders.contains(ranks).tolist() == [True, False, True, False]
    assert orders.contains(10.5 - ranks).tolist() == [False, True, True, True]


def test_contains_requires_full_rankings(orders):
    with pytest.raises(CandidateError, match=r"shape \(4, 3\).*got shape \(1, 3\)"):
        orders.contains([[0, 1, 2]])
    with pytest.raises(CandidateError, match=r"row 1 lacks a rank \(1 such row\)"):
        orders.contains([[0, 1, 2], [0, np.nan, 2], [0, 1, 2], [0, 1, 2]])
    with pytest.raises(CandidateError, match=r"row 3 has equal ranks \(1 such row\)"):
        orders.contains([[0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 1, 0]])


def test_repr(orders):
    assert repr(orders) == (
        "PartialOrders(4 rows, 3 items ['a', 'b', 'c'], 1 total, 1 empty, 42% of pairs known)"
    )
    assert repr(orders[:0]).startswith("PartialOrders(0 rows")


# ---------------------------------------------------------------- rows


@pytest.mark.parametrize(
    "rows",
    [
        slice(1, 3),
        slice(None, None, -1),
        [2, 0, 2],
        np.array([3, 1]),
        np.array([True, False, True, False]),
        [True, False, True, False],
        slice(0, 0),
        [],
        np.array([], dtype=int),
    ],
)
@pytest.mark.parametrize("tail", [(), (Ellipsis,), (slice(None),)])
def test_rows_are_selected_like_those_of_an_array(orders, rows, tail):
    index = np.array(rows, dtype=int) if isinstance(rows, list) and not rows else rows
    part = orders[(rows, *tail)] if tail else orders[rows]
    assert isinstance(part, PartialOrders)
    np.testing.assert_array_equal(part.before, CLOSED[index])
    assert part.items.tolist() == ITEMS.tolist()
    assert not part.before.flags.writeable
    assert part.before.flags.c_contiguous
    assert part.before.base is None
    assert part.to_pairs() == [frozenset(PAIRS[j]) for j in np.arange(4)[index]]


def test_an_integer_selects_pairs(orders):
    assert orders[1] == orders[np.int64(-3)] == orders[1, ...] == frozenset({("c", "a")})
    assert orders[2] == frozenset()


def test_invalid_row_indices_raise_index_errors(orders):
    for rows in (
        4,
        [7],
        (),
        (0, 1),
        (0, slice(2)),
        (0, np.array([1, 2])),
        (0, Ellipsis, Ellipsis),
        np.array([True, False]),
        True,
        np.eye(2, dtype=int),
    ):
        with pytest.raises(IndexError):
            orders[rows]


# ---------------------------------------------------------------- arrays, equality, pickles


def test_conversion_to_an_array_of_signs(orders):
    signs = np.asarray(orders)
    assert signs.shape == (4, 3, 3)
    assert signs.dtype == np.int8
    np.testing.assert_array_equal(signs, CLOSED.astype(int) - CLOSED.transpose(0, 2, 1))
    assert np.asarray(orders, dtype=float).dtype == np.float64
    assert orders.__array__(copy=True).flags.writeable
    with pytest.raises(ValueError, match="needs a copy"):
        orders.__array__(copy=False)


@given(acyclic())
def test_signs_are_read_back(before):
    orders = PartialOrders(before)
    assert PartialOrders.from_any(np.asarray(orders)) == orders
    assert PartialOrders.from_signs(np.asarray(orders, dtype=float)) == orders


def test_equality_compares_contents(orders):
    assert orders == PartialOrders(CLOSED, list("abc"))
    assert orders != PartialOrders(BEFORE, ["a", "c", "b"])
    assert orders != PartialOrders(BEFORE)
    assert orders != orders[:3]
    assert orders != orders[::-1]
    assert orders != orders.to_pairs()
    assert orders != LabelSets.from_labels(["a", "b"])
    with pytest.raises(TypeError, match="unhashable"):
        hash(orders)


@pytest.mark.parametrize(
    "again", [lambda s: pickle.loads(pickle.dumps(s)), copy.deepcopy, copy.copy]
)
def test_copies_are_equal_and_read_only(orders, again):
    assert orders.n_observed.sum() == 5
    twin = again(orders)
    assert twin == orders
    assert not twin.before.flags.writeable
    assert not twin.items.flags.writeable
    assert twin.n_observed.tolist() == orders.n_observed.tolist()


# ---------------------------------------------------------------- other items


def test_the_same_orders_over_other_items(orders):
    wider = orders.with_items(["c", "z", "b", "a"])
    assert wider.to_pairs() == orders.to_pairs()
    assert wider.items.tolist() == ["c", "z", "b", "a"]
    assert not wider.is_total.any()
    assert orders.with_items(ITEMS) == orders
    assert wider.with_items(list("abc")) == orders
    assert PartialOrders.from_any(orders, items=["c", "b", "a"]) == orders.with_items(
        ["c", "b", "a"]
    )
    assert PartialOrders.from_any(orders) is orders


def test_an_item_that_is_compared_cannot_be_dropped(orders):
    with pytest.raises(CandidateError, match=r"row 0 compares 'c'.*\(2 such rows\)"):
        orders.with_items(["a", "b", "d"])
    assert orders[3:].with_items(["b", "a"]).to_pairs() == [{("a", "b")}]


def test_candidates_are_not_read_as_raw_targets(orders):
    for read in (PartialOrders.from_ranks, PartialOrders.from_signs, PartialOrders.from_pairs):
        with pytest.raises(CandidateError, match="PartialOrders: these are candidates already"):
            read(orders)
    with pytest.raises(CandidateError, match="LabelSets: these are candidates already"):
        PartialOrders.from_any(LabelSets.from_labels(["a", "b"]))
