import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.compiled.nearest import nearest_by_scan, nearest_in_lists, weights_in_order


def by_sorting(members, distances, sample_weight, wanted, own):
    """By definition: sort all members, take them until the weight of the others suffices."""
    taken = []
    left = wanted
    for distance, j in sorted(zip(distances, members, strict=True)):
        if left > 1e-9 * wanted:
            taken.append((j, distance))
            left -= 0.0 if j == own else min(sample_weight[j], left)
    return [j for j, _ in taken], [distance for _, distance in taken], left <= 1e-9 * wanted


def lists(rng, q, n):
    counts = rng.integers(0, n + 1, q)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    indices = [rng.permutation(n)[:count] for count in counts]
    return indptr, np.concatenate([*indices, np.zeros(0, dtype=np.int64)]).astype(np.int64)


def check(found, q, expected_of):
    indptr, indices, distances, farthest, filled = found
    for i in range(q):
        row = slice(indptr[i], indptr[i + 1])
        members, apart, full = expected_of(i)
        assert indices[row].tolist() == members
        assert distances[row].tolist() == apart
        assert filled[i] == full
        assert farthest[i] == (apart[-1] if apart else 0.0)


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 12),
    wanted=st.sampled_from([0.3, 1.0, 2.0, 3.5, 50.0]),
    fractional=st.booleans(),
)
def test_lists_against_sorting(seed, n, wanted, fractional):
    rng = np.random.default_rng(seed)
    q = 5
    indptr, indices = lists(rng, q, n)
    distances = rng.integers(0, 4, indices.size).astype(float)
    sample_weight = rng.uniform(0.1, 2, n) if fractional else rng.integers(1, 4, n).astype(float)
    own = rng.integers(-1, n, q)

    def expected(i):
        row = slice(indptr[i], indptr[i + 1])
        return by_sorting(indices[row], distances[row], sample_weight, wanted, own[i])

    check(nearest_in_lists(indptr, indices, distances, sample_weight, wanted, own), q, expected)


@given(seed=st.integers(0, 10_000), n=st.integers(1, 20), k=st.integers(1, 6))
def test_scan_against_lists(seed, n, k):
    rng = np.random.default_rng(seed)
    left = rng.integers(0, 3, (4, 2)).astype(float)
    right = rng.integers(0, 3, (n, 2)).astype(float)
    sample_weight = rng.integers(1, 3, n).astype(float)
    own = rng.integers(-1, n, 4)
    distances = ((left[:, None] - right[None]) ** 2).sum(axis=-1)
    indptr = np.arange(0, 4 * n + 1, n)
    indices = np.tile(np.arange(n), 4)
    listed = nearest_in_lists(indptr, indices, distances.ravel(), sample_weight, float(k), own)
    scanned = nearest_by_scan(left, right, sample_weight, float(k), own)
    for one, other in zip(listed, scanned, strict=True):
        assert_array_equal(one, other)


def test_order_of_the_list_does_not_matter():
    rng = np.random.default_rng(0)
    distances = rng.integers(0, 3, 40).astype(float)
    sample_weight, own, indptr = np.ones(40), np.array([-1]), np.array([0, 40])
    first = nearest_in_lists(indptr, np.arange(40), distances, sample_weight, 7.0, own)
    order = rng.permutation(40)
    second = nearest_in_lists(indptr, order, distances[order], sample_weight, 7.0, own)
    for one, other in zip(first, second, strict=True):
        assert_array_equal(one, other)


def test_a_huge_weight_keeps_the_digits_of_small_ones():
    n = 200
    sample_weight = np.full(n, 0.1)
    sample_weight[-1] = 1e17
    distances = np.arange(n, 0.0, -1.0)  # the row of largest weight is the nearest, and comes last
    distances[-1] = 500.0
    found = nearest_in_lists(
        np.array([0, n]), np.arange(n), distances, sample_weight, 2.0, np.array([-1])
    )
    assert found[1].tolist() == list(range(n - 2, n - 22, -1))
    taken = weights_in_order(found[0], found[1], sample_weight, np.array([2.0]), np.array([-1]))
    assert_allclose(taken, np.full(20, 0.1))


def test_rounding_of_fractions_adds_no_member():
    sample_weight = np.full(15, 0.1)  # ten of them sum to .9999999999999999
    found = nearest_in_lists(
        np.array([0, 15]), np.arange(15), np.arange(15.0), sample_weight, 1.0, np.array([-1])
    )
    assert found[1].tolist() == list(range(10))
    assert found[4].tolist() == [True]


def test_weights_in_order_are_clipped_and_skip_the_absent():
    indptr, indices = np.array([0, 3, 3, 5]), np.array([2, 0, 1, 1, 0])
    sample_weight = np.array([1.0, 2.0, 4.0])
    taken = weights_in_order(
        indptr, indices, sample_weight, np.array([4.5, 1.0, 9.0]), np.array([-1, 0, 1])
    )
    assert taken.tolist() == [4.0, 0.5, 0.0, 0.0, 1.0]
    taken = weights_in_order(
        indptr, indices, sample_weight, np.array([4.0, 1.0, 1.5]), np.array([2, -1, -1])
    )
    assert taken.tolist() == [0.0, 1.0, 2.0, 1.5, 0.0]
