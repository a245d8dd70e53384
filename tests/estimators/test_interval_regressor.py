"""`IntervalRegressor`: results, known answers, invariances, forms of y and solvers."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import r2_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disambig import IntervalRegressor, Intervals
from disambig.candidates import IntervalUnions, number_sets
from disambig.datasets import make_sine_intervals
from disambig.exceptions import InputShiftWarning
from disambig.losses import PinballLoss
from disambig.metrics import (
    interval_absolute_distance_scorer,
    interval_coverage_scorer,
    interval_r2_scorer,
    interval_squared_distance_scorer,
)
from disambig.solvers import AlternatingRegression, NewtonRegression, UnionRegression
from disambig.weights import (
    ForestWeights,
    KernelRidgeWeights,
    NadarayaWatsonWeights,
    NeighborWeights,
    PoissonWeights,
    PrecomputedWeights,
)

inf = np.inf
METHODS = ["disambiguation", "infimum", "average"]
RIDGE = KernelRidgeWeights(bandwidth=0.5, regularization=1e-2, intercept=True)
# All combinations of weighting, formulation, loss and method that differ in their code.
MODELS = {
    "risk": IntervalRegressor(RIDGE),
    "no intercept": IntervalRegressor(KernelRidgeWeights(bandwidth=0.5)),
    "signed votes": IntervalRegressor(RIDGE, formulation="votes"),
    "neighbors": IntervalRegressor(NeighborWeights(5)),
    "nadaraya": IntervalRegressor(NadarayaWatsonWeights(bandwidth=0.3)),
    "absolute": IntervalRegressor(RIDGE, loss="absolute", solver=AlternatingRegression(steps=20)),
    "infimum": IntervalRegressor(RIDGE, method="infimum"),
    "infimum of neighbors": IntervalRegressor(NeighborWeights(5), method="infimum"),
    "average": IntervalRegressor(RIDGE, method="average"),
    "average of neighbors": IntervalRegressor(NeighborWeights(5), method="average"),
    "average of medians": IntervalRegressor(NeighborWeights(5), method="average", loss="absolute"),
}
each_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


def wave(n=40, seed=0, whole=True):
    """A sine on the line: points, intervals, half-lines of both kinds, whole lines."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.5, 1.5, size=(n, 1))
    truth = np.sin(2 * X[:, 0]) + 0.05 * rng.normal(size=n)
    y = truth[:, None] + rng.uniform(0, 0.8, size=(n, 2)) * [-1, 1]
    kind = rng.integers(0, 6, size=n)
    y[kind == 0] = truth[kind == 0, None]
    y[kind == 1, 0] = -inf
    y[kind == 2, 1] = inf
    if whole:
        y[:2] = [-inf, inf]
    return X, y, truth


# ------------------------------------------------------------------ results


@each_model
def test_labels_are_inside_their_sets_and_points_do_not_change(model):
    X, y, truth = wave()
    model = clone(model).fit(X, y)
    intervals = Intervals.from_any(y)
    assert model.labels_.shape == (40,)
    assert intervals.contains(model.labels_).all()
    points = intervals.is_point
    assert points.any()
    np.testing.assert_array_equal(model.labels_[points], truth[points])
    assert model.slack_.shape == (40, 2)
    assert (model.slack_ >= 0).all()
    np.testing.assert_allclose(model.labels_ - model.slack_[:, 0], y[:, 0])
    assert model.predict(X).shape == (40,)
    assert np.isfinite(model.predict(X)).all()
    assert model.decided_.shape == (40,)
    np.testing.assert_array_equal(model.span_, intervals.span)
    assert model.score(X, truth) == pytest.approx(r2_score(truth, model.predict(X)))
    assert model.score(X, truth) > 0.5


def test_convex_problems_are_certified_and_others_are_not():
    X, y, _ = wave()
    for weights in (RIDGE, NeighborWeights(5), NadarayaWatsonWeights(bandwidth=0.3)):
        model = IntervalRegressor(weights).fit(X, y)
        assert model.is_convex_
        assert model.certified_
        assert model.converged_
        assert model.residual_ <= 1e-8
    signed = np.eye(40) - 0.02 * np.random.default_rng(0).uniform(size=(40, 40))
    for loss in ("squared", "absolute"):
        model = IntervalRegressor("precomputed", loss=loss).fit(signed, y)
        assert not model.is_convex_
        assert not model.certified_
    for method in ("infimum", "average"):
        assert not IntervalRegressor(RIDGE, method=method).fit(X, y).certified_


def test_rows_with_several_optimal_targets_are_not_resolved():
    X = np.array([[0.0], [0.1], [1e3], [2e3]])
    near = NadarayaWatsonWeights(bandwidth=1.0)
    # The first two rows agree on any number from 0.5 to 1, and nobody votes for the third.
    y = [(0, 1), (0.5, 2), (0, 9), 4.0]
    np.testing.assert_array_equal(
        IntervalRegressor(near).fit(X, y).decided_, [False, False, False, True]
    )
    # Here they meet at one number, or come as near as they can.
    for second in ((1.0, 2), (1.5, 2)):
        model = IntervalRegressor(near).fit(X, [(0, 1), second, (0, 9), 4.0])
        np.testing.assert_array_equal(model.decided_, [True, True, False, True])
    assert IntervalRegressor(RIDGE).fit(X, y).decided_.all()


def test_recovers_numbers_better_than_the_baselines():
    errors = {method: [] for method in METHODS}
    for seed in range(10):
        X, sets, _ = make_sine_intervals(60, frequency=5.0, random_state=seed)
        grid = np.linspace(0, 1, 200)[:, None]
        weights = KernelRidgeWeights(bandwidth=0.15, regularization=1e-4, intercept=True)
        for method in METHODS:
            model = IntervalRegressor(weights, method=method).fit(X, sets)
            errors[method].append(np.mean((model.predict(grid) - np.sin(5 * grid[:, 0])) ** 2))
    mean = {method: np.mean(values) for method, values in errors.items()}
    assert mean["disambiguation"] < min(mean["infimum"], mean["average"])


# ------------------------------------------------------------------ known answers


@pytest.mark.parametrize("method", ["disambiguation", "average"])
def test_points_are_kernel_ridge_regression(method):
    X, _, truth = wave()
    grid = np.linspace(-3, 3, 50)[:, None]
    weights = KernelRidgeWeights(bandwidth=0.5, regularization=1e-2, intercept=False)
    model = IntervalRegressor(weights, formulation="risk", method=method).fit(X, truth)
    ridge = KernelRidge(alpha=40 * 1e-2, kernel="rbf", gamma=1 / (2 * 0.5**2)).fit(X, truth)
    with pytest.warns(InputShiftWarning, match=r"range \[-1.49.*\] in 52%"):
        np.testing.assert_allclose(model.predict(grid), ridge.predict(grid), atol=1e-9)
    # Far away that function is zero, as in scikit-learn.
    np.testing.assert_array_equal(model.predict([[1e5]]), ridge.predict([[1e5]]))
    np.testing.assert_array_equal(model.labels_, truth)
    assert (model.slack_ == 0).all()
    assert model.decided_.all()
    residuals = truth - model.predict(X)
    risk = residuals @ truth
    assert model.objective_ == pytest.approx(risk, rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_points_are_nearest_neighbour_regression(method):
    X, _, truth = wave()
    grid = np.linspace(-2, 2, 50)[:, None]
    model = IntervalRegressor(NeighborWeights(5), method=method).fit(X, truth)
    neighbours = KNeighborsRegressor(5).fit(X, truth)
    np.testing.assert_allclose(model.predict(grid), neighbours.predict(grid), atol=1e-12)


def test_points_are_quantile_regression_of_neighbours():
    X, _, truth = wave()
    model = IntervalRegressor(NeighborWeights(5), loss=PinballLoss(0.5)).fit(X, truth)
    nearest = KNeighborsRegressor(5).fit(X, truth).kneighbors(X, return_distance=False)
    np.testing.assert_allclose(model.predict(X), np.median(truth[nearest], axis=1))


def test_the_average_learns_from_midpoints():
    X, y, _ = wave(whole=False)
    middles = Intervals.from_any(y).centers[:, 0]
    for weights in (RIDGE, NeighborWeights(5)):
        model = IntervalRegressor(weights, method="average").fit(X, y)
        plain = IntervalRegressor(weights).fit(X, middles)
        np.testing.assert_allclose(model.predict(X), plain.predict(X), atol=1e-9)


def test_the_average_of_a_union_is_its_mean_not_a_member():
    X = np.arange(6.0)[:, None]
    y = [[(-3.0, -1.0), (1.0, 3.0)] for _ in range(6)]
    for weights in (KernelRidgeWeights(intercept=True), NeighborWeights(3)):
        model = IntervalRegressor(weights, method="average").fit(X, y)
        np.testing.assert_allclose(model.predict(X), 0, atol=1e-9)
        assert IntervalUnions.from_any(y).contains(model.labels_).all()


def test_rows_without_information_take_no_part_in_the_average():
    X, y, _ = wave()
    known = np.isfinite(y).any(axis=1)
    assert not known.all()
    for weights in (RIDGE, NeighborWeights(5)):
        model = IntervalRegressor(weights, method="average").fit(X, y)
        without = IntervalRegressor(weights, method="average").fit(X[known], y[known])
        np.testing.assert_allclose(model.predict(X), without.predict(X))
        np.testing.assert_allclose(model.labels_[~known], model.predict(X)[~known])


def test_risk_is_regression_on_squared_distances():
    """The minimum of the risk over targets is the risk of the distance to the interval."""
    X, y, _ = wave()
    model = IntervalRegressor(RIDGE).fit(X, y)
    K = rbf_kernel(X, gamma=1 / (2 * 0.5**2))
    f = model.predict(X)
    a = (model.labels_ - f) / (40 * 1e-2)
    risk = (Intervals.from_any(y).distances(f) ** 2).sum() + 40 * 1e-2 * a @ K @ a
    assert model.objective_ == pytest.approx(risk, rel=1e-8)
    # No function nearby has a smaller risk.
    rng = np.random.default_rng(0)
    for _ in range(20):
        b = a + 1e-3 * rng.normal(size=40)
        g = f + K @ (b - a)
        other = (Intervals.from_any(y).distances(g) ** 2).sum() + 40 * 1e-2 * b @ K @ b
        assert other >= risk - 1e-12


# ------------------------------------------------------------------ invariances


@each_model
def test_permuting_rows_permutes_results(model):
    X, y, _ = wave()
    order = np.random.default_rng(1).permutation(40)
    here, there = clone(model).fit(X, y), clone(model).fit(X[order], y[order])
    np.testing.assert_allclose(there.labels_, here.labels_[order], atol=1e-6)
    np.testing.assert_allclose(there.predict(X), here.predict(X), atol=1e-6)
    np.testing.assert_array_equal(there.decided_, here.decided_[order])
    assert there.objective_ == pytest.approx(here.objective_, rel=1e-8)


@pytest.mark.parametrize("name", sorted(set(MODELS) - {"no intercept"}))
@pytest.mark.parametrize("shift", [-100.0, 1e6])
def test_a_constant_added_to_all_ends_is_added_to_all_results(name, shift):
    X, y, _ = wave()
    here, there = clone(MODELS[name]).fit(X, y), clone(MODELS[name]).fit(X, y + shift)
    # Around 1e6 a double has a precision of 1e-10.
    atol = 1e-5 if name in ("signed votes", "absolute") else 1e-7
    np.testing.assert_allclose(there.labels_ - shift, here.labels_, atol=atol)
    np.testing.assert_allclose(there.predict(X) - shift, here.predict(X), atol=atol)
    assert there.objective_ == pytest.approx(here.objective_, rel=1e-6)


@each_model
def test_a_negative_interval_among_positive_ones(model):
    X, y, _ = wave()
    # All ends are positive except those of one row.
    lift = 1.0 - y[np.isfinite(y)].min()
    y[5] = [-lift - 3.0, -lift - 2.0]
    model = clone(model).fit(X, y + lift)
    assert (model.labels_ > 0).sum() == 39
    assert -3 <= model.labels_[5] <= -2
    assert np.isfinite(model.predict(X)).all()
    if model.is_convex_ and model.method == "disambiguation":
        assert model.certified_


@each_model
def test_the_unit_of_y_does_not_matter(model):
    X, y, _ = wave()
    here = clone(model).fit(X, y)
    for unit in (1e-8, 1e120):
        there = clone(model).fit(X, y * unit)
        np.testing.assert_allclose(there.labels_ / unit, here.labels_, atol=1e-6)
        np.testing.assert_allclose(there.predict(X) / unit, here.predict(X), atol=1e-6)


@each_model
def test_weights_are_copies(model):
    X, y, _ = wave()
    copies = np.random.default_rng(2).integers(0, 4, size=40)
    weights = model.weights
    if isinstance(weights, NeighborWeights):
        # Copies of a row are neighbours of each other and take the place of other rows.
        weights = NadarayaWatsonWeights(bandwidth=0.3)
    model = clone(model).set_params(weights=weights)
    weighted = clone(model).fit(X, y, sample_weight=copies)
    repeated = clone(model).fit(np.repeat(X, copies, axis=0), np.repeat(y, copies, axis=0))
    grid = np.linspace(-1.5, 1.5, 30)[:, None]
    np.testing.assert_allclose(weighted.predict(grid), repeated.predict(grid), atol=1e-5)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-5)
    taken = copies > 0
    np.testing.assert_allclose(np.repeat(weighted.labels_, copies), repeated.labels_, atol=1e-4)
    assert Intervals.from_any(y).contains(weighted.labels_).all()
    # Rows of weight zero: the member of the set nearest to the prediction.
    nearest = Intervals.from_any(y).nearest(weighted.predict(X))[:, 0]
    np.testing.assert_allclose(weighted.labels_[~taken], nearest[~taken])
    assert weighted.decided_[~taken].all()


def test_rows_of_weight_zero_have_no_effect():
    X, y, _ = wave()
    weights = np.ones(40)
    weights[::3] = 0
    model = IntervalRegressor(RIDGE).fit(X, y, sample_weight=weights)
    without = IntervalRegressor(RIDGE).fit(X[weights > 0], y[weights > 0])
    np.testing.assert_array_equal(model.predict(X), without.predict(X))
    np.testing.assert_array_equal(model.labels_[weights > 0], without.labels_)
    # Their ends do not change the span either.
    y[0] = [1e9, 2e9]
    again = IntervalRegressor(RIDGE).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(again.predict(X), without.predict(X))
    np.testing.assert_array_equal(again.span_, without.span_)
    assert again.labels_[0] == 1e9


def test_sparse_inputs_and_single_precision():
    X, y, _ = wave()
    dense = IntervalRegressor(NeighborWeights(5)).fit(X, y)
    sparse = IntervalRegressor(NeighborWeights(5)).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(sparse.predict(sp.csr_array(X)), dense.predict(X))
    single = IntervalRegressor(RIDGE).fit(X.astype(np.float32), y)
    assert single.certified_
    np.testing.assert_allclose(
        single.predict(X.astype(np.float32)),
        IntervalRegressor(RIDGE).fit(X, y).predict(X),
        atol=1e-4,
    )


# ------------------------------------------------------------------ forms of y


def test_all_forms_of_y_agree():
    X, y, _ = wave(whole=False)
    reference = IntervalRegressor(RIDGE).fit(X, y).labels_
    frame = pd.DataFrame(y, columns=["from", "to"])
    pairs = [tuple(row) for row in y]
    texts = [f"[{low!r}, {high!r}]" for low, high in y.tolist()]
    missing = np.where(np.isinf(y), np.nan, y)
    for form in (frame, pairs, texts, Intervals.from_any(y), y.tolist()):
        np.testing.assert_array_equal(IntervalRegressor(RIDGE).fit(X, form).labels_, reference)
    model = IntervalRegressor(RIDGE, missing="whole").fit(X, missing)
    np.testing.assert_array_equal(model.labels_, reference)
    bounded = np.clip(y, -9, 9)
    array = pd.arrays.IntervalArray.from_arrays(*bounded.T, closed="both")
    np.testing.assert_array_equal(
        IntervalRegressor(RIDGE).fit(X, array).labels_,
        IntervalRegressor(RIDGE).fit(X, bounded).labels_,
    )
    column = y[:, 0].copy()
    column[~np.isfinite(column)] = 0.0
    np.testing.assert_array_equal(
        IntervalRegressor(RIDGE).fit(X, pd.Series(column)).labels_, column
    )


@pytest.mark.parametrize("form", ["array", "frame", "intervals", "interval array"])
def test_searches_pipelines_and_scorers(form):
    X, y, truth = wave(60)
    targets = {
        "array": y,
        "frame": pd.DataFrame(y, columns=["from", "to"]),
        "intervals": Intervals.from_any(y),
        "interval array": pd.arrays.IntervalArray.from_arrays(*np.clip(y, -9, 9).T, closed="both"),
    }[form]
    search = GridSearchCV(
        make_pipeline(StandardScaler(), IntervalRegressor(KernelRidgeWeights(intercept=True))),
        {"intervalregressor__weights__regularization": [1e-4, 1e3]},
        cv=KFold(3, shuffle=True, random_state=0),
        scoring=interval_squared_distance_scorer,
        error_score="raise",
    ).fit(X, targets)
    assert search.best_params_["intervalregressor__weights__regularization"] == 1e-4
    assert search.score(X, targets) <= 0
    assert r2_score(truth, search.predict(X)) > 0.8
    scores = cross_val_score(IntervalRegressor(RIDGE), X, targets, cv=3, error_score="raise")
    assert (scores > 0.5).all()
    for scorer in (
        interval_absolute_distance_scorer,
        interval_coverage_scorer,
        interval_r2_scorer,
    ):
        scores = cross_val_score(
            IntervalRegressor(RIDGE), X, targets, scoring=scorer, cv=3, error_score="raise"
        )
        assert np.isfinite(scores).all()


def test_scores_with_missing_ends():
    X, y, _ = wave(60)
    missing = np.where(np.isinf(y), np.nan, y)
    model = IntervalRegressor(RIDGE, missing="whole").fit(X, missing)
    assert model.score(X, missing) == IntervalRegressor(RIDGE).fit(X, y).score(X, y)
    scores = cross_val_score(
        model, X, missing, scoring=interval_squared_distance_scorer, cv=3, error_score="raise"
    )
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("name", MODELS)
def test_columns_of_boxes_are_separate_problems(name):
    (X, y, _), (_, other, _) = wave(), wave(seed=1)
    other[:2] = [[0, 1], [-1, 0]]
    y[:2] = [[0, 1], [-1, 0]]
    boxes = np.stack([y, other, y[::-1]], axis=1)
    model = clone(MODELS[name]).fit(X, boxes)
    assert model.labels_.shape == (40, 3)
    assert model.slack_.shape == (40, 3, 2)
    assert model.span_.shape == (3, 2)
    assert model.predict(X).shape == (40, 3)
    apart = [clone(MODELS[name]).fit(X, boxes[:, k]) for k in range(3)]
    for k, one in enumerate(apart):
        np.testing.assert_allclose(model.labels_[:, k], one.labels_, atol=1e-6)
        np.testing.assert_allclose(model.predict(X)[:, k], one.predict(X), atol=1e-6)
    total = sum(one.objective_ for one in apart)
    assert model.objective_ == pytest.approx(total, rel=1e-7)
    assert model.certified_ == all(one.certified_ for one in apart)
    assert Intervals.from_any(boxes).contains(model.labels_).all()


def test_boxes_of_one_column_keep_it():
    X, y, _ = wave()
    model = IntervalRegressor(RIDGE, cv=3).fit(X, y[:, None, :])
    assert model.labels_.shape == (40, 1)
    assert model.predict(X).shape == (40, 1)
    assert model.predict_interval(X).shape == (40, 1, 2)
    np.testing.assert_array_equal(
        model.predict(X)[:, 0], IntervalRegressor(RIDGE).fit(X, y).predict(X)
    )


def test_the_average_of_boxes_leaves_out_uninformative_columns():
    """A row that allows every number in one column has no effect on that column."""
    X, y, _ = wave(whole=False)
    y = y + 100.0
    boxes = np.stack([y, y], axis=1)
    boxes[:5, 1] = [-inf, inf]
    known = np.arange(40) >= 5
    ridge = KernelRidgeWeights(bandwidth=0.5, regularization=40.0 / 35 * 1e-2, intercept=True)
    for weights, fewer in ((RIDGE, ridge), (NadarayaWatsonWeights(bandwidth=0.3),) * 2):
        model = IntervalRegressor(weights, method="average").fit(X, boxes)
        first = IntervalRegressor(weights, method="average").fit(X, y)
        np.testing.assert_allclose(model.predict(X)[:, 0], first.predict(X), atol=1e-8)
        # The same ridge n lam for fewer rows.
        second = IntervalRegressor(fewer, method="average").fit(X[known], y[known])
        np.testing.assert_allclose(model.predict(X)[:, 1], second.predict(X), atol=1e-8)


def test_unions():
    X, sets, _ = make_sine_intervals(30, frequency=3.0, offset=1.5, random_state=0)
    y = [
        [(low, high)] if j % 2 else [(-high, -low), (low, high)]
        for j, (low, high) in enumerate(sets)
    ]
    for weights in (RIDGE, NeighborWeights(5)):
        model = IntervalRegressor(weights).fit(X, y)
        assert not model.is_convex_
        assert not model.certified_
        assert number_sets(y).contains(model.labels_).all()
        assert (model.labels_ > 0).all()
        assert (model.slack_ >= 0).all()
        assert model.score(X, y) > 0.9
        more = IntervalRegressor(weights, solver=UnionRegression(n_starts=15)).fit(X, y)
        assert more.objective_ <= model.objective_
    assert np.isfinite(IntervalRegressor(RIDGE, method="infimum").fit(X, y).predict(X)).all()


# ------------------------------------------------------------------ solvers, callbacks, votes


def test_early_stopping():
    X, y, _ = wave()
    model = IntervalRegressor(RIDGE, solver=AlternatingRegression(steps=3)).fit(X, y)
    assert model.n_iter_ == 3
    assert len(model.trace_) == 4
    assert not model.converged_
    search = GridSearchCV(
        IntervalRegressor(RIDGE, solver=AlternatingRegression(steps=1)),
        {"solver__steps": [1, 10]},
        cv=3,
        error_score="raise",
    ).fit(X, y)
    assert search.best_estimator_.n_iter_ in (1, 10)
    full = IntervalRegressor(RIDGE, solver="alternating").fit(X, y)
    best = IntervalRegressor(RIDGE, solver="newton").fit(X, y)
    assert best.objective_ <= full.objective_ <= model.objective_
    assert full.objective_ == pytest.approx(best.objective_, rel=1e-6)


@pytest.mark.parametrize("solver", ["auto", "newton", "alternating"])
def test_a_callback_stops_the_run(solver):
    X, y, _ = wave()
    received = []

    def stop_at_second(progress):
        received.append(progress.objective)
        return len(received) >= 2

    model = IntervalRegressor(RIDGE, solver=solver, callback=stop_at_second).fit(X, y)
    assert len(received) == 2
    assert not model.converged_
    assert np.isfinite(model.predict(X)).all()
    assert Intervals.from_any(y).contains(model.labels_).all()


def test_precomputed_kernels_and_votes():
    X, y, _ = wave()
    grid = np.linspace(-1.5, 1.5, 20)[:, None]
    K, k = rbf_kernel(X, gamma=2.0), rbf_kernel(grid, X, gamma=2.0)
    options = {"regularization": 1e-2, "intercept": True}
    given_kernel = IntervalRegressor(KernelRidgeWeights("precomputed", **options))
    own = IntervalRegressor(KernelRidgeWeights(bandwidth=0.5, **options))
    weights = np.ones(40)
    weights[3:9] = 0
    for sample_weight in (None, weights):
        given_kernel.fit(K, y, sample_weight=sample_weight)
        own.fit(X, y, sample_weight=sample_weight)
        np.testing.assert_allclose(given_kernel.predict(k), own.predict(grid), atol=1e-8)
        np.testing.assert_allclose(given_kernel.labels_, own.labels_, atol=1e-7)
    scores = cross_val_score(given_kernel, K, y, cv=3, error_score="raise")
    np.testing.assert_allclose(scores, cross_val_score(own, X, y, cv=3), atol=1e-7)
    votes = IntervalRegressor(PrecomputedWeights(normalize=True)).fit(K, y)
    smooth = IntervalRegressor(NadarayaWatsonWeights(bandwidth=0.5)).fit(X, y)
    np.testing.assert_allclose(votes.predict(k), smooth.predict(grid), atol=1e-8)
    assert IntervalRegressor("precomputed").fit(K, y).certified_


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_inputs_without_votes(method, loss):
    X, y, _ = wave()
    model = IntervalRegressor(NadarayaWatsonWeights(bandwidth=0.05), method=method, loss=loss).fit(
        X, y
    )
    with pytest.warns(UserWarning, match="1 of 2 inputs get no vote"):
        near, far = model.predict([[0.0], [1e6]])
    assert np.isfinite([near, far]).all()
    # The best constant is the prediction of a model with equal votes for all rows.
    same = IntervalRegressor(PrecomputedWeights(), method=method, loss=loss)
    if method == "disambiguation":
        expected = np.mean(model.labels_) if loss == "squared" else np.median(model.labels_)
        assert far == pytest.approx(expected)
    else:
        assert far == pytest.approx(same.fit(np.ones((40, 40)), y).predict(np.ones((1, 40)))[0])
    low, high = model.span_[0]
    assert low <= far <= high


def test_large_signed_sparse_votes_are_solved_without_a_certificate():
    n = 2100
    rng = np.random.default_rng(0)
    graph = sp.random(n, n, density=0.002, random_state=0, format="csr")
    graph = sp.csr_array(graph + 3 * sp.identity(n, format="csr"))
    graph.data[::9] *= -0.1
    y = np.sort(rng.normal(size=(n, 2)), axis=1)
    model = IntervalRegressor("precomputed", solver=AlternatingRegression(steps=3))
    model.fit(graph, y)
    assert not model.is_convex_
    assert model.residual_ is None
    assert Intervals.from_any(y).contains(model.labels_).all()


@pytest.mark.parametrize("loss", ["absolute", PinballLoss(0.8)])
def test_a_linear_program_through_the_estimator(loss):
    """Its optimum is seldom unique; order, level and copies of rows do not change the objective."""
    X, y, _ = wave()
    model = IntervalRegressor(NadarayaWatsonWeights(bandwidth=0.3), loss=loss)
    here = clone(model).fit(X, y)
    assert here.certified_
    assert here.residual_ <= 1e-8
    assert {progress.stage for progress in here.trace_} == {"linear program"}
    assert Intervals.from_any(y).contains(here.labels_).all()
    local = clone(model).set_params(solver="alternating").fit(X, y)
    assert local.objective_ >= here.objective_ * (1 - 1e-9)
    order = np.random.default_rng(1).permutation(40)
    copies = np.full(40, 2)
    for other in (
        clone(model).fit(X[order], y[order]),
        clone(model).fit(X, y + 1e4),
        clone(model).fit(np.repeat(X, copies, axis=0), np.repeat(y, copies, axis=0)),
        clone(model).fit(X, y, sample_weight=copies),
    ):
        assert other.certified_
        # Twice as many rows have twice the objective.
        times = 2 if other.weights_.sample_weight_.sum() == 80 else 1
        assert other.objective_ == pytest.approx(times * here.objective_, rel=1e-6)


def test_margin():
    X, y, _ = wave(whole=False)
    model = IntervalRegressor(RIDGE, margin=0.1).fit(X, y)
    inner = Intervals.from_any(y).inset(0.1)
    np.testing.assert_array_equal(model.labels_, IntervalRegressor(RIDGE).fit(X, inner).labels_)
    wide = np.diff(y, axis=1)[:, 0] > 0.2
    assert (model.slack_[wide] >= 0.1 - 1e-12).all()
    assert IntervalRegressor(RIDGE, margin=0.0).fit(X, y).score(X, y) > 0.5
    for bad in (-1.0, np.nan, inf):
        with pytest.raises(ValueError, match="margin must be"):
            IntervalRegressor(RIDGE, margin=bad).fit(X, y)


@given(seed=st.integers(0, 10**6), n=st.integers(1, 6))
def test_the_smallest_problems(seed, n):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(n, 1)).astype(float)
    y = np.sort(rng.integers(-2, 3, size=(n, 2)).astype(float), axis=1)
    with pytest.warns(UserWarning, match="too few to choose weights by; kernel ridge is used"):
        model = IntervalRegressor().fit(X, y)
    assert Intervals.from_any(y).contains(model.labels_).all()
    assert model.certified_
    assert np.isfinite(model.predict(X)).all()


def test_clone_and_pickle():
    X, y, _ = wave()
    model = clone(IntervalRegressor(RIDGE, cv=3, solver=NewtonRegression())).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.predict_interval(X), model.predict_interval(X))


def test_a_margin_keeps_targets_away_from_the_ends():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(40, 1))
    truth = np.sin(6 * X[:, 0])
    y = np.column_stack([truth - rng.exponential(1.0, 40), truth + rng.exponential(1.0, 40)])
    y[::7, 1] = np.inf
    plain = IntervalRegressor(RIDGE).fit(X, y)
    with_margin = IntervalRegressor(RIDGE, margin=0.1).fit(X, y)
    assert plain.slack_.min() == 0.0
    wide = y[:, 1] - y[:, 0] >= 0.2
    assert with_margin.slack_[wide].min() >= 0.1 - 1e-12
    # Shorter intervals become their midpoint.
    np.testing.assert_allclose(with_margin.labels_[~wide], y[~wide].mean(axis=1))
    inset = Intervals.from_any(y).inset(0.1)
    np.testing.assert_array_equal(
        with_margin.labels_, IntervalRegressor(RIDGE).fit(X, inset).labels_
    )


@pytest.mark.parametrize("margin", [-1.0, np.nan, np.inf, 1e200, "a"])
def test_invalid_margins(margin):
    with pytest.raises(ValueError, match=r"margin must be"):
        IntervalRegressor(margin=margin).fit([[0.0], [1.0]], [[0, 1], [1, 2]])


@pytest.mark.parametrize("part", ["weights", "predict_weights"])
def test_poisson_weights_are_an_error(part):
    X = np.arange(12.0)[:, None]
    y = np.column_stack([X[:, 0] + 99.0, X[:, 0] + 101.0])
    model = IntervalRegressor(weights="kernel_ridge").set_params(**{part: PoissonWeights(3)})
    with pytest.raises(ValueError, match=r"PoissonWeights cannot be used .* Use LaplacianWeights"):
        model.fit(X, y)


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_forests_of_many_rows_are_convex_and_certified_like_those_of_few(loss):
    """No vote of a forest is negative, whatever the number of rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2300, 3))
    truth = X[:, 0] + 0.5 * X[:, 1] ** 2
    y = truth[:, None] + rng.uniform(0.1, 0.6, size=(2300, 2)) * [-1, 1]
    for n in (1900, 2300):
        weights = ForestWeights(n_estimators=20, min_samples_split=6)
        model = IntervalRegressor(weights, loss=loss).fit(X[:n], y[:n])
        assert model.is_convex_
        assert model.certified_
