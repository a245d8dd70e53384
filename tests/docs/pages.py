"""The Markdown pages of the project: their code blocks, their links, and the places in them."""

import itertools
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Written by the build of the site.
_BUILT = {"_build", "api", "gallery"}
_FENCE = re.compile(r"^(\s*)(`{3,}|:{3,})\s*(\{?[\w-]*\}?)")
_CODE = re.compile(r"(`+)[^`].*?\1", re.DOTALL)
_LINK = re.compile(r"\]\(<?([^)\s>]+)>?\)")
NOT_RUN = "# not run: "


@dataclass(frozen=True)
class Block:
    """A fenced block of code.

    Attributes
    ----------
    language : str
        What stands behind the fence; "" for nothing.
    code : str
    line : int
        Of the first line of the code, from 1.
    """

    language: str
    code: str
    line: int

    @property
    def reason(self) -> str | None:
        """Why it is not run, as its first line says for readers, too."""
        first = self.code.partition("\n")[0]
        return first.removeprefix(NOT_RUN) if first.startswith(NOT_RUN) else None


def pages() -> list[Path]:
    """README.md and its neighbours, and everything below `docs/` that is not built."""
    docs = ROOT / "docs"
    written = [path for path in docs.rglob("*.md") if path.relative_to(docs).parts[0] not in _BUILT]
    return sorted([*ROOT.glob("*.md"), *written])


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@cache
def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page, in order; those of colons hold text, not code."""
    found: list[Block] = []
    lines = text.splitlines()
    number = 0
    while number < len(lines):
        match = _FENCE.match(lines[number])
        number += 1
        if match is None or match[2][0] == ":":
            continue
        start = number
        while number < len(lines) and lines[number].strip() != match[2]:
            number += 1
        inside = (line.removeprefix(match[1]) for line in lines[start:number])
        found.append(Block(match[3], "\n".join(inside), start + 1))
        number += 1
    return found


def without_blocks(text: str) -> str:
    """A page without its fenced blocks."""
    lines, fence = [], ""
    for line in text.splitlines():
        match = _FENCE.match(line)
        if fence:
            fence = "" if line.strip() == fence else fence
        elif match and match[2][0] == "`":
            fence = match[2]
        else:
            lines.append(line)
    return "\n".join(lines)


def crooked_rows(text: str) -> list[str]:
    """Rows of tables that the site shows as text: they have not the cells of their head."""
    found, width = [], 0
    lines = [*without_blocks(text).splitlines(), ""]
    for line, after in itertools.pairwise(lines):
        if not line.lstrip().startswith("|"):
            width = 0
            continue
        if not width:
            # The head: the next line says how many columns there are.
            width = _cells(after) if re.fullmatch(r"\s*\|(\s*:?-+:?\s*\|)+\s*", after) else -1
        if _cells(line) != width:
            found.append(line)
    return found


def _cells(row: str) -> int:
    return len(re.findall(r"(?<!\\)\|", row)) - 1


def links(page: Path) -> list[str]:
    """Links to files and places of the repository."""
    found = _LINK.findall(_CODE.sub("", without_blocks(text_of(page))))
    return sorted({link for link in found if not re.match(r"[a-z]+:", link)})


def anchors(page: Path) -> set[str]:
    """The places in a page that links can name: its headings, as GitHub and the site write them."""
    text = text_of(page)
    found: set[str] = set(re.findall(r"^\(([\w-]+)\)=$", text, flags=re.MULTILINE))
    for included in re.findall(r"^```\{include\} (\S+)$", text, flags=re.MULTILINE):
        found |= anchors((page.parent / included).resolve())
    for title in re.findall(r"^#+ +(.+?) *#*$", without_blocks(text), flags=re.MULTILINE):
        plain = re.sub(r"\]\([^)]*\)", "", title)
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        repeated = sum(
            one == slug or re.fullmatch(rf"{re.escape(slug)}-\d+", one) is not None for one in found
        )
        found.add(f"{slug}-{repeated}" if slug in found else slug)
    return found
