"""One self-contained HTML page for large and small screens, in light and dark mode."""

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files


@dataclass(frozen=True)
class Picture:
    """A figure as SVG.

    Attributes
    ----------
    alt : str
        A description for readers who cannot see the image.
    wide : bytes
    narrow : bytes or None
        The same for the screen of a phone. Without it, the wide figure scrolls sideways.
    """

    alt: str
    wide: bytes
    narrow: bytes | None = None


@dataclass(frozen=True)
class Section:
    """A figure of the page with its text.

    Attributes
    ----------
    name : str
        The anchor.
    title, lead : str
        What the figure shows, in a few words and in a sentence.
    notice : str
        A warning that is printed above the figure; may be empty.
    pictures : sequence of Picture
    paragraphs : sequence of str
    points : mapping from str to sequence of str
        Lists under a heading.
    table : str
        HTML; see `results_table`.
    remarks : mapping from str to sequence of str
        Lists that are collapsed at first.
    """

    name: str
    title: str
    lead: str
    pictures: Sequence[Picture]
    paragraphs: Sequence[str] = ()
    points: Mapping[str, Sequence[str]] | None = None
    table: str = ""
    notice: str = ""
    remarks: Mapping[str, Sequence[str]] | None = None


def html_page(title: str, lead: str, sections: Sequence[Section], facts: Mapping[str, str]) -> str:
    """The page as a string. Text is escaped, tables are inserted as they are.

    Text between backticks is set as code.

    Parameters
    ----------
    title, lead : str
    sections : sequence of Section
    facts : mapping
        What is needed to repeat the run: command, seed, versions, time.

    Examples
    --------
    >>> page = html_page("Figures", "All < of them, by `make`.", [], {"seed": "0"})
    >>> "All &lt; of them, by <code>make</code>." in page, page.startswith("<!doctype html>")
    (True, True)
    """
    style = files("reproduce").joinpath("page.css").read_text(encoding="utf-8")
    links = "".join(f'<a href="#{escape(s.name)}">{escape(s.title)}</a>' for s in sections)
    known = "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in facts.items())
    body = "\n".join(_section(section) for section in sections)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<title>{escape(title)}</title>
<style>
{style}</style>
</head>
<body>
<header>
<h1>{escape(title)}</h1>
<p class="lead">{_text(lead)}</p>
<nav>{links}</nav>
</header>
<main>
{body}
</main>
<footer>
<h2>How to repeat this run</h2>
<dl>{known}</dl>
</footer>
</body>
</html>
"""


def _section(section: Section) -> str:
    parts = [f'<section id="{escape(section.name)}">', f"<h2>{escape(section.title)}</h2>"]
    parts.append(f'<p class="lead">{_text(section.lead)}</p>')
    if section.notice:
        parts.append(f'<p class="notice">{_text(section.notice)}</p>')
    parts += [_figure(picture) for picture in section.pictures]
    parts += [f"<p>{_text(text)}</p>" for text in section.paragraphs]
    for heading, items in (section.points or {}).items():
        if items:
            parts.append(f"<h3>{escape(heading)}</h3>\n{_listed(items)}")
    if section.table:
        parts.append(
            f'<details><summary>The numbers</summary><div class="scroll">{section.table}</div>'
            "</details>"
        )
    for heading, items in (section.remarks or {}).items():
        if items:
            parts.append(f"<details><summary>{escape(heading)}</summary>{_listed(items)}</details>")
    return "\n".join([*parts, "</section>"])


def _listed(items: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{_text(item)}</li>' for item in items)}</ul>"


def _text(words: str) -> str:
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(words))


def _figure(picture: Picture) -> str:
    image = f'<img alt="{escape(picture.alt)}" src="{_uri(picture.wide)}"/>'
    if picture.narrow is None:
        return f'<div class="card sideways">{image}</div>'
    narrow = f'<source media="(max-width: 700px)" srcset="{_uri(picture.narrow)}"/>'
    return f'<div class="card"><picture>{narrow}{image}</picture></div>'


def _uri(svg: bytes) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg).decode('ascii')}"
