"""Formulas as MathML, which browsers draw themselves: no script, and nothing from the network."""

from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)


def _markup(node: nodes.Element, *, as_block: bool) -> str:
    formula = node.astext()
    try:
        return str(tex2mathml(formula, as_block=as_block))
    except MathError as error:
        LOGGER.warning("formula %r: %s", formula, error, location=node)
        raise nodes.SkipNode from error


def inline(writer: Any, node: nodes.Element) -> None:
    """A formula in a line."""
    writer.body.append(_markup(node, as_block=False))
    raise nodes.SkipNode


def display(writer: Any, node: nodes.Element) -> None:
    """A formula on a line of its own."""
    anchor = f' id="{node["ids"][0]}"' if node.get("ids") else ""
    writer.body.append(f'<div class="formula"{anchor}>{_markup(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    app.config.html_math_renderer = "mathml"  # type: ignore[attr-defined]
    return {"parallel_read_safe": True, "parallel_write_safe": True}
