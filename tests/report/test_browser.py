"""Reports in Chromium: no message, no request, tables that work, and nothing that hides."""

import csv
import importlib.util
import io
import os
import subprocess
import time
from pathlib import Path

import pytest

from tests.report.browser import browser_path, running_browser
from tests.report.models import HOSTILE, KINDS, hostile_report, reported, searched
from tests.report.page_parts import is_shown

CHROMIUM = browser_path()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian: chromium)"),
]
CASES = (*KINDS, "searched", "hostile")


@pytest.fixture(scope="module")
def browser():
    with running_browser(str(CHROMIUM)) as found:
        yield found


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A file for each case."""
    folder = tmp_path_factory.mktemp("pages")

    def path(case: str) -> Path:
        file = folder / f"{case}.html"
        if not file.exists():
            if case == "hostile":
                report = hostile_report()
            elif case == "searched":
                report = searched().report()
            else:
                report = reported(case)
            report.to_html(file)
        return file

    return path


@pytest.fixture
def page(browser):
    found = browser.new_page()
    found.look()
    return found


@pytest.mark.parametrize("case", CASES)
def test_no_message_no_request_and_every_table_is_made(case, page, pages):
    page.open(pages(case))
    page.run("new Promise((done) => setTimeout(done, 200))")
    assert page.messages == []
    assert [url for url in page.requests if not url.startswith(("file:", "data:"))] == []
    n_tables = page.run("document.querySelectorAll('table.data').length")
    assert page.run("document.documentElement.dataset.ready") == str(n_tables)
    assert n_tables > 0


def cells(page, table, column):
    """The cells of a column, as they are shown."""
    rows = f"[...document.querySelectorAll('#{table} tbody tr')]"
    return page.run(f"{rows}.map(row => row.cells[{column}].textContent)")


@pytest.mark.parametrize("kind", KINDS)
def test_tables_sort(kind, page, pages):
    page.open(pages(kind))
    click = "document.querySelectorAll('#rows-before-after thead tr:first-child th')[3]"
    page.run(f"{click}.querySelector('.dt-column-order').click()")
    rising = [float(text) for text in cells(page, "rows-before-after", 3)]
    assert rising == sorted(rising)
    page.run(f"{click}.querySelector('.dt-column-order').click()")
    falling = [float(text) for text in cells(page, "rows-before-after", 3)]
    assert falling == sorted(falling, reverse=True)
    assert falling[0] >= rising[-1]


@pytest.mark.parametrize("kind", KINDS)
def test_tables_search_filter_and_turn_pages(kind, page, pages):
    page.open(pages(kind))
    box = "#rows-before-after_wrapper"
    assert len(cells(page, "rows-before-after", 0)) == 10
    first = cells(page, "rows-before-after", 0)
    page.run(f"document.querySelector('{box} .dt-paging-button.next').click()")
    second = cells(page, "rows-before-after", 0)
    assert len(second) == 10
    assert not set(first) & set(second)

    fill = (
        "(() => {{ const box = document.querySelector(\"{0}\"); box.value = '{1}';"
        " box.dispatchEvent(new Event('input', {{bubbles: true}}));"
        " box.dispatchEvent(new KeyboardEvent('keyup', {{bubbles: true}})); }})()"
    )
    page.run(fill.format(f"{box} .dt-search input", "k119"))
    page.wait("document.querySelectorAll('#rows-before-after tbody tr').length === 1")
    assert cells(page, "rows-before-after", 0) == ["k119"]
    page.run(fill.format(f"{box} .dt-search input", ""))
    page.wait("document.querySelectorAll('#rows-before-after tbody tr').length === 10")
    page.run(fill.format("#rows-before-after thead tr:nth-child(2) > :first-child input", "k0"))
    page.wait("document.querySelectorAll('#rows-before-after tbody tr').length === 1")
    assert cells(page, "rows-before-after", 0) == ["k0"]


@pytest.mark.parametrize("case", [*KINDS, "hostile"])
def test_tables_are_exported_as_csv(case, browser, page, pages, tmp_path):
    page.open(pages(case))
    browser.save_downloads(tmp_path)
    page.run("document.querySelector('#rows-before-after_wrapper .buttons-csv').click()")
    file = tmp_path / "rows-before-after.csv"
    end = time.monotonic() + 30
    while not file.exists():
        assert time.monotonic() < end, list(tmp_path.iterdir())
        time.sleep(0.05)
    report = hostile_report() if case == "hostile" else reported(case)
    table = next(
        one
        for section in report.document.sections
        for one in section.tables
        if one.id == "rows-before-after"
    )
    rows = list(csv.reader(io.StringIO(file.read_text("utf-8-sig"))))
    assert rows[0] == list(table.columns)
    assert len(rows) == len(table.rows) + 1
    for found, row in zip(rows[1:], table.rows, strict=True):
        assert len(found) == len(row)
        for text, value in zip(found, row, strict=True):
            assert is_shown(text.lstrip("'"), value.strip() if isinstance(value, str) else value)


def test_a_hostile_text_runs_nothing(page, pages):
    page.open(pages("hostile"))
    assert page.run("document.title") == "Report on a table"
    shown = page.run("document.body.innerText")
    assert HOSTILE[0] in shown
    assert "$$x^2$$ {{7*7}}" in shown
    assert page.run("document.scripts.length") == 1


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("width", "dark"), [(1200, False), (1200, True), (400, False)])
def test_it_fits_into_the_window(case, width, dark, page, pages, tmp_path):
    page.look(width=width, dark=dark)
    page.open(pages(case))
    assert page.run("document.documentElement.scrollWidth") <= width
    color = page.run("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, color[4:-1].split(","))) < 200) == dark
    page.screenshot(tmp_path / "page.png")
    assert (tmp_path / "page.png").stat().st_size > 10_000


def test_without_scripts_all_rows_are_there(page, pages):
    page.send("Emulation.setScriptExecutionDisabled", value=True)
    page.open(pages("labels"), ready="1")
    assert page.run("document.querySelectorAll('#rows-before-after tbody tr').length") == 30
    assert page.run("document.documentElement.scrollWidth") <= 1200
    assert page.run("document.querySelectorAll('svg.figure').length") >= 5


def test_in_print_controls_are_gone(page, pages):
    page.open(pages("labels"))
    page.send("Emulation.setEmulatedMedia", media="print")
    for part in ("nav", ".dt-search", ".dt-buttons", ".dt-paging"):
        assert page.run(f"getComputedStyle(document.querySelector('{part}')).display") == "none"
    assert page.send("Page.printToPDF")["data"]


def test_the_keyboard_reaches_links_boxes_and_buttons(page, pages):
    page.open(pages("labels"))
    page.press("Tab", 9)
    assert page.run("document.activeElement.textContent") == "Skip to the report"
    seen = set()
    for _ in range(120):
        page.press("Tab", 9)
        seen.add(
            page.run("document.activeElement.tagName + '.' + document.activeElement.className")
        )
    tags = {one.partition(".")[0] for one in seen}
    assert {"A", "SUMMARY", "INPUT", "BUTTON"} <= tags
    assert any("buttons-csv" in one for one in seen)
    assert any("frame" in one for one in seen)


CONTRAST = """
(() => {
  const number = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (rgb) => rgb.slice(0, 3).map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
  const behind = (node) => {
    for (let one = node; one; one = one.parentElement) {
      const color = number(getComputedStyle(one).backgroundColor);
      if (color.length < 4 || color[3] > 0.9) return color;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const node of document.querySelectorAll('main *, header *, nav *, footer *')) {
    const text = [...node.childNodes].some((c) => c.nodeType === 3 && c.textContent.trim());
    if (!text || node.closest('svg, .hidden, .disabled')) continue;
    if (!node.getClientRects().length) continue;
    const style = getComputedStyle(node);
    const [a, b] = [light(number(style.color)), light(behind(node))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) found.push([node.tagName, node.className, ratio.toFixed(2)].join(' '));
  }
  return [...new Set(found)];
})()
"""
NAMELESS = """
[...document.querySelectorAll(
  'input, select, button, a[href], [role=button], [role=region], svg.figure')]
  .filter((node) => node.getClientRects().length)
  .filter((node) => !(node.getAttribute('aria-label') || node.getAttribute('aria-labelledby')
    || (node.labels && node.labels.length) || node.textContent.trim() || node.title))
  .map((node) => node.outerHTML.slice(0, 200))
"""


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_texts_have_contrast_and_controls_have_names(case, dark, page, pages):
    page.look(dark=dark)
    page.open(pages(case))
    assert page.run(CONTRAST) == []
    assert page.run(NAMELESS) == []


def axe_script() -> Path | None:
    """axe-core: named by AXE_CORE, installed for node, or by the package axe-core-python."""
    if "AXE_CORE" in os.environ:
        return Path(os.environ["AXE_CORE"])
    found = importlib.util.find_spec("axe_core_python")
    if found is not None and found.origin is not None:
        return next(Path(found.origin).parent.rglob("axe.min.js"), None)
    try:
        root = subprocess.run(
            ["npm", "root", "--global"], capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
    path = Path(root) / "axe-core" / "axe.min.js"
    return path if path.exists() else None


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_axe_finds_no_serious_violation(case, dark, page, pages):
    script = axe_script()
    if script is None:
        pytest.skip("axe-core is not installed (npm install --global axe-core, or AXE_CORE=FILE)")
    page.look(dark=dark)
    page.open(pages(case))
    page.run(script.read_text("utf-8") + "; 0")
    found = page.run(
        "axe.run().then(r => r.violations.filter(v => ['serious', 'critical'].includes(v.impact))"
        ".map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 200)).join(' ')))"
    )
    assert found == []
