"""The rows of the sample that weights are selected on."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from disambig.candidates import LabelSets, bag_counts
from disambig.estimators.selection import BagSelection, LabelSelection
from disambig.estimators.selection.sampling import sample_rows
from disambig.losses import ZeroOneLoss
from disambig.weights.row_groups import hash_rows


def sets_of(informative):
    """Two classes: informative rows have the first, the others both."""
    mask = np.column_stack([np.ones(len(informative), dtype=np.bool_), ~np.asarray(informative)])
    sets = LabelSets(mask, np.arange(2))
    return LabelSelection(sets, ZeroOneLoss().bind(sets.classes), "disambiguation", None)


def sample(X, informative, limit):
    return sample_rows(hash_rows(X), sets_of(informative), np.ones(len(X)), limit)


def test_the_size_of_the_sample_is_bounded_also_with_copies():
    X = np.repeat(np.arange(7.0), [1, 50, 2, 30, 1, 9, 7])[:, None]
    informative = np.ones(len(X), dtype=np.bool_)
    for limit in (8, 20, 60, 99, 100):
        rows, numbers = sample(X, informative, limit)
        assert rows.size == numbers.size == limit
        assert np.unique(rows).size == limit
        # Two rows have equal numbers if and only if they are equal.
        assert np.unique(np.column_stack([X[rows, 0], numbers]), axis=0).shape[0] == 7
        # One row of every group, then a second one, and so on.
        assert np.unique(X[rows[:7]]).size == 7
        assert np.unique(X[rows[7:12]]).size == min(5, limit - 7)
    # With fewer rows than groups, one row each.
    assert np.unique(X[sample(X, informative, 3)[0]]).size == 3


@pytest.mark.parametrize(("share", "expected"), [(0.02, 20), (0.3, 100), (0.8, 160), (1.0, 200)])
def test_half_of_the_sample_is_informative_if_there_are_as_many(share, expected):
    X = np.random.default_rng(0).normal(size=(1000, 2))
    informative = np.arange(1000) < 1000 * share
    rows, numbers = sample(X, informative, 200)
    assert rows.size == 200
    assert np.count_nonzero(informative[rows]) == pytest.approx(expected, abs=1)
    # Informative rows are spread evenly over folds, and so are the others.
    for part in (informative[rows], ~informative[rows]):
        if part.any():
            assert np.ptp(np.bincount(numbers[part] % 4, minlength=4)) <= 1


def test_informative_copies_come_first():
    X = np.tile(np.arange(40.0), 20)[:, None]
    informative = np.arange(800) >= 760
    rows, _ = sample(X, informative, 100)
    assert np.count_nonzero(informative[rows]) == 40
    assert informative[rows[:40]].all()


def test_the_order_of_rows_does_not_matter():
    rng = np.random.default_rng(0)
    permutation = rng.permutation(300)
    informative = np.arange(300) % 3 == 0
    for X in (rng.normal(size=(300, 2)), rng.integers(0, 3, size=(300, 2)).astype(float)):
        rows, numbers = sample(X, informative, 40)
        others, again = sample(X[permutation], informative[permutation], 40)
        assert_array_equal(X[permutation][others], X[rows])
        assert_array_equal(informative[permutation][others], informative[rows])
        assert_array_equal(again, numbers)


def in_bags(bags, limit=1000):
    """The sample of rows in bags with known shares of two classes, and its fold numbers."""
    bags = np.asarray(bags)
    X = np.random.default_rng(0).normal(size=(len(bags), 2))
    proportions = {bag: {0: 0.5, 1: 0.5} for bag in np.unique(bags).tolist()}
    counts = bag_counts(LabelSets.from_mask(np.ones((len(bags), 2))), bags, proportions)
    kind = BagSelection.of_counts(counts, ZeroOneLoss().bind(counts.classes))
    return X, kind, partial(sample_rows, limit=limit)


def test_many_bags_are_taken_whole_in_an_order_of_their_rows_alone():
    bags = np.arange(200) // 8
    X, kind, sampled = in_bags(bags, limit=100)
    rows, numbers = sampled(hash_rows(X), kind, np.ones(200))
    assert rows.size == 96
    assert (np.bincount(bags[rows])[np.unique(bags[rows])] == 8).all()
    assert all(np.unique(bags[rows[numbers == one]]).size == 1 for one in np.unique(numbers))
    back = np.arange(200)[::-1]
    again, _ = sampled(hash_rows(X[back]), kind.take(back), np.ones(200))
    assert_array_equal(X[back][again], X[rows])


def test_halves_of_few_bags_are_hidden():
    bags = np.arange(160) // 16
    X, kind, sampled = in_bags(bags)
    rows, numbers = sampled(hash_rows(X), kind, np.ones(160))
    hidden = np.bincount(bags[rows[numbers % 2 == 0]], minlength=10)
    assert ((hidden > 0) & (hidden < 16)).all()
