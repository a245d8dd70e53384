"""The page is self-contained and well formed, and has a text for every figure."""

import base64
import re
import xml.etree.ElementTree as ET

import pytest

from reproduce.captions import caption
from reproduce.page import Picture, Section, html_page
from reproduce.results import FigureResult
from reproduce.tables import results_table

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"/>'
RESULTS = [
    FigureResult("dna", 0.5, "DF", "truth", "test error", 0.06, 0.01, "8 folds", 0.1, 0.01),
    FigureResult("<b>", None, "IL", "fixed", "test error", 0.06, None, "8 folds"),
]


@pytest.fixture
def page() -> str:
    section = Section(
        "one",
        "A & B",
        "lead",
        [Picture("wide and narrow", SVG, SVG), Picture("wide", SVG)],
        ["a < b"],
        {"Why": ["because <i>"], "Nothing": []},
        results_table(RESULTS),
        "mind this",
        {"Warnings": ["oh"], "None": []},
    )
    return html_page("A title", "A lead", [section], {"Seed": "0"})


def test_the_page_is_well_formed(page: str) -> None:
    kind, _, rest = page.partition("\n")
    assert kind == "<!doctype html>"
    root = ET.fromstring(rest)
    assert root.tag == "html"
    assert [e.get("id") for e in root.iter("section")] == ["one"]
    assert [e.get("href") for e in root.iter("a")] == ["#one"]
    texts = "".join(root.itertext())
    for words in ("A & B", "a < b", "because <i>", "mind this", "<b>", "oh"):
        assert words in texts
    assert "Nothing" not in texts


def test_the_page_refers_to_no_other_file(page: str) -> None:
    assert "http" not in page
    sources = re.findall(r'(?:src|srcset)="([^"]*)"', page)
    assert len(sources) == 3
    for source in sources:
        head, _, data = source.partition(",")
        assert head == "data:image/svg+xml;base64"
        assert base64.b64decode(data) == SVG
    assert "@import" not in page
    assert "url(" not in page
    assert "<script" not in page
    assert "<link" not in page


def test_there_are_styles_for_phones_and_for_dark_mode(page: str) -> None:
    assert 'name="viewport"' in page
    assert "prefers-color-scheme: dark" in page
    assert page.count("<source media=") == 1
    assert page.count('class="card sideways"') == 1


def test_every_figure_has_a_caption() -> None:
    from reproduce.__main__ import FIGURES

    for figure in FIGURES:
        words = caption(figure)
        assert words.title
        assert words.lead
        assert words.paragraphs
        assert words.differences


def test_findings_name_the_run_that_they_come_from() -> None:
    words = caption("interval")
    assert "one seed (0 is the published one)" in words.paragraphs[0]
    for figure, finding in {
        "interval": "ahead of averaging",
        "classification": "far better",
        "semi-supervised": "gets labels across",
        "ranking": "is hard",
        "rates": "much faster",
    }.items():
        words = caption(figure)
        (text,) = (t for t in (*words.paragraphs, *words.differences) if finding in t)
        assert "full run with seed 0" in text.partition(finding)[0]


def test_large_differences_are_marked_in_the_table() -> None:
    table = results_table(RESULTS)
    assert "<td class='number away'>−2.8 s.e.</td>" in table
    assert "<th colspan='6' scope='rowgroup'>&lt;b&gt;</th>" in table
    assert table.count("<tr>") == 3


def test_common_facts_are_written_once_above_the_table() -> None:
    words = ("sine", None, "DF", "fixed", "error")
    table = results_table([FigureResult(*words, value, 0.01, "9 seeds") for value in (0.1, 0.2)])
    assert "<p>sine; error; mean ± standard error over 9 seeds</p>" in table
    assert re.findall(r"<th[^>]*>([^<]*)</th>", table) == ["method", "ours"]


def test_rows_of_one_quantity_form_a_group() -> None:
    words = ("circles", 1300.0, "DF", "fixed")
    results = [
        FigureResult(*words, quantity, 0.00412, 0.0003, "9 seeds", 0.00412, 0.0003)
        for quantity in ("right", "undecided", "right")
    ]
    table = results_table(results)
    assert re.findall(r"rowgroup'>([^<]*)<", table) == ["right", "undecided"]
    # Sizes are integers, small numbers keep their digits, and zero has no minus sign.
    assert table.count("<td class='number'>1300</td>") == 3
    assert table.count("0.00412 ± 0.00030") == 3
    assert table.count("+0.0 s.e.") == 3


def test_slopes_and_small_numbers_keep_their_digits() -> None:
    words = ("rates", None, "DF", "fixed")
    table = results_table(
        [
            FigureResult(*words, "slope of the log error", -0.02213, 0.0004, "9 draws"),
            FigureResult(*words, "error", 3e-6, 2e-6, "9 draws"),
            FigureResult(*words, "error", 0.25, 0.01, "9 draws"),
        ]
    )
    assert "−0.02213 ± 0.00040" in table
    assert "3.0e-06 ± 2.0e-06" in table
    assert "0.250 ± 0.010" in table


def test_text_between_backticks_is_code() -> None:
    page = html_page("A title", "Call `f(a < b)`, not `.", [], {})
    assert "Call <code>f(a &lt; b)</code>, not `." in page
