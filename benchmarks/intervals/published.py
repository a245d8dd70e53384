"""Results that stand in the section of RESULTS.md, for methods that are not run again."""

import re
from dataclasses import dataclass
from pathlib import Path

from benchmarks.results import RESULTS

__all__ = ["Published", "read_published"]

_CELL = re.compile(r"\**(\S+) ± (\S+?)\**$")


@dataclass(frozen=True)
class Published:
    """Mean and standard error over the folds of a data set, as printed, and CPU seconds.

    Only the total of the CPU seconds is printed: `seconds` are equal shares of it.
    """

    mean: float
    error: float
    seconds: float


def read_published(path: Path = RESULTS) -> tuple[dict[str, dict[str, Published]], str]:
    """Results by data set and method, and the date of their run; empty without a section."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    begin, end = "<!-- begin: interval_regression -->", "<!-- end: interval_regression -->"
    if begin not in text:
        return {}, ""
    section = text.split(begin)[1].split(end)[0]
    tables = _tables(section)
    seconds = {row[0]: float(row[3]) for row in tables["method"][1:]}
    head, *rows = tables["data"]
    found = {}
    for name, _, *cells in rows:
        found[name] = {
            method: Published(*map(float, _CELL.match(cell).groups()), seconds[method] / len(rows))  # type: ignore[union-attr]
            for method, cell in zip(head[2:], cells, strict=True)
        }
    date = re.search(r"- Taken over, of (\S+):", section) or re.search(r"- Date: (\S+)", section)
    return found, date.group(1) if date else ""


def _tables(section: str) -> dict[str, list[list[str]]]:
    """Tables by the first word of their heads, as rows of cells without the rule."""
    found: dict[str, list[list[str]]] = {}
    rows: list[list[str]] = []
    for line in section.splitlines():
        if not line.startswith("|"):
            rows = []
        elif not set(line) <= set("|-"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
            if len(rows) == 1:
                found[rows[0][0]] = rows
    return found
