"""How long `disambig.tables` takes for a file of mixed columns.

    python -m benchmarks.tables [--rows 100000] [--write]

The file has 20 columns and an identifier: eight of numbers, two of amounts such as "$1,200", one of
"3.5 kg", four categories, prose of eight words, 5000 names, dates, yes/no/blank, and sets of labels
with spelling variants. Every cell is a text. It is written as CSV, packed CSV and Parquet.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.results import provenance, write_section
from disambig.tables import load_table, read_table, read_target

WORDS = ["red", "blue", "fast", "slow", "big", "small", "old", "new", "left", "right", "up", "hot"]


def made_up(n: int) -> pd.DataFrame:
    """A frame of texts, with seed 0."""
    rng = np.random.default_rng(0)
    columns: dict[str, Any] = {"id": [f"{row:07d}" for row in range(n)]}
    for k in range(8):
        columns[f"number{k}"] = rng.normal(size=n).round(4).astype(str)
    for k in range(2):
        columns[f"amount{k}"] = [f"${value:,}" for value in rng.integers(1000, 10**6, n)]
    columns["weight"] = [f"{value:.1f} kg" for value in rng.uniform(1, 90, n)]
    for k in range(4):
        columns[f"category{k}"] = rng.choice([f"c{value}" for value in range(10 + 8 * k)], n)
    columns["prose"] = [" ".join(words) for words in rng.choice(WORDS, (n, 8))]
    columns["name"] = [f"item {value}" for value in rng.integers(0, 5000, n)]
    days = rng.integers(0, 1500, n).astype("timedelta64[D]")
    columns["date"] = (np.datetime64("2020-01-01") + days).astype(str)
    columns["flag"] = rng.choice(["yes", "no", ""], n)
    pairs = rng.choice(["cat", "dog", "cow", "Cat", "fox"], (n, 2))
    columns["label"] = ["|".join(dict.fromkeys(pair)) for pair in pairs.tolist()]
    return pd.DataFrame(columns)


def measured(what: str, run: Callable[[], Any]) -> tuple[str, Any]:
    """A line of the table, and what `run` returned."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = run()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return f"| {what} | {wall:.1f} | {cpu:.1f} |", result


def rows_of(n: int, folder: Path) -> list[str]:
    frame = made_up(n)
    paths = [folder / name for name in ("train.csv", "train.csv.gz", "train.parquet")]
    for path in paths[:2]:
        frame.to_csv(path, index=False)
    frame.to_parquet(paths[2], index=False)
    lines = []
    for path in paths[1:]:
        lines.append(measured(f"read `{path.name}`", lambda path=path: read_table(path))[0])
    line, raw = measured("read `train.csv`", lambda: read_table(paths[0]))
    lines.insert(0, line)
    lines.append(measured("target", lambda: read_target(raw, "label"))[0])
    line, table = measured(
        "target and features, from the read file", lambda: load_table(raw, "label", id="id")
    )
    lines.append(line)
    lines.append(measured("the same plan on the file again", lambda: table.plan.read(raw))[0])
    line, numbers = measured(
        "preprocessing (scikit-learn)", lambda: table.make_preprocessor().fit_transform(table.X)
    )
    return [*lines, line.replace("(scikit-learn)", f"(scikit-learn), {numbers.shape[1]} columns")]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        lines = rows_of(options.rows, Path(folder))
    text = "\n".join(
        [
            f"## Tables: {options.rows} rows of 20 mixed columns",
            "",
            provenance(
                "python -m benchmarks.tables",
                seeds="0",
                more={"Processes that ran or waited beside it": f"{os.getloadavg()[0]:.0f}"},
            ),
            "",
            "| step | seconds | processor seconds |",
            "|---|---|---|",
            *lines,
        ]
    )
    print(text)
    if options.write:
        write_section("tables", text)


if __name__ == "__main__":
    main()
