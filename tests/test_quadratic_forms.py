"""The squared loss as a quadratic form in the targets."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.linalg import aslinearoperator

from disambig import quadratic_forms
from disambig.quadratic_forms import VotedForm, has_negative, voted_form
from disambig.votes import as_votes
from disambig.votes.blocks import entry_blocks
from disambig.votes.mixture import MixtureVotes
from disambig.votes.operator import OperatorVotes
from disambig.votes.product import ProductVotes
from disambig.weights import ForestWeights
from tests.oracles.number_problems import random_votes

seeds = st.integers(0, 10**6)


def form_by_formula(alpha):
    """``diag(A' 1) - A' diag(1 / r) A``, term by term."""
    sums = alpha.sum(axis=1)
    inverse = np.where(sums > 0, 1 / np.where(sums > 0, sums, 1.0), 0.0)
    return np.diag(alpha.sum(axis=0)) - alpha.T @ (inverse[:, None] * alpha)


@pytest.fixture
def no_dense_forms(monkeypatch):
    monkeypatch.setattr(quadratic_forms, "_MAX_DENSE_ROWS", 0)


@given(seed=seeds, form=st.sampled_from(["dense", "sparse"]), n=st.integers(1, 9))
def test_a_small_form_is_dense(seed, form, n):
    alpha = random_votes(np.random.default_rng(seed), n, form)
    found = voted_form(as_votes(alpha))
    dense = alpha if form == "dense" else alpha.toarray()
    np.testing.assert_allclose(found.array, form_by_formula(dense), atol=1e-12)
    np.testing.assert_array_equal(found.array, found.array.T)
    assert found.shape == (n, n)
    assert found.is_convex
    assert found.shift_invariant
    np.testing.assert_allclose(found @ np.ones(n), 0, atol=1e-14 * n)
    np.testing.assert_array_equal(found.diagonal(), found.array.diagonal())


@given(seed=seeds, n=st.integers(1, 9))
def test_sparse_votes_give_the_same_form_as_products(seed, n):
    alpha = random_votes(np.random.default_rng(seed), n, "sparse")
    dense = voted_form(as_votes(alpha))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quadratic_forms, "_MAX_DENSE_ROWS", 0)
        found = voted_form(as_votes(alpha))
    assert isinstance(found, VotedForm)
    assert found.array is None
    assert found.shape == (n, n)
    np.testing.assert_allclose(found @ np.eye(n), dense.array, atol=1e-13)
    np.testing.assert_allclose(found @ np.eye(n)[:, 0], dense.array[:, 0], atol=1e-13)
    np.testing.assert_allclose(found.diagonal(), dense.diagonal(), atol=1e-13)
    # The same components; their labels may differ. Targets without effect may be joined to any.
    pairs = [np.equal.outer(form.components, form.components) for form in (found, dense)]
    is_zero = dense.diagonal() <= 1e-15
    compared = ~np.logical_or.outer(is_zero, is_zero) | np.eye(n, dtype=bool)
    np.testing.assert_array_equal(pairs[0] & compared, pairs[1] & compared)


def forest_votes(seed, n, kind):
    """Votes of trees with small leaves: plain, without own votes, or mixed with an array."""
    X = np.random.default_rng(seed).normal(size=(n, 2))
    weights = ForestWeights(n_estimators=3, min_samples_split=3, leave_one_out="own" in kind)
    votes = weights.fit(X).training_votes()
    return MixtureVotes((votes, as_votes(np.eye(n))), (0.5, 0.5)) if "mixed" in kind else votes


@pytest.mark.parametrize("kind", ["plain", "without own votes", "mixed"])
@given(seed=seeds, n=st.integers(4, 12))
def test_votes_of_trees_give_the_same_form_as_products(kind, seed, n):
    votes = forest_votes(seed, n, kind)
    dense = voted_form(votes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quadratic_forms, "_MAX_DENSE_ROWS", 0)
        # Blocks of one row each, so that components and the diagonal are joined over blocks.
        patch.setattr(quadratic_forms, "entry_blocks", lambda votes: entry_blocks(votes, 1))
        found = voted_form(votes)
        assert isinstance(found, VotedForm)
        assert found.array is None
        assert found.is_convex
        np.testing.assert_allclose(found @ np.eye(n), dense.array, atol=1e-13)
        np.testing.assert_allclose(found.diagonal(), dense.diagonal(), atol=1e-13)
        pairs = [np.equal.outer(form.components, form.components) for form in (found, dense)]
    is_zero = dense.diagonal() <= 1e-15
    compared = ~np.logical_or.outer(is_zero, is_zero) | np.eye(n, dtype=bool)
    np.testing.assert_array_equal(pairs[0] & compared, pairs[1] & compared)


def test_the_form_of_a_forest_writes_no_square_array(no_dense_forms, monkeypatch):
    votes = forest_votes(0, 60, "plain")
    written = []

    def rows(self, start, stop):
        written.append(stop - start)
        return rows_of(self, start, stop)

    rows_of = type(votes).rows
    monkeypatch.setattr(type(votes), "rows", rows)
    monkeypatch.setattr(quadratic_forms, "entry_blocks", lambda votes: entry_blocks(votes, 300))
    form = voted_form(votes)
    form.diagonal()
    assert form.components.shape == (60,)
    assert max(written) < 60


def test_an_operator_is_convex_if_it_declares_what_it_is(no_dense_forms):
    plain = aslinearoperator(np.full((4, 4), 0.25))
    assert has_negative(as_votes(plain))
    plain.is_nonnegative = True
    assert not has_negative(as_votes(plain))


def test_small_votes_keep_their_digits_beside_large_ones():
    # The diagonal is about 2e-12. The formula computes it as 1 - 1 and keeps four digits.
    small = 1e-12
    alpha = np.array([[1.0, small], [small, 1.0]])
    found = voted_form(as_votes(alpha))
    expected = 2 * small / (1 + small)
    np.testing.assert_allclose(found.array, expected * np.array([[1, -1], [-1, 1]]), rtol=1e-12)


@given(seed=seeds, n=st.integers(2, 8))
def test_signed_votes_are_convex_if_no_eigenvalue_is_negative(seed, n):
    rng = np.random.default_rng(seed)
    alpha = rng.uniform(size=(n, n)) + rng.normal(scale=0.3, size=(n, n))
    alpha[np.arange(n), np.arange(n)] += n
    found = voted_form(as_votes(alpha))
    eigenvalues = np.linalg.eigvalsh(form_by_formula(alpha))
    np.testing.assert_allclose(found.array, form_by_formula(alpha), atol=1e-12 * n)
    if abs(eigenvalues[0]) > 1e-9 * eigenvalues[-1]:
        assert found.is_convex == bool(eigenvalues[0] > 0)


def test_signed_votes_can_be_convex():
    alpha = np.array([[2.0, 1.0, -0.1], [1.0, 2.0, 1.0], [-0.1, 1.0, 2.0]])
    assert has_negative(as_votes(alpha))
    found = voted_form(as_votes(alpha))
    assert np.linalg.eigvalsh(found.array)[0] > -1e-12
    assert found.is_convex
    assert not voted_form(as_votes(alpha + np.diag([0, 0, 3]) - 0.9 * np.eye(3)[::-1])).is_convex


def test_no_form_if_a_row_sum_is_not_positive():
    alpha = np.ones((3, 3))
    alpha[1] = [1.0, -1.0, 0.0]
    assert voted_form(as_votes(alpha)) is None
    alpha[1] = [1.0, -1.0, -1e-3]
    assert voted_form(as_votes(alpha)) is None
    # A row without votes is allowed.
    alpha[1] = 0.0
    np.testing.assert_allclose(voted_form(as_votes(alpha)).array, form_by_formula(alpha))


def test_has_negative_for_all_classes_of_votes():
    alpha = np.random.default_rng(0).uniform(size=(5, 5))
    bad = alpha.copy()
    bad[3, 1] = -1e-3
    rounded = alpha.copy()
    rounded[3, 1] = -1e-15
    for array, negative in ((alpha, False), (bad, True), (rounded, False)):
        forms = [
            as_votes(array),
            as_votes(np.asfortranarray(array.astype(np.float32))),
            as_votes(sp.csr_array(array)),
            ProductVotes(array, np.eye(5)),
            # This operator does not know its absolute row sums: they are not its row sums.
            OperatorVotes(aslinearoperator(array)),
        ]
        for votes in forms:
            assert has_negative(votes) is negative
            assert voted_form(votes) is not None


@pytest.mark.usefixtures("no_dense_forms")
def test_large_operators_count_as_negative_and_have_no_form():
    alpha = np.random.default_rng(0).uniform(size=(5, 5))
    operator = OperatorVotes(aslinearoperator(alpha))
    assert has_negative(operator)
    assert voted_form(operator) is None
    signed = alpha.copy()
    signed[0, 0] = -0.01
    assert voted_form(as_votes(sp.csr_array(signed))) is None
    # Arrays, and factors of full rank, become dense forms whatever their size.
    assert voted_form(as_votes(signed)).array is not None
    assert voted_form(ProductVotes(alpha, np.eye(5))).array is not None


def test_components_of_block_diagonal_votes():
    alpha = np.zeros((5, 5))
    alpha[:2, :2] = alpha[2:4, 2:4] = 0.5
    for votes in (as_votes(alpha), as_votes(sp.csr_array(alpha))):
        labels = voted_form(votes).components
        assert labels[0] == labels[1] != labels[2] == labels[3]
        assert labels[4] not in labels[:4]


@pytest.mark.usefixtures("no_dense_forms")
def test_targets_without_effect_have_zero_gradient():
    """A rounding error there would look like a gradient, and be divided by a zero curvature."""
    rng = np.random.default_rng(0)
    alpha = np.zeros((40, 40))
    # Targets 0-19 and 30-39 are the only vote of one row: their own row, or another one.
    alpha[np.arange(20), np.arange(20)] = rng.uniform(size=20)
    alpha[np.arange(20, 30), np.arange(30, 40)] = rng.uniform(size=10)
    alpha[30:, 20:30] = rng.uniform(size=(10, 10))
    found = voted_form(as_votes(sp.csr_array(alpha)))
    without_effect = np.r_[:20, 30:40]
    assert (found.diagonal()[without_effect] == 0).all()
    assert (found.diagonal()[20:30] > 0).all()
    assert ((found @ rng.normal(size=(40, 3)))[without_effect] == 0).all()
    np.testing.assert_allclose(found @ np.eye(40), form_by_formula(alpha), atol=1e-14)


@pytest.mark.parametrize("scale", [1e-310, 5e-324])
def test_rows_of_votes_whose_inverse_sums_overflow_have_none(scale):
    votes = np.array([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [scale, 0.0, scale]])
    form = voted_form(as_votes(votes))
    assert np.isfinite(form.array).all()
    np.testing.assert_allclose(form.array[:2, :2], [[0.5, -0.5], [-0.5, 0.5]])
