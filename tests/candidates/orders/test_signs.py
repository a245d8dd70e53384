"""Orders from signs of pairs."""

import numpy as np
import pytest

from disambig.candidates import PartialOrders
from disambig.exceptions import CandidateError

# a > b, a > c; and c > b from one side only.
SIGNS = np.array([[[0, 1, 1], [-1, 0, 0], [-1, 0, 0]], [[0, 0, 0], [0, 0, 0], [0, 1, 0]]])
PAIRS = [{(0, 1), (0, 2)}, {(2, 1)}]


def error_message(y, read=PartialOrders.from_signs, **options):
    with pytest.raises(CandidateError) as caught:
        read(y, **options)
    return str(caught.value)


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32, np.float64])
def test_signs_of_any_dtype(dtype):
    assert PartialOrders.from_any(SIGNS.astype(dtype)).to_pairs() == PAIRS
    assert PartialOrders.from_signs(SIGNS.astype(dtype).tolist()).to_pairs() == PAIRS


def test_one_entry_per_pair_suffices():
    for part in (np.maximum(SIGNS, 0), np.minimum(SIGNS, 0), SIGNS > 0):
        orders = PartialOrders.from_any(part)
        assert orders[0] == PAIRS[0]
    unsigned = np.maximum(SIGNS, 0).astype(np.uint8)
    assert PartialOrders.from_any(unsigned).to_pairs() == PAIRS


def test_signs_are_closed():
    signs = np.zeros((1, 3, 3), dtype=int)
    signs[0, 0, 1] = 1
    signs[0, 2, 1] = -1
    assert PartialOrders.from_any(signs)[0] == {(0, 1), (1, 2), (0, 2)}


def test_items():
    orders = PartialOrders.from_any(SIGNS, items=["x", "y", "z"])
    assert orders[1] == {("z", "y")}
    assert "2 items were named for 3" in error_message(SIGNS, items=["x", "y"])


def test_contradictions_name_the_row():
    both = SIGNS.copy()
    both[1, 1, 2] = 1
    assert "row 1 contradicts itself: 1 > 2 > 1 (1 such row)" in error_message(both)
    itself = SIGNS.copy()
    itself[1, 2, 2] = -1
    assert "row 1 contradicts itself: c > c (1 such row)" in error_message(
        itself, items=list("abc")
    )


@pytest.mark.parametrize("value", [2, -3, 0.5, np.nan, np.inf])
def test_other_values_name_the_row(value):
    signs = SIGNS.astype(float)
    signs[1, 0, 2] = value
    message = error_message(signs)
    assert message.startswith("PartialOrders: row 1 holds ")
    assert "at (0, 2) (1 such row)" in message
    assert message == error_message(signs, PartialOrders.from_any)


def test_other_shapes_and_dtypes_raise():
    assert "got shape (2, 2, 3)" in error_message(SIGNS[:, :2])
    assert "got shape (2, 2, 3)" in error_message(SIGNS[:, :2], PartialOrders.from_any)
    assert "got shape (3, 3)" in error_message(SIGNS[0])
    assert "differ in shape" in error_message([[[0, 1], [-1, 0]], [[0]]])
    assert "got an array of object" in error_message(SIGNS.astype(object))
    assert "got an array of <U" in error_message(SIGNS.astype(str))
    assert "target y is None" in error_message(None)
