"""Tests of Frank-Wolfe on orders and bits: the bound, the gap and the labels."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig import PartialRanker
from disambig.candidates import LabelSets, PartialOrders
from disambig.candidates.bits.partial_bits import PartialBits
from disambig.exceptions import MissingOracleError
from disambig.losses import FootruleLoss, HammingLoss, KendallLoss, ZeroOneLoss
from disambig.problem import Problem
from disambig.solvers import FrankWolfeMinimization, quadratic_objective
from disambig.votes import as_votes
from disambig.weights import NeighborWeights
from tests.oracles.tiny_problems import WEIGHTINGS

ITEMS = np.array(["a", "b", "c"])
STEPS = ["pairwise", "away", "plain", "block"]
ORDERS = np.array(list(itertools.permutations(range(3))))


def lowest_objective(A, losses, members):
    """The lowest objective over all choices of members; `losses` is the matrix between outputs."""
    best = np.inf
    for choice in itertools.product(*members):
        best = min(best, float((A * losses[np.ix_(choice, choice)]).sum()))
    return best


def random_orders(rng, n):
    """Partial orders that know some pairs of a hidden order; and the orders that they allow."""
    signs = np.zeros((n, 3), dtype=int)
    hidden = ORDERS[rng.integers(6, size=n)]
    i, j = np.triu_indices(3, 1)
    full = np.where(hidden[:, i] < hidden[:, j], 1, -1)
    known = rng.random((n, 3)) < 0.4
    signs[known] = full[known]
    table = np.zeros((n, 3, 3), dtype=int)
    table[:, i, j], table[:, j, i] = signs, -signs
    orders = PartialOrders.from_signs(table, items=ITEMS)
    every = np.where(ORDERS[:, i] < ORDERS[:, j], 1, -1)
    allowed = ((signs[:, None] == 0) | (signs[:, None] == every)).all(axis=2)
    return orders, [np.flatnonzero(row) for row in allowed]


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    weighting=st.sampled_from(sorted(WEIGHTINGS)),
    steps=st.sampled_from(STEPS),
    loss=st.sampled_from([KendallLoss(), KendallLoss(item_weights=[1, 2, 5]), FootruleLoss()]),
)
def test_bound_and_labels_of_orders(seed, weighting, steps, loss):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 5))
    A, (orders, members) = WEIGHTINGS[weighting](rng, n), random_orders(rng, n)
    bound_loss = loss.bind(ITEMS)
    problem = Problem(as_votes(A), bound_loss, orders)
    losses = bound_loss.psi(ORDERS) @ bound_loss.phi(ORDERS).T
    solution = FrankWolfeMinimization(steps, tol=0.01, rounding="sampling").solve(problem)
    found, optimum = solution.certificate, lowest_objective(A, losses, members)
    rounding = 1e-10 * float(np.abs(A).sum())
    assert found.bound <= optimum
    assert found.gap >= 0.0
    assert found.objective >= optimum - rounding
    assert found.objective == pytest.approx(
        quadratic_objective(problem, solution.decoded), abs=rounding
    )
    index = {tuple(order): k for k, order in enumerate(ORDERS.tolist())}
    chosen = [index[tuple(row)] for row in solution.decoded.outputs.tolist()]
    assert all(k in row for k, row in zip(chosen, members, strict=True))
    assert found.objective == pytest.approx(
        float((A * losses[np.ix_(chosen, chosen)]).sum()), abs=rounding
    )
    for row, allowed in enumerate(members):
        if len(allowed) == 1:
            assert solution.targets.is_vertex[row]
            assert found.relaxed.is_vertex[row]
    assert (np.abs(found.relaxed.signs) <= 1.0).all()


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    weighting=st.sampled_from(sorted(WEIGHTINGS)),
    steps=st.sampled_from(STEPS),
)
def test_bound_and_labels_of_bits(seed, weighting, steps):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 5))
    A, bits = WEIGHTINGS[weighting](rng, n), rng.integers(-1, 2, size=(n, 2)).astype(np.int8)
    sets = PartialBits(bits)
    loss = HammingLoss(tag_weights=[1.0, 3.0]).bind(sets.tags)
    every = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    losses = loss.psi(every) @ loss.phi(every).T
    members = [np.flatnonzero(((row < 0) | (row == every)).all(axis=1)) for row in bits]
    problem = Problem(as_votes(A), loss, sets)
    solution = FrankWolfeMinimization(steps, tol=0.01, rounding="sampling").solve(problem)
    found, optimum = solution.certificate, lowest_objective(A, losses, members)
    rounding = 1e-10 * float(np.abs(A).sum())
    assert found.bound <= optimum
    assert found.gap >= 0.0
    assert found.objective >= optimum - rounding
    assert sets.contains(solution.decoded.outputs).all()
    assert_array_equal(found.relaxed.means[sets.known], bits[sets.known])


def test_one_bit_and_two_classes_give_the_same_relaxation():
    """One tag under the Hamming loss is the 0-1 loss on two classes."""
    rng = np.random.default_rng(4)
    A, bits = rng.normal(size=(9, 9)), rng.integers(-1, 2, size=(9, 1)).astype(np.int8)
    sets = LabelSets(np.column_stack([bits[:, 0] != 1, bits[:, 0] != 0]), np.arange(2))
    solver = FrankWolfeMinimization(tol=1e-9, max_iter=20_000)
    partial = PartialBits(bits)
    by_bits = solver.solve(Problem(as_votes(A), HammingLoss().bind(partial.tags), partial))
    by_labels = solver.solve(Problem(as_votes(A), ZeroOneLoss().bind(sets.classes), sets))
    assert by_bits.certificate.bound == pytest.approx(by_labels.certificate.bound, abs=1e-6)
    bits, labels = (found.certificate.relaxed for found in (by_bits, by_labels))
    assert_allclose(bits.means[:, 0], labels.distribution[:, 1], atol=1e-3)


def test_solver_in_the_ranker():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    scores = X @ rng.normal(size=(2, 4))
    y = [f"{a}>{b}" for a, b in np.argsort(-scores, axis=1)[:, :2]]
    model = PartialRanker(weights=NeighborWeights(5), solver=FrankWolfeMinimization(tol=1e-3)).fit(
        X, y
    )
    assert model.labels_.shape == (40, 4)
    assert model.score(X, y) > 0.8


def test_too_many_items_for_an_exact_decoder_raise():
    items = np.arange(21).astype(str)
    for loss in (KendallLoss(), FootruleLoss()):
        problem = Problem(as_votes(np.eye(1)), loss.bind(items), None)
        with pytest.raises(MissingOracleError, match="21 items are beyond the 20"):
            FrankWolfeMinimization().solve(problem)


def test_weights_of_positions_raise():
    loss = KendallLoss(position_weights="inverse").bind(ITEMS)
    with pytest.raises(MissingOracleError, match="got BoundPositionKendall"):
        FrankWolfeMinimization().solve(Problem(as_votes(np.eye(1)), loss, None))
