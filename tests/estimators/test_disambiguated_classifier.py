import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from disambig import DisambiguatedClassifier, LabelSets, disambiguate
from disambig.exceptions import UnusedClassWarning
from disambig.model_selection import CandidateKFold
from disambig.weights import KernelRidgeWeights, NeighborWeights


@pytest.fixture(scope="module")
def iris():
    X, truth = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    order = rng.permutation(150)
    X, truth = X[order], truth[order]
    mask = np.eye(3, dtype=bool)[truth] | (rng.uniform(size=(150, 3)) < 0.3)
    return X, mask, truth


def undecided_rows():
    """Two groups of inputs; in the second all rows tie between two labels."""
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    y = [{"a"}, {"a"}, {"a"}, {"a", "b"}, {"a", "b"}, {"a", "b"}]
    return X, y


@pytest.mark.parametrize(
    "estimator",
    [None, HistGradientBoostingClassifier(max_iter=20), LinearSVC(), RandomForestClassifier(20)],
)
def test_any_classifier_learns_from_the_recovered_labels(iris, estimator):
    X, mask, truth = iris
    weights = KernelRidgeWeights(bandwidth=1.0)
    votes = disambiguate(X, mask, weights=weights)
    model = DisambiguatedClassifier(estimator, weights=weights, max_iter=0).fit(X, mask)
    assert model.score(X, truth) > 0.9
    assert model.n_iter_ == 0
    for name in ("labels_", "confidence_", "decided_", "label_distributions_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(votes, name))
    assert hasattr(model, "predict_proba") == (not isinstance(estimator, LinearSVC))
    for start in ("votes", "average"):
        given = {"weights": weights} if start == "votes" else {}
        model = DisambiguatedClassifier(estimator, start=start, max_iter=4, cv=3, **given)
        model.fit(X, mask)
        assert model.score(X, truth) > 0.9
        assert LabelSets.from_any(mask).contains(model.labels_).all()
        assert 1 <= model.n_iter_ <= 4
        assert len(model.solution_.trace) >= model.n_iter_
        assert (model.disambiguator_ is None) == (start == "average")
        at_labels = model.label_distributions_[np.arange(150), model.labels_]
        np.testing.assert_array_equal(model.confidence_, at_labels)


def test_plain_labels_are_supervised_learning(iris):
    X, _, truth = iris
    ours = DisambiguatedClassifier(LogisticRegression(max_iter=500)).fit(X, truth)
    theirs = LogisticRegression(max_iter=500).fit(X, truth)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X))


def test_unresolved_rows():
    X, y = undecided_rows()
    for option, n_rows in [("exclude", 3), ("include", 6), ("weight", 6)]:
        model = DisambiguatedClassifier(
            RandomForestClassifier(5, random_state=0),
            weights=NeighborWeights(2),
            undecided=option,
            max_iter=0,
        )
        with pytest.warns(UserWarning, match=f"3 of 6 rows are not decided.*{option}"):
            model.fit(X, y)
        assert model.training_rows_.size == n_rows
        # A class without a training row keeps its column.
        assert model.predict_proba(X).shape == (6, 2)


@pytest.mark.parametrize(
    "estimator",
    [
        None,
        HistGradientBoostingClassifier(max_iter=3),
        LinearSVC(),
        RandomForestClassifier(3),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ],
)
@pytest.mark.parametrize("label", ["a", 7, 2.5])
def test_a_single_label_is_predicted_with_probability_one(estimator, label):
    X = np.random.default_rng(0).normal(size=(12, 2))
    model = DisambiguatedClassifier(estimator, weights=NeighborWeights(3), classes=[label])
    model.fit(X, [label] * 12)
    assert model.predict(X[:3]).tolist() == [label] * 3
    assert model.predict_proba(X[:3]).tolist() == [[1.0]] * 3
    assert model.score(X, [label] * 12) == 1.0
    np.testing.assert_array_equal(model.predict_proba(X), model.disambiguator_.predict_proba(X))


def test_the_single_label_of_several_classes_keeps_all_columns():
    X = np.arange(6.0)[:, None]
    model = DisambiguatedClassifier(weights=NeighborWeights(2), classes=["a", "b", "c"])
    with pytest.warns(UnusedClassWarning, match="2 of 3 classes are never a candidate"):
        model.fit(X, ["b"] * 6, sample_weight=np.arange(1.0, 7.0))
    assert model.predict(X).tolist() == ["b"] * 6
    assert model.predict_proba(X[:1]).tolist() == [[0.0, 1.0, 0.0]]


def test_the_error_if_no_row_is_resolved():
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    y = [{"a", "b"}, {"a", "b"}, {"a", "c"}, {"a", "c"}]
    with (
        pytest.warns(UserWarning, match="not decided"),
        pytest.raises(ValueError, match="undecided='include'"),
    ):
        DisambiguatedClassifier(weights=NeighborWeights(2)).fit(X, y)


@pytest.mark.parametrize("max_iter", [0, 1])
def test_confidence_is_the_sample_weight(iris, max_iter):
    X, mask, _ = iris

    class Recorder(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            self.recorded_ = sample_weight
            return super().fit(X, y, sample_weight)

    weights = KernelRidgeWeights(bandwidth=1.0)
    model = DisambiguatedClassifier(
        Recorder(max_iter=500), weights=weights, weight_by_confidence=True, max_iter=max_iter
    )
    model.fit(X, mask)
    weights = model.solution_.targets.sum(axis=1)
    np.testing.assert_allclose(model.estimator_.recorded_, weights[model.training_rows_])
    if max_iter == 0:
        np.testing.assert_allclose(weights, model.confidence_)
    assert (weights < 0.99).any()
    single = mask.sum(axis=1) == 1
    assert (model.confidence_[single] == 1).all()
    copies = np.random.default_rng(0).integers(0, 3, size=150)
    model.fit(X, mask, sample_weight=copies)
    rows = model.training_rows_
    assert (copies[rows] > 0).all()
    weights = model.solution_.targets.sum(axis=1)
    np.testing.assert_allclose(model.estimator_.recorded_, copies[rows] * weights)


def test_one_weight_for_all_rows(iris):
    X, mask, _ = iris
    model = DisambiguatedClassifier(weights=NeighborWeights(9), undecided="include")
    one = model.fit(X, mask, sample_weight=2.0)
    assert one.training_rows_.size == 150
    scores = one.decision_function(X)
    many = model.fit(X, mask, sample_weight=np.full(150, 2.0))
    np.testing.assert_array_equal(many.decision_function(X), scores)


def test_a_classifier_without_sample_weight_is_an_error(iris):
    X, mask, _ = iris
    weights = NeighborWeights(9)
    model = DisambiguatedClassifier(
        KNeighborsClassifier(), weights=weights, weight_by_confidence=True
    )
    with pytest.raises(ValueError, match=r"KNeighborsClassifier\.fit takes no sample_weight"):
        model.fit(X, mask)


def test_bad_options(iris):
    X, mask, _ = iris
    with pytest.raises(ValueError, match="undecided must be one of"):
        DisambiguatedClassifier(undecided="drop").fit(X, mask)
    with pytest.raises(ValueError, match="cannot hold precomputed pairs"):
        DisambiguatedClassifier(weights="precomputed").fit(np.eye(150), mask)


def test_data_frames_are_passed_on_to_a_pipeline(iris):
    X, mask, truth = iris
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    inner = make_pipeline(
        make_column_transformer((StandardScaler(), ["c", "d"])), LogisticRegression()
    )
    model = DisambiguatedClassifier(inner, weights=KernelRidgeWeights(bandwidth=1.0))
    model.fit(frame, mask)
    assert model.score(frame, truth) > 0.9
    assert list(model.feature_names_in_) == ["a", "b", "c", "d"]


def test_search_and_pickle(iris):
    X, mask, _ = iris
    search = GridSearchCV(
        DisambiguatedClassifier(
            LogisticRegression(max_iter=500), weights=KernelRidgeWeights(bandwidth=1.0)
        ),
        {"estimator__C": [0.1, 10], "weights__regularization": [1e-3, 1e-1]},
        cv=CandidateKFold(3),
        error_score="raise",
    ).fit(X, mask)
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    np.testing.assert_array_equal(again.predict(X), search.predict(X))


@pytest.mark.parametrize(
    "names",
    [
        np.array(["2020-01-01", "2021-01-01", "2022-01-01"], dtype="datetime64[D]"),
        np.array([0.5, 1.5, 2.5]),
        np.array(["a", 1, 2.5], dtype=object),
        np.array([10**30, 2, 3], dtype=object),
    ],
)
def test_labels_of_any_type(iris, names):
    X, mask, truth = iris
    model = DisambiguatedClassifier(
        weights=KernelRidgeWeights(bandwidth=1.0), classes=list(names)
    ).fit(X, mask)
    predicted = model.predict(X)
    right = [model.classes_.tolist()[k] for k in truth]
    assert np.mean([p == r for p, r in zip(predicted.tolist(), right, strict=True)]) > 0.9
    assert model.predict_proba(X).shape == (150, 3)
