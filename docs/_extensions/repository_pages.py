"""Files of the repository as pages of the site, and links between the two.

A page such as `changelog.md` is one `{include}` of a file of the repository. Links are written so
that they work on the pages of the repository; here they are changed to what the site has.
`llms.txt` is copied into the site, with links to its pages.
"""

import os.path
import re
from pathlib import Path, PurePosixPath

from sphinx.application import Sphinx

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent
# Pages of the site that are files elsewhere in the repository.
PAGES = {
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "README.md": "index.md",
    "benchmarks/RESULTS.md": "results.md",
}
INCLUDE = re.compile(r"^```\{include\} (\S+\.md)\n(?::[^\n]*\n)*```$", re.MULTILINE)
LINK = re.compile(r"(\]\()([^)\s#:]+)((?:#[^)\s]*)?\))")


def on_the_site(text: str, folder: PurePosixPath, page: PurePosixPath) -> str:
    """A Markdown text of a folder of the repository, with links as `page` of the site needs them.

    Both paths are relative to the repository. Links to what the site does not have are kept, seen
    from the page.
    """

    def changed(match: re.Match[str]) -> str:
        before, target, after = match.groups()
        wanted = os.path.normpath(folder / target).replace(os.sep, "/")
        if wanted in PAGES:
            wanted = f"docs/{PAGES[wanted]}"
        elif wanted == "examples" or re.fullmatch(r"examples/(.*/)?", target):
            wanted = "docs/gallery/index.rst"
        elif wanted.startswith("examples/") and wanted.endswith(".py"):
            wanted = f"docs/gallery{wanted.removeprefix('examples')[:-3]}.rst"
        return f"{before}{os.path.relpath(wanted, page.parent).replace(os.sep, '/')}{after}"

    return LINK.sub(changed, text)


def read_page(app: Sphinx, name: str, content: list[str]) -> None:
    """Insert the file that a page includes; change the links of both.

    The empty line that ends an example for `doctest` is not shown.
    """
    path = Path(app.env.doc2path(name))
    if path.suffix != ".md":
        return
    page = PurePosixPath(path.relative_to(ROOT).as_posix())

    def included(match: re.Match[str]) -> str:
        source = (path.parent / match.group(1)).resolve()
        app.env.note_dependency(str(source))
        folder = PurePosixPath(source.parent.relative_to(ROOT).as_posix())
        return on_the_site(source.read_text(encoding="utf-8"), folder, page)

    own = on_the_site(content[0].replace("\n\n```\n", "\n```\n"), page.parent, page)
    content[0] = INCLUDE.sub(included, own)


def write_index_for_models(app: Sphinx, error: Exception | None) -> None:
    """Write `llms.txt` into the root of the site."""
    if error is None and app.builder.format == "html":
        text = (ROOT / "llms.txt").read_text(encoding="utf-8")
        pages = on_the_site(text, PurePosixPath(), PurePosixPath("docs/llms.txt"))
        changed = re.sub(r"(\]\([^)\s:]+)\.(?:md|rst)(#[^)\s]*)?\)", r"\1.html\2)", pages)
        (Path(app.outdir) / "llms.txt").write_text(changed, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", read_page)
    app.connect("build-finished", write_index_for_models)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
