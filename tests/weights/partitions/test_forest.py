"""Votes of a forest against the predictions of the forest."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomTreesEmbedding,
)
from sklearn.frozen import FrozenEstimator
from sklearn.neighbors import KNeighborsRegressor

from disambig import PartialLabelClassifier, memory
from disambig.exceptions import MemoryBudgetError, VotesError
from disambig.votes.partition import PartitionVotes
from disambig.weights import ForestWeights, TreeWeights
from disambig.weights.partitions.trees import column_factors, scaled_columns

RNG = np.random.default_rng(0)
X, Q = RNG.normal(size=(60, 3)), RNG.normal(size=(20, 3))
Y = np.sin(X[:, 0]) + RNG.normal(size=60) / 10
CLASSES = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)


def entries(votes):
    return votes @ np.eye(votes.shape[1])


def test_a_bootstrapped_forest_predicts_by_these_votes():
    forest = RandomForestRegressor(40, oob_score=True, random_state=0).fit(X, Y)
    weights = ForestWeights(forest).fit(X)
    assert isinstance(weights.training_votes(), PartitionVotes)
    assert_allclose(weights.votes(Q) @ Y, forest.predict(Q), atol=1e-12)
    assert_allclose(weights.training_votes() @ Y, forest.predict(X), atol=1e-12)
    assert_allclose(weights.leave_one_out_votes() @ Y, forest.oob_prediction_, atol=1e-12)
    assert_array_equal(entries(weights.leave_one_out_votes()).diagonal(), np.zeros(60))


@pytest.mark.parametrize("max_samples", [None, 0.4, 7])
def test_a_bootstrapped_classifier_too(max_samples):
    forest = RandomForestClassifier(
        60, min_samples_leaf=3, max_samples=max_samples, oob_score=True, random_state=1
    ).fit(X, CLASSES)
    weights, one_hot = ForestWeights(forest).fit(X), np.eye(3)[CLASSES]
    assert_allclose(weights.votes(Q) @ one_hot, forest.predict_proba(Q), atol=1e-12)
    assert_allclose(
        weights.leave_one_out_votes() @ one_hot, forest.oob_decision_function_, atol=1e-12
    )


def test_trees_read_missing_cells_themselves():
    holed, queries = (np.where(RNG.random(one.shape) < 0.3, np.nan, one) for one in (X, Q))
    forest = RandomForestClassifier(60, oob_score=True, random_state=1).fit(holed, CLASSES)
    weights, one_hot = ForestWeights(forest).fit(holed), np.eye(3)[CLASSES]
    assert_allclose(weights.votes(queries) @ one_hot, forest.predict_proba(queries), atol=1e-12)
    assert_allclose(
        weights.leave_one_out_votes() @ one_hot, forest.oob_decision_function_, atol=1e-12
    )
    # Random trees depend not on the order of the rows.
    order = RNG.permutation(60)
    grown = entries(ForestWeights().fit(holed).training_votes())
    again = entries(ForestWeights().fit(holed[order]).training_votes())
    assert_allclose(again, grown[np.ix_(order, order)], atol=1e-12)
    boosting = GradientBoostingClassifier(n_estimators=3).fit(X, CLASSES)
    with pytest.raises(VotesError, match="contains NaN or infinity"):
        ForestWeights(boosting).fit(holed)
    with pytest.raises(VotesError, match="contains NaN or infinity"):
        ForestWeights().fit(sp.csr_array(holed))


def test_extra_trees_predict_by_these_votes():
    forest = ExtraTreesClassifier(9, min_samples_leaf=4, random_state=0).fit(X, CLASSES)
    votes = ForestWeights(forest).fit(X).votes(Q)
    assert_allclose(votes @ np.eye(3)[CLASSES], forest.predict_proba(Q), atol=1e-12)


def test_without_in_bag_all_rows_of_a_leaf_vote():
    forest = RandomForestRegressor(15, min_samples_leaf=3, random_state=0).fit(X, Y)
    # Neither the rows nor their number need be those of the forest.
    for rows in (X, Q):
        weights = ForestWeights(forest, in_bag=False).fit(rows)
        shared = forest.apply(X)[:, None, :] == forest.apply(rows)[None]
        sizes = shared.sum(axis=1, keepdims=True)
        shares = np.where(sizes > 0, shared / np.maximum(sizes, 1), 0.0)
        trees = np.maximum((sizes > 0).sum(axis=2), 1)
        assert_allclose(entries(weights.votes(X)), shares.sum(axis=2) / trees, atol=1e-12)
        assert_array_equal(entries(weights.leave_one_out_votes()).diagonal(), np.zeros(len(rows)))


def test_weights_and_draws_multiply():
    forest = RandomForestRegressor(10, min_samples_leaf=3, random_state=0).fit(X, Y)
    sample_weight = RNG.uniform(0.5, 2.0, 60)
    names = forest.apply(X)
    counts = [np.bincount(drawn, minlength=60) for drawn in forest.estimators_samples_]
    expected = np.zeros((60, 60))
    for t in range(10):
        shared = (names[:, None, t] == names[None, :, t]) * (counts[t] * sample_weight)
        expected += shared / shared.sum(axis=1, keepdims=True) / 10
    found = ForestWeights(forest).fit(X, sample_weight).training_votes()
    assert_allclose(entries(found), expected, atol=1e-12)


@pytest.mark.parametrize("rows", [X[::-1], X[:59], np.vstack([X, Q[:1]]), X + 1.0, Q])
def test_draws_from_other_rows_are_refused(rows):
    forest = RandomForestRegressor(10, random_state=0).fit(X, Y)
    with pytest.raises(VotesError, match=rf"another training set than the {len(rows)} rows"):
        ForestWeights(forest).fit(rows)


@pytest.mark.parametrize(
    "forest",
    [
        RandomTreesEmbedding(8, max_depth=3, random_state=0).fit(X),
        GradientBoostingClassifier(n_estimators=4, random_state=0).fit(X, CLASSES),
        FrozenEstimator(ExtraTreesClassifier(8, max_depth=3, random_state=0).fit(X, CLASSES)),
    ],
)
def test_anything_with_apply(forest):
    votes = ForestWeights(forest).fit(X).votes(Q)
    names = (np.asarray(forest.apply(rows)).reshape(len(rows), -1) for rows in (Q, X))
    at, of = names
    shared = at[:, None, :] == of[None]
    expected = (shared / shared.sum(axis=1, keepdims=True)).mean(axis=2)
    assert_allclose(entries(votes), expected, atol=1e-12)


def test_random_trees_are_local_and_reproducible():
    weights = ForestWeights(n_estimators=50).fit(X)
    alpha = entries(weights.training_votes())
    assert_allclose(alpha.sum(axis=1), 1.0)
    assert_array_equal(alpha, entries(ForestWeights(n_estimators=50).fit(X).training_votes()))
    other = ForestWeights(n_estimators=50, random_state=1).fit(X)
    assert np.abs(alpha - entries(other.training_votes())).max() > 0.01
    distance = np.linalg.norm(X[:, None] - X[None], axis=2)
    assert (alpha * distance).sum() < 0.6 * distance.mean() * 60


def test_random_trees_do_not_depend_on_the_order_of_rows():
    order = RNG.permutation(60)
    alpha = entries(ForestWeights(n_estimators=20).fit(X).votes(Q))
    shuffled = entries(ForestWeights(n_estimators=20).fit(X[order]).votes(Q))
    assert_allclose(shuffled, alpha[:, order], atol=1e-12)


def test_random_trees_split_as_long_as_they_may():
    weights = ForestWeights(n_estimators=20, min_samples_split=6).fit(X)
    assert max(np.bincount(names).max() for names in weights.forest_.apply(X).T) < 6
    flat = ForestWeights(n_estimators=20, max_depth=1).fit(X)
    assert_array_equal(np.diff(flat.partition_.starts), np.full(20, 2))
    assert_array_equal(
        entries(ForestWeights(min_samples_split=2).fit(X).training_votes()), np.eye(60)
    )


def test_sparse_rows_grow_the_same_trees():
    rows = X * (RNG.uniform(size=X.shape) < 0.4)
    dense, sparse = (ForestWeights().fit(wrap(rows)) for wrap in (np.asarray, sp.csr_array))
    assert_allclose(entries(sparse.votes(sp.csr_array(Q))), entries(dense.votes(Q)), atol=1e-12)
    # Dense and sparse queries, with trees grown on dense and on sparse rows.
    assert_array_equal(entries(sparse.votes(Q)), entries(sparse.votes(sp.csr_array(Q))))
    assert_array_equal(entries(dense.votes(Q)), entries(dense.votes(sp.csr_array(Q))))


def test_rows_that_are_all_equal():
    weights = ForestWeights(n_estimators=3).fit(np.ones((4, 2)), np.array([1.0, 1.0, 1.0, 5.0]))
    assert_allclose(
        entries(weights.votes(Q[:, :2])), np.tile([0.125, 0.125, 0.125, 0.625], (20, 1))
    )
    assert weights.votes(np.empty((0, 2))).shape == (0, 4)


def test_a_clone_keeps_the_trees():
    forest = ExtraTreesClassifier(5, random_state=0).fit(X, CLASSES)
    weighting = clone(ForestWeights(forest, in_bag=False, leave_one_out=True))
    assert weighting.forest is forest
    assert (weighting.in_bag, weighting.leave_one_out) == (False, True)
    model = PartialLabelClassifier(weights=weighting).fit(X, CLASSES)
    assert model.weights_.forest_ is forest
    assert (model.predict(X) == CLASSES).mean() > 0.9


def test_bad_forests():
    with pytest.raises(VotesError, match=r"forest is a ExtraTreesClassifier that is not fitted"):
        ForestWeights(ExtraTreesClassifier()).fit(X)
    with pytest.raises(ValueError, match=r"forest must be fitted and have apply\(X\)"):
        ForestWeights(KNeighborsRegressor().fit(X, Y)).fit(X)
    with pytest.raises(ValueError, match="2 features"):
        ForestWeights(ExtraTreesClassifier(2).fit(X, CLASSES)).fit(X[:, :2])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_estimators": 0}, "n_estimators must be an integer >= 1; got 0"),
        ({"min_samples_split": 1}, "min_samples_split must be an integer >= 2; got 1"),
        ({"max_depth": 0}, "max_depth must be an integer >= 1; got 0"),
        ({"in_bag": "yes"}, "in_bag must be True or False; got 'yes'"),
        ({"leave_one_out": 1}, "leave_one_out must be True or False; got 1"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=f"ForestWeights: {message}"):
        ForestWeights(**parameters).fit(X)


@pytest.mark.parametrize("wrap", [np.asarray, sp.csr_array])
def test_numbers_beyond_single_precision(wrap):
    rows = X.copy()
    rows[7, 1] = -1e39
    message = r"ForestWeights: X contains -1e\+39 in row 7, column 1; the largest size .* is 1e\+36"
    with pytest.raises(VotesError, match=message):
        ForestWeights().fit(wrap(rows))
    with pytest.raises(VotesError, match=message):
        ForestWeights().fit(wrap(X)).votes(wrap(rows))


@pytest.mark.parametrize("wrap", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("weighting", [ForestWeights(), TreeWeights()])
def test_random_trees_do_not_depend_on_the_unit_of_a_column(weighting, wrap):
    rows, queries = X * 2.0**-40, Q * 2.0**-40
    narrow = clone(weighting).fit(wrap(rows))
    wide = clone(weighting).fit(wrap(scaled_columns(rows, column_factors(rows))))
    assert narrow.column_factors_ is not None
    assert wide.column_factors_ is None
    votes = narrow.votes(wrap(queries))
    scaled = wide.votes(wrap(scaled_columns(queries, column_factors(rows))))
    assert_array_equal(votes @ np.eye(60), scaled @ np.eye(60))
    # More than one leaf: scikit-learn's trees would not split so narrow columns.
    assert not np.allclose(votes @ np.eye(60), 1 / 60)
    assert np.isfinite(narrow.votes(wrap(np.full((1, X.shape[1]), 1e36))) @ np.eye(60)).all()


def test_leaves_that_do_not_fit_are_refused(monkeypatch):
    weights = ForestWeights(n_estimators=3).fit(X)
    monkeypatch.setattr(memory, "free_bytes", lambda: 100)
    with pytest.raises(MemoryBudgetError, match="leaves of 20 inputs in 3 trees would take"):
        weights.votes(Q)
    with pytest.raises(MemoryBudgetError, match="Leave-one-out votes of 60 rows in 3 trees would"):
        weights.leave_one_out_votes()


def test_more_trees_than_the_memory_holds():
    with pytest.raises(MemoryBudgetError, match="Grow fewer trees"):
        ForestWeights(n_estimators=10**30).fit(np.ones((3, 1)))


def test_depths_and_sizes_beyond_all_integers_of_compiled_code():
    X = np.arange(6.0)[:, None]
    usual = ForestWeights(n_estimators=3, min_samples_split=2)
    deep = clone(usual).set_params(max_depth=10**30).fit(X).votes(X)
    assert_array_equal(deep @ np.eye(6), usual.fit(X).votes(X) @ np.eye(6))
    # No node has so many rows: all rows share one leaf.
    whole = ForestWeights(n_estimators=3, min_samples_split=10**30).fit(X)
    assert_allclose(whole.votes(X) @ np.eye(6), 1 / 6)


def test_columns_of_the_smallest_range():
    X = np.array([[0.0], [5e-324]])
    factors = column_factors(X)
    assert np.isfinite(factors).all()
    scaled = scaled_columns(X, factors).astype(np.float32)
    assert scaled[0, 0] < scaled[1, 0]
    # Far outside: as large as an entry may be, without a warning.
    assert np.isfinite(scaled_columns(np.array([[1e36]]), factors)).all()
