"""A library that a benchmark compares with, and that no extra of ours installs."""

import importlib
from types import ModuleType

__all__ = ["other_package"]


def other_package(name: str, module: str | None = None) -> ModuleType:
    """The package, or its module; an error that says what to install where it is absent."""
    try:
        return importlib.import_module(module or name)
    except ImportError as error:
        raise ImportError(
            f"This benchmark compares with {name}, which is not installed ({error}). Install it "
            f"beside disambig, in an environment of its own: pip install {name}."
        ) from error
