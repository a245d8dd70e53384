"""What users of scikit-learn try first, and the words that they read when it cannot work."""

import logging

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score

from disambig import (
    DisambiguatedClassifier,
    DisambiguatedRegressor,
    IntervalRegressor,
    LabelSets,
    PartialLabelClassifier,
    PartialOrders,
    PartialRanker,
    StructuredPredictor,
)
from disambig.candidates import ClassCounts
from disambig.datasets import UniformCorruption
from disambig.exceptions import CandidateError, MissingOracleError
from disambig.metrics import covering_scorer, kendall_tau_scorer
from disambig.model_selection import CandidateKFold
from disambig.weights import KernelRidgeWeights, NeighborWeights


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X, LabelSets.from_mask(UniformCorruption(0.3)(y, random_state=0).mask), y


@pytest.mark.parametrize(
    "estimator",
    [
        PartialLabelClassifier(),
        PartialLabelClassifier("neighbors"),
        PartialRanker(),
        IntervalRegressor(),
        StructuredPredictor(),
        DisambiguatedClassifier(),
    ],
    ids=str,
)
def test_a_parameter_of_a_named_component_says_what_to_pass(estimator):
    with pytest.raises(ValueError, match=r"weights__n_neighbors needs an object in weights.*Pass"):
        estimator.set_params(weights__n_neighbors=3)


def test_a_search_over_a_named_component_says_what_to_pass(iris):
    X, sets, _ = iris
    search = GridSearchCV(PartialLabelClassifier(), {"weights__n_neighbors": [3]}, cv=2)
    with pytest.raises(ValueError, match=r"Pass an object, such as weights=NeighborWeights\(\)"):
        search.fit(X, sets)


def test_a_search_over_a_component_works(iris):
    X, sets, truth = iris
    grid = {"weights": [NeighborWeights()], "weights__n_neighbors": [1, 9]}
    search = GridSearchCV(PartialLabelClassifier(), grid, cv=CandidateKFold(3)).fit(X, sets)
    assert search.best_estimator_.score(X, truth) > 0.9


@pytest.mark.parametrize("scoring", ["accuracy", "f1_macro", "neg_log_loss", "r2"])
def test_metrics_of_scikit_learn_on_sets_name_a_scorer(iris, scoring):
    X, sets, _ = iris
    model = PartialLabelClassifier("neighbors")
    with pytest.raises(CandidateError, match="Use scoring=covering_scorer"):
        cross_val_score(model, X, sets, scoring=scoring, error_score="raise")
    assert (cross_val_score(model, X, sets, scoring=covering_scorer) > 0.7).all()


def test_metrics_of_scikit_learn_on_orders_name_a_scorer():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    orders = PartialOrders.from_ranks(np.argsort(rng.random((30, 3)), axis=1))
    with pytest.raises(CandidateError, match="Use scoring=kendall_tau_scorer"):
        cross_val_score(PartialRanker("neighbors"), X, orders, scoring="r2", error_score="raise")
    assert np.isfinite(
        cross_val_score(PartialRanker("neighbors"), X, orders, scoring=kendall_tau_scorer)
    ).all()


def test_verbose_logs_every_iteration(iris, caplog):
    X, sets, _ = iris
    with caplog.at_level(logging.INFO, logger="disambig"):
        quiet = PartialLabelClassifier("neighbors").fit(X, sets)
        assert not caplog.records
        loud = PartialLabelClassifier("neighbors", verbose=1).fit(X, sets)
    iterations = [progress for progress in loud.trace_ if progress.iteration > 0]
    messages = [record.getMessage() for record in caplog.records]
    assert sum("iteration" in message for message in messages) == len(iterations) > 0
    assert "objective" in messages[0]
    assert messages[len(iterations) :] == [
        "PartialLabelClassifier: judgement begins, 1 step",
        "PartialLabelClassifier: judgement (NeighborWeights), step 1 of 1",
    ]
    np.testing.assert_array_equal(quiet.labels_, loud.labels_)


@pytest.mark.parametrize("value", [-1, 1.5, "yes", True])
def test_verbose_is_checked(iris, value):
    X, sets, _ = iris
    with pytest.raises(ValueError, match="verbose must be an integer >= 0"):
        PartialLabelClassifier("neighbors", verbose=value).fit(X, sets)


def test_callback_is_checked(iris):
    X, sets, _ = iris
    with pytest.raises(ValueError, match="callback must be None or a function"):
        PartialLabelClassifier("neighbors", callback=3).fit(X, sets)


@pytest.mark.parametrize("wrong", [3, "forest", LogisticRegression])
def test_what_cannot_be_trained_is_refused_before_any_work(iris, wrong):
    X, sets, truth = iris
    for model, y in ((DisambiguatedClassifier, sets), (DisambiguatedRegressor, truth)):
        with pytest.raises(TypeError, match=r"estimator must be a (classifier|regressor) of"):
            model(wrong, weights=_no_votes).fit(X, y)


def _no_votes(queries, train):
    raise AssertionError("votes were computed")


def test_the_solver_that_ran_can_be_read(iris):
    X, sets, truth = iris
    assert type(PartialLabelClassifier("neighbors").fit(X, sets).solver_).__name__ == (
        "AlternatingMinimization"
    )
    intervals = np.column_stack([truth - 1.0, truth + 1.0])
    assert (
        type(IntervalRegressor("kernel_ridge").fit(X, intervals).solver_).__name__
        == "NewtonRegression"
    )
    absolute = IntervalRegressor(NeighborWeights(3), loss="absolute").fit(X, intervals)
    assert type(absolute.solver_).__name__ == "LinearProgramRegression"
    assert IntervalRegressor("kernel_ridge", method="average").fit(X, intervals).solver_ is None


ROWS, SETS = np.array([[0.0], [1.0], [10.0], [11.0]]), [{"a"}, {"a", "b"}, {"b"}, {"a", "b"}]


def test_what_a_subclass_sets_before_the_fit_stays():
    class Encoded(PartialLabelClassifier):
        def fit(self, X, y, sample_weight=None):
            self.encoder_ = "set first"
            return super().fit(X, y, sample_weight)

        def __getstate__(self):
            return {**super().__getstate__(), "callback": None}

    calls = []
    model = Encoded(NeighborWeights(2), callback=calls.append)
    assert model.fit(ROWS, SETS).encoder_ == "set first"
    assert calls[-1] == model.trace_[-1]


def test_what_a_callback_sets_on_the_estimator_stays():
    model = PartialLabelClassifier(NeighborWeights(2))
    model.n_calls = 0

    def count(progress):
        model.n_calls += 1

    model.set_params(callback=count).fit(ROWS, SETS)
    assert model.n_calls == model.n_iter_ > 0


def test_a_fit_that_fails_changes_nothing():
    model = PartialLabelClassifier(NeighborWeights(2)).fit(ROWS, SETS)
    before = dict(vars(model))
    with pytest.raises(ValueError, match="X has 4 rows and y has 3"):
        model.fit(ROWS, SETS[:3])
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())


@pytest.mark.parametrize(
    "estimator", [PartialLabelClassifier(), DisambiguatedClassifier(max_iter=0)]
)
def test_counts_play_no_part_in_scores(iris, estimator):
    X, sets, _ = iris
    model = estimator.set_params(weights=NeighborWeights(5)).fit(X, ClassCounts.balanced(sets))
    assert model.score(X, ClassCounts.balanced(sets)) == model.score(X, sets)
    assert covering_scorer(model, X, ClassCounts.balanced(sets)) == model.score(X, sets)


@pytest.mark.parametrize("method", ["infimum", "average"])
def test_baselines_of_counts_name_a_method(iris, method):
    X, sets, _ = iris
    model = PartialLabelClassifier("neighbors", method=method, solver="frank_wolfe")
    with pytest.raises(MissingOracleError, match=r"Use .* with method='disambiguation'"):
        model.fit(X, ClassCounts.balanced(sets))


def test_orders_before_the_fit_are_an_error_of_scikit_learn():
    with pytest.raises(NotFittedError):
        PartialRanker().predict_order([[0.0]])


def test_the_object_that_an_error_names_has_the_parameter():
    with pytest.raises(ValueError, match=r"such as weights=KernelRidgeWeights\(\)"):
        IntervalRegressor().set_params(weights__regularization=1e-2)
    assert IntervalRegressor(KernelRidgeWeights()).set_params(weights__regularization=1e-2)


def test_a_solution_is_shown_in_one_line(iris):
    X, sets, _ = iris
    shown = repr(PartialLabelClassifier("neighbors").fit(X, sets).solution_)
    assert shown.startswith("Solution(150 rows, ")
    assert len(shown) < 200
