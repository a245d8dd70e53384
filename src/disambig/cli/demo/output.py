"""The output of ``disambig demo``: text and tables for the terminal, a figure and two CSV files."""

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
from disambig.cli.demo.comparison import (
    Estimate,
    Outcome,
    Summary,
    compare_with_baselines,
    summarize,
)
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
BASELINES = [name for name in METHODS if name != OURS]
METHOD_NAMES = {
    "DF": "disambiguation (DF)",
    "IL": "infimum loss (IL)",
    "AC": "average candidates (AC)",
    CEILING: "trained on the true labels",
}
FIGURE = "error-curves.png"
RESULTS = "results.csv"
LABELS = "recovered-labels.csv"
# The setting whose rows are shown in the terminal and written to a file.
EXAMPLE_SETTING = Setting("uniform", 0.7, split=0)
_METHODS = (
    ("DF", "disambiguation: choose one class in each set so that neighbours agree best, all rows "
     "together; learn from these classes"),
    ("IL", "infimum loss: predict the class that most sets nearby allow"),
    ("AC", "average candidates: every candidate counts, in equal shares of its set"),
    (CEILING, "the ceiling: trained on the right class of every training row"),
)  # fmt: skip
# In narrower terminals the columns have smaller gaps, and the table fits into 66 characters.
_MIN_WIDTH_OF_GAPS = 76
_LEGEND = (
    "chance: probability that a class joins a set; size: mean number of candidates in a set; "
    "truth: trained on the true labels; found: training rows whose recovered label is right "
    "(undecided rows count with the label of the tie rule). Bold: the best of DF, IL and AC. "
    "Splits share rows, so that standard errors are not a test.\n"
)


def percent(share: float) -> str:
    """A level, such as "70%"."""
    return f"{100 * share:.0f}%"


def kind_titles(demo: Demo) -> dict[str, str]:
    """Titles of the kinds of ambiguity for this data set."""
    frequent = demo.data.classes[demo.data.most_frequent]
    return {
        "uniform": "uniform: every wrong class may join a set",
        "skewed": f"skewed: only \u201c{frequent!s}\u201d, the most frequent class, may join",
    }


def headline(demo: Demo, outcomes: list[Outcome]) -> str:
    """The title of the figure: the result in one line."""
    settings = compare_with_baselines(outcomes, OURS, BASELINES)
    wins = [setting for setting in settings if setting.verdict == "wins"]
    text = f"{demo.data.name}: disambiguation errs least in {len(wins)} of {len(settings)} settings"
    if not wins:
        return text
    return f"{text}, in {sum(s.is_clear for s in wins)} by over two standard errors"


def write_all(folder: Path, demo: Demo, outcomes: list[Outcome], recovered: Recovered) -> None:
    """Write the three files, each atomically; a `Refusal` has the reason of the system."""
    figure = error_curves_figure(
        summarize(outcomes),
        ceiling=CEILING,
        names=METHOD_NAMES,
        kinds=kind_titles(demo),
        title=headline(demo, outcomes),
        note=f"means over {demo.n_splits} random splits; bars and band: standard errors",
    )
    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=150)
    try:
        write_bytes_atomically(folder / FIGURE, image.getvalue())
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
    """One line for each training row; an undecided row has no label."""
    header = ("row", "candidates", "label", "resolved", "confidence", "truth")
    rows = zip(
        recovered.rows.tolist(),
        ("|".join(str(name) for name in names) for names in recovered.candidates()),
        (
            label if decided else None
            for label, decided in zip(recovered.labels.tolist(), recovered.decided, strict=True)
        ),
        ("true" if resolved else "false" for resolved in recovered.resolved),
        (f"{share:.4f}" for share in recovered.confidence),
        recovered.truth.tolist(),
        strict=True,
    )
    write_csv_atomically(path, header, rows)


def example_rows(demo: Demo) -> IntArray:
    """Three training rows with more than one candidate, from the start, middle and end."""
    rows, _ = demo.splits[EXAMPLE_SETTING.split]
    ambiguous: IntArray = rows[~demo.sets(*EXAMPLE_SETTING)[rows].is_single]
    return ambiguous[[ambiguous.size // 6, ambiguous.size // 2, 5 * ambiguous.size // 6]]


def introduction(demo: Demo, *, shades: str) -> RenderableType:
    """The problem, three of its rows, the methods, and how they are compared."""
    data = demo.data
    grid = ", ".join(str(k) for k in demo.grid[:-1]) + f" or {demo.grid[-1]}"
    methods = Table.grid(padding=(0, 2))
    for name, meaning in _METHODS:
        methods.add_row(Text(f"  {name}", style="bold"), meaning)
    return Group(
        Text("\nLearning from sets of possible classes\n", style="bold"),
        Text(
            "Every training row has a set of possible classes. One of them is right, and it is not "
            "known which. Can the right ones be found, and new rows be classified?\n"
        ),
        Text(
            f"Data: {data.name}, {len(data.labels)} rows, {len(data.classes)} classes, from "
            "scikit-learn. The labels are known here: we hide them in sets and check what is "
            "recovered. Three training rows, where every wrong class joined with a chance of "
            f"{percent(EXAMPLE_SETTING.level)}:\n"
        ),
        _examples(demo, shades),
        Text(),
        Text("The methods; all of them use the nearest training rows:"),
        methods,
        Text(
            f"\nHalf of the rows are for training, half for testing, in {demo.n_splits} random "
            f"splits. Each method selects its number of neighbours ({grid}) by "
            f"{N_INNER_FOLDS}-fold cross-validation on the sets alone: how often held-out "
            "predictions are in their sets. Only the ceiling is trained and tuned with true "
            "labels.\n"
        ),
    )


def _examples(demo: Demo, shades: str) -> RenderableType:
    rows = example_rows(demo)
    sets = demo.sets(*EXAMPLE_SETTING)[rows]
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
    """The three rows again, with their recovered labels."""
    table = Table.grid(padding=(0, 3))
    table.add_row("", "candidates", "found", "confidence", "truth", style="dim")
    candidates = recovered.candidates()
    for j in np.searchsorted(recovered.rows, example_rows(demo)):
        found = str(recovered.labels[j]) if recovered.decided[j] else "undecided"
        table.add_row(
            f"  row {recovered.rows[j]}",
            _listed(candidates[j]),
            Text(found, style="bold"),
            percent(recovered.confidence[j]),
            str(recovered.truth[j]),
        )
    return Group(Text("The three rows again, as DF found them:"), table, Text())


def closing(folder: Path, recovered: Recovered, seconds: float) -> RenderableType:
    """The files that were written, and how to continue."""
    undecided = int((~recovered.decided).sum())
    files = Table.grid(padding=(0, 2))
    files.add_row(f"  {FIGURE}", "test error against ambiguity")
    files.add_row(f"  {RESULTS}", "the numbers of the tables, split by split")
    files.add_row(
        f"  {LABELS}",
        f"labels that DF found for {len(recovered.rows)} training rows ({EXAMPLE_SETTING.kind}, "
        f"{percent(EXAMPLE_SETTING.level)}, first split); rows without a label: {undecided}",
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
    """One table for each kind of ambiguity, and the conclusion; `width` is the terminal's."""
    summaries = summarize(outcomes)
    parts: list[RenderableType] = []
    for kind, title in kind_titles(demo).items():
        of_kind = [summary for summary in summaries if summary.kind == kind]
        parts += [
            Text(title, style="bold"),
            _table(of_kind, gap=1 if width >= _MIN_WIDTH_OF_GAPS else 0),
            Text(),
        ]
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
    """In which settings disambiguation has the lowest error, and in which it does not."""
    settings = compare_with_baselines(outcomes, OURS, BASELINES)
    wins = [setting for setting in settings if setting.verdict == "wins"]
    ties = sum(setting.verdict == "ties" for setting in settings)
    text = Text(f"{OURS} has the lowest error in {len(wins)} of {len(settings)} settings")
    if wins:
        clear = sum(setting.is_clear for setting in wins)
        text.append(f", in {clear} of them by more than two standard errors of the difference")
    text.append(f". It shares the lowest in {ties}.\n" if ties else ".\n")
    losses = [
        f"  {s.kind}, {percent(s.level)}: {100 * s.error.mean:.1f} against "
        f"{100 * s.baseline_error.mean:.1f} ({s.baseline}), difference "
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
            baseline = max(BASELINES, key=lambda name: found[kind, level, name])
            if found[kind, level, baseline] > ours + 1e-12:
                lines.append(
                    f"{kind}, {percent(level)}: {100 * ours:.1f} against "
                    f"{100 * found[kind, level, baseline]:.1f} ({baseline})"
                )
    return lines
