"""What votes declare about themselves is true of the array that they represent."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.linalg import aslinearoperator

from disambig.checks import check_votes
from disambig.checks.contract import Contract
from disambig.checks.votes import entries, facts
from disambig.exceptions import VotesError
from disambig.votes import as_votes
from disambig.votes.deleted import DeletedVotes
from disambig.votes.dense import DenseVotes, SymmetricArray
from disambig.votes.executor import LocalExecutor
from disambig.votes.iterated import IteratedVotes
from disambig.votes.leaf_blocks import LeafBlocks, LeafBlockVotes
from disambig.votes.mixture import MixtureVotes
from disambig.votes.operator import OperatorVotes
from disambig.votes.partition import Membership, PartitionVotes
from disambig.votes.product import ProductVotes
from disambig.votes.repeated import RepeatedVotes
from disambig.votes.row_blocks import RowBlocks
from disambig.votes.solved import SolvedVotes
from disambig.votes.sparse import SparseVotes
from disambig.weights import (
    ForestWeights,
    HistogramWeights,
    KernelRidgeWeights,
    LaplacianWeights,
    NeighborWeights,
    NystromWeights,
    PoissonWeights,
)

N = 9


def _symmetric(rng, n):
    array = rng.integers(-1, 3, (n, n)).astype(float)
    return array + array.T


def _dense(rng):
    return DenseVotes(rng.integers(-1, 4, (N, N)).astype(float))


def _dense_symmetric(rng):
    return DenseVotes(_symmetric(rng, N), symmetric=True)


def _sparse(rng):
    array = rng.integers(0, 3, (N, N)) * (rng.random((N, N)) < 0.3) * 1.0
    array[0, 1] = rng.choice([0.0, -1.0])
    return SparseVotes(sp.csr_array(array + array.T if rng.random() < 0.5 else array))


def _row_blocks(rng):
    return RowBlocks.divided(_sparse(rng).matrix, [0, 4, 4, N])


def _product(rng):
    left = rng.integers(-rng.integers(2), 3, (N, 3)).astype(float)
    right = left.T if rng.random() < 0.5 else rng.integers(0, 3, (3, N)).astype(float)
    return ProductVotes(
        left, right, None, rng.integers(0, 2, N) * 1.0 if rng.random() < 0.3 else None
    )


def _partition(rng):
    leaves = rng.integers(-1, 3, (4, N)).astype(np.int32)
    rows = Membership(leaves, rng.integers(1, 4, N).astype(float))
    others = rows if rng.random() < 0.5 else Membership(leaves, rng.uniform(size=N))
    return PartitionVotes(
        rows, others, np.arange(0, 13, 3), rng.uniform(0.1, 1, 12), own_vote=rng.random() < 0.5
    )


def _leaf_blocks(rng):
    leaves = rng.integers(0, 3, (4, N)).astype(np.int32)
    blocks, bounds = [leaves[:, :4], leaves[:, 4:4], leaves[:, 4:]], np.array([0, 4, 4, N])
    weights, executor = rng.uniform(0.5, 2, N), LocalExecutor()
    totals = np.concatenate([np.bincount(row, weights, minlength=3) for row in leaves])
    rows = LeafBlocks(blocks, bounds, executor, weights)
    left_out = LeafBlocks(blocks, bounds, executor, np.ones(N), weights)
    query, own_vote = ((rows, True), (rows, False), (left_out, False))[rng.integers(3)]
    # A leaf without rows has no votes; its total is only divided by.
    return LeafBlockVotes(query, rows, np.arange(0, 13, 3), np.maximum(totals, 0.1), own_vote)


def _inputs(rng):
    return rng.normal(size=(N, 2))


def _solved(rng):
    weights = LaplacianWeights(3, own_votes="exact", leave_one_out=rng.random() < 0.5)
    return weights.fit(_inputs(rng)).training_votes()


def _solved_by_estimate(rng):
    weights = LaplacianWeights(3, own_votes="estimated", leave_one_out=True)
    return weights.fit(_inputs(rng)).training_votes()


def _deleted(rng):
    root = rng.normal(size=(N + 3, N + 3))
    whole = np.linalg.inv(root @ root.T + np.eye(N + 3))
    whole = (whole + whole.T) / 2
    kept, out = np.arange(N), np.arange(N, N + 3)
    cross = whole[np.ix_(kept, out)]
    weights = -cross @ np.linalg.inv(whole[np.ix_(out, out)])
    right = np.ones(N)
    left = right if rng.random() < 0.5 else rng.uniform(size=N)
    return DeletedVotes(
        SymmetricArray(np.ascontiguousarray(whole)),
        kept,
        out,
        cross,
        weights,
        np.ones(N),
        left,
        right,
    )


def _iterated(rng):
    weights = NystromWeights(n_landmarks=5, solver="iterative", random_state=0)
    return weights.fit(_inputs(rng)).training_votes()


def _mixture(rng):
    parts = [_partition(rng), _sparse(rng), _dense(rng), _solved(rng)]
    chosen = rng.choice(4, size=2, replace=False)
    return MixtureVotes(tuple(parts[k] for k in chosen), (0.5, 0.25))


def _repeated(rng):
    inner = (_sparse, _partition, _dense_symmetric)[rng.integers(3)]
    return RepeatedVotes(inner(rng), 2)


class Declared:
    """A user's operator that declares what is true of it."""

    def __init__(self, array, *, nonnegative=True):
        self.array, self.shape = array, array.shape
        self.is_nonnegative = nonnegative

    @property
    def T(self):
        return aslinearoperator(self.array.T)

    def __matmul__(self, values):
        return self.array @ values

    def scale_rows(self, factors):
        return aslinearoperator(factors[:, None] * self.array)

    def split(self):
        return aslinearoperator(np.maximum(self.array, 0)), aslinearoperator(
            np.maximum(-self.array, 0)
        )


def _operator(rng):
    return OperatorVotes(Declared(rng.uniform(size=(N, N))))


def _undeclared_operator(rng):
    return OperatorVotes(aslinearoperator(rng.normal(size=(N, N))))


def _operator_of_votes(rng):
    return OperatorVotes((_sparse, _partition, _solved)[rng.integers(3)](rng))


KINDS = {
    "dense": _dense,
    "dense, declared symmetric": _dense_symmetric,
    "sparse": _sparse,
    "row blocks": _row_blocks,
    "product": _product,
    "partition": _partition,
    "leaf blocks": _leaf_blocks,
    "solved": _solved,
    "solved, own votes estimated": _solved_by_estimate,
    "deleted": _deleted,
    "iterated": _iterated,
    "mixture": _mixture,
    "repeated": _repeated,
    "operator that declares": _operator,
    "operator that does not": _undeclared_operator,
    "operator of votes": _operator_of_votes,
}


def assert_facts_hold(votes):
    facts(Contract("check_votes", "votes"), votes, entries(votes))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_the_public_check(kind, seed):
    check_votes(KINDS[kind](np.random.default_rng(seed)))


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10_000))
def test_facts_are_true_of_the_votes_and_of_what_is_made_of_them(kind, seed):
    rng = np.random.default_rng(seed)
    votes = KINDS[kind](rng)
    assert_facts_hold(votes)
    assert_facts_hold(votes.T)
    if kind != "operator that does not":
        factors = np.full(votes.shape[0], 0.5)
        assert_facts_hold(votes.scale_rows(factors))
        assert votes.scale_rows(factors).is_nonnegative == votes.is_nonnegative
        for part in votes.split():
            assert_facts_hold(part)
            # Estimates leave own votes near zero of either sign, which are not split off.
            assert part.is_nonnegative or "estimated" in kind
    if votes.is_nonnegative:
        assert votes.T.is_nonnegative
    assert votes.T.is_symmetric == votes.is_symmetric


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10_000))
def test_without_own_votes_the_diagonal_is_zero(kind, seed):
    votes = KINDS[kind](np.random.default_rng(seed))
    others = votes.without_own()
    if others is None:
        assert kind in (
            "product",
            "solved",
            "solved, own votes estimated",
            "deleted",
            "iterated",
            "mixture",
            "operator that declares",
            "operator that does not",
            "operator of votes",
        )
        return
    expected = entries(votes)
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(entries(others), expected, atol=1e-12)
    assert (entries(others).diagonal() == 0).all()
    assert_facts_hold(others)


NEVER_NEGATIVE = [
    NeighborWeights(3),
    ForestWeights(),
    ForestWeights(leave_one_out=True),
    HistogramWeights(),
    LaplacianWeights(3),
    LaplacianWeights(3, leave_one_out=True),
]


@pytest.mark.parametrize("weights", NEVER_NEGATIVE, ids=str)
def test_weightings_that_are_never_negative_say_so(weights):
    X = np.random.default_rng(0).normal(size=(40, 2))
    fitted = weights.fit(X)
    assert fitted.training_votes().is_nonnegative
    assert fitted.votes(X[:5]).is_nonnegative


def test_weightings_with_negative_votes_do_not():
    X = np.random.default_rng(0).normal(size=(40, 2))
    ridge = KernelRidgeWeights(bandwidth=1.0, regularization=1e-3).fit(X)
    assert not ridge.training_votes().is_nonnegative
    assert not PoissonWeights(5).fit(X).training_votes().is_nonnegative


def test_a_forest_without_drawn_rows_is_symmetric():
    X = np.random.default_rng(0).normal(size=(40, 2))
    votes = ForestWeights(in_bag=False).fit(X).training_votes()
    assert votes.is_symmetric
    np.testing.assert_array_equal(votes.rows(0, 40).toarray(), votes.rows(0, 40).toarray().T)


def test_rounding_is_not_a_negative_vote():
    array = np.array([[1.0, -1e-15], [0.0, 2.0]])
    for votes in (as_votes(array), as_votes(sp.csr_array(array)), ProductVotes(array, np.eye(2))):
        assert votes.is_nonnegative


def test_a_fact_must_be_true_or_false():
    operator = Declared(np.eye(2))
    operator.is_nonnegative = lambda: True
    with pytest.raises(
        VotesError, match=r"is_nonnegative is .*expected an attribute .*not a method"
    ):
        as_votes(operator).is_nonnegative  # noqa: B018


def test_wrapping_votes_reads_no_entry(monkeypatch):
    """`as_votes` asks whether an object is votes; the answer must not evaluate its facts."""
    monkeypatch.setattr(
        SolvedVotes, "is_nonnegative", property(lambda self: pytest.fail("evaluated"))
    )
    votes = _solved(np.random.default_rng(0))
    assert as_votes(votes) is votes


def test_an_iterated_regression_declares_no_sign():
    assert isinstance(_iterated(np.random.default_rng(0)), IteratedVotes)
