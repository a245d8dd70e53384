"""`IntervalRegressor` with known means of bags."""

import pickle

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import cross_validate

from disambig import IntervalRegressor
from disambig.candidates import Intervals, bag_means
from disambig.estimators.balance.means import left_out_loss
from disambig.estimators.mixture import Mixture
from disambig.exceptions import CandidateError, MissingOracleError, NoInformationError
from disambig.model_selection import BagKFold
from disambig.persistence import load_model, save_model
from disambig.weights import KernelRidgeWeights, NeighborWeights, NystromWeights
from tests.oracles.mean_problems import random_means, slow_minimum

RIDGE = KernelRidgeWeights(bandwidth=0.7, regularization=0.01, intercept=True)


@pytest.fixture(scope="module")
def waves():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (200, 2))
    truth = np.sin(2 * X[:, 0]) + X[:, 1]
    bags = np.argsort(np.argsort(X[:, 0] + X[:, 1] + rng.normal(0, 1, 200))) // 10
    means = {b: truth[bags == b].mean() for b in range(20)}
    return X, truth, bags, means


def means_of(labels, bags):
    return np.bincount(bags, labels) / np.bincount(bags)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("weights", [KernelRidgeWeights(), RIDGE, NeighborWeights(3)], ids=str)
def test_labels_are_the_optimum_of_another_solver(weights, seed):
    rng = np.random.default_rng(seed)
    means, X = random_means(rng), rng.normal(size=(12, 2))
    model = IntervalRegressor(weights).fit(X, means)
    assert model.certified_
    assert model.residual_ <= 1e-9
    fitted = model.weights_
    problem_value = model.objective_
    if isinstance(weights, KernelRidgeWeights):
        Q = fitted.residual_form()
    else:
        votes = np.asarray(fitted.training_votes() @ np.eye(12))
        Q = np.diag(votes.sum(axis=0)) - votes.T @ (votes / votes.sum(axis=1)[:, None])
    slow, least = slow_minimum(np.asarray(Q), means)
    assert problem_value == pytest.approx(least, abs=1e-7)
    decided = model.decided_
    np.testing.assert_allclose(model.labels_[decided], slow[decided], atol=2e-3)
    kept = means_of(model.labels_, means.bags)
    np.testing.assert_allclose(kept, np.clip(kept, *means.bounds.T), atol=1e-9)


def test_labels_without_intervals_keep_the_means_and_predict_new_rows(waves):
    X, truth, bags, means = waves
    model = IntervalRegressor().fit(X, None, bags=bags, means=means)
    np.testing.assert_allclose(means_of(model.labels_, bags), list(means.values()), atol=1e-10)
    assert model.certified_
    assert model.decided_.all()
    assert model.confidence_kind_ == "leave-one-out"
    assert np.corrcoef(model.labels_, truth)[0, 1] > 0.9
    Z = np.random.default_rng(1).uniform(-1.5, 1.5, (200, 2))
    assert np.corrcoef(model.predict(Z), np.sin(2 * Z[:, 0]) + Z[:, 1])[0, 1] > 0.9


def test_intervals_and_means_hold_together(waves):
    X, truth, bags, means = waves
    y = np.column_stack([truth - 1.0, truth + 0.5])
    alone = IntervalRegressor(RIDGE).fit(X, y)
    both = IntervalRegressor(RIDGE).fit(X, y, bags=bags, means=means)
    assert Intervals.from_any(y).contains(both.labels_).all()
    np.testing.assert_allclose(means_of(both.labels_, bags), list(means.values()), atol=1e-10)
    assert np.abs(both.labels_ - truth).mean() < 0.7 * np.abs(alone.labels_ - truth).mean()
    assert (both.slack_ >= 0).all()
    assert (both.confidence_ > 0).all()


def test_means_that_are_unknown_change_nothing(waves):
    X, truth, bags, _ = waves
    y = np.column_stack([truth - 0.3, truth + 0.5])
    alone = IntervalRegressor(RIDGE).fit(X, y)
    free = IntervalRegressor(RIDGE).fit(X, y, bags=bags, means=dict.fromkeys(range(20)))
    np.testing.assert_allclose(free.labels_, alone.labels_, atol=1e-5)


def test_large_numbers_keep_their_digits(waves):
    X, _, bags, means = waves
    small = IntervalRegressor(RIDGE).fit(X, None, bags=bags, means=means)
    moved = {b: 1e6 + mean for b, mean in means.items()}
    large = IntervalRegressor(RIDGE).fit(X, None, bags=bags, means=moved)
    np.testing.assert_allclose(large.labels_ - 1e6, small.labels_, atol=1e-5)
    np.testing.assert_allclose(means_of(large.labels_, bags), list(moved.values()), atol=1e-8)


def test_low_rank_weights_find_the_optimum(waves):
    X, _, bags, means = waves
    weights = NystromWeights(bandwidth=1.0, regularization=1e-2, n_landmarks=200, intercept=True)
    exact = KernelRidgeWeights(bandwidth=1.0, regularization=1e-2, intercept=True)
    low, full = (
        IntervalRegressor(w).fit(X, None, bags=bags, means=means) for w in (weights, exact)
    )
    assert low.certified_
    np.testing.assert_allclose(low.labels_, full.labels_, atol=1e-3)


def test_rows_of_weight_zero_are_whole_bags_and_keep_their_means(waves):
    X, _, bags, means = waves
    weight = np.where(bags == 3, 0.0, 1.0)
    model = IntervalRegressor(RIDGE).fit(X, None, weight, bags=bags, means=means)
    np.testing.assert_allclose(means_of(model.labels_, bags), list(means.values()), atol=1e-10)
    weight[0] = 0.0
    with pytest.raises(CandidateError, match=r"9 of 10 rows in bag .* are selected"):
        IntervalRegressor(RIDGE).fit(X, None, weight, bags=bags, means=means)


def test_optima_that_differ_by_a_constant_are_not_decided():
    X, bags = [[0.0], [0.1], [5.0], [5.1]], ["u", "u", "v", "v"]
    model = IntervalRegressor(NeighborWeights(2))
    model.fit(X, None, bags=bags, means={"u": 1.0, "v": (2, 3)})
    assert model.decided_.tolist() == [True, True, False, False]
    assert model.certified_


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"loss": "absolute"}, MissingOracleError, "squared loss alone; got loss='absolute'"),
        ({"method": "infimum"}, MissingOracleError, "'infimum' would lose the means of bags"),
        ({"method": "average"}, MissingOracleError, "'average' would lose the means of bags"),
        ({"solver": "newton"}, MissingOracleError, "NewtonRegression would lose the means"),
        ({"solver": "alternating"}, MissingOracleError, "would lose the means"),
        ({"solver": "unions"}, MissingOracleError, "would lose the means"),
        ({"solver": "linear_program"}, MissingOracleError, "would lose the means"),
        ({"tolerance": "auto"}, ValueError, "Use tolerance=None"),
        ({"cv": 3}, ValueError, "would cut bags"),
        ({"weights": Mixture([RIDGE], [1.0])}, ValueError, "Pass one weighting"),
        ({"margin": 9.0}, CandidateError, "the intervals of its 100 rows allow means"),
    ],
)
def test_what_cannot_keep_means_is_refused(parameters, error, message, waves):
    X, truth, bags, _ = waves
    y = np.column_stack([truth - 0.4, truth + 0.5])
    means = {b: truth[bags // 10 == b].mean() for b in range(2)}
    model = IntervalRegressor(KernelRidgeWeights()).set_params(**parameters)
    with pytest.raises(error, match=message):
        model.fit(X, y, bags=bags // 10, means=means)


def test_problems_that_are_not_convex_are_refused():
    model = IntervalRegressor("precomputed")
    with pytest.raises(MissingOracleError, match="the problem is convex"):
        model.fit([[2.0, -1.0], [-1.0, 2.0]], None, bags=["u", "u"], means={"u": 1.0})


def test_nothing_known_and_few_bags_are_refused(waves):
    X, _, bags, _ = waves
    with pytest.raises(NoInformationError, match="allows every number"):
        IntervalRegressor(RIDGE).fit(X, None, bags=bags, means=dict.fromkeys(range(20)))
    with pytest.raises(NoInformationError, match=r"at least 10 bags .* got 2. Pass weights"):
        IntervalRegressor().fit(X, None, bags=bags // 10, means={0: 0.0, 1: 1.0})


def test_bags_that_say_nothing_are_reported():
    rng = np.random.default_rng(0)
    X, bags = rng.normal(size=(200, 3)), np.arange(200) // 10
    means = dict(enumerate(rng.normal(size=20)))
    with pytest.warns(UserWarning, match="no kernel predicts the means of the 20 bags"):
        IntervalRegressor().fit(X, None, bags=bags, means=means)


def test_left_out_bags_are_predicted_as_a_refit_does():
    rng = np.random.default_rng(0)
    features, means, sizes = rng.normal(size=(7, 3)), rng.normal(size=7), rng.integers(1, 9, 7)
    kernel, off = features @ features.T, []
    for b in range(7):
        rest = np.arange(7) != b
        system = kernel[np.ix_(rest, rest)] + np.diag(2.0 / sizes[rest])
        block = np.block([[system, np.ones((6, 1))], [np.ones((1, 6)), np.zeros((1, 1))]])
        found = np.linalg.solve(block, np.append(means[rest], 0.0))
        off.append(means[b] - kernel[b, rest] @ found[:-1] - found[-1])
    slow = np.average(np.square(off), weights=sizes)
    fast = left_out_loss(kernel, np.stack([means, means], axis=1), sizes, 2.0)
    assert fast == pytest.approx(slow, rel=1e-10)


def test_models_are_cloned_pickled_and_saved(waves, tmp_path):
    X, _, bags, means = waves
    model = IntervalRegressor(RIDGE).fit(X, bag_means(None, bags, means))
    again = clone(model).fit(X, None, bags=bags, means=means)
    np.testing.assert_array_equal(again.labels_, model.labels_)
    path = tmp_path / "model.skops"
    save_model(model, path)
    for other in (pickle.loads(pickle.dumps(model)), load_model(path)):
        np.testing.assert_allclose(other.predict(X), model.predict(X), rtol=1e-12, atol=1e-14)
        np.testing.assert_array_equal(other.labels_, model.labels_)


def test_bags_are_routed(waves):
    X, truth, bags, means = waves
    with config_context(enable_metadata_routing=True):
        model = IntervalRegressor(RIDGE).set_fit_request(bags=True, means=True)
        splits = list(BagKFold(4).split(X, truth, bags))
        params = {"bags": bags, "means": means}
        y = np.column_stack([np.full(200, -9.0), np.full(200, 9.0)])
        found = cross_validate(
            model, X, y, cv=splits, params=params, return_estimator=True, error_score="raise"
        )
    for fitted, (train, _) in zip(found["estimator"], splits, strict=True):
        kept = [fitted.labels_[bags[train] == b].mean() for b in np.unique(bags[train])]
        np.testing.assert_allclose(kept, [means[b] for b in np.unique(bags[train])], atol=1e-9)
