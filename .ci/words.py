"""Report words that `docs/glossary.md` lists as "not these", in prose and inside names.

    python .ci/words.py [PATH ...]

Without arguments: the sources with their docstrings, tests, benchmarks, examples with the texts of
the gallery, and all pages; not what the build of the site writes. A line that must quote such a
word (another library's name, say) ends with the comment ``words: ok``.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GLOSSARY = ROOT / "docs" / "glossary.md"
FOLDERS = ("src", "reproduce", "tests", "benchmarks", "examples", "docs", ".ci", ".github")
FILES = ("*.md", "llms.txt", "pyproject.toml", "Makefile")
SUFFIXES = {".py", ".md", ".rst", ".txt", ".toml", ".html", ".css", ".yml"}
BUILT = tuple(ROOT / "docs" / name for name in ("_build", "api", "gallery"))
ALLOWED = "words: ok"
# A name falls into words at underscores and where a capital letter begins one.
WORD = re.compile(r"[A-Z]?[a-z]+(?:-[a-z]+)*|[A-Z]+(?![a-z])")


def unwanted() -> dict[str, str]:
    """Each unwanted word with the term that stands for it."""
    words = {}
    for line in GLOSSARY.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|") or len(cells) != 3 or set(cells[0]) <= {"-", ":"}:
            continue
        for word in filter(None, (word.strip() for word in cells[2].split(","))):
            if word != "not these":
                words[word] = cells[0]
    return words


def files(paths: list[Path]) -> Iterator[Path]:
    """Files of texts and of code; the glossary itself quotes the words."""
    for path in paths:
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        for one in found:
            is_read = one.suffix in SUFFIXES or one.name == "Makefile"
            if is_read and one != GLOSSARY and not any(one.is_relative_to(b) for b in BUILT):
                yield one


def hits(path: Path, words: dict[str, str]) -> Iterator[tuple[int, str]]:
    """Line numbers and unwanted words of one file."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if ALLOWED in line:
            continue
        for match in WORD.finditer(line):
            word = match.group(0).lower()
            if word in words:
                yield number, word


def _shown(path: Path) -> Path:
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def main() -> int:
    paths = [Path(argument).resolve() for argument in sys.argv[1:]]
    default = [ROOT / folder for folder in FOLDERS]
    default += [path for name in FILES for path in ROOT.glob(name)]
    words, count = unwanted(), 0
    for path in files(paths or default):
        for number, word in hits(path, words):
            count += 1
            print(f"{_shown(path)}:{number}: {word!r}: the glossary says {words[word]!r}")
    if count:
        print(f"{count} words that docs/glossary.md lists under 'not these'.")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
