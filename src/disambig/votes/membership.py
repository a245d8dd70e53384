"""Which leaf of each tree a row is in, and how much it counts there."""

from dataclasses import dataclass

import numpy as np

from disambig.notation import AnyArray, FloatArray, IntArray

__all__ = ["Membership"]

_NO_FACTORS = np.empty((0, 0))
_NO_FACTORS.flags.writeable = False


@dataclass(frozen=True, eq=False)
class Membership:
    """Row i is in leaf ``leaves[t, i]`` of tree t and counts ``scale[i] * factors[t, i]`` there.

    Parameters
    ----------
    leaves : int32, (trees, size)
        Counted from 0 in each tree; -1 where the row is in none of its leaves.
    scale : float64, (size,), non-negative
    factors : float64 or unsigned integers, (trees, size), non-negative; or None
        None: all one.
    """

    leaves: AnyArray
    scale: FloatArray
    factors: AnyArray | None = None

    @property
    def size(self) -> int:
        """How many rows."""
        return int(self.leaves.shape[1])

    @property
    def factor_table(self) -> AnyArray:
        """`factors` as compiled functions take them: without rows where there are none."""
        return _NO_FACTORS if self.factors is None else self.factors

    def take(self, rows: IntArray) -> "Membership":
        """Those of some rows."""
        factors = None if self.factors is None else self.factors[:, rows]
        return Membership(self.leaves[:, rows], self.scale[rows], factors)

    def scaled(self, by: FloatArray) -> "Membership":
        """The same rows, each counting so many times as much."""
        return Membership(self.leaves, self.scale * by, self.factors)
