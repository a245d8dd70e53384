"""The manners of the house that a machine can check."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "disambig"
DRAWERS = {"utils", "util", "helpers", "helper", "misc", "common"}
LONGEST_FILE = 400


def source_files() -> list[Path]:
    files = sorted(SOURCE.rglob("*.py"))
    assert files, f"no source below {SOURCE}"
    return files


def test_no_drawers() -> None:
    """A noun says what is inside; a drawer says nothing."""
    found = [
        str(path.relative_to(ROOT))
        for path in source_files()
        if DRAWERS & {part.strip("_") for part in path.relative_to(SOURCE).with_suffix("").parts}
    ]
    assert not found


def test_no_long_files() -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in source_files()
    }
    assert not {path: length for path, length in lengths.items() if length > LONGEST_FILE}


def test_the_import_arrows_point_down() -> None:
    if importlib.util.find_spec("importlinter") is None:
        pytest.skip("import-linter is not installed (extra `lint`); `make lint` checks the arrows")
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
