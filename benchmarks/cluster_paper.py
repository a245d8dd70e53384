"""What rows on many workers need on paper: 10^9 rows by formulas, and 100 workers simulated.

    python -m benchmarks.cluster_paper [--write]

The formulas of what travels are checked by `python -m benchmarks.cluster_costs`. The simulation
takes its rates from the sections of RESULTS.md on Dask, and search times that are measured here.
"""

import argparse
import re
import time
from dataclasses import replace

import numpy as np

from benchmarks import cluster_formulas as formulas
from benchmarks.cluster_formulas import Size
from benchmarks.cluster_simulation import Rates, build_seconds, mean_step
from benchmarks.results import RESULTS, provenance, write_section
from disambig.weights.neighbors.parts import RowIndex, search_part

BILLION = Size(10**9, n_blocks=100, n_workers=100)
_SEARCHED, _PART_ROWS, _N_PARTS = 5_000, 100_000, 5
_GIB = 2**30


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
    slow = replace(rates, slow_share=0.05)
    deadly = replace(rates, slow_share=0.05, deaths=0.001)
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


def memory_lines(text: str, index: float) -> list[str]:
    """Formulas of memory beside what a fit was measured to take."""
    lines = [
        "| rows | one of 2 workers, GiB: formula | measured | client: formula | measured |",
        "|---:|---:|---:|---:|---:|",
    ]
    for cells in rows_of("dask_fit", text):
        held = formulas.held(Size(int(cells[0])), index)
        lines.append(
            f"| {cells[0]} | {held.of_worker(2) / _GIB:.2f} | {cells[5]} | "
            f"{held.client / _GIB:.2f} | {cells[6]} |"
        )
    return lines


def section(text: str) -> str:
    """The section of the results.

    Parameters
    ----------
    text : str
        The results so far.
    """
    index = index_bytes()
    own, more = search_seconds()
    rates = replace(measured_rates(text), search=own, search_more=more)
    parts = [
        "## Many workers on paper",
        f"**10⁹ rows**, by formulas: {BILLION.n_features} features, {BILLION.n_neighbors} "
        f"neighbours, {BILLION.n_classes} classes, {BILLION.n_blocks} partitions, "
        f"{BILLION.n_workers} workers, {index:.0f} bytes of index a row.",
        provenance("python -m benchmarks.cluster_paper --write", seeds="0"),
        "\n".join(need_lines(BILLION, index)),
        "What travels is counted by `python -m benchmarks.cluster_costs`. **Memory is not "
        "counted.** A fit that was measured took more than the formulas say. Its figures are those "
        "of whole processes, with imports, rows that are read, and what is copied on the way:",
        "\n".join(memory_lines(text, index)),
        "**Simulated**, with rates that were measured: a row of a step takes "
        f"{rates.worker * 1e6:.2f} CPU µs of a worker and {rates.client * 1e6:.2f} of the client, "
        f"a message {rates.message * 1e3:.1f} ms (section on steps); the search of a row takes "
        f"{own * 1e6:.0f} µs in its own part and {more * 1e6:.0f} µs in each other one (parts of "
        f"10⁵ rows, measured here). Assumed: {rates.bandwidth * 8 / 1e9:.0f} Gbit/s for each "
        f"machine, {rates.latency * 1e3:.1f} ms, one thread a worker.",
        "Steps that were measured, beside the simulation. The rates for rows are those of the last "
        "line and that for messages of the first one, so that only the lines in between are "
        "predictions. Of few rows it takes half of what was measured, because workers also spend "
        "time on each task, and ties send more arrays:",
        "\n".join(_measured_simulated(text, rates)),
        "Graphs that were built here, one machine (section on rows in files):",
        "\n".join(graph_lines(text)),
        "100 workers with a part each, simulated: a hundred to a thousand times beyond what was "
        "measured. A death costs the search of the lost part, which one worker does. The build is "
        "without its traffic, and takes the search times of parts of 10⁵ rows for larger parts, in "
        "which a search takes longer:",
        "\n".join(simulated_lines(rates)),
    ]
    return "\n\n".join(parts) + "\n"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="the same: it takes seconds")
    options = parser.parse_args(arguments)
    text = section(RESULTS.read_text(encoding="utf-8"))
    if options.write:
        write_section("cluster_paper", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
