"""CPU time of functions that are compared in one process."""

import time
from collections.abc import Callable
from typing import Any

__all__ = ["seconds"]


def seconds(work: Callable[[], Any], repeats: int = 3) -> float:
    """CPU seconds of a function, the least of several runs."""
    spent = []
    for _ in range(repeats):
        begun = time.process_time()
        work()
        spent.append(time.process_time() - begun)
    return min(spent)
