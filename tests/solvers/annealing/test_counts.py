"""Annealing with class counts in bags: the counts are kept, and the objective never rises."""

from itertools import groupby

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disambig.candidates import ClassCounts, LabelSets
from disambig.losses import MatrixLoss, ZeroOneLoss
from disambig.problem import Problem
from disambig.solvers import AnnealedMinimization
from disambig.votes import as_votes
from tests.oracles.bag_problems import counts_of, keeps, random_counts

LOSSES = [ZeroOneLoss(), MatrixLoss(np.array([[0, 1, 4], [1, 0, 1], [4, 1, 0.0]]))]


@settings(max_examples=40)
@given(
    st.integers(0, 10**6),
    st.integers(4, 20),
    st.sampled_from(["one_block", "two_blocks"]),
    st.sampled_from(LOSSES),
    st.booleans(),
)
def test_counts_are_kept_and_no_step_raises_the_objective(seed, n, formulation, loss, signed):
    rng = np.random.default_rng(seed)
    mask, bags, bounds = random_counts(rng, n, 3, 2)
    counts = counts_of(mask, bags, bounds)
    table = rng.normal(size=(n, n)) if signed else rng.random((n, n)) * (rng.random((n, n)) < 0.5)
    problem = Problem(as_votes(table), loss.bind(counts.classes), counts)
    solver = AnnealedMinimization(formulation)
    for _, run in solver.path(problem):
        totals = np.zeros(bounds.shape[:2])
        np.add.at(totals, bags, run.state.targets.distribution)
        assert (totals >= bounds[..., 0] - 1e-4).all()
        assert (totals <= bounds[..., 1] + 1e-4).all()
    solution = solver.solve(problem)
    unit = np.abs(table).sum() * loss.bind(counts.classes).largest
    for _, steps in groupby(solution.trace, key=lambda step: step.stage):
        rises = np.diff([step.objective for step in steps])
        assert (rises <= 1e-6 * unit).all()
    outputs = solution.decoded.outputs
    assert keeps(outputs, bags, bounds)
    assert mask[np.arange(n), outputs].all()
    again = solver.solve(problem, start=solution)
    assert keeps(again.decoded.outputs, bags, bounds)


def test_rows_without_votes_take_what_is_left():
    """They have no cost, and keep their prior as far as the counts allow."""
    bounds = np.array([[[2, 2], [2, 2]]])
    mask = np.array([[1, 0], [1, 1], [1, 1], [1, 1]], dtype=bool)
    counts = counts_of(mask, np.zeros(4, int), bounds)
    table = np.zeros((4, 4))
    table[:2, :2] = 1.0
    problem = Problem(as_votes(table), ZeroOneLoss().bind(counts.classes), counts)
    found = AnnealedMinimization().solve(problem)
    assert found.decoded.outputs.tolist() == [0, 0, 1, 1]
    assert (found.targets.distribution[2] == found.targets.distribution[3]).all()


def test_shares_and_counts_exclude_each_other():
    counts = ClassCounts.balanced(LabelSets.from_mask(np.ones((4, 2))))
    problem = Problem(as_votes(np.ones((4, 4))), ZeroOneLoss().bind(counts.classes), counts)
    with pytest.raises(ValueError, match="away from the class counts"):
        AnnealedMinimization(class_shares="average").solve(problem)
