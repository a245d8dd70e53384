"""Rows that a choice is made by."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from disambig.estimators.portfolio.sampling import sample_rows


def test_the_sample_is_bounded_also_where_rows_are_copies():
    X = np.repeat(np.arange(7.0), [1, 50, 2, 30, 1, 9, 7])[:, None]
    told = np.ones(len(X), dtype=np.bool_)
    for limit in (8, 20, 60, 99, 100):
        rows, numbers = sample_rows(X, told, limit)
        assert rows.size == numbers.size <= limit
        assert np.unique(X[rows]).size == 7
        # Equal rows have equal numbers, and others have not.
        assert np.unique(np.column_stack([X[rows, 0], numbers]), axis=0).shape[0] == 7
    assert sample_rows(X, told, 100)[0].size == 100
    # With room for fewer kinds than there are, one row each.
    assert np.unique(X[sample_rows(X, told, 3)[0]]).size == 3


@pytest.mark.parametrize(("share", "expected"), [(0.02, 20), (0.3, 100), (0.8, 160), (1.0, 200)])
def test_half_of_the_rows_say_something_if_there_are_as_many(share, expected):
    X = np.random.default_rng(0).normal(size=(1000, 2))
    told = np.arange(1000) < 1000 * share
    rows, numbers = sample_rows(X, told, 200)
    assert rows.size == 200
    assert np.count_nonzero(told[rows]) == pytest.approx(expected, abs=1)
    # Dealt evenly, each sort by itself.
    for sort in (told[rows], ~told[rows]):
        if sort.any():
            assert np.ptp(np.bincount(numbers[sort] % 4, minlength=4)) <= 1


def test_the_order_of_rows_is_no_matter():
    X = np.random.default_rng(0).normal(size=(100, 2))
    told = np.arange(100) % 3 == 0
    turned = np.arange(100)[::-1]
    rows, numbers = sample_rows(X, told, 40)
    others, again = sample_rows(X[turned], told[turned], 40)
    assert_array_equal(X[turned][others], X[rows])
    assert_array_equal(again, numbers)
