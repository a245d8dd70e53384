"""Inverses that are never formed, against dense ones."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.exceptions import ConvergenceWarning, MemoryBudgetError, VotesError
from disambig.votes import sparse_inverse as inverse_module
from disambig.votes.solved import probed_diagonal
from disambig.votes.sparse_inverse import SparseInverse, conjugate_gradients

METHODS = ("direct", "iterative")


def system(seed, n, *, density=0.3, strength=3.0):
    """``I + strength * Laplacian`` of a random graph, often with several connected parts."""
    rng = np.random.default_rng(seed)
    links = np.triu(rng.random((n, n)) < density, k=1) * rng.random((n, n))
    links += links.T
    return sp.csr_array(np.eye(n) + strength * (np.diag(links.sum(axis=1)) - links))


@pytest.mark.parametrize("method", METHODS)
@given(seed=st.integers(0, 10_000), n=st.integers(1, 15))
def test_products_and_diagonal(method, seed, n):
    matrix = system(seed, n)
    dense = np.linalg.inv(matrix.toarray())
    inverse = SparseInverse.build(matrix, np.ones(n), method)
    assert inverse.direct == (method == "direct")
    assert inverse.shape == (n, n)
    values = np.random.default_rng(seed).normal(size=(n, 3))
    assert_allclose(inverse @ values, dense @ values, atol=1e-11)
    assert_allclose(inverse @ values[:, 0], dense @ values[:, 0], atol=1e-11)
    assert (inverse @ values[:, :0]).shape == (n, 0)
    assert_allclose(inverse.diagonal, dense.diagonal(), atol=1e-11)
    together = dense > 0
    assert_array_equal(inverse.parts[:, None] == inverse.parts, together)


@pytest.mark.parametrize("method", METHODS)
def test_parts_with_zero_values_stay_exactly_zero(method):
    inverse = SparseInverse.build(
        sp.csr_array(sp.block_diag([system(0, 9), system(1, 8)])), np.ones(17), method
    )
    values = np.zeros((17, 2))
    values[3] = 0.1, 1e-200
    found = inverse @ values
    assert_array_equal(found[9:], np.zeros((8, 2)))
    # A small right-hand side does not give zeros.
    assert_allclose(found[:, 1] * 1e199, found[:, 0], atol=1e-12)


def test_entries_below_the_tolerance_are_zero():
    n = 60
    chain = sp.diags(
        [np.full(n - 1, -0.2), np.full(n, 1.4), np.full(n - 1, -0.2)], offsets=[-1, 0, 1]
    )
    inverse = SparseInverse.build(sp.csr_array(chain), np.ones(n), "iterative")
    start = np.zeros(n)
    start[0] = 1.0
    found = inverse @ start
    exact = np.linalg.inv(chain.toarray())[:, 0]
    assert_allclose(found, exact, atol=1e-12)
    assert exact[-1] > 0
    assert_array_equal(found[exact < 1e-13], 0.0)


@pytest.mark.parametrize("method", METHODS)
def test_pickle(method):
    inverse = SparseInverse.build(system(0, 20), np.ones(20), method)
    values = np.random.default_rng(0).random((20, 4))
    before = inverse @ values
    _ = inverse.diagonal
    assert_array_equal(pickle.loads(pickle.dumps(inverse)) @ values, before)


def test_small_envelopes_are_factorised_and_large_ones_iterated(monkeypatch):
    chain = sp.diags(
        [np.full(399, -1.0), np.full(400, 3.0), np.full(399, -1.0)], offsets=[-1, 0, 1]
    )
    thin, thick = sp.csr_array(chain), system(0, 400, density=0.1)
    assert SparseInverse.build(thin, np.ones(400)).direct
    assert SparseInverse.build(thick, np.ones(400)).direct
    monkeypatch.setattr(inverse_module, "_MAX_ENVELOPE", 100)
    monkeypatch.setattr(inverse_module, "_MAX_ENVELOPE_PER_ROW", 5)
    assert SparseInverse.build(thin, np.ones(400)).direct
    assert not SparseInverse.build(thick, np.ones(400)).direct
    assert SparseInverse.build(thick, np.ones(400), "direct").direct


def test_a_factor_that_would_not_fit(monkeypatch):
    monkeypatch.setattr("disambig.memory.free_bytes", lambda: 1000)
    matrix = system(0, 40)
    with pytest.raises(MemoryBudgetError, match=r"factor of a sparse matrix of 40 rows.*iteration"):
        SparseInverse.build(matrix, np.ones(40), "direct")
    assert not SparseInverse.build(matrix, np.ones(40), "iterative").direct


def test_iterations_that_end_too_early_warn():
    matrix = system(0, 50, strength=100.0)
    values = np.random.default_rng(0).random((50, 2))
    with pytest.warns(ConvergenceWarning, match="50 equations is solved to .* after 3 iterations"):
        conjugate_gradients(matrix, values, np.ones(50), max_iter=3)


def test_a_singular_matrix_with_values_in_its_range():
    matrix = system(0, 40, density=0.3, strength=1.0) - sp.eye(40, format="csr")
    values = np.random.default_rng(0).normal(size=(40, 6))
    values -= values.mean(axis=0)
    # One column is solved at once, and must not change while the others go on.
    values[:, 0] = 0.0
    values[:2, 0] = 1e-300, -1e-300
    found = conjugate_gradients(sp.csr_array(matrix), values, matrix.diagonal())
    assert_allclose(matrix @ found, values, atol=1e-10)


def test_many_columns_are_solved_in_blocks(monkeypatch):
    matrix, values = system(0, 30), np.random.default_rng(0).random((30, 7))
    whole = conjugate_gradients(matrix, values, np.ones(30))
    monkeypatch.setattr("disambig.votes.sparse_inverse._VALUES_PER_BLOCK", 60)
    assert_allclose(conjugate_gradients(matrix, values, np.ones(30)), whole, atol=1e-12)


@pytest.mark.parametrize("blocks", [2**22, 150])
def test_the_standard_error_of_the_estimated_diagonal(monkeypatch, blocks):
    monkeypatch.setattr("disambig.votes.solved._ENTRIES_PER_BLOCK", blocks)
    inverse = SparseInverse.build(system(0, 200, density=0.05), np.ones(200), "direct")
    found, error = probed_diagonal(inverse)
    away = found - inverse.diagonal
    assert np.sqrt(np.mean(error**2)) < 0.02
    assert 0.5 < np.sqrt(np.mean(away**2) / np.mean(error**2)) < 1.5
    assert_array_equal(probed_diagonal(inverse)[0], found)


def test_a_system_that_is_singular_in_double_precision():
    matrix = sp.csr_array([[1.0, -1.0], [-1.0, 1.0]])
    inverse = SparseInverse.build(matrix, np.ones(2), "direct")
    message = r"2 equations .* cannot be solved .* from 1.0e\+00 to 1.0e\+00. Use sample weights"
    with pytest.raises(VotesError, match=message):
        _ = inverse @ np.ones(2)
