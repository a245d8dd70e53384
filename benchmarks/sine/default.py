"""`IntervalRegressor()` on the paper's regression problem, beside rules that choose without truth.

    python -m benchmarks.sine.default [--write] [--seeds N]

sin(10 x) at 10 or 40 inputs, skewed intervals, errors on a grid of 200, the authors' first seeds.
The default sees inputs and intervals only. The others are methods of `reproduce.interval.methods`
with the paper's kernel and bandwidth, whose ridge is chosen by the distance of held-out predictions
to their intervals. With ten inputs the default has too few rows to choose by, and takes its fixed
rule.
"""

import argparse
import warnings
from collections.abc import Sequence

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.results import provenance, write_section
from disambig import IntervalRegressor
from disambig.notation import FloatArray
from reproduce.interval.methods import METHODS, Method
from reproduce.interval.problems import SineProblem, sine_problem
from reproduce.interval.selection import measure

SIZES = (10, 40)
_RULES = (
    ("DF", "y <- P(A A y)", "as they are", "moves < 1e-5"),
    ("DF", "risk", "as they are", "optimum"),
    ("DF", "risk", "intercept", "optimum"),
    ("AC", "risk", "as they are", "closed form"),
)


def errors_of_default(problems: Sequence[SineProblem]) -> FloatArray:
    """The mean squared errors of `IntervalRegressor()` on the grid, ``(problems,)``."""
    found = []
    for problem in problems:
        with warnings.catch_warnings():
            # Of few rows: that is the case that is measured.
            warnings.simplefilter("ignore", UserWarning)
            model = IntervalRegressor().fit(problem.X, problem.intervals)
        found.append(float(np.mean((model.predict(problem.queries) - problem.truth) ** 2)))
    return np.array(found)


def rules() -> list[Method]:
    """The methods of the other rows."""
    described = {(m.family, m.objective.strip("`"), m.weights, m.end): m for m in METHODS}
    return [described[one] for one in _RULES]


def run(n_seeds: int) -> list[list[str]]:
    """The rows of the table."""
    table = []
    drawn = {n: [sine_problem(seed, n) for seed in range(n_seeds)] for n in SIZES}
    columns: dict[str, list[str]] = {"`IntervalRegressor()`": []}
    with threadpool_limits(1):
        for problems in drawn.values():
            columns["`IntervalRegressor()`"].append(_mean(errors_of_default(problems)))
        for method in rules():
            name = f"{method.family}, {method.objective}, {method.weights}, {method.end}"
            columns[name] = [
                _mean(measure(method, problems).without_truth) for problems in drawn.values()
            ]
    for name, cells in columns.items():
        table.append([name, *cells])
        print(" | ".join([name, *cells]), flush=True)
    return table


def _mean(errors: FloatArray) -> str:
    return f"{errors.mean():.3f} ± {errors.std(ddof=1) / np.sqrt(len(errors)):.3f}"


def report(table: list[list[str]], command: str, n_seeds: int) -> str:
    """The section of RESULTS.md."""
    head = ["", *(f"{n} inputs" for n in SIZES)]
    lines = [" | ".join(row) for row in (head, ["---"] * len(head), *table)]
    rows = "\n".join(f"| {line} |" for line in lines)
    return (
        "## Interval regression: the default in the paper's setting\n\n"
        "Mean squared error on the grid, mean ± standard error over seeds. Nothing is chosen with "
        "the truth. `IntervalRegressor()` has no arguments; the others have the paper's kernel and "
        "bandwidth, and choose the ridge by held-out intervals.\n\n"
        f"{provenance(command, seeds=f'the authors, 0 to {n_seeds - 1}')}\n\n{rows}\n"
    )


def main(arguments: list[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--seeds", type=int, default=40)
    options = parser.parse_args(arguments)
    table = run(options.seeds)
    if options.write:
        command = "python -m benchmarks.sine.default --write"
        write_section("sine-default", report(table, command, options.seeds))


if __name__ == "__main__":
    main()
