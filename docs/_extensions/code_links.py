"""Names in a sentence, such as `LabelSets.from_strings`, lead to their pages in the reference.

A name is linked where it comes first in a section; titles, links and pages of the reference stay
as they are. Only names that are public are linked.
"""

import re

from api_pages import addresses
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

# A name with dots, and what it is called with.
NAME = re.compile(r"([A-Za-z_][\w.]*)(?:\(.*\))?", re.DOTALL)


def linked_name(text: str) -> str | None:
    """The public name that a sentence names or calls, or None."""
    match = NAME.fullmatch(text)
    if match is None:
        return None
    name = match[1]
    owner, _, member = name.rpartition(".")
    if name in addresses():
        return name
    # A method; of a module, only what it exports.
    return name if member and owner in addresses() and owner[:9] != "disambig." else None


def link_names(app: Sphinx, doctree: nodes.document) -> None:
    """Make references of the names of a page; `missing-reference` finds where they lead."""
    page = app.env.docname
    if page.startswith(("api/", "gallery/")):
        return
    seen: set[tuple[int, str]] = set()
    for literal in list(doctree.findall(nodes.literal)):
        name = linked_name(literal.astext())
        above, section = literal.parent, None
        while above is not None and name is not None:
            if isinstance(above, nodes.title | nodes.reference | addnodes.pending_xref):
                name = None
            elif section is None and isinstance(above, nodes.section):
                section = above
            above = above.parent
        if name is None or (id(section), name) in seen:
            continue
        seen.add((id(section), name))
        link = addnodes.pending_xref(
            "", refdomain="py", reftype="obj", reftarget=name, refexplicit=True, refdoc=page
        )
        literal.replace_self(link)
        link += literal


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("doctree-read", link_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
