"""Tests of the two baselines: their predictions, and the labels of the training rows."""

import numpy as np
import pytest
from hypothesis import given

from disambig.candidates import LabelSets
from disambig.losses import MatrixLoss, ZeroOneLoss
from disambig.losses.structured import StructuredLoss
from disambig.problem import Problem
from disambig.solvers import Status
from disambig.solvers.baselines import average_candidates, infimum_solution
from disambig.votes import as_votes
from tests.oracles.brute_force import double_loop_objective
from tests.oracles.generated_problems import problems
from tests.oracles.labels_as_task import LabelTask

WITH_ENTRIES = ("dense", "sparse", "product")
METHODS = {
    "average": average_candidates,
    "infimum": lambda problem: infimum_solution(problem)[0],
}


def predictions_of(problem, method):
    """The predictions from which the method labels the rows."""
    if method == "average":
        return problem.best_predictions(problem.loss.start(problem.candidates, "average")).faces
    return problem.loss.infimum_prediction(problem.votes, problem.candidates, problem.rtol)


@pytest.mark.parametrize("method", METHODS)
@given(tiny=problems(forms=WITH_ENTRIES))
def test_each_row_takes_the_member_nearest_to_its_prediction(method, tiny):
    problem = tiny.problem
    solution = METHODS[method](problem)
    predictions = predictions_of(problem, method).embedded
    own_costs = predictions @ tiny.loss.matrix
    costs = (tiny.A.T @ predictions) @ tiny.loss.matrix
    magnitude = max(np.abs(tiny.loss.matrix).max(), 1e-300)
    # Scores break ties with a weight of a millionth, and are compared at the tolerance of ties.
    margin = 2e-4 * magnitude * np.abs(tiny.A.T @ predictions).max(axis=1)
    for j, label in enumerate(solution.decoded.outputs):
        members = np.flatnonzero(tiny.sets.mask[j])
        assert label in members
        lowest = own_costs[j, members].min()
        nearest = members[own_costs[j, members] <= lowest + 1e-9 * magnitude]
        assert np.flatnonzero(solution.targets.mask[j]).tolist() == nearest.tolist()
        assert label in nearest
        assert costs[j, label] <= costs[j, nearest].min() + margin[j] + 1e-300


@pytest.mark.parametrize("method", METHODS)
@given(tiny=problems(forms=WITH_ENTRIES))
def test_fields_of_the_solution_of_a_baseline(method, tiny):
    problem = tiny.problem
    solution = METHODS[method](problem)
    assert solution.start == method
    assert solution.status is Status.CONVERGED
    assert solution.n_iter == len(solution.trace) == 1
    assert solution.trace[0].objective == solution.objective
    assert solution.trace[0].undecided == np.count_nonzero(~solution.targets.is_vertex)
    assert solution.decoded.is_vertex.all()
    for targets, value in (
        (solution.decoded, solution.objective),
        (solution.targets, solution.relaxed_objective),
    ):
        predictions = problem.best_predictions(targets.embedded).faces
        direct = double_loop_objective(tiny.A, targets.embedded, predictions.embedded)
        assert value == pytest.approx(direct, rel=0, abs=10 * problem.objective_tolerance)
    single = tiny.sets.is_single
    assert solution.decided[single].all()
    assert np.array_equal(solution.decoded.outputs[single], tiny.sets.first_labels()[single])


def test_average_candidates_by_hand():
    # The votes at row 1 are 1/4 for a, and 1/4 + 1 for b.
    sets = LabelSets.from_sets([{"a", "b"}, {"a", "b"}, {"b"}])
    A = np.array([[1.0, 0, 0], [0.5, 0, 1], [0, 0, 1]])
    solution = average_candidates(Problem(as_votes(A), ZeroOneLoss().bind(sets.classes), sets))
    assert sets.classes[solution.decoded.outputs].tolist() == ["b", "b", "b"]
    # Row 0 has only its own vote. It is undecided and takes b, which the scores from row 1 favour.
    assert solution.decided.tolist() == [False, True, True]


@pytest.mark.parametrize("method", METHODS)
def test_small_scores_break_ties_although_another_row_has_large_ones(method):
    # Row 0 has no votes. It has a small vote at row 2, which is a 1; row 1 has a large vote.
    sets = LabelSets.from_sets([{0, 1}, {0, 1}, {1}])
    A = np.array([[0.0, 0, 0], [0, 1e6, 0], [1e-3, 0, 1]])
    problem = Problem(as_votes(A), ZeroOneLoss().bind(sets.classes), sets)
    assert METHODS[method](problem).decoded.outputs[0] == 1


def test_infimum_and_average_candidates_differ_under_an_ordinal_loss():
    """Under the squared ordinal loss the average of {0, 2} predicts 1, which no set contains."""
    sets = LabelSets.from_sets([{0, 2}] * 9 + [{0}], classes=[0, 1, 2])
    loss = MatrixLoss([[0, 1, 4], [1, 0, 1], [4, 1, 0]]).bind(sets.classes)
    problem = Problem(as_votes(np.full((10, 10), 0.1)), loss, sets)
    average = problem.best_predictions(loss.start(sets, "average")).faces
    infimum = loss.infimum_prediction(problem.votes, sets, problem.rtol)
    assert set(average.outputs.tolist()) == {1}
    assert set(infimum.outputs.tolist()) == {0}
    solution, exact = infimum_solution(problem)
    assert exact
    assert solution.decoded.outputs.tolist() == [0] * 10
    assert solution.decided.all()


@given(tiny=problems(forms=WITH_ENTRIES))
def test_structured_losses_end_inside_the_sets_and_are_not_exact(tiny):
    problem = Problem(tiny.problem.votes, StructuredLoss(LabelTask(tiny.loss)), tiny.sets)
    for solution in (average_candidates(problem), infimum_solution(problem)[0]):
        outputs = solution.decoded.outputs
        assert tiny.sets.mask[np.arange(len(outputs)), outputs].all()
    assert infimum_solution(problem)[1] is False


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_tie_breaking_does_not_depend_on_the_scale_of_embeddings(scale):
    """With rescaled embeddings the row's own prediction still comes first."""

    class ScaledTask(LabelTask):
        def embed_prediction(self, outputs):
            return scale * super().embed_prediction(outputs)

        def embed_target(self, outputs):
            return super().embed_target(outputs) / scale

        def average(self, candidates):
            return super().average(candidates) / scale

        def best_candidate(self, scores, candidates):
            return super().best_candidate(scores / scale, candidates)

    # Row 0 has only the vote of row 1, which is a 1. Rows 2 and 3, with votes of row 0, predict 0.
    sets = LabelSets.from_sets([{0, 1}, {1}, {0}, {0}], classes=[0, 1])
    A = np.array([[0.0, 1, 0, 0], [0, 1, 0, 0], [1, 0, 5, 0], [1, 0, 0, 5]])
    loss = StructuredLoss(ScaledTask(ZeroOneLoss().bind(sets.classes)))
    solution = average_candidates(Problem(as_votes(A), loss, sets))
    assert solution.decoded.outputs.tolist() == [1, 1, 0, 0]
