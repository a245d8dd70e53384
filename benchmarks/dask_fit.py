"""Labels of a folder of Parquet files on two Dask workers: time, memory, and how many are right.

    python -m benchmarks.dask_fit [--write] [--rows 1000000] [--partitions 4]

Generated rows of ten overlapping classes in eight features; up to three candidates a row. The
search for neighbours is exact.
"""

import argparse
import os
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_blobs

from benchmarks.results import provenance, write_section
from disambig import PartialLabelClassifier
from disambig.dask import DaskEstimator, local_client
from disambig.weights import NeighborWeights

N_CLASSES, N_FEATURES, N_NEIGHBORS, N_WORKERS = 10, 8, 20, 2
CLASSES = [f"class {c}" for c in range(N_CLASSES)]


def write_parts(folder: Path, n: int, n_parts: int) -> Any:
    """Write the rows as Parquet files; returns their true classes, ``(n,)``."""
    import pandas as pd

    X, truth = make_blobs(
        n, centers=N_CLASSES, n_features=N_FEATURES, cluster_std=4.0, random_state=0
    )
    rng = np.random.default_rng(0)
    mask = np.zeros((n, N_CLASSES), dtype=np.bool_)
    for _ in range(2):
        mask[np.arange(n), rng.integers(0, N_CLASSES, n)] = True
    mask[np.arange(n), truth] = True
    frame = pd.DataFrame(X, columns=[f"x{d}" for d in range(N_FEATURES)])
    frame[CLASSES] = mask
    bounds = np.linspace(0, n, n_parts + 1).astype(int).tolist()
    for part, (start, stop) in enumerate(pairwise(bounds)):
        frame[start:stop].to_parquet(folder / f"{part:04d}.parquet", index=False)
    return truth


def resources() -> tuple[float, float]:
    """CPU seconds and the peak memory in GiB of this process."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return time.process_time(), int(peak.split()[1]) / 2**20


def measured(folder: Path, truth: Any) -> str:
    """A fit of the folder, as a line of the table."""
    with local_client(N_WORKERS) as client:
        before = client.run(resources)
        own = time.process_time()
        start = time.perf_counter()
        labels = PartialLabelClassifier(NeighborWeights(N_NEIGHBORS), solver="alternating")
        model = DaskEstimator(labels).fit(str(folder), CLASSES, client=client)
        wall = time.perf_counter() - start
        after = client.run(resources)
        own = time.process_time() - own
    right = float((model.labels_ == np.array(CLASSES)[truth]).mean())
    workers = sum(after[k][0] - before[k][0] for k in after)
    peak = max(found[1] for found in after.values())
    traffic = model.traffic_["bytes_sent"] + model.traffic_["bytes_received"]
    return (
        f"| {len(truth)} | {len(list(folder.iterdir()))} | {workers:.0f} | {own:.0f} | {wall:.0f} "
        f"| {peak:.2f} | {resources()[1]:.2f} | {traffic / len(truth):.0f} | {right:.3f} |"
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="ten thousand rows")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--partitions", type=int, default=4)
    options = parser.parse_args(arguments)
    n = 10_000 if options.quick else options.rows
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        line = measured(folder, write_parts(folder, n, options.partitions))
    load = os.getloadavg()[1]
    more = {"Load of the machine": f"{load:.0f} processes wait for it: compare CPU seconds"}
    command = f"python -m benchmarks.dask_fit --rows {n} --partitions {options.partitions} --write"
    text = (
        "## A folder of Parquet files on Dask\n\n"
        f"`DaskEstimator` of labels with {N_NEIGHBORS} exact neighbours, {N_FEATURES} features, "
        f"{N_CLASSES} classes, {N_WORKERS} worker processes, with confidence; memory is the peak "
        "of one worker and of the client.\n\n"
        f"{provenance(command, seeds='0', more=more)}\n\n"
        "| rows | partitions | workers, CPU s | client, CPU s | wall s | worker, GiB | client, GiB "
        "| bytes a row, client to workers and back | labels right |\n"
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n"
        f"{line}\n"
    )
    if options.write:
        write_section("dask_fit", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
