"""What rows on workers cost: formulas, what was counted beside them, and 10^9 rows on paper.

    python -m benchmarks.cluster_costs [--write] [--quick]

Bytes are counted on workers in threads of this process, of which nothing leaves it. `counted` is
what the executor sent and received, and what workers fetched from each other. The simulation takes
its rates from the sections of RESULTS.md on Dask.
"""

import argparse
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from benchmarks import cluster_formulas as formulas
from benchmarks.cluster_formulas import Size, Ties, Traffic
from benchmarks.cluster_simulation import Rates, build_seconds, mean_step
from benchmarks.dask_steps import random_problem
from benchmarks.results import RESULTS, provenance, write_section
from disambig import PartialLabelClassifier
from disambig.losses import ZeroOneLoss
from disambig.losses.labels.sweeps import columns_of
from disambig.problem import Problem
from disambig.votes.executor import Executor
from disambig.votes.row_blocks import RowBlocks
from disambig.weights import ForestWeights, NeighborWeights, NystromWeights
from disambig.weights.divided.rows import DividedRows
from disambig.weights.neighbors.parts import RowIndex, search_part

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
FITS = (10_000, 40_000)
BILLION = Size(10**9, n_blocks=100, n_workers=100)
_SEARCHED, _PART_ROWS, _N_PARTS = 5_000, 100_000, 5
_GIB = 2**30


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


def index_bytes(n_features: int = 8, n: int = _PART_ROWS) -> float:
    """Bytes of the index of a part, for each row."""
    return RowIndex.build(np.random.default_rng(0).normal(size=(n, n_features)), 0).__sizeof__() / n


def search_seconds(n_features: int = 8, width: int = 21) -> tuple[float, float]:
    """Seconds of the processor to search a row's part, and each further part, of 10^5 rows."""
    rng = np.random.default_rng(0)
    centers = rng.uniform(-3.0, 3.0, (100, n_features))
    parts = [
        centers[rng.integers(0, 100, _PART_ROWS)] + rng.normal(size=(_PART_ROWS, n_features))
        for _ in range(_N_PARTS)
    ]
    indices = [RowIndex.build(part, b * _PART_ROWS) for b, part in enumerate(parts)]
    queries = parts[0][:_SEARCHED]
    search_part(indices[0], queries[:10], width, n_jobs=1)
    start = time.process_time()
    own = search_part(indices[0], queries, width, n_jobs=1)
    middle = time.process_time()
    for index in indices[1:]:
        search_part(index, queries, width, limits=own.limits, n_jobs=1)
    end = time.process_time()
    return (middle - start) / _SEARCHED, (end - middle) / _SEARCHED / (_N_PARTS - 1)


# ------------------------------------------------------------------ what other sections have


def rows_of(section: str, text: str) -> list[list[str]]:
    """The cells of the first table of a section of the results, without its head."""
    match = re.search(f"<!-- begin: {section} -->(.*?)<!-- end: {section} -->", text, re.DOTALL)
    if match is None:
        raise ValueError(f"RESULTS.md has no section {section!r}.")
    table = match[1][match[1].index("\n|") :].strip().partition("\n\n")[0]
    lines = table.split("\n")
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def measured_rates(text: str) -> Rates:
    """The rates of a step, from the largest and the smallest one that was measured."""
    found = rows_of("dask_steps", text)
    small, large = found[0], found[-1]
    n = int(large[0])
    return Rates(
        worker=float(large[3]) / n,
        client=float(large[2]) / n,
        message=float(small[2]) / int(small[6]),
    )


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


def need_lines(size: Size, index: float) -> list[str]:
    """What many rows need, by the formulas."""
    held, built = formulas.held(size, index), formulas.build(size, index)
    one, again = formulas.step(size), formulas.sparse_product(size, size.n_classes)
    workers = size.n_workers
    shares = [
        ("inputs, all workers", held.rows),
        ("index", held.index),
        ("lists of neighbours, until the end of the fit", held.lists),
        ("votes and transpose", held.votes),
        (f"**each of {workers} workers**, with the labels that vote", held.of_worker(workers)),
        ("**client**: sets and three tables of rows and classes", held.client),
        ("client: hashes of the rows, where equal ones are found", held.hashes),
        ("build: between workers", built.between),
        ("a step: client to workers", one.sent),
        ("a step: workers to client", one.received),
        ("a step: between workers", one.between),
        (
            "a product with a table of 10 columns (annealing, confidence): client to workers",
            again.sent,
        ),
        ("such a product: between workers", again.between),
        ("such a product: in each worker, while it runs", again.sent),
    ]
    return [
        "| what | GiB |",
        "|---|---:|",
        *[f"| {name} | {n_bytes / _GIB:,.1f} |" for name, n_bytes in shares],
        f"| build: tasks (a number, not GiB) | {built.tasks:,} |",
    ]


def _measured_simulated(text: str, rates: Rates) -> list[str]:
    lines = [
        "| rows | blocks | workers | measured: client + workers / 2, CPU s | simulated, s |",
        "|---:|---:|---:|---:|---:|",
    ]
    for cells in rows_of("dask_steps", text):
        n = int(cells[0])
        found = float(cells[2]) + float(cells[3]) / 2
        alone = mean_step(Size(n), rates).seconds
        lines.append(f"| {n:,} | 8 | 2 | {found:.2f} | {alone:.2f} |")
    return lines


def simulated_lines(rates: Rates) -> list[str]:
    """Steps of up to 10^9 rows on 100 workers."""
    lines = [
        "| rows | build, hours | step, s | of it the client | labels sent on by one worker only "
        "| 5 % of the blocks 4 times as slow | and a death every 10 hours | deaths in 1000 steps |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    slow = Rates(**{**vars(rates), "slow_share": 0.05})
    deadly = Rates(**{**vars(rates), "slow_share": 0.05, "deaths": 0.001})
    for n in (10**6, 10**7, 10**8, 10**9):
        size = Size(n, n_blocks=100, n_workers=100)
        once = mean_step(size, deadly, repeats=1000)
        lines.append(
            f"| {n:,} | {build_seconds(size, rates) / 3600:.2f} | "
            f"{mean_step(size, rates).seconds:.1f} | {rates.client * n:.1f} | "
            f"{mean_step(size, rates, passed_on=False).seconds:.1f} | "
            f"{mean_step(size, slow).seconds:.1f} | {once.seconds:.1f} | {once.deaths} |"
        )
    return lines


def graph_lines(text: str) -> list[str]:
    """CPU seconds of graphs that were built here, on one machine."""
    lines = ["| rows | memory | graph, CPU µs a row |", "|---:|---|---:|"]
    for n, memory, seconds, *_ in rows_of("out_of_core", text):
        rows = int(n.replace(",", ""))
        lines.append(f"| {n} | {memory} | {float(seconds) / rows * 1e6:.0f} |")
    return lines


def section(text: str, *, quick: bool = False) -> str:
    """The section of the results.

    Parameters
    ----------
    text : str
        The results so far.
    quick : bool
        Only two steps.
    """
    index = index_bytes()
    own, more = search_seconds()
    rates = measured_rates(text)
    rates = Rates(**{**vars(rates), "search": own, "search_more": more})
    parts = [
        "## What rows on workers cost",
        "Bytes of a step, of products and of a fit: by the formulas of "
        "`benchmarks/cluster_formulas.py`, and counted on workers in threads of one process. "
        "*Sent* and *received* are the client's. *Between workers* is what they fetch from each "
        "other: the formula says once what all need, and once what belongs to a block. It is less "
        "where a block meets what it needs, and more where a worker frees labels and fetches them "
        "again.",
        provenance("python -m benchmarks.cluster_costs --write", seeds="0"),
        "A step of labels, all rows visited:",
        "\n".join(_counted_lines(STEPS[:2] if quick else STEPS)),
        f"Other operations, {PRODUCT.n} rows, 4 blocks on 2 workers:",
        "\n".join(_product_lines()),
        "Whole fits by `DaskEstimator` with 10 neighbours, 10 classes, 4 partitions on 2 workers, "
        "with confidence:",
        "\n".join([] if quick else _fit_lines()),
        f"**10⁹ rows on paper**: {BILLION.n_features} features, {BILLION.n_neighbors} neighbours, "
        f"{BILLION.n_classes} classes, {BILLION.n_blocks} partitions, {BILLION.n_workers} workers, "
        f"{index:.0f} bytes of index a row:",
        "\n".join(need_lines(BILLION, index)),
        "**Simulated**, with rates that were measured: a row of a step takes "
        f"{rates.worker * 1e6:.2f} CPU µs of a worker and {rates.client * 1e6:.2f} of the client, "
        f"a message {rates.message * 1e3:.1f} ms (section on steps); the search of a row takes "
        f"{own * 1e6:.0f} µs in its own part and {more * 1e6:.0f} µs in each other one (parts of "
        f"10⁵ rows, measured here). Assumed: {rates.bandwidth * 8 / 1e9:.0f} Gbit/s for each "
        f"machine, {rates.latency * 1e3:.1f} ms, one thread a worker. Steps that were measured, "
        "beside the simulation (the rates are those of the last line):",
        "\n".join(_measured_simulated(text, rates)),
        "Graphs that were built here, one machine (section on rows in files):",
        "\n".join(graph_lines(text)),
        "100 workers with a part each, simulated. A death costs the search of the lost part, which "
        "one worker does. The build is without its traffic, and takes the search times of parts of "
        "10⁵ rows for larger parts, in which a search takes longer:",
        "\n".join(simulated_lines(rates)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="two steps, no fits")
    options = parser.parse_args(arguments)
    text = section(RESULTS.read_text(encoding="utf-8"), quick=options.quick)
    if options.write:
        write_section("cluster_costs", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
