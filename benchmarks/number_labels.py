"""Which number of its interval is shown: how far is it from the truth, which is hidden?

Sets around known numbers, from `benchmarks.number_confidence`, and bands of salaries. *Nearest* is
the number of the set nearest to the prediction, which the estimator recovers. The others use what
rows say that never saw the set (`disambig.trust.cross_examine`), and the distribution of residuals
inside the set: its *median*, its *mean*, the *middle* of its central 90 %. *Middle of the set* uses
no model; of a half-line it is the end. Nothing is fitted to the truth.

    python -m benchmarks.number_labels [--write] [--quick]
"""

import argparse
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.made_up.numbers import BAND_ENDS, mid_points, salaries
from benchmarks.number_confidence import KINDS, PROBLEMS, hidden, problem
from benchmarks.results import provenance, write_section
from disambig import IntervalRegressor
from disambig.notation import FloatArray
from disambig.trust import cross_examine

SHOWN = ("nearest", "median", "mean", "middle of 90 %", "middle of the set")
MODELS: dict[str, Callable[[], Any]] = {
    "kernel ridge": lambda: IntervalRegressor("kernel_ridge"),
    "neighbours": lambda: IntervalRegressor("neighbors"),
}
_N_SALARIES = 600
# The mean is one of quantiles in the middle of so many equal parts.
_PARTS = 40


def cases(seed: int) -> Iterator[tuple[str, FloatArray, FloatArray, FloatArray]]:
    """Name, inputs, true numbers, and sets ``(n, 2)``."""
    for name in PROBLEMS:
        X, truth = problem(name, seed)
        for kind in KINDS:
            yield f"{name}, {kind}", X, truth, hidden(truth, kind, seed)
    # The numbers of its training rows are hidden for good; those of the queries are not.
    drawn = salaries(seed, 1)
    X, truth = drawn.queries[:_N_SALARIES], drawn.truth[:_N_SALARIES]
    band = np.searchsorted(BAND_ENDS, truth, side="right") - 1
    yield "salaries, bands", X, truth, np.column_stack([BAND_ENDS[band], BAND_ENDS[band + 1]])


def errors(X: FloatArray, truth: FloatArray, y: FloatArray, model: Any) -> list[float]:
    """Mean absolute errors of rows with an open set, as shares of the spread of the numbers."""
    exam = cross_examine(model, X, y)
    sets, found, residuals = exam.candidates, exam.predictions[:, None], exam.residuals
    tails = [residuals.central(found, sets, 1 - 2 * (k + 0.5) / _PARTS) for k in range(_PARTS // 2)]
    shown = [
        exam.estimator.labels_,
        exam.labels,
        np.mean(tails, axis=(0, 3))[:, 0],
        exam.central_range(0.9).mean(axis=1),
        mid_points(y),
    ]
    is_open = (y[:, 0] < y[:, 1]) & np.isfinite(shown[2]) & np.isfinite(shown[3])
    return [float(np.abs(one - truth)[is_open].mean() / truth.std()) for one in shown]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="one seed")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    n_seeds = 1 if options.quick else 2
    table: dict[tuple[str, str], list[list[float]]] = {}
    for seed in range(n_seeds):
        for name, X, truth, y in cases(seed):
            for model, make in MODELS.items():
                table.setdefault((name, model), []).append(errors(X, truth, y, make()))
    means = {key: np.mean(values, axis=0) for key, values in table.items()}
    nearer = sum(values[1] < values[0] for values in means.values())
    lines = [
        f"| problem, sets | estimator | {' | '.join(SHOWN)} |",
        "|---" * (2 + len(SHOWN)) + "|",
    ]
    for (name, model), values in means.items():
        cells = " | ".join(
            f"**{value:.3f}**" if value == values.min() else f"{value:.3f}" for value in values
        )
        lines.append(f"| {name} | {model} | {cells} |")
    text = "\n".join(
        [
            "## Which number of its interval",
            "",
            provenance("python -m benchmarks.number_labels", seeds=f"0 to {n_seeds - 1}"),
            "",
            "Mean absolute error of rows with an open set, in standard deviations of the numbers. "
            "The least of a line is bold. The median is nearer to the truth than the nearest one "
            f"in {nearer} of {len(means)} lines, so examinations and labels of tables show it.",
            "",
            *lines,
        ]
    )
    print(text)
    if options.write:
        write_section("number labels", text)


if __name__ == "__main__":
    main()
