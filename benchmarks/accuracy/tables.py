"""Tables of accuracy, recovered labels, ranks and times, as Markdown."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy.stats import rankdata

from benchmarks.accuracy.problems import Problem
from benchmarks.accuracy.selection import Outcome
from disambig.notation import FloatArray

__all__ = ["Found", "by_data", "by_level", "by_problem", "summary"]

# Outcomes of all splits, by problem and method.
Found = Mapping[Problem, Mapping[str, Sequence[Outcome]]]


def means(found: Found, methods: Sequence[str], value: Callable[[Outcome], float]) -> FloatArray:
    """The mean over splits, (problems, methods)."""
    return np.array(
        [[np.mean([value(o) for o in row[name]]) for name in methods] for row in found.values()]
    )


def ranks(accuracies: FloatArray) -> FloatArray:
    """Ranks, (problems, methods); 1 is the highest accuracy, equal ones share their mean rank."""
    return np.array([rankdata(-row) for row in accuracies])


def summary(found: Found, methods: Sequence[str]) -> str:
    """Methods by mean rank over all problems, with the mean rank of each kind of problem."""
    accuracies = means(found, methods, _accuracy)
    recovered = means(found, methods, _recovered)
    ranked = ranks(accuracies)
    overall = ranked.mean(axis=0)
    firsts = np.sum(accuracies == accuracies.max(axis=1, keepdims=True), axis=0)
    kinds = np.array([problem.kind or "real" for problem in found])
    names = list(dict.fromkeys(kinds.tolist()))
    rows = []
    for place in np.argsort(overall, kind="stable"):
        method = methods[place]
        seconds = sum(o.seconds for row in found.values() for o in row[method])
        row = [method, f"{overall[place]:.2f}"]
        row += [f"{ranked[kinds == kind, place].mean():.2f}" for kind in names]
        row += [f"{firsts[place]}", f"{accuracies[:, place].mean():.3f}"]
        rows.append([*row, f"{recovered[:, place].mean():.3f}", f"{seconds:.0f}"])
    head = ["method", "mean rank", *names, "first on", "test accuracy", "recovered", "CPU seconds"]
    return _table(head, rows)


def by_level(found: Found, methods: Sequence[str]) -> str:
    """Mean test accuracy over the data sets, for every corruption and level."""
    accuracies = means(found, methods, _accuracy)
    cells = [(problem.kind or "", problem.level) for problem in found]
    rows = []
    for cell in dict.fromkeys(cells):
        if cell[0]:
            chosen = accuracies[[other == cell for other in cells]].mean(axis=0)
            numbers = [_bold(f"{value:.3f}", value == chosen.max()) for value in chosen]
            rows.append([cell[0], f"{cell[1]:g}", *numbers])
    return _table(["corruption", "level", *methods], rows)


def by_problem(found: Found, methods: Sequence[str], *, recovered: bool = False) -> str:
    """Mean ± standard error over splits, the best mean of a problem in bold."""
    value = _recovered if recovered else _accuracy
    rows = []
    for (problem, row), best in zip(
        found.items(), means(found, methods, value).max(axis=1), strict=True
    ):
        cells = []
        for name in methods:
            values = np.array([value(o) for o in row[name]])
            mean = values.mean()
            error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
            cells.append(_bold(f"{mean:.3f} ± {error:.3f}", mean == best))
        rows.append([problem.name, *cells])
    return _table(["problem", *methods], rows)


def by_data(found: Found, methods: Sequence[str]) -> str:
    """Mean CPU seconds of one problem and split."""
    seconds = means(found, methods, lambda outcome: outcome.seconds)
    data = np.array([problem.data for problem in found])
    return _table(
        ["data", *methods],
        [
            [name, *(f"{value:.2f}" for value in seconds[data == name].mean(axis=0))]
            for name in dict.fromkeys(data.tolist())
        ],
    )


def _accuracy(outcome: Outcome) -> float:
    return outcome.accuracy


def _recovered(outcome: Outcome) -> float:
    return outcome.recovered


def _bold(cell: str, best: bool) -> str:
    return f"**{cell}**" if best else cell


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])
