"""Sizes of memory as texts: ``"4GiB"``."""

import math
import re
from pathlib import Path

# Powers of 1024 have an i in their names, as in the standard IEC 80000-13.
_UNITS = {
    "b": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "tib": 2**40,
}
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]+)")
_STATUS = Path("/proc/self/status")


def memory_size(memory: object) -> int:
    """Bytes of a size such as ``"4GiB"``, ``"512 MB"`` or a number of bytes.

    Parameters
    ----------
    memory : str or int
        A number and a unit: B, kB, MB, GB, TB (powers of 1000), KiB, MiB, GiB or TiB (powers of
        1024), in any case. An integer is a number of bytes.

    Raises
    ------
    ValueError
        In words, if it is no such size, or zero.

    Examples
    --------
    >>> memory_size("4GiB"), memory_size("1.5 kB"), memory_size(100)
    (4294967296, 1500, 100)
    """
    expected = "expected a size such as '4GiB', '512MB' or a number of bytes"
    if isinstance(memory, bool) or not isinstance(memory, (str, int)):
        raise ValueError(f"memory: {expected}; got {memory!r}.")
    if isinstance(memory, int):
        n_bytes = memory
    else:
        found = _SIZE.fullmatch(memory.strip())
        if found is None:
            advice = " Write the unit behind the number." if memory.strip().isdecimal() else ""
            raise ValueError(f"memory: {expected}; got {memory!r}.{advice}")
        factor = _UNITS.get(found[2].lower())
        if factor is None:
            raise ValueError(
                f"memory: the unit {found[2]!r} of {memory!r} is not known; use B, kB, MB, GB, TB, "
                "KiB, MiB, GiB or TiB."
            )
        n_bytes = math.floor(float(found[1]) * factor)
    if n_bytes < 1:
        raise ValueError(f"memory: {expected}, of at least one byte; got {memory!r}.")
    return n_bytes


def size_text(n_bytes: float) -> str:
    """A size for messages, with the largest unit of which there is at least one.

    Examples
    --------
    >>> size_text(3 * 2**29), size_text(10)
    ('1.5 GiB', '10 B')
    """
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        factor = _UNITS[unit.lower()]
        if n_bytes >= factor:
            return f"{n_bytes / factor:.2f}".rstrip("0").rstrip(".") + f" {unit}"
    return f"{n_bytes:.0f} B"


def resident_bytes() -> int:
    """Memory that this process holds now: the interpreter, its libraries, arrays; 0 if unknown."""
    if _STATUS.exists():
        for line in _STATUS.read_text(encoding="utf-8").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
    return 0
