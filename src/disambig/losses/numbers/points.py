"""`Points`: numbers as targets or predictions, with the interface of `Faces`."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from disambig.notation import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Points:
    """One number per row, or one vector of numbers for boxes.

    Parameters
    ----------
    values : float array (n, d)
    width : float array (d,), optional
        The unit of `distance` in each column; by default one.
    single : bool array (n,), optional
        Rows whose number is the only optimal one; by default all.
    predictions : float array (n, d), optional
        The best predictions for these numbers as targets, if they are known.

    Examples
    --------
    >>> Points(np.array([[1.0], [3.0]])).outputs
    array([[1.],
           [3.]])
    """

    values: FloatArray
    width: FloatArray | None = None
    single: BoolArray | None = None
    predictions: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def embedded(self) -> FloatArray:
        """The numbers themselves: a number is its own embedding."""
        return self.values

    @property
    def outputs(self) -> FloatArray:
        """The numbers, ``(n, d)``."""
        return self.values

    @cached_property
    def is_vertex(self) -> BoolArray:
        """Rows whose number is the only optimal one, ``(n,)``."""
        return np.ones(len(self), dtype=np.bool_) if self.single is None else self.single

    def first(self) -> "Points":
        """The same numbers."""
        return self

    def take(self, index: IntArray) -> "Points":
        """The numbers of some rows."""
        single = None if self.single is None else self.single[index]
        return Points(self.values[index], self.width, single)

    def differing(self, other: "Points") -> BoolArray:
        """Rows whose numbers differ, ``(n,)``."""
        return np.asarray((self.values != other.values).any(axis=1))

    def distance(self, other: "Points") -> float:
        """The largest difference of two numbers, in units of the width of their column."""
        moved = np.abs(self.values - other.values).max(axis=0, initial=0.0)
        width = np.ones_like(moved) if self.width is None else self.width
        # Without a width only equal numbers are near.
        shares = np.divide(moved, width, out=np.where(moved > 0, np.inf, 0.0), where=width > 0)
        return float(shares.max(initial=0.0))
