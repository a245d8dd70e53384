"""Steps of every solver from an earlier solution, after the sets of 1 % of the rows changed.

Labels: digits with random sets. Bits: tables of `make_multilabel_classification` with hidden bits.
Orders: rankings by random lines with hidden pairs. Numbers: the diabetes data with intervals, or
with two intervals. A problem is solved; then the sets of 1 % of its rows are drawn again, and the
new problem is solved without and with the earlier solution as a start. The counts do not depend on
the machine, except through rounding.

    python -m benchmarks.warm_starts [--problems N] [--quick] [--write]
"""

import argparse
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_diabetes, load_digits, make_multilabel_classification
from threadpoolctl import threadpool_limits

from benchmarks.results import provenance, write_section
from disambig.candidates import Intervals, IntervalUnions, LabelSets, PartialBits, PartialOrders
from disambig.datasets import PairCorruption, make_ranking_lines
from disambig.exceptions import ConvergenceWarning
from disambig.losses import AbsoluteLoss, HammingLoss, KendallLoss, SquaredLoss, ZeroOneLoss
from disambig.number_problem import NumberProblem, RiskProblem, VotedProblem
from disambig.problem import Problem
from disambig.solvers import (
    AcceleratedRegression,
    AlternatingMinimization,
    AlternatingRegression,
    AnnealedMinimization,
    FrankWolfeMinimization,
    LinearProgramRegression,
    NewtonRegression,
    Solution,
    UnionRegression,
)
from disambig.weights import KernelRidgeWeights, NeighborWeights

CHANGED = 0.01
# An objective is higher than another one if it exceeds it by more than this part.
ROUNDING = 1e-6

REASONS = (
    "What limits a warm start: alternating minimisation with kernel ridge votes on labels needs "
    "hardly more steps without one than the step that sees that nothing changes. Frank-Wolfe steps "
    "on bits, conjugate gradients (`AcceleratedRegression`) and alternation of numbers divide the "
    "error by a constant factor a step, down to their tolerance: a start saves the steps to the "
    "error that it has, and the rows with new sets have a large one. A linear program cannot start "
    "from a solution. `UnionRegression` without a start tries ten. A second solve of "
    "`AnnealedMinimization` goes on if the first made all its sweeps at the last temperature, and "
    "one of `FrankWolfeMinimization` if its bound came from a point before the last one."
)

Pair = tuple[Any, Any]
Maker = Callable[[int, str], Pair]


class Comparison(NamedTuple):
    """One problem: steps and objectives without and with a start, and a second solve."""

    cold_steps: int
    warm_steps: int
    cold_objective: float
    warm_objective: float
    again_steps: int
    same_labels: bool


def redrawn(first: Any, second: Any, rng: np.random.Generator) -> Any:
    """A copy of the first array with 1 % of its rows from the second."""
    rows = rng.choice(len(first), max(1, round(CHANGED * len(first))), replace=False)
    mixed = first.copy()
    mixed[rows] = second[rows]
    return mixed


def label_pair(seed: int, weighting: str, n: int = 600) -> Pair:
    """Digits; each other class is a candidate with probability .6."""
    rng = np.random.default_rng(seed)
    X, y = load_digits(return_X_y=True)
    rows = rng.choice(len(X), n, replace=False)
    X, y = X[rows] / 16.0, y[rows]
    masks = rng.random((2, n, 10)) < 0.6
    masks[:, np.arange(n), y] = True
    ridge = KernelRidgeWeights(bandwidth=2.0, regularization=1e-4)
    votes = (NeighborWeights(10) if weighting == "neighbours" else ridge).fit(X).training_votes()
    loss = ZeroOneLoss().bind(np.arange(10))
    masks = masks[0], redrawn(*masks, rng)
    first, second = (Problem(votes, loss, LabelSets(mask, np.arange(10))) for mask in masks)
    return first, second


def bit_pair(seed: int, weighting: str, n: int = 400) -> Pair:
    """Six tags, of which half are hidden."""
    rng = np.random.default_rng(seed)
    X, Y = make_multilabel_classification(n, 20, n_classes=6, random_state=seed)
    X = X / X.std(axis=0)
    tables = [np.where(rng.random(Y.shape) < 0.5, -1, Y).astype(np.int8) for _ in range(2)]
    ridge = KernelRidgeWeights(regularization=1e-3)
    votes = (NeighborWeights(10) if weighting == "neighbours" else ridge).fit(X).training_votes()
    loss = HammingLoss().bind(np.arange(6))
    tables = [tables[0], redrawn(*tables, rng)]
    first, second = (Problem(votes, loss, PartialBits(bits)) for bits in tables)
    return first, second


def order_pair(seed: int, weighting: str, n: int = 300) -> Pair:
    """Six items; pairs are hidden with probability .7."""
    rng = np.random.default_rng(seed)
    data = make_ranking_lines(n, 6, random_state=seed)
    drawn = [PairCorruption(0.7)(data.ranks, random_state=k).before for k in (seed, seed + 10**6)]
    ridge = KernelRidgeWeights(bandwidth=0.5, regularization=1e-2)
    weights = NeighborWeights(10) if weighting == "neighbours" else ridge
    votes = weights.fit(data.X).training_votes()
    loss = KendallLoss().bind(np.arange(6))
    tables = drawn[0], redrawn(*drawn, rng)
    first, second = (Problem(votes, loss, PartialOrders(before)) for before in tables)
    return first, second


def number_pair(
    seed: int, weighting: str, n: int = 400, *, unions: bool = False, loss: Any = None
) -> Pair:
    """The diabetes data; widths are exponential, the target is anywhere inside.

    With unions a second interval of the same width is two standard deviations away.
    """
    rng = np.random.default_rng(seed)
    X, y = load_diabetes(return_X_y=True)
    rows = rng.choice(len(X), n, replace=False)
    X, y = X[rows] / X.std(axis=0), y[rows]
    width = rng.exponential(y.std(), size=(2, n))
    lower = y - rng.random((2, n)) * width
    ends = np.stack([lower, lower + width], axis=2)
    if unions:
        away = rng.choice([-2.0, 2.0], size=(2, n, 1)) * y.std()
        ends = np.concatenate([ends, ends + away], axis=2)
    tables = ends[0], redrawn(ends[0], ends[1], rng)
    ridge = KernelRidgeWeights(bandwidth=3.0, regularization=1e-3)
    weights = (NeighborWeights(10) if weighting == "neighbours" else ridge).fit(X)
    first, second = (_number_problem(weights, _number_sets(t), loss) for t in tables)
    return first, second


def _number_sets(table: Any) -> Intervals | IntervalUnions:
    if table.shape[1] == 2:
        return Intervals(table[:, :1], table[:, 1:], flat=True)
    return IntervalUnions.from_any([[tuple(row[:2]), tuple(row[2:])] for row in table.tolist()])


def _number_problem(
    weights: Any, sets: Intervals | IntervalUnions, loss: Any
) -> VotedProblem | RiskProblem:
    votes = weights.training_votes()
    if isinstance(weights, KernelRidgeWeights):
        form = weights.residual_form()
        return RiskProblem(votes, form, weights.intercept, sets, sets.span)
    return VotedProblem(votes, SquaredLoss() if loss is None else loss, sets, sets.span)


def union_pair(seed: int, weighting: str) -> Pair:
    return number_pair(seed, weighting, unions=True)


def absolute_pair(seed: int, weighting: str) -> Pair:
    return number_pair(seed, weighting, n=300, loss=AbsoluteLoss())


KINDS: dict[str, Maker] = {"labels": label_pair, "bits": bit_pair, "orders": order_pair}
WEIGHTINGS = ("neighbours", "kernel ridge")
NUMBER_SOLVERS: tuple[tuple[Any, str, Maker, tuple[str, ...]], ...] = (
    (NewtonRegression(), "intervals", number_pair, WEIGHTINGS),
    (AcceleratedRegression(), "intervals", number_pair, WEIGHTINGS),
    (AlternatingRegression(), "intervals", number_pair, WEIGHTINGS),
    (UnionRegression(), "unions", union_pair, WEIGHTINGS),
    (LinearProgramRegression(), "intervals, absolute loss", absolute_pair, WEIGHTINGS[:1]),
)


def settings() -> Iterator[tuple[Any, str, str, Maker]]:
    """Solver, kind, weighting, and what makes the problems."""
    for solver in (AlternatingMinimization(), AnnealedMinimization(), FrankWolfeMinimization()):
        for kind, maker in KINDS.items():
            for weighting in WEIGHTINGS:
                yield solver, kind, weighting, maker
    for solver, kind, maker, weightings in NUMBER_SOLVERS:
        for weighting in weightings:
            yield solver, kind, weighting, maker


def steps(solution: Solution) -> int:
    """Iterations of all stages, decoding included; those of a linear program are inside of it."""
    if any(progress.stage == "linear program" for progress in solution.trace):
        return solution.n_iter
    return sum(progress.iteration > 0 for progress in solution.trace)


def compared(solver: Any, first: Any, second: Any) -> Comparison:
    """All runs on one pair of problems."""
    earlier = solver.solve(first)
    again = solver.solve(first, start=earlier)
    cold, warm = solver.solve(second), solver.solve(second, start=earlier)
    return Comparison(
        steps(cold),
        steps(warm),
        cold.objective,
        warm.objective,
        steps(again),
        _same_labels(first, earlier, again),
    )


def _same_labels(problem: Any, one: Solution, other: Solution) -> bool:
    if isinstance(problem, NumberProblem):
        tolerance = 1e-7 * float(np.ptp(problem.span))
        return bool(np.abs(one.decoded.outputs - other.decoded.outputs).max() <= tolerance)
    return bool(np.array_equal(one.decoded.outputs, other.decoded.outputs))


def row_of(solver: Any, kind: str, weighting: str, found: list[Comparison]) -> str:
    """A row of the table."""
    values = np.array(found, dtype=float)
    cold, warm, cold_objective, warm_objective, again, same = values.T
    higher = warm_objective > cold_objective + ROUNDING * np.abs(cold_objective)
    lower = warm_objective < cold_objective - ROUNDING * np.abs(cold_objective)
    cells = [
        type(solver).__name__,
        kind,
        weighting,
        f"{np.median(cold):g}",
        f"{np.median(warm):g}",
        f"{np.median(warm / cold):.2f}",
        f"{np.median(warm_objective / cold_objective):.4f}",
        f"{lower.sum()} / {higher.sum()}",
        f"{np.median(again):g} ({again.max():g})",
        f"{same.sum():g} of {len(found)}",
    ]
    return "| " + " | ".join(cells) + " |"


def table(n_problems: int) -> str:
    """All settings, as Markdown; rows are printed as they come."""
    lines = [
        "| solver | targets | votes | steps cold | steps warm | warm / cold "
        "| objective warm / cold | lower / higher | steps again (most) | same labels again |",
        "|---|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for solver, kind, weighting, maker in settings():
        found = [compared(solver, *maker(seed, weighting)) for seed in range(n_problems)]
        lines.append(row_of(solver, kind, weighting, found))
        print(lines[-1], flush=True)
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--problems", type=int, default=50, help="problems of each setting")
    parser.add_argument("--quick", action="store_true", help="3 problems")
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    options = parser.parse_args(arguments)
    n_problems = 3 if options.quick else options.problems
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        body = table(n_problems)
    command = f"python -m benchmarks.warm_starts --problems {n_problems} --write"
    text = (
        "## Warm starts\n\n"
        f"{n_problems} problems of each setting: 600 digits with sets of about six candidates, 400 "
        "rows of six tags of which half are hidden, 300 rankings of six items with .7 of the pairs "
        "hidden, 400 rows of the diabetes data with intervals (300 for the linear program; kernel "
        "ridge is the empirical risk). *Again*: the same problem, from its own solution. *Cold* "
        "and *warm*: the problem with the sets of 1 % of the rows drawn again, without and with "
        "the earlier solution as a start. Steps are the iterations in the trace, decoding "
        "included, and one step at least is needed to see that nothing changes. Not counted are "
        "the two steps of alternation with which a warm `NewtonRegression` begins: they take "
        "products with the votes, and no factorisation. Medians over "
        f"problems. *Lower / higher*: problems in which the warm objective differs by more than "
        f"{ROUNDING:g} of it.\n\n"
        f"{provenance(command, seeds=f'0 to {n_problems - 1}')}\n\n{body}\n\n{REASONS}\n"
    )
    if options.write:
        write_section("warm_starts", text)


if __name__ == "__main__":
    main()
