"""Links of the repository become links of the site."""

import importlib.util
from pathlib import Path, PurePosixPath

import pytest

pytest.importorskip("sphinx", reason="sphinx is not installed (extra `docs`)")
PATH = Path(__file__).resolve().parents[2] / "docs" / "_extensions" / "repository_pages.py"
spec = importlib.util.spec_from_file_location("repository_pages", PATH)
assert spec is not None
assert spec.loader is not None
pages = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pages)


@pytest.mark.parametrize(
    ("folder", "page", "link", "expected"),
    [
        (".", "docs/contributing.md", "docs/glossary.md", "glossary.md"),
        (".", "docs/contributing.md", "ARCHITECTURE.md", "architecture.md"),
        (".", "docs/contributing.md", "ARCHITECTURE.md#layers", "architecture.md#layers"),
        ("docs", "docs/guide/labels.md", "trust.md#one", "../trust.md#one"),
        ("docs/guide", "docs/guide/labels.md", "../trust.md", "../trust.md"),
        ("docs", "docs/benchmarks.md", "../benchmarks/RESULTS.md", "results.md"),
        ("docs", "docs/start.md", "../examples/", "gallery/index.rst"),
        (
            "docs/guide",
            "docs/guide/structures.md",
            "../../examples/3_stories/plot_annotators.py",
            "../gallery/3_stories/plot_annotators.rst",
        ),
        ("docs", "docs/start.md", "https://example.org/a.md", "https://example.org/a.md"),
        ("docs", "docs/start.md", "#below", "#below"),
    ],
)
def test_links(folder, page, link, expected):
    found = pages.on_the_site(f"[text]({link})", PurePosixPath(folder), PurePosixPath(page))
    assert found == f"[text]({expected})"
