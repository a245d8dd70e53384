"""Updated products equal products from scratch."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.votes.dense import DenseVotes, SymmetricArray, absolute_sums, combined_rows
from disambig.votes.operator import OperatorVotes
from reproduce.batch import running_product as module
from reproduce.batch.running_product import RunningProduct


def symmetric(n, seed=0):
    array = np.random.default_rng(seed).normal(size=(n, n))
    return array + array.T


def labels(rng, blocks, n, p):
    return np.eye(p)[rng.integers(0, p, (blocks, n))]


def change(rng, values, share):
    """New labels in some rows of some blocks, or the labels of the block before."""
    values = values.copy()
    for block in values:
        rows = np.flatnonzero(rng.random(len(block)) < share * rng.integers(0, 2))
        block[rows] = np.eye(block.shape[1])[rng.integers(0, block.shape[1], rows.size)]
    for b in range(1, len(values)):
        if rng.random() < 0.3:
            values[b] = values[b - 1]
    return values


VOTES = {
    "symmetric": lambda array: DenseVotes(array, symmetric=True),
    "not symmetric": lambda array: DenseVotes(array + np.triu(array)),
    "without columns": lambda array: OperatorVotes(DenseVotes(array)),
}


@pytest.mark.parametrize("kind", VOTES)
@given(seed=st.integers(0, 10_000), blocks=st.integers(1, 5), share=st.floats(0, 1))
def test_every_call_is_a_product(kind, seed, blocks, share):
    rng = np.random.default_rng(seed)
    votes = VOTES[kind](symmetric(12, seed))
    running = RunningProduct(votes)
    values = labels(rng, blocks, 12, 3)
    for _ in range(12):
        found = running(values)
        kept = found.copy()
        for b in range(blocks):
            assert_allclose(found[b], votes @ values[b], atol=1e-12)
        other = running.copy()
        values = change(rng, values, share)
        assert_allclose(other(values), running(values), atol=1e-12)
        # Results that were returned do not change.
        assert_array_equal(found, kept)


def test_products_are_computed_from_scratch_now_and_then(monkeypatch):
    multiplied = []
    original = RunningProduct._multiply
    monkeypatch.setattr(
        RunningProduct, "_multiply", lambda self, v: multiplied.append(len(v)) or original(self, v)
    )
    running = RunningProduct(DenseVotes(symmetric(30), symmetric=True))
    values = np.zeros((1, 30, 1))
    calls = 300
    for k in range(calls):
        values = values.copy()
        values[0, k % 30] += 1.0
        running(values)
    # Each call changes one entry of thirty.
    assert 1 < len(multiplied) <= 1 + calls // (module._MAX_CHANGES_PER_ENTRY * 30)


def test_known_products_are_not_computed():
    running = RunningProduct(DenseVotes(symmetric(5), symmetric=True))
    values = np.ones((1, 5, 2))
    running.set_known(values, np.full((1, 5, 2), 7.0))
    assert_array_equal(running(values), np.full((1, 5, 2), 7.0))


def test_another_shape_is_computed_from_scratch():
    votes = DenseVotes(symmetric(6), symmetric=True)
    running = RunningProduct(votes)
    for shape in ((1, 6, 2), (2, 6, 2), (2, 6, 3)):
        values = np.random.default_rng(0).normal(size=shape)
        assert_allclose(running(values)[-1], votes @ values[-1], atol=1e-12)


# ------------------------------------------------------------------ symmetric arrays


@pytest.mark.needs_jit
@given(seed=st.integers(0, 10_000), p=st.integers(1, 12), dense=st.booleans())
def test_products_with_a_symmetric_array(seed, p, dense):
    rng = np.random.default_rng(seed)
    array = symmetric(300, seed)
    values = rng.normal(size=(300, p)) if dense else np.eye(p)[rng.integers(0, p, 300)]
    whole = SymmetricArray(array)
    assert_allclose(whole @ values, array @ values, atol=1e-10)
    columns = rng.permutation(300)[:50]
    part = values[:50]
    assert_allclose(whole.combine(columns, part), array[:, columns] @ part, atol=1e-10)
    order = rng.permutation(300)
    turned = SymmetricArray(np.ascontiguousarray(array[np.ix_(order, order)]))
    assert_allclose(turned @ values[order], (whole @ values)[order], atol=1e-10)
    assert_allclose(whole.absolute_sums, np.abs(array).sum(axis=1))


def test_combined_rows_of_other_types():
    array = symmetric(300).astype(np.float32)
    values = np.eye(3)[np.arange(300) % 3].astype(np.float32)
    found = combined_rows(array, np.arange(300), values)
    assert found.dtype == np.float32
    assert_allclose(found, array.T @ values, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("m", [None, 0, 3])
def test_absolute_sums(order, m):
    rng = np.random.default_rng(0)
    array = np.asarray(rng.normal(size=(700, 500)), order=order)
    scales = None if m is None else rng.random((500, m) if m else 500)
    expected = np.abs(array) @ (np.ones(500) if scales is None else scales)
    assert_allclose(absolute_sums(array, scales), expected)


def test_symmetric_votes_are_their_own_transpose():
    votes = DenseVotes(symmetric(4), symmetric=True)
    assert votes.T is votes
    assert votes.scale_rows(np.arange(4.0)).T is not votes
    sums = votes.absolute_row_sums()
    assert votes.absolute_row_sums() is sums
    with pytest.raises(ValueError, match="read-only"):
        sums[0] = 0.0
