"""What docs/paper_and_code.md refers to is there; its snippets run beside those of all pages."""

import importlib.util
import re
from pathlib import Path

import pytest

from benchmarks.paper_and_code import best_start_errors, start_errors
from disambig.datasets import fetch_libsvm

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "paper_and_code.md").read_text(encoding="utf-8")
# As the page wraps its lines.
FLAT = re.sub(r"\s+", " ", PAGE)
SECTIONS = sorted(set(re.findall(r"sections? \*([^*]+)\*", FLAT)))
MODULES = sorted(set(re.findall(r"`python -m ([\w.]+)", FLAT)))


@pytest.mark.parametrize("title", SECTIONS)
def test_sections_of_the_results_are_there(title: str) -> None:
    results = (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
    assert f"\n## {title}\n" in results


def test_several_sections_are_named() -> None:
    assert len(SECTIONS) >= 6
    assert len(MODULES) >= 3


@pytest.mark.parametrize("module", MODULES)
def test_commands_are_there(module: str) -> None:
    assert importlib.util.find_spec(module) is not None


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)#:]+)\)", PAGE))))
def test_links_lead_somewhere(link: str) -> None:
    assert (ROOT / "docs" / link).exists()


@pytest.mark.parametrize("anchor", sorted(set(re.findall(r"\]\(#([^)]+)\)", PAGE))))
def test_anchors_lead_to_headings(anchor: str) -> None:
    titles = re.findall(r"^#+ (.+)$", PAGE, flags=re.MULTILINE)
    slugs = [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles]
    assert anchor in slugs


def test_dna_is_as_large_as_the_page_says(data_dir: Path) -> None:
    dna = fetch_libsvm("dna", folder=data_dir, download=False)
    test = fetch_libsvm("dna", part="test", folder=data_dir, download=False)
    assert dna.X.shape == (2000, 180)
    assert test.X.shape == (1186, 180)


@pytest.mark.slow
def test_errors_of_dna_are_as_the_page_says(data_dir: Path) -> None:
    """At level .8."""
    dna = fetch_libsvm("dna", folder=data_dir, download=False)
    found = start_errors(
        dna.X, dna.y, level=0.8, bandwidth=18.0, regularization=1e-3 / len(dna.X) ** 0.5
    )
    cells = re.search(r"\| \.8 \|(.+)\|", PAGE)
    assert cells is not None
    said = [float(cell) for cell in cells.group(1).split("|")]
    assert list(found.values()) == pytest.approx(said, abs=0.006)


@pytest.mark.slow
@pytest.mark.parametrize("level", ["0.8", "0.9"])
def test_starts_at_the_best_cell_are_as_the_page_says(data_dir: Path, level: str) -> None:
    dna = fetch_libsvm("dna", folder=data_dir, download=False)
    found = best_start_errors(dna.X, dna.y, level=float(level))
    cells = re.search(rf"\| {re.escape(level)} \|(.+)\|", PAGE)
    assert cells is not None
    said = [float(cell) for cell in cells.group(1).split("|")]
    names = ("DF from 1/|s|", "DF from 1", "IL exact", "AC")
    assert [found[name] for name in names] == pytest.approx(said, abs=0.006)
