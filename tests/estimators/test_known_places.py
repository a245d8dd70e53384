"""`PartialRanker(ranks="places")`: a number in y is the place of its item among all items."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

from disambig import PartialRanker
from disambig.candidates import PartialOrders
from disambig.exceptions import CandidateError, NoInformationError
from disambig.losses import DCGLoss, KendallLoss
from disambig.metrics import kendall_tau, kendall_tau_scorer, pair_error
from disambig.solvers import AnnealedMinimization, FrankWolfeMinimization
from disambig.weights import NeighborWeights

NAN = np.nan


def lines(seed, n, m, n_known):
    """Rankings by values that are linear in X, and a table of a few of their places."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 2))
    values = X @ rng.normal(size=(2, m)) + 0.5 * rng.normal(size=m)
    ranks = np.argsort(np.argsort(-values, axis=1), axis=1)
    known = np.argsort(rng.random((n, m)), axis=1) < n_known
    return X, ranks, np.where(known, ranks, NAN)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"loss": "footrule"},
        {"loss": DCGLoss(gain="exponential", cutoff=2)},
        {"loss": KendallLoss([1, 2, 1, 3, 1], "inverse")},
        {"method": "average"},
        {"method": "average", "loss": "footrule"},
        {"method": "infimum"},
        {"solver": "alternating"},
        {"solver": AnnealedMinimization()},
        {"solver": FrankWolfeMinimization()},
        {"solver": FrankWolfeMinimization(), "loss": "footrule"},
    ],
    ids=str,
)
def test_labels_have_the_known_places(options):
    X, ranks, table = lines(0, 60, 5, 2)
    model = PartialRanker("neighbors", ranks="places", **options).fit(X, table)
    known = ~np.isnan(table)
    np.testing.assert_array_equal(model.labels_[known], table[known])
    np.testing.assert_array_equal(np.sort(model.labels_, axis=1), np.tile(np.arange(5), (60, 1)))
    assert PartialOrders.from_places(table).contains(model.labels_).all()
    # Pairs of two known places are certain.
    first, second = np.argwhere(known[0]).ravel()
    before = float(table[0, first] < table[0, second])
    assert model.pair_probabilities_[0, first, second] == before
    if options.get("method") == "average":
        assert model.average_is_exact_
    assert kendall_tau(ranks, model.predict(X)) > 0.6


def test_places_say_more_than_an_order():
    X, ranks, table = lines(1, 200, 6, 2)
    by_order, by_places = (
        PartialRanker("neighbors", ranks=meaning).fit(X[:120], table[:120])
        for meaning in ("order", "places")
    )
    assert kendall_tau(ranks[:120], by_places.labels_) > kendall_tau(ranks[:120], by_order.labels_)
    shared = kendall_tau(ranks[120:], by_order.predict(X[120:]))
    assert kendall_tau(ranks[120:], by_places.predict(X[120:])) > shared


def test_one_place_in_the_middle_is_enough_to_learn():
    """No pair is known, in any row: each row has one place, neither the first nor the last."""
    X, ranks, _ = lines(2, 150, 5, 5)
    table = np.full(ranks.shape, NAN)
    rows = np.arange(150)
    shown = np.argmax(ranks == (1 + rows % 3)[:, None], axis=1)
    table[rows, shown] = ranks[rows, shown]
    model = PartialRanker("neighbors", ranks="places").fit(X, table)
    assert (PartialOrders.from_places(table).n_observed == 0).any()
    assert kendall_tau(ranks, model.labels_) > 0.5
    with pytest.raises(NoInformationError, match="compares two items"):
        PartialRanker("neighbors").fit(X, table)


def test_rows_of_weight_zero_get_an_order_of_their_set():
    X, _, table = lines(3, 50, 5, 2)
    weight = np.arange(50) % 3 > 0
    model = PartialRanker("neighbors", ranks="places").fit(X, table, sample_weight=weight)
    assert PartialOrders.from_places(table).contains(model.labels_).all()


def test_scikit_learn_splits_and_scores_tables_of_places():
    X, _, table = lines(4, 60, 4, 2)
    model = PartialRanker(NeighborWeights(n_neighbors=8), ranks="places")
    scores = cross_val_score(model, X, table, cv=3, error_score="raise")
    by_scorer = cross_val_score(model, X, table, cv=3, scoring=kendall_tau_scorer)
    as_windows = np.stack([table, table], axis=2)
    as_orders = PartialOrders.from_places(table)
    for y in (as_windows, as_orders):
        again = cross_val_score(model, X, y, cv=3, error_score="raise")
        np.testing.assert_array_equal(again, scores)
    np.testing.assert_array_equal(by_scorer, scores)
    # Pairs that follow from places are scored: an item at place 0 stands before all others.
    train, test = next(KFold(3).split(X))
    fitted = clone(model).fit(X[train], table[train])
    observed = as_orders[test]
    assert scores[0] == kendall_tau(observed, fitted.predict(X[test]))
    assert observed.n_observed.sum() > PartialOrders.from_any(table[test]).n_observed.sum()
    search = GridSearchCV(model, {"ranks": ["order", "places"]}, cv=2, error_score="raise")
    assert search.fit(X, table).best_params_["ranks"] in {"order", "places"}


def test_metrics_count_pairs_that_follow_from_places():
    assert kendall_tau([[0, NAN, NAN]], [[1, 0, 2]], ranks="places") == 0.0
    assert pair_error([[0, NAN, NAN]], [[1, 0, 2]], ranks="places") == 0.5
    assert kendall_tau([[1, 1, 0]], [[1, 2, 0]], ranks="places") == 1.0


def test_undecided_pairs_know_what_places_exclude():
    """Item k stands in the middle and i before it, in different rows: so i stands before j."""
    X = np.zeros((2, 1))
    orders = PartialOrders.from_pairs([[("i", "k")], []], items=["i", "j", "k"])
    windows = np.tile([0, 2], (2, 3, 1))
    windows[1, 2] = 1, 1
    y = PartialOrders(orders.before, orders.items, windows)
    model = PartialRanker(NeighborWeights(n_neighbors=2)).fit(X, y)
    assert model.labels_.tolist() == [[0, 2, 1], [0, 2, 1]]
    assert not model.undecided_pairs_.any()
    assert model.decided_.all()


def test_contradictory_places_leave_labels_in_their_sets():
    X = np.zeros((3, 1))
    table = [[0, NAN, NAN, NAN], [1, NAN, NAN, NAN], [3, NAN, NAN, NAN]]
    model = PartialRanker(NeighborWeights(n_neighbors=3), ranks="places").fit(X, table)
    assert model.labels_[:, 0].tolist() == [0, 1, 3]


def test_the_parameter_is_checked():
    X, _, table = lines(5, 10, 3, 2)
    with pytest.raises(CandidateError, match="ranks must be 'order'"):
        PartialRanker(ranks="rank").fit(X, table)
    with pytest.raises(CandidateError, match="subtract 1 from places that count from 1"):
        PartialRanker(ranks="places").fit(X, table + 1)


@pytest.mark.needs_jit
def test_more_items_than_the_dynamic_program_takes():
    X, ranks, _ = lines(6, 24, 24, 24)
    # Every place is known up to one, and of a quarter of the items, which change, not at all.
    table = np.clip(np.stack([ranks - 1, ranks + 1], axis=2), 0, 23).astype(float)
    table[(np.arange(24) + np.arange(24)[:, None]) % 4 == 0] = NAN
    orders = PartialOrders.from_places(table)
    for loss in ("kendall", "footrule"):
        model = PartialRanker("neighbors", loss=loss, ranks="places").fit(X, table)
        assert orders.contains(model.labels_).all()
        assert kendall_tau(ranks, model.labels_) > 0.8
