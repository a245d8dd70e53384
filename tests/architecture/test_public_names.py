"""Every public name exists, is documented, and has an example."""

import ast
import importlib
import inspect
import pkgutil
import re
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import disambig
from benchmarks.trees.public_face import PACKAGES


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


def public_things() -> dict[str, Any]:
    """Our public classes and functions, each once; scorers are objects, made of functions."""
    found: dict[str, Any] = {}
    for package in PACKAGES:
        module = importlib.import_module(package)
        for name in module.__all__:
            thing = getattr(module, name)
            ours = getattr(thing, "__module__", "").startswith("disambig.")
            if ours and (inspect.isclass(thing) or inspect.isroutine(thing)):
                found.setdefault(f"{thing.__module__}.{name}", thing)
    return found


THINGS = public_things()
each_thing = pytest.mark.parametrize("name", THINGS)


def sections(text: str) -> dict[str, str]:
    """The sections of a numpydoc docstring, by their titles."""
    parts = re.split(r"^([A-Z][\w ]+)\n-+\n", inspect.cleandoc(text), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def takes(thing: Any) -> list[str]:
    """The parameters that a caller gives."""
    fixed = getattr(thing, "_is_protocol", False) or (
        inspect.isclass(thing) and issubclass(thing, Exception | Enum)
    )
    if fixed:
        return []
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    found = inspect.signature(thing).parameters.values()
    return [one.name for one in found if one.kind not in kinds]


@each_thing
def test_public_classes_and_functions_have_an_example(name: str) -> None:
    text = THINGS[name].__doc__
    assert text, f"{name} has no docstring of its own"
    assert ">>> " in sections(text).get("Examples", ""), f"{name} has no section Examples"


@each_thing
def test_every_parameter_is_described(name: str) -> None:
    """Below Parameters, or below Attributes for the fields of a result."""
    described = sections(THINGS[name].__doc__)
    lines = described.get("Parameters", "") + "\n" + described.get("Attributes", "")
    titles = re.findall(r"^([*\w][\w, *]*?)(?: : .*)?$", lines, flags=re.MULTILINE)
    known = {one.strip(" *") for title in titles for one in title.split(",")}
    missing = [one for one in takes(THINGS[name]) if one not in known]
    assert not missing, f"{name} does not describe {missing}"


@each_thing
def test_arrays_have_a_shape(name: str) -> None:
    lines = sections(THINGS[name].__doc__).get("Parameters", "")
    types = dict(re.findall(r"^(\w[\w, *]*?) : (.*)$", lines, flags=re.MULTILINE))
    arrays = {one: text for one, text in types.items() if re.search(r"\barrays?\b", text)}
    vague = {one: text for one, text in arrays.items() if not re.search(r"\(|n rows", text)}
    assert not vague, f"{name}: arrays without a shape: {vague}"


def test_these_tests_see_what_is_missing() -> None:
    def function(first: int, second: int) -> None:
        """Nothing.

        Parameters
        ----------
        first : array-like
        """

    found = sections(str(function.__doc__))
    assert list(found) == ["Parameters"]
    assert found["Parameters"].strip() == "first : array-like"
    assert takes(function) == ["first", "second"]
    assert len(THINGS) > 150


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
