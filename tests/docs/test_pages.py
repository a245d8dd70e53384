"""Every example, command and link of the pages works.

The Python blocks of a page continue each other. One that cannot run begins with ``# not run: `` and
the reason, which readers see too. They run in an empty folder that has what `disambig demo` writes.
"""

import doctest
import importlib.util
import re
import shlex
import shutil
import sys
import tomllib
import types
from pathlib import Path

import pytest

import disambig.cli
import disambig.cli.demo
from benchmarks.trees.public_face import PACKAGES
from reproduce.__main__ import _parser as reproduction_parser
from tests.docs.pages import (
    NOT_RUN,
    ROOT,
    Block,
    anchors,
    blocks,
    crooked_rows,
    links,
    name_of,
    pages,
    text_of,
)

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
SHELL = {"", "bash", "console", "sh", "shell", "text"}
# Pages whose examples take more than two seconds.
SLOW = {
    "docs/choosing.md",
    "docs/guide/few_labels.md",
    "docs/guide/labels.md",
    "docs/guide/numbers.md",
    "docs/mathematics/theory.md",
    "docs/paper_and_code.md",
    "docs/scaling.md",
    "docs/start.md",
    "docs/which_problem.md",
}
PAGES = {name_of(page): page for page in pages()}
WITH_PYTHON = [
    pytest.param(name, marks=pytest.mark.slow if name in SLOW else [])
    for name, page in PAGES.items()
    if any(block.language in {"python", "pycon"} for block in blocks(text_of(page)))
]
# "disambig demo" writes this table; pages that begin with it go on with it.
TABLE = Path(disambig.cli.demo.__file__).with_name("sightings.csv")


def run(block: Block, names: dict[str, object], page: str) -> None:
    """Run a block, and compare with what it shows if it shows a session."""
    if ">>> " not in block.code:
        # As long as the page, so that an error names its line.
        code = "\n" * (block.line - 1) + block.code
        exec(compile(code, page, "exec"), names)
        return
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=FLAGS)
    test = parser.get_doctest(block.code + "\n", names, page, page, block.line - 1)
    said: list[str] = []
    runner.run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    assert not runner.failures, "".join(said)


@pytest.mark.parametrize("name", WITH_PYTHON)
def test_python_blocks_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "disambig-demo").mkdir()
    shutil.copy(TABLE, tmp_path / "disambig-demo")
    # A module, so that classes of a page can be pickled.
    module = types.ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", module)
    names = vars(module)
    for block in blocks(text_of(PAGES[name])):
        if block.language in {"python", "pycon"} and block.reason is None:
            run(block, names, name)


def commands(name: str) -> list[tuple[int, list[str]]]:
    """The commands of a page, with their lines; an optional prompt is not part of them."""
    found = []
    for block in blocks(text_of(PAGES[name])):
        if block.language not in SHELL:
            continue
        joined = re.sub(r" *\\\n *", " ", block.code)
        for number, line in enumerate(joined.split("\n")):
            plain = line.strip().removeprefix("$ ")
            if re.match(r"(disambig|make|python -m|pip install) ", plain):
                found.append((block.line + number, shlex.split(plain, comments=True)))
    return found


def problem(words: list[str]) -> str | None:
    """What is wrong with a command."""
    if words[0] == "disambig":
        reproduces = words[1:2] == ["reproduce"]
        parser = reproduction_parser() if reproduces else disambig.cli._parser()
        try:
            parser.parse_args(words[2 if reproduces else 1 :])
        except SystemExit as done:
            return "cannot be parsed" if done.code else None
    elif words[0] == "make":
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        wrong = [w for w in words[1:] if "=" not in w and not w.startswith("-")]
        return None if set(wrong) <= set(targets) else f"no target {wrong}"
    elif words[:2] == ["python", "-m"]:
        return None if importlib.util.find_spec(words[2]) else f"no module {words[2]}"
    elif words[:2] == ["pip", "install"]:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        extras = set(re.findall(r"[a-z]+", " ".join(re.findall(r"\[(.*?)\]", " ".join(words)))))
        unknown = extras - set(project["optional-dependencies"])
        return f"no extra {sorted(unknown)}" if unknown else None
    return None


@pytest.mark.parametrize("name", PAGES)
def test_commands_are_understood(name, capsys):
    wrong = [f"line {line}: {problem(words)}" for line, words in commands(name) if problem(words)]
    assert not wrong, capsys.readouterr().err


def broken(page: Path) -> list[str]:
    """Links of a page that lead nowhere."""
    found = []
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if _will_be_built(target):
            continue
        if not target.exists() or (
            anchor and target.suffix == ".md" and anchor not in anchors(target)
        ):
            found.append(link)
    return found


def _will_be_built(target: Path) -> bool:
    """Is this a page that the build of the site makes, of something that is there?"""
    docs = ROOT / "docs"
    if target.is_relative_to(docs / "gallery"):
        of = ROOT / "examples" / target.relative_to(docs / "gallery")
        return of.name.startswith("index.") or of.with_suffix(".py").exists()
    if target.is_relative_to(docs / "api"):
        name = target.name.removesuffix(".rst").removesuffix(".md")
        package, _, last = name.rpartition(".")
        known = name in {"index", *PACKAGES}
        return known or (package in PACKAGES and hasattr(importlib.import_module(package), last))
    return False


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name):
    assert not broken(PAGES[name])


@pytest.mark.parametrize("name", [*PAGES, "benchmarks/RESULTS.md"])
def test_rows_of_tables_have_the_cells_of_their_head(name):
    assert not crooked_rows(text_of(ROOT / name))


# The README says what the library is; SECURITY.md is read in trouble.
@pytest.mark.parametrize("name", sorted(set(PAGES) - {"README.md", "SECURITY.md"}))
def test_a_page_begins_with_what_its_reader_can_do_after_it(name):
    text = text_of(PAGES[name])
    included = re.search(r"^```\{include\} (\S+)$", text, flags=re.MULTILINE)
    if included is not None:
        text = text_of((PAGES[name].parent / included[1]).resolve())
    _, _, below = text.partition("\n# " if not text.startswith("# ") else "# ")
    _title, *paragraphs = below.split("\n\n")
    assert "After this page" in paragraphs[0]


def test_a_reason_is_given_for_what_does_not_run():
    reasons = [b.reason for page in PAGES.values() for b in blocks(text_of(page))]
    assert all(len(reason) > 10 for reason in reasons if reason is not None)


class TestTheTests:
    """They find what is wrong."""

    PAGE = "\n".join(
        [
            "# A page",
            "```python",
            "x = 1",
            "```",
            "",
            "## Two: `words`",
            "[here](#two-words) `[no](link)` [there](nowhere.md)",
            "```console",
            "$ disambig fit table.csv --target label --out run  # a comment",
            "$ disambig fit --no-such-option",
            "```",
            "```python",
            f"{NOT_RUN}it needs a download",
            "1 / 0",
            "```",
            "```python",
            ">>> x + 1",
            "3",
            "```",
        ]
    )

    @pytest.fixture
    def page(self, tmp_path):
        path = tmp_path / "page.md"
        path.write_text(self.PAGE)
        return path

    def test_blocks(self):
        found = blocks(self.PAGE)
        assert [block.language for block in found] == ["python", "console", "python", "python"]
        assert [block.line for block in found] == [3, 9, 13, 17]
        assert [block.reason for block in found] == [None, None, "it needs a download", None]

    def test_blocks_continue_each_other_and_what_they_show_is_compared(self):
        first, _, _, last = blocks(self.PAGE)
        names: dict[str, object] = {}
        run(first, names, "page.md")
        with pytest.raises(AssertionError, match=r"Expected:\s+3\s+Got:\s+2"):
            run(last, names, "page.md")

    def test_links(self, page):
        assert links(page) == ["#two-words", "nowhere.md"]
        assert anchors(page) == {"a-page", "two-words"}
        assert broken(page) == ["nowhere.md"]

    def test_tables(self):
        table = "| a | b |\n|---|---|\n| `x\\|y` | 2 |\n"
        assert not crooked_rows(table)
        assert crooked_rows(table + "| 3 |\n\ntext\n| a |\n|---|---|\n") == ["| 3 |", "| a |"]
        assert crooked_rows("| a | b |\n| 1 | 2 |\n") == ["| a | b |", "| 1 | 2 |"]

    def test_commands(self, page, monkeypatch):
        monkeypatch.setitem(PAGES, "page.md", page)
        (nine, good), (ten, bad) = commands("page.md")
        assert (nine, ten) == (9, 10)
        assert problem(good) is None
        assert problem(bad) == "cannot be parsed"
        assert problem(["make", "no-such-target"]) == "no target ['no-such-target']"
        assert problem(["pip", "install", ".[nothing]"]) == "no extra ['nothing']"
