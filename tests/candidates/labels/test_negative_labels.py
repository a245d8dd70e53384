"""Sets that are given by the labels that they exclude."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.candidates import LabelSets
from disambig.exceptions import CandidateError


def error_message(y, *args, **options):
    with pytest.raises(CandidateError) as caught:
        LabelSets.from_negatives(y, *args, **options)
    return str(caught.value)


def test_a_row_has_the_classes_that_it_does_not_exclude():
    sets = LabelSets.from_negatives([1, {0, 2}, set(), None], [0, 1, 2], unlabeled=float("nan"))
    assert sets.to_sets() == [{0, 2}, {1}, {0, 1, 2}, {0, 1, 2}]
    assert LabelSets.from_negatives(np.array([1, 2]), [0, 1, 2]).to_sets() == [{0, 2}, {0, 1}]
    # Lists are always sets here, never a mask.
    assert LabelSets.from_negatives([[0, 1], [1, 0]], [0, 1, 2]).to_sets() == [{2}, {2}]


def test_text_may_be_split():
    sets = LabelSets.from_negatives(["a|b", "c"], ["a", "b", "c"], separator="|")
    assert sets.to_sets() == [{"c"}, {"a", "b"}]
    sets = LabelSets.from_negatives(np.array(["a|b", "c"]), ["a", "b", "c"], separator="|")
    assert sets.to_sets() == [{"c"}, {"a", "b"}]
    assert LabelSets.from_negatives(["a|b"], ["a|b", "c"]).to_sets() == [{"c"}]


def test_excluding_everything_raises_with_the_row():
    message = error_message([0, [0, 1], [1, 0]], [0, 1])
    assert message.startswith(
        "LabelSets: row 1 excludes every class and has no candidate (2 such rows)."
    )


def test_invalid_labels_raise_as_in_other_notations():
    assert "row 1 holds 7, which is not among the classes" in error_message([0, 7], [0, 1, 2])
    assert "row 1 holds None" in error_message([0, None], [0, 1, 2])
    assert "row 0 repeats a label" in error_message([[0, 0]], [0, 1, 2])
    assert "also among the classes" in error_message([0], [0, 1, -1], unlabeled=-1)
    assert "got NoneType" in error_message([0], None)


@given(st.lists(st.sets(st.integers(0, 4), max_size=4), min_size=1, max_size=6))
def test_sets_are_complements_of_the_excluded_labels(rows):
    everything = frozenset(range(5))
    sets = LabelSets.from_negatives(rows, range(5))
    assert sets.to_sets() == [everything - row for row in rows]
