"""How long `disambig.diagnose` takes.

    python -m benchmarks.diagnosis [--rows 100000] [--features 20] [--full]

Made-up data of every kind: ten classes with sets, intervals, orders of eight items, ten tags. One
line a kind, with the findings, which should be few: the data are clean.
"""

import argparse
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from disambig import Intervals, LabelSets, PartialBits, PartialOrders, diagnose


def data_sets(n: int, d: int) -> Iterator[tuple[str, Any, Any]]:
    """Name, inputs and candidate sets, with seed 0."""
    rng = np.random.default_rng(0)
    truth = rng.integers(10, size=n)
    X = rng.normal(size=(n, d)) + 2 * rng.normal(size=(10, d))[truth]
    mask = rng.random((n, 10)) < 0.3
    mask[np.arange(n), truth] = True
    yield "labels", X, LabelSets(mask, np.arange(10))
    center = X[:, 0] + X[:, 1]
    below, above = rng.exponential(1, size=(2, n))
    yield "numbers", X, Intervals(center - below, center + above)
    utilities = X @ rng.normal(size=(d, 8))
    yield "orders", X, PartialOrders.from_any(np.argsort(np.argsort(-utilities, axis=1), axis=1))
    yield "bits", X, PartialBits.from_any((X @ rng.normal(size=(d, 10)) > 0).astype(int))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--full", action="store_true", help="fast=False")
    options = parser.parse_args()
    for kind, X, y in data_sets(options.rows, options.features):
        start = time.perf_counter()
        report = diagnose(X, y, fast=not options.full)
        seconds = time.perf_counter() - start
        print(f"{kind}: {seconds:.1f} s, findings {[found.code for found in report]}")


if __name__ == "__main__":
    main()
