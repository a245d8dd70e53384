"""All solvers on the same problems: how often each finds the optimum, and its CPU time.

Tiny problems, for which every labelling can be tried, and one of medium size. There are two
objectives: the paper's, `min_z sum_ij A[i, j] loss(z_i, y_j)`, and the quadratic one of its
appendix, `sum_ij A[i, j] loss(y_i, y_j)`.

    python -m benchmarks.solvers_compared [--problems N] [--rows N] [--write]
"""

import argparse
import time
import warnings
from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_limits

from benchmarks.results import provenance, write_section
from disambig.candidates import LabelSets
from disambig.exceptions import ConvergenceWarning
from disambig.losses import ZeroOneLoss
from disambig.losses.protocol import Faces
from disambig.problem import Problem
from disambig.solvers import (
    AlternatingMinimization,
    AnnealedMinimization,
    FrankWolfeMinimization,
    Solution,
    quadratic_objective,
)
from disambig.votes import as_votes
from disambig.weights import KernelRidgeWeights, NeighborWeights
from tests.oracles.brute_force import global_optimum, labellings
from tests.oracles.quadratic_programs import SYMMETRIC, paper_bound, quadratic_values
from tests.oracles.tiny_problems import WEIGHTINGS, TinyProblem, tiny_problem

# Plain steps converge too slowly to reach the tolerance, so they are limited.
MAX_PLAIN_STEPS = 300
# On so many problems the bound with the paper's shifts is computed too, by a general solver.
N_BOUNDED_PROBLEMS = 120

LabelRule = Callable[[Solution], Faces]


class Competitor(NamedTuple):
    """A solver, and the rule that takes its labels from a solution."""

    solver: Any
    labels: LabelRule


def decoded(solution: Solution) -> Faces:
    return solution.decoded


def first_tied(solution: Solution) -> Faces:
    return solution.targets.first()


def competitors() -> dict[str, Competitor]:
    found = {}
    for start in ("average", "infimum"):
        solver = AlternatingMinimization(start)
        found[f"alternating from {start}, first of the tied"] = Competitor(solver, first_tied)
        found[f"alternating from {start}, decoded"] = Competitor(solver, decoded)
    both = AlternatingMinimization(["average", "infimum"])
    found["alternating from both, decoded"] = Competitor(both, decoded)
    for formulation in ("one_block", "two_blocks"):
        name = f"annealed, {formulation.replace('_', ' ')}"
        found[name] = Competitor(AnnealedMinimization(formulation), decoded)
    for steps in ("plain", "away", "pairwise", "block"):
        limit = MAX_PLAIN_STEPS if steps == "plain" else 1000
        solver = FrankWolfeMinimization(steps, max_iter=limit)
        found[f"Frank-Wolfe {steps}, nearest"] = Competitor(solver, decoded)
    drawn = FrankWolfeMinimization(rounding="sampling")
    found["Frank-Wolfe pairwise, sampling"] = Competitor(drawn, decoded)
    found["Frank-Wolfe pairwise, polished"] = Competitor(
        FrankWolfeMinimization(polish=True), decoded
    )
    found["Frank-Wolfe pairwise, sampling, polished"] = Competitor(
        FrankWolfeMinimization(rounding="sampling", polish=True), decoded
    )
    return found


class Range(NamedTuple):
    """The lowest value of an objective over all labellings, its mean, and the rounding error."""

    lowest: float
    mean: float
    rounding: float

    def gap(self, value: float) -> float:
        """0 at the optimum, 1 at the mean over all labellings."""
        above = value - self.lowest
        return 0.0 if above <= self.rounding else above / (self.mean - self.lowest)

    def below(self, bound: float) -> float:
        """The distance of a bound from the optimum, in the same unit."""
        return (self.lowest - bound) / (self.mean - self.lowest)


def ranges(tiny: TinyProblem) -> tuple[Range, Range]:
    """The ranges of the paper's objective and of the quadratic one."""
    paper = global_optimum(tiny.A, tiny.loss.matrix, tiny.sets)
    values = quadratic_values(tiny.A, tiny.loss.matrix, labellings(tiny.sets))
    return (
        Range(paper.objective, paper.mean, paper.rounding),
        Range(float(values.min()), float(values.mean()), paper.rounding),
    )


class Results(NamedTuple):
    """Results on tiny problems: gaps and seconds by solver, and bounds."""

    gaps: dict[str, list[tuple[float, float]]]
    seconds: dict[str, list[float]]
    bounds: list[float]
    paper_bounds: list[tuple[float, float]]


def run_tiny(n_problems: int) -> Results:
    found = Results(defaultdict(list), defaultdict(list), [], [])
    first = tiny_problem(0, "signed", "zero-one")
    warm = Problem(as_votes(first.A), first.loss, first.sets)
    for competitor in competitors().values():
        # The first call compiles, and is not timed.
        competitor.solver.solve(warm)
    seed = -1
    while len(found.bounds) < n_problems:
        seed += 1
        tiny = tiny_problem(seed, None, SYMMETRIC[(seed // len(WEIGHTINGS)) % len(SYMMETRIC)])
        begun = time.process_time()
        paper, quadratic = ranges(tiny)
        spent = time.process_time() - begun
        if any(each.mean <= each.lowest + each.rounding for each in (paper, quadratic)):
            continue
        found.seconds["trying every labelling"].append(spent)
        found.gaps["trying every labelling"].append((0.0, 0.0))
        for name, competitor in competitors().items():
            problem = tiny.problem
            if name.startswith("annealed, one block") and tiny.form == "operator":
                # This solver leaves the own vote of a row out, which a bare operator does not give.
                problem = Problem(as_votes(tiny.A), tiny.loss, tiny.sets)
            begun = time.process_time()
            solution = competitor.solver.solve(problem)
            found.seconds[name].append(time.process_time() - begun)
            labels = competitor.labels(solution)
            values = problem.objective(labels.embedded), quadratic_objective(problem, labels)
            found.gaps[name].append((paper.gap(values[0]), quadratic.gap(values[1])))
            if name == "Frank-Wolfe pairwise, nearest":
                found.bounds.append(quadratic.below(solution.certificate.bound))
                if len(found.bounds) <= N_BOUNDED_PROBLEMS:
                    theirs = paper_bound(tiny.A, tiny.loss.matrix, tiny.sets)
                    found.paper_bounds.append((found.bounds[-1], quadratic.below(theirs)))
    return found


def tiny_table(found: Results) -> str:
    lines = [
        "| solver | paper's objective: solved | mean gap | quadratic: solved | mean gap | ms |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, pairs in found.gaps.items():
        gaps = np.array(pairs)
        solved = gaps == 0.0
        errors = solved.std(axis=0, ddof=1) / np.sqrt(len(gaps))
        cells = [name]
        for side in (0, 1):
            cells.append(f"{100 * solved[:, side].mean():.1f} ± {100 * errors[side]:.1f} %")
            cells.append(f"{gaps[:, side].mean():.3f}")
        cells.append(f"{1000 * np.mean(found.seconds[name]):.1f}")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def bounds_text(found: Results) -> str:
    ours, both = np.array(found.bounds), np.array(found.paper_bounds)
    return (
        "The bound that Frank-Wolfe proves lies below the quadratic optimum by a mean of "
        f"{ours.mean():.3f} in the same unit, and by less than .001 in "
        f"{100 * np.mean(ours < 1e-3):.0f} % of the problems. Medians on the first {len(both)} of "
        f"them: {np.median(both[:, 0]):.4f}, and {np.median(both[:, 1]):.1f} with the shifts and "
        "norms of the paper's appendix (its relaxation solved by a general solver)."
    )


def digits_table(n_rows: int) -> str:
    """All solvers on digits with sets of about four candidates, with two kinds of votes."""
    X, truth = load_digits(return_X_y=True)
    X, truth = X[:n_rows] / 16.0, truth[:n_rows]
    rng = np.random.default_rng(0)
    mask = rng.random((len(X), 10)) < 0.4
    mask[np.arange(len(X)), truth] = True
    sets = LabelSets(mask, np.arange(10))
    loss = ZeroOneLoss().bind(sets.classes)
    weightings = {
        "kernel ridge": KernelRidgeWeights(bandwidth=2.0, regularization=1e-4),
        "10 neighbours": NeighborWeights(10),
    }
    lines = [
        "| votes | solver | labels found | paper's objective | quadratic | bound | s |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for votes, weights in weightings.items():
        problem = Problem(weights.fit(X).training_votes(), loss, sets)
        for name, competitor in competitors().items():
            competitor.solver.solve(problem)
            begun = time.process_time()
            solution = competitor.solver.solve(problem)
            spent = time.process_time() - begun
            labels = competitor.labels(solution)
            proven = solution.certificate
            cells = [
                votes,
                name,
                f"{100 * np.mean(labels.outputs == truth):.1f} %",
                f"{problem.objective(labels.embedded):.2f}",
                f"{quadratic_objective(problem, labels):.2f}",
                "–" if proven is None else f"{proven.bound:.2f}",
                f"{spent:.2f}",
            ]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--problems", type=int, default=600, help="tiny problems")
    parser.add_argument("--rows", type=int, default=800, help="rows of the problem of medium size")
    parser.add_argument("--quick", action="store_true", help="60 problems, 200 rows")
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    options = parser.parse_args(arguments)
    n_problems, n_rows = (60, 200) if options.quick else (options.problems, options.rows)
    with threadpool_limits(1), warnings.catch_warnings():
        # Plain steps are stopped before they converge; the table shows the result.
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = run_tiny(n_problems)
        digits = digits_table(n_rows)
    command = f"python -m benchmarks.solvers_compared --problems {n_problems} --rows {n_rows}"
    text = (
        "## Solvers compared\n\n"
        f"{n_problems} problems of two to seven rows and two to four classes, six kinds of votes "
        "and four symmetric losses in turn, in which labellings differ by both objectives. A gap "
        "is 0 at the optimum and 1 at what a labelling drawn blindly from the sets pays on "
        "average. Every solver is judged by both objectives: alternating minimisation and "
        "annealing in two blocks lower the paper's, annealing in one block (without own votes) "
        "and Frank-Wolfe the quadratic one, polishing the paper's again. Milliseconds of CPU a "
        "problem.\n\n"
        f"{provenance(f'{command} --write', seeds='0 and on, where labellings differ')}\n\n"
        f"{tiny_table(found)}\n\n{bounds_text(found)}\n\n"
        f"The first {n_rows} digits, each with its class and every other with probability .4, "
        "0-1 loss. CPU seconds of the solver alone, votes not counted.\n\n"
        f"{digits}\n"
    )
    if options.write:
        write_section("solvers_compared", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
