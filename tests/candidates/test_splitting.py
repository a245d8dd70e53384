"""scikit-learn cuts the sets like any other y."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    ShuffleSplit,
    cross_val_score,
    cross_validate,
    train_test_split,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import _safe_indexing, check_consistent_length, indexable, resample, shuffle
from sklearn.utils.multiclass import type_of_target

from disambig.candidates import LabelSets

N = 24


@pytest.fixture
def sets():
    rng = np.random.default_rng(0)
    mask = rng.random((N, 3)) < 0.5
    mask[np.arange(N), np.arange(N) % 3] = True
    return LabelSets.from_weights(mask * rng.random((N, 3)), classes=["a", "b", "c"])


@pytest.fixture
def inputs():
    return np.random.default_rng(1).normal(size=(N, 2))


class MostCommon(ClassifierMixin, BaseEstimator):
    """Predicts one label everywhere: the one that is most often a candidate, or a given one."""

    def __init__(self, label=None):
        self.label = label

    def fit(self, X, y):
        assert isinstance(y, LabelSets)
        assert y.weights is not None
        assert len(X) == len(y) < N
        self.classes_ = y.classes
        self.label_ = y.classes[y.mask.sum(axis=0).argmax()] if self.label is None else self.label
        return self

    def predict(self, X):
        return np.full(len(X), self.label_)

    def score(self, X, y):
        assert isinstance(y, LabelSets)
        return y.contains(self.predict(X)).mean()


def test_they_look_like_a_mask_of_n_rows(sets, inputs):
    assert type_of_target(sets) == "multilabel-indicator"
    check_consistent_length(inputs, sets)
    assert indexable(inputs, sets)[1] is sets


@pytest.mark.parametrize(
    "rows", [[3, 1], np.array([3, 1]), (3, 1), slice(2, 5), np.arange(N) % 2 == 0]
)
def test_safe_indexing(sets, rows):
    expected = sets[list(rows) if isinstance(rows, tuple) else rows]
    assert _safe_indexing(sets, rows) == expected


def test_splits_shuffles_and_resamples(sets, inputs):
    _, _, train, test = train_test_split(inputs, sets, test_size=0.25, random_state=0)
    assert isinstance(train, LabelSets)
    assert (len(train), len(test)) == (18, 6)
    order = np.arange(N)
    mixed, moved = shuffle(sets, order, random_state=0)
    assert mixed == sets[moved]
    drawn, rows = resample(sets, order, random_state=0)
    assert drawn == sets[rows]


@pytest.mark.parametrize("cv", [3, KFold(4), ShuffleSplit(2, random_state=0)])
def test_cross_val_score(sets, inputs, cv):
    scores = cross_val_score(MostCommon("b"), inputs, sets, cv=cv)
    splitter = KFold(cv) if isinstance(cv, int) else cv
    by_hand = [sets[test].mask[:, 1].mean() for _, test in splitter.split(inputs, sets)]
    np.testing.assert_allclose(scores, by_hand)


def test_in_a_pipeline(sets, inputs):
    pipeline = make_pipeline(StandardScaler(), MostCommon("b"))
    by_hand = [sets[test].mask[:, 1].mean() for _, test in KFold(3).split(inputs)]
    np.testing.assert_allclose(cross_val_score(pipeline, inputs, sets, cv=3), by_hand)


@pytest.mark.slow
def test_over_processes(sets, inputs):
    pipeline = make_pipeline(StandardScaler(), MostCommon())
    alone = cross_validate(pipeline, inputs, sets, cv=3)["test_score"]
    joint = cross_validate(pipeline, inputs, sets, cv=3, n_jobs=2)["test_score"]
    assert np.isfinite(alone).all()
    np.testing.assert_array_equal(alone, joint)


def test_grid_search(sets, inputs):
    class Refit(MostCommon):
        def fit(self, X, y):
            self.label_ = self.label
            self.classes_ = y.classes
            return self

    search = GridSearchCV(Refit(), {"label": ["a", "b", "c"]}, cv=3, error_score="raise")
    search.fit(inputs, sets)
    shares = [
        np.mean([sets[test].mask[:, k].mean() for _, test in KFold(3).split(inputs)])
        for k in range(3)
    ]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], shares)
    assert search.best_params_["label"] == "abc"[int(np.argmax(shares))]


def test_scikit_learns_own_splitters_do_not_need_us(sets, inputs):
    folds = list(KFold(3).split(inputs, sets))
    seen = np.concatenate([test for _, test in folds])
    assert sorted(seen.tolist()) == list(range(N))
