"""`.ci/browser.py` finds what is wrong with the pages of a site that a browser shows."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.report.browser import browser_path

SCRIPT = Path(__file__).resolve().parents[2] / ".ci" / "browser.py"
PAGE = """<!doctype html><html><head><meta name="viewport" content="width=device-width"></head>
<body><p>text</p>{}</body></html>"""
# As the search of a site does: its answer comes later.
SEARCH = """<!doctype html><div id="search-results"></div><script>
window.onload = () => {
  const box = document.querySelector("#search-results");
  const pages = {"?q=censored": "guide/numbers.html", "?q=suspects": "trust.html"};
  box.innerHTML = "<p class='search-summary'>Searching</p>";
  setTimeout(() => {
    const page = pages[location.search] + "?highlight=x";
    box.innerHTML = "<p class='search-summary'>finished</p><a href='" + page + "'>it</a>";
  }, 200);
};
</script>"""


def site(folder: Path, more: str = "", search: str = SEARCH) -> Path:
    (folder / "index.html").write_text(PAGE.format(more))
    (folder / "search.html").write_text(search)
    return folder


def run(folder: Path) -> tuple[int, list[str]]:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(folder)], capture_output=True, text=True, check=False
    )
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.skipif(browser_path() is None, reason="needs Chromium")
def test_what_is_wrong_in_a_browser_is_named(tmp_path):
    good = tmp_path / "good"
    good.mkdir()
    assert run(site(good)) == (0, ["0 things wrong in the browser"])
    bad = tmp_path / "bad"
    bad.mkdir()
    more = '<div style="width: 900px">wide</div><img src="none.png">'
    code, said = run(site(bad, more, SEARCH.replace("trust.html", "other.html")))
    assert code == 1
    assert [line.partition("bad/")[0] for line in said] == [
        "index.html: no picture at file://" + f"{tmp_path}/",
        "index.html: 508 pixels wider than a window of 400",
        "index.html: no picture at file://" + f"{tmp_path}/",
        "search.html: 'suspects' does not find trust.html",
        "4 things wrong in the browser",
    ]


def test_a_folder_without_pages(tmp_path):
    code, said = run(tmp_path)
    assert code == 2
    assert "usage" in said[0]
