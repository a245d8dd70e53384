"""The one decorator under which our kernels are compiled."""

from collections.abc import Callable
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile `function` serially, without the GIL, and keep the machine code on disk.

    Kernels are serial on purpose: callers thread above them, which is safe after a fork and gives
    the same result for any number of threads. Where neither the package folder nor the user's
    cache folder can be written, numba refuses to cache at decoration; then the kernel is compiled
    anew in each process.
    """
    options: dict[str, Any] = {"nogil": True, "fastmath": False}
    try:
        compiled: F = numba.njit(cache=True, **options)(function)
    except RuntimeError:
        compiled = numba.njit(cache=False, **options)(function)
    return compiled
