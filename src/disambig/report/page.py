"""The page: a document as one HTML file that needs nothing else."""

from importlib.util import find_spec
from typing import Any

from disambig.report.bundle import script_hash, table_library
from disambig.report.document import Document
from disambig.report.svg import can_draw, figure_svg
from disambig.report.texts import number_text

_NEEDS = (
    "A report needs {names}, which {are} not installed. Run "
    '`pip install "disambig[report]"` (from a checkout: `pip install ".[report]"`).'
)


def require_report_packages() -> None:
    """Raise with what to install if a package that makes pages is missing."""
    missing = [name for name in ("jinja2", "itables") if find_spec(name) is None]
    if missing:
        names = " and ".join(missing)
        raise ImportError(_NEEDS.format(names=names, are="is" if len(missing) == 1 else "are"))


def page_html(document: Document) -> str:
    """A document as HTML; figures are drawn if matplotlib is installed."""
    require_report_packages()
    from markupsafe import Markup

    library = table_library()
    environment = _environment()
    source, _, _ = environment.loader.get_source(environment, "tables.js")
    style, _, _ = environment.loader.get_source(environment, "page.css")
    script = f"{library.script}\n{source}"
    is_drawn = can_draw()
    figures = {
        figure.id: Markup(figure_svg(figure))
        for section in document.sections
        for figure in section.figures
        if is_drawn
    }
    text: str = environment.get_template("page.html").render(
        document=document,
        figures=figures,
        is_drawn=is_drawn,
        has_tables=any(section.tables for section in document.sections),
        # Scripts and styles are ours and the library's; everything else is escaped.
        script=Markup(script),
        script_hash=script_hash(script),
        style=Markup(f"{library.style}\n{style}"),
    )
    return text


def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("disambig.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["shown"] = _shown
    return environment


def _shown(value: Any) -> str:
    """A value of a cell or a fact; a missing one is blank."""
    if value is None:
        return ""
    return number_text(value) if isinstance(value, float) else str(value)
