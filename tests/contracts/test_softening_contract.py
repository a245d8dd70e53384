"""Every loss at a temperature keeps the contract of `Softening`: exact laws, and ways between."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.losses import SoftLoss
from tests.oracles.bit_problems import bit_problems
from tests.oracles.generated_problems import problems
from tests.oracles.order_problems import order_problems

KINDS = st.one_of(problems(), bit_problems(), order_problems())
SCALES = st.sampled_from([0.05, 1.0, 20.0])


@st.composite
def softenings(draw):
    problem = draw(KINDS).problem
    assert isinstance(problem.loss, SoftLoss)
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    return problem, problem.loss.softened(problem.candidates), rng


def paid(laws, embedded, scores, scale):
    return np.einsum("ip,ip->i", embedded, scores) + scale * laws.divergences


@given(drawn=softenings())
def test_the_base_is_what_average_candidates_learn_from(drawn):
    problem, softening, _ = drawn
    base, average = softening.base(), problem.loss.start(problem.candidates, "average")
    difference = base.embedded - average
    # Finite losses take a constant of the row off their start.
    assert_allclose(difference, np.tile(difference[:, :1], average.shape[1]), atol=1e-9)
    assert_array_equal(base.divergences, np.zeros(len(base)))
    assert len(base) == len(problem.candidates)
    assert softening.unit > 0 or problem.loss.magnitude(problem.candidates) == 0
    assert softening.width >= average.shape[1]


@given(drawn=softenings(), scale=SCALES)
def test_laws_are_the_minimum(drawn, scale):
    _, softening, rng = drawn
    shape = softening.base().embedded.shape
    scores, scales = rng.normal(size=shape), np.full(shape[0], scale)
    best = softening.targets(scores, scales)
    least = paid(best, best.embedded, scores, scale)
    predicted = softening.predictions(scores, scales)
    least_predicted = paid(predicted, predicted.embedded, scores, scale)
    for screening in (0.1, 1.0, np.inf):
        elsewhere = rng.normal(size=shape), np.full(shape[0], screening)
        other = softening.targets(*elsewhere)
        assert (least <= paid(other, other.embedded, scores, scale) + 1e-8).all()
        guess = softening.predictions(*elsewhere)
        assert (least_predicted <= paid(guess, guess.embedded, scores, scale) + 1e-8).all()
        if softening.is_symmetric:
            member = softening.members(scores, scales)
            here = paid(member, member.as_predictions, scores, scale)
            assert (here <= paid(other, other.as_predictions, scores, scale) + 1e-8).all()


@given(drawn=softenings(), part=st.floats(0.0, 1.0))
def test_part_of_the_way(drawn, part):
    _, softening, rng = drawn
    shape = softening.base().embedded.shape
    one, other = (softening.targets(rng.normal(size=shape), np.full(shape[0], 0.3)) for _ in "ab")
    between = one.interpolate(other, part)
    way = one.direction_to(other)
    assert_allclose(way, other.embedded - one.embedded, atol=1e-12)
    assert_allclose(between.embedded, one.embedded + part * way, atol=1e-9)
    bound = (1 - part) * one.divergences + part * other.divergences
    assert (between.divergences <= bound + 1e-9).all()
    assert one.distance(one) == 0.0
    assert one.distance(between) == pytest.approx(part * one.distance(other), abs=1e-9)
    assert 0.0 <= one.distance(other) <= 1.0


@given(drawn=softenings())
def test_a_scale_of_zero_is_the_base(drawn):
    _, softening, rng = drawn
    base = softening.base()
    silent = np.zeros(len(base))
    found = softening.targets(rng.normal(size=base.embedded.shape), silent)
    assert_allclose(found.embedded, base.embedded, atol=1e-12)
    assert_allclose(found.divergences, 0.0, atol=1e-12)
    assert_array_equal(found.is_vertex, base.is_vertex)
