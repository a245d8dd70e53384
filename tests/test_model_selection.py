import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

from disambig import LabelSets, PartialBits, PartialLabelClassifier
from disambig.exceptions import InputShiftWarning, UnusedClassWarning
from disambig.metrics import covering_scorer
from disambig.model_selection import BagKFold, CandidateKFold
from disambig.weights import NeighborWeights


@st.composite
def masks(draw):
    n, k = draw(st.integers(4, 30)), draw(st.integers(2, 6))
    mask = draw(hnp.arrays(np.bool_, (n, k)))
    mask[np.arange(n), draw(hnp.arrays(np.intp, n, elements=st.integers(0, k - 1)))] = True
    return mask


@given(masks(), st.integers(2, 4), st.sampled_from([None, 0, 1]))
def test_folds_partition_the_rows_and_spread_classes_or_warn(mask, n_splits, seed):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        folds = list(CandidateKFold(n_splits, random_state=seed).split(mask, mask))
    confined = set()
    for train, test in folds:
        assert np.intersect1d(train, test).size == 0
        assert train.size + test.size == len(mask)
        assert test.size > 0
        confined |= set(np.flatnonzero(mask.any(axis=0) & ~mask[train].any(axis=0)))
    tested = np.sort(np.concatenate([test for _, test in folds]))
    assert np.array_equal(tested, np.arange(len(mask)))
    assert [str(len(confined)) in str(w.message).split("of")[0] for w in caught] == (
        [True] if confined else []
    )
    if (mask.sum(axis=0) >= 6).all():
        assert not confined


@pytest.mark.filterwarnings("error")
def test_a_row_of_two_rare_classes_is_moved():
    mask = np.array([[0, 1, 1, 0], [0, 0, 1, 0], [0, 1, 0, 1], [1, 0, 0, 1], [1, 0, 0, 0]], bool)
    for train, _ in CandidateKFold(2, random_state=None).split(mask, mask):
        assert mask[train].any(axis=0).all()


def test_three_classes_that_share_three_rows_cannot_be_spread_over_two_folds():
    mask = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], bool)
    with pytest.warns(UserWarning, match="1 of 3 classes have all their rows in one fold"):
        list(CandidateKFold(2).split(mask, mask))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        list(CandidateKFold(3).split(mask, mask))


def test_plain_labels_are_stratified():
    y = np.repeat([0, 1, 2], [50, 30, 10])
    for _, test in CandidateKFold(5).split(y, y):
        np.testing.assert_array_equal(np.bincount(y[test]), [10, 6, 2])


def test_the_warning_names_a_class_of_one_row():
    y = ["a", "a", "b", "a"]
    with pytest.warns(UserWarning, match=r"'b'.*: row 2\)"):
        list(CandidateKFold(2).split(y, y))


def test_sorted_rows_are_spread_over_folds():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 40)
    X = rng.normal(scale=0.3, size=(120, 2)) + 3 * np.eye(3)[truth][:, :2]
    mask = np.eye(3, dtype=bool)[truth] | (rng.uniform(size=(120, 3)) < 0.2)
    model = PartialLabelClassifier(weights=NeighborWeights(10))
    # Folds of consecutive rows hide a whole class, and the estimator says so.
    with pytest.warns(InputShiftWarning, match="farther from the training rows"):
        blocks = cross_val_score(model, X, mask, cv=3)
    spread = cross_val_score(model, X, mask, cv=CandidateKFold(3), scoring=covering_scorer)
    assert spread.min() > 0.95
    assert blocks.max() < 0.7


def test_in_a_search_with_label_sets():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3))
    sets = LabelSets.from_mask(rng.uniform(size=(60, 3)) < [0.5, 0.4, 2])
    search = GridSearchCV(
        PartialLabelClassifier(weights=NeighborWeights()),
        {"weights__n_neighbors": [3, 7]},
        cv=clone(CandidateKFold(3)),
        scoring=covering_scorer,
        error_score="raise",
    ).fit(X, sets)
    assert np.isfinite(search.best_score_)
    assert CandidateKFold(4).get_n_splits() == 4


def test_unlabeled_marker():
    y = np.array([0, -1, 1, -1, 0, 1, -1, -1])
    for train, _ in CandidateKFold(2, unlabeled=-1).split(y, y):
        assert {0, 1} <= set(y[train])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_splits": 7}, "n_splits=7 with 6 rows"),
        ({"n_splits": 1}, "n_splits must be an integer >= 2; got 1"),
        ({"n_splits": 2.5}, "n_splits must be an integer >= 2; got 2.5"),
        ({"n_splits": "3"}, "n_splits must be an integer >= 2; got '3'"),
        ({"n_splits": None}, "n_splits must be an integer >= 2; got None"),
        ({"random_state": "x"}, "random_state must be an integer >= 0; got 'x'"),
        ({"random_state": -1}, "random_state must be an integer >= 0; got -1"),
        ({"random_state": 0.5}, "random_state must be an integer >= 0; got 0.5"),
    ],
)
def test_invalid_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        list(CandidateKFold(**parameters).split(None, [0, 1, 0, 1, 0, 1]))


@pytest.mark.parametrize("n_splits", ["a", 2.5, 1])
def test_an_invalid_number_of_folds_is_not_counted(n_splits):
    with pytest.raises(ValueError, match="n_splits must be an integer >= 2"):
        CandidateKFold(n_splits).get_n_splits()


def test_groups_are_an_error():
    with pytest.raises(ValueError, match="cannot keep groups together"):
        list(CandidateKFold(2).split(None, [0, 1, 0, 1], groups=[0, 0, 1, 1]))


@pytest.mark.filterwarnings("ignore:CandidateKFold")
def test_values_of_tags_are_spread():
    rng = np.random.default_rng(0)
    table = np.where(rng.random((40, 3)) < 0.6, np.nan, rng.random((40, 3)) < 0.1)
    # Sorted, so that consecutive folds would have all of them.
    table = table[np.argsort(np.nan_to_num(table[:, 0], nan=-1.0))]
    bits = PartialBits.from_any(table)
    folds = list(CandidateKFold(4).split(bits, bits))
    for y in (table, np.ma.masked_invalid(table), pd.DataFrame(table).replace({1: "yes", 0: "no"})):
        for same, fold in zip(CandidateKFold(4).split(y, y), folds, strict=True):
            np.testing.assert_array_equal(same[1], fold[1])
    for train, _ in folds:
        for value in (0, 1):
            anywhere = (bits.bits == value).sum(axis=0) > 1
            assert (bits.bits[train] == value).any(axis=0)[anywhere].all()


def test_a_value_in_one_row_is_named():
    bits = PartialBits.from_any([[1, 0], [0, 0], [0, None], [0, 0]], tags=["cat", "dog"])
    with pytest.warns(UnusedClassWarning, match="1 of 4 classes.*tag 'cat' on: row 0"):
        list(CandidateKFold(2).split(bits, bits))


# ---------------------------------------------------------------- whole bags


def test_bags_stay_whole_and_folds_are_of_about_equal_size():
    rng = np.random.default_rng(0)
    bags = rng.choice(20, size=500, p=rng.dirichlet(np.ones(20)))
    sizes = []
    for train, test in BagKFold(4).split(bags, groups=bags):
        assert not set(bags[train]) & set(bags[test])
        assert np.array_equal(np.sort(np.concatenate([train, test])), np.arange(500))
        sizes.append(len(test))
    assert max(sizes) - min(sizes) <= np.bincount(bags).max()
    first = [test.tolist() for _, test in BagKFold(4).split(bags, groups=bags)]
    assert first == [test.tolist() for _, test in BagKFold(4).split(bags, groups=bags)]


@pytest.mark.parametrize(
    ("splitter", "bags", "message"),
    [
        (BagKFold(), None, "pass the bag of each row as groups="),
        (BagKFold(3), ["u", "v", "v"], "n_splits=3 with 2 bags"),
        (BagKFold(2), ["u", None, "v"], "row 1 has no bag"),
        (BagKFold(1), ["u", "v"], "n_splits"),
    ],
)
def test_bags_that_cannot_be_split(splitter, bags, message):
    with pytest.raises(ValueError, match=message):
        list(splitter.split([[0]] * 3, groups=bags))
