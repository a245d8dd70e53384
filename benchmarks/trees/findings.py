"""The findings of `diagnose` on the pages: how each is detected, why it matters, what to do.

    python -m benchmarks.trees.findings --write

writes the codes of docs/diagnosis.md and the table of docs/failures.md, which are the last sections
of these pages. A test fails if they are stale.
"""

import argparse
from pathlib import Path

from disambig.atomic import write_text_atomically
from disambig.diagnosis.findings import Check
from disambig.diagnosis.registry import CHECKS

DOCS = Path(__file__).resolve().parents[2] / "docs"
KINDS = {"L": "Labels", "N": "Numbers", "O": "Orders", "B": "Tags", "F": "Features"}


def alike() -> list[list[Check]]:
    """The checks, those together of which only the letter and how they are detected differ."""
    found: dict[tuple[str, ...], list[Check]] = {}
    for one in CHECKS:
        found.setdefault((one.name, one.title, one.level, one.why, one.remedy), []).append(one)
    return list(found.values())


def codes() -> str:
    """The end of docs/diagnosis.md: an entry for each check, by kind of target."""
    parts = ["### In several kinds of target", *(entry(one) for one in alike() if len(one) > 1)]
    for letter, title in KINDS.items():
        own = [one for one in alike() if len(one) == 1 and one[0].code[0] == letter]
        parts += [f"### {title}", *(entry(one) for one in own)]
    return "\n\n".join(parts) + "\n"


def heading(checks: list[Check]) -> str:
    """Such as "L110: classes-always-together"."""
    return f"{', '.join(check.code for check in checks)}: {checks[0].name}"


def entry(checks: list[Check]) -> str:
    """A heading that links can name, and what is to be known."""
    first = checks[0]
    detected: dict[str, list[str]] = {}
    for check in checks:
        detected.setdefault(check.detected, []).append(KINDS[check.code[0]].lower())
    how = [f"- Detected ({', '.join(kinds)}): {text}" for text, kinds in detected.items()]
    if len(how) == 1:
        how = [f"- Detected: {first.detected}"]
    lines = [
        f"#### {heading(checks)}",
        "",
        f"**{first.title}** ({first.level}).",
        "",
        *how,
        f"- Why it matters: {first.why}",
        f"- What to do: {first.remedy}",
    ]
    return "\n".join(lines)


def table() -> str:
    """The end of docs/failures.md: a line for each check, with its cause and its remedy."""
    slugs = {
        one.code: heading(checks).lower().replace(",", "").replace(":", "").replace(" ", "-")
        for checks in alike()
        for one in checks
    }
    lines = ["| code | cause | what to do |", "|---|---|---|"]
    for one in CHECKS:
        remedy = one.remedy.replace("cat|dog", "cat\\|dog")
        link = f"[{one.code}](diagnosis.md#{slugs[one.code]})"
        lines.append(f"| {link} {one.name} | {one.title} | {remedy} |")
    return "\n".join(lines) + "\n"


def pages() -> dict[Path, str]:
    """Both pages as they should be."""
    found = {}
    for name, start, end in [
        ("diagnosis.md", "### In several kinds of target\n", codes()),
        ("failures.md", "| code | cause | what to do |\n", table()),
    ]:
        text = (DOCS / name).read_text(encoding="utf-8")
        before, mark, _ = text.partition(start)
        assert mark, f"docs/{name} has no line {start.strip()!r}"
        found[DOCS / name] = before + end
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write both pages")
    write = parser.parse_args().write
    for path, text in pages().items():
        if write:
            write_text_atomically(path, text)
        else:
            print(text)


if __name__ == "__main__":
    main()
