"""Every loss at a temperature fulfils the contracts of `Softening` and `SoftTargets`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.losses.softening import SoftLoss
from tests.oracles.bit_problems import bit_problems
from tests.oracles.generated_problems import problems
from tests.oracles.order_problems import order_problems

PROBLEMS = st.one_of(problems(), bit_problems(), order_problems())
SCALES = st.sampled_from([0.05, 1.0, 20.0])


@st.composite
def softenings(draw):
    problem = draw(PROBLEMS).problem
    assert isinstance(problem.loss, SoftLoss)
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    return problem, problem.loss.softened(problem.candidates), rng


def energy(soft, embedded, scores, scale):
    return np.einsum("ip,ip->i", embedded, scores) + scale * soft.divergences


@given(drawn=softenings())
def test_prior_is_the_average_start(drawn):
    problem, softening, _ = drawn
    prior, average = softening.prior(), problem.loss.start(problem.candidates, "average")
    difference = prior.embedded - average
    # Finite losses subtract a constant from each row of their start.
    assert_allclose(difference, np.tile(difference[:, :1], average.shape[1]), atol=1e-9)
    assert_array_equal(prior.divergences, np.zeros(len(prior)))
    assert len(prior) == len(problem.candidates)
    assert softening.unit_temperature > 0 or problem.loss.magnitude(problem.candidates) == 0
    assert softening.width >= average.shape[1]


@given(drawn=softenings(), scale=SCALES)
def test_distributions_minimise_the_energy(drawn, scale):
    _, softening, rng = drawn
    shape = softening.prior().embedded.shape
    scores, scales = rng.normal(size=shape), np.full(shape[0], scale)
    best = softening.targets(scores, scales)
    least = energy(best, best.embedded, scores, scale)
    predicted = softening.predictions(scores, scales)
    least_predicted = energy(predicted, predicted.embedded, scores, scale)
    for temperature in (0.1, 1.0, np.inf):
        elsewhere = rng.normal(size=shape), np.full(shape[0], temperature)
        other = softening.targets(*elsewhere)
        assert (least <= energy(other, other.embedded, scores, scale) + 1e-8).all()
        guess = softening.predictions(*elsewhere)
        assert (least_predicted <= energy(guess, guess.embedded, scores, scale) + 1e-8).all()
        if softening.is_symmetric:
            member = softening.targets_as_predictions(scores, scales)
            here = energy(member, member.as_predictions, scores, scale)
            assert (here <= energy(other, other.as_predictions, scores, scale) + 1e-8).all()


@given(drawn=softenings(), fraction=st.floats(0.0, 1.0))
def test_interpolation(drawn, fraction):
    _, softening, rng = drawn
    shape = softening.prior().embedded.shape
    one, other = (softening.targets(rng.normal(size=shape), np.full(shape[0], 0.3)) for _ in "ab")
    between = one.interpolate(other, fraction)
    direction = one.direction_to(other)
    assert_allclose(direction, other.embedded - one.embedded, atol=1e-12)
    assert_allclose(between.embedded, one.embedded + fraction * direction, atol=1e-9)
    bound = (1 - fraction) * one.divergences + fraction * other.divergences
    assert (between.divergences <= bound + 1e-9).all()
    assert one.distance(one) == 0.0
    assert one.distance(between) == pytest.approx(fraction * one.distance(other), abs=1e-9)
    assert 0.0 <= one.distance(other) <= 1.0


@given(drawn=softenings())
def test_scale_of_zero_gives_the_prior(drawn):
    _, softening, rng = drawn
    prior = softening.prior()
    scales = np.zeros(len(prior))
    found = softening.targets(rng.normal(size=prior.embedded.shape), scales)
    assert_allclose(found.embedded, prior.embedded, atol=1e-12)
    assert_allclose(found.divergences, 0.0, atol=1e-12)
    assert_array_equal(found.is_vertex, prior.is_vertex)
