"""Tags of which some are known: the default beside four usual methods on three public data sets.

240 rows of emotions and scene, and all 194 of flags; bits hidden uniformly, positives only, and
candidate lists.
Nothing is chosen by the truth: every method has its defaults, or chooses by known bits. Two random
halves, training and test. About four CPU minutes.

    python -m benchmarks.tags [--write] [--quick] [--splits N]
"""

import argparse
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata
from threadpoolctl import threadpool_limits

from benchmarks.results import provenance, write_section
from benchmarks.tag_methods import METHODS
from disambig import PartialBits
from disambig.datasets import load_mulan
from disambig.datasets.corruptions.registry import BIT_CORRUPTIONS
from disambig.metrics import tag_average_precision, tag_f_measure, tag_hamming_loss
from disambig.notation import FloatArray, IntArray

DATA = ("emotions", "flags", "scene-train")
LEVELS = (0.0, 0.5, 0.9)
N_ROWS = 240
N_SPLITS = 2
SCORES = ("Hamming loss", "F1", "average precision")


class Cell(NamedTuple):
    """A training set with known bits, and a test set with all bits."""

    data: str
    corruption: str
    level: float
    split: int
    X: FloatArray
    bits: PartialBits
    Q: FloatArray
    truth: IntArray


def cells(
    folder: Path, data: Sequence[str], n_splits: int, levels: Sequence[float]
) -> Iterator[Cell]:
    """All problems; at level 0 uniform hiding is the complete table, the others hide a value."""
    for name in data:
        labels = folder / f"{name.split('-')[0]}.xml"
        loaded = load_mulan(folder / f"{name}.arff", labels)
        for split in range(n_splits):
            rng = np.random.default_rng(split)
            rows = rng.permutation(len(loaded.X))[:N_ROWS]
            train, test = rows[: len(rows) // 2], rows[len(rows) // 2 :]
            for corruption, make in BIT_CORRUPTIONS.items():
                for level in levels:
                    bits = make(level)(loaded.Y[train], random_state=split)
                    yield Cell(
                        name,
                        corruption,
                        level,
                        split,
                        loaded.X[train],
                        bits,
                        loaded.X[test],
                        loaded.Y[test],
                    )


def scores_of(cell: Cell, name: str) -> tuple[float, float, float]:
    """Hamming loss, macro F1 and macro average precision on the test set."""
    predicted, shares = METHODS[name](cell.X, cell.bits, cell.Q)
    return (
        tag_hamming_loss(cell.truth, predicted),
        tag_f_measure(cell.truth, predicted),
        tag_average_precision(cell.truth, shares),
    )


def mean_ranks(table: FloatArray) -> FloatArray:
    """Mean ranks of methods, 1 is best: ``(cells, methods, 3)`` to ``(methods, 3)``."""
    signed = table * [1.0, -1.0, -1.0]
    ranks: FloatArray = rankdata(signed, axis=1).mean(axis=0)
    return ranks


def lines_of(found: dict[tuple[str, str, float], list[FloatArray]]) -> list[str]:
    """The tables of the section."""
    names = list(METHODS)
    everything = np.array([one for values in found.values() for one in values])
    ranks = mean_ranks(everything)
    lines = ["| mean rank | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for k, score in enumerate(SCORES):
        lines.append(f"| {score} | " + " | ".join(f"{rank:.2f}" for rank in ranks[:, k]) + " |")
    overall = ranks.mean(axis=1)
    lines.append("| all | " + " | ".join(f"**{rank:.2f}**" for rank in overall) + " |")
    for corruption in BIT_CORRUPTIONS:
        part = np.array([v for key, vs in found.items() if key[1] == corruption for v in vs])
        own = mean_ranks(part).mean(axis=1)
        lines.append(f"| {corruption} | " + " | ".join(f"{rank:.2f}" for rank in own) + " |")
    head = "| data | corruption | level | " + " | ".join(names) + " |"
    lines += ["", "Hamming loss / F1 / average precision, means of the splits:", "", head]
    lines.append("|---" * (len(names) + 3) + "|")
    for (data, corruption, level), values in found.items():
        mean = np.mean(values, axis=0)
        texts = [" / ".join(f"{value:.3f}" for value in row) for row in mean]
        lines.append(f"| {data} | {corruption} | {level:g} | " + " | ".join(texts) + " |")
    return lines


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--splits", type=int, default=N_SPLITS, help="random halves")
    parser.add_argument("--quick", action="store_true", help="flags, one split, one level")
    parser.add_argument("--methods", nargs="+", choices=METHODS, help="only these, not written")
    options = parser.parse_args(arguments)
    folder = Path(os.environ.get("DISAMBIG_DATA", "data")) / "mulan"
    data, splits, levels = DATA, options.splits, LEVELS
    if options.quick:
        data, splits, levels = ("flags",), 1, (0.3,)
    names = options.methods or list(METHODS)
    found: dict[tuple[str, str, float], list[FloatArray]] = {}
    start = time.process_time()
    with threadpool_limits(1):
        for cell in cells(folder, data, splits, levels):
            values = np.array([scores_of(cell, name) for name in names])
            found.setdefault(cell[:3], []).append(values)
            print(
                *cell[:4],
                values.round(3).tolist(),
                f"{time.process_time() - start:.0f} s",
                flush=True,
            )
    if options.methods:
        return
    text = "\n".join(
        [
            "## Tags of which some are known",
            "",
            f"{N_ROWS} rows of emotions and scene, and all 194 of flags; one half each for "
            "training and test. Nobody uses the truth of training rows. With positives and "
            "candidate lists ours "
            "runs with `tag_frequencies='estimate'`, and the others take what is unknown for the "
            "value that is never known. A level is the probability that a bit is hidden; of "
            "positives, that a tag that is on is not recorded; of candidate lists, that a tag that "
            "is off is listed.",
            "",
            provenance(
                f"python -m benchmarks.tags --write --splits {splits}",
                seeds=f"0 to {splits - 1}",
                more={"CPU seconds": f"{time.process_time() - start:.0f}"},
            ),
            "",
            *lines_of(found),
        ]
    )
    print(text)
    if options.write and not options.quick:
        write_section("tags", text)


if __name__ == "__main__":
    main()
