"""The figures of pages are those of the results."""

import re

import pytest

from tests.docs.pages import ROOT
from tests.docs.test_readme import table_below

RESULTS = (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")


def plain(cell: str) -> str:
    """A cell as the results write it: a hyphen for minus, a zero before the point."""
    text = cell.replace("\u2212", "-").replace("\u00a0", " ").replace("*", "").strip()
    return re.sub(r"(?<![\d])\.(?=\d)", "0.", text)


@pytest.mark.parametrize(
    ("page", "heading", "section"),
    [
        ("default_measured", "One part changed at a time", "What the default is made of"),
        ("default", "What it costs", "What the choice of the default costs"),
        ("guide/tags", "Measured", "Tags of which some are known"),
    ],
)
def test_tables_are_those_of_the_results(page, heading, section):
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    # The first table below the heading; others follow.
    rows = [line for line in text.partition(f"\n## {heading}\n")[2].split("\n\n") if "|" in line]
    shown = [[plain(cell) for cell in line.strip("|").split("|")] for line in rows[0].split("\n")]
    measured = table_below(RESULTS, section)
    assert len(shown) == len(measured)
    for name, *cells in shown[2:]:
        assert cells == [plain(cell) for cell in measured[name]][: len(cells)], name
