"""Methods that a protocol describes have its parameters on their own pages, too.

A protocol says once what its methods take and return; a class that fulfils it says in a line what
is special about it. Who reads the page of the class sees both.
"""

import importlib
import inspect
import re
import sys
from functools import cache
from pkgutil import resolve_name
from typing import Any

from sphinx.application import Sphinx

from benchmarks.trees.public_face import PACKAGES

SECTION = re.compile(r"^(Parameters|Returns)\n-+\n", re.MULTILINE)


@cache
def protocols() -> tuple[type, ...]:
    """All protocols below `disambig`, those with many methods first: they are the closest."""
    for package in PACKAGES:
        importlib.import_module(package)
    modules = [module for name, module in sys.modules.items() if name.startswith("disambig.")]
    found = {
        thing
        for module in modules
        for thing in vars(module).values()
        if getattr(thing, "_is_protocol", False) and thing.__module__.startswith("disambig.")
    }
    return tuple(sorted(found, key=lambda one: (-len(_methods(one)), one.__qualname__)))


def _methods(protocol: type) -> set[str]:
    return {
        name
        for name, thing in inspect.getmembers(protocol, inspect.isfunction)
        if name[0] != "_" and thing.__module__.startswith("disambig.")
    }


def sections_of_protocols(owner: type, method: str) -> str:
    """What the closest protocol that a class fulfils says of a method's parameters and result."""
    for protocol in protocols():
        function = vars(protocol).get(method)
        if protocol is owner or function is None or not _methods(protocol) <= {*dir(owner)}:
            continue
        text = inspect.cleandoc(function.__doc__ or "")
        start = SECTION.search(text)
        if start is not None:
            return text[start.start() :].partition("\n\nExamples\n")[0]
    return ""


def complete(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Add these sections to a docstring that has none of its own."""
    if what != "method" or any(line in {"Parameters", "Returns"} for line in lines):
        return
    try:
        owner = resolve_name(name.rpartition(".")[0])
    except (ImportError, AttributeError):
        return
    found = sections_of_protocols(owner, name.rpartition(".")[2])
    if not found:
        return
    # Examples come last.
    here = lines.index("Examples") if "Examples" in lines else len(lines)
    lines[here:here] = ["", *found.split("\n"), ""]


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    # Before numpydoc reads the sections.
    app.connect("autodoc-process-docstring", complete, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
