"""Conventions of the source: names and sizes of files, and the import contract."""

import importlib.util
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "disambig"
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "misc", "common"}
MAX_LINES = 400
MAX_FILES = 20
TEXT = "Rows hear votes.\nbest_law, BestLaw\na law  <!-- words: ok -->\nlawful\n"  # words: ok
FOUND = ["1: 'hear'", "2: 'law'", "2: 'law'"]  # words: ok


def source_files() -> list[Path]:
    files = sorted(SOURCE.rglob("*.py"))
    assert files, f"no source below {SOURCE}"
    return files


def test_no_vague_names() -> None:
    """The name of a file says what is inside."""
    found = [
        str(path.relative_to(ROOT))
        for path in source_files()
        if VAGUE_NAMES
        & {part.strip("_") for part in path.relative_to(SOURCE).with_suffix("").parts}
    ]
    assert not found


def test_no_long_files() -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in source_files()
    }
    assert not {path: length for path, length in lengths.items() if length > MAX_LINES}


def test_no_large_folders() -> None:
    folders = Counter(str(path.parent.relative_to(ROOT)) for path in source_files())
    assert not {folder: count for folder, count in folders.items() if count > MAX_FILES}


def test_the_glossary_lists_words_and_the_check_finds_them(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(TEXT)
    done = subprocess.run(
        [sys.executable, str(ROOT / ".ci" / "words.py"), str(page)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    found = [line.rpartition(f"{page.name}:")[2] for line in done.stdout.splitlines()[:-1]]
    assert [line.partition(": the")[0] for line in found] == FOUND


def test_the_import_contract() -> None:
    if importlib.util.find_spec("importlinter") is None:
        pytest.skip(
            "import-linter is not installed (extra `lint`); `make lint` checks the contract"
        )
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from importlinter.cli import lint_imports_command; lint_imports_command()",
            "--no-cache",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 broken" in done.stdout
