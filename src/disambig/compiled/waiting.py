"""What happens while functions are compiled: a line on stderr if it takes long.

numba reports when it starts and ends to compile a function; a function that is loaded from the
cache is not reported. So nothing here runs in later calls.
"""

import contextlib
import gc
import sys
import time
from typing import Any

from numba.core.event import Listener, register  # words: ok

# Wall seconds of compilation in a process after which a line says why nothing happens.
SECONDS_BEFORE_NOTICE = 5.0
_PACKAGE = "disambig."


class CompileWatch(Listener):  # type: ignore[misc]  # words: ok
    """Writes one line if the functions of this package take long to compile in this process.

    numba compiles in one thread at a time, so that starts and ends are nested. The garbage
    collector pauses meanwhile: it would search the many objects of the compiler again and again,
    which takes an eighth of the time, and find nothing.

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
        self._collects = False

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
        self._collects = gc.isenabled()
        gc.disable()

    def on_end(self, event: Any) -> None:
        """Stop the clock at the end of the function that started it."""
        del event
        if self._depth == 0:
            return
        self._depth -= 1
        self._add_time()
        if self._depth == 0 and self._collects:
            gc.enable()

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
