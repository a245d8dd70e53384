"""What travels between workers: by formulas, and counted beside them.

    python -m benchmarks.cluster_costs [--write] [--quick]

Bytes are counted on workers in threads of this process, of which nothing leaves it. What
is counted is what the executor sent and received, and what workers fetched from each other.
`python -m benchmarks.cluster_paper` has what follows for more rows.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from benchmarks import cluster_formulas as formulas
from benchmarks.cluster_formulas import Size, Ties, Traffic
from benchmarks.dask_steps import random_problem
from benchmarks.results import provenance, write_section
from disambig import PartialLabelClassifier
from disambig.losses import ZeroOneLoss
from disambig.losses.labels.sweeps import columns_of
from disambig.problem import Problem
from disambig.votes.executor import Executor
from disambig.votes.row_blocks import RowBlocks
from disambig.weights import ForestWeights, NeighborWeights, NystromWeights
from disambig.weights.divided.rows import DividedRows

STEPS = (
    Size(10_000, n_neighbors=10, n_blocks=4),
    Size(100_000, n_neighbors=10, n_blocks=4),
    Size(10_000, n_neighbors=40, n_blocks=4),
    Size(10_000, n_neighbors=10, n_blocks=4, n_classes=100),
    Size(10_000, n_neighbors=10, n_blocks=4, n_classes=300),
    Size(10_000, n_neighbors=10, n_blocks=16),
    Size(10_000, n_neighbors=10, n_blocks=16, n_workers=4),
)
PRODUCT = Size(10_000, n_blocks=4, n_features=4)
FITS = (10_000, 20_000)


class Counted(NamedTuple):
    """Bytes that were counted in an operation."""

    sent: int
    received: int
    between: int


@contextmanager
def workers(n_workers: int) -> Iterator[Any]:
    """A client with workers in threads of this process."""
    import dask
    from distributed import Client

    with dask.config.set({"distributed.worker.memory.terminate": False}):
        client = Client(
            processes=False, n_workers=n_workers, threads_per_worker=1, dashboard_address=None
        )
        with client:
            yield client


def counted(client: Any, executor: Any, run: Callable[[], Any]) -> Counted:
    """The bytes of a function that runs on the workers."""
    own = list(client.cluster.workers.values())
    before, fetched = dict(executor.counts), _fetched(own)
    run()
    after = executor.counts
    return Counted(
        after["bytes_sent"] - before["bytes_sent"],
        after["bytes_received"] - before["bytes_received"],
        _fetched(own) - fetched,
    )


def _fetched(own: Sequence[Any]) -> int:
    return sum(entry["total"] for worker in own for entry in worker.transfer_incoming_log)


def scattered(client: Any, executor: Any, size: Size, matrix: Any) -> RowBlocks:
    """Votes in blocks on the workers."""
    base, more = divmod(size.n, size.n_blocks)
    heights = [base + (b < more) for b in range(size.n_blocks)]
    local = RowBlocks.divided(matrix, np.cumsum([0, *heights]).tolist())
    blocks, transposed = (
        client.scatter(list(part), direct=True, hash=False)
        for part in (local.blocks, local.transposed)
    )
    there: Executor = executor
    return RowBlocks(blocks, transposed, there)


def measured_step(size: Size) -> tuple[Counted, Ties]:
    """A step over random votes in which all rows are visited."""
    from disambig.dask.executor import DaskExecutor

    matrix, sets = random_problem(size.n, 0, size.n_neighbors, size.n_classes)
    loss = ZeroOneLoss().bind(sets.classes)
    with workers(size.n_workers) as client:
        executor = DaskExecutor(client)
        problem = Problem(scattered(client, executor, size, matrix), loss, sets)
        steps: Any = problem.row_steps
        predictions = steps.first_predictions("average", problem.rtol)
        targets = steps.best_targets(predictions, problem.target_tolerance)
        every = np.ones(size.n, dtype=np.bool_)
        states: list[Any] = []

        def once() -> None:
            # Copies, as each step of a fit has new labels: what is known is not sent again.
            old, older = targets.faces.copy(), predictions.copy()
            new = steps.move_predictions(old, older, problem.prediction_tolerance, every)
            begun = targets._replace(faces=old.copy())
            moved = steps.move_targets(new.faces, begun, problem.target_tolerance, every)
            states[:] = [old, older, new.faces, moved.faces]

        once()
        found = counted(client, executor, once)
    return found, Ties(*(len(faces.several_words[0]) for faces in states))


def measured_affected(size: Size, moved: int) -> Counted:
    """The search of the rows that some moved ones affect."""
    from disambig.dask.executor import DaskExecutor

    matrix, _ = random_problem(size.n, 0, size.n_neighbors, size.n_classes)
    marks = np.zeros(size.n, dtype=np.bool_)
    marks[np.random.default_rng(0).choice(size.n, moved, replace=False)] = True
    with workers(size.n_workers) as client:
        executor = DaskExecutor(client)
        votes = scattered(client, executor, size, matrix)
        _ = votes.bounds
        return counted(client, executor, lambda: columns_of(votes, marks))


def measured_product(size: Size, weighting: Any, n_columns: int) -> tuple[Counted, Any]:
    """A product of votes with a table after the first one, and the votes."""
    from disambig.dask.executor import DaskExecutor

    rng = np.random.default_rng(0)
    X, table = rng.normal(size=(size.n, size.n_features)), rng.normal(size=(size.n, n_columns))
    with workers(size.n_workers) as client:
        executor = DaskExecutor(client)
        rows = rows_on_workers(executor, X, size.n_blocks)
        votes = weighting.fit(rows).training_votes()
        _ = votes @ table
        return counted(client, executor, lambda: votes @ (2 * table)), votes


def rows_on_workers(executor: Any, X: Any, n_blocks: int) -> DividedRows:
    """Rows as parts on the workers."""
    bounds = np.linspace(0, len(X), n_blocks + 1).astype(int)
    parts = [executor.submit(np.array, X[i:j]) for i, j in pairwise(bounds.tolist())]
    there: Executor = executor
    return DividedRows(parts, bounds, X.shape[1], there)


def measured_fit(n: int) -> tuple[dict[str, int], int, float]:
    """Counts of a fit with confidence, bytes between workers, and right labels."""
    import dask.array as da

    from disambig.dask import DaskEstimator

    rng = np.random.default_rng(0)
    truth = rng.integers(0, 10, n)
    X = rng.normal(size=(10, 4))[truth] * 4.0 + rng.normal(size=(n, 4))
    mask = rng.random((n, 10)) < 0.2
    mask[np.arange(n), truth] = True
    labels = PartialLabelClassifier(NeighborWeights(10), solver="alternating")
    with workers(2) as client:
        own = list(client.cluster.workers.values())
        model = DaskEstimator(labels).fit(da.from_array(X, chunks=(n // 4, -1)), mask, client)
        right = float((model.labels_ == truth).mean())
        return dict(model.traffic_), _fetched(own), right


# ------------------------------------------------------------------ the section


def _counted_lines(sizes: Sequence[Size]) -> list[str]:
    lines = [
        "| rows | neighbours | classes | blocks | workers | sent, bytes a row: formula | counted "
        "| received: formula | counted | between workers: formula | counted |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for size in sizes:
        found, ties = measured_step(size)
        lines.append(
            f"| {size.n} | {size.n_neighbors} | {size.n_classes} | {size.n_blocks} | "
            f"{size.n_workers} | {_cells(formulas.step(size, ties), found, size.n)} |"
        )
    return lines


def _cells(expected: Traffic, found: Counted, n: int) -> str:
    pairs = zip(expected, found, strict=True)
    return " | ".join(f"{one / n:.2f} | {other / n:.2f}" for one, other in pairs)


def _product_lines() -> list[str]:
    lines = [
        "| operation | sent, bytes a row: formula | counted | received: formula | counted "
        "| between workers: formula | counted |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    size, moved = Size(10_000, n_blocks=16), 100
    lines.append(
        f"| rows that {moved} moved ones affect, 16 blocks | "
        f"{_cells(formulas.affected(size, moved), measured_affected(size, moved), size.n)} |"
    )
    sparse, _ = measured_product(PRODUCT, NeighborWeights(10), 10)
    expected = formulas.sparse_product(PRODUCT, 10)
    lines.append(f"| neighbours × 10 columns | {_cells(expected, sparse, PRODUCT.n)} |")
    rank = 50
    ranked, _ = measured_product(PRODUCT, NystromWeights(n_landmarks=rank), 10)
    expected = formulas.low_rank_product(PRODUCT, 10, rank)
    lines.append(f"| {rank} landmarks × 10 columns | {_cells(expected, ranked, PRODUCT.n)} |")
    forest = ForestWeights(n_estimators=10, min_samples_split=50, random_state=0)
    grown, votes = measured_product(PRODUCT, forest, 10)
    n_leaves = int(votes.leaf_totals.size)
    expected = formulas.forest_product(PRODUCT, 10, n_leaves)
    lines.append(
        f"| forest of {n_leaves} leaves × 10 columns | {_cells(expected, grown, PRODUCT.n)} |"
    )
    return lines


def _fit_lines() -> list[str]:
    lines = [
        "| rows | calls | tasks | messages | sent, bytes a row | received | between workers "
        "| labels right |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for n in FITS:
        counts, between, right = measured_fit(n)
        lines.append(
            f"| {n} | {counts['calls']} | {counts['tasks']} | {counts['messages']} | "
            f"{counts['bytes_sent'] / n:.0f} | {counts['bytes_received'] / n:.0f} | "
            f"{between / n:.0f} | {right:.3f} |"
        )
    return lines


def section(*, quick: bool = False) -> str:
    """The section of the results.

    Parameters
    ----------
    quick : bool
        Only two steps, and no fits.
    """
    parts = [
        "## What travels between workers",
        "Bytes of a step, of products and of a fit: by the formulas of "
        "`benchmarks/cluster_formulas.py`, and counted on workers in threads of one process. "
        "*Sent* and *received* are the client's. *Between workers* is what they fetch from each "
        "other: the formula says once what all need, and once what belongs to a block. It depends "
        "on where Dask runs the blocks, which differs from run to run: up to twice as much was "
        "counted.",
        provenance("python -m benchmarks.cluster_costs --write", seeds="0"),
        "A step of labels, all rows visited:",
        "\n".join(_counted_lines(STEPS[:2] if quick else STEPS)),
        f"Other operations, {PRODUCT.n} rows, 4 blocks on 2 workers:",
        "\n".join(_product_lines()),
    ]
    if not quick:
        parts += [
            "Whole fits by `DaskEstimator` with 10 neighbours, 10 classes, 4 partitions on 2 "
            "workers, with confidence:",
            "\n".join(_fit_lines()),
        ]
    return "\n\n".join(parts) + "\n"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="two steps, no fits")
    options = parser.parse_args(arguments)
    text = section(quick=options.quick)
    if options.write:
        write_section("cluster_costs", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
