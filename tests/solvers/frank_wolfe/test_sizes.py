"""Tests of class sizes, and of the unit shift, which gives the objective of Diffrac."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.datasets import make_blobs

from disambig.candidates import LabelSets
from disambig.exceptions import CandidateError, MissingOracleError
from disambig.losses import HammingLoss, MatrixLoss, ZeroOneLoss
from disambig.problem import Problem
from disambig.solvers import FrankWolfeMinimization
from disambig.solvers.frank_wolfe.label_hulls import class_sizes
from disambig.votes import as_votes
from disambig.weights import KernelRidgeWeights
from tests.oracles.brute_force import labellings
from tests.oracles.generated_problems import problems
from tests.oracles.quadratic_programs import SYMMETRIC, quadratic_values

# ---------------------------------------------------------------- class sizes


@settings(max_examples=60)
@given(
    tiny=problems(losses=SYMMETRIC, largest=5),
    sampling=st.booleans(),
    width=st.integers(0, 1),
    seed=st.integers(0, 99),
)
def test_labels_keep_the_sizes_and_the_bound_holds_for_them(tiny, sampling, width, seed):
    choices, K = labellings(tiny.sets), tiny.sets.n_classes
    counts = np.stack([np.bincount(row, minlength=K) for row in choices])
    center = counts[np.random.default_rng(seed).integers(len(counts))]
    sizes = np.column_stack([np.maximum(center - width, 0), center + width])
    kept = ((counts >= sizes[:, 0]) & (counts <= sizes[:, 1])).all(axis=1)
    optimum = quadratic_values(tiny.A, tiny.loss.matrix, choices[kept]).min()
    solver = FrankWolfeMinimization(
        sizes=sizes, tol=0.05, rounding="sampling" if sampling else "nearest", n_samples=3
    )
    solution = solver.solve(tiny.problem)
    found = solution.certificate
    assert found.bound <= optimum
    assert found.gap >= 0.0
    assert found.objective >= optimum - 1e-9 * np.abs(tiny.A).sum() * tiny.loss.largest
    chosen = np.bincount(solution.decoded.outputs, minlength=K)
    assert ((chosen >= sizes[:, 0]) & (chosen <= sizes[:, 1])).all()
    soft = found.relaxed.distribution.sum(axis=0)
    assert ((soft >= sizes[:, 0] - 1e-9) & (soft <= sizes[:, 1] + 1e-9)).all()


@settings(max_examples=25)
@given(tiny=problems(losses=SYMMETRIC, largest=5))
def test_sizes_never_lower_the_relaxed_objective(tiny):
    free = FrankWolfeMinimization(tol=1e-6).solve(tiny.problem).quadratic
    counts = np.bincount(labellings(tiny.sets)[0], minlength=tiny.sets.n_classes)
    sizes = np.column_stack([counts, counts])
    sized = FrankWolfeMinimization(sizes=sizes, tol=0.05).solve(tiny.problem).quadratic
    assert sized.relaxed_objective >= free.bound


def test_balanced_sizes_recover_clusters_from_one_label_each():
    """Without sizes the unlabeled rows may all take one class."""
    X, truth = make_blobs(60, centers=3, cluster_std=0.5, random_state=3)
    mask = np.ones((60, 3), dtype=bool)
    for k in range(3):
        first = np.flatnonzero(truth == k)[0]
        mask[first] = np.arange(3) == k
    sets = LabelSets(mask, np.arange(3))
    votes = KernelRidgeWeights(bandwidth=1.0, regularization=1e-3).fit(X).training_votes()
    problem = Problem(votes, ZeroOneLoss().bind(sets.classes), sets)
    solver = FrankWolfeMinimization(sizes="balanced", shift="unit", tol=1e-3)
    found = solver.solve(problem)
    assert np.bincount(found.decoded.outputs).tolist() == [20, 20, 20]
    assert_array_equal(found.decoded.outputs, truth)


def test_infeasible_sizes_raise():
    sets = LabelSets.from_sets([{0}, {0}, {0, 1}])
    problem = Problem(as_votes(np.eye(3)), ZeroOneLoss().bind(sets.classes), sets)
    with pytest.raises(CandidateError, match=r"no labels of the sets keep the sizes \[\[0, 1\]"):
        FrankWolfeMinimization(sizes=[[0, 1], [0, 3]]).solve(problem)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"sizes": "equal"}, "sizes='equal' is not known"),
        ({"sizes": [[0, 1]]}, r"sizes has shape \(1, 2\); expected \(2, 2\)"),
        ({"sizes": [[0, 1], [3, 2]]}, r"sizes\[1\] is \[3.0, 2.0\]"),
        ({"sizes": "balanced", "polish": True}, "polish=True does not keep sizes"),
        ({"sizes": "balanced", "steps": "block"}, "steps='block' moves each row on its own"),
    ],
)
def test_invalid_sizes_raise(wrong, message):
    sets = LabelSets.from_sets([{0, 1}, {0, 1}])
    problem = Problem(as_votes(np.eye(2)), ZeroOneLoss().bind(sets.classes), sets)
    with pytest.raises(ValueError, match=message):
        FrankWolfeMinimization(**wrong).solve(problem)


def test_sizes_need_a_loss_on_labels():
    loss = HammingLoss().bind(np.arange(2))
    with pytest.raises(MissingOracleError, match="sizes need a loss on labels; got BoundHamming"):
        FrankWolfeMinimization(sizes="balanced").solve(Problem(as_votes(np.eye(1)), loss, None))


def test_bounds_on_sizes_are_rounded_inwards_to_integers():
    assert_array_equal(class_sizes([[0.5, 2.5], [0, np.inf]], 4, 2), [[1, 2], [0, 4]])


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
    assert tight.quadratic.bound >= solution.certificate.bound - 1e-6


def test_unit_shift_raises_for_large_eigenvalues_and_other_losses():
    problem = ridge_problem()
    larger = Problem(as_votes(3.0 * np.eye(12)), problem.loss, problem.candidates)
    with pytest.raises(ValueError, match=r"eigenvalues are at most 1.*the largest is 3"):
        FrankWolfeMinimization(shift="unit").solve(larger)
    uneven = np.array([[0, 1, 9], [1, 0, 1], [9, 1, 0]])
    with pytest.raises(MissingOracleError, match="needs a loss that is a squared distance"):
        FrankWolfeMinimization(shift="unit").solve(ridge_problem(MatrixLoss(uneven)))
