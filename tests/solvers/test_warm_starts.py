"""Every solver takes ``start=solution``: it ends at once there, and soon near it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from benchmarks.warm_starts import bit_pair, label_pair, number_pair, order_pair, steps, union_pair
from disambig.candidates import ClassCounts, LabelSets
from disambig.losses import AbsoluteLoss, ZeroOneLoss
from disambig.losses.labels.faces import LabelFaces
from disambig.problem import Problem
from disambig.solvers import (
    AcceleratedRegression,
    AlternatingMinimization,
    AlternatingRegression,
    AnnealedMinimization,
    FrankWolfeMinimization,
    LinearProgramRegression,
    NewtonRegression,
    UnionRegression,
)
from disambig.solvers.frank_wolfe.bit_hulls import BitHulls
from disambig.solvers.frank_wolfe.form import ConvexForm
from disambig.solvers.frank_wolfe.label_hulls import CountedHulls, LabelHulls
from disambig.solvers.frank_wolfe.losses import quadratic_loss
from disambig.solvers.frank_wolfe.order_hulls import OrderHulls
from disambig.solvers.frank_wolfe.shifts import tight_shifts
from disambig.votes import as_votes
from tests.oracles.bit_problems import bit_problems
from tests.oracles.generated_problems import problems
from tests.oracles.number_problems import voted_problem
from tests.oracles.order_problems import order_problems

# Hundreds of runs: without the compiler they take minutes and say the same.
pytestmark = pytest.mark.needs_jit

PAIRS = {"labels": label_pair, "bits": bit_pair, "orders": order_pair}
WEIGHTINGS = ("neighbours", "kernel ridge")
OUTPUT_SOLVERS = {
    "alternating": AlternatingMinimization(),
    # With five sweeps some runs end before the distributions stop moving.
    "annealed": AnnealedMinimization(sweeps=1000),
    "frank-wolfe": FrankWolfeMinimization(),
    "block": FrankWolfeMinimization("block"),
    "sampling": FrankWolfeMinimization(rounding="sampling"),
}
NUMBER_SOLVERS = {
    "newton": NewtonRegression(),
    "accelerated": AcceleratedRegression(),
    "alternating": AlternatingRegression(),
}
symmetric = ("zero-one", "absolute", "hierarchical")


def assert_same_solution(one, other, atol=0.0):
    assert other.start == "warm"
    assert_allclose(other.decoded.outputs, one.decoded.outputs, rtol=0, atol=atol)
    assert other.objective == pytest.approx(one.objective, rel=1e-9, abs=1e-9)


# ------------------------------------------------------------------ the same problem again


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("kind", PAIRS)
@pytest.mark.parametrize("name", OUTPUT_SOLVERS)
def test_a_second_solve_ends_at_once(name, kind, weighting):
    solver = OUTPUT_SOLVERS[name]
    problem, _ = PAIRS[kind](0, weighting, n=60)
    first = solver.solve(problem)
    again = solver.solve(problem, start=first)
    assert_same_solution(first, again)
    # The bound of Frank-Wolfe may come from a point before the last one.
    assert again.n_iter <= (2 if isinstance(solver, FrankWolfeMinimization) else 1)
    assert_array_equal(again.decided, first.decided)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("name", NUMBER_SOLVERS)
def test_a_second_solve_of_numbers_ends_at_once(name, weighting):
    solver = NUMBER_SOLVERS[name]
    problem, _ = number_pair(0, weighting, n=60)
    first = solver.solve(problem)
    again = solver.solve(problem, start=first)
    assert again.n_iter <= 1
    assert_same_solution(first, again, atol=1e-7 * float(np.ptp(problem.span)))


def test_a_second_solve_of_unions_tries_the_earlier_segments_only():
    problem, _ = union_pair(0, "neighbours")
    solver = UnionRegression(n_starts=3)
    first = solver.solve(problem)
    again = solver.solve(problem, start=first)
    assert steps(again) == 1
    assert_same_solution(first, again, atol=1e-7 * float(np.ptp(problem.span)))


def test_the_linear_program_keeps_the_earlier_of_several_optima():
    problem = voted_problem(3, "sparse", loss=AbsoluteLoss())
    solver = LinearProgramRegression()
    first = solver.solve(problem)
    other = AlternatingRegression().solve(problem, start=first)
    kept = solver.solve(problem, start=other)
    assert kept.objective == pytest.approx(first.objective)
    assert_array_equal(kept.targets.values, other.targets.values)


@given(tiny=problems(), start=st.sampled_from(["average", "infimum"]))
def test_alternation_stays_at_its_own_solution(tiny, start):
    solver = AlternatingMinimization(start)
    problem = tiny.problem
    first = solver.solve(problem)
    again = solver.solve(problem, start=first)
    assert again.n_iter <= 1
    assert again.objective <= first.objective + problem.objective_tolerance
    assert_array_equal(again.decoded.outputs, first.decoded.outputs)


@given(tiny=problems(losses=symmetric))
def test_frank_wolfe_stays_at_its_own_solution(tiny):
    solver = FrankWolfeMinimization()
    first = solver.solve(tiny.problem)
    again = solver.solve(tiny.problem, start=first)
    # If the bound came from a point before the last one, a further step may move the labels.
    if again.certificate.relaxed_objective == first.certificate.relaxed_objective:
        assert_array_equal(again.decoded.outputs, first.decoded.outputs)
    assert again.certificate.relaxed_objective <= first.certificate.relaxed_objective + 1e-9
    assert again.certificate.bound <= first.certificate.objective + 1e-9


# ------------------------------------------------------------------ other sets


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("kind", PAIRS)
@pytest.mark.parametrize("name", OUTPUT_SOLVERS)
def test_labels_are_in_the_new_sets(name, kind, weighting):
    solver = OUTPUT_SOLVERS[name]
    first, second = PAIRS[kind](1, weighting, n=60)
    warm = solver.solve(second, start=solver.solve(first))
    sets, outputs = second.candidates, warm.decoded.outputs
    inside = sets.mask[np.arange(60), outputs] if kind == "labels" else sets.contains(outputs)
    assert inside.all()
    assert warm.converged


@pytest.mark.parametrize(
    ("solver", "pair"),
    [
        (AlternatingMinimization(), bit_pair),
        (AnnealedMinimization(), label_pair),
        (AnnealedMinimization(), bit_pair),
        (FrankWolfeMinimization(), label_pair),
        pytest.param(FrankWolfeMinimization(), order_pair, marks=pytest.mark.slow),
        (NewtonRegression(), number_pair),
        pytest.param(UnionRegression(), union_pair, marks=pytest.mark.slow),
    ],
    ids=lambda part: getattr(part, "__name__", type(part).__name__),
)
def test_a_third_of_the_steps_after_a_change_of_a_hundredth_of_the_rows(solver, pair):
    # The table of benchmarks/RESULTS.md has all solvers, and 50 problems of each kind.
    shares, ratios = [], []
    for seed in range(3):
        first, second = pair(seed, "kernel ridge")
        cold = solver.solve(second)
        warm = solver.solve(second, start=solver.solve(first))
        shares.append(steps(warm) / steps(cold))
        ratios.append(warm.objective / cold.objective)
    assert np.median(shares) <= 1 / 3
    assert np.median(ratios) == pytest.approx(1.0, abs=0.02)


def blocks():
    """A row of class 0; two open rows that follow it, or each other; two open rows apart."""
    A = np.zeros((5, 5))
    A[0, 0] = 1.0
    A[1:3] = [0.2, 0.4, 0.4, 0.0, 0.0]
    A[3:, 3:] = 0.5
    mask = np.ones((5, 2), dtype=bool)
    mask[0, 1] = False
    return Problem(as_votes(A), ZeroOneLoss().bind(np.arange(2)), LabelSets(mask, np.arange(2)))


def with_labels(solution, labels):
    mask = np.eye(2, dtype=bool)[labels]
    return replace(solution, decoded=LabelFaces(mask, solution.targets.embedding))


@pytest.mark.parametrize("form", [as_votes, lambda A: as_votes(csr_array(A))])
def test_of_tied_labels_the_earlier_ones_are_kept(form):
    problem = replace(blocks(), votes=form(blocks().votes.rows(0, 5)))
    first = AlternatingMinimization().solve(problem)
    assert first.decoded.outputs.tolist() == [0, 0, 0, 0, 0]
    warm = AlternatingMinimization().solve(problem, start=with_labels(first, [0, 0, 0, 1, 1]))
    assert warm.decoded.outputs.tolist() == [0, 0, 0, 1, 1]
    assert warm.decided.tolist() == [True, True, True, False, False]


def test_rows_that_are_decided_keep_the_better_targets():
    problem = blocks()
    first = AlternatingMinimization().solve(problem)
    # Rows 1 and 2 would confirm each other in class 1, which costs .4 more.
    warm = AlternatingMinimization().solve(problem, start=with_labels(first, [0, 1, 1, 1, 1]))
    assert warm.decoded.outputs.tolist() == [0, 0, 0, 1, 1]
    assert warm.objective == pytest.approx(0.0, abs=1e-12)


def test_earlier_labels_that_cost_more_than_the_relaxed_targets_are_not_kept():
    # Classes 0 and 1 tie at rows 2 and 3, which would confirm each other in class 2: .6 a row
    # instead of .5 at the mean of the tie, and .3 at either of them.
    A = np.array([[1.0, 0, 0, 0], [0, 1.0, 0, 0], [0.3, 0.3, 0.2, 0.2], [0.3, 0.3, 0.2, 0.2]])
    sets = LabelSets.from_sets([{0}, {1}, {0, 1, 2}, {0, 1, 2}])
    problem = Problem(as_votes(A), ZeroOneLoss().bind(sets.classes), sets)
    first = AlternatingMinimization().solve(problem)
    assert first.relaxed_objective == pytest.approx(1.0)
    earlier = LabelFaces(np.eye(3, dtype=bool)[[0, 1, 2, 2]], first.targets.embedding)
    warm = AlternatingMinimization().solve(problem, start=replace(first, decoded=earlier))
    assert warm.objective == pytest.approx(first.objective) == pytest.approx(0.6)


def test_annealing_keeps_earlier_labels_that_tie():
    problem = blocks()
    first = AnnealedMinimization().solve(problem)
    assert not first.targets.is_vertex[3:].any()
    warm = AnnealedMinimization().solve(problem, start=with_labels(first, [1, 1, 1, 1, 1]))
    assert warm.decoded.outputs.tolist() == [0, 0, 0, 1, 1]


# ------------------------------------------------------------------ points of the hulls


def form_of(problem, hulls):
    loss = quadratic_loss(problem)
    shifts = tight_shifts(problem, hulls.open_rows, loss.variances(hulls.candidate_means()))
    return ConvexForm(problem, loss, hulls.open_rows, shifts)


@given(tiny=problems(losses=symmetric), seed=st.integers(0, 99))
def test_earlier_distributions_are_restricted_to_the_new_sets(tiny, seed):
    problem = tiny.problem
    first = FrankWolfeMinimization().solve(problem)
    rng = np.random.default_rng(seed)
    mask = tiny.sets.mask & (rng.random(tiny.sets.mask.shape) < 0.7)
    mask[~mask.any(axis=1)] = True
    hulls = LabelHulls(problem.loss, LabelSets(mask, tiny.sets.classes))
    earlier = first.certificate.relaxed
    found = hulls.point_near(earlier, None).coordinates
    assert_allclose(found.sum(axis=1), 1.0)
    assert not found[~mask].any()
    inside = np.where(mask, earlier.distribution, 0.0)
    left = inside.sum(axis=1) > 1e-12
    expected = inside[left] / inside[left].sum(axis=1, keepdims=True)
    assert_allclose(found[left], expected, atol=1e-12)
    assert_allclose(found[~left], hulls.candidate_means()[~left])
    same = LabelHulls(problem.loss, tiny.sets).point_near(earlier, None)
    assert_array_equal(same.coordinates, earlier.distribution)


@given(tiny=bit_problems(), seed=st.integers(0, 99))
def test_earlier_signs_yield_to_known_bits(tiny, seed):
    problem = tiny.problem
    earlier = FrankWolfeMinimization().solve(problem).certificate.relaxed
    known = np.random.default_rng(seed).integers(-1, 2, size=tiny.bits.shape).astype(np.int8)
    sets = type(tiny.bits)(known)
    found = BitHulls(problem.loss, sets).point_near(earlier, None).coordinates
    assert_array_equal(found[:, :-1][sets.known], 2.0 * known[sets.known] - 1.0)
    assert_array_equal(found[:, :-1][~sets.known], earlier.embedded[:, :-1][~sets.known])


@given(one=order_problems(), seed=st.integers(0, 99))
def test_earlier_orders_stay_if_they_are_candidates_still(one, seed):
    problem, orders = one.problem, one.orders
    earlier = FrankWolfeMinimization().solve(problem).certificate.relaxed
    same = OrderHulls(problem.loss, orders).point_near(
        earlier, form_of(problem, OrderHulls(problem.loss, orders))
    )
    assert same is earlier.point
    shuffled = orders[np.random.default_rng(seed).permutation(len(orders))]
    hulls = OrderHulls(problem.loss, shuffled)
    changed = Problem(problem.votes, problem.loss, shuffled)
    point = hulls.point_near(earlier, form_of(changed, hulls))
    assert shuffled[point.owners].contains(point.ranks).all()
    n = len(orders)
    assert_allclose(np.bincount(point.owners, point.weights, minlength=n), 1.0)
    means = np.zeros_like(point.coordinates)
    np.add.at(means, point.owners, point.weights[:, None] * point.embedded)
    assert_allclose(point.coordinates, means, atol=1e-12)
    # From vertices of another solver: the nearest candidate.
    vertices = AlternatingMinimization().solve(problem).decoded
    nearest = hulls.point_near(vertices, form_of(changed, hulls))
    kept = shuffled.contains(vertices.outputs)
    assert_array_equal(nearest.coordinates[kept], vertices.embedded[kept])


def test_class_counts_are_kept_and_the_nearest_distributions_found():
    rng = np.random.default_rng(0)
    votes = as_votes(np.abs(rng.normal(size=(12, 12))))
    loss = ZeroOneLoss().bind(np.arange(3))
    sets = LabelSets(np.ones((12, 3), dtype=bool), np.arange(3))
    bounds = np.array([[2, 5], [3, 6], [2, 7]])
    solver = FrankWolfeMinimization(max_iter=5000, tol=1e-3)
    problem = Problem(votes, loss, ClassCounts(sets, bounds))
    first = solver.solve(problem)
    again = solver.solve(problem, start=first)
    assert again.n_iter <= 2
    assert_array_equal(again.decoded.outputs, first.decoded.outputs)
    # Two rows lose the class that they had; weight moves no further than that and the counts ask.
    mask = np.ones((12, 3), dtype=bool)
    mask[[0, 1], first.decoded.outputs[:2]] = False
    counts = ClassCounts(LabelSets(mask, np.arange(3)), [[4, 5], [4, 6], [2, 4]])
    hulls = CountedHulls(loss, counts)
    start = LabelHulls(loss, counts.sets).point_near(first.certificate.relaxed, None).coordinates
    point = hulls.point_near(first.certificate.relaxed, None).coordinates
    totals, earlier = point.sum(axis=0), start.sum(axis=0)
    assert (totals >= counts.bounds[:, 0] - 1e-6).all()
    assert (totals <= counts.bounds[:, 1] + 1e-6).all()
    assert not point[~mask].any()
    needed = np.maximum(counts.bounds[:, 0] - earlier, 0).sum()
    needed = max(needed, np.maximum(earlier - counts.bounds[:, 1], 0).sum())
    assert np.maximum(start - point, 0).sum() == pytest.approx(needed, abs=1e-6)
    changed = Problem(votes, loss, counts)
    warm = solver.solve(changed, start=first)
    counted = np.bincount(warm.decoded.outputs, minlength=3)
    assert ((counted >= counts.bounds[:, 0]) & (counted <= counts.bounds[:, 1])).all()


# ------------------------------------------------------------------ refusals


@pytest.mark.parametrize("name", OUTPUT_SOLVERS)
def test_a_start_of_another_shape_is_refused(name):
    solver = OUTPUT_SOLVERS[name]
    problem, _ = label_pair(0, "neighbours", n=40)
    other, _ = label_pair(0, "neighbours", n=30)
    expected = (
        rf"{type(solver).__name__}: start .* shape \(30, 10\); expected \(40, 10\).*same rows"
    )
    with pytest.raises(ValueError, match=expected):
        solver.solve(problem, start=solver.solve(other))


@pytest.mark.parametrize(
    "solver",
    [*NUMBER_SOLVERS.values(), UnionRegression(n_starts=1)],
    ids=lambda s: type(s).__name__,
)
def test_a_start_of_another_shape_is_refused_for_numbers(solver):
    problem, _ = number_pair(0, "neighbours", n=40)
    other, _ = number_pair(0, "neighbours", n=30)
    expected = rf"{type(solver).__name__}: start .* shape \(30, 1\); expected \(40, 1\).*same rows"
    with pytest.raises(ValueError, match=expected):
        solver.solve(problem, start=solver.solve(other))


def test_the_linear_program_refuses_a_start_of_another_shape():
    problem = voted_problem(3, "sparse", n=7, loss=AbsoluteLoss())
    other = LinearProgramRegression().solve(voted_problem(3, "sparse", n=6, loss=AbsoluteLoss()))
    with pytest.raises(ValueError, match=r"LinearProgramRegression: start .* expected \(7, 1\)"):
        LinearProgramRegression().solve(problem, start=other)


@pytest.mark.parametrize("solver", [AlternatingMinimization(), FrankWolfeMinimization()])
def test_a_start_of_another_kind_is_refused(solver):
    # Seven classes and six tags have embeddings of the same dimension.
    bits, _ = bit_pair(0, "neighbours", n=30)
    masks = np.random.default_rng(0).random((30, 7)) < 0.5
    masks[:, 0] = True
    sets = LabelSets(masks, np.arange(7))
    problem = Problem(bits.votes, ZeroOneLoss().bind(sets.classes), sets)
    with pytest.raises(ValueError, match=rf"{type(solver).__name__}: start is .*same rows"):
        solver.solve(problem, start=solver.solve(bits))
