"""Changes of blocks of values: their number, and the differences."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from reproduce.batch.kernels import changed_rows, count_changes


@given(seed=st.integers(0, 10_000), blocks=st.integers(1, 4), p=st.integers(1, 3))
def test_counts_and_differences(seed, blocks, p):
    rng = np.random.default_rng(seed)
    values, older = rng.integers(0, 2, (2, blocks, 6, p)).astype(float)
    since_older, since_previous = count_changes(values, older)
    assert_array_equal(since_older, (values != older).sum(axis=(1, 2)))
    assert since_previous[0] == 6 * p
    assert_array_equal(since_previous[1:], (values[1:] != values[:-1]).sum(axis=(1, 2)))
    follows = rng.random(blocks) < 0.5
    follows[0] = False
    updated = np.flatnonzero(rng.random(blocks) < 0.7)
    rows, steps = changed_rows(values, older, updated, follows)
    rebuilt = np.zeros((6, updated.size, p))
    rebuilt[rows] = steps.reshape(rows.size, updated.size, p)
    for t, b in enumerate(updated):
        before = values[b - 1] if follows[b] else older[b]
        assert_array_equal(rebuilt[:, t], values[b] - before)
    assert rebuilt[rows].any(axis=(1, 2)).all()


def test_all_entries_differ_from_nan():
    values = np.zeros((2, 3, 1))
    since_older, since_previous = count_changes(values, np.full((2, 3, 1), np.nan))
    assert since_older.tolist() == [3, 3]
    assert since_previous.tolist() == [3, 0]
