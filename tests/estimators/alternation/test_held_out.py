"""Which models predict a row: folds that keep units together, and out-of-bag members."""

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, RepeatedKFold
from sklearn.neighbors import KNeighborsRegressor

from disambig import Intervals, LabelSets
from disambig.estimators.alternation import Iterate, LabelTask, NumberTask
from disambig.estimators.alternation.held_out import (
    by_folds,
    out_of_bag,
    unit_splits,
    units_of,
)
from disambig.estimators.rows.kept import KeptRows
from disambig.losses.registry import bind_label_loss


def test_units_join_equal_rows_and_groups():
    X = np.array([[1.0, 0.0], [2.0, 0.0], [1.0, -0.0], [4.0, 0.0], [5.0, np.nan], [5.0, np.nan]])
    groups = np.array(["p", "q", "r", "r", "s", "t"])
    units = units_of(X, groups)
    assert_array_equal(units[:, None] == units, np.array(
        [[1, 0, 1, 1, 0, 0], [0, 1, 0, 0, 0, 0], [1, 0, 1, 1, 0, 0],
         [1, 0, 1, 1, 0, 0], [0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 1, 1]], dtype=bool
    ))  # fmt: skip
    order = np.random.default_rng(0).permutation(6)
    assert_array_equal(units_of(X[order], groups[order]), units[order])
    assert_array_equal(units_of(X[:4]), units_of(sp.csr_array(X[:4])))


@pytest.mark.parametrize("grouped", [False, True])
def test_folds_partition_the_rows_and_keep_units_together(grouped):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 12, size=(40, 1)).astype(float)
    groups = rng.integers(0, 15, size=40) if grouped else None
    units = units_of(X, groups)
    splits = unit_splits("test", 3, units, groups=groups)
    assert_array_equal(np.sort(np.concatenate([test for _, test in splits])), np.arange(40))
    for train, test in splits:
        assert_array_equal(np.union1d(train, test), np.arange(40))
        assert not np.isin(units[train], units[test]).any()
    assert not unit_splits("test", 5, np.zeros(4, dtype=int))
    assert len(unit_splits("test", 5, np.arange(3))) == 3


def test_splits_of_the_user():
    X = np.array([[0.0], [1.0], [2.0], [0.0]])
    units = units_of(X)
    # Row 3 equals row 0, and is not trained on where row 0 is predicted.
    splits = unit_splits("test", [([1, 2, 3], [0]), ([0, 1], [2])], units)
    assert [(a.tolist(), b.tolist()) for a, b in splits] == [([1, 2], [0]), ([0, 1], [2])]
    groups = np.array([0, 1, 1, 0])
    splits = unit_splits("test", GroupKFold(2), units, groups=groups)
    assert {tuple(test) for _, test in splits} == {(0, 3), (1, 2)}
    with pytest.raises(ValueError, match=r"Owner: cv does not keep groups together: in fold 0"):
        unit_splits("Owner", KFold(2), units, groups=groups)
    kept = KeptRows(np.array([0, 2, 3]), None, 4)
    splits = unit_splits("test", [([1, 2, 3], [0]), ([0, 1], [2])], units[kept.rows], kept=kept)
    assert [(a.tolist(), b.tolist()) for a, b in splits] == [([1], [0]), ([0], [1])]


def number_task(template, n=50, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    truth = X @ [1.0, -0.5]
    width = rng.uniform(0, 1, size=(n, 2))
    return NumberTask(template, X, Intervals.from_any(truth[:, None] + width * [-1, 1]))


def label_task(template, n=60, **options):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 3))
    truth = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)
    sets = LabelSets.from_mask(np.eye(3, dtype=bool)[truth] | (rng.uniform(size=(n, 3)) < 0.3))
    loss = bind_label_loss("zero_one", sets.classes)
    hard = Iterate(np.eye(3)[truth], np.ones(n, dtype=bool), "hard")
    return LabelTask(template, X, sets, loss, **options), hard


def test_folds_are_fitted_and_predicted_as_written_out():
    task = number_task(KNeighborsRegressor(2))
    start = task.start()
    splits = list(RepeatedKFold(n_splits=3, n_repeats=2, random_state=0).split(task.inputs))
    expected = np.zeros(50)
    for train, test in splits:
        model = KNeighborsRegressor(2).fit(task.inputs[train], start.targets[train, 0])
        expected[test] += model.predict(task.inputs[test]) / 2
    assert_allclose(by_folds(task, splits)(start)[:, 0], expected)
    with joblib.parallel_config(backend="threading"):
        assert_allclose(by_folds(task, splits, n_jobs=2)(start)[:, 0], expected)
    some = by_folds(task, splits[:1])(start)
    assert_array_equal(np.isnan(some[:, 0]), np.isin(np.arange(50), splits[0][0]))
    after = task.move(some, start)
    assert_array_equal(after.targets[np.isnan(some[:, 0])], start.targets[np.isnan(some[:, 0])])


@pytest.mark.parametrize("frame", [False, True])
@pytest.mark.parametrize(
    "ensemble",
    [
        RandomForestRegressor(30, oob_score=True, random_state=0),
        BaggingRegressor(n_estimators=30, oob_score=True, random_state=0, max_features=0.6),
    ],
)
def test_out_of_bag_numbers_are_those_of_scikit_learn(ensemble, frame):
    task = number_task(ensemble)
    start = task.start()
    expected = ensemble.fit(task.inputs, start.targets[:, 0]).oob_prediction_
    if frame:
        task = NumberTask(ensemble, pd.DataFrame(task.inputs, columns=["a", "b"]), task.sets)
    found = out_of_bag(task, np.arange(50))(start)
    assert_allclose(found[:, 0], expected)


@pytest.mark.parametrize(
    "ensemble",
    [
        RandomForestClassifier(30, oob_score=True, random_state=0),
        BaggingClassifier(LogisticRegression(), n_estimators=30, oob_score=True, random_state=0),
    ],
)
def test_out_of_bag_probabilities_are_those_of_scikit_learn(ensemble):
    task, hard = label_task(ensemble)
    names = np.array(["no", "some", "yes"])
    expected = ensemble.fit(task.inputs, names[hard.targets.argmax(axis=1)]).oob_decision_function_
    named = LabelTask(ensemble, task.inputs, task.sets, task.loss, names=names)
    assert_allclose(out_of_bag(named, np.arange(60))(hard), expected)


def test_out_of_bag_members_were_trained_without_the_unit():
    """Soft targets repeat rows; no member that was trained on any copy may predict the row."""
    forest = RandomForestClassifier(200, random_state=0)
    task, _ = label_task(forest)
    soft = task.start()
    units = np.arange(60) // 2
    rows, _ = np.nonzero(soft.targets * soft.known[:, np.newaxis])
    model = task.fit(soft)
    found = out_of_bag(task, units)(soft)
    for row in range(0, 60, 7):
        free = [
            tree
            for tree, drawn in zip(model.estimators_, model.estimators_samples_, strict=True)
            if units[row] not in units[rows[drawn]]
        ]
        if not free:
            assert np.isnan(found[row]).all()
            continue
        expected = np.mean([t.predict_proba(task.inputs[[row]])[0] for t in free], axis=0)
        assert_allclose(found[row], expected)


@pytest.mark.parametrize(
    "template", [KNeighborsRegressor(), RandomForestRegressor(bootstrap=False)]
)
def test_out_of_bag_needs_bags(template):
    task = number_task(template)
    with pytest.raises(ValueError, match=r"needs a forest or a bagging .* Give a number of folds"):
        out_of_bag(task, np.arange(50))(task.start())
