"""What a default fit costs alone and beside a busy process, with one thread and with all.

Every figure is the least of three fits in a process of its own, after one that compiles. The busy
process multiplies matrices on all cores. 1,000 dense rows with 20 features and three classes, and
2,000 sparse rows of word counts. Two minutes.

With ``--threads`` it measures the votes of kernel ridge on one thread and on all instead, at
several numbers of rows: the threshold of `disambig.threads` comes from that table. It needs idle
cores and takes two minutes.

    python -m benchmarks.busy_machine [--threads] [--write] [--quick] [--source FOLDER]
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.results import provenance, write_section

ROOT = Path(__file__).resolve().parents[1]
DENSE = """
X, truth = make_classification(
    1000, 20, n_informative=6, n_classes=3, class_sep=1.5, random_state=0
)
"""
SPARSE = """
truth = np.random.default_rng(1).integers(3, size=2000)
rate = np.random.default_rng(2).gamma(0.1, 0.2, size=(3, 2330))
counts = np.random.default_rng(3).poisson(rate[truth] + 0.01)
X = TfidfTransformer().fit_transform(sp.csr_matrix(counts))
"""
FIT = """
import json, sys, time
import numpy as np
import scipy.sparse as sp
from sklearn.datasets import make_classification
from sklearn.feature_extraction.text import TfidfTransformer
from disambig import PartialLabelClassifier
{data}
sets = np.eye(3, dtype=bool)[truth]
sets |= np.random.default_rng(0).uniform(size=sets.shape) < 0.4
times = []
for _ in range({n_fits}):
    wall, cpu = time.perf_counter(), time.process_time()
    PartialLabelClassifier().fit(X, sets)
    times.append((time.perf_counter() - wall, time.process_time() - cpu))
wall, cpu = np.min(times[1:], axis=0)
print(json.dumps([wall, cpu]))
"""
# Weightings set no limit of their own, unlike estimators: the environment decides.
VOTES = """
import json, time
import numpy as np
from disambig.weights import KernelRidgeWeights
X = np.random.default_rng(0).normal(size=({n_rows}, 20))
times = []
for _ in range({n_fits}):
    wall, cpu = time.perf_counter(), time.process_time()
    KernelRidgeWeights().fit(X).training_votes()
    times.append((time.perf_counter() - wall, time.process_time() - cpu))
wall, cpu = np.min(times[1:], axis=0)
print(json.dumps([wall, cpu]))
"""
SWEEP = (250, 500, 1000, 1500, 2000, 3000, 4000)
BUSY = "import numpy as np\nA = np.ones((1500, 1500))\nwhile True: A @ A"


class Cost(NamedTuple):
    """Seconds by the clock and of the processor."""

    wall: float
    cpu: float


@contextmanager
def busy_process() -> Iterator[None]:
    """Another process that keeps all cores at work."""
    other = subprocess.Popen([sys.executable, "-c", BUSY])
    try:
        yield
    finally:
        other.kill()
        other.wait()


def cost_of(code: str, *, source: Path, threads: int | None) -> Cost:
    """What the code prints; `threads` None leaves the number to the linear algebra library."""
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONSAFEPATH": "1"}
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        environment.pop(name, None)
        if threads is not None:
            environment[name] = str(threads)
    return Cost(*json.loads(subprocess.check_output([sys.executable, "-c", code], env=environment)))


def run(source: Path, *, n_fits: int) -> dict[str, dict[str, Cost]]:
    """Costs by data set and circumstances."""
    found = {}
    for name, data in {"1,000 × 20": DENSE, "TF-IDF, 2,000 × 2,330": SPARSE}.items():
        code = FIT.format(data=data, n_fits=n_fits + 1)
        one = cost_of(code, source=source, threads=1)
        every = cost_of(code, source=source, threads=None)
        with busy_process():
            beside = cost_of(code, source=source, threads=None)
        found[name] = {
            "alone, with a limit of one thread": one,
            "alone": every,
            "beside a busy process": beside,
        }
    return found


def table(found: dict[str, dict[str, Cost]]) -> str:
    """Seconds, and the ratio of CPU seconds to those of one thread alone."""
    lines = ["| data | | wall s | CPU s | CPU, ratio |", "|---|---|---|---|---|"]
    for name, costs in found.items():
        least = costs["alone, with a limit of one thread"].cpu
        for circumstances, cost in costs.items():
            lines.append(
                f"| {name} | {circumstances} | {cost.wall:.2f} | {cost.cpu:.2f} | "
                f"{cost.cpu / least:.2f} |"
            )
    return "\n".join(lines)


def sweep(source: Path, *, n_fits: int) -> dict[int, tuple[Cost, Cost]]:
    """Costs of the votes of kernel ridge by the number of rows: on one thread, and on all."""
    found = {}
    for n_rows in SWEEP:
        code = VOTES.format(n_rows=n_rows, n_fits=n_fits + 1)
        found[n_rows] = (
            cost_of(code, source=source, threads=1),
            cost_of(code, source=source, threads=None),
        )
    return found


def sweep_table(found: dict[int, tuple[Cost, Cost]]) -> str:
    """Seconds by the clock, and their ratio."""
    lines = ["| rows | one thread, s | all threads, s | ratio |", "|---|---|---|---|"]
    for n_rows, (one, every) in found.items():
        ratio = every.wall / one.wall
        lines.append(f"| {n_rows:,} | {one.wall:.3f} | {every.wall:.3f} | {ratio:.2f} |")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument(
        "--threads", action="store_true", help="votes of kernel ridge on one thread and on all"
    )
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="one fit each instead of three")
    parser.add_argument(
        "--source", type=Path, default=ROOT / "src", help="folder that holds the package"
    )
    options = parser.parse_args(arguments)
    source, n_fits = options.source.resolve(), 1 if options.quick else 3
    if options.threads:
        section, heading, option = "threads", "Votes of kernel ridge on all threads", " --threads"
        results, seeds = sweep_table(sweep(source, n_fits=n_fits)), "0"
    else:
        section, heading, option = "busy-machine", "A default fit beside a busy process", ""
        results, seeds = table(run(source, n_fits=n_fits)), "0 to 3"
    command = f"python -m benchmarks.busy_machine{option}{' --quick' if options.quick else ''}"
    text = "\n\n".join([f"## {heading}", results, provenance(f"{command} --write", seeds=seeds)])
    if options.write:
        write_section(section, text)
    else:
        print(text)


if __name__ == "__main__":
    main()
