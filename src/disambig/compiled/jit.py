"""The decorator that compiles the functions of this package."""

from collections.abc import Callable
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile `function` serially, without the GIL, and keep the machine code on disk.

    Compiled functions are serial on purpose: callers use threads around them, which is safe after a
    fork and gives the same result for any number of threads. If neither the package folder nor the
    user's cache folder is writable, numba raises a RuntimeError at decoration; the function is then
    compiled again in each process.
    """
    options: dict[str, Any] = {"nogil": True, "fastmath": False}
    try:
        result: F = numba.njit(cache=True, **options)(function)
    except RuntimeError:
        result = numba.njit(cache=False, **options)(function)
    return result
