"""Tests of class counts, and of the unit shift, which gives the objective of Diffrac."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.datasets import make_blobs

from disambig.candidates import ClassCounts, LabelSets
from disambig.exceptions import CandidateError, MissingOracleError
from disambig.losses import HammingLoss, MatrixLoss, ZeroOneLoss
from disambig.problem import Problem
from disambig.solvers import AnnealedMinimization, FrankWolfeMinimization
from disambig.votes import as_votes
from disambig.weights import KernelRidgeWeights
from tests.oracles.brute_force import labellings
from tests.oracles.generated_problems import problems
from tests.oracles.quadratic_programs import SYMMETRIC, quadratic_values

# ---------------------------------------------------------------- class counts


def with_candidates(problem, candidates):
    return Problem(problem.votes, problem.loss, candidates)


@settings(max_examples=60)
@given(
    tiny=problems(losses=SYMMETRIC, largest=5),
    sampling=st.booleans(),
    width=st.integers(0, 1),
    seed=st.integers(0, 99),
)
def test_labels_keep_the_counts_and_the_bound_holds_for_them(tiny, sampling, width, seed):
    choices, K = labellings(tiny.sets), tiny.sets.n_classes
    counts = np.stack([np.bincount(row, minlength=K) for row in choices])
    center = counts[np.random.default_rng(seed).integers(len(counts))]
    bounds = np.column_stack([np.maximum(center - width, 0), center + width])
    kept = ((counts >= bounds[:, 0]) & (counts <= bounds[:, 1])).all(axis=1)
    optimum = quadratic_values(tiny.A, tiny.loss.matrix, choices[kept]).min()
    solver = FrankWolfeMinimization(
        tol=0.05, rounding="sampling" if sampling else "nearest", n_samples=3
    )
    solution = solver.solve(with_candidates(tiny.problem, ClassCounts(tiny.sets, bounds)))
    found = solution.certificate
    assert found.bound <= optimum
    assert found.gap >= 0.0
    assert found.objective >= optimum - 1e-9 * np.abs(tiny.A).sum() * tiny.loss.largest
    assert_counts_kept(solution, bounds)


def assert_counts_kept(solution, bounds):
    """Relaxed targets, those that predictions use, and labels of either, all within the bounds."""
    relaxed, lowest, highest = solution.certificate.relaxed, bounds[:, 0], bounds[:, 1]
    for distribution in (relaxed.distribution, solution.targets.distribution):
        totals = distribution.sum(axis=0)
        assert ((totals >= lowest - 1e-9) & (totals <= highest + 1e-9)).all()
    for labels in (solution.decoded.outputs, relaxed.outputs, relaxed.first().outputs):
        chosen = np.bincount(labels, minlength=len(bounds))
        assert ((chosen >= lowest) & (chosen <= highest)).all()


@pytest.mark.parametrize("seed", range(200))
def test_relaxed_targets_and_labels_keep_the_counts(seed):
    rng = np.random.default_rng(seed)
    K, n = 2 + seed % 2, int(rng.integers(3, 20))
    mask = rng.random((n, K)) < 0.6
    truth = rng.integers(K, size=n)
    mask[np.arange(n), truth] = True
    center, width = np.bincount(truth, minlength=K), int(rng.integers(0, 2))
    sets = LabelSets(mask, np.arange(K))
    counts = ClassCounts(sets, np.column_stack([np.maximum(center - width, 0), center + width]))
    A = rng.normal(size=(n, n)) if seed % 3 else rng.exponential(size=(n, n))
    rounding = ("nearest", "sampling")[seed // 2 % 2]
    solver = FrankWolfeMinimization(rounding=rounding, n_samples=3, tol=0.05)
    problem = Problem(as_votes(A), ZeroOneLoss().bind(sets.classes), counts)
    assert_counts_kept(solver.solve(problem), counts.bounds)


@settings(max_examples=25)
@given(tiny=problems(losses=SYMMETRIC, largest=5))
def test_counts_never_lower_the_relaxed_objective(tiny):
    free = FrankWolfeMinimization(tol=1e-6).solve(tiny.problem).certificate
    counts = np.bincount(labellings(tiny.sets)[0], minlength=tiny.sets.n_classes)
    counted = ClassCounts(tiny.sets, np.column_stack([counts, counts]))
    found = FrankWolfeMinimization(tol=0.05).solve(with_candidates(tiny.problem, counted))
    assert found.certificate.relaxed_objective >= free.bound


def test_balanced_counts_recover_clusters_from_one_label_each():
    """Without counts the unlabeled rows may all take one class."""
    X, truth = make_blobs(60, centers=3, cluster_std=0.5, random_state=3)
    mask = np.ones((60, 3), dtype=bool)
    for k in range(3):
        first = np.flatnonzero(truth == k)[0]
        mask[first] = np.arange(3) == k
    counts = ClassCounts.balanced(LabelSets(mask, np.arange(3)))
    votes = KernelRidgeWeights(bandwidth=1.0, regularization=1e-3).fit(X).training_votes()
    problem = Problem(votes, ZeroOneLoss().bind(counts.classes), counts)
    found = FrankWolfeMinimization(shift="unit", tol=1e-3).solve(problem)
    assert np.bincount(found.decoded.outputs).tolist() == [20, 20, 20]
    assert_array_equal(found.decoded.outputs, truth)


def test_infeasible_counts_raise():
    """Each class alone could keep its counts; the first two together cannot."""
    sets = LabelSets.from_sets([{0, 1}, {0, 1}, {0, 1}, {1, 2}, {2}])
    counts = ClassCounts(sets, [[0, 1], [0, 1], [0, 4]])
    problem = Problem(as_votes(np.eye(5)), ZeroOneLoss().bind(sets.classes), counts)
    with pytest.raises(CandidateError, match=r"keep the counts \[\[0, 1\], \[0, 1\], \[0, 4\]\]"):
        FrankWolfeMinimization().solve(problem)


def counted_pair(loss=None):
    counts = ClassCounts.balanced(LabelSets.from_sets([{0, 1}, {0, 1}]))
    return Problem(as_votes(np.eye(2)), loss or ZeroOneLoss().bind(counts.classes), counts)


def test_what_moves_rows_on_their_own_is_refused():
    with pytest.raises(ValueError, match="steps='block' moves each row on its own"):
        FrankWolfeMinimization("block").solve(counted_pair())
    message = r"FrankWolfeMinimization\(polish=True\) treats each row on its own.*polish=False"
    with pytest.raises(MissingOracleError, match=message):
        FrankWolfeMinimization(polish=True).solve(counted_pair())


def test_annealing_keeps_counts():
    found = AnnealedMinimization().solve(counted_pair())
    assert sorted(found.decoded.outputs.tolist()) == [0, 1]


def test_counts_need_a_loss_on_labels():
    problem = counted_pair(HammingLoss().bind(np.arange(2)))
    with pytest.raises(MissingOracleError, match="got ClassCounts and BoundHamming"):
        FrankWolfeMinimization().solve(problem)
    with pytest.raises(MissingOracleError, match=r"AnnealedMinimization.*solver='frank_wolfe'"):
        AnnealedMinimization().solve(problem)


# ---------------------------------------------------------------- the unit shift


def ridge_problem(loss=None):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(12, 2))
    mask = rng.random((12, 3)) < 0.6
    mask[np.arange(12), rng.integers(3, size=12)] = True
    sets = LabelSets(mask, np.arange(3))
    votes = KernelRidgeWeights(bandwidth=1.0, regularization=1e-2).fit(X).training_votes()
    return Problem(votes, (loss or ZeroOneLoss()).bind(sets.classes), sets)


def test_unit_shift_gives_the_objective_of_diffrac():
    """``Tr Y' (I - A) Y`` over distributions Y, up to a constant: at labels it is the objective."""
    problem = ridge_problem()
    solution = FrankWolfeMinimization(shift="unit", tol=1e-8, max_iter=20_000).solve(problem)
    A, relaxed = problem.votes.rows(0, 12), solution.certificate.relaxed.distribution

    def diffrac(Y):
        return float(np.trace(Y.T @ (np.eye(12) - A) @ Y))

    expected = diffrac(relaxed) + A.sum() - 12.0
    assert solution.certificate.relaxed_objective == pytest.approx(expected, abs=1e-9)
    labels = np.eye(3)[solution.decoded.outputs]
    assert solution.certificate.objective == pytest.approx(diffrac(labels) + A.sum() - 12.0)
    tight = FrankWolfeMinimization(tol=1e-8, max_iter=20_000).solve(problem)
    assert tight.certificate.bound >= solution.certificate.bound - 1e-6


def test_unit_shift_raises_for_large_eigenvalues_and_other_losses():
    problem = ridge_problem()
    larger = Problem(as_votes(3.0 * np.eye(12)), problem.loss, problem.candidates)
    with pytest.raises(ValueError, match=r"eigenvalues are at most 1.*the largest is 3"):
        FrankWolfeMinimization(shift="unit").solve(larger)
    uneven = np.array([[0, 1, 9], [1, 0, 1], [9, 1, 0]])
    with pytest.raises(MissingOracleError, match="needs a loss that is a squared distance"):
        FrankWolfeMinimization(shift="unit").solve(ridge_problem(MatrixLoss(uneven)))
