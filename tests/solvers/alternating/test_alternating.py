"""Alternating minimisation: what must hold for every loss and every weighting."""

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
from disambig.votes import OperatorVotes, as_votes
from tests.oracles.brute_force import double_loop_objective
from tests.oracles.generated_problems import problems
from tests.oracles.tiny_problems import FORMS, LOSSES, WEIGHTINGS, BareOperator, tiny_problem

STARTS = st.sampled_from(["average", "infimum", "intersection"])
SEEDS = st.integers(0, 10**6)
WITH_ENTRIES = ("dense", "sparse", "product")


def solve(problem, start="average", **options):
    return AlternatingMinimization(start, **options).solve(problem)


def chain(n, labelled):
    """Rows in a line, each hearing itself and its neighbours; two classes, few labels."""
    A = np.eye(n) + np.eye(n, k=1) + np.eye(n, k=-1)
    mask = np.ones((n, 2), dtype=np.bool_)
    for row, label in labelled.items():
        mask[row] = np.arange(2) == label
    sets = LabelSets(mask, np.arange(2))
    return Problem(as_votes(A), ZeroOneLoss().bind(sets.classes), sets)


# ---------------------------------------------------------------- descent


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
def test_it_ends_inside_the_sets(tiny, start):
    solution = solve(tiny.problem, start)
    n = len(tiny.sets)
    assert solution.status is Status.CONVERGED
    assert solution.converged
    assert solution.decoded.is_vertex.all()
    assert tiny.sets.mask[np.arange(n), solution.decoded.outputs].all()
    assert not (solution.targets.mask & ~tiny.sets.mask).any()
    assert solution.n_iter == max(p.iteration for p in solution.trace if p.stage == start)


@given(tiny=problems(), start=st.sampled_from(["average", "infimum"]))
def test_singletons_stay_and_are_resolved(tiny, start):
    solution = solve(tiny.problem, start)
    single = tiny.sets.is_single
    assert solution.resolved[single].all()
    assert np.array_equal(solution.decoded.outputs[single], tiny.sets.first_labels()[single])
    # Resolved is a statement of the run, before decoding.
    assert np.array_equal(solution.resolved & solution.targets.is_vertex, solution.resolved)
    rows = np.flatnonzero(solution.resolved)
    assert np.array_equal(solution.targets.outputs[rows], solution.decoded.outputs[rows])


@given(tiny=problems(), start=st.sampled_from(["average", "infimum"]), seed=SEEDS)
def test_full_supervision_leaves_nothing_to_settle(tiny, start, seed):
    n, K = tiny.sets.shape
    labels = np.random.default_rng(seed).integers(0, K, size=n)
    sets = LabelSets(np.eye(K, dtype=np.bool_)[labels], tiny.sets.classes)
    problem = Problem(as_votes(tiny.A), tiny.loss, sets)
    solution = solve(problem, start)
    assert np.array_equal(solution.decoded.outputs, labels)
    assert solution.resolved.all()
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


# ---------------------------------------------------------------- the transpose


class Mistaken(BareOperator):
    """Votes that claim to be symmetric: what a solver does that forgets the transpose."""

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


def test_the_target_step_needs_the_transpose():
    A = np.array([[8.0, 0, 7, 2], [9, 8, 4, 1], [9, 1, 2, 5], [7, 0, 6, 8]])
    sets = LabelSets.from_sets([{0, 1}, {0, 1}, {0}, {1}])
    loss = ZeroOneLoss().bind(sets.classes)
    right = objectives(as_votes(A), A, loss, sets)
    wrong = objectives(OperatorVotes(Mistaken(A)), A, loss, sets)
    assert right == pytest.approx([28.0, 16.0])
    assert wrong == pytest.approx([29.0, 33.0, 19.0])


def test_symmetric_votes_need_no_transpose():
    tiny = tiny_problem(7, "kernel ridge", "zero-one")
    right = objectives(as_votes(tiny.A), tiny.A, tiny.loss, tiny.sets)
    other = objectives(OperatorVotes(Mistaken(tiny.A)), tiny.A, tiny.loss, tiny.sets)
    assert right == pytest.approx(other)


# ---------------------------------------------------------------- symmetries


@given(
    seed=SEEDS,
    weighting=st.sampled_from(["non-negative", "signed"]),
    loss=st.sampled_from(["zero-one", "asymmetric", "absolute", "any sign"]),
    start=st.sampled_from(["average", "infimum"]),
)
def test_rows_in_another_order_give_the_same_labels(seed, weighting, loss, start):
    tiny = tiny_problem(seed, weighting, loss)
    solution = solve(Problem(as_votes(tiny.A), tiny.loss, tiny.sets), start)
    # With ties the first undecided row is decoded first, and which that is depends on the order.
    assume(not any(progress.undecided for progress in solution.trace))
    order = np.random.default_rng(seed).permutation(len(tiny.sets))
    votes = as_votes(tiny.A[np.ix_(order, order)])
    other = solve(Problem(votes, tiny.loss, tiny.sets[order]), start)
    assert np.array_equal(other.decoded.outputs, solution.decoded.outputs[order])
    assert other.objective == pytest.approx(solution.objective, rel=1e-9, abs=1e-9)


@given(tiny=problems(forms=("dense",)), start=STARTS, seed=SEEDS)
def test_the_relaxed_solution_does_not_depend_on_the_order(tiny, start, seed):
    """Barycentres treat tied classes alike, so this holds with all the ties in the world."""
    # A neighbourhood of equal votes is read by index, so that start alone may depend on it.
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
def test_votes_without_entries_settle_the_same(tiny, form):
    dense = solve(tiny.problem)
    other = solve(Problem(FORMS[form](tiny.A), tiny.loss, tiny.sets))
    assert np.array_equal(dense.targets.mask, other.targets.mask)


@given(
    tiny=problems(forms=("dense",)),
    unit=st.sampled_from([1e-12, 1e-3, 1e12]),
    start=st.sampled_from(["average", "infimum"]),
)
def test_losses_and_votes_have_no_units(tiny, unit, start):
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


# ---------------------------------------------------------------- labels travel


def test_labels_travel_from_the_labelled_rows():
    solution = solve(chain(20, {0: 0, 19: 1}))
    assert solution.decoded.outputs.tolist() == [0] * 10 + [1] * 10
    assert solution.resolved.all()
    # From each end one row further a half step, and two half steps an iteration.
    undecided = [progress.undecided for progress in solution.trace]
    assert undecided == [14, 10, 6, 2, 0, 0]


def test_every_component_takes_the_label_of_its_own():
    left, right = chain(6, {0: 1}), chain(5, {4: 0})
    A = np.zeros((11, 11))
    A[:6, :6], A[6:, 6:] = left.votes.array, right.votes.array
    sets = LabelSets(np.vstack([left.candidates.mask, right.candidates.mask]), np.arange(2))
    solution = solve(Problem(as_votes(A), ZeroOneLoss().bind(sets.classes), sets))
    assert solution.decoded.outputs.tolist() == [1] * 6 + [0] * 5
    assert solution.resolved.all()


# ---------------------------------------------------------------- starts


def test_of_several_starts_the_lowest_decoded_objective_wins():
    winners = set()
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
        winners.add(together.start)
    assert winners == {"average", "infimum", "intersection"}


def test_an_array_is_a_start():
    problem = chain(4, {})
    favour_one = np.tile([1.0, 0.0], (4, 1))
    solution = solve(problem, favour_one)
    assert solution.decoded.outputs.tolist() == [1] * 4
    assert solution.resolved.all()
    assert solution.start == "array 0"
    both = solve(problem, ["average", favour_one])
    assert {progress.stage for progress in both.trace} >= {"average", "array 1"}


def test_a_start_of_the_wrong_shape():
    with pytest.raises(ValueError, match=r"start has shape \(4, 3\); expected \(4, 2\)"):
        solve(chain(4, {}), np.zeros((4, 3)))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_start_that_is_no_number(bad):
    start = np.zeros((4, 2))
    start[2, 1] = bad
    with pytest.raises(ValueError, match="start holds NaN or infinity, first in row 2"):
        solve(chain(4, {}), start)


def test_an_unknown_start():
    with pytest.raises(ValueError, match=r"start='best' is not known"):
        solve(chain(4, {}), "best")
    with pytest.raises(ValueError, match="start is empty"):
        solve(chain(4, {}), [])


def test_an_operator_without_entries_has_no_neighbourhoods():
    tiny = tiny_problem(0)
    problem = Problem(FORMS["operator"](tiny.A), tiny.loss, tiny.sets)
    with pytest.raises(MissingOracleError, match="strongest"):
        solve(problem, "intersection")


# ---------------------------------------------------------------- budget and callback


def test_running_out_of_iterations_is_said():
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
def test_a_budget_of_nothing(name):
    with pytest.raises(ValueError, match=f"AlternatingMinimization: {name}=0; expected at least 1"):
        solve(chain(4, {}), **{name: 0})


def test_the_callback_stops_the_run_and_the_other_starts():
    problem = chain(20, {0: 0, 19: 1})
    heard = []

    def stop_at_two(progress):
        heard.append(progress)
        return progress.iteration == 2

    solver = AlternatingMinimization(["average", "infimum"])
    solution = solver.solve(problem, callback=stop_at_two)
    assert solution.status is Status.STOPPED
    # Rows are undecided there; they take a candidate at once, and the callback is not asked again.
    assert heard[-1].undecided > 0
    assert [progress.iteration for progress in heard] == [1, 2]
    assert {progress.stage.partition(",")[0] for progress in solution.trace} == {"average"}
    assert solution.decoded.is_vertex.all()
    assert solution.objective <= solution.relaxed_objective + problem.objective_tolerance


def test_the_callback_stops_the_decoding_and_the_other_starts():
    problem = chain(6, {})
    heard = []

    def stop_once(progress):
        heard.append(progress)
        return "decoding" in progress.stage

    solver = AlternatingMinimization(["average", "infimum"])
    solution = solver.solve(problem, callback=stop_once)
    assert solution.status is Status.STOPPED
    assert sum("decoding" in progress.stage for progress in heard) == 1
    assert heard[-1].stage == "average, decoding 1"
    assert solution.decoded.is_vertex.all()


def test_the_callback_hears_what_the_trace_keeps():
    heard = []
    solution = AlternatingMinimization().solve(chain(5, {}), callback=heard.append)
    assert heard == [progress for progress in solution.trace if progress.iteration > 0]


# ---------------------------------------------------------------- ties


def test_the_tie_tolerance_decides_what_ties():
    # Row 0 hears a vote for class 1 that is stronger by one in a thousand.
    A = np.array([[0.0, 1.0, 1.001], [0, 1, 0], [0, 0, 1]])
    A[:, 0] = [0.0, 1.0, 1.001]
    sets = LabelSets.from_sets([{0, 1}, {0}, {1}])
    problem = Problem(as_votes(A), ZeroOneLoss().bind(sets.classes), sets)
    assert solve(problem).resolved.tolist() == [True, True, True]
    loose = solve(problem, tie_tolerance=1e-2)
    assert loose.resolved.tolist() == [False, True, True]
    assert loose.targets.mask[0].tolist() == [True, True]
    assert loose.decoded.outputs.tolist()[1:] == [0, 1]


@pytest.mark.parametrize("bad", [-1e-12, np.nan, np.inf])
def test_a_tolerance_that_cannot_be(bad):
    with pytest.raises(ValueError, match=r"tie_tolerance=.*at least 0"):
        solve(chain(4, {}), tie_tolerance=bad)


@given(tiny=problems(forms=("dense", "sparse")), noise=st.sampled_from([1e-12, 3e-11, 1e-10, 1e-9]))
def test_votes_that_nearly_tie_neither_cycle_nor_climb(tiny, noise):
    rng = np.random.default_rng(0)
    A = tiny.A * (1 + noise * rng.normal(size=tiny.A.shape))
    problem = Problem(FORMS[tiny.form](A), tiny.loss, tiny.sets)
    solution = solve(problem)
    assert solution.converged
    values = [progress.objective for progress in solution.trace]
    assert (np.diff(values) <= problem.objective_tolerance).all()


def test_a_clone_solves_the_same():
    solver = AlternatingMinimization(["infimum", "average"], max_iter=7, tie_tolerance=1e-8)
    assert clone(solver).get_params() == solver.get_params()
    assert AlternatingMinimization().get_params() == {
        "start": "auto",
        "max_iter": 300,
        "max_rounds": 200,
        "tie_tolerance": None,
    }
