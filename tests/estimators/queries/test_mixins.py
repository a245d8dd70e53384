"""When estimators speak of new inputs, and that they are silent otherwise."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_score

from disambig import (
    DisambiguatedClassifier,
    DisambiguatedRegressor,
    IntervalRegressor,
    Mixture,
    PartialLabelClassifier,
    PartialMultilabelClassifier,
    PartialRanker,
)
from disambig.exceptions import InputShiftWarning, NoVotesWarning
from disambig.trust import cross_examine
from disambig.weights import NadarayaWatsonWeights, NeighborWeights

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
SIGN = X[:, 0] > 0
LABELS = [{"a", "b"} if row % 3 == 0 else {"b"} if SIGN[row] else {"a"} for row in range(120)]
INTERVALS = np.column_stack([X[:, 0] - 0.5, X[:, 0] + 0.5])
ORDERS = ["b>a" if one else "a>b" for one in SIGN]
BITS = np.column_stack([SIGN, X[:, 1] > 0]).astype(int)
FAR = X[:40] + np.array([0.0, 9.0, 0.0])
NEAR = NeighborWeights(5)
CASES = {
    "labels": (
        PartialLabelClassifier(NEAR), LABELS,
        ("predict", "predict_proba", "predict_set", "decision_function"),
    ),
    "orders": (
        PartialRanker(NEAR), ORDERS, ("predict", "predict_order", "pairwise_proba", "pair_shares")
    ),
    "numbers": (IntervalRegressor(NEAR, cv=3), INTERVALS, ("predict", "predict_interval")),
    "bits": (
        PartialMultilabelClassifier(weights=NEAR), BITS,
        ("predict", "predict_proba", "tag_shares"),
    ),
    "mixture": (
        IntervalRegressor(Mixture([IntervalRegressor(NEAR), IntervalRegressor("kernel_ridge")])),
        INTERVALS, ("predict",),
    ),
    "any classifier": (
        DisambiguatedClassifier(LogisticRegression(), start="average", max_iter=1), LABELS,
        ("predict", "predict_proba", "decision_function"),
    ),
    "any regressor": (
        DisambiguatedRegressor(LinearRegression(), start="average", max_iter=1), INTERVALS,
        ("predict",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_every_way_to_predict_says_it_once(case):
    estimator, y, methods = CASES[case]
    model = clone(estimator).fit(X, y)
    for method in methods:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            getattr(model, method)(FAR)
        assert [one.category for one in found] == [InputShiftWarning], method
        assert found[0].filename == __file__
        text = str(found[0].message)
        assert "100% of the new rows lie farther from the training rows than 99% of" in text
        assert "column 1 is outside of its training range" in text
        # Silent: the training rows, one row, few odd rows among others.
        getattr(model, method)(X)
        getattr(model, method)(FAR[:1])
        getattr(model, method)(np.vstack([X[:9], FAR[:1]]))
    score = model.score(X, y)
    assert np.isfinite(score)
    shift = model.input_shift(FAR)
    assert shift.is_shifted
    assert shift.share == 1.0
    assert [column.position for column in shift.columns] == [1]
    assert str(shift) == shift.text
    assert not model.input_shift(X).is_shifted
    again = pickle.loads(pickle.dumps(model))
    with pytest.warns(InputShiftWarning):
        again.predict(FAR)
    # A model that was saved before inputs were remembered predicts as it did.
    del again._training_inputs_
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_members_and_folds_are_silent():
    estimator, y, _ = CASES["mixture"]
    model = clone(estimator).fit(X, y)
    assert all(member._training_inputs_ is None for member in model.members_)
    with pytest.warns(InputShiftWarning) as found:
        model.predict(FAR)
    assert len(found) == 1
    # Folds of drifting groups: the user chose them, and the judgement says nothing.
    groups = np.argsort(np.argsort(X[:, 0])) // 40
    cross_examine(
        PartialLabelClassifier(NEAR, predict_weights=NEAR), X, LABELS, groups=groups, cv=3
    )
    cross_examine(PartialRanker(NEAR), X, ORDERS, groups=groups, cv=3)
    with pytest.warns(InputShiftWarning):
        cross_val_score(PartialLabelClassifier(NEAR), X, LABELS, groups=groups, cv=GroupKFold(3))


def test_rows_without_votes_are_counted_even_one():
    model = PartialLabelClassifier(NadarayaWatsonWeights(bandwidth=0.1)).fit(X[:, :1], LABELS)
    queries = np.vstack([X[:9, :1], [[50.0]]])
    for method in ("predict", "predict_proba", "decision_function"):
        with pytest.warns(NoVotesWarning, match="1 of 10 inputs get no vote .* reach farther"):
            getattr(model, method)(queries)
    shift = model.input_shift(queries)
    assert shift.n_without_votes == np.count_nonzero(~model.is_reached(queries)) == 1
    assert shift.text.endswith("1 of 10 rows get no vote.")
    with pytest.warns(NoVotesWarning, match="1 of 1 inputs"):
        model.predict(queries[-1:])
    numbers = IntervalRegressor(NadarayaWatsonWeights(bandwidth=0.1), formulation="votes", cv=3)
    numbers.fit(X[:, :1], INTERVALS)
    for method in ("predict", "predict_interval"):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            getattr(numbers, method)(queries)
        assert [one.category for one in found] == [NoVotesWarning], method
        assert "predicted by the best constant" in str(found[0].message)


def test_pairs_are_compared_with_nothing():
    votes = np.exp(-np.abs(X[:, :1] - X[:, 0]))
    model = PartialLabelClassifier("precomputed").fit(votes, LABELS)
    model.predict(votes * 100)
    with pytest.warns(NoVotesWarning, match="5 of 5 inputs"):
        model.predict(np.zeros((5, 120)))
    assert "pairs of rows" in model.input_shift(votes).text


def test_names_of_columns_and_sparse_inputs():
    names = ["depth", "width", "age"]
    frame = pd.DataFrame(X, columns=names)
    model = PartialLabelClassifier(NEAR).fit(frame, LABELS)
    with pytest.warns(InputShiftWarning, match=r"column 1 \('width'\) is outside .* in 100%"):
        model.predict(pd.DataFrame(FAR, columns=names))
    sparse = PartialLabelClassifier(NEAR).fit(sp.csr_array(X), LABELS)
    with pytest.warns(InputShiftWarning, match=r"column 1 is outside"):
        sparse.predict(sp.csr_array(FAR))
    sparse.predict(sp.csr_array(X))
    assert sparse.input_shift(FAR).share == 1.0


def test_rows_of_weight_zero_and_small_training_sets_say_nothing():
    weights = np.ones(120)
    weights[:95] = 0
    model = PartialLabelClassifier(NEAR).fit(X, LABELS, sample_weight=weights)
    model.predict(FAR)
    assert "fewer than 30" in model.input_shift(FAR).reason


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
def test_held_out_rows_of_real_data_are_like_the_others(load):
    inputs, truth = load(return_X_y=True)
    for seed in range(2):
        order = np.random.default_rng(seed).permutation(len(truth))
        train, test = order[: len(order) // 2], order[len(order) // 2 :]
        model = PartialLabelClassifier(NEAR).fit(inputs[train], truth[train])
        assert not model.input_shift(inputs[test]).is_shifted
        for size in (2, 3, 10, 50):
            for start in range(0, len(test) - size, max(size, 20)):
                batch = inputs[test[start : start + size]]
                assert not model.input_shift(batch).is_shifted
        model.predict(inputs[test])
        model.predict(inputs[train])
