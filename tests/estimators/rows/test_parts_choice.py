"""``weights="auto"`` of rows in parts is what it is in memory, or the best that can be built."""

import numpy as np
import pytest

from disambig import IntervalRegressor, PartialLabelClassifier
from disambig.weights.divided.rows import DividedRows
from disambig.weights.registry import reads_parts


def problem(n, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    X = rng.normal(size=(n, 4)) + 2 * np.eye(3, 4)[truth]
    return X, np.eye(3, dtype=bool)[truth] | (rng.uniform(size=(n, 3)) < 0.3)


def divided(X):
    n = len(X)
    return DividedRows.of(X, [0, n // 4, n // 4, n // 2, n])


def few_are(n, monkeypatch):
    monkeypatch.setattr("disambig.estimators.rows.parts_choice.MAX_EXACT_ROWS", n)


def assert_chosen_as_in_memory(X, mask):
    plain = PartialLabelClassifier().fit(X, mask)
    model = PartialLabelClassifier().fit(divided(X), mask)
    assert repr((model.weights_, model.solver_)) == repr((plain.weights_, plain.solver_))
    assert [trial.score for trial in model.trials_] == [trial.score for trial in plain.trials_]
    np.testing.assert_array_equal(model.labels_, plain.labels_)
    np.testing.assert_allclose(model.confidence_, plain.confidence_, rtol=1e-6, atol=1e-9)
    return model


def test_labels_choose_what_they_choose_in_memory(monkeypatch):
    few_are(100, monkeypatch)
    model = assert_chosen_as_in_memory(*problem(400))
    assert reads_parts(model.weights_)


@pytest.mark.slow
def test_many_labels_choose_what_they_choose_in_memory():
    model = assert_chosen_as_in_memory(*problem(5100))
    assert reads_parts(model.weights_)


@pytest.mark.slow
def test_numbers_take_the_best_that_can_be_built_instead_of_a_mixture(monkeypatch):
    few_are(100, monkeypatch)
    X, _ = problem(300)
    X[7] = np.nan
    rng = np.random.default_rng(1)
    centers = np.nan_to_num(X[:, 0])
    y = np.column_stack([centers - rng.uniform(size=300), centers + rng.uniform(size=300)])
    plain = IntervalRegressor().fit(X, y)
    model = IntervalRegressor().fit(divided(X), y)
    first = next(
        trial.weights
        for trial in plain.trials_
        if isinstance(trial.weights, IntervalRegressor) and reads_parts(trial.weights.weights)
    )
    assert repr((model.weights_, model.margin_)) == repr((first.weights, first.margin))


def test_few_rows_are_fitted_in_memory():
    X, mask = problem(120)
    plain = PartialLabelClassifier().fit(X, mask)
    model = PartialLabelClassifier().fit(divided(X), mask)
    assert repr(model.weights_) == repr(plain.weights_)
    np.testing.assert_array_equal(model.labels_, plain.labels_)
