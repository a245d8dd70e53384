"""Rows in parts: what they return is what an array returns, for any division."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from disambig.exceptions import MissingOracleError, VotesError
from disambig.votes.executor import LocalExecutor
from disambig.weights import (
    FittedWeights,
    ForestWeights,
    FunctionWeights,
    KernelRidgeWeights,
    LaplacianWeights,
    NadarayaWatsonWeights,
    NeighborWeights,
    NystromWeights,
    PrecomputedWeights,
    ScaledWeights,
)
from disambig.weights.divided import whole
from disambig.weights.divided.rows import DividedRows, is_divided
from disambig.weights.inputs import divided_error
from disambig.weights.registry import reads_parts
from disambig.weights.row_groups import EqualRows, hash_rows, rank_hashes

EXECUTORS = (LocalExecutor(), LocalExecutor(2), LocalExecutor(2, keeps=False))


@st.composite
def divided_rows(draw):
    """Rows with copies, whole and in parts of any height, empty ones among them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(1, 30)), draw(st.integers(1, 3))
    X = rng.integers(-2, 3, (n, d)) + draw(st.sampled_from([0.0, 1e-9]))
    X = X.astype(draw(st.sampled_from([np.float64, np.float32])))
    bounds = [0, *sorted(draw(st.lists(st.integers(0, n), max_size=5))), n]
    return X, DividedRows.of(X, bounds, draw(st.sampled_from(EXECUTORS))), rng


@settings(max_examples=20)
@given(divided_rows())
def test_rows_are_those_of_the_array(drawn):
    X, rows, rng = drawn
    n, d = X.shape
    assert is_divided(rows)
    assert rows.shape == (n, d)
    assert len(rows) == n
    chosen = rng.integers(-n, n, rng.integers(0, 2 * n + 1))
    for wanted in (chosen, rng.random(n) < 0.5, slice(None), slice(1, -1, 2)):
        found = rows[wanted]
        assert_array_equal(found, X[wanted])
        assert found.dtype == X.dtype
    some = rows.subset(chosen)
    assert some.shape == (chosen.size, d)
    assert_array_equal(some[np.arange(chosen.size)[::-1]], X[chosen[::-1]])
    assert_array_equal(rows.column(d - 1), X[:, d - 1])
    np.testing.assert_allclose(rows.mean(), X.mean(axis=0, dtype=np.float64), atol=1e-15)
    assert_array_equal(rows.per_row(np.negative), -X)


@settings(max_examples=20)
@given(divided_rows(), st.integers(1, 40))
def test_a_sample_has_different_rows_in_their_order(drawn, most):
    X, rows, _ = drawn
    n = len(X)
    numbers = rows.drawn(most, seed=3)
    assert numbers.size == min(n, most)
    assert (np.diff(numbers) > 0).all()
    assert_array_equal(rows.sample(most, seed=3), X[numbers])
    assert_array_equal(rows.drawn(most, seed=3), DividedRows.of(X, [0, n]).drawn(most, seed=3))


@settings(max_examples=20)
@given(divided_rows())
def test_groups_of_equal_rows_do_not_depend_on_the_division(drawn):
    X, rows, _ = drawn
    assert_array_equal(hash_rows(rows), hash_rows(X))
    assert_array_equal(rank_hashes(rows), rank_hashes(X))
    found, expected = EqualRows.build(rows), EqualRows.build(X)
    for name in ("first", "group", "keys", "sorted_groups"):
        assert_array_equal(getattr(found, name), getattr(expected, name))
    assert_array_equal(found.find(X), expected.group)


@settings(max_examples=20)
@given(divided_rows())
def test_transformed_rows_stay_in_their_parts(drawn):
    X, rows, _ = drawn
    doubled = rows.transformed(np.multiply, 2.0)
    assert_array_equal(doubled[:], 2 * X)
    assert_array_equal(doubled.bounds, rows.bounds)
    narrow = rows.transformed(_first_column, n_features=1)
    assert narrow.shape == (len(X), 1)
    assert_array_equal(narrow[:], X[:, :1])


def _first_column(part):
    return part[:, :1]


@pytest.mark.parametrize("bounds", [[0], [], [1, 3], [0, 2], [0, 2, 1, 3]])
def test_bounds_must_ascend_from_0_to_n(bounds):
    with pytest.raises(ValueError, match="ascend from 0 to 3"):
        DividedRows.of(np.zeros((3, 1)), bounds)


def test_missing_cells_are_marked():
    X = np.array([[0.0, 1.0], [np.nan, 1.0], [np.nan, np.nan]])
    rows = DividedRows.of(X, [0, 1, 1, 3])
    assert rows.missing.tolist() == [False, True, True]
    assert rows.without_input.tolist() == [False, False, True]
    assert DividedRows.of(X[:1], [0, 1]).missing is None
    assert DividedRows.of(X[:2], [0, 2]).without_input is None
    with pytest.raises(VotesError, match=r"NystromWeights: X contains NaN, first in row 1 \(2 "):
        NystromWeights().fit(rows)


@pytest.mark.parametrize("bounds", [[0, 4], [0, 1, 3, 3, 4]])
def test_errors_name_the_row_among_all_rows(bounds):
    X = np.ones((4, 2))
    X[2, 1] = 1e40
    rows = DividedRows.of(X, bounds)
    assert divided_error(rows).startswith("X contains 1e+40 in row 2, column 1;")
    assert divided_error(DividedRows.of(X * 0 + 1e-200, bounds)).startswith("X: the largest entry")
    with pytest.raises(VotesError, match="ScaledWeights: multiplied by its scales, X contains"):
        ScaledWeights(NeighborWeights(1), [1.0, 1e30]).fit(DividedRows.of(X * 0 + 1e10, bounds))


@pytest.mark.parametrize("wanted", [np.array([3]), np.array([-4]), np.ones(2, dtype=np.bool_)])
def test_an_index_out_of_range_is_an_error(wanted):
    rows = DividedRows.of(np.zeros((3, 1)), [0, 3])
    with pytest.raises(IndexError):
        rows[wanted]


NEED_ALL = {
    "it needs all rows": [
        KernelRidgeWeights(),
        LaplacianWeights(3),
        ScaledWeights(LaplacianWeights(3), [1.0, 2.0]),
        PrecomputedWeights(),
        FunctionWeights(lambda A, B: np.maximum(A @ B.T, 0)),
    ],
    "metric='manhattan' needs all rows": [NeighborWeights(3, metric="manhattan")],
    "adaptive=True needs all rows": [NeighborWeights(3, adaptive=True)],
    "Use kernel='epanechnikov'": [NadarayaWatsonWeights(), NadarayaWatsonWeights("laplacian")],
}


@pytest.mark.parametrize(
    ("reason", "weighting"), [(text, one) for text, some in NEED_ALL.items() for one in some]
)
def test_few_rows_are_joined_and_more_are_refused_in_words(reason, weighting, monkeypatch):
    X = np.random.default_rng(0).normal(size=(12, 2))
    X = np.abs(X @ X.T) if isinstance(weighting, PrecomputedWeights) else X
    rows = DividedRows.of(X, [0, 5, 12])
    assert not reads_parts(weighting)
    expected = weighting.fit(X).leave_one_out_votes() @ np.eye(12)
    assert_array_equal(weighting.fit(rows).leave_one_out_votes() @ np.eye(12), expected)
    monkeypatch.setattr(whole, "MAX_EXACT_ROWS", 11)
    with pytest.raises(MissingOracleError, match="at most 11 are joined") as caught:
        weighting.fit(rows)
    assert reason in str(caught.value)


def test_neighbours_with_sample_weights_are_found_among_few_rows(monkeypatch):
    X, weights = np.arange(6.0)[:, None], np.arange(1.0, 7.0)
    rows = DividedRows.of(X, [0, 2, 6])
    expected = NeighborWeights(3).fit(X, weights).training_votes().matrix.toarray()
    found = NeighborWeights(3).fit(rows, weights).training_votes().matrix.toarray()
    assert_array_equal(found, expected)
    monkeypatch.setattr(whole, "MAX_EXACT_ROWS", 5)
    with pytest.raises(MissingOracleError, match="sample weights other than 1"):
        NeighborWeights(3).fit(rows, weights)


def test_fitted_weights_know_their_rows():
    X = np.random.default_rng(0).normal(size=(8, 2))
    rows = DividedRows.of(X, [0, 3, 8])
    fitted = FittedWeights(NystromWeights(n_landmarks=3).fit(rows))
    for same in (rows, X, DividedRows.of(X, [0, 8])):
        fitted.fit(same)
    with pytest.raises(VotesError, match="other rows"):
        fitted.fit(DividedRows.of(X + 1, [0, 3, 8]))


@settings(max_examples=5)
@given(st.integers(0, 100))
def test_random_trees_of_many_rows_are_grown_on_a_sample(seed):
    from disambig.weights.divided import leaves

    X = np.random.default_rng(seed).normal(size=(60, 2))
    rows = DividedRows.of(X, [0, 20, 60], EXECUTORS[seed % 3])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leaves, "_MAX_SAMPLE_ROWS", 30)
        found = ForestWeights(n_estimators=3, random_state=seed).fit(rows)
    expected = ForestWeights(n_estimators=3, random_state=seed).fit(X[rows.drawn(30)])
    for tree, other in zip(found.forest_.estimators_, expected.forest_.estimators_, strict=True):
        assert_array_equal(tree.tree_.threshold, other.tree_.threshold)
    np.testing.assert_allclose(found.training_votes().row_sums(), 1.0)
