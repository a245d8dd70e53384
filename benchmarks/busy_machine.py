"""What a default fit costs alone and beside a busy process, with one thread and with all.

Every figure is the least of three fits in a process of its own, after one that compiles. The busy
process multiplies matrices on all cores. 1,000 dense rows with 20 features and three classes, and
2,000 sparse rows of word counts. Two minutes.

    python -m benchmarks.busy_machine [--write] [--quick] [--source FOLDER]
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


def cost_of_fit(data: str, *, source: Path, threads: int | None, n_fits: int) -> Cost:
    """One default fit; `threads` None leaves the number to the linear algebra library."""
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONSAFEPATH": "1"}
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        environment.pop(name, None)
        if threads is not None:
            environment[name] = str(threads)
    code = FIT.format(data=data, n_fits=n_fits + 1)
    return Cost(*json.loads(subprocess.check_output([sys.executable, "-c", code], env=environment)))


def run(source: Path, *, n_fits: int) -> dict[str, dict[str, Cost]]:
    """Costs by data set and circumstances."""
    found = {}
    for name, data in {"1,000 × 20": DENSE, "TF-IDF, 2,000 × 2,330": SPARSE}.items():
        one = cost_of_fit(data, source=source, threads=1, n_fits=n_fits)
        every = cost_of_fit(data, source=source, threads=None, n_fits=n_fits)
        with busy_process():
            beside = cost_of_fit(data, source=source, threads=None, n_fits=n_fits)
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


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="one fit each instead of three")
    parser.add_argument(
        "--source", type=Path, default=ROOT / "src", help="folder that holds the package"
    )
    options = parser.parse_args(arguments)
    quick = " --quick" if options.quick else ""
    found = run(options.source.resolve(), n_fits=1 if options.quick else 3)
    text = "\n\n".join(
        [
            "## A default fit beside a busy process",
            table(found),
            provenance(f"python -m benchmarks.busy_machine{quick} --write", seeds="0 to 3"),
        ]
    )
    if options.write:
        write_section("busy-machine", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
