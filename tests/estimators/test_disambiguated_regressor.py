"""`DisambiguatedRegressor`: any regressor, trained on recovered numbers."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from disambig import DisambiguatedRegressor, IntervalRegressor, Intervals
from disambig.candidates import number_sets
from disambig.estimators.held_out.residual_fit import fit_residuals
from disambig.exceptions import MissingOracleError, NoInformationError
from disambig.losses import PinballLoss
from disambig.metrics import interval_coverage_scorer
from disambig.weights import KernelRidgeWeights, NadarayaWatsonWeights
from tests.estimators.small_search import small_search

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
    model = DisambiguatedRegressor(LinearRegression(), weights=RIDGE, max_iter=0).fit(X, y)
    alone = IntervalRegressor(RIDGE).fit(X, y)
    np.testing.assert_array_equal(model.labels_, alone.labels_)
    plain = LinearRegression().fit(X, alone.labels_)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    np.testing.assert_array_equal(model.training_rows_, np.arange(50))
    assert model.disambiguator_.certified_
    assert model.decided_.all()
    assert model.score(X, truth) > 0.85
    assert model.score(X, y) > 0.85


@pytest.mark.parametrize("start", ["votes", "average"])
@small_search()
def test_points_are_supervised_learning(start):
    X, _, truth = plane()
    for inner in (Ridge(), DecisionTreeRegressor(random_state=0)):
        model = DisambiguatedRegressor(inner, start=start).fit(X, truth)
        np.testing.assert_array_equal(model.labels_, truth)
        np.testing.assert_array_equal(model.predict(X), clone(inner).fit(X, truth).predict(X))
        assert (model.confidence_ == 1).all()
        assert (model.n_iter_, model.converged_) == (1, True)


def test_rounds_move_targets_towards_the_truth():
    X, y, truth = plane(80)
    # The votes do not depend on X: everything is learned by the regressor.
    constant = KernelRidgeWeights(bandwidth=1e3, intercept=True)
    errors = []
    for max_iter in (0, 1, 5, 20):
        model = DisambiguatedRegressor(LinearRegression(), weights=constant, max_iter=max_iter)
        model.fit(X, y)
        assert Intervals.from_any(y).contains(model.labels_).all()
        errors.append(np.mean((model.labels_ - truth) ** 2))
    assert errors[-1] < 0.3 * errors[0]
    assert (np.diff(errors) < 0).all()


@pytest.mark.parametrize("margin", [0.0, 0.2])
def test_the_targets_of_a_round_are_nearest_to_models_without_the_row(margin):
    """One round from mid-points, written out."""
    X, y, _ = plane()
    folds = list(KFold(4, shuffle=True, random_state=1).split(X))
    model = DisambiguatedRegressor(
        LinearRegression(), start="average", cv=folds, max_iter=1, margin=margin
    ).fit(X, y)
    lower, upper = y[:, 0] + margin, y[:, 1] - margin
    middle = y.mean(axis=1)
    lower, upper = np.where(lower > upper, middle, lower), np.where(lower > upper, middle, upper)
    start = np.where(np.isinf(lower), upper, np.where(np.isinf(upper), lower, (lower + upper) / 2))
    rounds, targets = [], start
    for _ in range(2):
        predicted = np.empty(50)
        for train, test in folds:
            predicted[test] = LinearRegression().fit(X[train], targets[train]).predict(X[test])
        nearest = np.clip(predicted, lower, upper)
        rounds.append((np.mean((nearest - predicted) ** 2), targets, predicted))
        targets = nearest
    objectives = [entry.objective for entry in model.trace_]
    np.testing.assert_allclose(objectives, [r[0] for r in rounds])
    objective, targets, predicted = min(rounds, key=lambda r: r[0])
    np.testing.assert_allclose(model.labels_, targets)
    np.testing.assert_allclose(model.objective_, objective)
    # The margin narrows the targets, not what is known about the numbers.
    sets, distance = number_sets(y), model.confidence_distance_
    residuals = fit_residuals(predicted[:, None], sets)
    np.testing.assert_allclose(
        model.confidence_, residuals.within(targets, predicted, sets, distance)
    )
    low, high = np.quantile(targets, [0.05, 0.95], method="inverted_cdf")
    np.testing.assert_allclose(distance, (high - low) / 10)
    again = LinearRegression().fit(X, targets).predict(X)
    np.testing.assert_allclose(model.predict(X), again)


def test_targets_are_revised_by_models_without_their_row():
    """One nearest neighbour reproduces the targets that it was trained on, and no others."""
    X, y, _ = plane()
    start = DisambiguatedRegressor(KNeighborsRegressor(1), weights=RIDGE, max_iter=0).fit(X, y)
    np.testing.assert_allclose(start.predict(X), start.labels_)
    other = clone(start).set_params(max_iter=1).fit(X, y)
    assert other.objective_ > 0.01
    in_sample = clone(start).set_params(max_iter=5, cv=None).fit(X, y)
    np.testing.assert_allclose(in_sample.labels_, start.labels_)
    assert in_sample.objective_ < 1e-20
    assert in_sample.converged_


def test_in_sample_rounds_are_the_empirical_risk_of_a_linear_kernel():
    X, y, _ = plane()
    weights = KernelRidgeWeights(lambda A, B: A @ B.T, regularization=0.05, intercept=True)
    risk = IntervalRegressor(weights, formulation="risk").fit(X, y)
    model = DisambiguatedRegressor(
        Ridge(alpha=50 * 0.05), start="average", cv=None, max_iter=5000, tol=1e-10
    ).fit(X, y)
    assert model.converged_
    np.testing.assert_allclose(model.predict(X), risk.predict(X), atol=1e-5)
    np.testing.assert_allclose(model.labels_, risk.labels_, atol=1e-5)


def test_out_of_bag_trees_revise_targets():
    X, y, truth = plane(80)
    forest = RandomForestRegressor(60, oob_score=True, random_state=0)
    constant = KernelRidgeWeights(bandwidth=1e3, intercept=True)
    start = DisambiguatedRegressor(forest, weights=constant, cv="out-of-bag", max_iter=0).fit(X, y)
    moved = clone(start).set_params(max_iter=1).fit(X, y)
    sets = Intervals.from_any(y)
    expected = sets.nearest(start.estimator_.oob_prediction_[:, None])[:, 0]
    assert moved.solution_.best == 1
    np.testing.assert_allclose(moved.labels_, expected)
    # Trees that were trained on the row would keep its target near its old value.
    inside = sets.nearest(start.predict(X)[:, None])[:, 0]
    assert np.abs(inside - start.labels_).mean() < 0.7 * np.abs(expected - start.labels_).mean()
    often = clone(start).set_params(max_iter=6).fit(X, y)
    assert np.mean((often.labels_ - truth) ** 2) < 0.8 * np.mean((start.labels_ - truth) ** 2)
    weighted = clone(moved).fit(X, y, sample_weight=np.arange(80) % 3)
    np.testing.assert_array_equal(weighted.training_rows_, np.flatnonzero(np.arange(80) % 3))
    boxes = np.stack([y, y[::-1]], axis=1)
    both = clone(moved).fit(X, boxes)
    assert Intervals.from_any(boxes).contains(both.labels_).all()


def test_out_of_bag_copies_are_in_one_bag():
    """Trees that were trained on a copy of a row do not predict it."""
    X, y, _ = plane(20)
    forest = RandomForestRegressor(40, random_state=0)
    model = DisambiguatedRegressor(forest, start="average", cv="out-of-bag", max_iter=1)
    model.fit(np.repeat(X, 2, axis=0), np.repeat(y, 2, axis=0))
    pairs = model.labels_.reshape(20, 2)
    np.testing.assert_array_equal(pairs[:, 0], pairs[:, 1])
    fitted = model.estimator_
    for row in range(20):
        free = [
            tree.predict(X[[row]])[0]
            for tree, drawn in zip(fitted.estimators_, fitted.estimators_samples_, strict=True)
            if row not in drawn // 2
        ]
        np.testing.assert_allclose(model.solution_.predictions[2 * row], np.mean(free))


def test_a_row_in_the_sample_of_every_tree_keeps_its_target():
    X, y, _ = plane(30)
    forest = RandomForestRegressor(1, random_state=0)
    model = DisambiguatedRegressor(forest, weights=RIDGE, cv="out-of-bag", max_iter=1).fit(X, y)
    drawn = np.isnan(model.solution_.predictions[:, 0])
    assert 10 < drawn.sum() < 28
    np.testing.assert_array_equal(model.labels_[drawn], model.disambiguator_.labels_[drawn])


def test_out_of_bag_needs_a_forest():
    X, y, _ = plane()
    for inner in (Ridge(), RandomForestRegressor(5, bootstrap=False)):
        model = DisambiguatedRegressor(inner, weights=RIDGE, cv="out-of-bag")
        with pytest.raises(ValueError, match=r"bootstrap=True, .*Give a number of folds"):
            model.fit(X, y)


def test_rows_whose_target_has_no_votes():
    X = np.concatenate([np.linspace(0, 1, 8), [1e3, 2e3]])[:, None]
    y = np.stack([np.linspace(0, 1, 10), np.linspace(0.2, 1.2, 10)], axis=1)
    near = NadarayaWatsonWeights(bandwidth=0.3)
    tree = DecisionTreeRegressor(random_state=0)
    model = DisambiguatedRegressor(tree, weights=near, max_iter=0)
    with pytest.warns(UserWarning, match=r"2 of 10 rows are not decided.*without them"):
        model.fit(X, y)
    np.testing.assert_array_equal(model.training_rows_, np.arange(8))
    np.testing.assert_array_equal(model.decided_, np.arange(10) < 8)
    with pytest.warns(UserWarning, match="trained on the solver's choice"):
        model.set_params(undecided="include").fit(X, y)
    np.testing.assert_array_equal(model.training_rows_, np.arange(10))
    # Rounds give them targets from the other rows.
    recorded = []

    class Recorder(RegressorMixin, BaseEstimator):
        def fit(self, X, y):
            recorded.append(X[:, 0])
            self.value_ = y.mean()
            return self

        def predict(self, X):
            return np.full(len(X), self.value_)

    with pytest.warns(UserWarning, match="without them"):
        model = DisambiguatedRegressor(Recorder(), weights=near, max_iter=2, cv=2).fit(X, y)
    # Two folds for the start and for each round, and the last fit.
    assert len(recorded) == 7
    assert all((inputs < 10).all() for inputs in recorded[:2])
    assert (recorded[2] > 10).any()
    assert len(model.training_rows_) == (8 if model.solution_.best == 0 else 10)
    assert model.decided_.all()
    with pytest.warns(UserWarning, match="2 of 2 rows"), pytest.raises(ValueError, match="No row"):
        DisambiguatedRegressor(weights=near).fit(X[8:], y[8:])


def test_sample_weights():
    X, y, _ = plane()
    copies = np.random.default_rng(0).integers(0, 3, size=50)
    for options in ({"weights": RIDGE}, {"start": "average"}):
        weighted = DisambiguatedRegressor(Ridge(), max_iter=3, **options)
        weighted.fit(X, y, sample_weight=copies)
        np.testing.assert_array_equal(weighted.training_rows_, np.flatnonzero(copies))
        assert Intervals.from_any(y).contains(weighted.labels_).all()
        repeated = clone(weighted).fit(np.repeat(X, copies, axis=0), np.repeat(y, copies, axis=0))
        np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-6)
        np.testing.assert_allclose(np.repeat(weighted.labels_, copies), repeated.labels_, atol=1e-6)
        np.testing.assert_allclose(weighted.objective_, repeated.objective_)
    with pytest.raises(ValueError, match=r"KNeighborsRegressor\.fit takes no sample_weight"):
        DisambiguatedRegressor(KNeighborsRegressor()).fit(X, y, sample_weight=copies)


@pytest.mark.parametrize("inner", [Ridge(), RandomForestRegressor(5, random_state=0)])
def test_boxes(inner):
    X, y, _ = plane()
    boxes = np.stack([y, y[::-1]], axis=1)
    for max_iter in (0, 1):
        model = DisambiguatedRegressor(inner, weights=RIDGE, max_iter=max_iter).fit(X, boxes)
        assert model.labels_.shape == (50, 2)
        assert model.predict(X).shape == (50, 2)
        assert Intervals.from_any(boxes).contains(model.labels_).all()
        one = DisambiguatedRegressor(inner, weights=RIDGE, max_iter=max_iter).fit(X, boxes[:, :1])
        assert one.predict(X).shape == (50, 1)
        flat = DisambiguatedRegressor(inner, weights=RIDGE, max_iter=max_iter).fit(X, y)
        np.testing.assert_array_equal(one.predict(X)[:, 0], flat.predict(X))


@pytest.mark.slow
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
        {"disambiguatedregressor__max_iter": [0, 2]},
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
    for max_iter in (0, 1):
        model = DisambiguatedRegressor(weights=RIDGE, max_iter=max_iter).fit(X, unions)
        assert number_sets(unions).contains(model.labels_).all()
        assert (model.labels_ < 20).all()
        assert model.score(X, truth) > 0.8


def test_clone_pickle_and_options():
    X, y, _ = plane()
    model = clone(DisambiguatedRegressor(weights=RIDGE, max_iter=1)).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    for options, message in (
        ({"undecided": "magic"}, "undecided must be one of"),
        ({"max_iter": -1}, "max_iter must be an integer >= 0; got -1"),
        ({"tol": -1}, "tol must be a finite number >= 0"),
        ({"margin": -1}, "margin must be"),
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
    model = DisambiguatedRegressor(weights=RIDGE, max_iter=1, cv=folds)
    y = np.stack([y, y + 1], axis=1)
    model.fit(X, y, sample_weight=[1, 1, 1, 1, 0, 0])
    assert model.training_rows_.tolist() == [0, 1, 2, 3]
    # Rows 2 and 3 are in no test fold, rows 4 and 5 take no part.
    np.testing.assert_array_equal(
        np.isnan(model.solution_.predictions[:, 0]), [False, False, True, True]
    )
    assert Intervals.from_any(y).contains(model.labels_).all()


def test_missing_values_reach_a_regressor_that_accepts_them():
    X, y, truth = plane(100)
    X = X.copy()
    X[::7, 0] = np.nan
    inner = HistGradientBoostingRegressor(max_iter=30, min_samples_leaf=5, random_state=0)
    model = DisambiguatedRegressor(inner, start="average", cv=3, max_iter=4).fit(X, y)
    assert model.score(X, truth) > 0.6
    tree = DecisionTreeRegressor(min_samples_leaf=3, random_state=0)
    model = DisambiguatedRegressor(tree, weights="kernel_ridge", cv=3).fit(X, y)
    assert model.score(X, truth) > 0.6
    message = r"first in row 0, column 0: nan .* Ridge cannot read missing values"
    with pytest.raises(ValueError, match=message):
        DisambiguatedRegressor(start="average").fit(X, y)


def test_whole_lines_have_no_part_in_the_first_models():
    X, y, truth = plane(60)
    y[::2] = [-inf, inf]
    model = DisambiguatedRegressor(LinearRegression(), start="average").fit(X, y)
    assert model.decided_.all()
    np.testing.assert_allclose(model.labels_[::2], truth[::2], atol=0.8)
    with pytest.raises(NoInformationError, match="each of the 60 rows allows every number"):
        model.fit(X, np.tile([-inf, inf], (60, 1)))
    boxes = np.stack([y, np.tile([-inf, inf], (60, 1))], axis=1)
    with pytest.raises(NoInformationError, match="allows every number in column 1"):
        model.fit(X, boxes)


def test_a_loss_with_two_slopes_has_no_nearest_number_of_a_union():
    X, y, _ = plane()
    unions = [[(low, low + 1), (low + 5, low + 6)] for low in np.clip(y[:, 0], -9, 9)]
    lopsided = PinballLoss(quantile=0.9)
    with pytest.raises(MissingOracleError, match="not the one of least loss"):
        DisambiguatedRegressor(start="average", loss=lopsided).fit(X, unions)
    model = DisambiguatedRegressor(start="average", loss=lopsided, max_iter=1).fit(X, y)
    found = model.solution_.predictions[:, 0]
    labels = np.clip(found, y[:, 0], y[:, 1])
    expected = np.where(labels > found, 0.9 * (labels - found), 0.1 * (found - labels))
    np.testing.assert_allclose(model.objective_, expected.mean())


def test_predictions_that_are_not_finite_are_an_error():
    class Diverged(RegressorMixin, BaseEstimator):
        def fit(self, X, y):
            self.fitted_ = True
            return self

        def predict(self, X):
            return np.full(len(X), np.inf)

    X, y, _ = plane()
    with pytest.raises(ValueError, match=r"Diverged predicts inf .* needs finite predictions"):
        DisambiguatedRegressor(Diverged(), start="average").fit(X, y)
