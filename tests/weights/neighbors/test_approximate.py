"""The approximate search: its recall, and its fallback to the exact search."""

import pickle
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

from disambig.weights import NeighborWeights
from disambig.weights.neighbors import approximate as recall_module


def dense(votes):
    return votes.matrix.toarray()


X = make_blobs(3000, 10, centers=15, random_state=0)[0]
Q = X[:40] + 0.1


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(ImportError, match=r"needs the package faiss.*pip install faiss-cpu"):
        NeighborWeights(algorithm="approximate").fit(X)


class TestWithFaiss:
    @pytest.fixture(autouse=True)
    def _package(self):
        pytest.importorskip("faiss", reason="the extra `approximate` is not installed")

    def test_it_finds_what_it_promises(self):
        weighting = NeighborWeights(10, algorithm="approximate").fit(X)
        assert 0.99 <= weighting.recall_ <= 1.0
        assert weighting.index_.n_probes < weighting.index_.n_cells
        exact = NeighborWeights(10).fit(X)
        for one, other in (
            (weighting.training_votes(), exact.training_votes()),
            (weighting.leave_one_out_votes(), exact.leave_one_out_votes()),
            (weighting.votes(Q), exact.votes(Q)),
        ):
            found, true = dense(one) > 0, dense(other) > 0
            assert (found & true).sum() >= 0.98 * true.sum()
            assert_array_equal(found.sum(axis=1), true.sum(axis=1))
        assert (weighting.training_votes().diagonal() > 0).all()
        assert (weighting.leave_one_out_votes().diagonal() == 0).all()
        assert_array_equal(dense(weighting.votes(X[:300])), dense(weighting.training_votes())[:300])

    @pytest.mark.parametrize("scale", [2.0**100, 2.0**-100])
    def test_the_unit_of_inputs_does_not_matter(self, scale):
        expected = NeighborWeights(10, algorithm="approximate").fit(X)
        weighting = NeighborWeights(10, algorithm="approximate").fit(X * scale)
        assert weighting.recall_ == expected.recall_
        assert_array_equal(dense(weighting.votes(Q * scale)), dense(expected.votes(Q)))

    def test_a_query_far_beyond_the_rows(self):
        weighting = NeighborWeights(10, algorithm="approximate").fit(X)
        far = np.full((1, X.shape[1]), 1e36)
        assert (dense(weighting.votes(far)) > 0).sum() == 10

    def test_a_seed_decides_and_threads_do_not(self):
        reference = NeighborWeights(10, algorithm="approximate", random_state=3).fit(X)
        expected = dense(reference.training_votes())
        for jobs in (1, 2):
            weighting = clone(reference).set_params(n_jobs=jobs).fit(X)
            assert weighting.recall_ == reference.recall_
            assert_array_equal(dense(weighting.training_votes()), expected)
        with threadpool_limits(1):
            assert_array_equal(dense(clone(reference).fit(X).training_votes()), expected)
        restored = pickle.loads(pickle.dumps(reference))
        assert_array_equal(dense(restored.votes(Q)), dense(reference.votes(Q)))

    def test_where_recall_is_poor_the_search_is_exact(self):
        noise = np.random.default_rng(0).normal(size=(2500, 40))
        weighting = NeighborWeights(10, algorithm="approximate", random_state=0)
        with pytest.warns(UserWarning, match=r"finds 0\.\d+ of the neighbours of 500 sampled rows"):
            weighting.fit(noise)
        assert weighting.recall_ == 1.0
        exact = NeighborWeights(10).fit(noise)
        assert_array_equal(dense(weighting.training_votes()), dense(exact.training_votes()))
        content = NeighborWeights(10, algorithm="approximate", min_recall=0.1).fit(noise)
        assert 0.1 <= content.recall_ < 0.99

    def test_the_recall_is_that_of_the_sample(self, monkeypatch):
        monkeypatch.setattr(recall_module, "SAMPLE_SIZE", 3000)
        weighting = NeighborWeights(10, algorithm="approximate", min_recall=0.5).fit(X)
        found = dense(weighting.leave_one_out_votes()) > 0
        true = dense(NeighborWeights(10).fit(X).leave_one_out_votes()) > 0
        assert weighting.recall_ == pytest.approx((found & true).sum() / true.sum(), abs=1e-12)

    def test_sample_weights_and_duplicates(self):
        rows = np.repeat(X[:1500], 2, axis=0)
        sample_weight = np.random.default_rng(0).uniform(0.5, 3.0, 3000)
        weighting = NeighborWeights(6, algorithm="approximate").fit(rows, sample_weight)
        sums = weighting.training_votes().row_sums()
        np.testing.assert_allclose(sums, np.ones(3000))
        # The row itself and its copy are at distance 0.
        alpha = dense(NeighborWeights(2, algorithm="approximate").fit(rows).training_votes())
        assert_array_equal(np.argwhere(alpha > 0)[:, 1].reshape(3000, 2) // 2, twice(1500))
        same = np.ones((2500, 3))
        alpha = NeighborWeights(4, algorithm="approximate").fit(same).leave_one_out_votes()
        assert (alpha.diagonal() == 0).all()

    def test_single_precision(self):
        weighting = NeighborWeights(10, algorithm="approximate").fit(X.astype(np.float32))
        assert weighting.X_fit_.dtype == np.float32
        assert weighting.recall_ >= 0.99

    def test_few_rows_are_searched_exactly(self):
        weighting = NeighborWeights(5, algorithm="approximate").fit(X[:500])
        assert weighting.recall_ == 1.0
        exact = NeighborWeights(5).fit(X[:500])
        assert_array_equal(dense(weighting.votes(Q)), dense(exact.votes(Q)))

    def test_what_it_cannot_search(self):
        with pytest.raises(ValueError, match="searches by euclidean distance; got metric='manh"):
            NeighborWeights(5, algorithm="approximate", metric="manhattan").fit(X)
        with pytest.raises(ValueError, match="cannot index sparse X"):
            NeighborWeights(5, algorithm="approximate").fit(sp.csr_array(X))


def twice(n):
    return np.repeat(np.arange(n), 2)[:, None].repeat(2, axis=1)
