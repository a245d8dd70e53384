"""`.ci/links.py` finds every link of a built site that leads nowhere."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / ".ci" / "links.py"
GOOD = """<html><body><h1 id="top-of-page">A</h1><a href="sub/b.html#there">b</a>
<a href="#top-of-page">up</a>
<img src="x.png"> <a href="https://example.org">out</a> <a href="sub/">folder</a></body></html>"""


def site(folder: Path, more: str = "") -> Path:
    (folder / "sub").mkdir()
    (folder / "index.html").write_text(GOOD + more)
    (folder / "sub" / "b.html").write_text('<p id="there">b</p><a href="../index.html">back</a>')
    (folder / "sub" / "index.html").write_text("folder")
    (folder / "x.png").write_bytes(b"")
    return folder


def run(folder: Path) -> tuple[int, list[str]]:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(folder)], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout.splitlines()


def test_a_site_without_broken_links(tmp_path):
    assert run(site(tmp_path)) == (0, ["0 broken links"])


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ('<a href="nowhere.html">x</a>', "nowhere.html: no such file"),
        ('<a href="sub/b.html#no">x</a>', "sub/b.html#no: no such place in the page"),
        ('<a href="#no">x</a>', "#no: no such place in the page"),
        ('<img src="y.png">', "y.png: no such file"),
        ('<source srcset="x.png 1x, y.png 2x">', "y.png: no such file"),
        (
            '<script src="https://example.org/a.js"></script>',
            "https://example.org/a.js: is loaded from the network",
        ),
        (
            '<link rel="stylesheet" href="https://example.org/a.css">',
            "https://example.org/a.css: is loaded from the network",
        ),
    ],
)
def test_what_is_broken_is_named(tmp_path, more, problem):
    code, said = run(site(tmp_path, more))
    assert code == 1
    assert said == [f"index.html: {problem}", "1 broken links"]


def test_a_folder_without_pages(tmp_path):
    code, said = run(tmp_path)
    assert code == 2
    assert "usage" in said[0]
