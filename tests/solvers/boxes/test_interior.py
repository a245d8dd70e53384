"""The interior-point method by itself: inside, downhill to no gap, and on the right face."""

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

# This room has no kernel: the same with the compiler off.
pytestmark = pytest.mark.needs_jit


@pytest.mark.parametrize("form", [form for form in FORMS if form != "zero"])
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(3, 25))
def test_it_ends_next_to_the_optimum(form, seed, n):
    rng = np.random.default_rng(seed)
    Q = random_form(form, rng, n)
    lower, upper = random_bounds(rng, n)
    lower[0], upper[0] = 1.0, 2.0
    start = midpoints(lower, upper)
    problem = box_quadratic(Q, np.diagonal(Q), lower, upper, start, 1e-10)
    interior = InteriorPoint(problem)
    begun = interior.begin(start)
    run = iterate(interior, begun, max_iter=60)
    assert run.status is Status.CONVERGED
    wide = lower < upper
    for state in (begun, run.state):
        assert np.all((state.at.y >= lower) & (state.at.y <= upper))
        assert np.all(state.margins.below[wide] > 0)
        assert np.all(state.margins.above[wide] > 0)
        assert min(state.margins.low_price.min(), state.margins.high_price.min()) >= 0
    assert run.state.margins.gap < begun.margins.gap
    best = bounded_least_squares(Q, lower, upper)
    margin = 1e-9 * np.abs(Q).sum()
    assert run.state.objective == pytest.approx(best, rel=1e-6, abs=margin)
    snapped = interior.snapped(run.state)
    assert np.all((snapped >= lower) & (snapped <= upper))
    assert snapped @ Q @ snapped == pytest.approx(best, rel=1e-5, abs=1e-6 * np.abs(Q).sum())
