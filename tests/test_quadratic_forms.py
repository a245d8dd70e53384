"""The squared loss as a quadratic form in the targets."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.linalg import aslinearoperator

from disambig import quadratic_forms
from disambig.quadratic_forms import VotedForm, has_negative, voted_form
from disambig.votes import OperatorVotes, ProductVotes, as_votes
from tests.oracles.number_problems import random_votes

seeds = st.integers(0, 10**6)


def plain_form(alpha):
    """``diag(A' 1) - A' diag(1 / r) A``, as the formula has it."""
    sums = alpha.sum(axis=1)
    inverse = np.where(sums > 0, 1 / np.where(sums > 0, sums, 1.0), 0.0)
    return np.diag(alpha.sum(axis=0)) - alpha.T @ (inverse[:, None] * alpha)


@pytest.fixture
def never_written_out(monkeypatch):
    monkeypatch.setattr(quadratic_forms, "_SMALL", 0)


@given(seed=seeds, form=st.sampled_from(["dense", "sparse"]), n=st.integers(1, 9))
def test_written_out(seed, form, n):
    alpha = random_votes(np.random.default_rng(seed), n, form)
    found = voted_form(as_votes(alpha))
    dense = alpha if form == "dense" else alpha.toarray()
    np.testing.assert_allclose(found.array, plain_form(dense), atol=1e-12)
    np.testing.assert_array_equal(found.array, found.array.T)
    assert found.shape == (n, n)
    assert found.is_convex
    assert found.shift_invariant
    np.testing.assert_allclose(found @ np.ones(n), 0, atol=1e-14 * n)
    np.testing.assert_array_equal(found.diagonal(), found.array.diagonal())


@given(seed=seeds, n=st.integers(1, 9))
def test_as_products_with_sparse_votes(seed, n):
    alpha = random_votes(np.random.default_rng(seed), n, "sparse")
    dense = voted_form(as_votes(alpha))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quadratic_forms, "_SMALL", 0)
        found = voted_form(as_votes(alpha))
    assert isinstance(found, VotedForm)
    assert found.array is None
    assert found.shape == (n, n)
    np.testing.assert_allclose(found @ np.eye(n), dense.array, atol=1e-13)
    np.testing.assert_allclose(found @ np.eye(n)[:, 0], dense.array[:, 0], atol=1e-13)
    np.testing.assert_allclose(found.diagonal(), dense.diagonal(), atol=1e-13)
    # The same groups, whatever their numbers.
    pairs = [np.equal.outer(form.components, form.components) for form in (found, dense)]
    unheard = dense.diagonal() <= 1e-15
    heard = ~np.logical_or.outer(unheard, unheard) | np.eye(n, dtype=bool)
    np.testing.assert_array_equal(pairs[0] & heard, pairs[1] & heard)


def test_small_votes_keep_their_digits_beside_large_ones():
    # What is left of 1 - 1 is 1e-12: the formula as it stands has four digits of it.
    small = 1e-12
    alpha = np.array([[1.0, small], [small, 1.0]])
    found = voted_form(as_votes(alpha))
    expected = 2 * small / (1 + small)
    np.testing.assert_allclose(found.array, expected * np.array([[1, -1], [-1, 1]]), rtol=1e-12)


@given(seed=seeds, n=st.integers(2, 8))
def test_votes_of_both_signs_are_convex_where_the_eigenvalues_are(seed, n):
    rng = np.random.default_rng(seed)
    alpha = rng.uniform(size=(n, n)) + rng.normal(scale=0.3, size=(n, n))
    alpha[np.arange(n), np.arange(n)] += n
    found = voted_form(as_votes(alpha))
    eigenvalues = np.linalg.eigvalsh(plain_form(alpha))
    np.testing.assert_allclose(found.array, plain_form(alpha), atol=1e-12 * n)
    if abs(eigenvalues[0]) > 1e-9 * eigenvalues[-1]:
        assert found.is_convex == bool(eigenvalues[0] > 0)


def test_signed_votes_can_be_convex():
    alpha = np.array([[2.0, 1.0, -0.1], [1.0, 2.0, 1.0], [-0.1, 1.0, 2.0]])
    assert has_negative(as_votes(alpha))
    found = voted_form(as_votes(alpha))
    assert np.linalg.eigvalsh(found.array)[0] > -1e-12
    assert found.is_convex
    assert not voted_form(as_votes(alpha + np.diag([0, 0, 3]) - 0.9 * np.eye(3)[::-1])).is_convex


def test_a_row_that_sums_to_nothing_positive_has_no_form():
    alpha = np.ones((3, 3))
    alpha[1] = [1.0, -1.0, 0.0]
    assert voted_form(as_votes(alpha)) is None
    alpha[1] = [1.0, -1.0, -1e-3]
    assert voted_form(as_votes(alpha)) is None
    # An empty row is no such row: nobody listens there.
    alpha[1] = 0.0
    np.testing.assert_allclose(voted_form(as_votes(alpha)).array, plain_form(alpha))


def test_negative_votes_in_all_forms():
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
            # Such an operator has no absolute sums; they must not be taken for the sums.
            OperatorVotes(aslinearoperator(array)),
        ]
        for votes in forms:
            assert has_negative(votes) is negative
            assert voted_form(votes) is not None


@pytest.mark.usefixtures("never_written_out")
def test_what_cannot_be_looked_at_makes_no_claim():
    alpha = np.random.default_rng(0).uniform(size=(5, 5))
    operator = OperatorVotes(aslinearoperator(alpha))
    assert has_negative(operator)
    assert voted_form(operator) is None
    signed = alpha.copy()
    signed[0, 0] = -0.01
    assert voted_form(as_votes(sp.csr_array(signed))) is None
    # Arrays are written out whatever their size.
    assert voted_form(as_votes(signed)).array is not None
    assert voted_form(ProductVotes(alpha, np.eye(5))).array is not None


def test_groups_that_nobody_connects():
    alpha = np.zeros((5, 5))
    alpha[:2, :2] = alpha[2:4, 2:4] = 0.5
    for votes in (as_votes(alpha), as_votes(sp.csr_array(alpha))):
        groups = voted_form(votes).components
        assert groups[0] == groups[1] != groups[2] == groups[3]
        assert groups[4] not in groups[:4]


@pytest.mark.usefixtures("never_written_out")
def test_targets_that_make_no_difference_have_no_slope():
    """Rounding at such a row would pass for a slope, divided by a curvature of nothing."""
    rng = np.random.default_rng(0)
    alpha = np.zeros((40, 40))
    # Heard by a row that hears nobody else: by itself, or by another one.
    alpha[np.arange(20), np.arange(20)] = rng.uniform(size=20)
    alpha[np.arange(20, 30), np.arange(30, 40)] = rng.uniform(size=10)
    alpha[30:, 20:30] = rng.uniform(size=(10, 10))
    found = voted_form(as_votes(sp.csr_array(alpha)))
    idle = np.r_[:20, 30:40]
    assert (found.diagonal()[idle] == 0).all()
    assert (found.diagonal()[20:30] > 0).all()
    assert ((found @ rng.normal(size=(40, 3)))[idle] == 0).all()
    np.testing.assert_allclose(found @ np.eye(40), plain_form(alpha), atol=1e-14)
