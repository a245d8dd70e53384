"""Distances that skip missing cells, and neighbours by them, against scikit-learn."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import nan_euclidean_distances

from disambig.exceptions import VotesError
from disambig.weights import NeighborWeights
from disambig.weights.neighbors.missing import squared_distances


def holed(n, d, seed, share=0.3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[rng.random((n, d)) < share] = np.nan
    return X


@pytest.mark.parametrize("share", [0.0, 0.3, 0.8])
def test_distances_are_those_of_scikit_learn(share):
    Q, X = holed(20, 4, 0, share), holed(30, 4, 1, share)
    expected = nan_euclidean_distances(Q, X)
    found = np.sqrt(squared_distances(Q, X))
    np.testing.assert_allclose(found, np.where(np.isnan(expected), np.inf, expected), atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_neighbours_are_the_nearest(dtype):
    X, Q = holed(40, 5, 2).astype(dtype), holed(8, 5, 3).astype(dtype)
    weights = NeighborWeights(4, metric="nan_euclidean").fit(X)
    nearest = np.argsort(nan_euclidean_distances(Q, X), axis=1, kind="stable")[:, :4]
    expected = np.zeros((8, 40))
    np.put_along_axis(expected, nearest, 0.25, axis=1)
    np.testing.assert_array_equal(weights.votes(Q).matrix.toarray(), expected)
    others = weights.leave_one_out_votes().matrix
    assert not others.diagonal().any()
    assert (weights.training_votes().matrix.diagonal() > 0).all()


def test_without_holes_they_are_euclidean():
    X = holed(30, 3, 4, share=0.0)
    found = NeighborWeights(5, metric="nan_euclidean", vote="gaussian").fit(X).training_votes()
    expected = NeighborWeights(5, vote="gaussian").fit(X).training_votes()
    np.testing.assert_allclose(found.matrix.toarray(), expected.matrix.toarray(), atol=1e-9)


def test_rows_without_a_column_in_common_are_no_neighbours():
    X = np.array([[1.0, np.nan], [2.0, np.nan], [np.nan, 1.0]])
    votes = NeighborWeights(2, metric="nan_euclidean").fit(X).training_votes().matrix.toarray()
    assert votes.tolist() == [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]


def test_what_is_refused():
    X = holed(10, 3, 5)
    with pytest.raises(VotesError, match="dense X"):
        NeighborWeights(metric="nan_euclidean").fit(sp.csr_array(np.ones((10, 3))))
    with pytest.raises(ValueError, match="leave algorithm at 'auto'"):
        NeighborWeights(metric="nan_euclidean", algorithm="kd_tree").fit(X)
    X[3, 1] = np.inf
    with pytest.raises(VotesError, match="row 3, column 1: inf"):
        NeighborWeights(metric="nan_euclidean").fit(X)
    with pytest.raises(VotesError, match="NaN or infinity"):
        NeighborWeights().fit(holed(10, 3, 5))
