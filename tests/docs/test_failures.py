"""docs/failures.md names every warning, every error and every finding."""

import re
from pathlib import Path

import pytest

from disambig import exceptions
from disambig.diagnosis.registry import rows_of_checks

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "failures.md").read_text(encoding="utf-8")
HEADINGS = re.findall(r"^#+ (.+)$", PAGE, flags=re.MULTILINE)


@pytest.mark.parametrize("name", exceptions.__all__)
def test_every_category_has_a_section(name: str) -> None:
    assert name in HEADINGS


def test_every_finding_has_a_row_with_its_cause_and_remedy() -> None:
    message = "paste the result of disambig.diagnosis.registry.rows_of_checks() into the page"
    assert rows_of_checks() in PAGE, message
