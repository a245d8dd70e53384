"""Tests of annealing of bits and orders: objectives never rise, limits, exact distributions."""

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
# Fewer examples, because a run has some eighty steps.
fewer_examples = settings(max_examples=settings.default.max_examples // 2)


def rounding(problem):
    return 1e-10 * max(1.0, float(problem.prediction_scale.sum()))


def never_rises(values, problem):
    return (np.diff(values) <= rounding(problem)).all()


def random_distributions(softening, rng):
    """Mixtures of two distributions of the softening for random scores."""
    shape = softening.prior().embedded.shape
    one, other = (
        softening.targets(rng.normal(size=shape), np.full(shape[0], s)) for s in (0.3, 0.05)
    )
    return one.interpolate(other, float(rng.random()))


# ---------------------------------------------------------------- descent


@fewer_examples
@given(tiny=PROBLEMS, formulation=FORMULATIONS)
def test_the_objective_never_rises(tiny, formulation):
    problem = tiny.problem
    solution = AnnealedMinimization(formulation, tol=0.0).solve(problem)
    assert never_rises([progress.objective for progress in solution.trace], problem)
    assert {progress.stage for progress in solution.trace} >= {"temperature 1", "temperature 0.01"}


@fewer_examples
@given(tiny=PROBLEMS, temperature=TEMPERATURES, seed=st.integers(0, 999))
def test_no_step_raises_the_objective_from_any_distributions(tiny, temperature, seed):
    problem = tiny.problem
    softening = problem.loss.softened(problem.candidates)
    targets = random_distributions(softening, np.random.default_rng(seed))
    for process_class in (OneBlock, TwoBlocks):
        process = process_class(problem, softening, temperature * softening.unit_temperature, 0.0)
        state = process.begin(targets)
        values = [state.objective]
        for _ in range(6):
            state = process.step(state)
            values.append(state.objective)
        assert never_rises(values, problem)


# ---------------------------------------------------------------- limits


@given(tiny=PROBLEMS, formulation=FORMULATIONS)
def test_at_a_high_temperature_targets_are_the_means_of_the_sets(tiny, formulation):
    problem = tiny.problem
    hot = AnnealedMinimization(formulation, temperatures=[1e9]).solve(problem)
    average = problem.loss.start(problem.candidates, "average")
    assert_allclose(hot.targets.embedded, average, atol=1e-6)


@given(tiny=st.one_of(bit_problems(), order_problems(weightings=("small counts", "neighbours"))))
def test_at_temperature_zero_a_step_is_that_of_alternating_minimisation(tiny):
    problem = tiny.problem
    softening = problem.loss.softened(problem.candidates)
    prior, n = softening.prior(), len(problem.candidates)
    scores = problem.scores_of_predictions(prior.embedded)
    cold = 1e-7 * softening.unit_temperature
    tolerance = rounding(problem)
    found = softening.predictions(scores, np.full(n, cold))
    expected = problem.loss.best_prediction(scores, np.full(n, tolerance))
    # Costs that differ by less than the temperature are neither tied nor separated.
    nearly_tied = problem.loss.best_prediction(scores, np.full(n, 1e3 * cold))
    clear = ~nearly_tied.differing(expected)
    assert_allclose(found.embedded[clear], expected.embedded[clear], atol=1e-4)
    scores = problem.scores_of_targets(expected.embedded)
    soft = softening.targets(scores, np.full(n, cold))
    sharp = problem.loss.best_candidate(scores, problem.candidates, np.full(n, tolerance))
    nearly_tied = problem.loss.best_candidate(scores, problem.candidates, np.full(n, 1e3 * cold))
    clear = ~nearly_tied.differing(sharp)
    assert_allclose(soft.embedded[clear], sharp.embedded[clear], atol=1e-4)


# ---------------------------------------------------------------- bits


def last_objectives(solution):
    """The last objective at every temperature."""
    return np.array(list({step.stage: step.objective for step in solution.trace}.values()))


# With votes that cancel, rounding would decide ties differently for bits and for two classes.
@given(tiny=bit_problems(weightings=("non-negative", "signed")))
def test_each_tag_is_annealed_as_a_problem_of_its_own(tiny):
    solver = AnnealedMinimization("two_blocks", tol=0.0)
    found = solver.solve(tiny.problem)
    objectives = np.zeros(15)
    for t, weight in enumerate(tiny.loss.weights):
        alone = solver.solve(tiny.tag(t))
        assert_allclose(found.targets.means[:, t], alone.targets.distribution[:, 1], atol=1e-7)
        objectives += weight * last_objectives(alone)
    assert_allclose(last_objectives(found), objectives, atol=rounding(tiny.problem))


@given(tiny=bit_problems(), formulation=FORMULATIONS)
def test_known_bits_stay(tiny, formulation):
    found = AnnealedMinimization(formulation).solve(tiny.problem)
    assert tiny.bits.contains(found.decoded.outputs).all()
    known = tiny.bits.known
    assert_array_equal(found.targets.means[known], tiny.bits.bits[known])
    assert found.decided[known.all(axis=1)].all()


@pytest.mark.parametrize("formulation", ["one_block", "two_blocks"])
def test_rounding_decides_no_bit(formulation):
    # The last row has equal votes of a 0, of a 1 and of itself.
    A = np.array([[0.5, 0.0, 0.5], [0.0, 0.5, 0.5], [1 / 3, 1 / 3, 1 / 3]])
    bits = PartialBits.from_any([[0], [1], [np.nan]])
    problem = Problem(as_votes(A), HammingLoss().bind(bits.tags), bits)
    found = AnnealedMinimization(formulation).solve(problem)
    assert_array_equal(found.targets.means, [[0.0], [1.0], [0.5]])
    assert_array_equal(found.decided, [True, True, False])


# ---------------------------------------------------------------- orders


def divergence_to_uniform(probabilities):
    """The relative entropy to the uniform distribution."""
    ratios = np.maximum(probabilities, 1e-300) * len(probabilities)
    return float((probabilities * np.log(ratios)).sum())


@given(tiny=order_problems(), seed=st.integers(0, 999))
def test_distributions_of_orders_are_those_of_enumeration(tiny, seed):
    rng = np.random.default_rng(seed)
    softening, n = tiny.loss.softened(tiny.orders), len(tiny.orders)
    scores = rng.normal(size=softening.prior().embedded.shape)
    scales = rng.choice([0.0, 0.1, 1.0], size=n)
    for found, embedding in (
        (softening.targets(scores, scales), tiny.loss.as_target),
        (softening.targets_as_predictions(scores, scales), tiny.loss.as_prediction),
    ):
        for row in range(n):
            signs = extension_signs(tiny.orders, row)
            costs = embedding.embed(signs) @ scores[row]
            probabilities = (
                np.exp(-(costs - costs.min()) / scales[row]) if scales[row] else np.ones(len(signs))
            )
            probabilities = probabilities / probabilities.sum()
            assert_allclose(found.signs[row], probabilities @ signs, atol=1e-9)
            divergence = divergence_to_uniform(probabilities)
            assert found.divergences[row] == pytest.approx(divergence, abs=1e-9)
            mode = found.first().embedded[row]
            most_likely = signs[probabilities >= probabilities.max() * (1 - 1e-9)]
            assert np.isclose(tiny.loss.as_target.embed(most_likely), mode).all(axis=1).any()


@given(tiny=order_problems(), seed=st.integers(0, 999), fraction=st.floats(0.0, 1.0))
def test_divergence_of_a_mixture_is_an_upper_bound(tiny, seed, fraction):
    rng = np.random.default_rng(seed)
    softening, n = tiny.loss.softened(tiny.orders), len(tiny.orders)
    shape = softening.prior().embedded.shape
    one, other = (softening.targets(rng.normal(size=shape), np.full(n, s)) for s in (0.5, 0.1))
    between = one.interpolate(other, fraction)
    for row in range(n):
        signs = extension_signs(tiny.orders, row)
        probabilities = []
        for found in (one, other):
            costs = signs @ found.costs[row]
            weights = np.exp(-costs + costs.min())
            probabilities.append(weights / weights.sum())
        mixture = (1 - fraction) * probabilities[0] + fraction * probabilities[1]
        assert_allclose(between.signs[row], mixture @ signs, atol=1e-9)
        assert between.divergences[row] >= divergence_to_uniform(mixture) - 1e-9


@given(tiny=order_problems(), formulation=FORMULATIONS)
def test_decoded_orders_are_inside_their_sets(tiny, formulation):
    found = AnnealedMinimization(formulation).solve(tiny.problem)
    assert tiny.orders.contains(found.decoded.outputs).all()
    assert found.decided[tiny.orders.is_total].all()
    assert (np.abs(found.targets.signs) <= 1.0).all()


def test_orders_without_votes_of_other_rows_are_undecided():
    orders = PartialOrders.from_strings(["a>b>c", "a>b", ""], items=["a", "b", "c"])
    problem = Problem(as_votes(np.eye(3)), KendallLoss().bind(orders.items), orders)
    found = AnnealedMinimization("one_block").solve(problem)
    assert_array_equal(found.decided, [True, False, False])
    assert found.targets.undecided[1].sum() == 4
    assert found.targets.undecided[2].sum() == 6


# ---------------------------------------------------------------- errors


def test_too_many_items_raise():
    orders = PartialOrders.from_ranks(np.arange(21)[None, :])
    problem = Problem(as_votes(np.eye(1)), KendallLoss().bind(orders.items), orders)
    with pytest.raises(MissingOracleError, match=r"21 items .*solver='alternating'"):
        AnnealedMinimization().solve(problem)


def test_losses_without_distributions_at_a_temperature_raise():
    orders = PartialOrders.from_ranks(np.arange(3)[None, :])
    problem = Problem(as_votes(np.eye(1)), FootruleLoss().bind(orders.items), orders)
    with pytest.raises(MissingOracleError, match=r"BoundPlaceLoss has none.*'alternating'"):
        AnnealedMinimization().solve(problem)


def test_bits_without_votes_of_other_rows_keep_their_prior():
    bits = PartialBits.from_any([[1, np.nan], [np.nan, np.nan]])
    problem = Problem(as_votes(np.eye(2)), HammingLoss().bind(bits.tags), bits)
    found = AnnealedMinimization().solve(problem)
    assert_array_equal(found.targets.means, bits.means())
    assert not found.decided.any()
