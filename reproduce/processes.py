"""The ends of processes: the command stops its workers, and workers do not outlive the command."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import parent_process
from types import FrameType
from typing import Any, NoReturn

# A request to end and a closed terminal. Windows has no SIGHUP.
_ENDING_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)
)


@contextmanager
def ending_in_order(name: str) -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into a `SystemExit` with the code of shells, 128 + signal.

    By default they end a process at once, without its ``finally`` clauses: workers stay behind. A
    signal that is ignored, as SIGHUP is under nohup, or handled by somebody else stays so.

    Parameters
    ----------
    name : str
        The name of the command, for the message.
    """

    def leave(number: int, _: FrameType | None) -> NoReturn:
        # A second signal must not stop the work of the first.
        for one in handled:
            signal.signal(one, signal.SIG_IGN)
        # A terminal that is closed cannot be written to.
        with suppress(OSError):
            print(f"{name}: ended by {signal.Signals(number).name}", file=sys.stderr, flush=True)
        raise SystemExit(128 + number)

    handled: dict[signal.Signals, Any] = {}
    # Only the main thread may set handlers.
    if threading.current_thread() is threading.main_thread():
        for one in _ENDING_SIGNALS:
            if signal.getsignal(one) is signal.SIG_DFL:
                handled[one] = signal.signal(one, leave)
    try:
        yield
    finally:
        for one, before in handled.items():
            signal.signal(one, before)


def follow_main_process() -> None:
    """In a worker: leave interruptions to the main process, and end when it is gone.

    A main process that is killed cannot end its workers, and an idle worker would wait for ever: it
    waits for a queue whose other end the workers hold, too.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_after_main_process, daemon=True).start()


def _end_after_main_process() -> None:
    main = parent_process()
    if main is not None:
        main.join()
        # Not `sys.exit`, which ends this thread only.
        os._exit(1)
