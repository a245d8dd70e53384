"""PartialOrders.from_any: the forms that it reads, and those that raise."""

import numpy as np
import pytest
from scipy import sparse

from disambig.candidates import PartialOrders
from disambig.exceptions import CandidateError

NAN = float("nan")


def error_message(y, **options):
    with pytest.raises(CandidateError) as caught:
        PartialOrders.from_any(y, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    "y",
    [
        np.array([[0, 1, 2], [1, 1, 0]]),
        [[0, 1, 2], [1, 1, 0]],
        [(0.0, 1.0, 2.0), np.array([1, 1, 0])],
        np.array([[0, 1, 2], [1, 1, 0]], dtype=object),
        [[(0, 1), (1, 2)], [(2, 0), (2, 1)]],
        [{(0, 1), (1, 2)}, frozenset({(2, 0), (2, 1)})],
        np.array(
            [[[0, 1, 1], [-1, 0, 1], [-1, -1, 0]], [[0, 0, -1], [0, 0, -1], [1, 1, 0]]],
        ),
    ],
)
def test_forms_of_the_same_orders(y):
    orders = PartialOrders.from_any(y)
    assert orders.items.tolist() == [0, 1, 2]
    assert orders.to_pairs() == [{(0, 1), (1, 2), (0, 2)}, {(2, 0), (2, 1)}]


def test_texts_and_pairs_may_be_mixed():
    orders = PartialOrders.from_any(["a>b", [("b", "c"), ("c", "a")], None, [], ""])
    assert orders.n_observed.tolist() == [1, 3, 0, 0, 0]


def test_numbers_beside_texts_and_pairs_raise():
    for row in (3, [3, 1], [None, 2.0]):
        message = error_message(["a>b", [("a", "b")], row, row])
        assert message.startswith("PartialOrders: row 2 holds ")
        assert "not of the form of other rows (2 such rows)" in message
    assert "row 0 holds 1" in error_message([1, [1, 2]])


@pytest.mark.parametrize(
    "row",
    [["a", "b", "c"], ("a", "b"), {"a", "b"}, {1, 2}, {"a": 1}, b"a>b", object(), True, [[1], [2]]],
)
def test_forms_that_could_be_several_things_raise(row):
    message = error_message(["a>b", row])
    assert message.startswith("PartialOrders: row 1 holds ")
    assert "(1 such row)" in message
    assert "from_top_k" in message
    assert "from_buckets" in message


def test_lists_that_could_be_signs_or_pairs_raise():
    signs = [[[0, 1], [-1, 0]], [[0, -1], [1, 0]]]
    assert "may be signs of two items or pairs" in error_message(signs)
    assert PartialOrders.from_any(np.asarray(signs)).to_pairs() == [{(0, 1)}, {(1, 0)}]
    assert PartialOrders.from_pairs(signs).items.tolist() == [-1, 0, 1]
    assert PartialOrders.from_any([[[0, 1], [2, 0]]]).n_observed.tolist() == [3]
    wider = [[[0, 1, 1], [-1, 0, 0], [-1, 0, 0]]]
    assert "signs of pairs are an array of shape (n, m, m)" in error_message(wider)


@pytest.mark.parametrize(
    ("y", "text"),
    [
        (None, "requires y to be passed, but the target y is None"),
        ("a>b", "got str"),
        ({"a": [1]}, "got dict"),
        ({1, 2}, "got set"),
        (3, "got int"),
        (iter([1]), "got list_iterator"),
        ([], "got shape (0,)"),
        (np.zeros((0, 3)), "got shape (0, 3)"),
        (np.zeros((1, 2, 2, 2)), "got shape (1, 2, 2, 2)"),
        (np.array(1.0), "got shape ()"),
        (sparse.csr_array(np.eye(3)), "sparse array"),
    ],
)
def test_objects_without_rows_raise(y, text):
    assert text in error_message(y)


def test_dates_are_no_ranks():
    assert "row 0 holds" in error_message(np.array(["2020-01-01"], dtype="datetime64[D]"))


def test_all_missing_rows_need_items():
    assert "no row mentions an item" in error_message([None, None])
    assert PartialOrders.from_any([None, None], items=["a", "b"]).shape == (2, 2)


def test_long_rows_are_shortened_in_messages():
    message = error_message([["item"] * 1000])
    assert len(message) < 500


def test_ranks_that_no_float_can_hold():
    with pytest.raises(CandidateError, match="row 0, column 1 holds 1000"):
        PartialOrders.from_ranks([[1.5, 10**400], [1, 2]])


def test_arrays_without_dimensions_are_single_values():
    with pytest.raises(CandidateError):
        PartialOrders.from_pairs([[("a", "b")], np.array(1.0)], unlabeled=-1)
    # The row is a marker.
    assert PartialOrders.from_pairs([[("a", "b")], np.array("?")], unlabeled="?").n_observed[1] == 0
    assert PartialOrders.from_buckets([[["a"], ["b"]], np.array("b")]).n_observed.tolist() == [1, 0]


def test_numbers_beside_windows_of_places():
    with pytest.raises(CandidateError, match="one place per item, or its first and last place"):
        PartialOrders.from_any([[0, 1], [(0, 1), (2, 3)]], ranks="places")
