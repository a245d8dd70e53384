"""Tests of class shares that distributions of labels are held near."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import softmax

from disambig.candidates import LabelSets, PartialOrders
from disambig.exceptions import MissingOracleError
from disambig.losses import KendallLoss, ZeroOneLoss
from disambig.losses.labels.faces import ComplementEmbedding
from disambig.losses.labels.soft import SoftFaces, relative_entropies
from disambig.problem import Problem
from disambig.solvers import AnnealedMinimization
from disambig.solvers.annealing.balance import ClassBalance, average_shares, share_logarithms
from disambig.votes import as_votes


def faces(distribution):
    return SoftFaces(distribution, ComplementEmbedding(), np.full(distribution.shape, 0.5))


def tiny_problem(seed, n=12, K=3):
    rng = np.random.default_rng(seed)
    mask = rng.random((n, K)) < 0.5
    mask[np.arange(n), rng.integers(K, size=n)] = True
    sets = LabelSets(mask, np.arange(K))
    return Problem(as_votes(rng.random((n, n))), ZeroOneLoss().bind(sets.classes), sets)


@given(seed=st.integers(0, 10_000), strength=st.sampled_from([0.5, 3.0]))
def test_held_distributions_minimise_both_divergences(seed, strength):
    """Compared with a general minimiser, on the logits."""
    rng = np.random.default_rng(seed)
    prior = rng.dirichlet(np.ones(3), size=4)
    shares, degrees = rng.dirichlet(np.ones(3)), rng.random(4) + 0.2
    balance = ClassBalance(shares, strength)

    def objective(logits):
        q = softmax(logits.reshape(4, 3), axis=1)
        return degrees @ relative_entropies(q, prior) + balance.penalty(faces(q), degrees)

    held = balance.held(faces(prior), degrees)
    best = minimize(objective, np.log(prior).ravel(), method="BFGS", options={"gtol": 1e-9})
    assert_allclose(held.distribution, softmax(best.x.reshape(4, 3), axis=1), atol=1e-4)


def test_strong_shares_are_reached_and_weak_ones_are_not():
    q = faces(np.array([[0.9, 0.1], [0.9, 0.1], [0.8, 0.2]]))
    shares, degrees = np.array([0.3, 0.7]), np.ones(3)
    far = ClassBalance(shares, 1e-6).held(q, degrees).distribution
    near = ClassBalance(shares, 20.0).held(q, degrees).distribution
    assert_allclose(far, q.distribution, atol=1e-4)
    assert_allclose(near.mean(axis=0), shares, atol=0.05)


def test_rows_without_mass_and_classes_without_share_stay():
    q = faces(np.array([[0.5, 0.25, 0.25], [0.2, 0.4, 0.4]]))
    held = ClassBalance(np.array([0.0, 0.9, 0.1])).held(q, np.array([1.0, 0.0])).distribution
    assert_array_equal(held[1], q.distribution[1])
    assert held[0, 1] > held[0, 2]
    assert held[0, 0] > 0


@given(seed=st.integers(0, 10_000), formulation=st.sampled_from(["one_block", "two_blocks"]))
def test_objective_with_shares_never_rises_at_a_temperature(seed, formulation):
    solver = AnnealedMinimization(
        formulation, temperatures=(0.3,), sweeps=12, tol=0.0, class_shares=[0.6, 0.3, 0.1]
    )
    values = [progress.objective for progress in solver.solve(tiny_problem(seed)).trace]
    assert np.diff(values).max(initial=0.0) <= 1e-6 * max(map(abs, values))


def test_shares_bring_a_class_back_that_votes_would_lose():
    """Half of the rows may be of class 1; all votes are equal."""
    mask = np.ones((10, 2), dtype=bool)
    mask[:5, 1] = False
    problem = Problem(
        as_votes(np.full((10, 10), 0.1)), ZeroOneLoss().bind([0, 1]), LabelSets(mask, [0, 1])
    )
    found = {
        shares is None: AnnealedMinimization(temperatures=[0.36], class_shares=shares)
        .solve(problem)
        .targets
        for shares in (None, [0.5, 0.5])
    }
    lost, kept = (found[key].distribution[:, 1].sum() for key in (True, False))
    assert kept > 2 * lost
    assert kept > 2.0


def test_average_shares_are_those_of_rows_that_prefer_a_class():
    prior = LabelSets.from_any([{0}, {0, 1}, {0, 1, 2}], classes=[0, 1, 2]).distribution()
    assert_allclose(average_shares(prior), [0.75, 0.25, 0.0])
    problem = tiny_problem(0)
    average = average_shares(problem.candidates.distribution())
    named = AnnealedMinimization(class_shares="average").solve(problem)
    given_shares = AnnealedMinimization(class_shares=average).solve(problem)
    assert_array_equal(named.targets.distribution, given_shares.targets.distribution)


@pytest.mark.parametrize(
    "shares", ["even", [0.5, 0.5], [-1.0, 1.0, 1.0], [0, 0, 0], [np.nan, 1, 1], [["a"]]]
)
def test_bad_shares_are_refused(shares):
    with pytest.raises(ValueError, match="class_shares must be None, 'average' or one number"):
        AnnealedMinimization(class_shares=shares).solve(tiny_problem(0))


def test_orders_have_no_class_shares():
    orders = PartialOrders.from_any(["a>b>c", "c>a"])
    problem = Problem(as_votes(np.ones((2, 2))), KendallLoss().bind(orders.items), orders)
    with pytest.raises(MissingOracleError, match="class_shares are shares of labels"):
        AnnealedMinimization(class_shares="average").solve(problem)


@given(seed=st.integers(0, 10_000), strength=st.sampled_from([0.5, 30.0, 1000.0]))
def test_logarithms_are_the_fixed_point(seed, strength):
    """Also for nearly certain rows and strong shares, where the plain iteration hardly moves."""
    rng = np.random.default_rng(seed)
    q = softmax(rng.normal(size=(40, 4)) * rng.choice([1.0, 20.0]), axis=1)
    weights = rng.dirichlet(np.ones(40))
    shares = rng.dirichlet(np.ones(4)) * np.array([1.0, 1.0, 1.0, rng.integers(2)]) + 1e-9
    shares /= shares.sum()
    logs = share_logarithms(q, weights, shares, strength)
    found = weights @ softmax(np.log(q) + logs, axis=1)
    assert_allclose(found, shares * np.exp(-logs / strength), atol=1e-8)


def test_stronger_shares_are_nearer_at_the_end():
    problem = tiny_problem(3, n=40)
    wanted = np.array([0.6, 0.3, 0.1])

    def distance(strength):
        solver = AnnealedMinimization(class_shares=wanted, share_strength=strength)
        found = solver.solve(problem).targets.distribution.mean(axis=0)
        return np.abs(found - wanted).sum()

    assert distance(30.0) < 0.8 * distance(1.0)


def test_strength_is_positive():
    with pytest.raises(ValueError, match="share_strength"):
        AnnealedMinimization(class_shares="average", share_strength=0).solve(tiny_problem(0))
