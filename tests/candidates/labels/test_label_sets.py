"""LabelSets: construction, properties, selection of rows, copies and other classes."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.candidates import Candidates, LabelSets
from disambig.exceptions import CandidateError

MASK = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 1], [0, 0, 1]], dtype=bool)
CLASSES = np.array(["a", "b", "c"])
WEIGHTS = np.array([[0.25, 0, 0.75], [0, 1, 0], [0.5, 0.5, 0], [0, 0, 1]])

labels = st.integers(-3, 5) | st.sampled_from(["a", "b", "cat", ""])
rows_of_sets = st.lists(st.frozensets(labels, min_size=1, max_size=4), min_size=1, max_size=8)
# Generated labels may look like anything.
any_labels = pytest.mark.filterwarnings("ignore::disambig.exceptions.LookAlikeWarning")


@pytest.fixture
def sets():
    return LabelSets(MASK, CLASSES)


@pytest.fixture
def soft():
    return LabelSets(MASK, CLASSES, WEIGHTS)


def error_message(*args):
    with pytest.raises(CandidateError) as caught:
        LabelSets(*args)
    return str(caught.value)


# ---------------------------------------------------------------- construction


def test_it_implements_the_candidates_protocol(sets):
    assert isinstance(sets, Candidates)
    assert not isinstance(MASK, Candidates)


def test_arrays_are_read_only_copies(soft):
    for held, given_ in ((soft.mask, MASK), (soft.classes, CLASSES), (soft.weights, WEIGHTS)):
        assert not held.flags.writeable
        assert held.flags.c_contiguous
        assert not np.shares_memory(held, given_)
        assert given_.flags.writeable
    assert not soft.sizes.flags.writeable
    with pytest.raises(AttributeError):
        soft.mask = MASK


def test_a_read_only_view_of_a_writeable_array_is_copied():
    base = MASK.copy()
    view = base[:]
    view.setflags(write=False)
    sets = LabelSets(view, CLASSES)
    base[0] = True
    assert sets[0] == {"a", "c"}


def test_arrays_that_are_frozen_already_are_shared(soft):
    again = LabelSets(soft.mask, soft.classes, soft.weights)
    assert again.mask is soft.mask
    assert again.weights is soft.weights


def test_fortran_order_becomes_c_order():
    assert LabelSets(np.asfortranarray(MASK), CLASSES).mask.flags.c_contiguous


def test_arrays_that_do_not_fit_raise():
    assert "2 classes were given for 3 columns" in error_message(MASK, ["a", "b"])
    assert "must be distinct" in error_message(MASK, ["a", "b", "a"])
    assert "boolean array of shape (n, K); got int64" in error_message(
        MASK.astype(np.int64), CLASSES
    )
    assert "of shape (3,)" in error_message(MASK[0], CLASSES)
    empty = MASK.copy()
    empty[1:3] = False
    assert error_message(empty, CLASSES).startswith(
        "LabelSets: row 1 has no candidate (2 such rows)."
    )


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ([0.5, 0.5, 0], "has weight outside its set"),
        ([1.5, 0, -0.5], "has a negative or missing weight"),
        ([np.nan, 0, 1], "has a negative or missing weight"),
        ([0.5, 0, 0.4], "has weights that do not sum to one"),
        ([np.inf, 0, 0], "has weights that do not sum to one"),
    ],
)
def test_weights_that_do_not_fit_raise_with_the_row(row, words):
    mask = np.array([[1, 1, 1], [1, 0, 1]], dtype=bool)
    assert error_message(mask, CLASSES, [[1, 0, 0], row]).startswith(f"LabelSets: row 1 {words}")


def test_weights_must_have_the_shape_of_the_mask():
    assert "shape of the mask, (4, 3); got (3, 3)" in error_message(MASK, CLASSES, WEIGHTS[1:])


# ---------------------------------------------------------------- contents


def test_counts_and_flags_of_rows(sets):
    assert len(sets) == 4
    assert sets.shape == (4, 3)
    assert sets.ndim == 2
    assert sets.n_classes == 3
    assert sets.sizes.tolist() == [2, 1, 3, 1]
    assert sets.is_single.tolist() == [False, True, False, True]
    assert sets.is_whole.tolist() == [False, False, True, False]
    assert sets.informative.tolist() == [True, True, False, True]
    assert sets.first_labels().tolist() == ["a", "b", "a", "c"]


def test_unused_classes():
    assert LabelSets(MASK[[0, 3]], CLASSES).unused_classes.tolist() == ["b"]
    assert LabelSets(MASK, CLASSES).unused_classes.tolist() == []


def test_distribution(sets, soft):
    np.testing.assert_allclose(
        sets.distribution(), [[0.5, 0, 0.5], [0, 1, 0], [1 / 3] * 3, [0, 0, 1]]
    )
    np.testing.assert_array_equal(soft.distribution(), WEIGHTS)
    soft.distribution()[:] = 0
    np.testing.assert_array_equal(soft.weights, WEIGHTS)


def test_contains(sets):
    assert sets.contains(["a", "a", "b", "z"]).tolist() == [True, False, True, False]
    assert sets.contains(np.array(["c", "b", "c", "c"])).all()
    assert not sets.contains([None, float("nan"), 3, ""]).any()
    for wrong in (["a"], ["a"] * 5, [["a", "b"], "a", "a", []]):
        with pytest.raises(CandidateError, match="one label per row, 4 in all"):
            sets.contains(wrong)


def test_a_set_contains_its_own_labels_and_no_others(sets):
    for label in "abc":
        assert sets.contains([label] * 4).tolist() == [label in s for s in sets]


def test_iteration_and_sets(sets):
    expected = [{"a", "c"}, {"b"}, {"a", "b", "c"}, {"c"}]
    assert sets.to_sets() == expected
    assert list(sets) == expected
    assert all(isinstance(row, frozenset) for row in sets)


def test_repr(sets, soft):
    text = "LabelSets(4 rows, 3 classes ['a', 'b', 'c'], 2 single, 1 whole, mean size 1.75"
    assert repr(sets) == text + ")"
    assert repr(soft) == text + ", soft weights)"
    assert repr(sets[:0]).startswith("LabelSets(0 rows")


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
def test_rows_are_selected_like_those_of_an_array(soft, rows, tail):
    index = np.array(rows, dtype=int) if isinstance(rows, list) and not rows else rows
    part = soft[(rows, *tail)] if tail else soft[rows]
    np.testing.assert_array_equal(part.mask, MASK[index])
    np.testing.assert_array_equal(part.weights, WEIGHTS[index])
    assert part.classes.tolist() == CLASSES.tolist()
    assert part.to_sets() == [frozenset(CLASSES[row].tolist()) for row in MASK[index]]


def test_an_integer_selects_a_set(sets):
    assert sets[0] == sets[np.int64(-4)] == sets[0, ...] == frozenset({"a", "c"})


def test_invalid_row_indices_raise_index_errors(sets):
    for rows in (
        4,
        [7],
        (0, 1),
        (0, slice(2)),
        np.array([True, False]),
        True,
        np.eye(2, dtype=int),
    ):
        with pytest.raises(IndexError):
            sets[rows]


def test_conversion_to_the_mask(sets):
    assert np.asarray(sets).dtype == bool
    np.testing.assert_array_equal(np.asarray(sets), MASK)
    assert np.asarray(sets, dtype=float).tolist() == MASK.astype(float).tolist()
    fresh = np.array(sets)
    fresh[:] = False
    assert sets.mask.any()
    assert sets.__array__(copy=False) is sets.mask
    assert sets.__array__(bool, copy=False) is sets.mask
    assert sets.__array__(copy=True).flags.writeable
    with pytest.raises(ValueError, match="needs a copy"):
        sets.__array__(float, copy=False)


# ---------------------------------------------------------------- equality, pickles


def test_equality_compares_contents(sets, soft):
    assert sets == LabelSets(MASK.copy(), list("abc"))
    assert sets == LabelSets(MASK, CLASSES.astype(object))
    assert sets != soft
    assert soft == LabelSets(MASK, CLASSES, WEIGHTS.copy())
    assert soft != LabelSets(MASK, CLASSES, LabelSets(MASK, CLASSES).distribution())
    assert sets != LabelSets(MASK, ["a", "c", "b"])
    assert sets != sets[:3]
    assert sets != sets[::-1]
    assert sets != sets.to_sets()
    with pytest.raises(TypeError, match="unhashable"):
        hash(sets)


@pytest.mark.parametrize(
    "again", [lambda s: pickle.loads(pickle.dumps(s)), copy.deepcopy, copy.copy]
)
def test_copies_are_equal_and_read_only(sets, soft, again):
    for original in (sets, soft):
        assert original.sizes.sum() == 7
        twin = again(original)
        assert twin == original
        assert not twin.mask.flags.writeable
        assert not twin.classes.flags.writeable
        assert twin.sizes.tolist() == original.sizes.tolist()
    assert not again(soft).weights.flags.writeable


# ---------------------------------------------------------------- other classes


def test_the_same_sets_over_other_classes(soft):
    wider = soft.with_classes(["c", "z", "b", "a"])
    assert wider.to_sets() == soft.to_sets()
    assert wider.classes.tolist() == ["c", "z", "b", "a"]
    np.testing.assert_array_equal(wider.weights[:, [3, 2, 0]], WEIGHTS)
    assert wider.unused_classes.tolist() == ["z"]
    assert not wider.is_whole.any()
    assert soft.with_classes(CLASSES) == soft
    assert wider.with_classes(list("abc")) == soft


def test_a_candidate_cannot_be_dropped(sets):
    with pytest.raises(CandidateError, match=r"row 1 has the candidate 'b'.*\(2 such rows\)"):
        sets.with_classes(["a", "c", "d"])


# ---------------------------------------------------------------- round trips


@any_labels
@given(rows_of_sets)
def test_sets_round_trip(rows):
    sets = LabelSets.from_sets(rows)
    assert sets.to_sets() == rows
    assert LabelSets.from_sets(sets.to_sets()) == sets
    assert LabelSets.from_any(rows) == sets
    assert set(sets.classes.tolist()) == frozenset().union(*rows)


@any_labels
@given(rows_of_sets, st.randoms(use_true_random=False))
def test_reading_and_permuting_rows_commute(rows, random):
    order = list(range(len(rows)))
    random.shuffle(order)
    sets = LabelSets.from_any(rows)
    assert LabelSets.from_any([rows[j] for j in order]) == sets[order]


@any_labels
@given(rows_of_sets)
def test_masks_and_sets_give_the_same_label_sets(rows):
    sets = LabelSets.from_sets(rows)
    spelled = LabelSets.from_mask(np.asarray(sets), classes=sets.classes)
    assert spelled == sets
    assert LabelSets.from_sets(spelled.to_sets(), classes=sets.classes) == sets


@any_labels
@given(rows_of_sets)
def test_the_type_of_every_label_survives(rows):
    back = LabelSets.from_sets(rows).to_sets()
    kinds = [sorted((type(label).__name__, label) for label in row) for row in rows]
    assert [sorted((type(label).__name__, label) for label in row) for row in back] == kinds


@any_labels
@given(rows_of_sets, st.data())
def test_a_part_over_all_classes_is_the_part(rows, data):
    sets = LabelSets.from_sets(rows)
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=1))
    part = LabelSets.from_sets([rows[j] for j in chosen])
    assert part.with_classes(sets.classes) == sets[chosen]


def test_masks_and_sets_that_no_table_can_hold():
    with pytest.raises(CandidateError, match=r"got object of shape \(2,\)"):
        LabelSets([[True, False], [True]], ["a", "b"])
    # Larger than every float, and still a label.
    sets = LabelSets.from_any([[0, 10**400], [0, 1]])
    assert sets[0] == {0, 10**400}
