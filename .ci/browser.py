"""Open the pages of a built site in a browser, and check what only a browser shows.

    python .ci/browser.py docs/_build/html

On a screen and on a telephone: no page scrolls sideways, every picture is there, nothing is loaded
from the network. The search finds pages, opened as files. Without Chromium nothing is checked, and
a line says so.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.report.browser import Page, browser_path, running_browser

WIDTHS = (1280, 400)
# Source files, and what is no page.
LEFT_OUT = {"_modules", "_static", "_sources", "_downloads"}
# A word of the pages, and a page that the search for it has to find.
SEARCHED = {"censored": "guide/numbers.html", "suspects": "trust.html"}
# The last thing that the search says; until then results are added.
FINISHED = """(() => {
  const said = document.querySelector("#search-results .search-summary");
  return said !== null && /finished|did not match/.test(said.innerText);
})()"""
WRONG = """(() => {
  const all = document.documentElement;
  const pictures = [...document.images];
  pictures.forEach((one) => { one.loading = "eager"; });
  return Promise.all(pictures.map((one) => one.decode().catch(() => 0))).then(() => JSON.stringify({
    // The theme lets an article scroll inside of the page.
    wide: Math.max(...[all, ...document.querySelectorAll("main, article, .bd-article-container")]
      .map((one) => one.scrollWidth - one.clientWidth)),
    missing: pictures.filter((one) => one.naturalWidth === 0).map((one) => one.src),
  }));
})()"""


def wrong(page: Page, site: Path) -> Iterator[str]:
    """A sentence for everything that is wrong with the pages of a site."""
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).as_posix()
        if LEFT_OUT & set(path.relative_to(site).parts):
            continue
        # One page a name, made alike: what fits a narrow window fits a wide one.
        for width in WIDTHS[1:] if "generated" in path.parts else WIDTHS:
            page.look(width=width)
            page.open(path, ready=f"location.pathname.endsWith('/{name}') || undefined")
            found = json.loads(page.run(WRONG))
            # A part of a pixel is a rounding.
            if found["wide"] > 1:
                yield f"{name}: {found['wide']} pixels wider than a window of {width}"
            yield from (f"{name}: no picture at {address}" for address in found["missing"])
            foreign = [one for one in page.requests if not one.startswith(("file:", "data:"))]
            yield from (f"{name}: asks for {address}" for address in foreign)


def lost(page: Page, site: Path) -> Iterator[str]:
    """A sentence for every page that the search does not find."""
    for word, wanted in SEARCHED.items():
        address = (site / "search.html").resolve().as_uri()
        page.send("Page.navigate", url=f"{address}?q={word}")
        page.wait(f"location.search === '?q={word}' && {FINISHED}")
        links = page.run("[...document.querySelectorAll('#search-results a')].map((a) => a.href)")
        if not any(link.split("?")[0].split("#")[0].endswith(f"/{wanted}") for link in links):
            yield f"search.html: {word!r} does not find {wanted}"


def main() -> int:
    if len(sys.argv) != 2 or not (site := Path(sys.argv[1]) / "index.html").is_file():
        print("usage: python .ci/browser.py FOLDER, where FOLDER has the pages of a built site")
        return 2
    browser = browser_path()
    if browser is None:
        print("no Chromium: the pages are not opened")
        return 0
    with running_browser(browser) as running:
        page = running.new_page()
        found = [*wrong(page, site.parent), *lost(page, site.parent)]
    print(*found, f"{len(found)} things wrong in the browser", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
