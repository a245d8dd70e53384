"""Every kind of votes gives the results of the array that it represents."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from disambig.exceptions import MissingOracleError, VotesError
from disambig.votes import Votes, as_votes
from disambig.votes.blocks import row_blocks
from disambig.votes.dense import DenseVotes
from disambig.votes.mixture import MixtureVotes
from disambig.votes.operator import OperatorVotes
from disambig.votes.partition import Membership, PartitionVotes
from disambig.votes.product import ProductVotes
from disambig.votes.solved import SolvedVotes
from disambig.votes.sparse import SparseVotes
from disambig.votes.sparse_inverse import SparseInverse

KINDS = (
    "dense",
    "sparse",
    "product",
    "partition, with sparse rows",
    "solved",
    "operator of dense",
    "operator of sparse",
    "mixture, dense in part",
    "mixture with sparse rows",
)

# Types of row and column factors: those of forests, and one more. Each pair is compiled once.
FACTORS = ((None, None), (None, np.uint16), (np.float64, None), (np.uint16, np.float64))


def signed_matrix(seed, q, n, *, rank=None):
    """Small signed integers, about half of them zero, so that votes tie and sums are exact."""
    rng = np.random.default_rng(seed)
    if rank is not None:
        return rng.integers(-2, 3, (q, rank)).astype(float), rng.integers(-2, 3, (rank, n)) * 1.0
    return (rng.integers(-3, 4, (q, n)) * rng.integers(0, 2, (q, n))).astype(float)


def leaf_votes(seed, q, n):
    """Three trees of 1 to 3 leaves with small integers throughout, so that sums are exact."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 4, 3)
    starts = np.concatenate([[0], np.cumsum(sizes)])

    def members(size, factors):
        leaves = rng.integers(-1, sizes[:, None], (3, size)).astype(np.int32)
        scale = rng.integers(0, 3, size).astype(float)
        return Membership(leaves, scale, factors and rng.integers(0, 3, (3, size)).astype(factors))

    rows, columns = (
        members(size, kind) for size, kind in zip((q, n), FACTORS[seed % 4], strict=True)
    )
    weights = rng.integers(1, 4, sizes.sum()).astype(float)
    array = np.zeros((q, n))
    for t in range(3):
        for i, j in np.ndindex(q, n):
            leaf = rows.leaves[t, i]
            if leaf >= 0 and leaf == columns.leaves[t, j]:
                entry = weights[starts[t] + leaf] * rows.scale[i] * columns.scale[j]
                for side, place in ((rows, i), (columns, j)):
                    entry *= 1.0 if side.factors is None else side.factors[t, place]
                array[i, j] += entry
    return PartitionVotes(rows, columns, starts, weights), array


def solved_votes(seed, q, n):
    """Blocks of one and two nodes, between small integers, so that solving is exact."""
    rng = np.random.default_rng(seed)
    pair = np.array([[1.0, -1.0], [-1.0, 2.0]])
    matrix = sp.block_diag([pair, [[0.5]], pair], format="csr")
    left = rng.integers(0, 3, (q, 5)) * rng.integers(0, 2, (q, 5)) * 1.0
    right = rng.integers(0, 3, (5, n)) * rng.integers(0, 2, (5, n)) * 1.0
    array = left @ np.linalg.inv(matrix.toarray()).round(9) @ right
    own = array.diagonal().copy() if q == n and seed % 2 else None
    if own is not None:
        np.fill_diagonal(array, 0.0)
    inverse = SparseInverse.build(sp.csr_array(matrix), np.ones(5))
    return SolvedVotes(sp.csr_array(left), inverse, sp.csr_array(right), own), array


def votes_and_array(kind, seed=0, q=5, n=7):
    if kind.startswith("mixture"):
        # Halves and quarters, so that sums are exact; parts that cancel in some places.
        first, second = signed_matrix(seed, q, n), signed_matrix(seed + 1, q, n)
        second[:1] = -2.0 * first[:1]
        sparse = "sparse rows" in kind
        part = SparseVotes(sp.csr_array(first)) if sparse else DenseVotes(first)
        parts = (part, SparseVotes(sp.csr_array(second)))
        return MixtureVotes(parts, (0.5, 0.25)), first / 2 + second / 4
    if kind == "solved":
        return solved_votes(seed, q, n)
    if "partition" in kind:
        return leaf_votes(seed, q, n)
    if kind == "product":
        left, right = signed_matrix(seed, q, n, rank=3)
        rng = np.random.default_rng(seed)
        scales = rng.integers(-2, 3, 3).astype(float) if seed % 3 else None
        own = rng.integers(-2, 3, n).astype(float) if q == n and seed % 2 else None
        array = left @ right if scales is None else (left * scales) @ right
        array = array if own is None else array - np.diag(own)
        return ProductVotes(left, right, scales, own), array
    array = signed_matrix(seed, q, n)
    if kind == "dense":
        return DenseVotes(array), array
    if kind == "sparse":
        return SparseVotes(sp.csr_array(array)), array
    inner = DenseVotes(array) if "dense" in kind else SparseVotes(sp.csr_array(array))
    return OperatorVotes(inner), array


def entries(votes):
    """The array, from products only."""
    return votes @ np.eye(votes.shape[1])


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10_000), q=st.integers(1, 6), n=st.integers(1, 6))
def test_products_and_sums(kind, seed, q, n):
    votes, array = votes_and_array(kind, seed, q, n)
    assert isinstance(votes, Votes)
    assert votes.shape == array.shape
    assert votes.T.shape == array.T.shape
    values = np.random.default_rng(seed).normal(size=(n, 3))
    assert_allclose(votes @ values, array @ values, atol=1e-12)
    assert_allclose(votes @ values[:, 0], array @ values[:, 0], atol=1e-12)
    back = np.random.default_rng(seed).normal(size=(q, 2))
    assert_allclose(votes.T @ back, array.T @ back, atol=1e-12)
    assert_allclose(entries(votes.T.T), array, atol=1e-12)
    assert_allclose(votes.row_sums(), array.sum(axis=1), atol=1e-12)
    assert_allclose(votes.T.row_sums(), array.sum(axis=0), atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10_000))
def test_absolute_row_sums(kind, seed):
    votes, array = votes_and_array(kind, seed)
    expected = np.abs(array).sum(axis=1)
    if kind == "product":
        # A bound: the entries are never formed.
        assert (votes.absolute_row_sums() >= expected).all()
        positive = ProductVotes(np.abs(votes.left), np.abs(votes.right))
        assert_array_equal(positive.absolute_row_sums(), positive.row_sums())
    elif kind.startswith("mixture"):
        # A bound: parts that cancel are counted separately.
        assert (votes.absolute_row_sums() >= expected).all()
        apart = [np.abs(entries(part)).sum(axis=1) for part in votes.parts]
        assert_array_equal(votes.absolute_row_sums(), apart[0] / 2 + apart[1] / 4)
    else:
        assert_array_equal(votes.absolute_row_sums(), expected)


def test_absolute_row_sums_of_many_rows():
    array = np.random.default_rng(0).normal(size=(2500, 1000))
    assert_allclose(DenseVotes(array).absolute_row_sums(), np.abs(array).sum(axis=1))


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10_000), q=st.integers(1, 6), n=st.integers(1, 6))
def test_diagonal_split_and_scaling(kind, seed, q, n):
    votes, array = votes_and_array(kind, seed, q, n)
    assert_array_equal(votes.diagonal(), array.diagonal())
    positive, negative = votes.split()
    assert_array_equal(entries(positive), np.maximum(array, 0))
    assert_array_equal(entries(negative), np.maximum(-array, 0))
    factors = np.arange(1.0, q + 1)
    assert_array_equal(entries(votes.scale_rows(factors)), array * factors[:, None])
    assert_array_equal(entries(votes.scale_rows(factors).T), (array * factors[:, None]).T)


@pytest.mark.parametrize("kind", [*KINDS, "bare operator"])
@given(seed=st.integers(0, 10_000), ends=st.tuples(st.integers(0, 5), st.integers(0, 5)))
def test_rows(kind, seed, ends):
    start, stop = sorted(ends)
    if kind == "bare operator":
        array = signed_matrix(seed, 5, 7)
        votes = as_votes(aslinearoperator(array))
    else:
        votes, array = votes_and_array(kind, seed)
    block = votes.rows(start, stop)
    assert sp.issparse(block) == ("sparse" in kind)
    if sp.issparse(block):
        assert isinstance(block, sp.csr_array)
        block = block.toarray()
    assert_array_equal(block, array[start:stop])


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10_000), q=st.integers(0, 40), entries=st.integers(1, 50))
def test_row_blocks(kind, seed, q, entries):
    votes, array = votes_and_array(kind, seed, q, 3)
    blocks = list(row_blocks(votes, entries))
    full = np.zeros((q, 3))
    seen = 0
    for start, block in blocks:
        assert start == seen
        seen += block.shape[0]
        full[start:seen] = block.toarray() if sp.issparse(block) else block
        if not sp.issparse(block):
            assert block.size <= max(entries, 3)
    assert seen == q
    assert_array_equal(full, array)


def test_blocks_of_sparse_votes_grow_with_what_fits():
    votes = as_votes(sp.random(4000, 4000, density=1e-3, random_state=0, format="csr"))
    blocks = [block for _, block in row_blocks(votes, 8000)]
    assert len(blocks) < 20
    assert max(block.nnz for block in blocks) < 16_000


def test_rows_of_an_operator_without_a_transpose():
    class Forward:
        shape = (2, 3)

        def __matmul__(self, values):
            return values[:2]

    with pytest.raises(MissingOracleError, match=r"a Forward without rows\(\), which a loss"):
        OperatorVotes(Forward()).rows(0, 1)
    one_way = LinearOperator((2, 3), matvec=lambda v: v[:2], dtype=np.float64)
    with pytest.raises(MissingOracleError, match=r"without rows\(\), which a loss"):
        as_votes(one_way).rows(0, 1)


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10_000))
def test_column_entries(kind, seed):
    votes, array = votes_and_array(kind, seed)
    columns = np.array([4, 0, 6])
    rows, positions, values = votes.column_entries(columns)
    assert (values != 0).all()
    rebuilt = np.zeros((array.shape[0], columns.size))
    rebuilt[rows, positions] = values
    assert_allclose(rebuilt, array[:, columns], atol=1e-12)
    assert rows.size == np.count_nonzero(array[:, columns])


def groups(links):
    return connected_components(sp.csr_array(links), directed=True, connection="weak")[1]


@given(seed=st.integers(0, 10_000), n=st.integers(1, 6))
def test_links_of_solved_votes_join_rows_with_votes_for_each_other(seed, n):
    votes, array = solved_votes(seed, n, n)
    rows = np.flatnonzero(np.random.default_rng(seed).random(n) < 0.7)
    links = votes.links(rows)
    assert links.shape == (rows.size, rows.size)
    assert_array_equal(groups(links), groups(array[np.ix_(rows, rows)]))


@pytest.mark.parametrize("kind", KINDS)
def test_links(kind):
    votes, array = votes_and_array(kind, q=6, n=6)
    rows = np.array([1, 3, 4])
    links = votes.links(rows)
    if kind == "product":
        assert links is None
    elif kind == "solved" or kind.startswith("mixture"):
        assert_array_equal(groups(links), groups(array[np.ix_(rows, rows)]))
    else:
        assert_array_equal(links.toarray(), array[np.ix_(rows, rows)])


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10_000), limit=st.integers(1, 9))
def test_strongest(kind, seed, limit):
    votes, array = votes_and_array(kind, seed)
    table = votes.strongest(limit)
    assert table.shape == (array.shape[0], min(limit, array.shape[1]))
    for row, found in zip(array, table, strict=True):
        order = sorted(np.flatnonzero(row > 0), key=lambda j, row=row: (-row[j], j))
        expected = [*order, *[-1] * row.size][: table.shape[1]]
        assert found.tolist() == expected


@pytest.mark.parametrize("kind", KINDS)
def test_pickle(kind):
    votes, array = votes_and_array(kind)
    assert_array_equal(entries(pickle.loads(pickle.dumps(votes))), array)


def test_stored_zeros_are_no_votes():
    matrix = sp.csr_array((np.array([0.0, 2.0]), np.array([0, 1]), np.array([0, 2])), shape=(1, 2))
    rows, positions, values = SparseVotes(matrix).column_entries(np.array([0, 1]))
    assert (rows.tolist(), positions.tolist(), values.tolist()) == ([0], [1], [2.0])


def test_a_bare_operator_refuses_methods_that_it_lacks():
    array = np.abs(signed_matrix(0, 4, 4))
    votes = as_votes(aslinearoperator(array))
    assert isinstance(votes, OperatorVotes)
    assert_allclose(votes @ np.ones(4), array.sum(axis=1))
    assert_allclose(votes.T @ np.ones(4), array.sum(axis=0))
    assert_allclose(votes.row_sums(), array.sum(axis=1))
    assert_allclose(votes.absolute_row_sums(), array.sum(axis=1))
    assert votes.links(np.array([0])) is None
    for ask in (
        votes.diagonal,
        votes.split,
        lambda: votes.scale_rows(np.ones(4)),
        lambda: votes.strongest(2),
    ):
        with pytest.raises(MissingOracleError, match=r"without .*which .* needs"):
            ask()


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_an_operator_that_gives_no_numbers_is_refused(value):
    class Broken:
        shape = (4, 4)
        T = property(lambda self: self)

        def __matmul__(self, values):
            product = values.copy()
            product[2] = value
            return product

    votes = as_votes(Broken())
    message = r"holds NaN or infinity, first in row 2 \(1 such rows\)"
    for values in (np.ones(4), np.ones((4, 3))):
        with pytest.raises(VotesError, match=message):
            _ = votes @ values


def test_an_operator_whose_product_has_another_shape_is_refused():
    class Turned:
        shape = (4, 4)
        T = property(lambda self: self)

        def __matmul__(self, values):
            return values.T

    with pytest.raises(VotesError, match=r"Turned .* shape \(3, 4\); expected \(4, 3\)"):
        _ = as_votes(Turned()) @ np.ones((4, 3))


@pytest.mark.parametrize("wrap", [np.asarray, list, sp.csr_matrix, sp.coo_array, sp.csc_array])
def test_as_votes_accepts_arrays_and_matrices(wrap):
    array = np.array([[0, 1], [2, 0], [3, 4]])
    votes = as_votes(wrap(array), shape=(3, 2))
    assert_array_equal(entries(votes), array)
    assert (votes @ np.ones(2)).dtype == np.float64
    assert as_votes(votes) is votes


def test_as_votes_adds_repeated_entries_outside_the_users_arrays():
    data, columns = np.array([2.0, -1.0, 5.0]), np.array([1, 1, 0])
    given_matrix = sp.csr_array((data.copy(), columns.copy(), np.array([0, 2, 3])), shape=(2, 2))
    votes = as_votes(given_matrix)
    assert_array_equal(votes.absolute_row_sums(), [1.0, 5.0])
    positive, negative = votes.split()
    assert_array_equal(entries(positive), [[0, 1], [5, 0]])
    assert_array_equal(entries(negative), np.zeros((2, 2)))
    assert_array_equal(given_matrix.data, data)
    assert_array_equal(given_matrix.indices, columns)


@pytest.mark.parametrize("wrap", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_as_votes_refuses_what_is_not_finite(wrap, value):
    array = np.array([[1.0, 2.0], [3.0, value]])
    with pytest.raises(VotesError, match=r"first in row 1 \(1 such entries\)"):
        as_votes(wrap(array))


@pytest.mark.parametrize(
    ("shape", "message"), [((3, 2), "expected 3 rows"), ((2, 3), "expected 3 columns")]
)
def test_as_votes_refuses_another_shape(shape, message):
    with pytest.raises(VotesError, match=message):
        as_votes(np.eye(2), shape=shape)


def test_as_votes_refuses_a_vector():
    with pytest.raises(VotesError, match=r"two-dimensional \(q, n\); got shape \(3,\)"):
        as_votes(np.ones(3))


@pytest.mark.parametrize(
    ("alpha", "message"),
    [
        (np.ones((2, 2), dtype=complex), "must be real numbers; got an array of complex128"),
        (np.full((2, 2), "a"), "must be real numbers; got an array of <U1"),
        ([["a", 1j]], "must be real numbers"),
        (np.array([[1.0, "a"]], dtype=object), "must be real numbers; got an array of object"),
        ([[1.0], [1.0, 2.0]], r"must be two-dimensional \(q, n\); got shape \(2,\)"),
        (sp.csr_array(np.ones((2, 2), dtype=complex)), "must be real numbers"),
    ],
)
def test_as_votes_refuses_what_is_no_table_of_real_numbers(alpha, message):
    with pytest.raises(VotesError, match=message):
        as_votes(alpha)


def test_as_votes_accepts_numbers_as_objects():
    assert as_votes(np.array([[1, 2.5]], dtype=object)).shape == (1, 2)
