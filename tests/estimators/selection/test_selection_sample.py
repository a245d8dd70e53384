"""Rows that a choice is made by."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from disambig.candidates import LabelSets
from disambig.estimators.selection.hidden_sets import sample_rows
from disambig.weights import hash_rows


def sets_of(told):
    """Two classes, the first for rows that are told, both for the others."""
    mask = np.column_stack([np.ones(len(told), dtype=np.bool_), ~np.asarray(told)])
    return LabelSets(mask, np.arange(2))


def sample(X, told, limit):
    return sample_rows(hash_rows(X), sets_of(told), np.ones(len(X)), limit)


def test_the_sample_is_bounded_also_where_rows_are_copies():
    X = np.repeat(np.arange(7.0), [1, 50, 2, 30, 1, 9, 7])[:, None]
    told = np.ones(len(X), dtype=np.bool_)
    for limit in (8, 20, 60, 99, 100):
        rows, numbers = sample(X, told, limit)
        assert rows.size == numbers.size == limit
        assert np.unique(rows).size == limit
        # Equal rows have equal numbers, and others have not.
        assert np.unique(np.column_stack([X[rows, 0], numbers]), axis=0).shape[0] == 7
        # All kinds come first, then second copies, and so on.
        assert np.unique(X[rows[:7]]).size == 7
        assert np.unique(X[rows[7:12]]).size == min(5, limit - 7)
    # With room for fewer kinds than there are, one row each.
    assert np.unique(X[sample(X, told, 3)[0]]).size == 3


@pytest.mark.parametrize(("share", "expected"), [(0.02, 20), (0.3, 100), (0.8, 160), (1.0, 200)])
def test_half_of_the_rows_say_something_if_there_are_as_many(share, expected):
    X = np.random.default_rng(0).normal(size=(1000, 2))
    told = np.arange(1000) < 1000 * share
    rows, numbers = sample(X, told, 200)
    assert rows.size == 200
    assert np.count_nonzero(told[rows]) == pytest.approx(expected, abs=1)
    # Dealt evenly, each sort by itself.
    for sort in (told[rows], ~told[rows]):
        if sort.any():
            assert np.ptp(np.bincount(numbers[sort] % 4, minlength=4)) <= 1


def test_copies_that_say_something_come_first():
    X = np.tile(np.arange(40.0), 20)[:, None]
    told = np.arange(800) >= 760
    rows, _ = sample(X, told, 100)
    assert np.count_nonzero(told[rows]) == 40
    assert told[rows[:40]].all()


def test_the_order_of_rows_is_no_matter():
    rng = np.random.default_rng(0)
    turned = rng.permutation(300)
    told = np.arange(300) % 3 == 0
    for X in (rng.normal(size=(300, 2)), rng.integers(0, 3, size=(300, 2)).astype(float)):
        rows, numbers = sample(X, told, 40)
        others, again = sample(X[turned], told[turned], 40)
        assert_array_equal(X[turned][others], X[rows])
        assert_array_equal(told[turned][others], told[rows])
        assert_array_equal(again, numbers)
