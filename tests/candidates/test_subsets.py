"""Subsets of checked candidates are not checked again, and share nothing with the whole."""

import numpy as np
import pytest

from disambig.candidates import Intervals, IntervalUnions, LabelSets, PartialBits, PartialOrders
from disambig.candidates.bits import partial_bits
from disambig.candidates.labels import label_sets
from disambig.candidates.numbers import intervals, unions
from disambig.candidates.orders import partial_orders

WHOLE = {
    "labels": LabelSets.from_any([{"a", "b"}, "b", {"a", "c"}, "c"]),
    "soft": LabelSets.from_weights([[3, 1, 0], [0, 1, 1], [1, 0, 0], [1, 1, 1]]),
    "orders": PartialOrders.from_any(["a>b", "b>c", "", "a>b>c"]),
    "bits": PartialBits.from_any([[1, 0], [None, 1], [0, 0], [1, None]]),
    "intervals": Intervals.from_any([(0, 1), 2.0, ">= 3", (4, 5)]),
    "boxes": Intervals.from_any(np.arange(16.0).reshape(4, 2, 2)),
    "unions": IntervalUnions.from_any([[(0, 1), (2, 3)], 5.0, (1, 2), [(0, 1), (4, 9)]]),
}


@pytest.fixture
def unchecked(monkeypatch):
    def refuse(*args, **options):
        raise AssertionError("valid rows were checked again")

    for module, name in (
        (label_sets, "checked_table"),
        (partial_orders, "checked_orders"),
        (partial_bits, "checked_bits"),
        (intervals, "checked_ends"),
        (unions, "checked_ends"),
    ):
        monkeypatch.setattr(module, name, refuse)


def arrays(sets):
    return [value for value in vars(sets).values() if isinstance(value, np.ndarray)]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize("rows", [slice(1, 3), [3, 0, 0], np.array([True, False, True, False]), []])
def test_rows_are_selected_without_a_check(kind, rows):
    whole = WHOLE[kind]
    part = whole[rows]
    assert type(part) is type(whole)
    chosen = np.arange(4)[np.array(rows, dtype=int) if isinstance(rows, list) else rows]
    for new, old in zip(part, [whole[row] for row in chosen.tolist()], strict=True):
        np.testing.assert_equal(new, old)
    for array in arrays(part):
        assert not array.flags.writeable
    rowwise = [array for array in arrays(whole) if array.ndim > 1]
    assert not any(np.shares_memory(new, old) for new in arrays(part) for old in rowwise)


@pytest.mark.usefixtures("unchecked")
def test_derived_sets_are_not_checked():
    sets = WHOLE["labels"].with_classes(["c", "b", "a", "d"])
    assert sets.to_sets() == WHOLE["labels"].to_sets()
    assert not sets.mask.flags.writeable
    assert WHOLE["orders"].with_items(["c", "b", "a"]).to_pairs() == WHOLE["orders"].to_pairs()
    union = IntervalUnions._trusted(WHOLE["unions"]._segments)
    assert union.hull[0] == (0.0, 3.0)
    assert union.segments_at(np.array([2.2, 0, 0, 0]))[0] == (2.0, 3.0)
    assert union.span.tolist() == [[0.0, 9.0]]
