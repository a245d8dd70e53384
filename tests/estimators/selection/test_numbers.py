"""What `IntervalRegressor()` selects and mixes, without truth and without units."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.base import clone

from disambig import IntervalRegressor, Mixture
from disambig.candidates import Intervals, number_sets
from disambig.estimators.interval_models import IntervalLasso
from disambig.estimators.mixture import mixing_shares
from disambig.estimators.selection.numbers import NumberMembers
from disambig.losses import PinballLoss, SquaredLoss
from disambig.weights import NeighborWeights, SquashedWeights
from tests.estimators.small_search import small_search


def plane(n=60, seed=0):
    """A surface with an edge, on features of very different units."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    truth = X[:, 0] + np.maximum(X[:, 1], 0.0)
    lower, upper = truth - rng.exponential(0.5, n), truth + rng.exponential(0.5, n)
    lower[::6], upper[1::6] = -np.inf, np.inf
    return X * [1e-3, 1.0, 1e4], np.column_stack([lower, upper]), truth


@pytest.fixture(scope="module")
@small_search()
def mixed():
    X, y, truth = plane()
    return X, y, truth, IntervalRegressor().fit(X, y)


def members_of(sets, loss=None):
    return NumberMembers(
        number_sets(sets), loss or SquaredLoss(), IntervalRegressor, None, True, len(sets)
    )


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.floats(0.0, 1.0))
def test_shares_minimise_the_distance_to_the_intervals(seed, pull):
    rng = np.random.default_rng(seed)
    lower = rng.normal(size=40)
    lower[::4] = -np.inf
    upper = np.where(np.isfinite(lower), lower, 0.0) + rng.exponential(1.0, 40)
    predictions = rng.normal(size=(3, 40, 1)) + np.linspace(-1, 1, 40)[:, None]
    weights = rng.integers(1, 4, size=40).astype(float)
    sets = np.column_stack([lower, upper])
    objective = members_of(sets).mixing_objective(predictions, weights)
    unit = members_of(sets).deviations[0] ** 2

    def distance(shares):
        mixed = np.tensordot(shares, predictions, axes=1)[:, 0]
        gap = np.maximum(lower - mixed, 0) + np.maximum(mixed - upper, 0)
        return np.average(gap**2, weights=weights) / unit

    shares = rng.dirichlet(np.ones(3))
    value, gradient = objective(shares)
    assert value == pytest.approx(distance(shares))
    steps = 1e-6 * np.eye(3)
    slopes = [(distance(shares + step) - distance(shares - step)) / 2e-6 for step in steps]
    assert_allclose(gradient, slopes, atol=1e-5)

    def penalised(w):
        return distance(w) + pull * ((w - 1 / 3) ** 2).sum()

    found = mixing_shares(objective, 3, pull)
    grid = np.array([[a, b, 20 - a - b] for a in range(21) for b in range(21 - a)]) / 20
    assert penalised(found) <= min(map(penalised, grid)) + 1e-5
    exact = minimize(
        penalised,
        np.full(3, 1 / 3),
        method="SLSQP",
        bounds=[(0, 1)] * 3,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
    )
    assert penalised(found) <= exact.fun + 1e-5


def test_a_sine_from_intervals_half_lines_and_points():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(400, 1))
    y = np.sin(10 * X[:, 0])
    kind = rng.integers(4, size=400)
    lower = np.where(kind == 2, -np.inf, y - rng.exponential(0.5, 400) * (kind > 0))
    upper = np.where(kind == 3, np.inf, y + rng.exponential(0.5, 400) * (kind > 0))
    model = IntervalRegressor().fit(X, np.column_stack([lower, upper]))
    queries = np.linspace(0.01, 0.99, 200)[:, None]
    assert np.mean((model.predict(queries) - np.sin(10 * queries[:, 0])) ** 2) <= 0.002


def test_the_mixture_predicts_and_labels_are_in_their_sets(mixed):
    X, y, truth, model = mixed
    sets = Intervals.from_any(y)
    assert isinstance(model.weights_, Mixture)
    assert len(model.members_) > 1
    assert model.shares_.sum() == pytest.approx(1)
    predictions = [member.predict(X) for member in model.members_]
    parts = model.shares_[:, None] * predictions
    assert_allclose(model.predict(X), parts.sum(axis=0))
    assert sets.contains(model.labels_).all()
    assert_allclose(model.slack_[:, 0], model.labels_ - y[:, 0])
    assert (model.slack_ >= 0).all()
    assert np.mean((model.predict(X) - truth) ** 2) < 0.2
    assert model.solution_ is None
    assert not model.certified_
    losses = [trial.held_out_loss for trial in model.trials_]
    assert model.objective_ < 1.5 * min(losses)
    assert losses == sorted(losses)
    assert ((model.confidence_ >= 0) & (model.confidence_ <= 1)).all()


def test_a_refit_without_the_search_is_the_same(mixed):
    X, y, _, model = mixed
    again = IntervalRegressor(clone(model.weights_), margin=model.margin_).fit(X, y)
    assert again.trials_ == ()
    assert_array_equal(again.predict(X), model.predict(X))
    assert_array_equal(again.labels_, model.labels_)


@small_search()
def test_units_do_not_matter(mixed):
    X, y, _, model = mixed
    factors = np.array([1e3, 1e3, 1e-3])
    moved = IntervalRegressor().fit(X * factors, y)
    assert_allclose(moved.predict(X * factors), model.predict(X), atol=1e-5)
    assert_allclose(moved.shares_, model.shares_, atol=1e-5)


@small_search()
def test_a_weight_is_so_many_copies_in_any_order():
    X, y, _ = plane(40)
    weight = np.arange(40) % 3
    copies = np.random.default_rng(1).permutation(np.repeat(np.arange(40), weight))
    weighted = IntervalRegressor().fit(X, y, sample_weight=weight)
    repeated = IntervalRegressor().fit(X[copies], y[copies])
    assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-6)
    assert_allclose(weighted.labels_[copies], repeated.labels_, atol=1e-6)
    # Rows of weight zero have labels, too.
    assert Intervals.from_any(y).contains(weighted.labels_).all()


def test_few_rows_get_a_fixed_rule_and_a_warning():
    X, y, _ = plane(15)
    with pytest.warns(UserWarning, match=r"only 15 of 15 rows exclude a number.*Gaussian kernel"):
        model = IntervalRegressor().fit(X, y)
    assert model.certified_
    assert model.members_ == ()
    assert model.margin_ > 0
    again = IntervalRegressor(clone(model.weights_), margin=model.margin_).fit(X, y)
    assert_allclose(again.predict(X), model.predict(X))


@small_search()
def test_pure_noise_is_nearly_constant_with_a_warning():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = IntervalRegressor().fit(X, np.column_stack([y - 0.1, y + 0.1]))
    if any("better than one constant" in str(one.message) for one in caught):
        assert model.predict(X).std() < 0.2 * y.std()
    else:
        assert model.trials_[0].held_out_loss < y.var()


def test_unions_get_one_member():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(60, 1))
    size = 1.0 + X[:, 0] ** 2
    y = [[(-s - 0.1, -s + 0.1), (s - 0.1, s + 0.1)] for s in size]
    for row in range(0, 60, 3):
        y[row] = [(size[row] - 0.1, size[row] + 0.1)]
    model = IntervalRegressor().fit(X, y)
    assert model.members_ == ()
    assert len(model.trials_) > 1
    assert number_sets(y).contains(model.labels_).all()
    assert np.abs(model.predict(X) - size).max() < 0.5
    with pytest.raises(ValueError, match="a Mixture needs intervals"):
        IntervalRegressor(Mixture([IntervalLasso()])).fit(X, y)


@small_search()
def test_boxes_choose_their_columns_together():
    X, y, _ = plane(50)
    boxes = np.stack([y, 1e3 * y], axis=1)
    model = IntervalRegressor().fit(X, boxes)
    assert model.predict(X).shape == (50, 2)
    assert Intervals.from_any(boxes).contains(model.labels_).all()
    # Columns count in their own units.
    assert_allclose(model.predict(X)[:, 1], 1e3 * model.predict(X)[:, 0], rtol=0.02, atol=20)


@pytest.mark.parametrize(
    "options",
    [
        {"loss": "absolute"},
        {"loss": PinballLoss(0.8)},
        {"method": "average"},
        {"method": "infimum"},
        {"formulation": "votes"},
        {"formulation": "risk", "solver": "newton"},
        {"predict_weights": SquashedWeights(NeighborWeights(3))},
        {"margin": 0.2},
    ],
    ids=str,
)
@small_search()
def test_other_losses_methods_and_parameters_are_honoured(options):
    X, y, _ = plane(40)
    model = IntervalRegressor(**options).fit(X, y)
    assert len(model.trials_) > 1
    assert Intervals.from_any(y).contains(model.labels_).all()
    if "margin" in options:
        wide = y[:, 1] - y[:, 0] >= 0.4
        assert model.slack_[wide].min() >= 0.2 - 1e-9
        assert {trial.weights.margin for trial in model.trials_} == {0.2}
    else:
        assert model.members_ == ()
        for name, value in options.items():
            assert getattr(model.trials_[0].weights, name) == value


@small_search()
def test_sparse_inputs_and_groups():
    X, y, _ = plane(48)
    X = np.where(np.abs(X / X.std(axis=0)) > 0.3, X, 0.0)
    model = IntervalRegressor().fit(sp.csr_array(X), y, groups=np.arange(48) // 2)
    assert Intervals.from_any(y).contains(model.labels_).all()
    assert_allclose(model.predict(sp.csr_array(X)), model.predict(X), atol=1e-8)


@small_search()
def test_intervals_of_a_mixture_are_calibrated_without_a_new_search():
    X, y, _ = plane(120)
    rest, new = slice(0, 70), slice(70, 120)
    model = IntervalRegressor(cv=3).fit(X[rest], y[rest])
    ends = model.predict_interval(X[new], 0.8)
    meets = (ends[:, 0] <= y[new, 1]) & (ends[:, 1] >= y[new, 0])
    assert meets.mean() >= 0.7
    wider = model.predict_interval(X[new], 0.8, meaning="contains")
    assert (np.ptp(wider, axis=1) >= np.ptp(ends, axis=1) - 1e-9).all()


def test_parameters_that_a_mixture_would_ignore_are_refused(mixed):
    X, y, _, model = mixed
    for options, name in (
        ({"loss": "absolute"}, "loss='absolute'"),
        ({"formulation": "votes"}, "formulation='votes'"),
        ({"solver": "newton"}, "solver='newton'"),
        ({"predict_weights": "neighbors"}, "predict_weights='neighbors'"),
    ):
        with pytest.raises(ValueError, match=name):
            IntervalRegressor(model.weights_, **options).fit(X, y)
    with pytest.raises(ValueError, match="margin"):
        IntervalRegressor(margin="wide").fit(X, y)


def test_the_callback_sees_the_solvers_of_the_members(mixed):
    X, y, _, model = mixed
    seen = []
    IntervalRegressor(model.weights_, callback=seen.append).fit(X, y)
    assert seen
    assert all(getattr(member, "callback", None) is None for member in model.weights_.members)
