"""Figures as SVG inside of a page: texts stay texts, and colours follow the page."""

import html
import io
import re
import warnings
from importlib.util import find_spec
from typing import Any

from disambig.report.document import Figure, Hover
from disambig.report.texts import clean_lines

# Colours that the page sets, in light and in dark; the first two are drawn by nothing else.
_INK, _PAPER = "#1a2b3c", "#fefdfc"
_PAGE_COLORS = {
    _INK: "var(--ink)",
    _PAPER: "var(--paper)",
    "#4d4d4d": "var(--soft)",
    "#d9d9d9": "var(--line)",
    "#0072b2": "var(--blue)",
    "#d55e00": "var(--orange)",
    "#009e73": "var(--green)",
}
# Drawn around texts, so that they stand out from what is behind them.
_PAGE_COLORS["stroke: #ffffff"] = "stroke: var(--paper)"
_STYLE: Any = {
    "svg.fonttype": "none",
    # Names of the user are no formulas.
    "text.parse_math": False,
    # 90000000 instead of 9 and "1e7" at the end of the axis.
    "axes.formatter.limits": (-7, 12),
    "axes.formatter.useoffset": False,
    "font.family": "sans-serif",
    "font.size": 10.0,
    "legend.fontsize": 8.5,
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "axes.edgecolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.facecolor": _PAPER,
    "legend.edgecolor": "#d9d9d9",
}
_HEAD = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_SIZE = re.compile(r'(<svg[^>]*?) width="([\d.]+)pt" height="[\d.]+pt"')
_FONT = re.compile(r"font: ([^;\"]*?)(\d+(?:\.\d+)?px) [^;\"]*")
# Marks of displays on their curves: the same on every one of them.
_MARK = re.compile(r' id="[^"]* [^"]*"')
_USE, _PATH = re.compile(r"<(use) ([^>]*?)/>"), re.compile(r"<(path) ([^>]*?)/>")


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def figure_svg(figure: Figure) -> str:
    """A figure as SVG to stand inside of HTML.

    Ids begin with that of the figure, colours of texts and lines are those of the page, and points
    get the texts that the figure has for them.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Canvas

    buffer = io.StringIO()
    with rc_context({**_STYLE, "svg.hashsalt": figure.id}), warnings.catch_warnings():
        # Characters that matplotlib cannot measure are drawn by the browser.
        warnings.filterwarnings("ignore", message=".*Glyph .* missing from")
        warnings.filterwarnings("ignore", message=".*Matplotlib currently does not support")
        canvas = Canvas(figure.size, layout="constrained")
        hover = figure.draw(canvas.add_subplot())
        # Tight: names may be wider than the layout took them for.
        canvas.savefig(buffer, format="svg", transparent=True, bbox_inches="tight", pad_inches=0.1)
    return _for_page(buffer.getvalue(), figure, hover or {})


def _for_page(text: str, figure: Figure, hover: Hover) -> str:
    text = _METADATA.sub("", _HEAD.sub("", text, count=1), count=1)
    text = _MARK.sub("", clean_lines(text))
    text = _with_hover(text, hover)
    for color, variable in _PAGE_COLORS.items():
        text = text.replace(color, variable)
    text = _FONT.sub(r"font: \1\2 var(--font)", text)
    name = figure.id
    for mark in ('id="', 'href="#', "url(#"):
        text = text.replace(mark, f"{mark}{name}-")
    label = html.escape(f"{figure.title}. {figure.text}", quote=True)
    head = rf'\1 class="figure" style="width: \2pt" role="img" aria-label="{_escaped(label)}"'
    return _SIZE.sub(head, text, count=1).strip()


def _escaped(text: str) -> str:
    """A text in the replacement of a pattern."""
    return text.replace("\\", "\\\\")


def _with_hover(text: str, hover: Hover) -> str:
    """Give the points of each collection their texts, in order."""
    for gid, lines in hover.items():
        start = text.find(f'<g id="{gid}"')
        if start < 0:
            continue
        end = _group_end(text, start)
        group = text[start:end]
        # Markers of many vertices are defined once and used; others are drawn one by one.
        point = _USE if _USE.search(group) else _PATH
        text = text[:start] + point.sub(_Titles(lines), group) + text[end:]
    return text


def _group_end(text: str, start: int) -> int:
    """The end of the group that begins at a position."""
    depth = 0
    for match in re.finditer(r"<g[ >]|</g>", text[start:]):
        depth += 1 if match[0] != "</g>" else -1
        if depth == 0:
            return start + match.end()
    return len(text)


class _Titles:
    """Gives one point after another its text."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = iter(lines)

    def __call__(self, point: re.Match[str]) -> str:
        line = next(self._lines, None)
        if line is None:
            return point[0]
        return f"<{point[1]} {point[2]}><title>{html.escape(line)}</title></{point[1]}>"
