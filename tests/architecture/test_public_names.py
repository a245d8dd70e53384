"""Every public name exists, is documented, and has an example."""

import ast
import importlib
import inspect
import pkgutil
from pathlib import Path
from types import ModuleType

import pytest

import disambig

PUBLIC = (
    "candidates",
    "datasets",
    "diagnosis",
    "theory",
    "estimators",
    "exceptions",
    "losses",
    "metrics",
    "model_selection",
    "plots",
    "report",
    "solvers",
    "tables",
    "trust",
    "votes",
    "weights",
)


def packages() -> list[str]:
    """`disambig` and every subpackage of it, found on disk."""
    found = [
        info.name
        for info in pkgutil.walk_packages(disambig.__path__, prefix="disambig.")
        if info.ispkg
    ]
    return ["disambig", *sorted(found)]


@pytest.mark.parametrize("name", disambig.__all__)
def test_a_public_name_resolves_and_is_documented(name: str) -> None:
    thing = getattr(disambig, name)
    if name == "__version__":
        assert thing.count(".") >= 2
        return
    text = inspect.getdoc(thing)
    assert text, f"disambig.{name} has no docstring"
    if isinstance(thing, ModuleType):
        assert thing.__name__ == f"disambig.{name}"
    else:
        assert thing.__name__ == name
        assert thing.__doc__, f"disambig.{name} shows the docstring of a parent"
        assert ">>>" in text, f"the docstring of disambig.{name} has no example"


def public_things() -> list[tuple[str, object]]:
    """Classes and functions of all public packages; scorers are objects, made of functions."""
    return [
        (f"{package}.{name}", getattr(module, name))
        for package in PUBLIC
        for module in [importlib.import_module(f"disambig.{package}")]
        for name in module.__all__
        if inspect.isclass(getattr(module, name)) or inspect.isroutine(getattr(module, name))
    ]


@pytest.mark.parametrize(
    ("name", "thing"), public_things(), ids=[name for name, _ in public_things()]
)
def test_public_classes_and_functions_have_an_example(name: str, thing: object) -> None:
    """Except contracts, which are implemented, and errors, which are raised."""
    text = thing.__doc__
    assert text, f"disambig.{name} has no docstring of its own"
    is_contract = getattr(thing, "_is_protocol", False)
    is_error = inspect.isclass(thing) and issubclass(thing, Exception)
    assert is_contract or is_error or ">>>" in text, f"disambig.{name} has no example"


def test_names_are_listed_before_they_are_used() -> None:
    assert set(disambig.__all__) <= set(dir(disambig))
    assert len(disambig.__all__) == len(set(disambig.__all__))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'PartialLabelClasifier'"):
        disambig.PartialLabelClasifier  # noqa: B018


def test_type_checkers_see_the_same_names() -> None:
    """The imports under TYPE_CHECKING and the lazy table have the same names."""
    tree = ast.parse(Path(inspect.getfile(disambig)).read_text(encoding="utf-8"))
    guard = next(
        node
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    imported = {"__version__"}
    for node in guard.body:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                imported.add(alias.name)
                module = importlib.import_module(str(node.module))
                assert getattr(module, alias.name) is getattr(disambig, alias.name)
    assert imported == set(disambig.__all__)


@pytest.mark.parametrize("package", packages())
def test_every_name_of_every_package_resolves(package: str) -> None:
    module = importlib.import_module(package)
    assert module.__doc__, f"{package} has no docstring"
    missing = [name for name in getattr(module, "__all__", []) if not hasattr(module, name)]
    assert not missing, f"{package}.__all__ names {missing}, which do not exist"
