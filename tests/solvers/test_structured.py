"""Tests of alternating minimisation on structured outputs, whose ties cannot be listed."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from disambig.losses.structured import StructuredLoss
from disambig.problem import Problem
from disambig.solvers import AlternatingMinimization, Status
from disambig.votes import as_votes
from tests.oracles.brute_force import global_optimum
from tests.oracles.generated_problems import problems
from tests.oracles.labels_as_task import LabelTask, MeanLabelTask
from tests.oracles.tiny_problems import tiny_problem

TASKS = [LabelTask, MeanLabelTask]


@pytest.mark.parametrize("task", TASKS)
@given(tiny=problems())
def test_solver_descends_and_ends_inside_the_sets(task, tiny):
    problem = Problem(tiny.problem.votes, StructuredLoss(task(tiny.loss)), tiny.sets)
    solution = AlternatingMinimization().solve(problem)
    assert solution.status is Status.CONVERGED
    values = [progress.objective for progress in solution.trace]
    assert (np.diff(values) <= problem.objective_tolerance).all()
    assert solution.objective <= solution.relaxed_objective + problem.objective_tolerance
    assert tiny.sets.mask[np.arange(len(tiny.sets)), solution.decoded.outputs].all()
    assert solution.decided.all()
    optimum = global_optimum(tiny.A, tiny.loss.matrix, tiny.sets)
    assert solution.objective >= optimum.objective - 10 * problem.objective_tolerance


@given(
    seed=st.integers(0, 10**6),
    weighting=st.sampled_from(["non-negative", "signed"]),
    loss=st.sampled_from(["zero-one", "asymmetric", "any sign"]),
)
def test_with_means_of_tied_predictions_the_result_is_that_of_the_finite_loss(
    seed, weighting, loss
):
    tiny = tiny_problem(seed, weighting, loss)
    votes = as_votes(tiny.A)
    finite = AlternatingMinimization("average").solve(Problem(votes, tiny.loss, tiny.sets))
    # A structured loss has no barycentres of tied candidates.
    assume(not any(progress.undecided for progress in finite.trace))
    loss = StructuredLoss(MeanLabelTask(tiny.loss))
    other = AlternatingMinimization("average").solve(Problem(votes, loss, tiny.sets))
    assert np.array_equal(other.decoded.outputs, finite.decoded.outputs)
    assert other.objective == pytest.approx(finite.objective, rel=1e-9, abs=1e-9)
