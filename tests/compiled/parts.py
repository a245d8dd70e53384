"""Functions that are compiled as parts of others, callable from Python."""

from disambig.compiled.jit import compiled


def callable_part(function):
    """`function`, compiled with an entry from Python."""
    return compiled(getattr(function, "py_func", function))
