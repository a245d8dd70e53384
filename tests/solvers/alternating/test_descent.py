"""Tests of `Descent`, step by step: the objective falls, pinned rows and vertices stay."""

from contextlib import contextmanager
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.candidates import LabelSets
from disambig.losses import ZeroOneLoss
from disambig.losses.labels.faces import IdentityEmbedding, LabelFaces
from disambig.problem import Problem, _join_tied
from disambig.solvers import AlternatingMinimization
from disambig.solvers.alternating.descent import Descent, DescentState
from disambig.solvers.alternating.starts import first_predictions
from disambig.votes import as_votes
from disambig.votes.dense import DenseVotes
from tests.oracles.brute_force import double_loop_objective
from tests.oracles.generated_problems import problems


def states_until_convergence(descent, state, steps=60):
    """All states up to convergence."""
    states = [state]
    for _ in range(steps):
        after = descent.step(state)
        if descent.has_converged(state, after):
            return states
        states.append(after)
        state = after
    pytest.fail(f"no convergence in {steps} steps")


def first_state(problem, start="average"):
    """A descent, and its first state."""
    descent = Descent(problem)
    return descent, descent.begin(first_predictions(problem, start))


@given(tiny=problems())
def test_objective_of_a_state_equals_the_double_sum(tiny):
    problem = tiny.problem
    for state in states_until_convergence(*first_state(problem)):
        direct = double_loop_objective(tiny.A, state.targets.embedded, state.predictions.embedded)
        margin = 10 * problem.objective_tolerance
        assert state.objective == pytest.approx(direct, rel=0, abs=margin)
        assert state.undecided == np.count_nonzero(~state.targets.is_vertex)


@given(tiny=problems())
def test_at_convergence_both_half_steps_are_optimal(tiny):
    problem = tiny.problem
    last = states_until_convergence(*first_state(problem))[-1]
    margin = 2 * problem.objective_tolerance
    best = problem.best_predictions(last.targets.embedded)
    assert best.objective == pytest.approx(last.objective, rel=0, abs=margin)
    other = problem.best_targets(last.predictions.embedded)
    assert other.objective == pytest.approx(last.objective, rel=0, abs=margin)
    # The last faces contain all tied vertices, not only one optimal point.
    assert not (best.faces.mask & ~last.predictions.mask).any()
    assert not (other.faces.mask & ~last.targets.mask).any()


@given(tiny=problems())
def test_faces_only_grow_while_the_objective_is_constant(tiny):
    problem = tiny.problem
    states = states_until_convergence(*first_state(problem))
    for before, after in pairwise(states):
        if before.objective - after.objective <= problem.objective_tolerance:
            assert not (before.predictions.mask & ~after.predictions.mask).any()
            assert not (before.targets.mask & ~after.targets.mask).any()


@given(tiny=problems(), seed=st.integers(0, 10**6))
def test_pinned_rows_stay(tiny, seed):
    """Also at a vertex that has the highest score."""
    problem = tiny.problem
    rng = np.random.default_rng(seed)
    _, state = first_state(problem)
    n, K = tiny.sets.shape
    labels = np.array([rng.choice(np.flatnonzero(row)) for row in tiny.sets.mask])
    rows = np.flatnonzero(rng.random(n) < 0.5)
    pins = tiny.loss.target_faces(np.eye(K, dtype=np.bool_)[labels[rows]])
    targets = state.targets.replace(rows, pins)
    descent = Descent(problem, pinned=(rows, pins))
    for after in states_until_convergence(descent, descent.resume(targets, state)):
        assert not after.targets.take(rows).differing(pins).any()
        assert not (after.targets.mask & ~tiny.sets.mask).any()


@given(tiny=problems(), seed=st.integers(0, 10**6))
def test_with_pinned_rows_the_objective_never_rises(tiny, seed):
    problem = tiny.problem
    rng = np.random.default_rng(seed)
    n, K = tiny.sets.shape
    labels = np.array([rng.choice(np.flatnonzero(row)) for row in tiny.sets.mask])
    rows = np.flatnonzero(rng.random(n) < 0.5)
    pins = tiny.loss.target_faces(np.eye(K, dtype=np.bool_)[labels[rows]])
    _, state = first_state(problem)
    descent = Descent(problem, pinned=(rows, pins))
    states = states_until_convergence(
        descent, descent.resume(state.targets.replace(rows, pins), state)
    )
    values = [state.objective for state in states]
    assert (np.diff(values) <= problem.objective_tolerance).all()


@given(tiny=problems(), seed=st.integers(0, 10**6))
def test_resuming_with_stored_scores_gives_the_same_states(tiny, seed):
    """Decoding resumes from converged states: rows with unchanged scores keep their prediction."""
    problem = tiny.problem
    descent, state = first_state(problem)
    state = states_until_convergence(descent, state)[-1]
    converged = descent.step(state)
    assert descent.has_converged(state, converged)
    np.testing.assert_array_equal(
        converged.scores.values, problem.scores_of_predictions(converged.targets.embedded)
    )
    assert descent.step(converged) is converged
    n, K = tiny.sets.shape
    rng = np.random.default_rng(seed)
    rows = np.flatnonzero(rng.random(n) < 0.3)
    # A vertex of the face of each row, as decoding pins it.
    labels = np.array([rng.choice(np.flatnonzero(row)) for row in converged.targets.mask])
    pins = tiny.loss.target_faces(np.eye(K, dtype=np.bool_)[labels[rows]])
    targets = converged.targets.replace(rows, pins)
    pinned = Descent(problem, pinned=(rows, pins))
    found = states_until_convergence(pinned, pinned.resume(targets, converged))
    # The reference: a state without stored scores, and both half steps over all rows.
    scores = problem.scores_of_predictions(targets.embedded)
    tolerance = problem.rtol * problem.prediction_scale
    best = problem.choose_predictions(scores)
    joined = _join_tied(converged.predictions, best, scores, tolerance)
    reference = pinned._targets(targets, joined)
    assert not found[0].predictions.differing(joined).any()
    assert not found[0].targets.differing(reference.targets).any()
    margin = 10 * problem.objective_tolerance
    assert found[0].objective == pytest.approx(reference.objective, rel=0, abs=margin)
    assert [state.undecided for state in found] == [
        state.undecided for state in states_until_convergence(pinned, reference)
    ]


@contextmanager
def counted_products(min_multiplications):
    """The number of whole products with dense votes, and of products with some columns."""
    counts = {"whole": 0, "columns": 0}

    def counting(name, method):
        def call(self, *arguments):
            counts[name] += 1
            return method(self, *arguments)

        return call

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("disambig.problem._MIN_MULTIPLICATIONS_TO_UPDATE", min_multiplications)
        patch.setattr(DenseVotes, "__matmul__", counting("whole", DenseVotes.__matmul__))
        patch.setattr(
            DenseVotes, "combine_columns", counting("columns", DenseVotes.combine_columns)
        )
        yield counts


@given(tiny=problems(forms=("dense",), largest=30))
def test_products_of_changed_columns_lead_to_the_same_states(tiny):
    """Decoding included: the trace has the objective and the undecided rows of every step."""
    solver = AlternatingMinimization()
    with counted_products(np.inf) as counts:
        whole = solver.solve(tiny.problem)
    assert not counts["columns"]
    with counted_products(0):
        found = solver.solve(tiny.problem)
    assert not found.targets.differing(whole.targets).any()
    assert not found.decoded.differing(whole.decoded).any()
    steps = [(progress.stage, progress.iteration, progress.undecided) for progress in found.trace]
    assert steps == [
        (progress.stage, progress.iteration, progress.undecided) for progress in whole.trace
    ]
    np.testing.assert_allclose(
        [progress.objective for progress in found.trace],
        [progress.objective for progress in whole.trace],
        rtol=0,
        atol=tiny.problem.objective_tolerance,
    )


def test_rounds_of_decoding_need_no_whole_products():
    # Every row votes for all others, but no two rows have a candidate in common: one is decided
    # in each round.
    n = 100
    A = np.ones((n, n)) + n * np.eye(n)
    sets = LabelSets.from_sets([{2 * k, 2 * k + 1} for k in range(n)])
    problem = Problem(as_votes(A), ZeroOneLoss().bind(sets.classes), sets)
    with counted_products(np.inf) as whole:
        expected = AlternatingMinimization().solve(problem)
    with counted_products(0) as counts:
        found = AlternatingMinimization().solve(problem)
    assert not found.decoded.differing(expected.decoded).any()
    assert whole["whole"] >= n
    assert counts["whole"] <= n // 3 <= counts["columns"]


@pytest.mark.parametrize("symmetric", [True, False])
def test_scores_of_many_updates_are_as_exact_as_a_product(symmetric):
    rng = np.random.default_rng(0)
    n, K = 40, 5
    A = rng.normal(size=(n, n)) * 10.0 ** rng.uniform(-8, 8, size=(n, 1))
    A = A + A.T if symmetric else A
    sets = LabelSets(np.ones((n, K), dtype=np.bool_), np.arange(K))
    problem = Problem(DenseVotes(A, symmetric), ZeroOneLoss().bind(sets.classes), sets)
    mask = rng.random((n, K)) < 0.5
    mask[:, 0] = True
    targets = problem.loss.target_faces(mask)
    bound = n * np.finfo(np.float64).eps * problem.prediction_scale[:, None]
    with counted_products(0) as counts:
        scores = problem.prediction_scores(targets)
        for _ in range(500):
            rows = rng.choice(n, size=rng.integers(1, 4), replace=False)
            mask = np.ones((rows.size, K), dtype=np.bool_)
            mask[:, 1:] = rng.random((rows.size, K - 1)) < 0.5
            targets = targets.replace(rows, problem.loss.target_faces(mask))
            scores = problem.prediction_scores(targets, scores)
            assert scores.faces is targets
            assert (np.abs(scores.values - A @ targets.embedded) <= bound).all()
        # With a whole product from time to time, after which updates go on.
        assert 50 < counts["whole"] < 250 < counts["columns"]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_scores_are_whole_products_where_ties_depend_on_their_rounding():
    sets = LabelSets.from_sets([{0, 1}] * 20)
    loss = ZeroOneLoss().bind(sets.classes)
    with counted_products(0):
        for tolerance, updates in [(None, True), (0.0, False), (1e-15, False)]:
            problem = Problem(as_votes(np.ones((20, 20))), loss, sets, tolerance)
            whole = problem.loss.target_faces(sets.mask)
            assert (problem.prediction_scores(whole).budget > 0) is updates
        infinite = Problem(DenseVotes(np.full((20, 20), 1e308)), loss, sets)
        assert infinite.prediction_scores(whole).budget == 0


@given(tiny=problems(), seed=st.integers(0, 10**6))
def test_at_vertices_targets_stay_single_vertices(tiny, seed):
    problem = tiny.problem
    _, state = first_state(problem)
    vertex_descent = Descent(problem, at_vertices=True)
    for after in states_until_convergence(
        vertex_descent, vertex_descent.resume(state.targets.first(), state)
    ):
        assert after.targets.is_vertex.all()
        assert after.objective <= state.objective + problem.objective_tolerance


def test_at_vertices_tied_rows_stay():
    sets = LabelSets.from_sets([{0, 1}] * 2)
    problem = Problem(as_votes(np.ones((2, 2))), ZeroOneLoss().bind(sets.classes), sets)
    vertex_descent = Descent(problem, at_vertices=True)
    _, state = first_state(problem)
    ones = problem.loss.target_faces(np.array([[False, True]] * 2))
    after = vertex_descent.resume(ones, state)
    assert after.targets.outputs.tolist() == [1, 1]
    zeros = ones.replace(np.array([0]), ones.take(np.array([0])))
    assert not states_until_convergence(vertex_descent, after)[-1].targets.differing(zeros).any()


def tolerant_problem(A, sets, tie_tolerance):
    """A problem whose tie tolerance is so large that visible decreases count as rounding."""
    candidates = LabelSets.from_sets(sets)
    loss = ZeroOneLoss().bind(candidates.classes)
    return Problem(as_votes(np.array(A)), loss, candidates, tie_tolerance=tie_tolerance)


def test_predictions_do_not_shrink_for_a_decrease_within_the_tolerance():
    problem = tolerant_problem([[1.0, 0.0], [0.0, 1.0]], [{0}, {1}], tie_tolerance=0.8)
    targets = problem.loss.target_faces(np.eye(2, dtype=np.bool_))
    both = LabelFaces(np.ones((2, 2), dtype=np.bool_), IdentityEmbedding())
    state = DescentState(targets, both, 1.0)
    # The best predictions cost 0, which is lower by 0.5 per row and still within 0.8 * 1.
    assert problem.best_predictions(targets.embedded).faces.is_vertex.all()
    descent = Descent(problem)
    after = descent.step(state)
    assert descent.has_converged(state, after)
    assert after.predictions is both
    assert after.targets is targets


def test_targets_do_not_shrink_for_a_decrease_within_the_tolerance():
    problem = tolerant_problem([[1.0, 2.0], [0.0, 0.0]], [{0, 1}, {0}], tie_tolerance=0.6)
    _, state = first_state(problem)
    open_row = problem.loss.target_faces(np.array([[True, True], [True, False]]))
    before = DescentState(open_row, state.predictions, 0.5)
    # Class 0 alone would be better by 0.5, within 0.6 * 1, and by 1 than class 1, which is not.
    after = Descent(problem).resume(open_row, before)
    assert after.predictions.mask[0].tolist() == [True, False]
    assert problem.best_targets(after.predictions.embedded).faces.is_vertex.all()
    assert after.targets.mask[0].tolist() == [True, True]


@pytest.mark.parametrize("vote", [1.0, 1e-9, 1e-12, 1e-200])
def test_labels_spread_among_rows_with_tiny_votes(vote):
    """A chain whose votes are tiny beside those of two separate rows, but not among themselves."""
    n = 12
    A = np.zeros((n + 2, n + 2))
    A[:n, :n] = vote * (np.eye(n) + np.eye(n, k=1) + np.eye(n, k=-1))
    A[n:, n:] = np.eye(2)
    sets = LabelSets.from_sets([{1}] + [{0, 1}] * (n - 1) + [{0}, {1}])
    problem = Problem(as_votes(A), ZeroOneLoss().bind(sets.classes), sets)
    last = states_until_convergence(*first_state(problem))[-1]
    assert last.targets.is_vertex.all()
    assert last.targets.outputs.tolist() == [1] * n + [0, 1]
