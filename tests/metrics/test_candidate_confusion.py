"""Which classes come together, against loops over rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig import LabelSets
from disambig.metrics import candidate_confusion
from disambig.metrics.candidate_confusion import together_order


@given(st.integers(2, 6), st.integers(1, 25), st.integers(0, 10_000), st.booleans())
def test_shares_are_those_of_a_loop(k, n, seed, with_labels):
    rng = np.random.default_rng(seed)
    codes = rng.integers(k, size=n)
    mask = rng.random((n, k)) < 0.4
    mask[np.arange(n), codes] = True
    weights = rng.integers(0, 3, n)
    sets = LabelSets(mask, np.arange(k))
    found = candidate_confusion(sets, codes if with_labels else None, sample_weight=weights)
    for a in range(k):
        for b in range(k):
            total = together = 0
            for row in range(n):
                counts = codes[row] == a if with_labels else mask[row, a]
                if counts and not mask[row].all():
                    total += weights[row]
                    together += weights[row] * mask[row, b]
            assert found.weight[a] == total
            expected = together / total if total else np.nan
            np.testing.assert_allclose(found.shares[a, b], expected)


@pytest.mark.parametrize("k", [12, 150])
def test_classes_that_come_together_are_neighbours(k):
    rng = np.random.default_rng(0)
    block = rng.permutation(k) // 3
    shares = np.where(block[:, None] == block, 0.6, 0.05) + 0.02 * rng.random((k, k))
    order = together_order(shares)
    assert sorted(order.tolist()) == list(range(k))
    # Every block is a run.
    assert np.count_nonzero(np.diff(block[order])) == k // 3 - 1
    assert together_order(np.full((4, 4), np.nan)).size == 4
    assert together_order(shares[:2, :2]).tolist() == [0, 1]


def test_errors():
    with pytest.raises(ValueError, match=r"one entry for each of 2 rows; got shape \(1,\)"):
        candidate_confusion([{"a"}, {"b"}], ["a"])
    with pytest.raises(ValueError, match=r"labels has 'c' in row 1, which is not among the 2"):
        candidate_confusion([{"a"}, {"b"}], ["a", "c"])
