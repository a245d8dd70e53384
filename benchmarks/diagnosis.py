"""How long `disambig.diagnose` takes, what it says of real data, and which wrong sets it names.

    python -m benchmarks.diagnosis time [--rows 100000] [--features 20] [--full]
    python -m benchmarks.diagnosis real
    python -m benchmarks.diagnosis wrong

`time`: made-up clean data of every kind: ten classes with sets, intervals, orders of eight items,
ten tags. `real`: the data sets of DISAMBIG_DATA as they are. `wrong`: data sets of scikit-learn
with candidates added with chance .3, in which a share of the rows get another class as their only
candidate; and made-up intervals that are moved, orders that are reversed and tags that are flipped
(300 rows, three draws). The truth is used for scoring alone.
"""

import argparse
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from disambig import Intervals, LabelSets, PartialBits, PartialOrders, diagnose
from disambig.datasets import (
    UniformCorruption,
    load_interval_folder,
    load_label_ranking,
    load_mulan,
    load_partial_label_mat,
)

LOADERS = (load_iris, load_wine, load_digits, load_breast_cancer)


def made_up(n: int, d: int) -> Iterator[tuple[str, Any, Any]]:
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


def real(folder: Path) -> Iterator[tuple[str, Any, Any]]:
    """The data sets of a folder, all rows."""
    for path in sorted((folder / "pll").glob("*.mat")):
        labels = load_partial_label_mat(path)
        yield labels.name, labels.X, labels.sets
    for path in sorted((folder / "interval" / "mmit").iterdir()):
        numbers = load_interval_folder(path)
        yield numbers.name, numbers.X, Intervals.from_any(numbers.intervals)
    for path in sorted((folder / "labelranking").glob("*.txt")):
        orders = load_label_ranking(path)
        yield f"{orders.name} (orders)", orders.X, PartialOrders.from_any(orders.ranks)
    for name in ("emotions", "flags", "scene-train"):
        stem = folder / "mulan" / name
        bits = load_mulan(stem.with_suffix(".arff"), folder / "mulan" / f"{name.split('-')[0]}.xml")
        yield name, bits.X, PartialBits.from_any(bits.Y)


def wrong_sets(share: float) -> Iterator[tuple[str, Any, LabelSets, Any]]:
    """Name, inputs, sets, and which of them were made wrong."""
    for load in LOADERS:
        X, truth = load(return_X_y=True)
        rng = np.random.default_rng(0)
        sets = UniformCorruption(0.3)(truth, random_state=0)
        is_wrong = rng.random(len(truth)) < share
        other = (truth + rng.integers(1, sets.n_classes, size=len(truth))) % sets.n_classes
        mask = np.where(is_wrong[:, None], np.eye(sets.n_classes, dtype=bool)[other], sets.mask)
        yield load.__name__.removeprefix("load_"), X, LabelSets(mask, sets.classes), is_wrong


def wrong_targets(share: float, seed: int) -> Iterator[tuple[str, Any, Any, Any]]:
    """Code of the finding, inputs, targets of every other kind, and which rows have a wrong one."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 4))
    utilities = X @ rng.normal(size=(4, 5))
    center = np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=300)
    is_wrong = rng.random(300) < share
    moved = center + np.where(is_wrong, rng.choice([-5.0, 5.0], 300), 0.0)
    below, above = rng.exponential(0.5, size=(2, 300))
    yield "N130", X, Intervals(moved - below, moved + above), is_wrong
    ranks = np.argsort(np.argsort(-utilities, axis=1), axis=1)
    ranks[is_wrong] = 4 - ranks[is_wrong]
    yield "O130", X, PartialOrders.from_any(ranks), is_wrong
    flipped = rng.random(utilities.shape) < share
    bits = np.where(flipped, utilities <= 0, utilities > 0)
    yield "B130", X, PartialBits.from_any(bits.astype(int)), flipped.any(axis=1)


def print_wrong_targets() -> None:
    for share in (0.0, 0.05, 0.1, 0.2):
        for seed in range(3):
            for code, X, y, is_wrong in wrong_targets(share, seed):
                found = diagnose(X, y)[code]
                hits = np.count_nonzero(is_wrong[found.rows])
                precision = hits / max(1, found.rows.size)
                recall = hits / max(1, np.count_nonzero(is_wrong))
                print(
                    f"| {code} | {share:g} | {seed} | {found.section} {found.rows.size} "
                    f"{precision:.2f} {recall:.2f} | {found.evidence['wrong_share']:.2f} |"
                )


def print_times(n: int, d: int, full: bool) -> None:
    for kind, X, y in made_up(n, d):
        start = time.perf_counter()
        report = diagnose(X, y, fast=not full)
        seconds = time.perf_counter() - start
        print(f"{kind}: {seconds:.1f} s, findings {[found.code for found in report]}")


def print_real() -> None:
    for name, X, y in real(Path(os.environ.get("DISAMBIG_DATA", "data"))):
        report = diagnose(X, y)
        issues, tips = ([f.code for f in found] for found in (report.issues, report.tips))
        print(f"| {name} | {', '.join(issues) or '–'} | {', '.join(tips) or '–'} |")


def print_wrong() -> None:
    for share in (0.0, 0.05, 0.1, 0.2, 0.3):
        for name, X, sets, is_wrong in wrong_sets(share):
            report = diagnose(X, sets)
            cells = [name, f"{share:g}"]
            for code in ("L104", "L130"):
                found = report[code]
                hits = np.count_nonzero(is_wrong[found.rows])
                recall = hits / max(1, np.count_nonzero(is_wrong))
                precision = hits / max(1, found.rows.size)
                cells.append(f"{found.section} {found.rows.size} {precision:.2f} {recall:.2f}")
            cells.append(f"{report['L130'].evidence['wrong_share']:.2f}")
            print(f"| {' | '.join(cells)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("time", "real", "wrong"))
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--full", action="store_true", help="fast=False")
    options = parser.parse_args()
    if options.what == "time":
        print_times(options.rows, options.features, options.full)
    elif options.what == "real":
        print_real()
    else:
        print_wrong()
        print_wrong_targets()


if __name__ == "__main__":
    main()
