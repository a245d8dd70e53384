"""Tests of alternating minimisation: properties for every loss and every weighting."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import clone

from disambig.candidates import LabelSets
from disambig.exceptions import ConvergenceWarning, MissingOracleError
from disambig.losses import MatrixLoss, ZeroOneLoss
from disambig.problem import Problem
from disambig.solvers import AlternatingMinimization, Status
from disambig.solvers.alternating.descent import Descent
from disambig.solvers.alternating.starts import first_predictions
from disambig.votes import as_votes
from disambig.votes.operator import OperatorVotes
from tests.oracles.brute_force import double_loop_objective
from tests.oracles.generated_problems import problems
from tests.oracles.tiny_problems import FORMS, LOSSES, WEIGHTINGS, BareOperator, tiny_problem

STARTS = st.sampled_from(["average", "infimum", "intersection"])
SEEDS = st.integers(0, 10**6)
WITH_ENTRIES = ("dense", "sparse", "product")


def solve(problem, start="average", **options):
    return AlternatingMinimization(start, **options).solve(problem)


def chain(n, labelled):
    """Rows in a line with votes of themselves and their neighbours; two classes, few labels."""
    A = np.eye(n) + np.eye(n, k=1) + np.eye(n, k=-1)
    mask = np.ones((n, 2), dtype=np.bool_)
    for row, label in labelled.items():
        mask[row] = np.arange(2) == label
    sets = LabelSets(mask, np.arange(2))
    return Problem(as_votes(A), ZeroOneLoss().bind(sets.classes), sets)


@given(tiny=problems(forms=WITH_ENTRIES), start=STARTS)
def test_the_objective_never_rises(tiny, start):
    problem = tiny.problem
    solution = solve(problem, start)
    values = [progress.objective for progress in solution.trace]
    assert (np.diff(values) <= problem.objective_tolerance).all()
    assert solution.objective <= solution.relaxed_objective + problem.objective_tolerance
    assert solution.relaxed_objective <= values[0] + problem.objective_tolerance


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_the_objective_never_rises_for_any_pair_of_weighting_and_loss(weighting, loss):
    for seed in range(8):
        problem = tiny_problem(seed, weighting, loss).problem
        for start in ("average", "infimum"):
            values = [progress.objective for progress in solve(problem, start).trace]
            assert (np.diff(values) <= problem.objective_tolerance).all()


@given(tiny=problems(), seed=SEEDS)
def test_the_objective_never_rises_from_a_start_outside_the_hulls(tiny, seed):
    problem = tiny.problem
    start = 100 * np.random.default_rng(seed).normal(size=(len(tiny.sets), len(tiny.loss.matrix)))
    values = [progress.objective for progress in solve(problem, start).trace]
    assert (np.diff(values) <= problem.objective_tolerance).all()


@given(tiny=problems(forms=WITH_ENTRIES), start=STARTS)
def test_labels_are_inside_the_sets(tiny, start):
    solution = solve(tiny.problem, start)
    n = len(tiny.sets)
    assert solution.status is Status.CONVERGED
    assert solution.converged
    assert solution.decoded.is_vertex.all()
    assert tiny.sets.mask[np.arange(n), solution.decoded.outputs].all()
    assert not (solution.targets.mask & ~tiny.sets.mask).any()
    assert solution.n_iter == max(p.iteration for p in solution.trace if p.stage == start)


@given(tiny=problems(), start=st.sampled_from(["average", "infimum"]))
def test_rows_with_one_candidate_are_resolved(tiny, start):
    solution = solve(tiny.problem, start)
    single = tiny.sets.is_single
    assert solution.decided[single].all()
    assert np.array_equal(solution.decoded.outputs[single], tiny.sets.first_labels()[single])
    # Only rows that the run decided before decoding are decided.
    assert np.array_equal(solution.decided & solution.targets.is_vertex, solution.decided)
    rows = np.flatnonzero(solution.decided)
    assert np.array_equal(solution.targets.outputs[rows], solution.decoded.outputs[rows])


@given(tiny=problems(), start=st.sampled_from(["average", "infimum"]), seed=SEEDS)
def test_with_full_supervision_labels_are_unchanged(tiny, start, seed):
    n, K = tiny.sets.shape
    labels = np.random.default_rng(seed).integers(0, K, size=n)
    sets = LabelSets(np.eye(K, dtype=np.bool_)[labels], tiny.sets.classes)
    problem = Problem(as_votes(tiny.A), tiny.loss, sets)
    solution = solve(problem, start)
    assert np.array_equal(solution.decoded.outputs, labels)
    assert solution.decided.all()
    direct = sum(
        min(
            sum(tiny.A[i, j] * tiny.loss.matrix[z, labels[j]] for j in range(n))
            for z in range(len(tiny.loss.matrix))
        )
        for i in range(n)
    )
    margin = 10 * problem.objective_tolerance
    assert solution.objective == pytest.approx(direct, rel=0, abs=margin)
    assert solution.relaxed_objective == pytest.approx(direct, rel=0, abs=margin)


class WrongTranspose(BareOperator):
    """Votes that claim to be symmetric, as if a solver did not use the transpose."""

    @property
    def T(self):
        return self


def objectives(votes, A, loss, sets):
    """The true objective after every step of a descent on `votes`."""
    descent = Descent(Problem(votes, loss, sets))
    state = descent.begin(first_predictions(descent.problem, "average"))
    values = []
    while True:
        values.append(double_loop_objective(A, state.targets.embedded, state.predictions.embedded))
        after = descent.step(state)
        if descent.has_converged(state, after):
            return values
        state = after


def test_target_step_uses_the_transpose():
    A = np.array([[8.0, 0, 7, 2], [9, 8, 4, 1], [9, 1, 2, 5], [7, 0, 6, 8]])
    sets = LabelSets.from_sets([{0, 1}, {0, 1}, {0}, {1}])
    loss = ZeroOneLoss().bind(sets.classes)
    right = objectives(as_votes(A), A, loss, sets)
    wrong = objectives(OperatorVotes(WrongTranspose(A)), A, loss, sets)
    assert right == pytest.approx([28.0, 16.0])
    assert wrong == pytest.approx([29.0, 33.0, 19.0])


def test_symmetric_votes_need_no_transpose():
    tiny = tiny_problem(7, "kernel ridge", "zero-one")
    right = objectives(as_votes(tiny.A), tiny.A, tiny.loss, tiny.sets)
    other = objectives(OperatorVotes(WrongTranspose(tiny.A)), tiny.A, tiny.loss, tiny.sets)
    assert right == pytest.approx(other)


@given(
    seed=SEEDS,
    weighting=st.sampled_from(["non-negative", "signed"]),
    loss=st.sampled_from(["zero-one", "asymmetric", "absolute", "any sign"]),
    start=st.sampled_from(["average", "infimum"]),
)
def test_rows_in_another_order_give_the_same_labels(seed, weighting, loss, start):
    tiny = tiny_problem(seed, weighting, loss)
    solution = solve(Problem(as_votes(tiny.A), tiny.loss, tiny.sets), start)
    # If rows tie, the first undecided row is decoded first, which depends on the order of rows.
    assume(not any(progress.undecided for progress in solution.trace))
    order = np.random.default_rng(seed).permutation(len(tiny.sets))
    votes = as_votes(tiny.A[np.ix_(order, order)])
    other = solve(Problem(votes, tiny.loss, tiny.sets[order]), start)
    assert np.array_equal(other.decoded.outputs, solution.decoded.outputs[order])
    assert other.objective == pytest.approx(solution.objective, rel=1e-9, abs=1e-9)


@given(tiny=problems(forms=("dense",)), start=STARTS, seed=SEEDS)
def test_relaxed_targets_do_not_depend_on_the_order_of_rows(tiny, start, seed):
    """Barycentres treat tied classes alike, so that this holds for any number of ties."""
    # The intersection start visits neighbours of equal votes by index and depends on the order.
    assume(start != "intersection")
    order = np.random.default_rng(seed).permutation(len(tiny.sets))
    votes = as_votes(tiny.A[np.ix_(order, order)])
    first = solve(tiny.problem, start)
    other = solve(Problem(votes, tiny.loss, tiny.sets[order]), start)
    assert np.array_equal(other.targets.mask, first.targets.mask[order])


@given(tiny=problems(forms=("dense",)), start=STARTS)
def test_sparse_and_dense_votes_agree(tiny, start):
    dense = solve(tiny.problem, start)
    sparse = solve(Problem(FORMS["sparse"](tiny.A), tiny.loss, tiny.sets), start)
    assert np.array_equal(dense.targets.mask, sparse.targets.mask)
    assert np.array_equal(dense.decoded.mask, sparse.decoded.mask)


@given(tiny=problems(forms=("dense",)), form=st.sampled_from(["product", "operator"]))
def test_votes_without_entries_give_the_same_targets(tiny, form):
    dense = solve(tiny.problem)
    other = solve(Problem(FORMS[form](tiny.A), tiny.loss, tiny.sets))
    assert np.array_equal(dense.targets.mask, other.targets.mask)


@given(
    tiny=problems(forms=("dense",)),
    unit=st.sampled_from([1e-12, 1e-3, 1e12]),
    start=st.sampled_from(["average", "infimum"]),
)
def test_targets_do_not_depend_on_the_scale_of_losses_and_votes(tiny, unit, start):
    first = solve(tiny.problem, start)
    loss = MatrixLoss(tiny.loss.matrix * unit, list(map(str, tiny.loss.predictions))).bind(
        tiny.sets.classes
    )
    for problem in (
        Problem(as_votes(tiny.A), loss, tiny.sets),
        Problem(as_votes(tiny.A * unit), tiny.loss, tiny.sets),
    ):
        other = solve(problem, start)
        assert np.array_equal(other.targets.mask, first.targets.mask)
        assert np.array_equal(other.decoded.mask, first.decoded.mask)
        assert other.objective / unit == pytest.approx(first.objective, rel=1e-6, abs=1e-6)


def test_labels_spread_from_the_labeled_rows():
    solution = solve(chain(20, {0: 0, 19: 1}))
    assert solution.decoded.outputs.tolist() == [0] * 10 + [1] * 10
    assert solution.decided.all()
    # From each end labels spread by one row per half step; an iteration has two half steps.
    undecided = [progress.undecided for progress in solution.trace]
    assert undecided == [14, 10, 6, 2, 0, 0]


def test_every_component_takes_the_label_of_its_own_labeled_row():
    left, right = chain(6, {0: 1}), chain(5, {4: 0})
    A = np.zeros((11, 11))
    A[:6, :6], A[6:, 6:] = left.votes.array, right.votes.array
    sets = LabelSets(np.vstack([left.candidates.mask, right.candidates.mask]), np.arange(2))
    solution = solve(Problem(as_votes(A), ZeroOneLoss().bind(sets.classes), sets))
    assert solution.decoded.outputs.tolist() == [1] * 6 + [0] * 5
    assert solution.decided.all()


def test_of_several_starts_the_lowest_decoded_objective_is_kept():
    best_starts = set()
    for seed in range(200):
        tiny = tiny_problem(seed, loss="squared")
        problem = Problem(as_votes(tiny.A), tiny.loss, tiny.sets)
        alone = {name: solve(problem, name) for name in ("average", "infimum", "intersection")}
        together = solve(problem, list(alone))
        lowest = min(found.objective for found in alone.values())
        assert together.objective <= lowest + problem.objective_tolerance
        earliest = next(
            name
            for name, found in alone.items()
            if found.objective <= lowest + problem.objective_tolerance
        )
        assert together.start == earliest
        assert np.array_equal(together.decoded.mask, alone[earliest].decoded.mask)
        assert together.trace == sum((found.trace for found in alone.values()), ())
        best_starts.add(together.start)
    assert best_starts == {"average", "infimum", "intersection"}


def test_array_as_start():
    problem = chain(4, {})
    favour_one = np.tile([1.0, 0.0], (4, 1))
    solution = solve(problem, favour_one)
    assert solution.decoded.outputs.tolist() == [1] * 4
    assert solution.decided.all()
    assert solution.start == "array 0"
    both = solve(problem, ["average", favour_one])
    assert {progress.stage for progress in both.trace} >= {"average", "array 1"}


def test_start_of_the_wrong_shape_raises():
    with pytest.raises(ValueError, match=r"start has shape \(4, 3\); expected \(4, 2\)"):
        solve(chain(4, {}), np.zeros((4, 3)))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_start_that_is_not_finite_raises(bad):
    start = np.zeros((4, 2))
    start[2, 1] = bad
    with pytest.raises(
        ValueError, match="start has NaN or infinity, first in row 2; expected finite"
    ):
        solve(chain(4, {}), start)


def test_unknown_start_raises():
    with pytest.raises(ValueError, match=r"start of a finite loss must be one of .*; got 'best'"):
        solve(chain(4, {}), "best")
    with pytest.raises(ValueError, match="start is empty"):
        solve(chain(4, {}), [])


def test_intersection_start_needs_the_entries_of_votes():
    tiny = tiny_problem(0)
    problem = Problem(FORMS["operator"](tiny.A), tiny.loss, tiny.sets)
    with pytest.raises(MissingOracleError, match="strongest"):
        solve(problem, "intersection")


def test_reaching_max_iter_warns():
    problem = chain(12, {0: 0, 11: 1})
    with pytest.warns(ConvergenceWarning, match=r"not converged after max_iter=2") as caught:
        solution = solve(problem, max_iter=2)
    assert caught[0].filename == __file__.replace(".pyc", ".py")
    assert solution.status is Status.MAX_ITER
    assert not solution.converged
    assert solution.n_iter == 2
    assert solution.decoded.is_vertex.all()
    assert solution.objective <= solution.relaxed_objective + problem.objective_tolerance
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert solve(problem, max_iter=50).converged


@pytest.mark.parametrize("name", ["max_iter", "max_rounds"])
def test_budgets_below_one_raise(name):
    with pytest.raises(
        ValueError, match=f"AlternatingMinimization: {name} must be an integer >= 1; got 0"
    ):
        solve(chain(4, {}), **{name: 0})


def test_callback_stops_the_run_and_the_other_starts():
    problem = chain(20, {0: 0, 19: 1})
    seen = []

    def stop_at_two(progress):
        seen.append(progress)
        return progress.iteration == 2

    solver = AlternatingMinimization(["average", "infimum"])
    solution = solver.solve(problem, callback=stop_at_two)
    assert solution.status is Status.STOPPED
    # Some rows are undecided then. They take a candidate at once, without calling the callback.
    assert seen[-1].undecided > 0
    assert [progress.iteration for progress in seen] == [1, 2]
    assert {progress.stage.partition(",")[0] for progress in solution.trace} == {"average"}
    assert solution.decoded.is_vertex.all()
    assert solution.objective <= solution.relaxed_objective + problem.objective_tolerance


def test_callback_stops_the_decoding_and_the_other_starts():
    problem = chain(6, {})
    seen = []

    def stop_once(progress):
        seen.append(progress)
        return "decoding" in progress.stage

    solver = AlternatingMinimization(["average", "infimum"])
    solution = solver.solve(problem, callback=stop_once)
    assert solution.status is Status.STOPPED
    assert sum("decoding" in progress.stage for progress in seen) == 1
    assert seen[-1].stage == "average, decoding 1"
    assert solution.decoded.is_vertex.all()


def test_callback_receives_all_entries_of_the_trace_but_the_first():
    seen = []
    solution = AlternatingMinimization().solve(chain(5, {}), callback=seen.append)
    assert seen == [progress for progress in solution.trace if progress.iteration > 0]


def test_tie_tolerance_determines_ties():
    # At row 0 the vote for class 1 is larger by one thousandth.
    A = np.array([[0.0, 1.0, 1.001], [0, 1, 0], [0, 0, 1]])
    A[:, 0] = [0.0, 1.0, 1.001]
    sets = LabelSets.from_sets([{0, 1}, {0}, {1}])
    problem = Problem(as_votes(A), ZeroOneLoss().bind(sets.classes), sets)
    assert solve(problem).decided.tolist() == [True, True, True]
    loose = solve(problem, tie_tolerance=1e-2)
    assert loose.decided.tolist() == [False, True, True]
    assert loose.targets.mask[0].tolist() == [True, True]
    assert loose.decoded.outputs.tolist()[1:] == [0, 1]


@pytest.mark.parametrize("bad", [-1e-12, np.nan, np.inf])
def test_invalid_tie_tolerance_raises(bad):
    with pytest.raises(ValueError, match=r"tie_tolerance must be a finite number >= 0"):
        solve(chain(4, {}), tie_tolerance=bad)


@given(tiny=problems(forms=("dense", "sparse")), noise=st.sampled_from([1e-12, 3e-11, 1e-10, 1e-9]))
def test_nearly_tied_votes_cause_no_cycles_and_never_raise_the_objective(tiny, noise):
    rng = np.random.default_rng(0)
    A = tiny.A * (1 + noise * rng.normal(size=tiny.A.shape))
    problem = Problem(FORMS[tiny.form](A), tiny.loss, tiny.sets)
    solution = solve(problem)
    assert solution.converged
    values = [progress.objective for progress in solution.trace]
    assert (np.diff(values) <= problem.objective_tolerance).all()


def test_clone_has_the_same_parameters():
    solver = AlternatingMinimization(["infimum", "average"], max_iter=7, tie_tolerance=1e-8)
    assert clone(solver).get_params() == solver.get_params()
    assert AlternatingMinimization().get_params() == {
        "start": "auto",
        "max_iter": 300,
        "max_rounds": 200,
        "tie_tolerance": None,
    }
