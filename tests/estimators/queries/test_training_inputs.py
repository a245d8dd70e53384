"""What is remembered of training inputs, against brute force and an independent distribution."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from scipy.stats import betabinom, hypergeom

from disambig.estimators.queries.input_shift import input_shift, is_suspicious
from disambig.estimators.queries.training_inputs import tail_probability, training_inputs

RNG = np.random.default_rng(0)


@given(st.integers(1, 60), st.integers(1, 400), st.data())
def test_the_tail_is_the_hypergeometric_and_the_beta_binomial_one(n_new, n_known, data):
    rank = data.draw(st.integers(1, min(5, n_known)))
    above = data.draw(st.integers(0, n_new))
    found = tail_probability(n_new, n_known, rank, above)
    expected = hypergeom.cdf(rank - 1, n_new + n_known, n_known, above + rank - 1)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    # The share above the rank-th largest of n known values is Beta(rank, n + 1 - rank).
    expected = betabinom.sf(above - 1, n_new, rank, n_known + 1 - rank)
    # scipy subtracts it from one.
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-11)


def test_the_tail_of_a_range_counts_both_sides():
    draws = RNG.random((40_000, 12))
    known, new = draws[:, :8], draws[:, 8:]
    outside = (new < known.min(axis=1)[:, None]) | (new > known.max(axis=1)[:, None])
    for number in range(1, 5):
        share = (outside.sum(axis=1) >= number).mean()
        assert share == pytest.approx(tail_probability(4, 8, 2, number), abs=0.01)


def sample_of(X: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The references and the known rows: the permuted rows, first half and second half."""
    order = rows[np.random.default_rng(0).permutation(len(rows))][:1000]
    return X[order[: len(order) // 2]], X[order[len(order) // 2 :]]


@pytest.mark.parametrize("n", [31, 90, 1500])
def test_far_rows_are_those_beyond_a_quantile_of_nearest_distances(n):
    X = RNG.normal(size=(n, 3)) * [1.0, 1e6, 1e-6] + [0.0, 5e6, 1.0]
    queries = RNG.normal(size=(200, 3)) * [2.0, 2e6, 2e-6] + [0.0, 5e6, 1.0]
    references, known = sample_of(X, np.arange(n))
    unit = references.std(axis=0)
    near = np.sort(cdist(known / unit, references / unit).min(axis=1))
    rank = max(1, (len(known) + 1) // 100)
    expected = cdist(queries / unit, references / unit).min(axis=1) > near[-rank]
    found = training_inputs(X, np.arange(n))
    assert found.nearness.rank == rank
    np.testing.assert_array_equal(found.nearness.is_far(queries), expected)
    assert 0 < expected.sum() < 200


def test_rows_outside_of_ranges_are_counted_alike_for_dense_and_sparse():
    X = RNG.normal(size=(200, 6)) * (RNG.random((200, 6)) < 0.5)
    X[:, 0] = RNG.uniform(3, 4, 200)
    X[:, 1] = 0.0
    queries = RNG.normal(size=(50, 6)) * 3 * (RNG.random((50, 6)) < 0.5)
    expected = ((queries < X.min(axis=0)) | (queries > X.max(axis=0))).sum(axis=0)
    for form in (np.asarray, sp.csr_array, sp.csr_matrix):
        found = training_inputs(form(X), np.arange(200))
        np.testing.assert_array_equal(found.compared(form(queries)).n_outside, expected)
    dense = training_inputs(X, np.arange(200)).compared(queries).is_far
    sparse = training_inputs(sp.csr_array(X), np.arange(200)).compared(sp.csr_array(queries))
    np.testing.assert_array_equal(dense, sparse.is_far)


@pytest.mark.parametrize("d", [100, 3000])
def test_many_columns_are_projected_the_same_way_dense_and_sparse(d):
    X = RNG.poisson(0.2, size=(120, d)).astype(float)
    queries = np.vstack([RNG.poisson(0.2, size=(20, d)), RNG.poisson(1.0, size=(20, d))])
    dense = training_inputs(X, np.arange(120))
    sparse = training_inputs(sp.csr_array(X), np.arange(120))
    far = dense.nearness.is_far(queries)
    np.testing.assert_array_equal(far, sparse.nearness.is_far(sp.csr_array(queries * 1.0)))
    assert far[:20].mean() < 0.2
    assert far[20:].all()
    assert dense.nearness.references.shape[0] == 64


def test_units_and_offsets_do_not_matter():
    X, queries = RNG.normal(size=(300, 4)), RNG.normal(size=(80, 4)) * 2
    factors, offsets = [1e-8, 1.0, 1e5, 1e9], [0.0, 3.0, -1e6, 1e10]
    one = training_inputs(X, np.arange(300)).compared(queries)
    other = training_inputs(X * factors + offsets, np.arange(300)).compared(
        queries * factors + offsets
    )
    np.testing.assert_array_equal(one.is_far, other.is_far)
    np.testing.assert_array_equal(one.n_outside, other.n_outside)


def test_copies_and_groups_count_once():
    X = np.repeat(RNG.normal(size=(100, 2)), 20, axis=0)
    found = training_inputs(X, np.arange(2000))
    assert found.ranges.n_rows <= 100
    # With copies among references and known rows, every new row would be far.
    assert not input_shift(found, RNG.normal(size=(200, 2))).is_shifted
    near = X + 1e-9 * RNG.normal(size=X.shape)
    groups = np.repeat(np.arange(100), 20)
    assert training_inputs(near, np.arange(2000), groups).ranges.n_rows == 100
    assert not input_shift(
        training_inputs(near, np.arange(2000), groups), RNG.normal(size=(200, 2))
    ).is_shifted


def test_nothing_is_said_without_enough_rows_features_or_memory():
    X = RNG.normal(size=(29, 2))
    wide = sp.csr_array((40, 200_000))
    for found, reason in (
        (training_inputs(X, np.arange(29)), "fewer than 30 different training rows"),
        (training_inputs(np.ones((500, 2)), np.arange(500)), "fewer than 30 different"),
        (training_inputs(np.eye(50), np.arange(50), pairwise=True), "pairs of rows"),
        (training_inputs(wide, np.arange(40)), "more than 100000 columns"),
    ):
        assert reason in found.reason
        queries = np.full((20, 2), 1e9)
        assert not is_suspicious(found, queries)
        shift = input_shift(found, queries)
        assert not shift.is_shifted
        assert np.isnan(shift.share)
        assert reason in shift.text


def test_missing_entries_are_at_the_center_and_outside_of_no_range():
    X = RNG.normal(size=(200, 3))
    X[RNG.random(X.shape) < 0.1] = np.nan
    X[:, 2] = np.nan
    found = training_inputs(X, np.arange(200))
    queries = np.full((30, 3), np.nan)
    shift = input_shift(found, queries)
    assert not shift.is_shifted
    queries[:, 0] = 50.0
    shift = input_shift(found, queries)
    assert shift.share == 1.0
    assert [column.position for column in shift.columns] == [0]


def test_constant_columns_tell_by_their_range_alone():
    X = np.column_stack([RNG.normal(size=200), np.full(200, 0.1)])
    found = training_inputs(X, np.arange(200))
    queries = np.column_stack([RNG.normal(size=60), np.full(60, 0.1)])
    # The same numbers in single precision are another value.
    assert not input_shift(found, queries.astype(np.float32)).is_shifted
    queries[:, 1] = 0.2
    shift = input_shift(found, queries)
    assert [(column.position, column.share) for column in shift.columns] == [(1, 1.0)]
    assert not shift.is_far


def test_huge_and_tiny_numbers():
    X = RNG.normal(size=(100, 2)) * [1e-200, 1e30]
    found = training_inputs(X, np.arange(100))
    shift = input_shift(found, np.full((20, 2), 1e36))
    assert shift.share == 1.0
    assert len(shift.columns) == 2


def test_shares_of_many_rows_are_estimated():
    X = RNG.normal(size=(500, 2))
    found = training_inputs(X, np.arange(500))
    queries = RNG.normal(size=(25_000, 2))
    queries[:5000, 1] += 9.0
    shift = input_shift(found, queries, np.array(["width", "height"]))
    assert shift.n_compared <= 10_000
    assert shift.share == pytest.approx(0.2, abs=0.03)
    assert set(shift.far_rows[:100]) <= set(range(5000))
    assert "column 1 ('height') is outside of its training range" in shift.text
    assert f"estimated from {shift.n_compared} of 25000 rows" in shift.text
    many = input_shift(
        training_inputs(RNG.normal(size=(99, 8)), np.arange(99)), np.ones((9, 8)) * 9
    )
    assert "so are 5 more columns" in many.text
    turned = RNG.normal(size=500)[:, None] * [1.0, 1.0] + 0.01 * RNG.normal(size=(500, 2))
    new = input_shift(training_inputs(turned, np.arange(500)), turned * [1.0, -1.0])
    assert "no single column leaves its range in more rows than chance explains" in new.text
