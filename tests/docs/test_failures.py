"""The pages name every warning, every error and every finding."""

import re
from pathlib import Path

import pytest

from benchmarks.trees.findings import pages
from disambig import exceptions

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "failures.md").read_text(encoding="utf-8")
HEADINGS = re.findall(r"^#+ (.+)$", PAGE, flags=re.MULTILINE)


@pytest.mark.parametrize("name", exceptions.__all__)
def test_every_category_has_a_section(name: str) -> None:
    assert name in HEADINGS


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.name)
def test_findings_are_on_the_pages(path: Path) -> None:
    message = "run `python -m benchmarks.trees.findings --write`"
    assert path.read_text(encoding="utf-8") == pages()[path], message
