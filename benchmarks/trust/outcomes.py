"""Outcomes that are kept between runs, and tables of them."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.kept_outcomes import KeptOutcomes
from benchmarks.made_up.running import source_digest

__all__ = ["RECORD", "described", "keep", "mean_of", "table", "with_error"]

RECORD = Path(__file__).resolve().parents[1] / ".cache"


def keep(
    part: str, kind: Callable[..., Any], key: str, compute: Callable[[], Any], folder: Path = RECORD
) -> Any:
    """The outcome of a key: from the file of the part, else computed, printed and added to it.

    The key has the source of the library in it, so that a changed library is measured again.
    """
    kept = KeptOutcomes(folder / f"trust_{part}.jsonl", kind)
    full = f"{key}|{source_digest()}"
    outcome = kept.get(full)
    if outcome is None:
        outcome = compute()
        kept.add(full, outcome)
        print(f"{part}: {key}: {outcome}", flush=True)
    return outcome


def described(documentation: str | None) -> str:
    """What a module says about itself, without its first line."""
    assert documentation is not None
    return documentation.split("\n\n", 1)[1].strip()


def mean_of(values: Sequence[float]) -> float:
    """The mean of the values that are defined; NaN if none is."""
    known = [value for value in values if not math.isnan(value)]
    return float(np.mean(known)) if known else math.nan


def with_error(values: Sequence[float], digits: int = 3) -> str:
    """Mean and standard error of the values that are defined, as text."""
    known = np.array([value for value in values if not math.isnan(value)])
    if not known.size:
        return "undefined"
    mean = f"{known.mean():.{digits}f}"
    if known.size == 1:
        return mean
    return f"{mean} ± {known.std(ddof=1) / math.sqrt(known.size):.{digits}f}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])
