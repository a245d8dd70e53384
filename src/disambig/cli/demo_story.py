"""What ``disambig demo`` tells around its tables."""

from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from disambig.cli.demo_files import FIGURE, LABELS, RESULTS
from disambig.cli.demo_words import percent
from disambig.experiments import Demo, Recovered, Setting
from disambig.experiments.demo import CEILING, N_INNER_FOLDS
from disambig.notation import FloatArray, IntArray

__all__ = ["SHOWN", "example_rows", "farewell", "introduction", "recovered_examples"]

# What is shown row by row, and written to a file: the sets of one split.
SHOWN = Setting("uniform", 0.7, split=0)

_METHODS = (
    ("DF", "disambiguation: pick one class in each set so that neighbours agree best, all rows "
     "together; learn from the picks"),
    ("IL", "infimum loss: predict the class that most sets nearby allow"),
    ("AC", "average candidates: every candidate counts, in equal shares of its set"),
    (CEILING, "the ceiling: told the right class of every training row"),
)  # fmt: skip


def example_rows(demo: Demo) -> IntArray:
    """Three training rows with more than one candidate, from the start, middle and end."""
    rows, _ = demo.splits[SHOWN.split]
    several: IntArray = rows[~demo.sets(*SHOWN)[rows].is_single]
    return several[[several.size // 6, several.size // 2, 5 * several.size // 6]]


def introduction(demo: Demo, *, shades: str) -> RenderableType:
    """The problem, three rows of it, the methods, and how they are compared."""
    data = demo.data
    grid = ", ".join(str(k) for k in demo.grid[:-1]) + f" or {demo.grid[-1]}"
    methods = Table.grid(padding=(0, 2))
    for name, meaning in _METHODS:
        methods.add_row(Text(f"  {name}", style="bold"), meaning)
    return Group(
        Text("\nLearning from sets of possible classes\n", style="bold"),
        Text(
            "Every training row carries a set of possible classes. One of them is right, and "
            "nobody says which. Can the right ones be found, and new rows be classified?\n"
        ),
        Text(
            f"Data: {data.name}, {len(data.labels)} rows, {len(data.classes)} classes, from "
            "scikit-learn. The labels are known here: we hide them in sets and check what comes "
            "back. Three training rows, where every wrong class joined with a chance of "
            f"{percent(SHOWN.level)}:\n"
        ),
        _examples(demo, shades),
        Text(),
        Text("The methods; all of them ask the nearest training rows:"),
        methods,
        Text(
            f"\nHalf of the rows train, half test, in {demo.n_splits} random splits. How many "
            f"neighbours are asked ({grid}), each method decides by {N_INNER_FOLDS}-fold "
            "cross-validation on the sets alone: how often held-out predictions lie inside their "
            "sets. Only the ceiling is trained and tuned with true labels.\n"
        ),
    )


def _examples(demo: Demo, shades: str) -> RenderableType:
    rows = example_rows(demo)
    sets = demo.sets(*SHOWN)[rows]
    table = Table.grid(padding=(0, 4))
    if demo.data.picture is not None:
        table.add_row(
            *(picture(demo.data.X[row].reshape(demo.data.picture), shades) for row in rows)
        )
    table.add_row(*(Text(f"row {row}", style="dim") for row in rows))
    table.add_row(*(_listed(sets.classes[allowed].tolist()) for allowed in sets.mask))
    return Padding(table, (0, 0, 0, 2))


def picture(pixels: FloatArray, shades: str) -> Text:
    """Pixels in [0, 1] as text, two characters each; `shades` from empty to full."""
    index = np.minimum((pixels * len(shades)).astype(int), len(shades) - 1)
    return Text("\n".join("".join(2 * shades[k] for k in line) for line in index))


def _listed(names: list[Any]) -> str:
    return "{" + ", ".join(str(name) for name in names) + "}"


def recovered_examples(demo: Demo, recovered: Recovered) -> RenderableType:
    """The three rows again, with what came back."""
    table = Table.grid(padding=(0, 3))
    table.add_row("", "candidates", "found", "confidence", "truth", style="dim")
    candidates = recovered.candidates()
    for j in np.searchsorted(recovered.rows, example_rows(demo)):
        found = str(recovered.labels[j]) if recovered.resolved[j] else "undecided"
        table.add_row(
            f"  row {recovered.rows[j]}",
            _listed(candidates[j]),
            Text(found, style="bold"),
            percent(recovered.confidence[j]),
            str(recovered.truth[j]),
        )
    return Group(Text("The three rows again, as DF found them:"), table, Text())


def farewell(folder: Path, recovered: Recovered, seconds: float) -> RenderableType:
    """Where the files are, and how to go on."""
    undecided = int((~recovered.resolved).sum())
    files = Table.grid(padding=(0, 2))
    files.add_row(f"  {FIGURE}", "test error against ambiguity")
    files.add_row(f"  {RESULTS}", "the numbers of the tables, split by split")
    files.add_row(
        f"  {LABELS}",
        f"labels that DF found for {len(recovered.rows)} training rows ({SHOWN.kind}, "
        f"{percent(SHOWN.level)}, first split); no label where undecided: {undecided}",
    )
    return Group(
        Text.assemble("Written to ", (f"{folder}", "bold"), f" after {seconds:.0f} s:"),
        files,
        Text("\nOn your own data:"),
        Text(
            "  from disambig import PartialLabelClassifier\n"
            "  model = PartialLabelClassifier().fit(X, y)  # y: sets of classes\n"
            "  model.labels_, model.confidence_, model.predict(X_new)",
            style="dim",
        ),
    )
