"""Every public name exists, is documented, and has an example."""

import ast
import importlib
import inspect
import pkgutil
import re
import sys
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


def described(text: str | None) -> set[str]:
    """The names below Parameters, or below Attributes for the fields of a result."""
    found = sections(text or "")
    lines = found.get("Parameters", "") + "\n" + found.get("Attributes", "")
    titles = re.findall(r"^([*\w][\w, *]*?)(?: : .*)?$", lines, flags=re.MULTILINE)
    return {one.strip(" *") for title in titles for one in title.split(",")}


def vague_arrays(text: str | None) -> dict[str, str]:
    """Parameters that are arrays of no stated shape."""
    lines = sections(text or "").get("Parameters", "")
    types = dict(re.findall(r"^(\w[\w, *]*?) : (.*)$", lines, flags=re.MULTILINE))
    arrays = {one: text for one, text in types.items() if re.search(r"\barrays?\b", text)}
    return {one: text for one, text in arrays.items() if not re.search(r"\(|n rows", text)}


@each_thing
def test_every_parameter_is_described(name: str) -> None:
    known = described(THINGS[name].__doc__)
    missing = [one for one in takes(THINGS[name]) if one not in known]
    assert not missing, f"{name} does not describe {missing}"


@each_thing
def test_arrays_have_a_shape(name: str) -> None:
    vague = vague_arrays(THINGS[name].__doc__)
    assert not vague, f"{name}: arrays without a shape: {vague}"


def methods(thing: type) -> dict[str, Any]:
    """The public methods of a class that are ours, inherited ones included."""
    found = {}
    for name in dir(thing):
        one = inspect.getattr_static(thing, name)
        # Class methods, and methods that depend on an inner estimator.
        one = inspect.unwrap(getattr(one, "__func__", getattr(one, "fn", one)))
        if name[0] != "_" and inspect.isfunction(one) and one.__module__.startswith("disambig."):
            found[name] = one
    return found


def protocols() -> list[type]:
    """Our protocols, those of modules included: each says once what its methods take."""
    modules = [module for name, module in sys.modules.items() if name.startswith("disambig.")]
    found = {
        thing
        for module in modules
        for thing in vars(module).values()
        if getattr(thing, "_is_protocol", False) and thing.__module__.startswith("disambig.")
    }
    return sorted(found, key=lambda one: one.__qualname__)


PROTOCOLS = protocols()
CLASSES = {
    name: thing
    for name, thing in THINGS.items()
    if inspect.isclass(thing) and not issubclass(thing, Exception | Enum)
}
each_class = pytest.mark.parametrize("name", CLASSES)


def texts(thing: type, name: str) -> list[str | None]:
    """The docstring of a method, and those of the protocols that it fulfils."""
    fulfilled = [
        one for one in PROTOCOLS if name in vars(one) and set(methods(one)) <= {*dir(thing)}
    ]
    return [methods(thing)[name].__doc__, *(vars(one)[name].__doc__ for one in fulfilled)]


@each_class
def test_methods_are_documented_with_their_parameters(name: str) -> None:
    """In their own docstring, or in that of a protocol."""
    thing, missing = CLASSES[name], {}
    for method, function in methods(thing).items():
        found = texts(thing, method)
        assert any(found), f"{name}.{method} has no docstring"
        known = set().union(*map(described, found))
        lacking = [one for one in takes(function) if one not in {*known, "self", "cls"}]
        if lacking:
            missing[method] = lacking
    assert not missing, f"{name}: methods do not describe {missing}"


@each_class
def test_arrays_of_methods_have_a_shape(name: str) -> None:
    found = {
        one: vague_arrays(function.__doc__) for one, function in methods(CLASSES[name]).items()
    }
    vague = {one: arrays for one, arrays in found.items() if arrays}
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
    assert described(function.__doc__) == {"first"}
    assert vague_arrays(function.__doc__) == {"first": "array-like"}
    assert len(THINGS) > 150
    seen = [method for thing in CLASSES.values() for method in methods(thing)]
    assert {"from_strings", "predict_proba", "with_answers"} <= set(seen)
    assert len(seen) > 400


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
