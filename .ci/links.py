"""Check that every link of a built site to a file, and to a place in it, leads somewhere.

    python .ci/links.py docs/_build/html

Reads all `href`, `src` and `srcset` of the pages; addresses with a scheme are not opened. Pictures,
scripts and styles from the network are refused: the site works without it.
"""

import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a page loads by itself, rather than when somebody follows a link.
LOADED = {"img", "script", "source", "iframe", "video", "audio"}


class Page(HTMLParser):
    """The links of a page as ``(tag, address)``, and the places in it that can be linked."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[tuple[str, str]] = []
        self.places: set[str] = {"", "top"}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.places.add(value)
            elif name in {"href", "src"}:
                self.links.append((_use(tag, dict(attrs)), value))
            elif name == "srcset":
                found = (part.split()[0] for part in value.split(",") if part.strip())
                self.links.extend((tag, address) for address in found)


def _use(tag: str, attrs: dict[str, str | None]) -> str:
    # A canonical address or a neighbour page is a link; a style sheet is loaded.
    if tag == "link" and attrs.get("rel") in {"stylesheet", "preload", "icon", "shortcut icon"}:
        return "script"
    return tag


@cache
def read(path: Path) -> Page:
    """A page of the site."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def broken(site: Path) -> Iterator[str]:
    """A sentence for each link that leads nowhere, and for each file from the network."""
    for path in sorted(site.rglob("*.html")):
        if "_static" in path.parts:
            # A template of the theme.
            continue
        for tag, address in read(path).links:
            problem = _problem(site, path, tag, address)
            if problem:
                yield f"{path.relative_to(site)}: {address}: {problem}"


def _problem(site: Path, path: Path, tag: str, address: str) -> str | None:
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        loads = tag in LOADED and parts.scheme != "data"
        return "is loaded from the network" if loads else None
    target = path
    if parts.path:
        base = site if parts.path.startswith("/") else path.parent
        target = (base / unquote(parts.path).lstrip("/")).resolve()
        if target.is_dir():
            target /= "index.html"
        if not target.is_file():
            return "no such file"
        if not target.is_relative_to(site.resolve()):
            return "is outside of the site"
    if target.suffix == ".html" and unquote(parts.fragment) not in read(target).places:
        return "no such place in the page"
    return None


def main() -> int:
    if len(sys.argv) != 2 or not list(Path(sys.argv[1]).glob("*.html")):
        print("usage: python .ci/links.py FOLDER, where FOLDER has the pages of a built site")
        return 2
    found = list(broken(Path(sys.argv[1])))
    print(*found, f"{len(found)} broken links", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
