"""Annealing of bits and orders: energies never rise, limits are the paper's, laws are exact."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.candidates import PartialBits, PartialOrders
from disambig.exceptions import MissingOracleError
from disambig.losses import FootruleLoss, HammingLoss, KendallLoss
from disambig.problem import Problem
from disambig.solvers import AnnealedMinimization
from disambig.solvers.annealing.processes import OneBlock, TwoBlocks
from disambig.votes import as_votes
from tests.oracles.bit_problems import bit_problems
from tests.oracles.order_problems import extension_signs, order_problems

PROBLEMS = st.one_of(bit_problems(), order_problems())
FORMULATIONS = st.sampled_from(["one_block", "two_blocks"])
TEMPERATURES = st.sampled_from([1.0, 0.1, 0.01])
# A run is some eighty steps.
few = settings(max_examples=settings.default.max_examples // 2)


def rounding(problem):
    return 1e-10 * max(1.0, float(problem.prediction_scale.sum()))


def never_rises(values, problem):
    return (np.diff(values) <= rounding(problem)).all()


def some_laws(softening, rng):
    """Laws of the softening that nobody asked for, and means of two of them."""
    shape = softening.base().embedded.shape
    one, other = (
        softening.targets(rng.normal(size=shape), np.full(shape[0], s)) for s in (0.3, 0.05)
    )
    return one.interpolate(other, float(rng.random()))


# ---------------------------------------------------------------- descent


@few
@given(tiny=PROBLEMS, formulation=FORMULATIONS)
def test_the_objective_never_rises(tiny, formulation):
    problem = tiny.problem
    solution = AnnealedMinimization(formulation, tol=0.0).solve(problem)
    assert never_rises([progress.objective for progress in solution.trace], problem)
    assert {progress.stage for progress in solution.trace} >= {"temperature 1", "temperature 0.01"}


@few
@given(tiny=PROBLEMS, temperature=TEMPERATURES, seed=st.integers(0, 999))
def test_no_step_raises_the_energy_from_any_laws(tiny, temperature, seed):
    problem = tiny.problem
    softening = problem.loss.softened(problem.candidates)
    targets = some_laws(softening, np.random.default_rng(seed))
    for kind in (OneBlock, TwoBlocks):
        process = kind(problem, softening, temperature * softening.unit, 0.0)
        state = process.begin(targets)
        values = [state.objective]
        for _ in range(6):
            state = process.step(state)
            values.append(state.objective)
        assert never_rises(values, problem)


# ---------------------------------------------------------------- limits


@given(tiny=PROBLEMS, formulation=FORMULATIONS)
def test_at_a_high_temperature_everybody_keeps_the_mean_of_his_set(tiny, formulation):
    problem = tiny.problem
    hot = AnnealedMinimization(formulation, temperatures=[1e9]).solve(problem)
    average = problem.loss.start(problem.candidates, "average")
    assert_allclose(hot.targets.embedded, average, atol=1e-6)


@given(tiny=st.one_of(bit_problems(), order_problems(weightings=("small counts", "neighbours"))))
def test_at_temperature_zero_a_step_is_the_paper_s(tiny):
    problem = tiny.problem
    softening = problem.loss.softened(problem.candidates)
    base, n = softening.base(), len(problem.candidates)
    scores = problem.scores_of_predictions(base.embedded)
    cold = 1e-7 * softening.unit
    tolerance = rounding(problem)
    found = softening.predictions(scores, np.full(n, cold))
    wanted = problem.loss.best_prediction(scores, np.full(n, tolerance))
    # What is apart by less than the temperature is neither tied nor told apart.
    far = problem.loss.best_prediction(scores, np.full(n, 1e3 * cold))
    sure = ~far.differing(wanted)
    assert_allclose(found.embedded[sure], wanted.embedded[sure], atol=1e-4)
    heard = problem.scores_of_targets(wanted.embedded)
    soft = softening.targets(heard, np.full(n, cold))
    sharp = problem.loss.best_candidate(heard, problem.candidates, np.full(n, tolerance))
    far = problem.loss.best_candidate(heard, problem.candidates, np.full(n, 1e3 * cold))
    sure = ~far.differing(sharp)
    assert_allclose(soft.embedded[sure], sharp.embedded[sure], atol=1e-4)


# ---------------------------------------------------------------- bits


def last_objectives(solution):
    """The last objective at every temperature."""
    return np.array(list({step.stage: step.objective for step in solution.trace}.values()))


# Votes that do not cancel: a table of two classes lets rounding decide what hangs in the balance.
@given(tiny=bit_problems(weightings=("non-negative", "signed")))
def test_each_tag_is_annealed_as_if_alone(tiny):
    solver = AnnealedMinimization("two_blocks", tol=0.0)
    found = solver.solve(tiny.problem)
    objectives = np.zeros(15)
    for t, weight in enumerate(tiny.loss.weights):
        alone = solver.solve(tiny.tag(t))
        assert_allclose(found.targets.means[:, t], alone.targets.distribution[:, 1], atol=1e-7)
        objectives += weight * last_objectives(alone)
    assert_allclose(last_objectives(found), objectives, atol=rounding(tiny.problem))


@given(tiny=bit_problems(), formulation=FORMULATIONS)
def test_bits_that_are_known_stay(tiny, formulation):
    found = AnnealedMinimization(formulation).solve(tiny.problem)
    assert tiny.bits.contains(found.decoded.outputs).all()
    known = tiny.bits.known
    assert_array_equal(found.targets.means[known], tiny.bits.bits[known])
    assert found.resolved[known.all(axis=1)].all()


@pytest.mark.parametrize("formulation", ["one_block", "two_blocks"])
def test_rounding_decides_no_bit(formulation):
    # One row hears a 0 and a 1 alike, and itself.
    A = np.array([[0.5, 0.0, 0.5], [0.0, 0.5, 0.5], [1 / 3, 1 / 3, 1 / 3]])
    bits = PartialBits.from_any([[0], [1], [np.nan]])
    problem = Problem(as_votes(A), HammingLoss().bind(bits.tags), bits)
    found = AnnealedMinimization(formulation).solve(problem)
    assert_array_equal(found.targets.means, [[0.0], [1.0], [0.5]])
    assert_array_equal(found.resolved, [True, True, False])


# ---------------------------------------------------------------- orders


@given(tiny=order_problems(), seed=st.integers(0, 999))
def test_laws_of_orders_are_those_of_enumeration(tiny, seed):
    rng = np.random.default_rng(seed)
    softening, n = tiny.loss.softened(tiny.orders), len(tiny.orders)
    scores = rng.normal(size=softening.base().embedded.shape)
    scales = rng.choice([0.0, 0.1, 1.0], size=n)
    for law, embedding in (
        (softening.targets(scores, scales), tiny.loss.as_target),
        (softening.members(scores, scales), tiny.loss.as_prediction),
    ):
        for row in range(n):
            signs = extension_signs(tiny.orders, row)
            costs = embedding.embed(signs) @ scores[row]
            share = (
                np.exp(-(costs - costs.min()) / scales[row]) if scales[row] else np.ones(len(signs))
            )
            share = share / share.sum()
            assert_allclose(law.signs[row], share @ signs, atol=1e-9)
            entropy = float((share * np.log(np.maximum(share, 1e-300) * len(share))).sum())
            assert law.divergences[row] == pytest.approx(entropy, abs=1e-9)
            mode = law.first().embedded[row]
            likeliest = tiny.loss.as_target.embed(signs[share >= share.max() * (1 - 1e-9)])
            assert np.isclose(likeliest, mode).all(axis=1).any()


@given(tiny=order_problems(), seed=st.integers(0, 999), part=st.floats(0.0, 1.0))
def test_a_mean_of_laws_is_bounded_by_convexity(tiny, seed, part):
    rng = np.random.default_rng(seed)
    softening, n = tiny.loss.softened(tiny.orders), len(tiny.orders)
    shape = softening.base().embedded.shape
    one, other = (softening.targets(rng.normal(size=shape), np.full(n, s)) for s in (0.5, 0.1))
    between = one.interpolate(other, part)
    for row in range(n):
        signs = extension_signs(tiny.orders, row)
        shares = []
        for law in (one, other):
            weights = np.exp(-(signs @ law.costs[row]) + (signs @ law.costs[row]).min())
            shares.append(weights / weights.sum())
        mixed = (1 - part) * shares[0] + part * shares[1]
        assert_allclose(between.signs[row], mixed @ signs, atol=1e-9)
        entropy = float((mixed * np.log(np.maximum(mixed, 1e-300) * len(mixed))).sum())
        assert between.divergences[row] >= entropy - 1e-9


@given(tiny=order_problems(), formulation=FORMULATIONS)
def test_orders_end_inside_their_sets(tiny, formulation):
    found = AnnealedMinimization(formulation).solve(tiny.problem)
    assert tiny.orders.contains(found.decoded.outputs).all()
    assert found.resolved[tiny.orders.is_total].all()
    assert (np.abs(found.targets.signs) <= 1.0).all()


def test_orders_that_nobody_speaks_of_are_undecided():
    orders = PartialOrders.from_strings(["a>b>c", "a>b", ""], items=["a", "b", "c"])
    problem = Problem(as_votes(np.eye(3)), KendallLoss().bind(orders.items), orders)
    found = AnnealedMinimization("one_block").solve(problem)
    assert_array_equal(found.resolved, [True, False, False])
    assert found.targets.undecided[1].sum() == 4
    assert found.targets.undecided[2].sum() == 6


# ---------------------------------------------------------------- refusals


def test_too_many_items_are_refused():
    orders = PartialOrders.from_ranks(np.arange(21)[None, :])
    problem = Problem(as_votes(np.eye(1)), KendallLoss().bind(orders.items), orders)
    with pytest.raises(MissingOracleError, match=r"21 items .*solver='alternating'"):
        AnnealedMinimization().solve(problem)


def test_losses_without_laws_are_refused():
    orders = PartialOrders.from_ranks(np.arange(3)[None, :])
    problem = Problem(as_votes(np.eye(1)), FootruleLoss().bind(orders.items), orders)
    with pytest.raises(MissingOracleError, match=r"BoundPlaceLoss has none.*'alternating'"):
        AnnealedMinimization().solve(problem)


def test_rows_of_bits_that_nobody_hears_stay_fair_coins():
    bits = PartialBits.from_any([[1, np.nan], [np.nan, np.nan]])
    problem = Problem(as_votes(np.eye(2)), HammingLoss().bind(bits.tags), bits)
    found = AnnealedMinimization().solve(problem)
    assert_array_equal(found.targets.means, bits.means())
    assert not found.resolved.any()
