"""Windows of places against all orders: which fit, what follows, and equal sets are equal."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from disambig.compiled.orders.windows import fits_windows, narrow_windows
from tests.orderings.enumeration import all_orders, allowed_orders, random_before


def check(before, windows):
    """Compare `narrow_windows` on one row with the orders that fit it."""
    m = len(before)
    members = allowed_orders(before, windows)
    assert fits_windows(before[None], windows[None])[0] == (len(members) > 0)
    pairs, narrow = before[None].copy(), windows[None].copy()
    assert narrow_windows(pairs, narrow)[0] == (len(members) == 0)
    if not len(members):
        assert_array_equal(narrow[0], windows)
        return
    implied = (members[:, :, None] < members[:, None, :]).all(axis=0)
    assert_array_equal(pairs[0], implied)
    tight = np.stack([members.min(axis=0), members.max(axis=0)], axis=1)
    if len(allowed_orders(implied)) == len(members):
        tight[:] = 0, m - 1
    assert_array_equal(narrow[0], tight)


@pytest.mark.parametrize("m", [1, 2, 3])
def test_all_windows_and_all_pairs_of_a_few_items(m):
    choices = list(combinations_with_replacement(range(m), 2))
    relations = {
        tuple((order[:, None] < order).ravel() & np.array(kept, dtype=bool))
        for order in all_orders(m)
        for kept in product([0, 1], repeat=m * m)
    }
    for relation in relations:
        before = np.array(relation).reshape(m, m)
        if (before & ~np.eye(m, dtype=bool) & ((before @ before) & ~before)).any():
            continue
        for windows in product(choices, repeat=m):
            check(before, np.array(windows))


@given(seed=st.integers(0, 10**6), m=st.integers(2, 6), share=st.sampled_from([0.0, 0.1, 0.3, 0.6]))
def test_windows_against_all_orders(seed, m, share):
    rng = np.random.default_rng(seed)
    before = random_before(rng, 1, m, share)[0]
    lower = rng.integers(0, m, m)
    windows = np.stack([lower, np.minimum(lower + rng.integers(0, m, m), m - 1)], axis=1)
    windows[rng.random(m) < 0.4] = 0, m - 1
    check(before, windows)
