"""The selection of rankers: scores and shares by brute force, and what is tried."""

from itertools import permutations

import numpy as np
import pytest

from disambig import PartialRanker
from disambig.candidates import PartialOrders
from disambig.estimators.mixture import mixing_shares
from disambig.estimators.selection.order_space import order_entries
from disambig.estimators.selection.orders import OrderMembers, expected_ranks
from disambig.estimators.selection.space import EntryWeightings
from disambig.losses import FootruleLoss, KendallLoss
from disambig.notation import FloatArray, IntArray


def members(orders: PartialOrders, is_mixed: bool = True, loss: object = None) -> OrderMembers:
    bound = (loss or KendallLoss()).bind(orders.items)  # type: ignore[attr-defined]
    return OrderMembers(orders, bound, PartialRanker(), is_mixed)


def problem(seed: int, places: bool) -> tuple[PartialOrders, FloatArray, FloatArray, FloatArray]:
    """Orders, their table, pair probabilities of three members, and sample weights."""
    rng = np.random.default_rng(seed)
    ranks = np.argsort(rng.random((12, 4)), axis=1).astype(float)
    table = np.where(rng.random(ranks.shape) < 0.5, np.nan, ranks)
    orders = PartialOrders.from_any(table, ranks="places" if places else "order")
    return orders, table, rng.random((3, 12, 6)), rng.integers(1, 4, 12).astype(float)


def every_order() -> IntArray:
    return np.array(list(permutations(range(4))))


def written_out(
    orders: PartialOrders, table: FloatArray, shares: FloatArray, row: int
) -> FloatArray:
    """Squared errors of the pairs and places that a row knows."""
    i, j = np.triu_indices(4, 1)
    errors = [
        (shares[row, k] - float(orders.before[row, i[k], j[k]])) ** 2
        for k in range(6)
        if orders.before[row, i[k], j[k]] or orders.before[row, j[k], i[k]]
    ]
    if orders.windows is not None:
        before = np.zeros((4, 4))
        before[i, j], before[j, i] = shares[row], 1.0 - shares[row]
        first, last = orders.windows[row].T
        errors += [
            (before[:, item].sum() - first[item]) ** 2 / 3.0
            for item in range(4)
            if first[item] == last[item]
        ]
    return np.array(errors)


@pytest.mark.parametrize("places", [False, True])
def test_the_score_is_the_squared_error_of_pairs_and_places(places: bool) -> None:
    orders, table, shares, weights = problem(0, places)
    found = members(orders).score(shares[0], weights)
    errors = [written_out(orders, table, shares[0], row) for row in range(12)]
    total = sum(w * e.sum() for w, e in zip(weights, errors, strict=True))
    count = sum(w * e.size for w, e in zip(weights, errors, strict=True))
    assert found.value == pytest.approx(total / count)
    np.testing.assert_allclose(
        expected_ranks(np.array([[1.0, 1.0, 1.0, 0.0, 1.0, 1.0]]), 4), [[0.0, 2.0, 1.0, 3.0]]
    )


@pytest.mark.parametrize("places", [False, True])
def test_the_held_out_loss_is_that_of_the_nearest_order_of_the_set(places: bool) -> None:
    orders, _, shares, weights = problem(1, places)
    kind = members(orders)
    i, j = np.triu_indices(4, 1)
    signs = np.sign(every_order()[:, j] - every_order()[:, i])
    decoded = kind.decoded(shares[0])
    losses = []
    for row in range(12):
        expected = ((signs < 0) * shares[0, row] + (signs > 0) * (1 - shares[0, row])).sum(axis=1)
        ours = (np.sign(decoded[row, j] - decoded[row, i]) * signs).sum(axis=1)
        assert expected[ours.argmax()] == pytest.approx(expected.min())
        inside = [bool(orders[[row]].contains(one[None])[0]) for one in every_order()]
        losses.append(((6 - ours[inside]) / 12).min())
    found = kind.score(shares[0], weights)
    assert found.loss == pytest.approx(np.average(losses, weights=weights))


@pytest.mark.parametrize("places", [False, True])
def test_shares_minimise_the_error_of_the_mixture(places: bool) -> None:
    orders, _, shares, weights = problem(2, places)
    kind = members(orders)
    objective = kind.mixing_objective(shares, weights)
    assert objective is not None
    grid = [np.array([a, b, 20 - a - b]) / 20 for a in range(21) for b in range(21 - a)]
    values = []
    for one in grid:
        value, gradient = objective(one)
        assert value == pytest.approx(kind.score(np.tensordot(one, shares, 1), weights).value)
        step = 1e-6 * np.array([1.0, -1.0, 0.0])
        assert objective(one + step)[0] - value == pytest.approx(gradient @ step, abs=1e-9)
        values.append(value)
    found = mixing_shares(objective, 3, 0.0)
    assert objective(found)[0] <= min(values) + 1e-9
    assert np.abs(found - grid[int(np.argmin(values))]).max() < 0.06


def test_what_is_tried_depends_on_items_and_method() -> None:
    families = {m: {e.family for e in order_entries(m, "", True, True)} for m in (4, 12, 20, 40)}
    assert families[4] - families[12] == {"average votes"}
    assert families[12] - families[20] == {"votes", "neighbor votes", "linear pairs"}
    assert families[40] == {"linear utilities", "kernel utilities"}
    kinds = {
        method: {e.kind for e in order_entries(4, method, False, True)}
        for method in ("a", "infimum")
    }
    assert kinds == {"a": {"laplacian", "neighbors"}, "infimum": {"neighbors"}}
    assert not any(e.scaled for e in order_entries(4, "disambiguation", True, False))


@pytest.mark.parametrize(("n", "leaves"), [(199, [1]), (200, [1, 10])])
def test_forests_with_large_leaves_need_many_rows(n: int, leaves: list[int]) -> None:
    rng = np.random.default_rng(0)
    X, ranks = rng.random((n, 2)), np.argsort(rng.random((n, 20)), axis=1).astype(float)
    kind = members(PartialOrders.from_any(ranks))
    weightings = EntryWeightings(X, np.ones(n), None, None)
    entries = [e for e in order_entries(20, "", True, False) if e.family == "item forests"]
    made = [one for one in (kind.member(entry, weightings) for entry in entries) if one is not None]
    assert [for_all.min_samples_leaf for _, for_all in made] == leaves
    for on_sample, for_all in made:
        # 900 trees for 20 items.
        assert (on_sample.n_trees, for_all.n_trees) == (22, 45)
        assert on_sample.min_samples_leaf == for_all.min_samples_leaf


def test_other_losses_score_predicted_orders() -> None:
    orders = PartialOrders.from_any([[0.0, 1.0, 2.0]])
    kind = members(orders, False, FootruleLoss())
    worst = kind.score(np.array([[2.0, 1.0, 0.0]]), np.ones(1))
    assert worst.loss == worst.value == pytest.approx(1.0)
    assert kind.mixing_objective(np.zeros((1, 1, 3)), np.ones(1)) is None
    assert kind.constant_loss(np.ones(1)) == pytest.approx(0.0)
