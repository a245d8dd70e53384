"""Free memory, checked before a large array is allocated."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

import numpy as np

from disambig.exceptions import MemoryBudgetError
from disambig.notation import AnyArray

_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")
# What was free when `read_once` began; None outside, and if the system does not report it.
_READING: ContextVar[int | None] = ContextVar("_READING", default=None)
# Up to this share of the reading, a request is granted without a new one. A fit makes hundreds of
# small requests; a large one must not rely on memory that the fit itself has taken since.
_SMALL_SHARE = 0.01
# Entries of a table that `by_rows` takes at a time.
_ENTRIES_AT_A_TIME = 2**20


def free_bytes() -> int | None:
    """Bytes that a new array may take, or None if the system does not report them.

    The smaller of two numbers: the available memory of the machine, and what is left of the limit
    of the control group. In a container the first alone would report the whole machine.
    """
    known = [b for b in (_machine_bytes(), _cgroup_bytes()) if b is not None]
    return min(known) if known else None


def _machine_bytes() -> int | None:
    if _MEMINFO.exists():
        for line in _MEMINFO.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    try:
        # Without MemAvailable (macOS), the physical size is the best upper bound that the
        # standard library gives.
        return int(os.sysconf("SC_PHYS_PAGES")) * int(os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return None


def _cgroup_bytes() -> int | None:
    try:
        limit = (_CGROUP / "memory.max").read_text().strip()
        if limit == "max":
            return None
        used = int((_CGROUP / "memory.current").read_text())
        return max(int(limit) - used + _reclaimable_bytes(), 0)
    except (OSError, ValueError):
        return None


def _reclaimable_bytes() -> int:
    """Bytes of file cache: counted as used, but the system frees them on demand."""
    statistics = _CGROUP / "memory.stat"
    for line in statistics.read_text().splitlines() if statistics.exists() else ():
        name, _, value = line.partition(" ")
        if name == "inactive_file":
            return int(value)
    return 0


@contextmanager
def read_once() -> Iterator[None]:
    """Read the free memory now; inside the block, small requests rely on this reading.

    A block inside another one keeps the reading of the outer one. Requests of more than a hundredth
    of the reading, and those of other threads, read anew.

    Examples
    --------
    >>> with read_once():
    ...     is_free(8.0)
    True
    """
    if _READING.get() is not None:
        yield
        return
    token = _READING.set(free_bytes())
    try:
        yield
    finally:
        _READING.reset(token)


def by_rows(function: Callable[..., AnyArray], table: AnyArray, *others: AnyArray) -> AnyArray:
    """``function(table, *others)`` of arrays with an entry for each row, some rows at a time.

    For functions in which rows do not depend on each other, and which take several times the memory
    of a large table ``(n, K)`` for what they compute meanwhile.

    Parameters
    ----------
    function : callable
    table : array (n, K)
    *others : arrays (n, ...)

    Examples
    --------
    >>> import numpy as np
    >>> by_rows(lambda table: table.sum(axis=1), np.eye(3)).tolist()
    [1.0, 1.0, 1.0]
    """
    step = max(1, _ENTRIES_AT_A_TIME // max(1, table.shape[1]))
    if len(table) <= step:
        return function(table, *others)
    parts = [slice(start, start + step) for start in range(0, len(table), step)]
    first = function(table[parts[0]], *(other[parts[0]] for other in others))
    found = np.empty((len(table), *first.shape[1:]), first.dtype)
    found[parts[0]] = first
    for rows in parts[1:]:
        found[rows] = function(table[rows], *(other[rows] for other in others))
    return found


def is_free(n_bytes: float) -> bool:
    """Whether `n_bytes` more would fit; True if the system does not report its memory."""
    free = _free_for(n_bytes)
    return free is None or n_bytes <= free


def _free_for(n_bytes: float) -> int | None:
    reading = _READING.get()
    if reading is not None and n_bytes <= _SMALL_SHARE * reading:
        return reading
    return free_bytes()


def require_bytes(n_bytes: float, what: str, instead: str) -> None:
    """Raise `MemoryBudgetError` if `n_bytes` more would not fit.

    Parameters
    ----------
    n_bytes : float
        Peak size of what is about to be allocated.
    what : str
        The array, as the subject of the message ("The kernel matrix of 100000 rows").
    instead : str
        What the user can do, as an imperative sentence, for the end of the message.
    """
    free = _free_for(n_bytes)
    if free is not None and n_bytes > free:
        gib = 1024.0**3
        raise MemoryBudgetError(
            f"{what} would take {n_bytes / gib:.1f} GiB, and {free / gib:.1f} GiB are free. "
            f"{instead}"
        )
