"""Inputs known in part: what is read, refused and kept when rows are selected."""

import pickle

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.utils import _safe_indexing

from disambig import Intervals, LabelSets
from disambig.exceptions import CandidateError
from disambig.inputs import Alternatives, PartialInputs

NAN, INF = np.nan, np.inf


def mixed():
    """Six rows with cells of every form."""
    trees = LabelSets.from_sets(
        [{"oak"}, {"ash", "oak"}, {"fir"}, {"ash"}, {"fir", "oak"}, {"oak"}]
    )
    trees = LabelSets(trees.mask | (np.arange(6) == 5)[:, None], trees.classes)
    return PartialInputs.from_columns(
        {
            "height": [12.0, (10, 20), "> 15", None, 3, {7, 8}],
            "tree": trees,
            "age": Intervals.from_bounds([0, 1, 2, 3, 4, 5], [0, 2, 2, 3, 9, 5]),
        }
    )


def test_columns_of_every_form():
    X = mixed()
    assert X.names == ("height", "tree=ash", "tree=fir", "tree=oak", "age")
    np.testing.assert_array_equal(X.lower[:, 0], [12, 10, 15, -INF, 3, 7])
    np.testing.assert_array_equal(X.upper[:, 0], [12, 20, INF, INF, 3, 8])
    assert X.categories[0].tolist() == [1, 2, 3]
    assert X.lower[0].tolist() == [12, 0, 0, 1, 0]
    assert X.upper[1].tolist() == [20, 1, 0, 1, 2]
    # Of the last tree nothing is known; of the height of the fourth row, too.
    missing = X.is_missing
    assert missing[5].tolist() == [False, True, True, True, False]
    assert missing[3].tolist() == [True, False, False, False, False]
    assert np.count_nonzero(missing) == 4
    assert X.open_rows.tolist() == [1, 2, 3, 4, 5]
    array = np.asarray(X)
    np.testing.assert_array_equal(array[:, 0], [12, 15, NAN, NAN, 3, 7.5])
    np.testing.assert_array_equal(array[1], [15, 0.5, 0, 0.5, 1.5])
    assert "cells: 17 known" in repr(X)


@pytest.mark.parametrize(
    "rows",
    [
        slice(1, 5, 2),
        [5, 0, 5],
        np.array([False, True, True, False, False, True]),
        (np.array([2, 5]), Ellipsis),
        -1,
        [],
    ],
)
def test_selected_rows_keep_their_sets(rows):
    X = mixed()
    part = X[rows]
    plain = rows[0] if isinstance(rows, tuple) else rows
    index = np.atleast_1d(np.arange(6)[slice(0) if isinstance(rows, list) and not rows else plain])
    np.testing.assert_array_equal(part.lower, X.lower[index])
    np.testing.assert_array_equal(np.asarray(part), np.asarray(X)[index])
    assert part.shape == (len(index), 5)
    # The cell with one of two values is found wherever its row went.
    assert part.alternatives[0].rows.tolist() == np.flatnonzero(index == 5).tolist()


def test_scikit_learn_splits_them_and_they_are_pickled():
    X = mixed()
    train, test = train_test_split(X, random_state=0)
    assert isinstance(train, PartialInputs)
    assert (len(train), len(test)) == (4, 2)
    np.testing.assert_array_equal(_safe_indexing(X, [3, 1]).lower, X.lower[[3, 1]])
    again = pickle.loads(pickle.dumps(X))
    np.testing.assert_array_equal(again.upper, X.upper)
    for one in (X, again, X[1:]):
        with pytest.raises(ValueError, match="read-only"):
            one.lower[0, 0] = 1.0
    with pytest.raises(IndexError, match="only rows can be selected"):
        X[0, 1]


def test_an_estimator_that_reads_arrays_gets_middles():
    from sklearn.ensemble import RandomForestClassifier

    X = PartialInputs.from_rounding(np.arange(40.0)[:, None] / 2, digits=0)
    y = np.arange(40) % 20 > 9
    scores = cross_val_score(RandomForestClassifier(5, random_state=0), X, y, cv=2)
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("seed", range(3))
def test_rounding_holds_what_was_rounded(seed):
    values = np.random.default_rng(seed).normal(size=(50, 3)) * [1, 30, 400]
    digits = [1, 0, -2]
    rounded = np.column_stack([np.round(values[:, j], digits[j]) for j in range(3)])
    X = PartialInputs.from_rounding(rounded, digits)
    assert X.contains(values, 1e-9).all()
    np.testing.assert_allclose(X.upper - X.lower, np.broadcast_to([0.1, 1, 100], (50, 3)))
    exact = PartialInputs.from_rounding(rounded, [None, 0, None])
    assert exact.is_known.all(axis=0).tolist() == [True, False, True]


def test_censoring():
    values = [[1.0, 2.0], [NAN, 4.0]]
    X = PartialInputs.from_censoring(values, above=[[False, True], [False, False]])
    assert X.lower.tolist() == [[1, 2], [-INF, 4]]
    assert X.upper.tolist() == [[1, INF], [INF, 4]]
    both = PartialInputs.from_censoring(values, above=True, below=True)
    assert both.is_missing.all()


def test_contains_the_values_of_a_cell_and_nothing_between_them():
    X = PartialInputs.from_columns([[{1, 4, 9}, (1, 9)]])
    for value, inside in ((1.0, True), (4.0, True), (5.0, False), (9.0, True), (10.0, False)):
        assert X.contains([[value], [value]]).ravel().tolist() == [inside, 1 <= value <= 9]


def test_numbers_and_frames_are_read():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [1.0, NAN], "b": [(2, 3), "4 to 5"], "c": [True, False]})
    X = PartialInputs.from_any(frame)
    assert X.names == ("a", "b", "c")
    np.testing.assert_array_equal(X.lower, [[1, 2, 1], [-INF, 4, 0]])
    assert PartialInputs.from_any(X) is X
    assert PartialInputs.from_any([[1, 2]]).is_known.all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: PartialInputs.from_bounds([[1.0, 5.0]], [[2.0, 4.0]], names="ab"),
            r"row 0, column 'b' is between 5 and 4 \(1 such",
        ),
        (lambda: PartialInputs.from_any([[1.0, INF]]), "row 0, column 1 is between inf and inf"),
        (lambda: PartialInputs.from_bounds([[1.0]], [[1.0, 2.0]]), "one entry for every cell"),
        (lambda: PartialInputs.from_bounds([[1.0]], [[1.0]], names="ab"), "2 names"),
        (lambda: PartialInputs.from_any([["x"]]), "use PartialInputs.from_columns"),
        (lambda: PartialInputs.from_any([1.0, 2.0]), r"shape \(n, d\); got shape \(2,\)"),
        (lambda: PartialInputs.from_rounding([[1.0]], digits=[1, 2]), "digits must be"),
        (lambda: PartialInputs.from_rounding([[1.0]], digits=0.5), "digits must be"),
        (lambda: PartialInputs.from_censoring([[1.0]], above=[[1.0]]), "above must say True or"),
        (lambda: PartialInputs.from_columns({}), "no columns"),
        (
            lambda: PartialInputs.from_columns([[1.0], [1.0, 2.0]]),
            "'1' has 2 entries and '0' has 1",
        ),
        (lambda: PartialInputs.from_columns({"a": ["oak"]}), "'a' cannot be read.*as LabelSets"),
        (lambda: PartialInputs.from_columns({"a": [{"oak", 2}]}), "row 0, column 'a' is .* no set"),
        (lambda: PartialInputs.from_columns({"a": [set()]}), "no set of finite numbers"),
        (lambda: PartialInputs.from_columns([LabelSets.from_sets([{"a"}])]), "one class"),
        (lambda: Alternatives(0, [1, 1], [[1.0], [2.0]]), "rows must increase"),
        (lambda: Alternatives(0, [1], [[NAN]]), "has no value or an infinite one"),
        (lambda: PartialInputs([[1.0]], [[1.0]], (Alternatives(0, [1], [[1.0]]),)), "rows up to 1"),
        (lambda: PartialInputs([[0.0, 0.5]], [[1.0, 1.0]], categories=[[0, 1]]), "Bounds of a cat"),
    ],
)
def test_what_is_wrong_is_named(make, message):
    with pytest.raises(CandidateError, match=message):
        make()


def test_bounds_follow_from_several_values():
    one = Alternatives(1, np.array([0]), np.array([[3.0, 5.0, NAN]]))
    X = PartialInputs([[1.0, 0.0]], [[1.0, 0.0]], (one,))
    assert (X.lower.tolist(), X.upper.tolist()) == ([[1, 3]], [[1, 5]])
