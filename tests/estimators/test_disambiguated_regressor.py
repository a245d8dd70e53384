"""`DisambiguatedRegressor`: any regressor, trained on recovered numbers."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from disambig import DisambiguatedRegressor, IntervalRegressor, Intervals
from disambig.candidates import number_sets
from disambig.metrics import interval_coverage_scorer
from disambig.weights import KernelRidgeWeights, NadarayaWatsonWeights

inf = np.inf
RIDGE = KernelRidgeWeights(bandwidth=1.0, regularization=1e-2, intercept=True)


def plane(n=50, seed=0):
    """A linear truth; points, intervals and half-lines."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    truth = X @ [1.0, -0.5] + 3.0
    y = truth[:, None] + rng.uniform(0, 1.0, size=(n, 2)) * [-1, 1]
    y[::5] = truth[::5, None]
    y[1::9, 0] = -inf
    y[2::9, 1] = inf
    return X, y, truth


def test_the_regressor_learns_from_the_recovered_numbers():
    X, y, truth = plane()
    model = DisambiguatedRegressor(LinearRegression(), weights=RIDGE).fit(X, y)
    alone = IntervalRegressor(RIDGE).fit(X, y)
    np.testing.assert_array_equal(model.labels_, alone.labels_)
    plain = LinearRegression().fit(X, alone.labels_)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    np.testing.assert_array_equal(model.training_rows_, np.arange(50))
    assert model.disambiguator_.certified_
    assert model.resolved_.all()
    assert model.score(X, truth) > 0.85
    assert model.score(X, y) > 0.85


@pytest.mark.parametrize("refits", [0, 2])
def test_points_are_supervised_learning(refits):
    X, _, truth = plane()
    for inner in (Ridge(), DecisionTreeRegressor(random_state=0)):
        model = DisambiguatedRegressor(inner, refits=refits).fit(X, truth)
        np.testing.assert_array_equal(model.labels_, truth)
        np.testing.assert_array_equal(model.predict(X), clone(inner).fit(X, truth).predict(X))


def test_refits_move_targets_towards_the_truth():
    X, y, truth = plane(80)
    # The votes do not depend on X: everything is learned by the regressor.
    constant = KernelRidgeWeights(bandwidth=1e3, intercept=True)
    errors = []
    for refits in (0, 1, 5, 20):
        model = DisambiguatedRegressor(LinearRegression(), weights=constant, refits=refits)
        model.fit(X, y)
        assert Intervals.from_any(y).contains(model.labels_).all()
        errors.append(np.mean((model.labels_ - truth) ** 2))
    assert errors[-1] < 0.3 * errors[0]
    assert (np.diff(errors) < 0).all()


def test_targets_are_revised_by_models_without_their_row():
    """One nearest neighbour reproduces the targets that it was trained on, and no others."""
    X, y, _ = plane()
    model = DisambiguatedRegressor(KNeighborsRegressor(1), weights=RIDGE).fit(X, y)
    np.testing.assert_allclose(model.predict(X), model.labels_)
    moved = clone(model).set_params(refits=1).fit(X, y)
    bounded = ~Intervals.from_any(y).is_point
    assert (moved.labels_ != model.labels_)[bounded].mean() > 0.5


def test_out_of_bag_trees_revise_targets():
    X, y, truth = plane(80)
    forest = RandomForestRegressor(60, oob_score=True, random_state=0)
    constant = KernelRidgeWeights(bandwidth=1e3, intercept=True)
    start = DisambiguatedRegressor(forest, weights=constant, cv="out-of-bag").fit(X, y)
    moved = clone(start).set_params(refits=1).fit(X, y)
    sets = Intervals.from_any(y)
    expected = sets.nearest(start.estimator_.oob_prediction_[:, None])[:, 0]
    np.testing.assert_array_equal(moved.labels_, expected)
    # Trees that were trained on the row would keep its target near its old value.
    inside = sets.nearest(start.predict(X)[:, None])[:, 0]
    assert np.abs(inside - start.labels_).mean() < 0.7 * np.abs(expected - start.labels_).mean()
    often = clone(start).set_params(refits=6).fit(X, y)
    assert np.mean((often.labels_ - truth) ** 2) < 0.8 * np.mean((start.labels_ - truth) ** 2)
    weighted = clone(moved).fit(X, y, sample_weight=np.arange(80) % 3)
    np.testing.assert_array_equal(weighted.training_rows_, np.flatnonzero(np.arange(80) % 3))
    boxes = np.stack([y, y[::-1]], axis=1)
    both = clone(moved).fit(X, boxes)
    assert Intervals.from_any(boxes).contains(both.labels_).all()


def test_a_row_in_the_sample_of_every_tree_keeps_its_target():
    X, y, _ = plane(30)
    forest = RandomForestRegressor(1, oob_score=True, random_state=0)
    model = DisambiguatedRegressor(forest, weights=RIDGE, cv="out-of-bag")
    with pytest.warns(UserWarning, match="do not have OOB scores"):
        start = clone(model).fit(X, y)
    with pytest.warns(UserWarning, match="do not have OOB scores"):
        moved = clone(model).set_params(refits=1).fit(X, y)
    drawn = start.estimator_.oob_prediction_ == 0
    assert 10 < drawn.sum() < 28
    np.testing.assert_array_equal(moved.labels_[drawn], start.labels_[drawn])


def test_out_of_bag_needs_a_forest():
    X, y, _ = plane()
    for inner in (Ridge(), RandomForestRegressor(5, random_state=0)):
        model = DisambiguatedRegressor(inner, weights=RIDGE, refits=1, cv="out-of-bag")
        with pytest.raises(ValueError, match=r"oob_score=True; .*Give a number of folds"):
            model.fit(X, y)
    with pytest.raises(
        ValueError, match="cv must be one of 'out-of-bag' or a number of folds; got 'bag'"
    ):
        DisambiguatedRegressor(cv="bag").fit(X, y)


def test_rows_whose_target_has_no_votes():
    X = np.concatenate([np.linspace(0, 1, 8), [1e3, 2e3]])[:, None]
    y = np.stack([np.linspace(0, 1, 10), np.linspace(0.2, 1.2, 10)], axis=1)
    near = NadarayaWatsonWeights(bandwidth=0.3)
    model = DisambiguatedRegressor(DecisionTreeRegressor(random_state=0), weights=near)
    with pytest.warns(UserWarning, match=r"2 of 10 rows have no single optimal.*left out"):
        model.fit(X, y)
    np.testing.assert_array_equal(model.training_rows_, np.arange(8))
    np.testing.assert_array_equal(model.resolved_, np.arange(10) < 8)
    with pytest.warns(UserWarning, match="trained on as the solver chose"):
        model.set_params(unresolved="include").fit(X, y)
    np.testing.assert_array_equal(model.training_rows_, np.arange(10))
    # Refits give them targets from the other rows.
    recorded = []

    class Recorder(RegressorMixin, BaseEstimator):
        def fit(self, X, y):
            recorded.append(X[:, 0])
            self.value_ = y.mean()
            return self

        def predict(self, X):
            return np.full(len(X), self.value_)

    with pytest.warns(UserWarning, match="left out"):
        model = DisambiguatedRegressor(Recorder(), weights=near, refits=2, cv=2).fit(X, y)
    # First fit, two folds and a fit, two folds and a fit.
    assert len(recorded) == 7
    assert all((inputs < 10).all() for inputs in recorded[:3])
    assert (recorded[3] > 10).any()
    np.testing.assert_array_equal(model.training_rows_, np.arange(10))
    with pytest.warns(UserWarning, match="2 of 2 rows"), pytest.raises(ValueError, match="No row"):
        DisambiguatedRegressor(weights=near).fit(X[8:], y[8:])


def test_sample_weights():
    X, y, _ = plane()
    copies = np.random.default_rng(0).integers(0, 3, size=50)
    for refits in (0, 1):
        weighted = DisambiguatedRegressor(Ridge(), weights=RIDGE, refits=refits)
        weighted.fit(X, y, sample_weight=copies)
        np.testing.assert_array_equal(weighted.training_rows_, np.flatnonzero(copies))
        assert Intervals.from_any(y).contains(weighted.labels_).all()
    repeated = DisambiguatedRegressor(Ridge(), weights=RIDGE)
    repeated.fit(np.repeat(X, copies, axis=0), np.repeat(y, copies, axis=0))
    weighted.set_params(refits=0).fit(X, y, sample_weight=copies)
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-6)
    with pytest.raises(ValueError, match=r"KNeighborsRegressor\.fit takes no sample_weight"):
        DisambiguatedRegressor(KNeighborsRegressor()).fit(X, y, sample_weight=copies)


@pytest.mark.parametrize("inner", [Ridge(), RandomForestRegressor(5, random_state=0)])
def test_boxes(inner):
    X, y, _ = plane()
    boxes = np.stack([y, y[::-1]], axis=1)
    for refits in (0, 1):
        model = DisambiguatedRegressor(inner, weights=RIDGE, refits=refits).fit(X, boxes)
        assert model.labels_.shape == (50, 2)
        assert model.predict(X).shape == (50, 2)
        assert Intervals.from_any(boxes).contains(model.labels_).all()
        one = DisambiguatedRegressor(inner, weights=RIDGE, refits=refits).fit(X, boxes[:, :1])
        assert one.predict(X).shape == (50, 1)
        flat = DisambiguatedRegressor(inner, weights=RIDGE, refits=refits).fit(X, y)
        np.testing.assert_array_equal(one.predict(X)[:, 0], flat.predict(X))


def test_frames_pipelines_searches_and_missing_ends():
    X, y, _ = plane(60)
    frame = pd.DataFrame(X, columns=["a", "b"])
    inner = make_pipeline(
        make_column_transformer((StandardScaler(), ["a"]), ("passthrough", ["b"])), Ridge()
    )
    model = DisambiguatedRegressor(inner, weights=RIDGE).fit(frame, y)
    assert model.score(frame, y) > 0.9
    missing = np.where(np.isinf(y), np.nan, y)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), DisambiguatedRegressor(missing="whole")),
        {"disambiguatedregressor__refits": [0, 2]},
        scoring=interval_coverage_scorer,
        cv=3,
        error_score="raise",
    ).fit(X, missing)
    assert 0 <= search.best_score_ <= 1
    scores = cross_val_score(DisambiguatedRegressor(), X, Intervals.from_any(y), cv=3)
    assert np.isfinite(scores).all()
    sparse = DisambiguatedRegressor(weights=RIDGE).fit(sp.csr_array(X), y)
    dense = DisambiguatedRegressor(weights=RIDGE).fit(X, y)
    np.testing.assert_allclose(sparse.predict(sp.csr_array(X)), dense.predict(X), atol=1e-6)


def test_unions():
    X, y, truth = plane()
    unions = [
        [(low, high)] if j % 2 else [(low, high), (low + 50, high + 50)]
        for j, (low, high) in enumerate(np.clip(y, -9, 9).tolist())
    ]
    for refits in (0, 1):
        model = DisambiguatedRegressor(weights=RIDGE, refits=refits).fit(X, unions)
        assert number_sets(unions).contains(model.labels_).all()
        assert (model.labels_ < 20).all()
        assert model.score(X, truth) > 0.8


def test_clone_pickle_and_options():
    X, y, _ = plane()
    model = clone(DisambiguatedRegressor(weights=RIDGE, refits=1)).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    for options, message in (
        ({"unresolved": "magic"}, "unresolved must be one of"),
        ({"refits": -1}, "refits must be an integer >= 0; got -1"),
        ({"cv": 1}, "cv must be an integer >= 2; got 1"),
        ({"weights": "precomputed"}, "X cannot hold precomputed pairs"),
        ({"method": "magic"}, "method must be one of"),
        ({"formulation": "magic"}, "formulation must be one of"),
    ):
        with pytest.raises(ValueError, match=message):
            DisambiguatedRegressor(**options).fit(X, y)
    with pytest.raises(ValueError, match="X has 50 rows and y has 49"):
        DisambiguatedRegressor().fit(X, y[:49])


def test_a_fold_whose_rows_take_no_part_is_left_out():
    X, y = np.arange(6.0)[:, None], np.arange(6.0)
    folds = [([0, 1, 2, 3], [4, 5]), ([2, 3, 4, 5], [0, 1])]
    model = DisambiguatedRegressor(weights=RIDGE, refits=1, cv=folds)
    model.fit(X, y, sample_weight=[1, 1, 1, 1, 0, 0])
    assert model.training_rows_.tolist() == [0, 1, 2, 3]
