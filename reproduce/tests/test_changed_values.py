"""Changes between blocks of values are counted and written out."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from reproduce.batch.kernels import changed_rows, count_changes


@given(seed=st.integers(0, 10_000), blocks=st.integers(1, 4), p=st.integers(1, 3))
def test_changes(seed, blocks, p):
    rng = np.random.default_rng(seed)
    values, older = rng.integers(0, 2, (2, blocks, 6, p)).astype(float)
    past, beside = count_changes(values, older)
    assert_array_equal(past, (values != older).sum(axis=(1, 2)))
    assert beside[0] == 6 * p
    assert_array_equal(beside[1:], (values[1:] != values[:-1]).sum(axis=(1, 2)))
    follows = rng.random(blocks) < 0.5
    follows[0] = False
    told = np.flatnonzero(rng.random(blocks) < 0.7)
    rows, steps = changed_rows(values, older, told, follows)
    rebuilt = np.zeros((6, told.size, p))
    rebuilt[rows] = steps.reshape(rows.size, told.size, p)
    for t, b in enumerate(told):
        before = values[b - 1] if follows[b] else older[b]
        assert_array_equal(rebuilt[:, t], values[b] - before)
    assert rebuilt[rows].any(axis=(1, 2)).all()


def test_without_a_past_everything_changed():
    values = np.zeros((2, 3, 1))
    past, beside = count_changes(values, np.full((2, 3, 1), np.nan))
    assert past.tolist() == [3, 3]
    assert beside.tolist() == [3, 0]
