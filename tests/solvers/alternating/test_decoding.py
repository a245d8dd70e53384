"""Tests of decoding: one vertex for every undecided row."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from disambig.candidates import LabelSets
from disambig.exceptions import ConvergenceWarning, VotesError
from disambig.losses import ZeroOneLoss
from disambig.problem import Problem
from disambig.solvers import AlternatingMinimization, Status
from disambig.solvers.alternating.decoding import _best_vertices, _rows_to_pin, decode
from disambig.solvers.alternating.descent import Descent
from disambig.solvers.alternating.starts import first_predictions
from disambig.votes import as_votes
from disambig.votes.dense import DenseVotes
from tests.oracles.generated_problems import problems
from tests.oracles.tiny_problems import FORMS


def zero_one_problem(A, sets, form="dense"):
    candidates = LabelSets.from_sets(sets, classes=sorted(set().union(*sets)))
    return Problem(
        FORMS[form](np.asarray(A, dtype=float)), ZeroOneLoss().bind(candidates.classes), candidates
    )


def state_after(problem, steps, start="average"):
    """The state of a descent after `steps` steps, converged or not."""
    descent = Descent(problem)
    state = descent.begin(first_predictions(problem, start))
    for _ in range(steps):
        state = descent.step(state)
    return state


def decoded(problem, state, **options):
    return decode(problem, state, **{"max_iter": 100, "max_rounds": 100, "stage": "x"} | options)


@given(
    seed=st.integers(0, 10**6),
    density=st.sampled_from([0.1, 0.3, 1.0]),
    form=st.sampled_from(["dense", "sparse"]),
)
def test_one_row_of_each_connected_group_is_pinned(seed, density, form):
    rng = np.random.default_rng(seed)
    n = 7
    A = rng.random((n, n)) * (rng.random((n, n)) < density)
    problem = zero_one_problem(A, [{0, 1}] * n, form)
    undecided = np.flatnonzero(rng.random(n) < 0.7)
    voting = undecided[A[:, undecided].any(axis=0)]
    if not voting.size:
        expected = undecided
    else:
        group = connected_components(A[np.ix_(voting, voting)], connection="weak")[1]
        expected = voting[np.unique(group, return_index=True)[1]]
    assert np.array_equal(_rows_to_pin(problem, undecided), expected)


@pytest.mark.filterwarnings("ignore:.*undecided after max_rounds")
@given(
    tiny=problems(),
    steps=st.sampled_from([0, 1, 50]),
    max_rounds=st.sampled_from([1, 2, 100]),
    max_iter=st.sampled_from([1, 100]),
)
def test_every_row_gets_one_vertex_and_the_objective_never_rises(tiny, steps, max_rounds, max_iter):
    problem = tiny.problem
    state = state_after(problem, steps)
    run = decoded(problem, state, max_rounds=max_rounds, max_iter=max_iter)
    assert run.state.targets.is_vertex.all()
    assert run.state.undecided == 0
    assert not (run.state.targets.mask & ~tiny.sets.mask).any()
    values = [state.objective, *(progress.objective for progress in run.trace)]
    assert (np.diff(values) <= problem.objective_tolerance).all()
    assert run.state.objective <= state.objective + problem.objective_tolerance
    assert problem.objective(run.state.targets.embedded) <= (
        run.state.objective + problem.objective_tolerance
    )


@given(tiny=problems())
def test_a_state_without_undecided_rows_is_returned(tiny):
    problem = tiny.problem
    state = decoded(problem, state_after(problem, 50)).state
    again = decoded(problem, state)
    assert again.state is state
    assert again.trace == ()
    assert again.status is Status.CONVERGED


@given(tiny=problems(), steps=st.sampled_from([0, 50]))
def test_a_row_is_pinned_to_its_vertex_of_lowest_objective(tiny, steps):
    problem = tiny.problem
    state = state_after(problem, steps)
    targets = state.targets
    rows = np.flatnonzero(~targets.is_vertex)
    if not rows.size:
        return
    chosen = _best_vertices(problem, state, rows)
    for position, row in enumerate(rows):
        here = np.array([row])
        _, vertices = targets.vertices(here)
        values = [
            problem.objective(targets.replace(here, vertices.take(np.array([k]))).embedded)
            for k in range(len(vertices))
        ]
        found = targets.replace(here, chosen.take(np.array([position])))
        margin = 2 * problem.objective_tolerance
        assert problem.objective(found.embedded) <= min(values) + margin
        # Of the vertices that are clearly lowest, the nearest to the row's own prediction.
        lowest = np.array(values) <= min(values) + problem.objective_tolerance / 2
        losses = vertices.embedded @ state.predictions.embedded[row]
        loss = chosen.take(np.array([position])).embedded[0] @ state.predictions.embedded[row]
        assert loss <= losses[lowest].min() + 1e-9 * (1 + np.abs(losses).max())
        # The objective is concave in the targets: the best vertex is no worse than their mean.
        assert min(values) <= problem.objective(targets.embedded) + margin


@pytest.mark.parametrize("form", FORMS)
def test_an_unlabeled_component_takes_one_label(form):
    block = np.ones((3, 3))
    A = np.zeros((6, 6))
    A[:3, :3] = A[3:, 3:] = block
    sets = [{0, 1, 2}] * 3 + [{1}, {0, 1}, {1, 2}]
    problem = zero_one_problem(A, sets, form)
    solution = AlternatingMinimization().solve(problem)
    labels = solution.decoded.outputs
    assert np.unique(labels[:3]).size == 1
    assert labels[3:].tolist() == [1, 1, 1]
    assert solution.decided.tolist() == [False] * 3 + [True] * 3
    # The barycentre of three classes costs 2/3 per vote; a common label costs nothing.
    assert solution.relaxed_objective == pytest.approx(9 * 2 / 3)
    assert solution.objective == pytest.approx(0.0, abs=1e-12)


def test_all_components_are_decoded_in_one_round():
    A = np.kron(np.eye(10), np.ones((2, 2)))
    problem = zero_one_problem(A, [{0, 1}] * 20)
    run = decoded(problem, state_after(problem, 50))
    assert run.state.objective == pytest.approx(0.0, abs=1e-12)
    assert {progress.stage for progress in run.trace} == {"x, decoding 1", "x, decoded"}


def test_rows_without_votes_take_their_first_candidate():
    A = np.zeros((4, 4))
    A[0, 0] = 1.0
    problem = zero_one_problem(A, [{1}, {0, 1}, {1, 2}, {0, 2}])
    solution = AlternatingMinimization().solve(problem)
    assert solution.decoded.outputs.tolist() == [1, 0, 1, 0]
    assert solution.decided.tolist() == [True, False, False, False]


@pytest.mark.parametrize("form", FORMS)
def test_rows_that_give_no_votes_take_their_own_prediction(form):
    """As with leave-one-out votes: rows 2 to 5 receive a vote of a labeled row and give none."""
    A = np.zeros((6, 6))
    A[[2, 3, 4, 5], [0, 1, 1, 0]] = 1.0
    problem = zero_one_problem(A, [{0}, {2}, {0, 2}, {0, 1, 2}, {1, 2}, {1, 2}], form)
    run = decoded(problem, state_after(problem, 50), max_rounds=1)
    # The prediction at row 5 is 0, which is not a candidate: it takes its first candidate.
    assert run.state.targets.outputs.tolist() == [0, 2, 0, 2, 2, 1]
    solution = AlternatingMinimization().solve(problem)
    assert solution.decoded.outputs.tolist() == [0, 2, 0, 2, 2, 1]
    assert solution.decided.tolist() == [True, True, False, False, False, False]


def test_rows_that_give_no_votes_share_one_round():
    """Only row 5, the last one, gives votes, and it gives them to all rows."""
    A = np.zeros((6, 6))
    A[:, 5] = 1.0
    problem = zero_one_problem(A, [{0, 1}] * 6)
    run = decoded(problem, state_after(problem, 50))
    stages = {progress.stage for progress in run.trace}
    assert stages == {"x, decoding 1", "x, decoding 2", "x, decoded"}
    assert np.unique(run.state.targets.outputs).size == 1


@pytest.mark.parametrize("max_rounds", [1, 3])
def test_rows_undecided_after_max_rounds_take_their_first_candidate(max_rounds):
    # An operator without entries has no links, so that one row is pinned per round.
    A = np.kron(np.eye(6), np.ones((2, 2)))
    problem = zero_one_problem(A, [{0, 1}] * 2 + [{1, 2}] * 10, "operator")
    state = state_after(problem, 50)
    assert state.undecided == 12
    left = 12 - 2 * max_rounds
    with pytest.warns(ConvergenceWarning, match=f"{left} rows are undecided after max_rounds"):
        run = decoded(problem, state, max_rounds=max_rounds)
    stages = {progress.stage for progress in run.trace}
    assert stages == {f"x, decoding {k}" for k in range(1, max_rounds + 1)} | {"x, decoded"}
    assert run.state.targets.outputs.tolist() == [0] * 2 + [1] * 10
    assert run.state.objective == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_groups_that_vote_at_the_same_row(form):
    """Rows 1 and 2 do not vote for each other; both vote for row 0, which needs them to agree."""
    A = np.zeros((3, 3))
    A[0, 1] = A[0, 2] = 1.0
    problem = zero_one_problem(A, [{0}, {0, 2}, {1, 2}], form)
    state = state_after(problem, 50, start=np.zeros((3, 3)))
    run = decoded(problem, state)
    assert run.state.targets.outputs.tolist() == [0, 2, 2]
    assert run.state.objective == pytest.approx(0.0, abs=1e-12)


@given(seed=st.integers(0, 10**6), form=st.sampled_from(["dense", "sparse"]))
def test_groups_that_vote_at_the_same_rows_never_raise_the_objective(seed, form):
    """Some rows only receive votes, the others only give votes to these rows."""
    rng = np.random.default_rng(seed)
    n_receiving, n_giving, K = 3, 5, 3
    A = np.zeros((8, 8))
    A[:n_receiving, n_receiving:] = rng.integers(-1, 3, size=(n_receiving, n_giving))
    mask = np.ones((8, K), dtype=np.bool_)
    mask[n_receiving:] = rng.random((n_giving, K)) < 0.7
    mask[np.arange(8), rng.integers(0, K, size=8)] = True
    sets = LabelSets(mask, np.arange(K))
    problem = Problem(FORMS[form](A), ZeroOneLoss().bind(sets.classes), sets)
    state = state_after(problem, 50)
    run = decoded(problem, state)
    values = [state.objective, *(progress.objective for progress in run.trace)]
    assert (np.diff(values) <= problem.objective_tolerance).all()
    assert run.state.targets.is_vertex.all()


def test_callback_stops_decoding_after_one_round():
    A = np.kron(np.eye(4), np.ones((2, 2)))
    problem = zero_one_problem(A, [{0, 1}] * 8, "operator")
    run = decoded(problem, state_after(problem, 50), callback=lambda progress: True)
    assert run.status is Status.STOPPED
    assert [progress.stage for progress in run.trace] == ["x, decoding 1"] * 2 + ["x, decoded"]
    assert run.state.targets.is_vertex.all()


def test_arrays_of_the_user_are_not_modified():
    A = np.ones((3, 3))
    A.setflags(write=False)
    sets = LabelSets.from_sets([{0, 1}] * 3)
    problem = Problem(as_votes(A), ZeroOneLoss().bind(sets.classes), sets)
    assert decoded(problem, state_after(problem, 50)).state.undecided == 0


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_scores_that_are_not_numbers_are_refused_with_the_row():
    # Sums of these votes are infinite, and their differences NaN.
    A = 1e308 * np.array([[1.0, 1.0, -1.0], [1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
    problem = zero_one_problem(np.ones((3, 3)), [{0}, {0}, {0, 1, 2}])
    problem = replace(problem, votes=DenseVotes(A))
    with pytest.raises(VotesError, match="row 0: none of its candidates has a score"):
        AlternatingMinimization().solve(problem)
