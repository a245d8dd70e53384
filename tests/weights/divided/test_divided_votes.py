"""Votes of rows in parts are those in memory, for any division and any executor."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor

from disambig.checks import check_votes
from disambig.exceptions import VotesError
from disambig.votes.executor import LocalExecutor
from disambig.votes.leaf_blocks import LeafBlockVotes
from disambig.votes.row_blocks import RowBlocks
from disambig.weights import (
    ForestWeights,
    HistogramWeights,
    MixedWeights,
    NadarayaWatsonWeights,
    NeighborWeights,
    NystromWeights,
    RandomFeatureWeights,
    ScaledWeights,
    SquashedWeights,
    TreeWeights,
)
from disambig.weights.divided.rows import DividedRows

RNG = np.random.default_rng(0)
N = 30
X = RNG.normal(size=(N, 3))
X[7] = X[3]
# Random trees scale a narrow column.
X[:, 2] *= 1e-4
Q = np.vstack([RNG.normal(size=(5, 3)), X[3]])
SAMPLE_WEIGHT = RNG.uniform(0.5, 2.0, N)
FOREST = RandomForestRegressor(4, random_state=0).fit(X, X[:, 0])
EXECUTORS = {
    "one thread": LocalExecutor(),
    "two threads": LocalExecutor(2),
    "blocks computed anew": LocalExecutor(2, keeps=False),
}
# Votes that are equal bit for bit; of the others, sums are taken in another order.
EXACT = {
    "neighbors": NeighborWeights(4),
    "neighbors, by distance": NeighborWeights(4, vote="distance"),
    "neighbors, leave one out": NeighborWeights(4, vote="gaussian", leave_one_out=True),
    "neighbors, scaled": ScaledWeights(NeighborWeights(4), scales=[1.0, 0.5, 2.0]),
    "neighbors, squashed": SquashedWeights(NeighborWeights(4), scales=[1.0, 0.5, 2.0]),
    "box": NadarayaWatsonWeights("box", bandwidth=1.0),
    "epanechnikov": NadarayaWatsonWeights("epanechnikov", leave_one_out=True),
    "epanechnikov, not normalized": NadarayaWatsonWeights("epanechnikov", normalize=False),
    "histogram": HistogramWeights(),
    "histogram, uniform": HistogramWeights(2, strategy="uniform"),
}
SUMMED = {
    "landmarks": NystromWeights(n_landmarks=8, bandwidth=1.0),
    "landmarks, spread, intercept": NystromWeights(
        "laplacian", n_landmarks=4, landmarks="kmeans++", intercept=True
    ),
    "landmarks by leverage": NystromWeights("polynomial", n_landmarks=3, landmarks="leverage"),
    "random features": RandomFeatureWeights(n_features=10, leave_one_out=True),
    "random features, intercept": RandomFeatureWeights("laplacian", n_features=10, intercept=True),
    "forest, grown": ForestWeights(n_estimators=7, min_samples_split=3),
    "forest, leave one out": ForestWeights(n_estimators=3, leave_one_out=True),
    "forest, given": ForestWeights(
        ExtraTreesRegressor(3, max_depth=3, random_state=0).fit(X, X[:, 1])
    ),
    "forest, given, all rows vote": ForestWeights(FOREST, in_bag=False),
    "tree, grown": TreeWeights(min_samples_split=3),
    "tree, given": TreeWeights(DecisionTreeRegressor(max_depth=3).fit(X, X[:, 1])),
    "mixed": MixedWeights([NeighborWeights(4), NystromWeights(n_landmarks=4)], shares=[1, 3]),
    "landmarks, squashed": SquashedWeights(NystromWeights(n_landmarks=4)),
}
WEIGHTINGS = EXACT | SUMMED
WITH_SAMPLE_WEIGHTS = [name for name in WEIGHTINGS if "neighbors" not in name and name != "mixed"]
DIVISIONS = ([0, 10, 20, N], [0, 0, 3, 3, 29, N, N])


def dense(rows):
    return rows.toarray() if sp.issparse(rows) else np.asarray(rows)


def assert_same(found, expected, name):
    if name in EXACT:
        assert_array_equal(found, expected)
    else:
        assert_allclose(found, expected, atol=1e-10, rtol=1e-10)


def assert_equal_votes(found, expected, name):
    q, n = expected.shape
    values = np.random.default_rng(1).normal(size=(n, 3))
    scales, chosen = np.abs(values[:, 0]), np.array([5, 2, q - 1])
    assert found.shape == (q, n)
    assert found.is_nonnegative == expected.is_nonnegative
    assert_same(found @ values, expected @ values, name)
    assert_same(found @ values[:, 0], expected @ values[:, 0], name)
    assert_same(found.row_sums(), expected.row_sums(), name)
    assert_same(found.diagonal(), expected.diagonal(), name)
    assert (found.absolute_row_sums(scales) >= np.abs(found @ scales) - 1e-10).all()
    assert_same(dense(found.rows(1, 4)), dense(expected.rows(1, 4)), name)
    columns = np.minimum(chosen, n - 1)
    tables = []
    for votes in (found, expected):
        rows, places, entries = votes.column_entries(columns)
        tables.append(sp.coo_array((entries, (rows, places)), shape=(q, 3)).toarray())
    assert_same(*tables, name)
    factors = np.linspace(0.5, 1.0, q)
    assert_same(found.scale_rows(factors) @ values, expected.scale_rows(factors) @ values, name)


def fitted_pair(name, bounds, *, executor=EXECUTORS["one thread"], dtype=np.float64, weight=None):
    """Training votes, leave-one-out votes and votes at queries, in parts and in memory."""
    inputs, queries = X.astype(dtype), Q.astype(dtype)
    parts, whole = (
        clone(WEIGHTINGS[name]).fit(rows, weight)
        for rows in (DividedRows.of(inputs, bounds, executor), inputs)
    )
    return zip(
        (parts.training_votes(), parts.leave_one_out_votes(), parts.votes(queries)),
        (whole.training_votes(), whole.leave_one_out_votes(), whole.votes(queries)),
        strict=True,
    )


@pytest.mark.parametrize("name", WEIGHTINGS)
@pytest.mark.parametrize("case", [0, 1])
def test_votes_are_those_in_memory(name, case):
    dtype = (np.float64, np.float32)[case]
    for found, expected in fitted_pair(name, DIVISIONS[case], dtype=dtype):
        assert_equal_votes(found, expected, name)
        assert_equal_votes(found.T, expected.T, name)


@pytest.mark.parametrize("executor", ["two threads", "blocks computed anew"])
@pytest.mark.parametrize("name", ["neighbors", "epanechnikov", "landmarks", "forest, grown"])
def test_no_executor_changes_votes(name, executor):
    for found, expected in fitted_pair(name, [0, 12, 12, N], executor=EXECUTORS[executor]):
        values = np.ones((expected.shape[1], 2))
        assert_same(found @ values, expected @ values, name)
        values = np.linspace(0, 1, expected.shape[0])
        assert_same(found.T @ values, expected.T @ values, name)


@pytest.mark.parametrize("name", ["box", "landmarks", "forest, grown", "mixed"])
def test_votes_meet_their_contract(name):
    for found, _ in fitted_pair(name, DIVISIONS[1]):
        check_votes(found)


@pytest.mark.parametrize("name", WITH_SAMPLE_WEIGHTS)
def test_sample_weights_count_as_in_memory(name):
    for found, expected in fitted_pair(name, DIVISIONS[0], weight=SAMPLE_WEIGHT):
        values = np.random.default_rng(1).normal(size=(N, 2))
        assert_same(found @ values, expected @ values, name)


@settings(max_examples=12)
@given(
    name=st.sampled_from(["neighbors", "epanechnikov", "landmarks", "forest, grown"]),
    inner=st.lists(st.integers(0, N), max_size=6),
)
def test_no_division_changes_votes(name, inner):
    values = np.random.default_rng(1).normal(size=(N, 2))
    for found, expected in fitted_pair(name, [0, *sorted(inner), N]):
        assert_same(found @ values, expected @ values, name)
        back = values[: expected.shape[0]]
        assert_same(found.T @ back, expected.T @ back, name)


def test_what_is_in_blocks():
    rows = DividedRows.of(X, DIVISIONS[0])
    for name, kind in (
        ("neighbors", RowBlocks),
        ("box", RowBlocks),
        ("tree, given", LeafBlockVotes),
    ):
        assert isinstance(clone(WEIGHTINGS[name]).fit(rows).training_votes(), kind)


def test_a_forest_that_drew_its_rows_is_joined():
    found = ForestWeights(FOREST).fit(DividedRows.of(X, DIVISIONS[0]))
    expected = ForestWeights(FOREST).fit(X)
    assert_array_equal(found.training_votes() @ X, expected.training_votes() @ X)


def test_leaf_blocks_own_votes_and_symmetry():
    votes = clone(WEIGHTINGS["forest, grown"]).fit(DividedRows.of(X, DIVISIONS[1])).training_votes()
    whole = clone(WEIGHTINGS["forest, grown"]).fit(X).training_votes()
    assert votes.is_symmetric
    others, expected = votes.without_own(), whole.without_own()
    assert_equal_votes(others, expected, "forest, grown")
    assert (others.diagonal() == 0).all()
    assert votes.links(np.arange(3)) is None
    assert_array_equal(votes.strongest(1), whole.strongest(1))
    with pytest.raises(VotesError, match="factor of row 1 is -1"):
        votes.scale_rows(np.where(np.arange(N) == 1, -1.0, 1.0))


def test_tables_of_leaves_are_added_in_batches(monkeypatch):
    from disambig.votes import leaf_blocks

    fitted = clone(WEIGHTINGS["forest, grown"]).fit(DividedRows.of(X, list(range(N + 1))))
    expected = fitted.training_votes() @ X
    monkeypatch.setattr(leaf_blocks, "_TABLE_BYTES", 1)
    assert_array_equal(fitted.training_votes() @ X, expected)
