import pickle
from itertools import pairwise, permutations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disambig import PartialOrders, PartialRanker
from disambig.exceptions import (
    CandidateError,
    InputShiftWarning,
    MissingOracleError,
    NoInformationError,
    NoVotesWarning,
)
from disambig.losses import DCGLoss, KendallLoss, ZeroOneLoss
from disambig.solvers import AlternatingMinimization, AnnealedMinimization
from disambig.weights import KernelRidgeWeights, NadarayaWatsonWeights, NeighborWeights

METHODS = ["disambiguation", "infimum", "average"]


def lines(n=60, m=5, hidden=0.4, seed=0):
    """Items whose scores are linear in x; each rank is hidden with probability `hidden`."""
    rng = np.random.default_rng(seed)
    X = np.sort(rng.uniform(-1, 1, size=(n, 1)), axis=0)
    scores = X * rng.normal(size=m) + 0.5 * rng.normal(size=m)
    truth = np.argsort(np.argsort(-scores, axis=1), axis=1)
    return X, np.where(rng.random((n, m)) < hidden, np.nan, truth), truth


def test_recovers_orders_better_than_the_baselines():
    errors = {method: [] for method in METHODS}
    for seed in range(5):
        X, y, truth = lines(hidden=0.6, seed=seed)
        for method in METHODS:
            model = PartialRanker(weights=NeighborWeights(9), method=method).fit(X, y)
            assert PartialOrders.from_ranks(y).contains(model.labels_).all()
            errors[method].append(1 - model.score(X, truth))
    mean = {method: np.mean(values) for method, values in errors.items()}
    assert mean["disambiguation"] < 0.12
    assert mean["disambiguation"] <= min(mean["infimum"], mean["average"]) + 0.01


@pytest.mark.parametrize("method", METHODS)
def test_total_orders_are_supervised_learning(method):
    X, _, truth = lines()
    weights = KernelRidgeWeights(bandwidth=0.3)
    model = PartialRanker(weights=weights, method=method).fit(X, truth)
    np.testing.assert_array_equal(model.labels_, truth)
    assert model.decided_.all()
    assert not model.undecided_pairs_.any()
    # Supervised structured prediction: the order of least expected loss, by enumeration.
    loss = KendallLoss().bind(np.arange(5))
    all_orders = np.array(list(permutations(range(5))))
    scores = (weights.fit(X).votes(X) @ loss.phi(truth)) @ loss.psi(all_orders).T
    losses = np.einsum(
        "ip,ip->i", weights.fit(X).votes(X) @ loss.phi(truth), loss.psi(model.predict(X))
    )
    np.testing.assert_allclose(losses, scores.min(axis=1), atol=1e-9)


def test_fitted_attributes():
    X, y, _ = lines()
    model = PartialRanker(weights=NeighborWeights(9)).fit(X, y)
    shares = model.pair_probabilities_
    off = ~np.eye(5, dtype=bool)
    np.testing.assert_allclose((shares + np.swapaxes(shares, 1, 2))[:, off], 1)
    known = PartialOrders.from_ranks(y).before
    assert (shares[known] == 1).all()
    assert not model.undecided_pairs_[known].any()
    np.testing.assert_array_equal(model.undecided_pairs_.any(axis=(1, 2)), ~model.decided_)
    proba = model.pairwise_proba(X[:4])
    assert proba.shape == (4, 5, 5)
    assert ((proba >= 0) & (proba <= 1)).all()
    order = model.predict_order(X[:4])
    np.testing.assert_array_equal(np.argsort(order, axis=1), model.predict(X[:4]))
    assert model.infimum_is_exact_ is None
    assert PartialRanker(method="infimum").fit(X, y).infimum_is_exact_ is False
    assert PartialRanker(method="average").fit(X, y).average_is_exact_ is True


def test_pairs_with_equal_votes_are_undecided():
    X = np.arange(3.0)[:, None]
    model = PartialRanker(weights=NeighborWeights(3), items=["a", "b"])
    model.fit(X, ["a>b", "b>a", ""])
    np.testing.assert_array_equal(model.decided_, [True, True, False])
    np.testing.assert_array_equal(model.undecided_pairs_[:, 0, 1], [False, False, True])
    np.testing.assert_allclose(model.pair_probabilities_[2, 0, 1], 0.5)
    np.testing.assert_array_equal(model.labels_[2], [0, 1])


def test_all_forms_of_y_agree():
    X, y, _ = lines()
    orders = PartialOrders.from_ranks(y, items=list("abcde"))
    reference = PartialRanker(weights=NeighborWeights(9)).fit(X, orders)
    pairs = [list(row) for row in orders]
    frame = pd.DataFrame(y, columns=list("abcde"))
    for form, items in [(frame, None), (np.asarray(orders), list("abcde")), (pairs, list("abcde"))]:
        model = PartialRanker(weights=NeighborWeights(9), items=items).fit(X, form)
        np.testing.assert_array_equal(model.labels_, reference.labels_)
        assert list(model.items_) == list("abcde")


def test_ranks_with_nan_through_searches():
    X, y, _ = lines()
    search = GridSearchCV(
        make_pipeline(StandardScaler(), PartialRanker(weights=NeighborWeights())),
        {"partialranker__weights__n_neighbors": [3, 9]},
        cv=KFold(3, shuffle=True, random_state=0),
        error_score="raise",
    ).fit(X, y)
    assert 0.5 < search.best_score_ <= 1
    orders = PartialOrders.from_ranks(y)
    # The rows are sorted: folds in their order leave the range of the others, or are a gap in it.
    with pytest.warns(InputShiftWarning, match="lie farther from the training rows"):
        scores = cross_val_score(
            PartialRanker(weights=NeighborWeights(9)), X, orders, cv=3, error_score="raise"
        )
    assert np.isfinite(scores).all()


def test_sample_weights_are_copies():
    X, y, _ = lines(n=40)
    copies = np.random.default_rng(1).integers(0, 3, size=40)
    weights = KernelRidgeWeights(bandwidth=0.3)
    weighted = PartialRanker(weights=weights).fit(X, y, sample_weight=copies)
    repeated = PartialRanker(weights=weights).fit(
        np.repeat(X, copies, axis=0), np.repeat(y, copies, axis=0)
    )
    np.testing.assert_allclose(weighted.objective_, repeated.objective_, atol=1e-7)
    np.testing.assert_array_equal(weighted.predict(X), repeated.predict(X))
    assert PartialOrders.from_ranks(y).contains(weighted.labels_).all()


def test_sample_weights_are_copies_for_annealing():
    X, y, _ = lines(n=40)
    copies = np.random.default_rng(1).integers(1, 6, size=40)
    options = {"weights": KernelRidgeWeights(bandwidth=0.3), "solver": AnnealedMinimization()}
    weighted = PartialRanker(**options).fit(X, y, sample_weight=copies)
    repeated = PartialRanker(**options).fit(
        np.repeat(X, copies, axis=0), np.repeat(y, copies, axis=0)
    )
    np.testing.assert_allclose(
        [progress.objective for progress in weighted.trace_],
        [progress.objective for progress in repeated.trace_],
        atol=1e-6,
    )
    assert weighted.relaxed_objective_ == pytest.approx(repeated.relaxed_objective_, abs=1e-6)
    np.testing.assert_array_equal(np.repeat(weighted.labels_, copies, axis=0), repeated.labels_)
    np.testing.assert_array_equal(weighted.predict(X), repeated.predict(X))


def test_inputs_without_votes():
    X, y, _ = lines()
    model = PartialRanker(weights=NadarayaWatsonWeights(bandwidth=0.05)).fit(X, y)
    with pytest.warns(UserWarning, match="1 of 1 inputs get no vote"):
        ranks = model.predict([[1e6]])
    assert sorted(ranks[0]) == list(range(5))
    with pytest.warns(NoVotesWarning, match="predicted by 1/2 for every pair"):
        found = model.pairwise_proba([[1e6]])[0]
    np.testing.assert_allclose(found[~np.eye(5, dtype=bool)], 0.5)


def test_clone_pickle_and_one_item():
    X, y, _ = lines()
    model = clone(PartialRanker(weights=NeighborWeights(9))).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    one = PartialRanker().fit(X, np.ones(len(X)))
    assert one.predict(X).shape == (len(X), 1)


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        (["a>b", "a>b>c; c>a"], CandidateError, "row 1"),
        ([[1, 2], [np.nan, 1]], ValueError, "X has 3 rows and y has 2"),
        (np.full((3, 2), np.nan), NoInformationError, "none of the 3 rows compares two items"),
        (None, ValueError, "requires y"),
    ],
)
def test_bad_y(y, error, message):
    X = (
        np.arange(3.0)[:, None]
        if y is None or len(y) != 2 or isinstance(y[0], list)
        else [[0], [1]]
    )
    with pytest.raises(error, match=message):
        PartialRanker(weights=NeighborWeights(2)).fit(X, y)


def test_bad_options():
    X, y, _ = lines(n=12)
    with pytest.raises(ValueError, match="method must be one of"):
        PartialRanker(method="magic").fit(X, y)
    with pytest.raises(ValueError, match=r"loss must be one of .*; got 'tau'"):
        PartialRanker(loss="tau").fit(X, y)
    with pytest.raises(TypeError, match=r"loss must be one of 'kendall', .*; got int"):
        PartialRanker(loss=3).fit(X, y)
    with pytest.raises(TypeError, match=r"a loss between orders such as .*; got ZeroOneLoss"):
        PartialRanker(loss=ZeroOneLoss()).fit(X, y)


LOSSES = [
    "kendall",
    KendallLoss(position_weights="inverse"),
    KendallLoss([1, 2, 3, 1], "log2"),
    "footrule",
    "dcg",
    DCGLoss(gain="exponential"),
    DCGLoss(cutoff=2),
]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_every_loss_recovers_orders_of_separate_groups(loss, method):
    # Three groups of inputs with one order each; a row has the ranks of two or three items.
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(3), 25)
    X = 10.0 * groups[:, None] + rng.normal(size=(75, 1))
    orders = np.array([[0, 1, 2, 3], [3, 1, 0, 2], [2, 3, 1, 0]])
    truth = orders[groups]
    y = truth.astype(float)
    for r in range(75):
        y[r, rng.choice(4, size=rng.integers(1, 3), replace=False)] = np.nan
    model = PartialRanker(weights=NeighborWeights(12), loss=loss, method=method).fit(X, y)
    assert PartialOrders.from_ranks(y).contains(model.labels_).all()
    at_top = truth < (2 if isinstance(loss, DCGLoss) and loss.cutoff else 4)
    right = model.predict(X)[at_top] == truth[at_top]
    assert right.mean() > 0.95
    if method == "disambiguation":
        assert right.all()
        np.testing.assert_array_equal(model.labels_[at_top], truth[at_top])
        assert model.decided_.all() == at_top.all()
    proba = model.pairwise_proba(X)
    off = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose((proba + np.swapaxes(proba, 1, 2))[:, off], 1)
    assert (proba[truth[:, :, None] < truth[:, None, :]] > 0.5).mean() > 0.9
    np.testing.assert_array_equal(model.undecided_pairs_.any(axis=(1, 2)) & model.decided_, False)


@pytest.mark.parametrize("loss", LOSSES[1:5], ids=str)
def test_other_losses_are_supervised_learning_on_total_orders(loss):
    X, _, truth = lines(m=4)
    weights = KernelRidgeWeights(bandwidth=0.3)
    model = PartialRanker(weights=weights, loss=loss).fit(X, truth)
    np.testing.assert_array_equal(model.labels_, truth)
    assert model.decided_.all()
    all_orders = np.array(list(permutations(range(4))))
    votes = weights.fit(X).votes(X) @ model.loss_.phi(truth)
    losses = np.einsum("ip,ip->i", votes, model.loss_.psi(model.predict(X)))
    np.testing.assert_allclose(
        losses, (votes @ model.loss_.psi(all_orders).T).min(axis=1), atol=1e-9
    )


@pytest.mark.parametrize("loss", ["footrule", "dcg"])
def test_observed_pairs_are_a_better_start(loss):
    X, y, truth = lines(n=100, m=6, hidden=0.6)
    default = PartialRanker(weights=NeighborWeights(15), loss=loss).fit(X, y)
    average = PartialRanker(
        weights=NeighborWeights(15), loss=loss, solver=AlternatingMinimization("average")
    ).fit(X, y)
    assert default.objective_ < average.objective_
    assert default.score(X, truth) > average.score(X, truth)


def test_pairs_below_the_cutoff_are_undecided():
    X = np.arange(4.0)[:, None]
    model = PartialRanker(weights=NeighborWeights(4), loss=DCGLoss(cutoff=1), items=list("abc"))
    model.fit(X, ["a>b>c", "a>b>c", "a>b; a>c", "a>b; a>c"])
    np.testing.assert_array_equal(model.labels_[:, 0], 0)
    np.testing.assert_array_equal(model.decided_, [True, True, False, False])
    np.testing.assert_array_equal(model.undecided_pairs_[2], model.undecided_pairs_[3])
    np.testing.assert_array_equal(
        model.undecided_pairs_[2], [[False] * 3, [False, False, True], [False, True, False]]
    )


def test_rows_of_weight_zero_with_every_loss():
    X, y, _ = lines(n=30, m=4)
    for loss in LOSSES:
        model = PartialRanker(weights=NeighborWeights(5), loss=loss)
        model.fit(X, y, sample_weight=np.arange(30) % 3)
        assert PartialOrders.from_ranks(y).contains(model.labels_).all()


def test_loss_parameters_can_be_searched():
    X, y, _ = lines()
    search = GridSearchCV(
        PartialRanker(weights=NeighborWeights(9), loss=DCGLoss()),
        {"loss__gain": ["linear", "exponential"], "loss__cutoff": [None, 3]},
        cv=KFold(3, shuffle=True, random_state=0),
        error_score="raise",
    ).fit(X, y)
    assert search.best_score_ > 0.5


def test_weights_of_positions_can_be_searched():
    X, y, _ = lines(hidden=0.6)
    search = GridSearchCV(
        PartialRanker(weights=NeighborWeights(9), loss=KendallLoss()),
        {"loss__position_weights": [None, "inverse", "log2", [1, 1, 0.5, 0.5, 0]]},
        cv=KFold(3, shuffle=True, random_state=0),
        error_score="raise",
    ).fit(X, y)
    assert search.best_score_ > 0.5
    # Equal weights are the plain loss.
    plain = PartialRanker(weights=NeighborWeights(9)).fit(X, y)
    equal = PartialRanker(
        weights=NeighborWeights(9), loss=KendallLoss(position_weights=[3] * 5)
    ).fit(X, y)
    np.testing.assert_array_equal(equal.predict(X), plain.predict(X))
    assert equal.objective_ == plain.objective_


def test_only_the_top_counts():
    """Weights of 0 below the second position: the top is learned, the rest is undecided."""
    X, y, truth = lines(n=80, m=5, hidden=0.3)
    loss = KendallLoss(position_weights=[2, 1, 0, 0, 0])
    model = PartialRanker(weights=NeighborWeights(9), loss=loss).fit(X, y)
    assert PartialOrders.from_ranks(y).contains(model.labels_).all()
    assert (model.predict(X)[truth == 0] == 0).mean() > 0.85
    assert model.undecided_pairs_.any()
    # In all_orders stage the objective falls or stays.
    for before, after in pairwise(model.trace_):
        if before.stage == after.stage:
            assert after.objective <= before.objective + 1e-9
    # The objective is the minimum over all orders.
    all_orders = np.array(list(permutations(range(5))))
    votes = NeighborWeights(9).fit(X).votes(X) @ model.loss_.phi(model.labels_)
    assert model.objective_ == pytest.approx(
        (votes @ model.loss_.psi(all_orders).T).min(axis=1).sum()
    )


def test_weights_of_positions_need_few_items():
    X, y, _ = lines(n=12, m=21)
    with pytest.raises(MissingOracleError, match=r"21 items .* at most 20"):
        PartialRanker(loss=KendallLoss(position_weights="inverse")).fit(X, y)


@pytest.mark.parametrize("loss", ["footrule", "dcg"])
@pytest.mark.parametrize("method", ["disambiguation", "infimum", "average"])
def test_partial_orders_of_many_items_are_refused_before_other_work(loss, method):
    rng = np.random.default_rng(0)
    ranks = np.array([rng.permutation(26) for _ in range(5)]).astype(float)
    ranks[3, :4] = np.nan

    def never(X, Y):
        raise AssertionError("votes were computed")

    message = r"row 3 \(1 such rows\) is ordered in part.*at most 20 items; there are 26"
    # Rows of weight zero get an order of their set, too.
    for sample_weight in (None, [1, 1, 1, 0, 1]):
        model = PartialRanker(weights=never, loss=loss, method=method)
        with pytest.raises(MissingOracleError, match=message):
            model.fit(rng.normal(size=(5, 2)), ranks, sample_weight=sample_weight)


def test_an_item_that_is_never_compared_is_undecided_in_every_row():
    X = [[0.0], [0.1], [0.2], [0.3]]
    y = ["a>b", "a>b", "b>c", "a>b"]
    model = PartialRanker(NeighborWeights(4), items=["a", "b", "c", "d"]).fit(X, y)
    open_pairs = np.zeros((4, 4), dtype=bool)
    open_pairs[:3, 3] = open_pairs[3, :3] = True
    # (a, c) is compared by a chain through two rows; d is never compared.
    for row in range(4):
        np.testing.assert_array_equal(model.undecided_pairs_[row] & open_pairs, open_pairs)
        assert not model.undecided_pairs_[row][:3, :3].any()
    assert not model.decided_.any()


@pytest.mark.parametrize("formulation", ["one_block", "two_blocks"])
def test_annealed_orders(formulation):
    X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    y = ["a>b", "b>c", "a>c", "c>b", "b>a", "c>a"]
    model = PartialRanker(NeighborWeights(3), solver=AnnealedMinimization(formulation)).fit(X, y)
    assert model.predict_order([[0.05], [5.05]]).tolist() == [["a", "b", "c"], ["c", "b", "a"]]
    assert model.labels_.tolist() == [[0, 1, 2]] * 3 + [[2, 1, 0]] * 3
    assert model.decided_.all()
    assert not model.undecided_pairs_.any()
    stages = dict.fromkeys(progress.stage for progress in model.trace_)
    assert next(iter(stages)) == "temperature 1"
    assert len(stages) == 15
    values = [progress.objective for progress in model.trace_]
    assert (np.diff(values) <= 1e-9).all()
    assert model.pairwise_proba([[0.1]])[0, 0, 1] > 0.9


def test_annealed_orders_leave_pairs_without_votes_undecided():
    X = [[0.0], [0.1], [5.0], [5.1]]
    y = ["a>b", "a>b", "b>a; c>d", "b>a"]
    model = PartialRanker(NeighborWeights(2), solver="annealed").fit(X, y)
    assert model.undecided_pairs_[0, 2, 3]
    assert not model.undecided_pairs_[0, 0, 1]
    assert not model.decided_.any()
