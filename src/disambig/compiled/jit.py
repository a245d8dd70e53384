"""The decorators that compile the functions of this package, and a line on stderr if it takes long.

What takes long to compile, measured with `python -m benchmarks.first_use`: an array that is
assigned to a slice (one second each; a loop takes .02), allocation and sorting by numpy's functions
(.05 to .5 for each type and dimension), a function for each combination of argument types (also
integer literals, read-only arrays and other memory layouts), and many functions that call each
other. So compiled functions are loops over arrays that their callers allocate.
"""

import contextlib
import sys
import time
from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core.event import Listener, register  # words: ok

F = TypeVar("F", bound=Callable[..., Any])

# Nobody calls the functions through pointers of C, for which numba would compile a second entry.
_OPTIONS: dict[str, Any] = {"nogil": True, "fastmath": False, "no_cfunc_wrapper": True}


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


# Wall seconds of compilation in a process after which a line says why nothing happens.
SECONDS_BEFORE_NOTICE = 5.0
_PACKAGE = "disambig."


class CompileWatch(Listener):  # type: ignore[misc]  # words: ok
    """Writes one line if the functions of this package take long to compile in this process.

    numba compiles in one thread at a time, so that starts and ends are nested.

    Parameters
    ----------
    notice_after : float
        Wall seconds.
    """

    def __init__(self, notice_after: float = SECONDS_BEFORE_NOTICE) -> None:
        self.notice_after = notice_after
        self.seconds = 0.0
        self.is_written = False
        self._depth = 0
        self._last = 0.0
        self._folder: str | None = None

    def on_start(self, event: Any) -> None:
        """Start the clock with a function of ours; functions that it needs are included."""
        if self._depth > 0:
            self._depth += 1
            self._add_time()
            return
        dispatcher = event.data["dispatcher"]
        if not dispatcher.py_func.__module__.startswith(_PACKAGE):
            return
        self._depth, self._last = 1, time.perf_counter()
        self._folder = dispatcher.stats.cache_path

    def on_end(self, event: Any) -> None:
        """Stop the clock at the end of the function that started it."""
        del event
        if self._depth == 0:
            return
        self._depth -= 1
        self._add_time()

    def _add_time(self) -> None:
        now = time.perf_counter()
        self.seconds += now - self._last
        self._last = now
        if self.seconds > self.notice_after and not self.is_written:
            self.is_written = True
            _write_line(_notice(self._folder))


def _notice(folder: str | None) -> str:
    """The line, which names the folder of the cache, None if there is none."""
    if folder is None:
        return (
            "disambig: compiling functions, in every process, because no folder is writable for a "
            "cache; set NUMBA_CACHE_DIR to one that is."
        )
    return (
        "disambig: compiling functions for the first use on this machine; later runs load them "
        f"from the cache in {folder}."
    )


def _write_line(line: str) -> None:
    """Write to stderr; without it, or if it is closed, there is nobody to read."""
    if sys.stderr is None:
        return
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(line + "\n")
        sys.stderr.flush()


def watch_compilation() -> CompileWatch:
    """Watch all compilations from now on."""
    watch = CompileWatch()
    register("numba:compile", watch)
    return watch


# numba reports when it starts and ends to compile a function, but not when it loads one from the
# cache. So the watch costs nothing in later calls.
_WATCH = watch_compilation()
