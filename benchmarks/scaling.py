"""Scaling curves of `PartialLabelClassifier`: seconds and memory by the size of the problem.

From 10^3 to 10^6 rows with votes of neighbours (exact and approximate search), of landmarks, of a
forest and of kernel ridge, and scikit-learn's `LabelSpreading` for comparison; then, at 10^5 rows,
over the number of neighbours k, of classes m and of features d. Sets have three candidates of ten,
unless m varies. Every point is measured in its own process on one thread. A point that is expected
to take longer than the cap, by the times of smaller ones, is not run, and the table says so.

    python -m benchmarks.scaling [--write] [--quick] [--cap SECONDS] [--plot FILE] [--keep FILE]
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from benchmarks.kept_outcomes import KeptOutcomes
from benchmarks.results import provenance, write_section
from benchmarks.scaling_point import (
    BEST_ACCURACY,
    KNOWN_SHARE,
    MAX_GIB,
    N_LANDMARKS,
    RIDGE,
    Outcome,
    Point,
    measure_in_process,
)

__all__ = ["APPROXIMATE", "Curve", "Results", "curves", "expected", "main", "report", "run"]

SIZES = (1_000, 10_000, 100_000, 300_000, 1_000_000)
# For more rows, kernel ridge takes too long, although its matrix would fit into memory.
RIDGE_SIZES = (1_000, 2_000, 4_000)
SPREADING_SIZES = (1_000, 10_000, 30_000, 100_000, 300_000)
BASE_ROWS = 100_000
VARIED = {"k": (5, 10, 20, 50, 100), "m": (3, 10, 100, 1000), "d": (5, 10, 20, 50, 100)}
CAP = 60.0
# For approximate neighbours, so that the point of a million rows is measured.
NEIGHBOR_CAP = 900.0
APPROXIMATE = "neighbours, approximate"
SPREADING = ("LabelSpreading, knn", "LabelSpreading, rbf")
METHODS = ("neighbours, exact", APPROXIMATE, "landmarks", "forest", "kernel ridge", *SPREADING)
# Shorter times do not show how they grow.
_MIN_SECONDS = 0.2


class Curve(NamedTuple):
    """Points in which one field, `over`, grows, and the CPU seconds that each may take."""

    over: str
    points: tuple[Point, ...]
    cap: float


Results = Sequence[tuple[Curve, list[tuple[Point, Outcome]]]]


def curves(cap: float, *, quick: bool = False) -> list[Curve]:
    """All curves; the quick ones end at 10^4 rows."""
    max_rows, base_rows = (10_000, 2_000) if quick else (SIZES[-1], BASE_ROWS)
    found = []
    for method in METHODS:
        sizes = SPREADING_SIZES if method in SPREADING else SIZES
        sizes = RIDGE_SIZES if method == "kernel ridge" else sizes
        own_cap = max(cap, NEIGHBOR_CAP) if method == APPROXIMATE else cap
        points = tuple(Point(method, n) for n in sizes if n <= max_rows)
        found.append(Curve("n", points, own_cap))
    base = Point(APPROXIMATE, base_rows)
    for field, values in VARIED.items():
        points = tuple(replace(base, **{field: value}) for value in values)
        found.append(Curve(field, points, cap))
    return found


def expected(sizes: list[float], seconds: list[float], size: float) -> float:
    """Seconds at `size`, by the growth between the last two points, at least linear."""
    if not seconds:
        return 0.0
    power = 1.0
    if len(seconds) > 1 and seconds[-2] > _MIN_SECONDS:
        power = float(np.log(seconds[-1] / seconds[-2]) / np.log(sizes[-1] / sizes[-2]))
    return seconds[-1] * (size / sizes[-1]) ** max(1.0, power)


def run(curve: Curve, kept: KeptOutcomes[Outcome]) -> Iterator[tuple[Point, Outcome]]:
    """Measure the points of a curve in turn; after one that hit a limit, no larger one is run."""
    sizes: list[float] = []
    seconds: list[float] = []
    stopped = ""
    for point in curve.points:
        size = float(getattr(point, curve.over))
        wait = expected(sizes, seconds, size) if curve.over == "n" else 0.0
        if stopped:
            outcome = Outcome(limit=f"not run: {stopped} at a smaller one")
        elif wait > curve.cap:
            outcome = Outcome(limit=f"not run: about {wait:.0f} s expected")
        else:
            outcome = kept.get(repr(point)) or measure_in_process(point, curve.cap)
            kept.add(repr(point), outcome)
        print(point, outcome, flush=True)
        if outcome.limit.startswith("stopped"):
            stopped = outcome.limit.removeprefix("stopped: ")
        if not outcome.limit:
            sizes.append(size)
            seconds.append(outcome.cpu)
        yield point, outcome


def report(results: Results, *, cap: float, command: str) -> str:
    """The section as Markdown."""
    by_rows, others = [_head("votes", "n")], [_head("varied", "value")]
    finished: dict[str, tuple[Point, Outcome]] = {}
    middle = 0
    for curve, found in results:
        for point, outcome in found:
            size = f"{getattr(point, curve.over):,}"
            if curve.over == "n":
                by_rows.append(_line(point.method, size, outcome))
                if not outcome.limit:
                    finished[point.method] = point, outcome
            else:
                middle = point.n
                others.append(_line(curve.over, size, outcome))
    spread = "; ".join(
        f"{name.split()[-1]} {finished[name][0].n:,} in {finished[name][1].cpu:.0f} s"
        for name in SPREADING
        if name in finished
    )
    more = {
        "Threads": "1",
        "Limits": f"{MAX_GIB} GiB, {cap:g} CPU s a point ({NEIGHBOR_CAP:g} for approximate "
        "neighbours by n)",
    }
    return "\n\n".join(
        [
            "## Scaling curves",
            "`PartialLabelClassifier` on 20 sheets of 5 dimensions in 20, each with two classes "
            "that meet at a soft border (no classifier is right more often than "
            f"{100 * BEST_ACCURACY:.1f} %); 3 of 10 candidates. Neighbours: 10, equal votes, "
            "approximate search for a recall of .99 (a recall of 1: few rows, or it fell back to "
            f"the exact search). Landmarks: `NystromWeights`, p = {N_LANDMARKS}. Forest: 100 "
            f"totally random trees. Ridge of landmarks and kernel ridge: {RIDGE:g}. *Labels*: "
            "share of the training labels that came back; *new*: share of the predictions at new "
            "inputs that are right. Peak memory is that of the process, with imports and data. "
            f"`LabelSpreading` reads no sets: it knows one label in {1 / KNOWN_SHARE:.0f}, and "
            "*labels* are the others.",
            provenance(command, seeds="0 (data), 1 (candidates)", more=more),
            "\n".join(by_rows),
            _sentence(*finished[APPROXIMATE]),
            f"Largest n that `LabelSpreading` finished within the limits: {spread}.",
            f"Approximate neighbours at n = {middle:,}; k = 10, m = 10, d = 20 but for the one "
            "that varies (2 candidates where there are 3 classes; m / 2 sheets, at least 20; they "
            "fill the space where d = 5):",
            "\n".join(others),
        ]
    )


def _head(*first: str) -> str:
    cells = [*first, "fit, CPU s", "graph, trees or matrix", "all else", "wall s", "peak GiB"]
    cells += ["labels", "new", "recall"]
    return "| " + " | ".join(cells) + " |\n" + "|---" * len(cells) + "|"


def _line(name: str, size: str, o: Outcome) -> str:
    cells = [o.limit, *[""] * 7]
    if not o.limit:
        apart = o.weights_cpu is not None
        cells = [
            f"{o.cpu:.2f}",
            f"{o.weights_cpu:.2f}" if apart else "–",
            f"{o.cpu - (o.weights_cpu or 0.0):.2f}" if apart else "–",
            f"{o.wall:.1f}",
            f"{o.gib:.2f}",
            f"{o.recovered:.4f}",
            "–" if o.right is None else f"{o.right:.4f}",
            "–" if o.recall is None else f"{o.recall:.4f}",
        ]
    return "| " + " | ".join([name, size, *cells]) + " |"


def _sentence(point: Point, o: Outcome) -> str:
    cpu, wall = o.weights_cpu or 0.0, o.weights_wall or 0.0
    return (
        f"At n = {point.n:,}, d = {point.d}: the graph of neighbours takes {cpu:.1f} CPU s "
        f"({wall:.1f} s of wall clock on the machine as it was), everything else in the fit "
        f"{o.cpu - cpu:.1f} s ({o.wall - wall:.1f} s); {o.gib:.2f} GiB in all, "
        f"{100 * o.recovered:.2f} % of the labels come back."
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="up to 10^4 rows")
    parser.add_argument("--cap", type=float, default=CAP, help="CPU seconds of a point")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the curves into FILE")
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="use the results stored in FILE, and add new ones"
    )
    options = parser.parse_args(arguments)
    with TemporaryDirectory() as folder:
        # Some points lie on several curves, and are measured once.
        kept = KeptOutcomes(options.keep or Path(folder) / "outcomes.jsonl", Outcome)
        results = [
            (curve, list(run(curve, kept))) for curve in curves(options.cap, quick=options.quick)
        ]
    command = "python -m benchmarks.scaling"
    command += " --quick" if options.quick else ""
    command += f" --cap {options.cap:g}" if options.cap != CAP else ""
    text = report(results, cap=options.cap, command=f"{command} --write")
    if options.plot:
        from benchmarks.scaling_figure import save_small, scaling_figure

        save_small(scaling_figure(results), options.plot)
    if options.write:
        write_section("scaling", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
