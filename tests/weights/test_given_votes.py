"""Votes that the user computes, as a matrix or as a function."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse.linalg import aslinearoperator

from disambig.exceptions import VotesError
from disambig.votes.dense import DenseVotes
from disambig.votes.sparse import SparseVotes
from disambig.weights import FunctionWeights, PrecomputedWeights

RNG = np.random.default_rng(0)
A = RNG.normal(size=(6, 6)) * RNG.integers(0, 2, (6, 6))
B = RNG.normal(size=(3, 6))
SAMPLE_WEIGHT = np.arange(1.0, 7.0)


def entries(votes):
    return votes @ np.eye(votes.shape[1])


def normalized(alpha):
    sums = alpha.sum(axis=1, keepdims=True)
    return np.where(sums > 1e-8 * np.abs(alpha).sum(axis=1, keepdims=True), alpha / sums, alpha)


def weightings(wrap, **parameters):
    """The same votes as a matrix and as a function, which looks up its rows by number."""
    numbers = np.arange(6)[:, None]

    def look_up(queries, _):
        return wrap(np.vstack([A, B])[queries.ravel()])

    return (
        (PrecomputedWeights(**parameters), wrap(A), wrap(B)),
        (FunctionWeights(look_up, **parameters), numbers, np.arange(6, 9)[:, None]),
    )


@pytest.mark.parametrize("wrap", [np.asarray, sp.csr_array, sp.coo_matrix])
@pytest.mark.parametrize("sample_weight", [None, SAMPLE_WEIGHT])
@pytest.mark.parametrize("normalize", [False, True])
def test_votes_are_what_was_given(wrap, sample_weight, normalize):
    w = np.ones(6) if sample_weight is None else sample_weight
    finish = normalized if normalize else np.asarray
    for weighting, inputs, queries in weightings(wrap, normalize=normalize):
        weighting.fit(inputs, sample_weight)
        assert_allclose(entries(weighting.training_votes()), finish(A * w))
        assert_allclose(entries(weighting.votes(queries)), finish(B * w))
        others = A * w * (1 - np.eye(6))
        assert_allclose(entries(weighting.leave_one_out_votes()), finish(others))
        kind = DenseVotes if wrap is np.asarray else SparseVotes
        assert isinstance(weighting.training_votes(), kind)


@pytest.mark.parametrize("wrap", [np.asarray, sp.csr_array])
def test_the_given_matrix_is_not_written_to(wrap):
    given_matrix = wrap(A.copy())
    for normalize in (False, True):
        weighting = PrecomputedWeights(normalize, leave_one_out=True).fit(
            given_matrix, SAMPLE_WEIGHT
        )
        weighting.training_votes()
        weighting.leave_one_out_votes()
    assert_array_equal(given_matrix.toarray() if sp.issparse(given_matrix) else given_matrix, A)
    returned = A.copy()
    FunctionWeights(lambda Q, X: returned, leave_one_out=True).fit(np.ones((6, 1))).training_votes()
    assert_array_equal(returned, A)


def test_integers_become_numbers():
    votes = PrecomputedWeights().fit(np.eye(3, dtype=int)).training_votes()
    assert votes.array.dtype == np.float64


def test_a_function_sees_inputs_as_they_came():
    words = ["ab", "ac", "b"]
    same_start = FunctionWeights(lambda Q, X: [[float(a[0] == b[0]) for b in X] for a in Q])
    assert_array_equal(
        entries(same_start.fit(words).votes(["a", "c"])), [[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    )


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.ones((2, 3)), r"hold the votes .* as many columns as rows; got shape \(2, 3\)"),
        (np.array([[1.0, np.nan], [0.0, 1.0]]), r"first in row 0, column 1: nan \(1 such"),
        (np.array([[1.0, 1e37], [0.0, 1.0]]), r"1e\+37 in row 0, column 1; .* 1e\+36.*Scale the"),
        (sp.csr_array([[1.0, 0.0], [0.0, np.inf]]), "first in row 1"),
    ],
)
def test_bad_matrices(matrix, message):
    with pytest.raises(VotesError, match=message):
        PrecomputedWeights().fit(matrix)


def test_bad_queries():
    with pytest.raises(VotesError, match=r"6 training rows \(columns\); got shape \(3, 5\)"):
        PrecomputedWeights().fit(A).votes(B[:, :5])


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda Q, X: np.ones((2, 2)), "expected 3 rows"),
        (lambda Q, X: np.full((3, 3), np.nan), "NaN or infinity, first in row 0"),
        (lambda Q, X: np.full((3, 3), -1e37), r"-1e\+37 in row 0, column 0; .* is 1e\+36"),
        (lambda Q, X: aslinearoperator(np.eye(3)), "must return an array or a sparse matrix"),
    ],
)
def test_bad_functions(function, message):
    with pytest.raises(VotesError, match=message):
        FunctionWeights(function).fit(np.zeros((3, 1))).training_votes()


def test_bad_parameters():
    with pytest.raises(ValueError, match=r"function must take \(Q, X\)"):
        FunctionWeights("gaussian").fit(A)
    with pytest.raises(ValueError, match="normalize must be True or False"):
        PrecomputedWeights(normalize="l1").fit(A)
