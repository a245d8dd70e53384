"""Half steps over a graph of 20 neighbours on a million rows, and a whole fit on a given graph.

Half steps are compared with (a) gathering the labels of all neighbours once, in compiled code, and
(b) scipy's product with the labels as unit vectors, then argmax. Rows are in random order, which is
the worst case for the processor cache. All times are CPU seconds, the least of a few runs.

    python -m benchmarks.sparse_steps [--write] [--quick]
"""

import argparse
import json
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import scipy.sparse as sp
from sklearn.semi_supervised import LabelSpreading

from benchmarks.results import provenance, write_section
from benchmarks.timing import seconds
from disambig import PartialLabelClassifier
from disambig.candidates import LabelSets
from disambig.losses import ZeroOneLoss
from disambig.problem import Problem
from disambig.solvers import AlternatingMinimization
from disambig.votes.sparse import SparseVotes

N_NEIGHBORS = 20
CLASSES = (10, 100, 1000)
# Rows of a cluster; a cluster has two overlapping classes, and is far from all others.
CLUSTER_ROWS = 500
N_FEATURES = 20
MAX_CPU_SECONDS = 20
GIB = 2**30
SPREADING_SIZES = (10_000, 20_000, 40_000, 80_000)


# ------------------------------------------------------------------ half steps


@numba.njit
def gather(indices: Any, labels: Any) -> int:
    total = 0
    for e in range(indices.size):
        total += labels[indices[e]]
    return total


def best_time(run: Callable[[], Any], repeats: int) -> float:
    """The least CPU seconds of some runs, after one that compiles; with 0, of a single run."""
    if repeats:
        run()
    return seconds(run, max(1, repeats))


def classes_and_graph(n: int, n_classes: int, seed: int) -> tuple[Any, Any]:
    """Classes and a graph: nine of ten neighbours are of the same class, the others are random."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_classes, n)
    members = np.argsort(truth, kind="stable")
    ends = np.searchsorted(truth[members], np.arange(n_classes + 1))
    first, count = ends[truth], ends[truth + 1] - ends[truth]
    neighbors = np.empty((n, N_NEIGHBORS), dtype=np.int32)
    for place in range(N_NEIGHBORS):
        neighbors[:, place] = members[first + (rng.random(n) * count).astype(np.intp)]
    is_random = rng.random(neighbors.shape) < 0.1
    neighbors[is_random] = rng.integers(0, n, np.count_nonzero(is_random))
    starts = np.arange(0, neighbors.size + 1, N_NEIGHBORS, dtype=np.int32)
    graph = sp.csr_array((np.ones(neighbors.size), neighbors.ravel(), starts), shape=(n, n))
    graph.sum_duplicates()
    graph.data[:] = 1.0 / N_NEIGHBORS
    return truth, graph


def with_distractors(truth: Any, n_classes: int, rng: Any) -> Any:
    """Sets of the true class and two others."""
    mask = np.zeros((truth.size, n_classes), dtype=np.bool_)
    rows = np.arange(truth.size)
    mask[rows, truth] = True
    one = rng.integers(1, n_classes, truth.size)
    other = (one - 1 + rng.integers(1, n_classes - 1, truth.size)) % (n_classes - 1) + 1
    mask[rows, (truth + one) % n_classes] = True
    mask[rows, (truth + other) % n_classes] = True
    return mask


def half_steps(n: int, n_classes: int) -> dict[str, float]:
    """CPU seconds of both half steps and of the computations they are compared with."""
    truth, graph = classes_and_graph(n, n_classes, seed=0)
    votes = SparseVotes(graph)
    sets = LabelSets(with_distractors(truth, n_classes, np.random.default_rng(1)), range(n_classes))
    problem = Problem(votes, ZeroOneLoss().bind(sets.classes), sets)
    steps = problem.row_steps
    assert steps is not None
    by_row, by_column = problem.prediction_tolerance, problem.target_tolerance
    all_rows = np.ones(n, dtype=np.bool_)
    first = steps.first_predictions("average", problem.rtol)
    targets = steps.best_targets(first, by_column)
    predictions = steps.move_predictions(targets.faces, first, by_row, all_rows)

    def predict() -> None:
        steps.move_predictions(targets.faces, first, by_row, all_rows)

    def choose() -> None:
        steps.move_targets(predictions.faces, targets, by_column, all_rows)

    found = {
        "start": best_time(lambda: steps.first_predictions("average", problem.rtol), 0),
        "gather": best_time(lambda: gather(votes.compressed.indices, targets.faces.codes), 7),
        "gather, transposed": best_time(
            lambda: gather(votes.T.compressed.indices, predictions.faces.codes), 7
        ),
        "predictions": best_time(predict, 7),
        "targets": best_time(choose, 7),
    }
    if n_classes <= 100:
        units = np.zeros((n, n_classes))
        units[np.arange(n), truth] = 1.0
        found["scipy"] = best_time(lambda: (graph @ units).argmax(axis=1), 0)
    return found


def table_of_steps(n: int) -> str:
    head = (
        "classes | gather labels | prediction step | × gather | target step | × gather "
        "| scipy | × prediction, target step | start"
    )
    lines = [f"| {head} |", "|" + "---|" * (head.count("|") + 1)]
    steps: dict[int, dict[str, float]] = {}
    for n_classes in CLASSES:
        steps[n_classes] = took = half_steps(n, n_classes)
        scipy = took.get("scipy")
        scipy_cells = "–", "–"
        if scipy is not None:
            ratios = (scipy / took["predictions"], scipy / took["targets"])
            scipy_cells = f"{1e3 * scipy:.0f} ms", f"{ratios[0]:.0f}, {ratios[1]:.0f}"
        cells = [
            str(n_classes),
            f"{1e3 * took['gather']:.0f}, {1e3 * took['gather, transposed']:.0f} ms",
            f"{1e3 * took['predictions']:.0f} ms",
            f"{took['predictions'] / took['gather']:.1f}",
            f"{1e3 * took['targets']:.0f} ms",
            f"{took['targets'] / took['gather, transposed']:.1f}",
            *scipy_cells,
            f"{took['start']:.1f} s",
        ]
        lines.append("| " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    few, many = steps[CLASSES[0]], steps[CLASSES[-1]]
    lines.append(
        f"\n{CLASSES[-1]} classes take {many['predictions'] / few['predictions']:.1f} × the "
        f"time of {CLASSES[0]} in the prediction step and {many['targets'] / few['targets']:.1f} × "
        "in the target step."
    )
    return "\n".join(lines)


# ------------------------------------------------------------------ a whole fit


def clusters(n: int, seed: int) -> tuple[Any, Any]:
    """Inputs ``(n, 20)`` and classes; each cluster has two overlapping classes of ten."""
    rng = np.random.default_rng(seed)
    count = n // CLUSTER_ROWS
    pairs = np.array([rng.permutation(10)[:2] for _ in range(count)])
    side = rng.integers(0, 2, n)
    truth = pairs[np.repeat(np.arange(count), CLUSTER_ROWS), side]
    X = rng.standard_normal((n, N_FEATURES), dtype=np.float32)
    X += np.repeat(rng.normal(size=(count, N_FEATURES)) * 100, CLUSTER_ROWS, axis=0).astype(
        np.float32
    )
    X[:, 0] += 4 * side
    return X, truth


def graph_of_clusters(X: Any) -> Any:
    """The graph of the 20 nearest rows, all in the same cluster, and the order of the rows."""
    n = len(X)
    neighbors = np.empty((n, N_NEIGHBORS), dtype=np.int32)
    for start in range(0, n, CLUSTER_ROWS):
        block = X[start : start + CLUSTER_ROWS] - X[start]
        norms = (block**2).sum(axis=1)
        distances = norms[:, None] + norms - 2 * block @ block.T
        np.fill_diagonal(distances, -1.0)
        nearest = np.argpartition(distances, N_NEIGHBORS, axis=1)[:, :N_NEIGHBORS]
        neighbors[start : start + CLUSTER_ROWS] = np.sort(nearest, axis=1) + start
    # Rows of all clusters in random order.
    order = np.random.default_rng(0).permutation(n)
    place = np.empty(n, dtype=np.int32)
    place[order] = np.arange(n, dtype=np.int32)
    neighbors = np.sort(place[neighbors[order]], axis=1)
    starts = np.arange(0, neighbors.size + 1, N_NEIGHBORS, dtype=np.int32)
    votes = np.full(neighbors.size, 1.0 / N_NEIGHBORS)
    return sp.csr_array((votes, neighbors.ravel(), starts), shape=(n, n)), order


def whole_fit(n: int) -> dict[str, Any]:
    """CPU seconds of a fit and of its parts, and peak memory of the process."""
    X, truth = clusters(n, seed=0)
    graph, order = graph_of_clusters(X)
    del X
    truth = truth[order]
    mask = with_distractors(truth, 10, np.random.default_rng(1))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    small = sp.csr_array(graph[:1000][:, :1000])
    PartialLabelClassifier("precomputed").fit(small, mask[:1000])  # compiles

    clock, start = time.perf_counter(), time.process_time()
    model = PartialLabelClassifier("precomputed").fit(graph, mask)
    fit, wall = time.process_time() - start, time.perf_counter() - clock
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20

    start = time.process_time()
    sets = LabelSets.from_any(mask)
    reading = time.process_time() - start
    votes = SparseVotes(graph)
    start = time.process_time()
    problem = Problem(votes, ZeroOneLoss().bind(sets.classes), sets)
    transposing = time.process_time() - start
    start = time.process_time()
    assert votes.T.compressed.unit == votes.compressed.unit
    _ = problem.target_tolerance
    transposing += time.process_time() - start
    start = time.process_time()
    solution = AlternatingMinimization().solve(problem)
    solving = time.process_time() - start
    return {
        "n": n,
        "fit": fit,
        "wall": wall,
        "before": before,
        "peak": peak,
        "reading": reading,
        "transposing": transposing,
        "solving": solving,
        "accuracy": float(np.mean(model.labels_ == truth)),
        "decided": float(np.mean(model.decided_)),
        "correct if decided": float(np.mean((model.labels_ == truth)[model.decided_])),
        "iterations": len(solution.trace),
        "undecided": int(solution.trace[solution.n_iter].undecided),
    }


def text_of_fit(found: dict[str, Any]) -> str:
    rest = found["fit"] - found["reading"] - found["transposing"] - found["solving"]
    return (
        "| rows | fit | of which reading sets | transposing the graph | solving "
        "| votes, leave-one-out, storing | peak memory (before the fit) | labels recovered |\n"
        + "|---"
        * 8
        + "|\n"
        f"| {found['n']} | {found['fit']:.1f} s | {found['reading']:.2f} | "
        f"{found['transposing']:.2f} | {found['solving']:.2f} | {rest:.2f} | "
        f"{found['peak']:.2f} GiB ({found['before']:.2f}) | {found['accuracy']:.4f} |\n\n"
        f"Wall-clock seconds of the fit on the machine as it was: {found['wall']:.1f}. The solver "
        f"made {found['iterations']} steps, decoding included; {found['undecided']} rows were "
        f"undecided before it. {100 * found['decided']:.2f} % of the labels were decided by the "
        f"data, of which {100 * found['correct if decided']:.2f} % are right."
    )


# ------------------------------------------------------------------ label spreading


def spread(n: int, kernel: str) -> float:
    """CPU seconds of scikit-learn's label spreading with one label in a hundred rows."""
    X, truth = clusters(n, seed=0)
    known = np.where(np.random.default_rng(1).random(n) < 0.01, truth, -1)
    model = LabelSpreading(kernel=kernel, gamma=0.05, n_neighbors=N_NEIGHBORS, max_iter=100)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, known)
    return time.process_time() - start


def largest_spread(kernel: str, sizes: tuple[int, ...]) -> str:
    """The largest size that finishes within the limits of CPU seconds and memory."""
    done = "none"
    for n in sizes:
        run = child("spread", n, kernel, limits=True)
        if run is None:
            return f"{done}; not {n}"
        done = f"{n} in {run:.0f} s"
        print(kernel, done, flush=True)
    return f"{done}, and no larger one was tried"


def child(*task: Any, limits: bool = False) -> Any:
    """The result of a task in its own process; None if it hit the limits."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_SECONDS, MAX_CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (8 * GIB, 8 * GIB))

    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.sparse_steps", "--task", *map(str, task)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limit if limits else None,
    )
    if done.returncode and not limits:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout.splitlines()[-1]) if not done.returncode else None


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, no spreading")
    parser.add_argument("--task", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.task:
        name, n, *rest = options.task
        print(json.dumps(whole_fit(int(n)) if name == "fit" else spread(int(n), *rest)))
        return
    n = 100_000 if options.quick else 1_000_000
    steps = table_of_steps(n)
    fit = text_of_fit(child("fit", n))
    sizes = SPREADING_SIZES[:1] if options.quick else SPREADING_SIZES
    spreading = {kernel: largest_spread(kernel, sizes) for kernel in ("rbf", "knn")}
    command = "python -m benchmarks.sparse_steps --write"
    text = (
        "## Sparse votes: half steps and a whole fit\n\n"
        f"{n} rows, {N_NEIGHBORS} neighbours with equal votes, rows in random order. *Gather*: "
        "read the label of every neighbour once and add them up, over the graph and over its "
        "transpose. *scipy*: sparse product with labels as unit vectors, then argmax over all "
        "classes. The target step chooses within sets of three; *start* is the prediction step "
        "from sets.\n\n"
        f"{provenance(command, seeds='0, 1', more={'Threads': '1; CPU seconds'})}\n\n"
        f"{steps}\n\n"
        f"`PartialLabelClassifier` given the graph, {N_FEATURES} features, 3 of 10 candidates; "
        f"clusters of {CLUSTER_ROWS} rows with two overlapping classes each (one row in 44 is "
        "nearer to the wrong centre); CPU seconds:\n\n"
        f"{fit}\n\n"
        "scikit-learn's `LabelSpreading` on such data with one label in a hundred, up to "
        f"{MAX_CPU_SECONDS} CPU seconds and 8 GiB, largest number of rows, its neighbour search "
        "included: kernel rbf "
        f"{spreading['rbf']}; kernel knn {spreading['knn']}.\n"
    )
    if options.write:
        write_section("sparse_steps", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
