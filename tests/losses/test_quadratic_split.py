"""Any symmetric loss is the difference of two inner products of vectors of equal length."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.losses import OrdinalLoss, ZeroOneLoss
from disambig.losses.quadratic_split import eigen_halves, quadratic_split


def random_loss(rng, K, kind):
    if kind == "any sign":
        table = rng.normal(size=(K, K))
    elif kind == "whole numbers":
        table = rng.integers(0, 4, size=(K, K)).astype(float)
    elif kind == "low rank":
        table = -np.outer(*[rng.normal(size=K)] * 2)
        table = table - (np.diagonal(table)[:, None] + np.diagonal(table)) / 2
    else:
        points = rng.normal(size=(K, 3))
        table = np.linalg.norm(points[:, None] - points, axis=2)
    table = 10.0 ** rng.integers(-6, 7) * (table + table.T)
    np.fill_diagonal(table, 0.0)
    return table


KINDS = ["any sign", "whole numbers", "low rank", "distances"]


@given(seed=st.integers(0, 10_000), K=st.integers(1, 12), kind=st.sampled_from(KINDS))
def test_split_gives_the_loss_and_equal_lengths(seed, K, kind):
    table = random_loss(np.random.default_rng(seed), K, kind)
    split = quadratic_split(table)
    size = np.abs(table).max()
    assert_allclose(split.matrix, table, rtol=0, atol=1e-12 * size)
    for vectors in (split.psi, split.phi):
        assert_allclose((vectors**2).sum(axis=1), split.squared_norm, rtol=0, atol=1e-12 * size)


@given(seed=st.integers(0, 10_000), K=st.integers(1, 12), kind=st.sampled_from(KINDS))
def test_at_most_one_column_more_than_the_fewest(seed, K, kind):
    table = random_loss(np.random.default_rng(seed), K, kind)
    split = quadratic_split(table)
    values = np.linalg.eigvalsh(table)
    zero = 1e-9 * np.abs(values).max(initial=0.0)
    positive, negative = np.count_nonzero(values > zero), np.count_nonzero(values < -zero)
    assert positive <= split.psi.shape[1] <= positive + 1
    assert negative <= split.phi.shape[1] <= negative + 1
    # Fewer columns are impossible (Sylvester's theorem of inertia), and the length is at most that
    # of the paper.
    assert split.squared_norm <= np.abs(values).max(initial=0.0) * (1 + 1e-12)


def test_zero_one_loss_needs_no_extra_column():
    split = quadratic_split(ZeroOneLoss().bind(np.arange(4)).matrix)
    assert (split.psi.shape, split.phi.shape) == ((4, 1), (4, 3))
    assert split.squared_norm == pytest.approx(3 / 4)


def test_loss_of_zeros_has_no_columns():
    for K in (1, 3):
        split = quadratic_split(np.zeros((K, K)))
        assert split.psi.shape == split.phi.shape == (K, 0)
        assert split.squared_norm == 0.0
        assert_array_equal(split.matrix, np.zeros((K, K)))


def test_order_of_classes_does_not_matter():
    table = OrdinalLoss(power=1).bind(np.arange(5)).matrix
    order = np.array([3, 1, 4, 0, 2])
    assert quadratic_split(table[np.ix_(order, order)]).squared_norm == pytest.approx(
        quadratic_split(table).squared_norm
    )


def test_eigen_halves_of_a_definite_matrix():
    table = np.array([[2.0, 1.0], [1.0, 2.0]])
    assert [half.shape[1] for half in eigen_halves(table)] == [2, 0]
    assert [half.shape[1] for half in eigen_halves(-table)] == [0, 2]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.zeros((2, 3)), r"shape \(2, 3\); expected a square table"),
        (np.zeros(4), r"shape \(4,\)"),
        ([[0, 1], [5, 0]], r"loss\[0, 1\] is 1 and loss\[1, 0\] is 5; expected a symmetric"),
        ([[0, 1], [1, 0.5]], r"loss\[1, 1\] is 0.5; expected 0"),
        ([[0, np.nan], [np.nan, 0]], r"loss\[0, 1\] is nan; expected finite"),
    ],
)
def test_errors(table, message):
    with pytest.raises(ValueError, match=message):
        quadratic_split(table)
