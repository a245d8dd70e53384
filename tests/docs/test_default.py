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
    ],
)
def test_tables_are_those_of_the_results(page, heading, section):
    shown, measured = tables(page, heading, section)
    assert len(shown) == len(measured)


def test_ranks_of_tags_are_those_of_the_results():
    shown, _ = tables("guide/tags", "Measured", "Tags of which some are known")
    assert len(shown) == 9


@pytest.mark.parametrize(
    ("section", "columns", "n_methods"),
    [
        ("Single labels, some of them wrong: beside cleanlab", (0, 2, 4), 4),
        ("Labelling functions: beside snorkel", (0, 1, 2, 3), 7),
    ],
)
def test_means_beside_other_libraries_are_those_of_the_results(section, columns, n_methods):
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    shown = table_below(page, "Beside other libraries")
    readme = table_below((ROOT / "README.md").read_text(encoding="utf-8"), "Beside other libraries")
    measured = {
        name: [cells[column] for column in columns]
        for name, cells in table_below(RESULTS, section).items()
        if name.startswith(("majority", "snorkel", "cleanlab", "disambig")) and name in shown
    }
    assert len(measured) == n_methods
    # Both tables have the same names, but for `disambig` alone and the columns.
    for name, cells in measured.items():
        assert [plain(cell) for cell in shown[name]] == cells, name
    text = " ".join(readme["cleanlab" if len(columns) == 3 else "snorkel"])
    quoted = re.findall(r"\.\d{3}", text)
    assert len(quoted) >= 4
    assert set(quoted) <= {cell.removeprefix("0") for cells in measured.values() for cell in cells}


def tables(page, heading, section):
    """The first table below a heading of a page, whose rows are as in the results, and these."""
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    # The first table below the heading; others follow.
    rows = [line for line in text.partition(f"\n## {heading}\n")[2].split("\n\n") if "|" in line]
    shown = [[plain(cell) for cell in line.strip("|").split("|")] for line in rows[0].split("\n")]
    measured = table_below(RESULTS, section)
    for name, *cells in shown[2:]:
        assert cells == [plain(cell) for cell in measured[name]][: len(cells)], name
    return shown, measured
