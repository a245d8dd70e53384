"""A fit scans X once, reads the free memory once, and builds the votes of a weighting once."""

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression

from disambig import (
    DisambiguatedClassifier,
    IntervalRegressor,
    PartialLabelClassifier,
    PartialRanker,
    StructuredPredictor,
    memory,
)
from disambig.exceptions import VotesError
from disambig.weights import KernelRidgeWeights, NeighborWeights, ScaledWeights, inputs
from tests.estimators.small_search import small_search

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 4))
TRUTH = (X[:, :2] > 0).sum(axis=1)
SETS = np.eye(3, dtype=bool)[TRUTH] | (RNG.uniform(size=(90, 3)) < 0.3)
ENDS = X[:, :1] + np.array([[-0.5, 0.5]])
RANKS = np.where(RNG.uniform(size=(90, 4)) < 0.3, np.nan, X.argsort(axis=1).argsort(axis=1))
NAMED = [{"abc"[k] for k in np.flatnonzero(row)} for row in SETS]
PROBLEMS = {
    PartialLabelClassifier: SETS,
    IntervalRegressor: ENDS,
    PartialRanker: RANKS,
    StructuredPredictor: NAMED,
}


def counted(monkeypatch, owner, name):
    """Replace a function by itself; the list gets an entry for each call."""
    calls, function = [], getattr(owner, name)

    def call(*args, **kwargs):
        calls.append(args)
        return function(*args, **kwargs)

    monkeypatch.setattr(owner, name, call)
    return calls


def estimator(kind, **options):
    return kind("zero_one", **options) if kind is StructuredPredictor else kind(**options)


@pytest.mark.parametrize("kind", PROBLEMS)
def test_entries_of_x_are_scanned_once(monkeypatch, kind):
    calls = counted(monkeypatch, inputs, "largest_entry")
    model = estimator(kind, weights="kernel_ridge").fit(X, PROBLEMS[kind])
    assert len(calls) == 1
    model.predict(X[:5])
    assert len(calls) == 2


def test_a_selection_scans_x_once_and_scaled_inputs_once(monkeypatch):
    calls = counted(monkeypatch, inputs, "largest_entry")
    model = PartialLabelClassifier().fit(X, SETS)
    # The selected weighting and the other judges of hidden sets, each once.
    judges = {repr(trial.weights): trial.weights for trial in model.trials_}
    scaled = sum(isinstance(weights, ScaledWeights) for weights in list(judges.values())[:10])
    assert isinstance(model.weights_, ScaledWeights)
    assert len(calls) == 1 + scaled


@small_search()
def test_folds_are_not_scanned_again(monkeypatch):
    calls = counted(monkeypatch, inputs, "largest_entry")
    model = IntervalRegressor(cv=3).fit(X, ENDS)
    assert len(calls) == 1
    model.predict_interval(X[:5])
    assert len(calls) == 2


def test_memory_is_read_once(monkeypatch):
    requests = counted(monkeypatch, memory, "_free_for")
    reads = counted(monkeypatch, memory, "free_bytes")
    PartialLabelClassifier().fit(X, SETS)
    assert len(requests) > 10
    assert len(reads) == 1


@pytest.mark.parametrize("method", ["disambiguation", "infimum", "average"])
@pytest.mark.parametrize("weighting", [NeighborWeights, KernelRidgeWeights])
@pytest.mark.parametrize("kind", PROBLEMS)
def test_votes_are_built_once(monkeypatch, kind, weighting, method):
    calls = counted(monkeypatch, weighting, "training_votes")
    estimator(kind, weights=weighting(), method=method).fit(X, PROBLEMS[kind])
    assert len(calls) == 1


def test_votes_of_functions_are_checked_in_a_fit():
    def votes(Q, rows):
        return np.where(np.arange(len(Q)) == 7, np.nan, 1.0)[:, None] * np.ones(len(rows))

    with pytest.raises(VotesError, match="row 7"):
        PartialLabelClassifier(weights=votes).fit(X, SETS)

    def late(Q, rows):
        return np.full((len(Q), len(rows)), 1.0 if len(Q) == len(X) else np.inf)

    model = PartialLabelClassifier(weights=late).fit(X, SETS)
    with pytest.raises(VotesError, match="infinity"):
        model.predict(X[:2])


@pytest.mark.parametrize(("factor", "message"), [(1e37, "largest size"), (1e-40, "underflow")])
def test_scaled_inputs_are_checked_in_a_fit(factor, message):
    weights = ScaledWeights(NeighborWeights(), np.full(4, factor))
    with pytest.raises(VotesError, match=f"multiplied by its scales, X.*{message}"):
        PartialLabelClassifier(weights=weights).fit(X, SETS)


def test_rows_that_take_part_are_checked():
    tiny = X * 1e-40
    tiny[0] = 1.0
    weights = np.ones(90)
    PartialLabelClassifier(weights="neighbors").fit(tiny, SETS, sample_weight=weights)
    weights[0] = 0.0
    with pytest.raises(ValueError, match="underflow"):
        PartialLabelClassifier(weights="neighbors").fit(tiny, SETS, sample_weight=weights)


class Recorder(LogisticRegression):
    """A classifier that records scikit-learn's configuration."""

    def fit(self, X, y, sample_weight=None):
        self.assumed_ = sklearn.get_config()["assume_finite"]
        return super().fit(X, y, sample_weight)


def test_the_classifier_of_the_user_checks_its_inputs():
    model = DisambiguatedClassifier(Recorder(), weights="kernel_ridge").fit(X, SETS)
    assert not model.estimator_.assumed_
    assert not sklearn.get_config()["assume_finite"]


def test_assumed_entries_are_not_scanned(monkeypatch):
    calls = counted(monkeypatch, inputs, "largest_entry")
    expected = PartialLabelClassifier(weights="neighbors").fit(X, SETS).labels_
    calls.clear()
    with sklearn.config_context(assume_finite=True):
        found = PartialLabelClassifier(weights="neighbors").fit(X, SETS).labels_
        KernelRidgeWeights().fit(X).votes(X)
    assert not calls
    assert_array_equal(found, expected)
