"""Time and memory of ``disambig fit`` and ``disambig predict`` on files of many rows.

    python -m benchmarks.table_models [--mixed 100000] [--numeric 1000000] [--write]

Two made-up files. *Mixed*: the 20 columns of ``benchmarks.tables`` as CSV, prose, names and dates
among them; the class depends on two of them. *Numeric*: eight columns of numbers and ten classes as
Parquet. A row has its class, in 70 % beside another one. The commands run as a user would run
them, with their defaults, once each; the system grants them no more than 8 GiB.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks.results import provenance, write_section
from benchmarks.tables import made_up

# Bytes that a command may allocate; beyond, it would end with an error.
MOST_MEMORY = 8 * 2**30
# Prints the exit code, processor seconds and peak memory (MiB) of a command.
RUN = f"""
import json, resource, subprocess, sys
resource.setrlimit(resource.RLIMIT_DATA, ({MOST_MEMORY}, {MOST_MEMORY}))
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([done.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
"""


class Cost(NamedTuple):
    """What a command took."""

    wall: float
    cpu: float
    peak: float


def candidates(truth: np.ndarray, names: list[str], rng: np.random.Generator) -> np.ndarray:
    """Sets as texts: the truth, in 70 % of rows beside another class."""
    other = (truth + rng.integers(1, len(names), len(truth))) % len(names)
    named = np.array(names, dtype=object)
    both = named[np.minimum(truth, other)] + "|" + named[np.maximum(truth, other)]
    return np.where(rng.random(len(truth)) < 0.3, named[truth], both)


def mixed(n: int, folder: Path) -> Path:
    rng = np.random.default_rng(1)
    frame = made_up(n)
    truth = (frame["number0"].astype(float) > 0).to_numpy() + 2 * (
        frame["category0"].isin(["c0", "c1", "c2", "c3", "c4"]).to_numpy()
    )
    frame["label"] = candidates(truth, ["ant", "bee", "cow", "dog"], rng)
    frame["truth"] = np.array(["ant", "bee", "cow", "dog"])[truth]
    frame.to_csv(folder / "mixed.csv", index=False)
    return folder / "mixed.csv"


def numeric(n: int, folder: Path) -> Path:
    rng = np.random.default_rng(0)
    centers = 2.2 * rng.normal(size=(10, 8))
    truth = rng.integers(10, size=n)
    names = [f"class {k}" for k in range(10)]
    X = centers[truth] + rng.normal(size=(n, 8))
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(8)])
    frame["label"] = candidates(truth, names, rng)
    frame["truth"] = np.array(names)[truth]
    frame.to_parquet(folder / "numeric.parquet", index=False)
    return folder / "numeric.parquet"


def cost_of(*arguments: str) -> Cost:
    start = time.perf_counter()
    command = [sys.executable, "-m", "disambig", *arguments, "--quiet"]
    done = subprocess.run(
        [sys.executable, "-c", RUN, *command], capture_output=True, text=True, check=True
    )
    code, cpu, peak = json.loads(done.stdout)
    if code:
        raise SystemExit(f"{' '.join(arguments)}: exit code {code}: {done.stderr}")
    found = Cost(time.perf_counter() - start, cpu, peak)
    print(arguments[0], found, flush=True)
    return found


def rows_of(file: Path, n: int, folder: Path) -> list[str]:
    """The lines of one file."""
    out = folder / f"{file.stem}-run"
    drop = ["--drop", "truth", *(["--id", "id"] if file.suffix == ".csv" else [])]
    fit = cost_of("fit", str(file), "--target", "label", *drop, "--out", str(out))
    predict = cost_of("predict", str(out), str(file), "--out", str(out / "new.csv"))
    truth = (pd.read_csv if file.suffix == ".csv" else pd.read_parquet)(file)["truth"]
    labels = pd.read_csv(out / "labels.csv", keep_default_na=False)["label"]
    right = float((labels.to_numpy() == truth.to_numpy()).mean())
    size = (out / "model.skops").stat().st_size / 2**20
    return [
        f"| {file.name}, {n} rows | {name} | {cost.wall:.0f} | {cost.cpu:.0f} | "
        f"{cost.peak / 1024:.1f} | {note} |"
        for name, cost, note in (
            ("fit", fit, f"{100 * right:.1f} % of the labels right; model of {size:.0f} MiB"),
            ("predict", predict, ""),
        )
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mixed", type=int, default=100_000, help="rows; 0: leave it out")
    parser.add_argument("--numeric", type=int, default=1_000_000, help="rows; 0: leave it out")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    for make, n in ((mixed, options.mixed), (numeric, options.numeric)):
        if not n:
            continue
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            lines = rows_of(make(n, folder), n, folder)
        sizes = {"mixed": 0, "numeric": 0} | {make.__name__: n}
        text = "\n".join(
            [
                f"## From a file to labels and a model: {make.__name__} columns",
                "",
                provenance(
                    "python -m benchmarks.table_models"
                    f" --mixed {sizes['mixed']} --numeric {sizes['numeric']}",
                    seeds="0",
                    more={"Processes that ran or waited beside it": f"{os.getloadavg()[0]:.0f}"},
                ),
                "",
                "Each command may allocate 8 GiB. *Peak memory* is what it held at most.",
                "",
                "| file | command | seconds | processor seconds | peak memory (GiB) | |",
                "|---|---|---|---|---|---|",
                *lines,
            ]
        )
        print(text, flush=True)
        if options.write:
            write_section(f"table models, {make.__name__}", text)


if __name__ == "__main__":
    main()
