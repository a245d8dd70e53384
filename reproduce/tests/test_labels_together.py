"""Problems that are relaxed together have the solutions of single problems."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import KFold
from threadpoolctl import threadpool_limits

from disambig.candidates import LabelSets
from disambig.losses import AbstainLoss, MatrixLoss, ZeroOneLoss
from disambig.problem import Problem
from disambig.solvers import AlternatingMinimization
from disambig.solvers.alternating.descent import Descent
from disambig.solvers.alternating.starts import first_predictions
from disambig.solvers.loop import iterate
from disambig.votes.dense import DenseVotes
from disambig.votes.operator import OperatorVotes
from disambig.votes.sparse import SparseVotes
from disambig.weights import KernelRidgeWeights, NeighborWeights
from reproduce.batch.labels import relax_folds, relax_together

CLASSES = np.arange(4)
LOSSES = {
    "zero-one": ZeroOneLoss(),
    "abstain": AbstainLoss(0.4),
    "absolute": MatrixLoss(np.abs(np.subtract.outer(CLASSES, CLASSES)) * 1.0),
}


def problems_of(rng, n, count):
    """Sets of one to four classes; consecutive problems are similar, and some sets are full."""
    truth = rng.integers(0, 4, n)
    drawn = []
    for t in range(count):
        mask = rng.random((n, 4)) < 0.2 * t
        mask[np.arange(n), truth] = True
        drawn.append(LabelSets(mask, CLASSES))
    return drawn


def votes_of(kind, rng, n):
    X = rng.normal(size=(n, 2))
    if kind == "ridge":
        return KernelRidgeWeights(bandwidth=1.0, regularization=1e-2).fit(X).training_votes()
    if kind == "neighbours":
        return NeighborWeights(4).fit(X).training_votes()
    if kind == "tied":
        # Small integers, so that scores tie exactly.
        return DenseVotes(rng.integers(-1, 3, (n, n)).astype(float))
    return OperatorVotes(DenseVotes(rng.normal(size=(n, n))))


def alone(votes, loss, sets, start):
    # `OperatorVotes` makes the solver take the general steps, for sparse votes too.
    votes = OperatorVotes(votes) if isinstance(votes, SparseVotes) else votes
    problem = Problem(votes, loss, sets)
    descent = Descent(problem)
    return iterate(descent, descent.begin(first_predictions(problem, start)), max_iter=300)


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), kind=st.sampled_from(["ridge", "neighbours", "tied"]))
def test_several_starts_of_one_problem(seed, kind):
    rng = np.random.default_rng(seed)
    loss = LOSSES["zero-one"].bind(CLASSES)
    votes, sets = votes_of(kind, rng, 20), problems_of(rng, 20, 4)[3]
    names = ["average", "infimum", "average"]
    found = relax_together(votes, loss, [sets] * 3, start=names)
    for name, relaxation in zip(names, found, strict=True):
        run = alone(votes, loss, sets, name)
        assert_array_equal(relaxation.targets.mask, run.state.targets.mask)
        assert relaxation.n_iter == run.n_iter
    with pytest.raises(ValueError, match="start has 2 names for 3 problems"):
        relax_together(votes, loss, [sets] * 3, start=names[:2])


@pytest.mark.parametrize("kind", ["ridge", "neighbours", "tied", "operator"])
@pytest.mark.parametrize("name", LOSSES)
@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), start=st.sampled_from(["average", "infimum"]))
def test_solutions_are_those_of_single_problems(kind, name, seed, start):
    rng = np.random.default_rng(seed)
    loss = LOSSES[name].bind(CLASSES)
    votes, problems = votes_of(kind, rng, 20), problems_of(rng, 20, 5)
    found = relax_together(votes, loss, problems, start=start)
    for sets, relaxation in zip(problems, found, strict=True):
        run = alone(votes, loss, sets, start)
        assert_array_equal(relaxation.targets.mask, run.state.targets.mask)
        assert_array_equal(relaxation.predictions.mask, run.state.predictions.mask)
        assert_allclose(relaxation.objective, run.state.objective, atol=1e-9)
        assert relaxation.n_iter == run.n_iter
        assert relaxation.converged


@given(seed=st.integers(0, 10_000))
def test_the_order_of_the_problems_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    votes, problems = votes_of("ridge", rng, 20), problems_of(rng, 20, 4)
    loss, order = ZeroOneLoss().bind(CLASSES), rng.permutation(4)
    found = relax_together(votes, loss, problems)
    permuted = relax_together(votes, loss, [problems[t] for t in order])
    for t, relaxation in zip(order, permuted, strict=True):
        assert_array_equal(relaxation.targets.mask, found[t].targets.mask)


@pytest.mark.needs_jit
def test_a_larger_problem_with_updated_products():
    rng = np.random.default_rng(0)
    votes, problems = votes_of("ridge", rng, 400), problems_of(rng, 400, 4)
    assert votes.symmetric
    loss = ZeroOneLoss().bind(CLASSES)
    for sets, relaxation in zip(problems, relax_together(votes, loss, problems), strict=True):
        solution = AlternatingMinimization().solve(Problem(votes, loss, sets))
        assert_array_equal(relaxation.targets.mask, solution.targets.mask)
        assert_allclose(relaxation.objective, solution.relaxed_objective)


@pytest.mark.needs_jit
def test_results_do_not_depend_on_the_number_of_threads():
    rng = np.random.default_rng(1)
    X, problems = rng.normal(size=(400, 2)), problems_of(rng, 400, 4)
    loss, folds = ZeroOneLoss().bind(CLASSES), list(KFold(4).split(X))
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            weights = KernelRidgeWeights(bandwidth=1.0).fit(X)
            run = relax_folds(weights, folds, loss, problems)
            found.append([r.targets.mask for fold in run for r in fold.relaxations])
    assert_array_equal(*found)


def test_small_votes_of_a_labelled_row_count():
    # The votes for the labelled row are below the rounding error of the votes for the others.
    n = 6
    array = np.ones((n, n))
    array[:, 0] = 1e-12
    votes = DenseVotes(array)
    mask = np.ones((n, 3), dtype=bool)
    mask[0] = [False, True, False]
    sets = LabelSets(mask, np.arange(3))
    loss = ZeroOneLoss().bind(np.arange(3))
    (found,) = relax_together(votes, loss, [sets])
    assert_array_equal(found.targets.mask, alone(votes, loss, sets, "average").state.targets.mask)
    assert found.targets.outputs.tolist() == [1] * n


def test_soft_sets():
    rng = np.random.default_rng(0)
    weights = rng.random((20, 4))
    problems = [LabelSets.from_weights(weights), LabelSets.from_weights(weights**3)]
    votes, loss = votes_of("ridge", rng, 20), ZeroOneLoss().bind(problems[0].classes)
    for sets, found in zip(problems, relax_together(votes, loss, problems), strict=True):
        assert_array_equal(
            found.targets.mask, alone(votes, loss, sets, "average").state.targets.mask
        )


def test_problems_that_run_out_of_iterations_have_not_converged():
    rng = np.random.default_rng(3)
    votes, problems = votes_of("ridge", rng, 20), problems_of(rng, 20, 5)
    loss = ZeroOneLoss().bind(CLASSES)
    found = relax_together(votes, loss, problems, max_iter=1)
    needed = relax_together(votes, loss, problems)
    assert [f.converged for f in found] == [f.n_iter == 1 for f in needed]
    assert not all(f.converged for f in found)


def test_problems_with_other_rows_or_classes_are_refused():
    rng = np.random.default_rng(0)
    votes, (sets,) = votes_of("ridge", rng, 20), problems_of(rng, 20, 1)
    loss = ZeroOneLoss().bind(CLASSES)
    assert relax_together(votes, loss, []) == []
    with pytest.raises(ValueError, match=r"Problem 1 has 19 rows; expected 20"):
        relax_together(votes, loss, [sets, sets[:19]])
    with pytest.raises(ValueError, match=r"Problem 0 has other classes"):
        relax_together(votes, ZeroOneLoss().bind(np.arange(4) + 1), [sets])


# ------------------------------------------------------------------ folds


@pytest.mark.parametrize("options", [{}, {"normalize": True}, {"intercept": True}])
@pytest.mark.parametrize("name", ["zero-one", "absolute"])
def test_folds_are_fits_on_their_rows(options, name):
    rng = np.random.default_rng(0)
    X, problems = rng.normal(size=(30, 2)), problems_of(rng, 30, 3)
    loss = LOSSES[name].bind(CLASSES)
    lam = 1e-2
    # All folds have 20 training rows, so one ridge is right for all of them.
    whole = KernelRidgeWeights(bandwidth=1.0, regularization=lam * 20 / 30, **options).fit(X)
    splits = list(KFold(3, shuffle=True, random_state=0).split(X))
    found = list(relax_folds(whole, splits, loss, problems))
    for (train, test), fold in zip(splits, found, strict=True):
        assert_array_equal(fold.train, train)
        assert_array_equal(fold.test, test)
        again = KernelRidgeWeights(bandwidth=1.0, regularization=lam, **options).fit(X[train])
        assert_allclose(fold.votes @ np.eye(20), again.votes(X[test]) @ np.eye(20), atol=1e-9)
        expected = relax_together(again.training_votes(), loss, [p[train] for p in problems])
        for relaxation, other in zip(fold.relaxations, expected, strict=True):
            assert_array_equal(relaxation.targets.mask, other.targets.mask)
            assert_allclose(relaxation.objective, other.objective, atol=1e-8)


def test_folds_that_leave_rows_out_are_refused():
    rng = np.random.default_rng(0)
    X, problems = rng.normal(size=(10, 2)), problems_of(rng, 10, 1)
    weights = KernelRidgeWeights(bandwidth=1.0).fit(X)
    folds = [(np.arange(4), np.arange(8, 10))]
    with pytest.raises(ValueError, match="4 training rows and 2 test rows, the weights 10 rows"):
        next(relax_folds(weights, folds, ZeroOneLoss().bind(CLASSES), problems))


def test_sparse_votes():
    rng = np.random.default_rng(0)
    votes, problems = votes_of("neighbours", rng, 40), problems_of(rng, 40, 3)
    assert isinstance(votes, SparseVotes)
    loss = ZeroOneLoss().bind(CLASSES)
    for sets, found in zip(problems, relax_together(votes, loss, problems), strict=True):
        solution = AlternatingMinimization().solve(Problem(votes, loss, sets))
        assert_array_equal(found.targets.distribution, solution.targets.distribution)
