"""A cache of computations that depend on the inputs only, with the CPU seconds that they took.

The eigenvectors of a kernel and the weights that rebuild rows from their neighbours are the same
for every corruption and level of a split. A method that reuses a result adds the CPU seconds of its
computation to its own time, once per run, as if it had computed the result itself.
"""

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from disambig.notation import FloatArray

__all__ = ["WORK", "SharedWork"]

Result = TypeVar("Result")


class SharedWork:
    """The last `capacity` results, by a description of the computation and its inputs."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._done: OrderedDict[tuple[str, str], tuple[Any, float]] = OrderedDict()
        self.start_account()

    def start_account(self) -> None:
        """Set `reused_seconds` to zero, for a new run."""
        self._used: set[tuple[str, str]] = set()
        self.reused_seconds = 0.0

    def get(self, what: str, X: FloatArray, compute: Callable[[], Result]) -> Result:
        """``compute()``, or what it returned for the same `what` and X."""
        key = (what, hashlib.sha256(np.ascontiguousarray(X).tobytes()).hexdigest())
        if key in self._done:
            result, seconds = self._done[key]
            self._done.move_to_end(key)
            if key not in self._used:
                self.reused_seconds += seconds
        else:
            begun = time.process_time()
            result = compute()
            self._done[key] = result, time.process_time() - begun
            if len(self._done) > self._capacity:
                self._done.popitem(last=False)
        self._used.add(key)
        found: Result = result
        return found


# For one split: two bandwidths, and three numbers of neighbours on rows as they are or scaled to
# length one; all of these on all training rows and without the held-out ones.
WORK = SharedWork(capacity=16)
