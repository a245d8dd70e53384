"""The pages of the API reference, from the `__all__` of the public modules.

Writes `docs/api/index.rst` and one page a module, which `autosummary` completes by one page a name.
A name that `disambig` and a package below it both export has one page, that of `disambig`.
"""

import importlib
import inspect
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.util.nodes import make_refnode

from benchmarks.trees.public_face import PACKAGES
from disambig.atomic import write_text_atomically

FOLDER = Path(__file__).resolve().parents[1] / "api"
INDEX = """API reference
=============

After this page you can find what every public name does: each has a page, with its parameters
and an example. :doc:`One table <../public_names>` compares the parameters and attributes of the
estimators.

.. toctree::
   :hidden:

{pages}

.. list-table::
   :widths: 30 70

{rows}
"""
MODULE = """{title}
{line}

.. automodule:: {module}
   :no-members:

.. currentmodule:: {module}

{tables}
"""
TABLE = """.. rubric:: {title}

.. autosummary::
   :toctree: generated

{names}
"""
SEE = """.. rubric:: Also in ``disambig``

{names}
"""


def names_of(module: ModuleType) -> list[str]:
    """The names of a module, without its packages and its version."""
    return sorted(
        (n for n in module.__all__ if not inspect.ismodule(getattr(module, n)) and n[0] != "_"),
        key=str.lower,
    )


def _home(name: str, thing: Any) -> bool:
    disambig = importlib.import_module("disambig")
    return name in disambig.__all__ and getattr(disambig, name) is thing


def _kind(thing: Any) -> str:
    if inspect.isclass(thing):
        return "Protocols" if getattr(thing, "_is_protocol", False) else "Classes"
    return "Functions" if inspect.isroutine(thing) else "Objects"


def module_page(name: str) -> str:
    """The page of a public module."""
    module = importlib.import_module(name)
    own: dict[str, list[str]] = {"Classes": [], "Functions": [], "Objects": [], "Protocols": []}
    elsewhere = []
    for public in names_of(module):
        thing = getattr(module, public)
        if name != "disambig" and _home(public, thing):
            elsewhere.append(public)
        elif inspect.isclass(thing) and not thing.__module__.startswith("disambig"):
            elsewhere.append(f"{thing.__module__}.{public}")
        else:
            own[_kind(thing)].append(public)
    tables = [
        TABLE.format(title=title, names="\n".join(f"   {public}" for public in names))
        for title, names in own.items()
        if names
    ]
    ours = [public for public in elsewhere if "." not in public]
    if ours:
        tables.append(SEE.format(names="\n".join(f"* :obj:`disambig.{one}`" for one in ours)))
    foreign = [f"* ``{public}``" for public in elsewhere if "." in public]
    if foreign:
        tables.append("\n".join([".. rubric:: Of other libraries", "", *foreign, ""]))
    return MODULE.format(title=name, line="=" * len(name), module=name, tables="\n".join(tables))


def write_pages(app: Sphinx, config: Config) -> None:
    """Write the pages of all modules, before Sphinx looks for pages."""
    FOLDER.mkdir(exist_ok=True)
    rows = []
    for package in PACKAGES:
        _write(FOLDER / f"{package}.rst", module_page(package))
        first = (importlib.import_module(package).__doc__ or "").strip().split("\n")[0]
        rows.append(f"   * - :doc:`{package}`\n     - {first}")
    pages = "\n".join(f"   {package}" for package in PACKAGES)
    _write(FOLDER / "index.rst", INDEX.format(pages=pages, rows="\n".join(rows)))
    # By name: what an earlier build has found does not contain a new module.
    config["autosummary_generate"] = [f"api/{package}.rst" for package in PACKAGES]


def _write(path: Path, text: str) -> None:
    # An unchanged page is not read again.
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        write_text_atomically(path, text)


@cache
def addresses() -> dict[str, str]:
    """The page of a name, by its last part and by every path under which it is public."""
    found: dict[str, str] = {}
    for package in PACKAGES:
        module = importlib.import_module(package)
        for name in names_of(module):
            thing = getattr(module, name)
            home = f"disambig.{name}" if _home(name, thing) else f"{package}.{name}"
            found[f"{package}.{name}"] = home
            found.setdefault(name, home)
            if inspect.isclass(thing) or inspect.isroutine(thing):
                found[f"{thing.__module__}.{name}"] = home
    return found


def resolve(
    app: Sphinx, env: BuildEnvironment, node: nodes.Element, text: nodes.Element
) -> nodes.Node | None:
    """Link a short name, such as `LabelSets`, to its page; names that are not public stay code.

    A full name below `disambig` that does not exist is left to Sphinx, which warns.
    """
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"].removesuffix("()")
    first, _, member = target.partition(".")
    known = addresses().get(target)
    if known is None and member and first in addresses():
        known = f"{addresses()[first]}.{member}"
    objects = env.domains.python_domain.objects
    if known in objects:
        entry = objects[known]
        return make_refnode(
            app.builder, node["refdoc"], entry.docname, entry.node_id, text.deepcopy(), known
        )
    if target.startswith("disambig.") and not _exists(target):
        return None
    return text.deepcopy()


def _exists(name: str) -> bool:
    try:
        resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


def skip(app: Sphinx, what: str, name: str, thing: Any, skipped: bool, options: Any) -> bool | None:
    """Leave out what scikit-learn and Python define; their own pages describe it."""
    module = getattr(inspect.unwrap(thing), "__module__", None) if callable(thing) else None
    foreign = module is not None and not str(module).startswith("disambig")
    return True if what == "class" and foreign else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("config-inited", write_pages)
    app.connect("missing-reference", resolve)
    app.connect("autodoc-skip-member", skip)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
