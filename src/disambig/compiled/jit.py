"""The decorators that compile the functions of this package.

What takes long to compile, measured with `python -m benchmarks.first_use`: an array that is
assigned to a slice (one second each; a loop takes .02), allocation and sorting by numpy's functions
(.05 to .5 for each type and dimension), a function for each combination of argument types (also
integer literals, read-only arrays and other memory layouts), and many functions that call each
other. So compiled functions are loops over arrays that their callers allocate.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba

from disambig.compiled.waiting import watch_compilation

F = TypeVar("F", bound=Callable[..., Any])

# Nobody calls the functions through pointers of C, for which numba would compile a second entry.
_OPTIONS: dict[str, Any] = {"nogil": True, "fastmath": False, "no_cfunc_wrapper": True}
_WATCH = watch_compilation()


def compiled(function: F) -> F:
    """Compile `function` serially, without the GIL, and keep the machine code on disk.

    Compiled functions are serial on purpose: callers use threads around them, which is safe after a
    fork and gives the same result for any number of threads. If neither the package folder nor the
    user's cache folder is writable, numba raises a RuntimeError at decoration; the function is then
    compiled again in each process.
    """
    try:
        result: F = numba.njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:
        result = numba.njit(cache=False, **_OPTIONS)(function)
    return result


def compiled_part(function: F) -> F:
    """Compile `function` as a part of those that call it: Python cannot call it.

    This takes a third less time. Its machine code is on disk with that of its callers.
    """
    result: F = numba.njit(cache=False, no_cpython_wrapper=True, **_OPTIONS)(function)
    return result


def inlined(function: F) -> F:
    """Copy `function` into those that call it, before they are compiled.

    For small functions: each function of its own is optimised again with each of its callers.
    """
    result: F = numba.njit(inline="always", **_OPTIONS)(function)
    return result
