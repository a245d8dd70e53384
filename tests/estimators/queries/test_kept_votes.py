"""Votes that are kept for one batch: the same predictions, from one search of neighbours."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from disambig import PartialLabelClassifier
from disambig.estimators.queries.kept_votes import kept_votes
from disambig.weights import NeighborWeights


@pytest.fixture
def fitted(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = [{"a"} if row[0] < 0 else {"a", "b"} if row[1] < 0 else {"b"} for row in X]
    model = PartialLabelClassifier(NeighborWeights(5)).fit(X, y)
    searched = []
    original = NeighborWeights.votes

    def counting(self, X):
        searched.append(len(X))
        return original(self, X)

    monkeypatch.setattr(NeighborWeights, "votes", counting)
    return model, rng.normal(size=(30, 3)), searched


def test_equal_inputs_are_searched_once_and_others_again(fitted):
    model, X, searched = fitted
    alone = model.predict(X), model.predict_proba(X), model.predict_set(X).mask
    assert searched == [30, 30, 30]
    searched.clear()
    with kept_votes():
        together = model.predict(X), model.predict_proba(X.copy()), model.predict_set(X).mask
        assert searched == [30]
        for one, other in zip(together, alone, strict=True):
            assert_array_equal(one, other)
        model.predict(X + 1e-9)
        assert_array_equal(model.predict_proba(X[:20]), alone[1][:20])
        assert searched == [30, 30, 20]
    model.predict(X[:20])
    assert searched == [30, 30, 20, 20]


def test_votes_of_another_model_are_not_taken(fitted):
    model, X, _ = fitted
    other = PartialLabelClassifier(NeighborWeights(5)).fit(-X, np.where(X[:, 0] < 0, "a", "b"))
    alone = other.predict_proba(X)
    with kept_votes():
        model.predict_proba(X)
        assert_array_equal(other.predict_proba(X), alone)


def test_a_row_without_input_keeps_its_votes(fitted):
    model, X, searched = fitted
    X[3] = np.nan
    with kept_votes():
        model.predict(X)
        model.predict_proba(X)
    assert len(searched) == 1
