"""Neighbours of rows in parts equal those of all rows, for any partition."""

from functools import reduce
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from disambig.exceptions import VotesError
from disambig.weights import NeighborWeights
from disambig.weights.neighbors.box_tree import BoxTree, distances_to_box
from disambig.weights.neighbors.parts import (
    MAX_BOX_FEATURES,
    NearestRows,
    RowIndex,
    merge_lists,
    neighbor_lists,
    neighbor_votes,
    search_part,
)


def brute_force(X, queries, width):
    """Sorting all rows by (distance, index); the distances are summed as everywhere."""
    differences = queries[:, None].astype(np.float64) - X[None].astype(np.float64)
    squares = differences**2
    d = X.shape[1]
    sums = np.zeros((4, *squares.shape[:2]))
    for c in range(d):
        sums[c % 4 if c < d - d % 4 else 0] += squares[:, :, c]
    distances = (sums[0] + sums[1]) + (sums[2] + sums[3])
    number = np.broadcast_to(np.arange(len(X)), distances.shape)
    order = np.lexsort((number, distances), axis=1)[:, :width]
    table = NearestRows.none(len(queries), width)
    table.indices[:, : order.shape[1]] = order
    table.distances[:, : order.shape[1]] = np.take_along_axis(distances, order, axis=1)
    return table


def in_parts(X, boundaries, queries, width, *, order=None, limited=False):
    pairs = list(pairwise(boundaries))
    table = NearestRows.none(queries.shape[0], width)
    for place in range(len(pairs)) if order is None else order:
        start, stop = pairs[place]
        index = RowIndex.build(X[start:stop], start)
        limits = table.limits if limited else None
        table = merge_lists(table, search_part(index, queries, width, limits=limits))
    return table


def assert_equal(found, expected):
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.distances, expected.distances)


@st.composite
def partitioned_rows(draw):
    """Rows with copies and ties, boundaries with empty parts among them, and a width."""
    n = draw(st.integers(1, 60))
    d = draw(st.sampled_from([1, 2, 3, 5, 6, 7, 8, MAX_BOX_FEATURES + 1]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if draw(st.booleans()):
        X = rng.integers(0, draw(st.integers(1, 3)), (n, d)).astype(np.float64)
    else:
        X = rng.normal(size=(n, d)) * draw(st.sampled_from([1.0, 1e-30, 1e30]))
        X = X[rng.integers(0, n, n)]
    if draw(st.booleans()):
        with np.errstate(over="ignore"):
            single = X.astype(np.float32)
        X = single if np.isfinite(single).all() else X
    cuts = draw(st.lists(st.integers(0, n), max_size=6))
    return X, [0, *sorted(cuts), n], draw(st.integers(1, 12))


@given(partitioned_rows(), st.randoms(use_true_random=False), st.booleans())
def test_any_partition_gives_the_nearest_rows(case, random, limited):
    X, boundaries, width = case
    order = list(range(len(boundaries) - 1))
    random.shuffle(order)
    found = in_parts(X, boundaries, X, width, order=order, limited=limited)
    with np.errstate(over="ignore"):
        assert_equal(found, brute_force(X, X, width))


@given(partitioned_rows(), st.booleans(), st.sampled_from(["uniform", "distance", "gaussian"]))
def test_votes_are_those_of_all_rows(case, leave_one_out, vote):
    X, boundaries, _ = case
    n = len(X)
    k = min(4, n - 1)
    if k == 0:
        return
    weights = NeighborWeights(k, vote=vote, leave_one_out=leave_one_out).fit(X)
    table = in_parts(X, boundaries, X, k + 1, limited=True)
    found = neighbor_votes(table, k, n, np.arange(n), vote=vote, leave_one_out=leave_one_out)
    expected = weights.training_votes().matrix
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    lists, whole = neighbor_lists(table, k, n, np.arange(n)), weights.neighbors_
    for name in ("indptr", "indices", "distances"):
        np.testing.assert_array_equal(getattr(lists, name), getattr(whole, name))


def test_votes_at_new_inputs():
    rng = np.random.default_rng(0)
    X, queries = rng.integers(0, 3, (80, 3)).astype(float), rng.integers(0, 3, (30, 3)) * 1.0
    expected = NeighborWeights(5).fit(X).votes(queries).matrix
    table = in_parts(X, [0, 0, 17, 80], queries, 6)
    found = neighbor_votes(table, 5, 80, np.full(30, -1))
    assert (found != expected).nnz == 0
    np.testing.assert_array_equal(found.indices, expected.indices)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_merging_is_associative_and_commutative(seed, width):
    rng = np.random.default_rng(seed)
    rows = rng.permutation(30)[: rng.integers(3, 30)]
    distances = rng.integers(0, 3, (4, rows.size)).astype(float)
    distances[rng.random(distances.shape) < 0.1] = np.inf
    owner = rng.integers(0, 3, rows.size)
    tables = []
    for part in range(3):
        own = rows[owner == part]
        table = NearestRows.none(4, width)
        for i in range(4):
            order = np.lexsort((own, distances[i, owner == part]))[:width]
            table.indices[i, : order.size] = own[order]
            table.distances[i, : order.size] = distances[i, owner == part][order]
        tables.append(table)
    a, b, c = tables
    assert_equal(merge_lists(merge_lists(a, b), c), merge_lists(a, merge_lists(b, c)))
    assert_equal(merge_lists(a, b), merge_lists(b, a))
    assert_equal(merge_lists(a, NearestRows.none(4, width)), a)
    whole = reduce(merge_lists, tables)
    for i in range(4):
        order = np.lexsort((rows, distances[i]))[:width]
        assert whole.indices[i][whole.indices[i] >= 0].tolist() == rows[order].tolist()


def test_sparse_rows():
    rng = np.random.default_rng(1)
    X = sp.csr_array(rng.integers(0, 2, (40, 6)) * 1.0)
    weights = NeighborWeights(3).fit(X)
    table = in_parts(X, [0, 15, 40], X, 4)
    found = neighbor_votes(table, 3, 40, np.arange(40))
    assert (found != weights.training_votes().matrix).nnz == 0


def test_many_copies_are_searched_by_index():
    """A node whose rows come after the ones found is not visited."""
    X = np.zeros((5000, 3))
    distances, rows = BoxTree.build(X).search(X, 4)
    assert (rows == np.arange(4)).all()
    assert not distances.any()


def test_threads_change_nothing():
    X = np.random.default_rng(2).normal(size=(20_000, 2))
    one, two = (BoxTree.build(X).search(X, 3, n_jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(one[1], two[1])


def test_no_row_is_nearer_than_its_box():
    rng = np.random.default_rng(3)
    X, queries = rng.normal(size=(50, 7)), 3.0 * rng.normal(size=(20, 7))
    bounds = distances_to_box(queries, X.min(axis=0), X.max(axis=0))
    assert (bounds <= brute_force(X, queries, 1).distances[:, 0]).all()
    assert bounds.max() > 0


def test_words():
    X = np.zeros((4, 2))
    with pytest.raises(VotesError, match=r"have 3 features, and .* at row 7 have 2\. Give all"):
        search_part(RowIndex.build(X, 7), np.zeros((1, 3)), 2)
    with pytest.raises(VotesError, match=r"shapes \(4, 2\) and \(4, 3\)"):
        merge_lists(NearestRows.none(4, 2), NearestRows.none(4, 3))
