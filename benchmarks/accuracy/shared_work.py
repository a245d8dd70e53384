"""Work that depends on inputs alone is done once for all sets, and billed to everybody who uses it.

The eigenvectors of a kernel and the weights that rebuild rows from their neighbours are the same
for every corruption and level of a split. Whoever finds them ready is charged the CPU seconds that
they took, once an account, as if it had run alone.
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
    """The last `capacity` results, by what was done and the inputs it was done on."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._done: OrderedDict[tuple[str, str], tuple[Any, float]] = OrderedDict()
        self.open_account()

    def open_account(self) -> None:
        """From here on `borrowed` is counted anew."""
        self._used: set[tuple[str, str]] = set()
        self.borrowed = 0.0

    def get(self, what: str, X: FloatArray, make: Callable[[], Result]) -> Result:
        """``make()``, or what it returned for the same `what` and X."""
        key = (what, hashlib.sha256(np.ascontiguousarray(X).tobytes()).hexdigest())
        if key in self._done:
            result, seconds = self._done[key]
            self._done.move_to_end(key)
            if key not in self._used:
                self.borrowed += seconds
        else:
            begun = time.process_time()
            result = make()
            self._done[key] = result, time.process_time() - begun
            if len(self._done) > self._capacity:
                self._done.popitem(last=False)
        self._used.add(key)
        found: Result = result
        return found


# Of one split: two bandwidths, and three numbers of neighbours on rows as they are or of length
# one; all with and without the inner rows.
WORK = SharedWork(capacity=16)
