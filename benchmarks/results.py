"""The file RESULTS.md, in which every benchmark has a section between two markers."""

import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from disambig.atomic import write_text_atomically

__all__ = ["RESULTS", "processor", "provenance", "write_section"]

RESULTS = Path(__file__).resolve().parent / "RESULTS.md"
_PACKAGES = ("disambig", "numpy", "scipy", "scikit-learn", "numba")
_HEADER = """# Results

Every section is written by the command it names, between its markers; change nothing in between by
hand. Times are those of the machine that the section names.
"""


def write_section(name: str, markdown: str, *, path: Path = RESULTS) -> None:
    """Replace the text between the markers of `name` by `markdown`.

    A new section goes to the end; the file is created if there is none. The file is replaced
    atomically.
    """
    begin, end = f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
    text = path.read_text(encoding="utf-8") if path.exists() else _HEADER
    section = f"{begin}\n{markdown.strip()}\n{end}"
    counts = (text.count(begin), text.count(end))
    if counts == (0, 0):
        text = f"{text.rstrip()}\n\n{section}\n"
    elif counts == (1, 1) and text.index(begin) < text.index(end):
        before, rest = text.split(begin)
        text = f"{before}{section}{rest.split(end)[1]}"
    else:
        raise ValueError(
            f"{path.name}: expected the markers of section {name!r} once each and in order, found "
            f"{counts[0]} × begin and {counts[1]} × end. Repair the file by hand, or delete it."
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text_atomically(path, text)


def provenance(command: str, *, seeds: str, more: Mapping[str, str] | None = None) -> str:
    """Command, seeds, date, machine and versions of a section, as a list."""
    lines = {
        "Command": f"`{command}`",
        "Seeds": seeds,
        "Date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "Machine": f"{processor()}, {os.cpu_count()} cores, {platform.system()}",
        "Versions": ", ".join([f"Python {platform.python_version()}", *_versions()]),
        **(more or {}),
    }
    return "\n".join(f"- {key}: {value}" for key, value in lines.items())


def processor() -> str:
    """The model of the processor, if the system reports it."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8", errors="replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name" and value.strip():
                return value.strip()
    return platform.processor() or platform.machine() or "unknown processor"


def _versions() -> list[str]:
    found = []
    for package in _PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"{package} not installed")
    return found
