"""Forests of items, their targets and the slope of their probabilities."""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit

from disambig.candidates import PartialOrders
from disambig.estimators.rankers.calibration import pair_scale
from disambig.estimators.rankers.item_forest import ItemForestRanker
from disambig.estimators.rankers.targets import expected_places
from disambig.losses.orders.means import mean_orders


def test_places_of_chains_have_the_mean_and_variance_of_all_orders() -> None:
    rng = np.random.default_rng(0)
    ranks = np.argsort(rng.random((40, 5)), axis=1).astype(float)
    orders = PartialOrders.from_any(np.where(rng.random(ranks.shape) < 0.4, np.nan, ranks))
    places, information = expected_places(orders)
    means = mean_orders(orders)
    distribution = means.places[means.rows]
    steps = np.arange(5)
    np.testing.assert_allclose(places, distribution @ steps, atol=1e-12)
    variance = distribution @ steps**2 - (distribution @ steps) ** 2
    np.testing.assert_allclose(information, 1.0 - variance / 2.0, atol=1e-12)


def test_a_known_place_is_the_target() -> None:
    orders = PartialOrders.from_any([[np.nan, 3.0, np.nan, 1.0]], ranks="places")
    places, information = expected_places(orders)
    assert places[0, [1, 3]].tolist() == [3.0, 1.0]
    assert information[0, [1, 3]].tolist() == [1.0, 1.0]


def test_the_slope_minimises_the_squared_error() -> None:
    rng = np.random.default_rng(0)
    margins, weights = rng.normal(size=(200, 3)), rng.random(200)
    signs = np.where(rng.random((200, 3)) < expit(2.0 * margins), 1, -1)
    signs[rng.random(signs.shape) < 0.3] = 0

    def error(slope: float) -> float:
        losses = np.where(signs != 0, (expit(slope * margins) - (signs > 0)) ** 2, 0.0)
        return float(weights @ losses.sum(axis=1))

    best = minimize_scalar(error, bounds=(0.1, 20.0), method="bounded")
    found = pair_scale(margins, signs, weights)
    assert error(found) <= best.fun * (1 + 1e-4)
    assert pair_scale(np.zeros((3, 1)), np.ones((3, 1)), np.ones(3)) == 1.0


def test_forests_learn_steps_and_leave_unknown_items_in_the_middle() -> None:
    X = np.linspace(-1.0, 1.0, 60)[:, None]
    y = np.where(X > 0, [[0.0, 1.0, np.nan]], [[1.0, 0.0, np.nan]])
    model = ItemForestRanker(30).fit(X, PartialOrders.from_any(y))
    shares = model.pair_shares(X)
    assert (shares[X[:, 0] > 0.1, 0] > 0.9).all()
    assert (shares[X[:, 0] < -0.1, 0] < 0.1).all()
    assert model.forests_[2] is None
    np.testing.assert_array_equal(model.places(X)[:, 2], 1.0)


def test_few_rows_and_nothing_known_are_finite() -> None:
    for y in ([[0.0, 1.0, np.nan]], [[np.nan] * 3] * 3, [[0.0, 1.0, 2.0]] * 2):
        X = np.arange(len(y), dtype=float)[:, None]
        shares = ItemForestRanker(5).fit(X, PartialOrders.from_any(y)).pair_shares(X)
        assert np.isfinite(shares).all()
