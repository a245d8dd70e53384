"""Known places: how they are read, what follows from them, and what is refused."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from disambig.candidates import PartialOrders
from disambig.exceptions import CandidateError
from tests.orderings.enumeration import all_orders

NAN = float("nan")


def members(orders, row):
    """The orders that a set contains, by `contains`."""
    ranks = all_orders(orders.n_items)
    return ranks[orders[np.full(len(ranks), row)].contains(ranks)]


def fits(places, order):
    """Whether an order has the known places: k items at place p are at p to p + k - 1."""
    for p in {place for place in places if not np.isnan(place)}:
        tied = [i for i, place in enumerate(places) if place == p]
        if any(not p <= order[i] <= p + len(tied) - 1 for i in tied):
            return False
    return True


@given(seed=st.integers(0, 10**6), m=st.integers(1, 5), tied=st.booleans())
def test_places_mean_the_orders_that_have_them(seed, m, tied):
    rng = np.random.default_rng(seed)
    places = rng.permutation(m).astype(float)
    if tied and m > 1:
        # The items at places 0 and 1, or the last two, share the earlier place.
        first = int(rng.choice([0, m - 2]))
        places[places == first + 1] = first
    places[rng.random(m) < 0.4] = NAN
    expected = [order for order in all_orders(m) if fits(places, order)]
    orders = PartialOrders.from_places([places])
    assert_array_equal(members(orders, 0), expected)
    assert orders == PartialOrders.from_any([places], ranks="places")
    assert orders.informative[0] == (len(expected) < len(all_orders(m)))
    assert orders.is_total[0] == (len(expected) == 1)
    if orders.is_total[0]:
        assert_array_equal(orders.ranks(), expected)


@given(seed=st.integers(0, 10**6), m=st.integers(1, 5))
def test_windows_mean_the_orders_within_them(seed, m):
    rng = np.random.default_rng(seed)
    ranks = rng.permutation(m)
    bounds = np.stack([ranks - rng.integers(0, m, m), ranks + rng.integers(0, m, m)], axis=1)
    bounds = np.clip(bounds, 0, m - 1).astype(float)
    bounds[rng.random((m, 2)) < 0.3] = NAN
    orders = PartialOrders.from_places(bounds[None])
    known = np.where(np.isnan(bounds), [0, m - 1], bounds)
    every = all_orders(m)
    inside = ((every >= known[:, 0]) & (every <= known[:, 1])).all(axis=1)
    assert_array_equal(members(orders, 0), every[inside])
    as_integers = PartialOrders(np.zeros((1, m, m), dtype=bool), None, known[None].astype(int))
    assert as_integers == orders
    assert PartialOrders.from_any(bounds[None], ranks="places") == orders
    assert PartialOrders.from_any(bounds[None].tolist(), ranks="places") == orders


def test_a_place_in_the_middle_is_information_without_a_pair():
    orders = PartialOrders.from_places([[1, NAN, NAN], [NAN, NAN, NAN]], items=["a", "b", "c"])
    assert orders.n_observed.tolist() == [0, 0]
    assert orders.informative.tolist() == orders.is_placed.tolist() == [True, False]
    assert orders.windows.tolist() == [[[1, 1], [0, 2], [0, 2]], [[0, 2]] * 3]
    assert not orders.windows.flags.writeable
    assert orders.contains([[1, 0, 2], [0, 1, 2]]).tolist() == [True, True]
    assert orders.contains([[0, 1, 2], [0, 1, 2]]).tolist() == [False, True]
    # Ranks need not be 0 to m - 1.
    assert orders.contains([[5, -1, 7], [0, 1, 2]]).all()
    assert "1 empty, 0% of pairs known, 1 with places" in repr(orders)
    assert sorted(orders.distinct[0].tolist()) == [0, 1]


def test_places_that_say_no_more_than_pairs_are_pairs():
    first = PartialOrders.from_places([[0, NAN, NAN], [0, 0, NAN]])
    assert first.windows is None
    assert first == PartialOrders.from_pairs([[(0, 1), (0, 2)], [(0, 2), (1, 2)]])
    assert not first.is_placed.any()


def test_equal_sets_are_equal_whatever_they_were_read_from():
    """Item 2 is first and the others fill the rest: stated by places, by windows and by both."""
    by_place = PartialOrders.from_places([[NAN, 2, 0, NAN]])
    before = np.zeros((1, 4, 4), dtype=bool)
    before[0, 2, [0, 3]] = True
    windows = [[[0, 3], [2, 2], [0, 1], [1, 3]]]
    assert PartialOrders(before, None, np.array(windows)) == by_place
    assert by_place != PartialOrders.from_places([[NAN, 1, 0, NAN]])
    assert by_place != PartialOrders(by_place.before)
    assert PartialOrders(by_place.before) != by_place


def test_rows_are_selected_and_copied_with_their_places():
    orders = PartialOrders.from_places([[1, NAN, NAN], [NAN] * 3, [NAN, 1, NAN]])
    assert orders[[2, 0]].windows.tolist() == orders.windows[[2, 0]].tolist()
    assert orders[1:2] == PartialOrders.from_pairs([[]], items=[0, 1, 2])
    assert PartialOrders.from_pairs([[]], items=[0, 1, 2]) == orders[1:2]
    assert orders[[0]] != orders[[2]]
    for other in (copy.deepcopy(orders), pickle.loads(pickle.dumps(orders))):
        assert other == orders
        assert not other.windows.flags.writeable
    assert len(orders[[0, 2, 0]].distinct[0]) == 2


def test_items_can_be_reordered_and_not_added():
    orders = PartialOrders.from_places([[1, NAN, NAN]], items=["a", "b", "c"])
    moved = orders.with_items(["c", "a", "b"])
    assert moved.windows.tolist() == [[[0, 2], [1, 1], [0, 2]]]
    assert moved.with_items(["a", "b", "c"]) == orders
    with pytest.raises(CandidateError, match=r"row 0 knows places among 3 items, .* among 4"):
        orders.with_items(["a", "b", "c", "d"])
    with pytest.raises(CandidateError, match=r"row 0 knows places among 3 items, .* among 2"):
        orders.with_items(["a", "b"])


def test_columns_are_matched_to_items_by_name():
    frame = pd.DataFrame({"c": [1.0, NAN], "a": [NAN, 2.0]})
    orders = PartialOrders.from_places(frame, items=["a", "b", "c", "d"])
    expected = PartialOrders.from_places([[NAN, NAN, 1, NAN], [2, NAN, NAN, NAN]])
    assert_array_equal(orders.windows, expected.windows)
    # Without items the columns are all items, and 2 is no place of two items.
    with pytest.raises(CandidateError, match="row 1 has 'a' at place 2"):
        PartialOrders.from_places(frame)
    other = pd.DataFrame({"x": [1.0], "y": [NAN], "z": [NAN]})
    assert PartialOrders.from_places(other, items=["a", "b", "c"]).windows[0, 0].tolist() == [1, 1]


def test_markers_and_missing_rows_are_not_known():
    orders = PartialOrders.from_places([[1, -1, -1], [-1, -1, 1]], unlabeled=-1)
    assert_array_equal(
        orders.windows, PartialOrders.from_places([[1, NAN, NAN], [NAN, NAN, 1]]).windows
    )
    rows = PartialOrders.from_any([[1, None, None], None], ranks="places")
    assert rows.informative.tolist() == [True, False]
    assert PartialOrders.from_any([0, 0], ranks="places").n_items == 1


@pytest.mark.parametrize(
    ("places", "message"),
    [
        ([[0, 1, 2], [3, NAN, NAN]], "row 1 has 0 at place 3 .*from 0, the first, to 2"),
        ([[1, 2, 3]], "row 0 has 2 at place 3 .*subtract 1"),
        ([[-1, NAN, NAN]], "row 0 has 0 at place -1"),
        ([[0.5, NAN, NAN]], "row 0 has 0 at place 0.5 .*whole numbers"),
        ([[0, 0, 1]], "row 0 allows no ranking: 0, 1, 2 would share places 0 to 1"),
        ([[NAN] * 3, [2, NAN, 2]], "row 1 allows no ranking: 0, 2 would share place 2|at place 3"),
        (np.array([[[1, 0], [0, 2], [0, 2]]]), "row 0 has 0 between places 1 and 0"),
        (np.array([[[1, 1], [1, 1], [0, 2]]]), "row 0 allows no ranking: 0, 1 would share place 1"),
        (np.zeros((1, 3, 3)), r"places have shape \(n, m\), or \(n, m, 2\)"),
        ([["a", "b"]], "row 0, column 0 holds 'a'"),
    ],
)
def test_what_is_no_place_is_refused(places, message):
    with pytest.raises(CandidateError, match=message):
        PartialOrders.from_places(places)


def test_contradictions_of_pairs_and_places_name_the_items():
    before = np.zeros((2, 3, 3), dtype=bool)
    before[1, 0, 1] = before[1, 1, 2] = True
    windows = np.tile([0, 2], (2, 3, 1))
    windows[1, 2] = 0, 1
    names = ["a", "b", "c"]
    with pytest.raises(CandidateError, match="row 1 allows no ranking: 'a' can have no place"):
        PartialOrders(before, names, windows)
    windows[1] = [[0, 2], [0, 1], [0, 1]]
    before[1] = False
    before[1, 0, 1] = True
    with pytest.raises(CandidateError, match="row 1 allows no ranking: 'a', 'b', 'c' would share"):
        PartialOrders(before, names, windows)
    with pytest.raises(CandidateError, match=r"integers of shape \(2, 3, 2\)"):
        PartialOrders(before, names, windows.astype(float))


def test_ties_and_the_meaning_of_ranks_are_checked():
    with pytest.raises(CandidateError, match="row 1 has equal places"):
        PartialOrders.from_places([[0, 1], [0, 0]], ties="error")
    with pytest.raises(CandidateError, match="ties must be 'ignore'"):
        PartialOrders.from_places([[0, 1]], ties="maybe")
    with pytest.raises(CandidateError, match=r"ranks must be 'order' .* or 'places'"):
        PartialOrders.from_any([[0, 1]], ranks="rank")
    for y in (["a>b"], [[("a", "b")]]):
        with pytest.raises(CandidateError, match="ranks='places' reads a table of numbers"):
            PartialOrders.from_any(y, ranks="places")


def test_the_same_table_means_more_as_places():
    table = [[3, 1, NAN, NAN]]
    order, places = PartialOrders.from_any(table), PartialOrders.from_any(table, ranks="places")
    assert sorted(order[0]) == [(1, 0)]
    assert sorted(places[0]) == [(1, 0), (2, 0), (3, 0)]
    assert len(members(order, 0)) == 12
    assert len(members(places, 0)) == 2
