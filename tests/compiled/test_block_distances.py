import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from disambig.compiled.distances import block_distances


@given(seed=st.integers(0, 10_000), width=st.integers(1, 9), m=st.integers(1, 90))
def test_the_lists_hold_the_smallest_keys(seed, width, m):
    rng = np.random.default_rng(seed)
    # A base far larger than the values: rounding to single precision must lose no row.
    base = rng.normal(size=3) * 10.0 ** rng.integers(-3, 6)
    keys, members = np.full((4, width), np.inf), np.full((4, width), -1)
    queries, offered = np.array([3, 0, 2]), [[], [], []]
    for block in range(2):
        values = rng.normal(size=(3, m)).astype(np.float32)
        rows = np.arange(m) + block * m
        block_distances(values, base, queries, rows, keys, members)
        for i in range(3):
            offered[i] += zip((base[i] + values[i].astype(float)).tolist(), rows, strict=True)
    for i, query in enumerate(queries):
        best = sorted(key for key, _ in offered[i])[:width]
        found = keys[query][np.isfinite(keys[query])]
        assert_array_equal(np.sort(found), best)
        of = {row: key for key, row in offered[i]}
        kept = members[query][np.isfinite(keys[query])]
        assert [of[row] for row in kept] == found.tolist()
        assert keys[query, 0] == keys[query].max()
    assert (members[1] == -1).all()
