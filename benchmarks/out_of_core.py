"""Labels of rows on disk: graph, transpose and fit within a stated memory, without a cluster.

The inputs are made up: 100 Gaussian balls of 8 dimensions that overlap, whose centres are uniform,
each with one of 10 classes. Every candidate set has the class and two others. Inputs lie in a
`.npy` file, the graph of 20 neighbours and its transpose in folders of row blocks; the search is
exact. Each size runs in a process of its own, whose peak memory is measured. Times of the processor
do not depend on what else the machine does; those of the clock do.

    python -m benchmarks.out_of_core [--write] [--quick]
    python -m benchmarks.out_of_core --rows 10000000 --memory 8GiB --folder /large/disk

An interrupted run of the second form resumes with its graph, if the folder is the same.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.low_rank import peak
from benchmarks.results import provenance, write_section
from benchmarks.sparse_steps import with_distractors
from disambig import PartialLabelClassifier
from disambig.out_of_core import OutOfCoreEstimator
from disambig.storage.rows import ArrayFile
from disambig.storage.sizes import memory_size
from disambig.weights import NeighborWeights
from disambig.weights.divided.stored import RowFolder
from disambig.weights.neighbors.euclidean import MAX_BOX_FEATURES, EuclideanIndex
from disambig.weights.neighbors.lists import nearest_lists
from disambig.weights.neighbors.parts import RowIndex, search_part

N_FEATURES, N_CLASSES, N_NEIGHBORS, N_GROUPS = 8, 10, 20, 100
N_THREADS = 2
ROWS_AT_A_TIME = 1_000_000
# Rows and memory of the table.
SIZES = ((100_000, "512MiB"), (1_000_000, "8GiB"), (1_000_000, "600MiB"))
SEARCHED_SIZES = (100_000, 1_000_000)
N_SEARCHED = 20_000


def write_inputs(path: Path, n: int, kind: str = "groups") -> None:
    """Inputs ``(n, 8)`` in a file, a few at a time, and the group of each row beside it."""
    rng = np.random.default_rng(0)
    centers = rng.uniform(-3.0, 3.0, (N_GROUPS, N_FEATURES)) * (kind == "groups")
    partial = path.with_suffix(".partial.npy")
    X = np.lib.format.open_memmap(partial, mode="w+", dtype=np.float64, shape=(n, N_FEATURES))
    groups = np.empty(n, dtype=np.uint8)
    for start in range(0, n, ROWS_AT_A_TIME):
        rows = slice(start, min(start + ROWS_AT_A_TIME, n))
        groups[rows] = rng.integers(0, N_GROUPS, rows.stop - start)
        X[rows] = centers[groups[rows]] + rng.standard_normal((rows.stop - start, N_FEATURES))
    X.flush()
    del X
    np.save(path.with_suffix(".groups.npy"), groups)
    partial.rename(path)


class Stages:
    """Seconds and peak memory of the stages of a run, printed as they end."""

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}
        self._begun = time.process_time(), time.perf_counter()

    def end(self, name: str, **more: Any) -> None:
        cpu, wall = self._begun
        self.found[name] = {
            "cpu": time.process_time() - cpu,
            "wall": time.perf_counter() - wall,
            "gib": peak() / 1024,
            **more,
        }
        print(json.dumps({name: self.found[name]}), flush=True)
        self._begun = time.process_time(), time.perf_counter()


def fit(folder: Path, memory: str) -> None:
    """Graph, transpose and labels of the inputs in a folder, in this process.

    The estimator makes what is not there: here graph and transpose are made before it, to be
    measured, in the folder in which it looks for them.
    """
    stages = Stages()
    rows = RowFolder(folder, memory_size(memory), N_THREADS)
    X = rows.rows_of(ArrayFile.open(folder / "X.npy"))
    votes = NeighborWeights(N_NEIGHBORS).fit(X).training_votes()
    stages.end("graph", blocks=len(votes.blocks))
    n_blocks = len(votes.T.blocks)
    stages.end("transpose", blocks=n_blocks)
    del votes, X
    truth = np.load(folder / "X.groups.npy") % N_CLASSES
    mask = np.concatenate(
        [
            with_distractors(truth[start : start + ROWS_AT_A_TIME], N_CLASSES, rng)
            for rng, start in (
                (np.random.default_rng([1, start]), start)
                for start in range(0, truth.size, ROWS_AT_A_TIME)
            )
        ]
    )
    stages.end("sets")
    estimator = PartialLabelClassifier(NeighborWeights(N_NEIGHBORS), solver="alternating")
    model = OutOfCoreEstimator(estimator, folder=folder, memory=memory, n_threads=N_THREADS)
    model.fit(folder / "X.npy", mask)
    right = float(np.mean(model.labels_ == truth))
    stages.end("labels", right=right, steps=model.n_iter_, objective=model.objective_)


def fit_in_process(folder: Path, memory: str) -> dict[str, Any]:
    """The stages of `fit`, in a process of its own; each is shown when it ends."""
    command = [sys.executable, "-m", "benchmarks.out_of_core", "--fit", str(folder)]
    stages: dict[str, Any] = {}
    with subprocess.Popen([*command, "--memory", memory], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        for line in run.stdout:
            print(line.rstrip(), file=sys.stderr, flush=True)
            stages.update(json.loads(line))
    if run.returncode:
        raise RuntimeError(
            f"the fit ended with the exit code {run.returncode}; see its error above"
        )
    return stages


def fitted(sizes: Any) -> str:
    """Time, memory and labels by size, as Markdown."""
    lines = [
        "| n | memory | graph, s | blocks | transpose, s | labels, s | steps | wall, s | peak, GiB "
        "| right labels |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for n, memory in sizes:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_inputs(folder / "X.npy", n)
            stages = fit_in_process(folder, memory)
        lines.append(row_of(n, memory, stages))
        print(lines[-1], flush=True)
    return "\n".join(lines)


def row_of(n: int, memory: str, stages: dict[str, Any]) -> str:
    graph, labels = stages["graph"], stages["labels"]
    cells = [
        f"{n:,}",
        memory,
        f"{graph['cpu']:.0f}",
        str(graph["blocks"]),
        f"{stages['transpose']['cpu']:.1f}",
        f"{labels['cpu']:.1f}",
        str(labels["steps"]),
        f"{sum(stage['wall'] for stage in stages.values()):.0f}",
        f"{max(stage['gib'] for stage in stages.values()):.2f}",
        f"{labels['right']:.3f}",
    ]
    return "| " + " | ".join(cells) + " |"


def searched(sizes: Any) -> str:
    """Time of a query by the search in boxes and by that of `NeighborWeights`, as Markdown."""
    lines = [
        "| inputs | n | boxes: index, s | query, µs | balls: index, s | query, µs |",
        "|---|---|---|---|---|---|",
    ]
    for kind in ("groups", "noise"):
        for n in sizes:
            with tempfile.TemporaryDirectory() as name:
                path = Path(name) / "X.npy"
                write_inputs(path, n, kind)
                X = ArrayFile.open(path).rows(0, n)
            cells = [kind, f"{n:,}"]
            begun = time.process_time()
            boxes = RowIndex.build(X, 0)
            built = time.process_time()
            # Queries that are near each other, as where all rows are searched.
            near = boxes.searcher.rows[:N_SEARCHED]
            search_part(boxes, X[near], N_NEIGHBORS + 1, n_jobs=1)
            ended = time.process_time()
            cells += [f"{built - begun:.1f}", f"{1e6 * (ended - built) / N_SEARCHED:.0f}"]
            begun = time.process_time()
            balls = EuclideanIndex.build(X, algorithm="brute", n_jobs=1)
            built = time.process_time()
            own = near.astype(np.int64)
            nearest_lists(balls, X[near], np.ones(n), float(N_NEIGHBORS), own)
            ended = time.process_time()
            cells += [f"{built - begun:.1f}", f"{1e6 * (ended - built) / N_SEARCHED:.0f}"]
            lines.append("| " + " | ".join(cells) + " |")
            print(lines[-1], flush=True)
    return "\n".join(lines)


def section(fits: str, searches: str) -> str:
    """The section of RESULTS.md with both tables."""
    return (
        "## Out of core\n\n"
        f"Inputs in a file, d = {N_FEATURES}, {N_CLASSES} classes, sets of three; graph of "
        f"{N_NEIGHBORS} neighbours, exact, and its transpose in folders of row blocks; alternating "
        f"minimisation over blocks, by `OutOfCoreEstimator`, {N_THREADS} threads, no cluster. "
        "*labels* includes the judgement of all rows by rows that never saw their sets, which "
        "solves five times more. *memory* is what was stated for graph and transpose; *peak* is "
        "what the process held at most, with sets, labels and confidence, which are in memory. "
        "Seconds are of the processor, *wall* of the clock "
        "beside other work.\n\n"
        f"{provenance('python -m benchmarks.out_of_core --write', seeds='0')}\n\n{fits}\n\n"
        f"The search of {N_NEIGHBORS} neighbours, one thread, for {N_SEARCHED:,} queries that are "
        f"near each other, d = {N_FEATURES}: boxes, and the balls that `NeighborWeights` takes "
        f"beyond {MAX_BOX_FEATURES} features. *Groups* are the inputs above, "
        f"*noise* is one Gaussian.\n\n{searches}\n"
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="100,000 rows only")
    parser.add_argument("--rows", type=int, help="this many rows, instead of the table")
    parser.add_argument("--memory", default="8GiB", help="what the process may hold")
    parser.add_argument("--folder", type=Path, help="for files of --rows, which stay there")
    parser.add_argument("--fit", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.fit is not None:
        fit(options.fit, options.memory)
        return
    if options.rows is not None:
        with tempfile.TemporaryDirectory() as temporary:
            folder = options.folder or Path(temporary)
            folder.mkdir(parents=True, exist_ok=True)
            if not (folder / "X.npy").exists():
                write_inputs(folder / "X.npy", options.rows)
            n = ArrayFile.open(folder / "X.npy").shape[0]
            if n != options.rows:
                raise SystemExit(f"{folder} has {n} rows, not {options.rows}: name another folder")
            print(row_of(options.rows, options.memory, fit_in_process(folder, options.memory)))
        return
    few = options.quick
    with threadpool_limits(1):
        searches = searched([n for n in SEARCHED_SIZES if n <= 100_000 or not few])
    fits = fitted([size for size in SIZES if size[0] <= 100_000 or not few])
    text = section(fits, searches)
    if options.write:
        write_section("out_of_core", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
