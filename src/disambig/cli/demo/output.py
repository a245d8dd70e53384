"""What the pieces of the demonstration are called, on screen and in the figure.

What ``disambig demo`` leaves behind: a figure and two tables.

What ``disambig demo`` tells around its tables.

The tables of ``disambig demo``, and what they say in words.
"""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from disambig.atomic import write_bytes_atomically, write_csv_atomically
from disambig.cli.commands import Refusal
from disambig.cli.demo.comparison import Estimate, Outcome, Summary, standings, summarize
from disambig.cli.demo.experiment import (
    CEILING,
    KINDS,
    METHODS,
    N_INNER_FOLDS,
    Demo,
    Recovered,
    Setting,
)
from disambig.cli.demo.figure import error_curves_figure
from disambig.notation import FloatArray, IntArray

OURS = "DF"
RIVALS = [name for name in METHODS if name != OURS]
METHOD_NAMES = {
    "DF": "disambiguation (DF)",
    "IL": "infimum loss (IL)",
    "AC": "average candidates (AC)",
    CEILING: "trained on the true labels",
}
FIGURE = "error-curves.png"
RESULTS = "results.csv"
LABELS = "recovered-labels.csv"
# What is shown row by row, and written to a file: the sets of one split.
SHOWN = Setting("uniform", 0.7, split=0)
_METHODS = (
    ("DF", "disambiguation: pick one class in each set so that neighbours agree best, all rows "
     "together; learn from the picks"),
    ("IL", "infimum loss: predict the class that most sets nearby allow"),
    ("AC", "average candidates: every candidate counts, in equal shares of its set"),
    (CEILING, "the ceiling: told the right class of every training row"),
)  # fmt: skip
# In narrower terminals the columns move together, and fit into 66 characters.
ROOMY = 76
_LEGEND = (
    "chance: that a class joins a set; size: mean number of candidates in a set; truth: trained "
    "on the true labels; found: training rows whose recovered label is right (undecided "
    "rows count with the label that the tie rule gives them). Bold: the best of DF, IL and AC. "
    "Splits share rows: standard errors are a guide, not a test.\n"
)


def percent(share: float) -> str:
    """A level, such as "70%"."""
    return f"{100 * share:.0f}%"


def kind_titles(demo: Demo) -> dict[str, str]:
    """What each kind of ambiguity means on this data."""
    frequent = demo.data.classes[demo.data.most_frequent]
    return {
        "uniform": "uniform: every wrong class may join a set",
        "skewed": f"skewed: only \u201c{frequent!s}\u201d, the most frequent class, may join",
    }


def headline(demo: Demo, outcomes: list[Outcome]) -> str:
    """What is to be seen, whichever way it went."""
    settings = standings(outcomes, OURS, RIVALS)
    wins = [standing for standing in settings if standing.verdict == "wins"]
    text = f"{demo.data.name}: disambiguation errs least in {len(wins)} of {len(settings)} settings"
    if not wins:
        return text
    return f"{text}, in {sum(s.is_clear for s in wins)} by over two standard errors"


def write_all(folder: Path, demo: Demo, outcomes: list[Outcome], recovered: Recovered) -> None:
    """Write the three files, each whole or not at all; refuse with the system's reason."""
    figure = error_curves_figure(
        summarize(outcomes),
        ceiling=CEILING,
        names=METHOD_NAMES,
        kinds=kind_titles(demo),
        title=headline(demo, outcomes),
        note=f"means over {demo.n_splits} random splits; bars and band: standard errors",
    )
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=150)
    try:
        write_bytes_atomically(folder / FIGURE, picture.getvalue())
        _write_results(folder / RESULTS, outcomes)
        _write_labels(folder / LABELS, recovered)
    except OSError as error:
        raise Refusal(f"cannot write into {folder}: {error.strerror or error}.", code=1) from error


def _write_results(path: Path, outcomes: list[Outcome]) -> None:
    header = (
        "kind", "level", "split", "method", "mean_set_size", "n_neighbors", "test_error",
        "share_recovered",
    )  # fmt: skip
    rows = [
        (
            o.kind, o.level, o.split, o.method, f"{o.set_size:.4f}", o.choice,
            f"{o.error:.6f}", f"{o.recovered:.6f}",
        )
        for o in outcomes
    ]  # fmt: skip
    write_csv_atomically(path, header, rows)


def _write_labels(path: Path, recovered: Recovered) -> None:
    """One line a training row; a row that the data leave undecided has no label."""
    header = ("row", "candidates", "label", "resolved", "confidence", "truth")
    rows = zip(
        recovered.rows.tolist(),
        ("|".join(str(name) for name in names) for names in recovered.candidates()),
        (
            label if sure else None
            for label, sure in zip(recovered.labels.tolist(), recovered.resolved, strict=True)
        ),
        ("true" if sure else "false" for sure in recovered.resolved),
        (f"{share:.4f}" for share in recovered.confidence),
        recovered.truth.tolist(),
        strict=True,
    )
    write_csv_atomically(path, header, rows)


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


def results(demo: Demo, outcomes: Sequence[Outcome], *, width: int) -> RenderableType:
    """One table for each kind of ambiguity, and the verdict; `width` is that of the terminal."""
    summaries = summarize(outcomes)
    parts: list[RenderableType] = []
    for kind, title in kind_titles(demo).items():
        mine = [summary for summary in summaries if summary.kind == kind]
        parts += [Text(title, style="bold"), _table(mine, gap=1 if width >= ROOMY else 0), Text()]
    return Group(*parts, Text(_LEGEND, style="dim"), verdict(outcomes))


def _table(summaries: Sequence[Summary], gap: int) -> Table:
    cells = {(summary.level, summary.method): summary for summary in summaries}
    errors = _empty_table("test error in %, ± standard error", gap)
    for name in ("chance", "size", *METHODS, "truth"):
        errors.add_column(name, justify="right", no_wrap=True)
    found = _empty_table("found, %", gap)
    for name in METHODS:
        found.add_column(name, justify="right", no_wrap=True)
    for level in sorted({summary.level for summary in summaries}):
        row = [cells[level, name] for name in METHODS]
        lowest = min(cell.error.mean for cell in row)
        errors.add_row(
            percent(level),
            f"{row[0].set_size:.1f}",
            *(_error(cell.error, bold=cell.error.mean == lowest) for cell in row),
            _error(cells[level, CEILING].error, bold=False),
        )
        most = max(cell.recovered.mean for cell in row)
        found.add_row(
            *(
                Text(
                    f"{100 * cell.recovered.mean:.1f}",
                    style="bold" if cell.recovered.mean == most else "",
                )
                for cell in row
            )
        )
    both = Table.grid(padding=(0, gap + 2))
    both.add_row(errors, found)
    return both


def _empty_table(title: str, gap: int) -> Table:
    return Table(
        title=title,
        title_justify="left",
        title_style="dim",
        header_style="",
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, gap, 0, 0),
    )


def _error(estimate: Estimate, *, bold: bool) -> Text:
    text = f"{100 * estimate.mean:.1f}±{100 * estimate.standard_error:.1f}"
    return Text(text, style="bold" if bold else "")


def verdict(outcomes: Sequence[Outcome]) -> Text:
    """Where disambiguation wins and where it does not."""
    settings = standings(outcomes, OURS, RIVALS)
    wins = [standing for standing in settings if standing.verdict == "wins"]
    ties = sum(standing.verdict == "ties" for standing in settings)
    text = Text(f"{OURS} has the lowest error in {len(wins)} of {len(settings)} settings")
    if wins:
        clear = sum(standing.is_clear for standing in wins)
        text.append(f", in {clear} of them by more than two standard errors of the difference")
    text.append(f". It shares the lowest in {ties}.\n" if ties else ".\n")
    losses = [
        f"  {s.kind}, {percent(s.level)}: {100 * s.error.mean:.1f} against "
        f"{100 * s.rival_error.mean:.1f} ({s.rival}), difference "
        f"{100 * s.difference.mean:.1f} ± {100 * s.difference.standard_error:.1f} points\n"
        for s in settings
        if s.verdict == "loses"
    ]
    if losses:
        text.append("Where it loses to the better baseline:\n" + "".join(losses))
    fewer = _fewer_found(summarize(outcomes))
    if fewer:
        text.append(f"A baseline finds more of the training labels in {len(fewer)} settings: ")
        text.append("; ".join(fewer) + ".\n")
    if not losses and not fewer:
        text.append("No baseline beats it in this run, in error or in labels found.\n")
    return text


def _fewer_found(summaries: Sequence[Summary]) -> list[str]:
    found = {(s.kind, s.level, s.method): s.recovered.mean for s in summaries}
    lines = []
    for kind in KINDS:
        for level in sorted({summary.level for summary in summaries}):
            ours = found[kind, level, OURS]
            rival = max(RIVALS, key=lambda name: found[kind, level, name])
            if found[kind, level, rival] > ours + 1e-12:
                lines.append(
                    f"{kind}, {percent(level)}: {100 * ours:.1f} against "
                    f"{100 * found[kind, level, rival]:.1f} ({rival})"
                )
    return lines
