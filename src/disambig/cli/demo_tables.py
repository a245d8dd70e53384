"""The tables of ``disambig demo``, and what they say in words."""

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from disambig.cli.demo_words import OURS, RIVALS, kind_titles, percent
from disambig.experiments import Demo, Estimate, Outcome, Summary, standings, summarize
from disambig.experiments.demo import CEILING, KINDS, METHODS

__all__ = ["results"]

# In narrower terminals the columns move together, and fit into 66 characters.
ROOMY = 76
_LEGEND = (
    "chance: that a class joins a set; size: mean number of candidates in a set; truth: trained "
    "on the true labels; found: training rows whose recovered label is right (undecided "
    "rows count with the label that the tie rule gives them). Bold: the best of DF, IL and AC. "
    "Splits share rows: standard errors are a guide, not a test.\n"
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
