"""The interior-point method: points stay inside, the gap vanishes, and the face is right."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.solvers.boxes.interior import InteriorPoint
from disambig.solvers.boxes.quadratic import box_quadratic
from disambig.solvers.loop import Status, iterate
from tests.oracles.box_programs import (
    FORMS,
    bounded_least_squares,
    midpoints,
    random_bounds,
    random_form,
)

# These solvers call no compiled function: nothing is gained by a run without the compiler.
pytestmark = pytest.mark.needs_jit


@pytest.mark.parametrize("form", [form for form in FORMS if form != "zero"])
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(3, 25))
def test_it_ends_near_the_optimum(form, seed, n):
    rng = np.random.default_rng(seed)
    Q = random_form(form, rng, n)
    lower, upper = random_bounds(rng, n)
    lower[0], upper[0] = 1.0, 2.0
    start = midpoints(lower, upper)
    problem = box_quadratic(Q, np.diagonal(Q), lower, upper, start, 1e-10)
    interior = InteriorPoint(problem)
    first = interior.begin(start)
    run = iterate(interior, first, max_iter=60)
    assert run.status is Status.CONVERGED
    can_move = lower < upper
    for state in (first, run.state):
        assert np.all((state.point.y >= lower) & (state.point.y <= upper))
        assert np.all(state.margins.below[can_move] > 0)
        assert np.all(state.margins.above[can_move] > 0)
        assert min(state.margins.low_multiplier.min(), state.margins.high_multiplier.min()) >= 0
    assert run.state.margins.gap < first.margins.gap
    best = bounded_least_squares(Q, lower, upper)
    margin = 1e-9 * np.abs(Q).sum()
    assert run.state.objective == pytest.approx(best, rel=1e-6, abs=margin)
    snapped = interior.snapped(run.state)
    assert np.all((snapped >= lower) & (snapped <= upper))
    assert snapped @ Q @ snapped == pytest.approx(best, rel=1e-5, abs=1e-6 * np.abs(Q).sum())
