"""`DisambiguatedClassifier`: rounds, folds, missing values, callbacks and refused options."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disambig import DisambiguatedClassifier, LabelSets, disambiguate
from disambig.candidates import ClassCounts
from disambig.exceptions import MissingOracleError
from disambig.solvers import Status
from disambig.weights import KernelRidgeWeights, NeighborWeights


@pytest.fixture(scope="module")
def iris():
    X, truth = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    order = rng.permutation(150)
    X, truth = X[order], truth[order]
    mask = np.eye(3, dtype=bool)[truth] | (rng.uniform(size=(150, 3)) < 0.3)
    return X, mask, truth


def test_one_round_written_out(iris):
    """Labels of the votes, and the labels that models of the other folds choose."""
    rows = np.unique(iris[0], axis=0, return_index=True)[1]
    X, mask = iris[0][rows], iris[1][rows]
    inner = LogisticRegression(max_iter=500)
    folds = list(KFold(3, shuffle=True, random_state=4).split(X))
    weights = NeighborWeights(15)
    labels = disambiguate(X, mask, weights=weights).labels_
    model = DisambiguatedClassifier(inner, weights=weights, undecided="include", cv=folds)
    model.set_params(max_iter=1).fit(X, mask)
    rounds = []
    for _ in range(2):
        probabilities = np.zeros(mask.shape)
        for train, test in folds:
            fitted = clone(inner).fit(X[train], labels[train])
            probabilities[test] = fitted.predict_proba(X[test])
        inside = np.where(mask, probabilities, 0)
        outside = 1 - mask[np.arange(len(X)), probabilities.argmax(axis=1)].mean()
        surprise = -np.log(inside.sum(axis=1)).mean()
        rounds.append((outside, surprise, labels, probabilities, inside))
        labels = inside.argmax(axis=1)
    trace = model.solution_.trace[-2:]
    np.testing.assert_allclose([entry.objective for entry in trace], [r[0] for r in rounds])
    assert not np.array_equal(rounds[0][2], rounds[1][2])
    outside, _, labels, probabilities, inside = min(rounds, key=lambda r: r[:2])
    np.testing.assert_allclose(model.objective_, outside)
    np.testing.assert_allclose(model.solution_.predictions, probabilities)
    np.testing.assert_array_equal(model.labels_, labels)
    confidence = inside[np.arange(len(X)), labels] / inside.sum(axis=1)
    np.testing.assert_allclose(model.confidence_, confidence)
    expected = clone(inner).fit(X, model.labels_).predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(X), expected)


def test_missing_values_reach_a_classifier_that_accepts_them(iris):
    X, mask, truth = iris
    X = X.copy()
    X[np.random.default_rng(1).uniform(size=X.shape) < 0.2] = np.nan
    boosting = HistGradientBoostingClassifier(max_iter=20, min_samples_leaf=5, random_state=0)
    imputed = make_pipeline(SimpleImputer(), LogisticRegression(max_iter=500))
    for inner in (boosting, imputed):
        model = DisambiguatedClassifier(inner, start="average", cv=3, max_iter=4).fit(X, mask)
        assert model.score(X, truth) > 0.85
        assert model.__sklearn_tags__().input_tags.allow_nan
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    frame.iloc[0, 0] = np.nan
    model = DisambiguatedClassifier(boosting, weights="kernel_ridge", cv=3).fit(frame, mask)
    assert model.score(frame, truth) > 0.85
    with pytest.raises(ValueError, match="first in row 0, column 'a': nan"):
        DisambiguatedClassifier(start="average").fit(frame, mask)
    frame.iloc[3, 2] = np.inf
    with pytest.raises(ValueError, match="first in row 3, column 'c': inf"):
        DisambiguatedClassifier(boosting, start="average").fit(frame, mask)


def test_unlabeled_rows_join_after_the_first_round(iris):
    X, mask, truth = iris
    mask = mask.copy()
    mask[:90] = True
    mask[90:] = np.eye(3, dtype=bool)[truth[90:]]
    recorded = []

    class Recorder(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            recorded.append(len(np.unique(X, axis=0)))
            return super().fit(X, y, sample_weight)

    model = DisambiguatedClassifier(Recorder(max_iter=500), start="average", cv=2, max_iter=2)
    model.fit(X, mask)
    assert max(recorded[:2]) < 60 < min(recorded[2:])
    assert (model.labels_ == truth).mean() > 0.85
    assert model.decided_.all()


def test_rows_of_weight_zero_take_no_part(iris):
    X, mask, _ = iris
    weights = np.arange(150) % 3
    model = DisambiguatedClassifier(start="average", max_iter=3, cv=3)
    model.fit(X, mask, sample_weight=weights)
    taken = weights > 0
    alone = clone(model).fit(X[taken], mask[taken], sample_weight=weights[taken])
    np.testing.assert_array_equal(model.labels_[taken], alone.labels_)
    np.testing.assert_allclose(model.predict_proba(X), alone.predict_proba(X))
    np.testing.assert_array_equal(model.training_rows_, np.flatnonzero(taken))
    assert LabelSets.from_any(mask).contains(model.labels_).all()
    repeated = np.repeat(np.arange(150), weights)
    copies = clone(model).fit(X[repeated], mask[repeated])
    np.testing.assert_allclose(copies.predict_proba(X), model.predict_proba(X), atol=1e-3)


def test_groups_stay_in_one_fold(iris):
    X, mask, _ = iris
    groups = np.arange(150) // 5
    seen = []

    class Recorder(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            seen.append({tuple(row) for row in X.tolist()})
            return super().fit(X, y, sample_weight)

        def predict_proba(self, X):
            seen.append({tuple(row) for row in X.tolist()})
            return super().predict_proba(X)

    model = DisambiguatedClassifier(Recorder(max_iter=500), start="average", cv=3, max_iter=1)
    model.fit(X, mask, groups=groups)
    rows = [tuple(row) for row in X.tolist()]
    for train, test in zip(seen[:6:2], seen[1:6:2], strict=True):
        parts = [{groups[i] for i, row in enumerate(rows) if row in part} for part in (train, test)]
        assert not parts[0] & parts[1]
    with pytest.raises(ValueError, match="groups must have one entry for each of the 150 rows"):
        model.fit(X, mask, groups=groups[:3])
    for options in ({"cv": None}, {"max_iter": 0}):
        with pytest.raises(ValueError, match="groups keep rows together in the folds of cv"):
            clone(model).set_params(**options).fit(X, mask, groups=groups)
    with pytest.raises(ValueError, match="cv does not keep groups together: in fold 0"):
        clone(model).set_params(cv=KFold(7)).fit(X, mask, groups=groups)


def test_callbacks_see_votes_and_rounds_and_stop_either(iris):
    X, mask, _ = iris
    seen = []
    model = DisambiguatedClassifier(weights=NeighborWeights(9), callback=seen.append, max_iter=3)
    model.set_params(undecided="include").fit(X, mask)
    rounds = [progress for progress in seen if progress.stage in ("soft", "hard")]
    assert [progress.iteration for progress in rounds] == list(range(len(rounds)))
    assert model.trace_[-len(rounds) :] == tuple(rounds)
    assert len(seen) > len(rounds)
    stopped = clone(model).set_params(callback=lambda progress: True).fit(X, mask)
    assert stopped.solution_.status is Status.STOPPED
    assert not stopped.converged_
    np.testing.assert_array_equal(stopped.labels_, stopped.disambiguator_.labels_)
    late = clone(model).set_params(callback=lambda progress: progress.stage in ("soft", "hard"))
    late.fit(X, mask)
    assert late.n_iter_ == 0
    assert late.solution_.status is Status.STOPPED


def test_rounds_are_logged(iris, caplog):
    X, mask, _ = iris
    with caplog.at_level("INFO", logger="disambig"):
        DisambiguatedClassifier(start="average", max_iter=1, verbose=1).fit(X, mask)
    assert "DisambiguatedClassifier: hard, iteration 1, objective" in caplog.text


def test_a_classifier_without_sample_weights_learns_from_averaged_candidates(iris):
    X, mask, truth = iris
    model = DisambiguatedClassifier(KNeighborsClassifier(7), start="average").fit(X, mask)
    assert model.score(X, truth) > 0.9


def test_parameters_of_the_votes_have_no_effect_on_averages(iris):
    X, mask, _ = iris
    for options in (
        {"weights": NeighborWeights(3)},
        {"solver": "annealed"},
        {"method": "infimum"},
        {"undecided": "include"},
    ):
        (name,) = options
        with pytest.raises(ValueError, match=f"{name} is a parameter of start='votes'"):
            DisambiguatedClassifier(start="average", **options).fit(X, mask)
    for options, message in (
        ({"start": "best"}, "start must be one of 'average', 'votes'"),
        ({"max_iter": -1}, "max_iter must be an integer >= 0; got -1"),
        ({"cv": 1}, "cv must be an integer >= 2; got 1"),
        ({"cv": "bag"}, "cv must be one of 'out-of-bag' or a number of folds; got 'bag'"),
    ):
        with pytest.raises(ValueError, match=message):
            DisambiguatedClassifier(**options).fit(X, mask)


def _no_votes(queries, train):
    raise AssertionError("votes were computed")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cv": "out-of-bag"}, "needs a forest or a bagging estimator"),
        ({"cv": [([0, 1], [900])]}, "integers from 0 to 149"),
        ({"weight_by_confidence": True, "estimator": KNeighborsClassifier()}, "no sample_weight"),
    ],
)
def test_folds_are_refused_before_any_work(iris, options, message):
    X, mask, _ = iris
    with pytest.raises(ValueError, match=message):
        DisambiguatedClassifier(weights=_no_votes, **options).fit(X, mask)


def test_out_of_bag_trees_recover_labels(iris):
    X, mask, truth = iris
    forest = RandomForestClassifier(60, random_state=0)
    for options in ({"start": "average"}, {"weights": NeighborWeights(15)}):
        model = DisambiguatedClassifier(forest, cv="out-of-bag", **options).fit(X, mask)
        assert (model.labels_ == truth).mean() > 0.93
        assert model.objective_ < 0.05
    # One label is left, which needs no trees.
    model = DisambiguatedClassifier(forest, cv="out-of-bag", start="average")
    model.fit(X[:4], [{"a", "b"}, {"a"}, {"a"}, {"a", "b"}])
    assert model.labels_.tolist() == ["a"] * 4


def test_class_counts_need_votes_alone(iris):
    X, mask, truth = iris
    counts = ClassCounts.balanced(LabelSets.from_any(mask))
    with pytest.raises(MissingOracleError, match="cannot keep class counts"):
        DisambiguatedClassifier().fit(X, counts)
    model = DisambiguatedClassifier(weights=KernelRidgeWeights(bandwidth=1.0), max_iter=0)
    model.fit(X, counts)
    assert np.bincount(model.labels_).tolist() == [50, 50, 50]
    assert model.score(X, truth) > 0.9


@pytest.mark.parametrize("start", ["votes", "average"])
def test_a_single_unit_is_fitted_as_it_starts(start):
    X = np.ones((4, 2))
    y = [{"a", "b"}, {"a"}, {"a", "c"}, {"a"}]
    model = DisambiguatedClassifier(start=start)
    model = model.set_params(weights=NeighborWeights(3)) if start == "votes" else model
    model.fit(X, y)
    assert model.predict(X).tolist() == ["a"] * 4
    assert model.converged_


def test_averaged_candidates_are_weighted_rows_also_in_a_pipeline(iris):
    X, mask, _ = iris

    class Recorder(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            self.recorded_ = len(X), y, sample_weight
            return super().fit(X, y, sample_weight)

    inner = make_pipeline(StandardScaler(), Recorder(max_iter=500))
    model = DisambiguatedClassifier(inner, start="average", max_iter=0).fit(X, mask)
    informative = ~mask.all(axis=1)
    rows, codes = np.nonzero(mask & informative[:, None])
    n_rows, labels, weights = model.estimator_[-1].recorded_
    assert n_rows == len(rows)
    np.testing.assert_array_equal(labels, codes)
    np.testing.assert_allclose(weights, 1 / mask.sum(axis=1)[rows])
    np.testing.assert_array_equal(model.training_rows_, np.flatnonzero(informative))
    np.testing.assert_array_equal(model.decided_, mask.sum(axis=1) == 1)
