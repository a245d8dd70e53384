"""One kernel matrix for every ridge and every fold: the same as separate fits."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from disambig import memory
from disambig.exceptions import MemoryBudgetError, VotesError
from disambig.votes.deleted import DeletedVotes
from disambig.votes.dense import DenseVotes
from disambig.weights import KernelRidgeWeights
from disambig.weights.kernels.smoother import Deletion, left_out_rows
from disambig.weights.kernels.system import RidgeSystem, spectrum_of

RNG = np.random.default_rng(0)
X, Q = RNG.normal(size=(30, 3)), RNG.normal(size=(8, 3))
SAMPLE_WEIGHT = RNG.integers(1, 5, 30).astype(float)
OUT = np.array([7, 2, 29, 11])
REST = np.setdiff1d(np.arange(30), OUT)


def bell(A, B):
    return np.exp(-((A[:, None] - B[None]) ** 2).sum(axis=-1))


OPTIONS = {
    "plain": {"bandwidth": 1.3},
    "intercept": {"bandwidth": 1.3, "intercept": True},
    "normalized": {"bandwidth": 1.3, "normalize": True},
    "leave-one-out": {"bandwidth": 1.3, "leave_one_out": True},
    "laplacian": {"kernel": "laplacian", "bandwidth": 2.0},
    "linear": {"kernel": "linear"},
    "function": {"kernel": bell},
}
every_option = pytest.mark.parametrize("name", OPTIONS)
every_mass = pytest.mark.parametrize(
    "sample_weight", [None, SAMPLE_WEIGHT], ids=["alone", "weighted"]
)


def entries(votes):
    return votes @ np.eye(votes.shape[1])


def assert_same(weighting, other, *, atol=1e-9):
    assert_allclose(entries(weighting.training_votes()), entries(other.training_votes()), atol=atol)
    found = weighting.leave_one_out_votes(), other.leave_one_out_votes()
    assert_allclose(*map(entries, found), atol=10 * atol)
    assert_allclose(entries(weighting.votes(Q)), entries(other.votes(Q)), atol=atol)
    assert_allclose(weighting.inverse_ * weighting.ridge_, other.inverse_ * other.ridge_, atol=atol)
    assert_allclose(weighting.residual_form(), other.residual_form(), atol=atol)
    assert weighting.ridge_ == pytest.approx(other.ridge_)


@every_option
@every_mass
def test_another_ridge_is_another_fit(name, sample_weight):
    weighting = KernelRidgeWeights(regularization=1.0, **OPTIONS[name]).fit(X, sample_weight)
    before = entries(weighting.training_votes())
    for lam in (1e-3, 0.1):
        found = weighting.at_regularization(lam)
        assert_same(found, clone(weighting).set_params(regularization=lam).fit(X, sample_weight))
        assert found.regularization == lam
        assert found.system_ is weighting.system_
        # And again from the eigenvalues, once they are known.
        assert found.spectrum_ is weighting.spectrum_
        assert_same(weighting.at_regularization(lam), found)
    assert weighting.regularization == 1.0
    assert_array_equal(entries(weighting.training_votes()), before)


@every_option
@every_mass
def test_leaving_rows_out_equals_fitting_on_the_others(name, sample_weight):
    lam = 0.01
    weighting = KernelRidgeWeights(regularization=lam, **OPTIONS[name]).fit(X, sample_weight)
    fold = weighting.without(OUT)
    w = np.ones(30) if sample_weight is None else sample_weight
    again = clone(weighting).set_params(regularization=lam * w.sum() / w[REST].sum())
    again.fit(X[REST], None if sample_weight is None else sample_weight[REST])
    assert_same(fold, again)
    assert_allclose(entries(fold.left_out_votes()), entries(again.votes(X[OUT])), atol=1e-9)
    assert fold.regularization == pytest.approx(again.regularization)
    # The original weighting is unchanged, and a clone of the new one can be fitted.
    assert weighting.sample_weight_.size == 30
    assert_same(
        clone(fold).fit(X[REST], None if sample_weight is None else sample_weight[REST]), again
    )
    assert_same(pickle.loads(pickle.dumps(fold)), again)


def test_the_votes_of_a_fold_are_not_written_out():
    weighting = KernelRidgeWeights(bandwidth=1.3).fit(X)
    assert isinstance(weighting.training_votes(), DenseVotes)
    assert weighting.training_votes().symmetric
    votes = weighting.without(OUT).training_votes()
    assert isinstance(votes, DeletedVotes)
    assert votes.T is votes
    assert votes.whole.array is weighting.inverse_
    weighted = KernelRidgeWeights(bandwidth=1.3).fit(X, SAMPLE_WEIGHT)
    assert not weighted.training_votes().symmetric
    # Rows scaled by their sample weights, as in estimators, are symmetric.
    votes = weighted.without(OUT).training_votes().scale_rows(SAMPLE_WEIGHT[REST])
    assert votes.T is votes


def test_folds_of_folds_and_paths_of_folds():
    weighting = KernelRidgeWeights(bandwidth=1.3, regularization=0.01).fit(X)
    twice = weighting.without([0, 1]).without([0])
    assert_same(twice, weighting.without([0, 1, 2]))
    other = weighting.without([0, 1]).at_regularization(0.5)
    assert_same(other, KernelRidgeWeights(bandwidth=1.3, regularization=0.5).fit(X[2:]))
    assert_same(weighting.without(np.zeros(30, dtype=bool)), weighting)


def test_precomputed_and_sparse():
    K = bell(X, X)
    weighting = KernelRidgeWeights("precomputed", regularization=0.01).fit(K)
    fold = weighting.without(OUT)
    assert fold.n_features_in_ == 26
    found = entries(fold.votes(K[np.ix_(OUT, REST)]))
    assert_allclose(found, entries(fold.left_out_votes()), atol=1e-9)
    sparse = KernelRidgeWeights(bandwidth=1.3).fit(sp.csr_array(X))
    assert_same(sparse.without(OUT), KernelRidgeWeights(bandwidth=1.3).fit(X).without(OUT))


def test_the_median_bandwidth_stays():
    weighting = KernelRidgeWeights(regularization=0.01).fit(X)
    fold = weighting.without(OUT)
    assert fold.bandwidth == fold.bandwidth_ == weighting.bandwidth_


def test_small_votes_keep_their_digits():
    for weighting in (
        KernelRidgeWeights(bandwidth=1.3, regularization=1e9).fit(X),
        KernelRidgeWeights(bandwidth=1.3, regularization=1e9).fit(X).without(OUT),
    ):
        kept = weighting.X_fit_
        K = np.exp(-((kept[:, None] - kept[None]) ** 2).sum(axis=-1) / (2 * 1.3**2))
        assert_allclose(entries(weighting.training_votes()), K / weighting.ridge_, rtol=1e-6)


def test_memory_is_checked_before_it_is_used(monkeypatch):
    weighting = KernelRidgeWeights(bandwidth=1.3).fit(X)
    votes = weighting.without(OUT).training_votes()
    monkeypatch.setattr(memory, "free_bytes", lambda: 1000)
    with pytest.raises(MemoryBudgetError, match=r"matrix of 30 rows.*Keep fewer ridges"):
        weighting.at_regularization(0.1)
    with pytest.raises(MemoryBudgetError, match=r"votes of 26 rows as an array"):
        votes.split()


def test_left_out_votes_without_left_out_rows():
    weighting = KernelRidgeWeights().fit(X)
    with pytest.raises(VotesError, match="no rows were left out"):
        weighting.left_out_votes()
    with pytest.raises(ValueError, match="regularization must be a finite number"):
        weighting.at_regularization(-1.0)
    linear = KernelRidgeWeights("linear").fit(X)
    with pytest.raises(VotesError, match="condition number"):
        linear.at_regularization(0.0)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([30], "row 30 cannot be left out; rows go from 0 to 29"),
        ([-1], "row -1 cannot be left out"),
        ([3, 3], "row 3 is left out more than once"),
        (np.arange(30), "all 30 rows are left out"),
        ([0.5], "must be a list of row numbers or a mask"),
        (np.zeros(29, dtype=bool), "must be a list of row numbers or a mask"),
        ([[1]], "must be a list"),
    ],
)
def test_bad_rows(rows, message):
    with pytest.raises(ValueError, match=message):
        KernelRidgeWeights().fit(X).without(rows)


def test_a_mask_of_rows():
    mask = np.isin(np.arange(30), OUT)
    left_out, kept = left_out_rows("a weighting", mask, 30)
    assert_array_equal(left_out, np.sort(OUT))
    assert_array_equal(kept, REST)


def test_a_deletion_without_enough_precision():
    whole = KernelRidgeWeights(bandwidth=1.3).fit(X)._symmetric_inverse
    whole.array[0, 0] = -1.0
    with pytest.raises(VotesError, match="1 rows cannot be removed"):
        _ = Deletion(whole, np.arange(1, 30), np.array([0])).left_out_weights


# ------------------------------------------------------------------ the system


def gram(n=300, rank=300, seed=0):
    factor = np.random.default_rng(seed).normal(size=(n, rank))
    return factor @ factor.T / rank


@given(seed=st.integers(0, 10_000), n=st.integers(1, 12), exponent=st.integers(-3, 3))
def test_the_factor_inverts(seed, n, exponent):
    G, ridge = gram(n, n + 1, seed), 10.0**exponent
    found = RidgeSystem(G).factored_inverse(ridge)
    assert_allclose(found, spectrum_of(G.copy()).inverse(ridge), rtol=1e-6, atol=1e-6 / ridge)
    assert_array_equal(found, found.T)
    order = np.random.default_rng(seed).permutation(n)
    turned = RidgeSystem(np.ascontiguousarray(G[np.ix_(order, order)])).inverse(ridge)
    assert_allclose(turned, found[np.ix_(order, order)], rtol=1e-6, atol=1e-6 / ridge)


def test_a_larger_inverse_is_symmetric():
    G = gram()
    found = RidgeSystem(G).inverse(0.1)
    assert_array_equal(found, found.T)
    assert_allclose(found @ (G + 0.1 * np.eye(300)), np.eye(300), atol=1e-10)


def test_eigenvalues_where_they_are_needed():
    system = RidgeSystem(gram(20, 5))
    assert system.factored_inverse(0.0) is None
    assert system.factored_inverse(1e-14) is None
    assert system.factored_inverse(1.0) is not None
    # Without a ridge the condition has to be estimated.
    assert RidgeSystem(np.eye(20)).factored_inverse(0.0) is not None
    assert RidgeSystem(gram(20), certain=False).factored_inverse(1.0) is None
    assert RidgeSystem(gram(20), np.ones(20)).factored_inverse(1.0) is None
    assert system.spectrum is system.spectrum
    assert system.factored_inverse(1.0) is None


def test_some_rows_of_a_system():
    G = gram(20)
    rows = np.array([3, 5, 11, 2])
    part = RidgeSystem(G).restricted(rows)
    assert_array_equal(part.matrix(), G[np.ix_(rows, rows)])
    assert_array_equal(part.restricted(np.array([1])).matrix(), G[5:6, 5:6])
    beside = RidgeSystem(G, np.arange(1.0, 21.0)).restricted(rows).spectrum
    assert_allclose(beside.eigenvectors.T @ (rows + 1.0), np.zeros(3), atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_a_stored_copy_has_no_kernel_matrix_and_makes_it_again(weighted, intercept):
    rng = np.random.default_rng(0)
    X, query = rng.normal(size=(60, 3)), rng.normal(size=(5, 3))
    weight = rng.uniform(0.5, 2.0, 60) if weighted else None
    fitted = KernelRidgeWeights(bandwidth=2.0, intercept=intercept).fit(X, weight)
    data = pickle.dumps(fitted)
    # One matrix of 60 rows, the inverse, instead of two.
    assert 60 * 60 * 8 < len(data) < 1.5 * 60 * 60 * 8
    again = pickle.loads(data)
    assert_array_equal(entries(again.votes(query)), entries(fitted.votes(query)))
    for first, second in (
        (fitted.at_regularization(0.5), again.at_regularization(0.5)),
        (fitted.without([3, 7]), again.without([3, 7])),
    ):
        assert_allclose(
            entries(second.votes(query)), entries(first.votes(query)), rtol=1e-9, atol=1e-12
        )
    assert_allclose(again.spectrum_.eigenvalues, fitted.spectrum_.eigenvalues, atol=1e-10)
    # Copies in memory share it.
    assert copy.copy(fitted).system_ is fitted.system_


def test_a_given_kernel_matrix_is_stored():
    gram = np.exp(-np.abs(np.subtract.outer(np.arange(20.0), np.arange(20.0))))
    fitted = KernelRidgeWeights("precomputed").fit(gram)
    again = pickle.loads(pickle.dumps(fitted))
    assert_array_equal(again.system_.gram, fitted.system_.gram)
