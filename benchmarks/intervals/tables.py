"""Tables of losses, ranks and times, as Markdown."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from scipy.stats import rankdata

from benchmarks.intervals.published import Published
from benchmarks.intervals.selection import Outcome
from disambig.notation import FloatArray

__all__ = ["Found", "losses", "mean_ranks", "summary", "table"]

# Outcomes of all folds, or what is published of them, by data set and method.
Results: TypeAlias = Sequence[Outcome] | Published
Found = Mapping[str, Mapping[str, Results]]


def as_published(results: Results) -> Published:
    """Mean and standard error over folds, and CPU seconds."""
    if isinstance(results, Published):
        return results
    values = np.array([outcome.loss for outcome in results])
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return Published(float(values.mean()), float(error), sum(one.seconds for one in results))


def mean_losses(found: Found, methods: Sequence[str]) -> FloatArray:
    """The mean over folds, (data sets, methods)."""
    return np.array(
        [[as_published(row[method]).mean for method in methods] for row in found.values()]
    )


def mean_ranks(losses: FloatArray) -> FloatArray:
    """Mean rank over the rows; 1 is the least loss, ties share their mean rank, NaN is last."""
    ranks = [rankdata(np.where(np.isnan(row), np.inf, row)) for row in losses]
    return np.asarray(np.mean(ranks, axis=0))


def summary(found: Found, methods: Sequence[str]) -> str:
    """Methods by mean rank, with their number of first places and their time."""
    means = mean_losses(found, methods)
    ranks = mean_ranks(means)
    firsts = np.sum(means == np.nanmin(means, axis=1, keepdims=True), axis=0)
    rows = []
    for place in np.argsort(ranks, kind="stable"):
        results = [row[methods[place]] for row in found.values()]
        seconds = sum(as_published(one).seconds for one in results)
        lost = sum(map(_n_lost, results))
        rows.append(
            [methods[place], f"{ranks[place]:.2f}", f"{firsts[place]}", f"{seconds:.0f}", f"{lost}"]
        )
    return table(
        ["method", "mean rank", "first on", "CPU seconds", "folds without a finite loss"], rows
    )


def losses(found: Found, methods: Sequence[str], shapes: Mapping[str, str]) -> str:
    """Mean ± standard error over folds, the least mean of a set in bold."""
    means = mean_losses(found, methods)
    rows = []
    for (name, row), of_set in zip(found.items(), means, strict=True):
        cells = []
        for method, mean in zip(methods, of_set, strict=True):
            cell = f"{mean:.3g} ± {as_published(row[method]).error:.2g}"
            cells.append(f"**{cell}**" if mean == np.nanmin(of_set) else cell)
        rows.append([name, shapes[name], *cells])
    return table(["data", "rows, features", *methods], rows)


def _n_lost(results: Results) -> int:
    """Folds without a finite loss; of published results one if their mean is not finite."""
    if isinstance(results, Published):
        return int(not np.isfinite(results.mean))
    return sum(not np.isfinite(outcome.loss) for outcome in results)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])
