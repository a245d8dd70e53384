"""CPU time of the choice of the default, by the number of rows.

`PartialLabelClassifier()` is compared with the plain algorithm (10 neighbours, alternating
minimisation) and one variant (kernel ridge with given parameters, annealed; with 1000 landmarks
beyond 5000 rows). There are ten classes in 20 dimensions, two clusters each; each other class joins
a set with probability .5. Measured are CPU seconds of the fit on one thread, after a fit that
compiles, and the share of right predictions at 2000 new inputs. The run takes two and a half
minutes, most of it for the largest size.

    python -m benchmarks.choices_cost [--write] [--quick]
"""

import argparse
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from sklearn.base import clone
from sklearn.datasets import make_classification
from threadpoolctl import threadpool_limits

from benchmarks.results import provenance, write_section
from disambig import LabelSets, PartialLabelClassifier
from disambig.datasets import UniformCorruption
from disambig.notation import FloatArray, IntArray
from disambig.weights import KernelRidgeWeights, NeighborWeights, NystromWeights

SIZES = (250, 1_000, 4_000, 16_000, 64_000)
QUICK_SIZES = SIZES[:2]
MAX_EXACT_ROWS = 5_000
N_TEST, SEED, LEVEL = 2_000, 0, 0.5


class Cost(NamedTuple):
    seconds: float
    accuracy: float


class Drawn(NamedTuple):
    X: FloatArray
    sets: LabelSets
    queries: FloatArray
    truth: IntArray


def draw(n: int) -> Drawn:
    X, y = make_classification(
        n + N_TEST,
        20,
        n_informative=8,
        n_redundant=4,
        n_classes=10,
        n_clusters_per_class=2,
        class_sep=1.5,
        random_state=SEED,
    )
    return Drawn(X[:n], UniformCorruption(LEVEL)(y[:n], random_state=SEED), X[n:], y[n:])


def models(n: int) -> dict[str, PartialLabelClassifier]:
    ridge: Any = KernelRidgeWeights() if n <= MAX_EXACT_ROWS else NystromWeights(n_landmarks=1000)
    return {
        "default": PartialLabelClassifier(),
        "one variant": PartialLabelClassifier(ridge, solver="annealed"),
        "plain": PartialLabelClassifier(NeighborWeights(10), solver="alternating"),
    }


def measure(n: int) -> dict[str, Cost]:
    drawn = draw(n)
    return {name: _cost(model, drawn) for name, model in models(n).items()}


def _cost(model: PartialLabelClassifier, drawn: Drawn) -> Cost:
    with threadpool_limits(1):
        begun = time.process_time()
        fitted = clone(model).fit(drawn.X, drawn.sets)
        spent = time.process_time() - begun
        return Cost(spent, float((fitted.predict(drawn.queries) == drawn.truth).mean()))


def table(found: dict[int, dict[str, Cost]]) -> str:
    head = ["rows", "default: seconds", "× one variant", "× plain", "right: default"]
    head += ["one variant", "plain"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for n, row in found.items():
        default, one, plain = row["default"], row["one variant"], row["plain"]
        cells = [f"{n:,}", f"{default.seconds:.2f}", f"{default.seconds / one.seconds:.1f}"]
        cells += [f"{default.seconds / plain.seconds:.1f}"]
        cells += [f"{cost.accuracy:.3f}" for cost in (default, one, plain)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def report(found: dict[int, dict[str, Cost]], command: str) -> str:
    return "\n\n".join(
        [
            "## What the choice of the default costs",
            "`PartialLabelClassifier()` on ten classes in 20 dimensions, where other classes come "
            f"along with chance {LEVEL}. *One variant*: kernel ridge with parameters given, "
            f"annealed (beyond {MAX_EXACT_ROWS:,} rows through 1000 landmarks); *plain*: 10 "
            f"neighbours, alternating minimisation. *Right*: of {N_TEST:,} new inputs.",
            provenance(command, seeds=f"{SEED}") + "\n- Threads: 1; CPU seconds of the fit",
            table(found),
        ]
    )


def run(sizes: Sequence[int]) -> dict[int, dict[str, Cost]]:
    # Compile and import before the time is measured.
    for n in {QUICK_SIZES[0], sizes[-1]} if sizes[-1] > MAX_EXACT_ROWS else {QUICK_SIZES[0]}:
        small = draw(QUICK_SIZES[0])
        for model in models(n).values():
            _cost(model, small)
    found = {}
    for n in sizes:
        found[n] = measure(n)
        print(n, found[n], flush=True)
    return found


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.choices_cost")
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="up to 1000 rows")
    options = parser.parse_args(arguments)
    found = run(QUICK_SIZES if options.quick else SIZES)
    text = report(found, "python -m benchmarks.choices_cost --write" + " --quick" * options.quick)
    if options.write:
        write_section("choices-cost" + "-quick" * options.quick, text)
    else:
        print(text)


if __name__ == "__main__":
    main()
