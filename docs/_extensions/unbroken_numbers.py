"""A number in a table stays on one line with its spread: "+.017 ± .005"."""

from docutils import nodes
from sphinx.application import Sphinx

NO_BREAK = "\N{NO-BREAK SPACE}"


def keep_together(app: Sphinx, doctree: nodes.document) -> None:
    """Replace the blanks around the signs of a spread, in the cells of all tables."""
    for cell in doctree.findall(nodes.entry):
        for text in list(cell.findall(nodes.Text)):
            if " ± " in text:
                kept = text.replace(" ± ", f"{NO_BREAK}±{NO_BREAK}")
                text.parent.replace(text, nodes.Text(kept))


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("doctree-read", keep_together)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
