"""What an alternating step on two Dask workers costs and sends, beside the same step in process.

    python -m benchmarks.dask_steps [--write] [--quick]

Each row has votes of k random rows: a step does not know how they were found, and random rows are
the worst case for the processor cache. Each step visits all rows, as the first steps of a fit do.
The workers are processes of this machine; nothing else is between them and the client.
"""

import argparse
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from benchmarks.results import provenance, write_section
from disambig.candidates import LabelSets
from disambig.dask import local_client
from disambig.losses import ZeroOneLoss
from disambig.problem import Problem
from disambig.votes.executor import Executor
from disambig.votes.row_blocks import RowBlocks
from disambig.votes.sparse import SparseVotes

N_NEIGHBORS, N_CLASSES, N_BLOCKS, N_WORKERS = 20, 10, 8, 2
SIZES = (10_000, 100_000, 1_000_000)
_REPEATS = 5


class Measured(NamedTuple):
    """A step at one size.

    Attributes
    ----------
    n : int
    alone, client, workers : float
        CPU seconds: in process, of the client, and of all workers together.
    wall_alone, wall : float
        Seconds by the clock, least of some steps.
    messages, sent, received : int
        Arrays and tasks, and bytes, between client and workers.
    same : bool
        Whether the faces are those in process.
    """

    n: int
    alone: float
    client: float
    workers: float
    wall_alone: float
    wall: float
    messages: int
    sent: int
    received: int
    same: bool


def random_problem(
    n: int, seed: int = 0, n_neighbors: int = N_NEIGHBORS, n_classes: int = N_CLASSES
) -> tuple[Any, LabelSets]:
    """Equal votes of k random rows for each row, ``(n, n)``, and sets of up to three classes."""
    rng = np.random.default_rng(seed)
    indices = np.sort(rng.integers(0, n, (n, n_neighbors), dtype=np.int32), axis=1)
    indptr = np.arange(0, indices.size + 1, n_neighbors)
    data = np.full(indices.size, 1.0 / n_neighbors)
    matrix = sp.csr_array((data, indices.ravel(), indptr), shape=(n, n))
    matrix.sum_duplicates()
    matrix.data[:] = 1.0 / n_neighbors
    mask = np.zeros((n, n_classes), dtype=np.bool_)
    for _ in range(3):
        mask[np.arange(n), rng.integers(0, n_classes, n)] = True
    return matrix, LabelSets(mask, np.arange(n_classes))


def step(problem: Problem) -> Any:
    """A function that repeats one alternating step in which all rows are visited."""
    steps: Any = problem.row_steps
    predictions = steps.first_predictions("average", problem.rtol)
    targets = steps.best_targets(predictions, problem.target_tolerance)
    every = np.ones(len(predictions), dtype=np.bool_)

    def once() -> Any:
        found = steps.move_predictions(
            targets.faces, predictions, problem.prediction_tolerance, every
        )
        return steps.move_targets(found.faces, targets, problem.target_tolerance, every)

    return once


def measured(n: int, client: Any) -> Measured:
    """A step in process, and the same step on the workers of a client."""
    from disambig.dask.executor import DaskExecutor

    matrix, sets = random_problem(n)
    loss = ZeroOneLoss().bind(sets.classes)
    alone = step(Problem(SparseVotes(matrix), loss, sets))
    expected, (cpu_alone, wall_alone) = alone(), _least(alone, time.process_time)
    bounds = np.linspace(0, n, N_BLOCKS + 1).astype(int).tolist()
    local = RowBlocks.divided(matrix, bounds)
    executor = DaskExecutor(client)
    blocks, transposed = (
        client.scatter(list(part), direct=True, hash=False)
        for part in (local.blocks, local.transposed)
    )
    on_dask: Executor = executor
    there = step(Problem(RowBlocks(blocks, transposed, on_dask), loss, sets))
    found = there()
    before = dict(executor.counts)
    workers = _cpu_of(client)
    cpu, wall = _least(there, time.process_time)
    workers = _cpu_of(client) - workers
    after = executor.counts
    counts = {name: (after[name] - before[name]) // _REPEATS for name in after}
    same = not found.faces.differing(expected.faces).any() and bool(
        (found.costs == expected.costs).all()
    )
    return Measured(
        n,
        cpu_alone,
        cpu,
        workers / _REPEATS,
        wall_alone,
        wall,
        counts["messages"],
        counts["bytes_sent"],
        counts["bytes_received"],
        same,
    )


def _least(run: Any, clock: Any) -> tuple[float, float]:
    """CPU seconds on average, and the least wall seconds, of some runs."""
    walls, start = [], clock()
    for _ in range(_REPEATS):
        begin = time.perf_counter()
        run()
        walls.append(time.perf_counter() - begin)
    return (clock() - start) / _REPEATS, min(walls)


def _cpu_of(client: Any) -> float:
    return float(sum(client.run(time.process_time).values()))


def text_of(rows: Sequence[Measured]) -> str:
    """The rows as a table."""
    lines = [
        "| rows | in process, CPU s | client, CPU s | workers, CPU s | wall, alone | wall, Dask "
        "| messages | sent, bytes a row | received, bytes a row | same faces and costs |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    for row in rows:
        lines.append(
            f"| {row.n} | {row.alone:.3f} | {row.client:.3f} | {row.workers:.3f} | "
            f"{row.wall_alone:.3f} | {row.wall:.3f} | {row.messages} | {row.sent / row.n:.1f} | "
            f"{row.received / row.n:.1f} | {'yes' if row.same else 'NO'} |"
        )
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="only the smallest size")
    options = parser.parse_args(arguments)
    with local_client(N_WORKERS) as client:
        rows = [measured(n, client) for n in (SIZES[:1] if options.quick else SIZES)]
    more = {"Other work": "ran on the machine: compare CPU seconds rather than wall seconds"}
    text = (
        "## A step on Dask\n\n"
        f"An alternating step (both half steps, all rows visited) over votes of {N_NEIGHBORS} "
        f"random rows, {N_CLASSES} classes, {N_BLOCKS} blocks on {N_WORKERS} worker processes. "
        "*Messages* are arrays and tasks that the client sends; no array goes through the "
        "scheduler. CPU seconds of a step are means, wall seconds the least, of "
        f"{_REPEATS} steps.\n\n"
        f"{provenance('python -m benchmarks.dask_steps --write', seeds='0', more=more)}\n\n"
        f"{text_of(rows)}\n"
    )
    if options.write:
        write_section("dask_steps", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
