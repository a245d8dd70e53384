"""Kernel ridge of low rank: Nyström and random features against the exact regression."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from disambig import PartialLabelClassifier
from disambig.exceptions import ConvergenceWarning, MemoryBudgetError, VotesError
from disambig.votes import iterated, product
from disambig.votes import iterated as normal_inverse
from disambig.votes.iterated import IteratedVotes
from disambig.votes.product import ProductVotes
from disambig.weights import FittedWeights, KernelRidgeWeights, NystromWeights, RandomFeatureWeights
from disambig.weights.kernels import low_rank as feature_ridge_module
from disambig.weights.kernels.landmarks import SCHEMES, choose_landmarks
from disambig.weights.kernels.random_features import draw_fourier_features
from disambig.weights.kernels.similarity import Similarity

RNG = np.random.default_rng(3)
X = RNG.normal(size=(40, 3))
Q = RNG.normal(size=(9, 3))
COUNTS = RNG.integers(1, 4, 40).astype(float)
KERNELS = ["gaussian", "laplacian", "linear", "polynomial", lambda A, B: np.exp(A @ B.T / 3)]
WEIGHTINGS = [
    NystromWeights(n_landmarks=12, regularization=0.01),
    NystromWeights("laplacian", n_landmarks=9, intercept=True),
    RandomFeatureWeights(n_features=14, regularization=0.01),
    RandomFeatureWeights("laplacian", n_features=8, intercept=True),
]


def entries(votes):
    return votes @ np.eye(votes.shape[1])


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("weights", [None, COUNTS])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("solver", ["direct", "iterative"])
def test_with_every_row_a_landmark_it_is_kernel_ridge(kernel, weights, intercept, solver):
    low = NystromWeights(kernel, intercept=intercept, solver=solver).fit(X, weights)
    full = KernelRidgeWeights(kernel, intercept=intercept).fit(X, weights)
    for ask in (
        lambda weighting: weighting.training_votes(),
        lambda weighting: weighting.votes(Q),
        lambda weighting: weighting.leave_one_out_votes(),
    ):
        assert_allclose(entries(ask(low)), entries(ask(full)), atol=1e-8)
    form = low.residual_form()
    assert_allclose(entries(form), full.residual_form(), atol=1e-8)
    assert_allclose(form.diagonal(), full.residual_form().diagonal(), atol=1e-8)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("weights", [None, COUNTS])
def test_leave_one_out_is_removal_with_features_and_ridge_as_they_are(weighting, weights):
    whole = clone(weighting).fit(X, weights)
    found = entries(whole.leave_one_out_votes())
    sample_weight = np.ones(40) if weights is None else weights
    same = {"bandwidth": whole.bandwidth_}
    if isinstance(weighting, NystromWeights):
        same["landmarks"] = whole.landmarks_
    for i in range(0, 40, 7):
        rest = np.delete(np.arange(40), i)
        without = clone(weighting).set_params(
            **same, regularization=whole.ridge_ / float(sample_weight[rest].sum())
        )
        without.fit(X[rest], sample_weight[rest])
        assert_allclose(found[i, rest], entries(without.votes(X[i : i + 1]))[0], atol=1e-9)
        assert abs(found[i, i]) < 1e-14


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("weights", [None, COUNTS])
def test_the_iterative_solver_is_the_direct_one(weighting, weights):
    direct = clone(weighting).set_params(solver="direct").fit(X, weights)
    again = clone(weighting).set_params(solver="iterative").fit(X, weights)
    assert isinstance(direct.training_votes(), ProductVotes)
    assert isinstance(again.training_votes(), IteratedVotes)
    for ask in (
        lambda weighting: weighting.training_votes(),
        lambda weighting: weighting.leave_one_out_votes(),
        lambda weighting: weighting.residual_form(),
        lambda weighting: weighting.votes(Q),
    ):
        one, other = ask(direct), ask(again)
        assert_allclose(entries(other), entries(one), atol=1e-9)
        assert_allclose(entries(other.T), entries(one.T), atol=1e-9)
        assert_allclose(other.diagonal(), one.diagonal(), atol=1e-9)
        assert_allclose(other.rows(2, 7), one.rows(2, 7), atol=1e-9)
        assert_allclose(other.row_sums(), one.row_sums(), atol=1e-9)
        assert_allclose(other.absolute_row_sums(), one.absolute_row_sums(), atol=1e-7)
        factors = np.arange(1.0, one.shape[0] + 1)
        scaled = other.scale_rows(factors)
        assert_allclose(entries(scaled), factors[:, None] * entries(one), atol=1e-7)
        columns = np.array([5, 0, 3])
        for ours, theirs in zip(other.split(), one.split(), strict=True):
            assert_allclose(entries(ours), entries(theirs), atol=1e-9)
        row, place, value = other.column_entries(columns)
        table = np.zeros((one.shape[0], 3))
        table[row, place] = value
        assert_allclose(table, entries(one)[:, columns], atol=1e-9)
        assert_array_equal(other.strongest(3).shape, (one.shape[0], 3))
        assert other.links(columns) is None


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("solver", ["direct", "iterative"])
def test_bounds_of_absolute_sums(weighting, solver, monkeypatch):
    weights = clone(weighting).set_params(solver=solver).fit(X, COUNTS)
    scales = RNG.uniform(size=40)
    kinds = (weights.training_votes, weights.leave_one_out_votes, lambda: weights.votes(Q))
    exact = [np.abs(entries(ask())) for ask in kinds]
    monkeypatch.setattr(product, "_MAX_EXACT_OPERATIONS", 0)
    monkeypatch.setattr(iterated, "_MAX_EXACT_OPERATIONS", 0)
    for ask, array in zip(kinds, exact, strict=True):
        votes = ask()
        for given, expected in ((None, array.sum(axis=1)), (scales, array @ scales)):
            bound = votes.absolute_row_sums(given)
            assert (bound >= expected * (1 - 1e-9)).all()
            if solver == "direct":
                assert (bound <= 12 * expected + 12 * expected.mean()).all()
        transposed = votes.T.absolute_row_sums()
        assert (transposed >= array.sum(axis=0) * (1 - 1e-9)).all()


def test_inputs_where_the_kernel_is_zero_have_no_votes():
    far = np.full((1, 3), 1e3)
    for solver in ("direct", "iterative"):
        votes = NystromWeights(n_landmarks=5, bandwidth=1.0, solver=solver).fit(X).votes(far)
        assert votes.absolute_row_sums() == [0.0]
        with_constant = NystromWeights(n_landmarks=5, bandwidth=1.0, intercept=True, solver=solver)
        assert_allclose(with_constant.fit(X).votes(far).row_sums(), 1.0, atol=1e-12)


def test_an_intercept_makes_rows_sum_to_one():
    for weighting in (WEIGHTINGS[1], WEIGHTINGS[3]):
        weights = clone(weighting).fit(X, COUNTS)
        for votes in (weights.training_votes(), weights.votes(Q), weights.leave_one_out_votes()):
            assert_allclose(votes.row_sums(), 1.0, atol=1e-12)
        assert_allclose(weights.residual_form().row_sums(), 0.0, atol=1e-12)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("solver", ["direct", "iterative"])
def test_another_ridge_is_another_fit(weighting, solver):
    fitted = clone(weighting).set_params(solver=solver).fit(X, COUNTS)
    before = entries(fitted.training_votes())
    other = fitted.at_regularization(0.2)
    again = clone(other).fit(X, COUNTS)
    assert other.regression_ is fitted.regression_
    assert other.ridge_ == again.ridge_
    assert_allclose(entries(other.votes(Q)), entries(again.votes(Q)), atol=1e-10)
    assert_allclose(entries(other.training_votes()), entries(again.training_votes()), atol=1e-10)
    assert_array_equal(entries(fitted.training_votes()), before)
    labels = [{"a"}, {"b"}] * 20
    inside = PartialLabelClassifier(FittedWeights(other)).fit(X, labels, COUNTS)
    assert_array_equal(
        inside.predict(Q), PartialLabelClassifier(again).fit(X, labels, COUNTS).predict(Q)
    )
    with pytest.raises(ValueError, match=r"regularization must be a finite number >= 0; got -1"):
        fitted.at_regularization(-1)


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian"])
def test_random_features_tend_to_the_kernel(kernel):
    exact = Similarity(kernel, 2.0)(Q, X)
    errors = []
    for count in (200, 20_000):
        phi = draw_fourier_features(kernel, 3, count, 2.0, np.random.RandomState(0))
        errors.append(np.sqrt(np.mean((phi(Q) @ phi(X).T - exact) ** 2)))
        assert_allclose((phi(Q) ** 2).sum(axis=1), 1.0)
    assert errors[1] < 0.02
    assert errors[1] < errors[0] / 4


def test_votes_of_random_features_tend_to_those_of_kernel_ridge():
    exact = entries(KernelRidgeWeights(bandwidth=2.0, regularization=0.1).fit(X).votes(Q))
    weighting = RandomFeatureWeights(bandwidth=2.0, regularization=0.1, n_features=4000)
    assert_allclose(entries(weighting.fit(X).votes(Q)), exact, atol=0.01)


@pytest.mark.parametrize("intercept", [False, True])
def test_more_features_than_rows(intercept):
    weighting = RandomFeatureWeights(n_features=60, regularization=0.05, intercept=intercept)
    weighting.fit(X, COUNTS)
    phi = draw_fourier_features("gaussian", 3, 60, weighting.bandwidth_, np.random.RandomState(0))
    exact = KernelRidgeWeights(
        lambda A, B: phi(A) @ phi(B).T, regularization=0.05, intercept=intercept
    ).fit(X, COUNTS)
    assert_allclose(entries(weighting.votes(Q)), entries(exact.votes(Q)), atol=1e-10)
    again = entries(weighting.votes(X))
    assert_allclose(entries(weighting.training_votes()), again, atol=1e-10)
    assert_allclose(
        entries(weighting.leave_one_out_votes()), entries(exact.leave_one_out_votes()), atol=1e-9
    )


@pytest.mark.parametrize("scheme", SCHEMES)
def test_landmarks_depend_on_distinct_rows_and_weights_alone(scheme):
    copies = np.repeat(np.arange(40), COUNTS.astype(int))[::-1]
    arguments = {"scheme": scheme, "similarity": Similarity("gaussian", 1.0), "regularization": 0.1}

    def chosen(rows, sample_weight, seed):
        random = np.random.RandomState(seed)
        return choose_landmarks(rows, sample_weight, 4, random=random, **arguments)

    first = chosen(X, COUNTS, 0)
    assert first.size == np.unique(first).size == 4
    other = chosen(X[copies], np.ones(copies.size), 0)
    assert_array_equal(np.sort(copies[other]), first)
    assert_array_equal(chosen(sp.csr_array(X), COUNTS, 0), first)
    assert any(chosen(X, COUNTS, seed).tolist() != first.tolist() for seed in range(1, 5))
    # A row with nearly all of the weight is drawn.
    heavy = np.where(np.arange(40) == 17, 1e9, 1.0)
    assert all(17 in chosen(X, heavy, seed) for seed in range(5))


def test_spread_landmarks_find_every_cluster():
    centers = 20.0 * np.arange(6)[:, None]
    crowded = np.concatenate([np.repeat(centers[:1], 300, axis=0), centers[1:]])
    rows = crowded + 0.01 * RNG.normal(size=crowded.shape)
    for scheme in ("kmeans++", "leverage"):
        found = choose_landmarks(
            rows,
            np.ones(len(rows)),
            60,
            scheme=scheme,
            similarity=Similarity("gaussian", 1.0),
            regularization=1e-3,
            random=np.random.RandomState(0),
        )
        assert set(np.arange(300, 305)) <= set(found)


def test_superfluous_landmarks_are_left_out():
    weights = NystromWeights("linear", n_landmarks=30, regularization=0.1).fit(X)
    assert weights.n_landmarks_ == 30
    assert weights.landmarks_.shape == (3, 3)
    exact = KernelRidgeWeights("linear", regularization=0.1).fit(X)
    assert_allclose(entries(weights.votes(Q)), entries(exact.votes(Q)), atol=1e-12)


def test_equal_rows_are_one_landmark():
    twice = np.concatenate([X, X])
    weights = NystromWeights(n_landmarks=60, regularization=0.0, bandwidth=0.5).fit(twice)
    assert weights.landmarks_.shape == (40, 3)
    # Least squares: each of two copies has half of the vote.
    assert_allclose(entries(weights.training_votes())[:40, :40], np.eye(40) / 2, atol=1e-8)


def test_without_ridge():
    few = NystromWeights(n_landmarks=5, regularization=0.0).fit(X)
    projection = entries(few.training_votes())
    assert_allclose(projection @ projection, projection, atol=1e-9)
    with pytest.raises(VotesError, match=r"kernel of 30 landmarks has rank 3 and cannot be inv"):
        NystromWeights("linear", n_landmarks=30, regularization=0.0).fit(X)
    with pytest.raises(VotesError, match=r"60 random features has condition number .* above"):
        RandomFeatureWeights(n_features=60, regularization=0.0).fit(np.concatenate([X, X]))
    many = RandomFeatureWeights(n_features=90, bandwidth=0.5, regularization=0.0).fit(X)
    assert_allclose(entries(many.training_votes()), np.eye(40), atol=1e-9)
    with pytest.raises(VotesError, match=r"cannot be solved by iteration at regularization=0\."):
        NystromWeights(n_landmarks=5, regularization=0.0, solver="iterative").fit(X)
    with pytest.raises(VotesError, match=r"cannot be inverted"):
        NystromWeights("linear", n_landmarks=30).fit(X).at_regularization(0.0)


def test_constant_features():
    flat = np.ones((10, 2))
    for weighting in (NystromWeights(), RandomFeatureWeights(n_features=6)):
        votes = weighting.fit(flat).training_votes()
        assert_allclose(entries(votes), np.full((10, 10), 0.1 / 1.001), atol=1e-9)
        alone = clone(weighting).set_params(intercept=True).fit(flat).training_votes()
        assert_allclose(entries(alone), np.full((10, 10), 0.1), atol=1e-12)
    with pytest.raises(VotesError, match="the kernel is zero between all landmarks"):
        NystromWeights("linear").fit(np.zeros((4, 2)))


def test_invalid_kernels():
    with pytest.raises(VotesError, match=r"not positive semi-definite \(by -"):
        NystromWeights(lambda A, B: -(A @ B.T)).fit(X)
    with pytest.raises(VotesError, match=r"not positive semi-definite \(by -"):
        NystromWeights(lambda A, B: 1.0 - np.eye(len(A), len(B))).fit(X)
    with pytest.raises(VotesError, match=r"symmetric on the landmarks; entries"):
        NystromWeights(lambda A, B: A @ B.T + A[:, :1]).fit(X)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.ones((3, 2)), r"at least one row and the 3 columns of X; got shape \(3, 2\)"),
        (np.ones(3), r"got shape \(3,\)"),
        (np.empty((0, 3)), r"got shape \(0, 3\)"),
        ([[0, 0, 0], [1, 1, 1], [0, 0, 0]], r"landmarks 0 and 2 are equal \(1 repetitions\)"),
        ([[0, np.nan, 0]], r"landmark 0 contains NaN or infinity"),
        ([["a", "b", "c"]], r"or an array of numbers; got a list that is no such array"),
        ("random", r"one of 'uniform', 'kmeans\+\+', 'leverage' or an array"),
    ],
)
def test_bad_landmarks(given, message):
    with pytest.raises(ValueError, match=f"NystromWeights: .*{message}"):
        NystromWeights(landmarks=given).fit(X)


@pytest.mark.parametrize(
    ("weighting", "message"),
    [
        (NystromWeights("precomputed"), "kernel must be one of 'gaussian', .* or a function"),
        (NystromWeights(n_landmarks=0), "n_landmarks must be an integer >= 1; got 0"),
        (NystromWeights(solver="cg"), "solver must be one of 'auto', 'direct', 'iterative'"),
        (NystromWeights(degree=2), "degree and coef0 belong to kernel='polynomial'"),
        (NystromWeights(intercept=1), "intercept must be True or False"),
        (RandomFeatureWeights("linear"), "kernel must be one of 'gaussian', 'laplacian'; got"),
        (RandomFeatureWeights(np.dot), "kernel must be 'gaussian' or 'laplacian'; got a function"),
        (RandomFeatureWeights(n_features=7), "n_features must be even"),
        (RandomFeatureWeights(solver=None), "solver must be one of"),
        (RandomFeatureWeights(bandwidth=0.0), "bandwidth must be a finite number > 0"),
    ],
)
def test_bad_parameters(weighting, message):
    with pytest.raises(ValueError, match=f"{type(weighting).__name__}: {message}"):
        weighting.fit(X)


def test_short_memory(monkeypatch):
    monkeypatch.setattr("disambig.memory.free_bytes", lambda: 1000)
    for weighting in WEIGHTINGS:
        with pytest.raises(MemoryBudgetError, match=r"solver='iterative'"):
            clone(weighting).set_params(solver="direct").fit(X)
    monkeypatch.undo()
    monkeypatch.setattr(feature_ridge_module, "fits_in_memory", lambda *_: False)
    assert isinstance(NystromWeights().fit(X).training_votes(), IteratedVotes)


def test_features_that_are_not_kept_are_the_same(monkeypatch):
    weighting = NystromWeights(n_landmarks=12, solver="iterative", intercept=True).fit(X, COUNTS)
    assert weighting.regression_.rows.stored is not None
    monkeypatch.setattr("disambig.weights.kernels.iterated.free_bytes", lambda: 1)
    again = clone(weighting).fit(X, COUNTS)
    assert again.regression_.rows.stored is None
    assert_allclose(
        entries(again.training_votes()), entries(weighting.training_votes()), rtol=0, atol=1e-12
    )


def test_solutions_without_convergence_warn(monkeypatch):
    monkeypatch.setattr(normal_inverse, "_MAX_ITER", 2)
    weighting = NystromWeights(n_landmarks=12, solver="iterative", regularization=1e-5).fit(
        RNG.normal(size=(400, 3))
    )
    with pytest.warns(ConvergenceWarning, match=r"solved to .* after 2 iterations"):
        _ = weighting.training_votes() @ RNG.normal(size=400)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_array_equal(weighting.training_votes() @ np.zeros(400), np.zeros(400))


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian"])
def test_random_features_far_from_zero(kernel):
    # A power of two, and inputs of few digits, so that the sum is exact.
    rows, queries = np.round(X * 2**10) / 2**10, np.round(Q * 2**10) / 2**10
    weighting = RandomFeatureWeights(kernel, n_features=40, bandwidth=1.0, regularization=1e-9)
    near = entries(clone(weighting).fit(rows).votes(queries))
    far = clone(weighting).fit(rows + 2.0**30)
    together = entries(far.votes(queries + 2.0**30))
    # Features of rows that are not centred have errors of 2**30 eps, and votes much larger ones.
    assert_allclose(together, near, rtol=0, atol=1e-6)
    alone = np.vstack([entries(far.votes(query[None] + 2.0**30)) for query in queries])
    assert_allclose(alone, together, rtol=0, atol=1e-8)


def test_landmarks_whose_squares_overflow():
    landmarks = X[:3].copy()
    landmarks[1, 2] = 1e40
    message = r"landmark 1 contains 1e\+40 in column 2, beyond 1e\+36"
    with pytest.raises(VotesError, match=message):
        NystromWeights(landmarks=landmarks).fit(X)


def test_more_random_features_than_the_memory_holds():
    with pytest.raises(MemoryBudgetError, match="Draw fewer of them"):
        RandomFeatureWeights(n_features=10**30).fit(np.arange(4.0)[:, None])
