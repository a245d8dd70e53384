"""Cells of a grid, counted where somebody is."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from disambig.notation import AnyArray, FloatArray

__all__ = ["Cells"]


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a grid that hold training rows; there may be far more cells than numbers.

    Cells are counted feature by feature: rows that agree in the first ones share a number, below
    n, which is refined by the next.

    Attributes
    ----------
    thresholds : tuple of d ascending float64 arrays
        Feature f has ``len(thresholds[f]) + 1`` bins; an entry equal to a threshold is below it.
    known : tuple of d ascending int64 arrays
        The pairs of (number so far, bin) that training rows have, as one number each.
    """

    thresholds: tuple[FloatArray, ...]
    known: tuple[AnyArray, ...]

    @classmethod
    def build(cls, X: Any, thresholds: tuple[FloatArray, ...]) -> tuple[Self, AnyArray]:
        """The cells of training rows ``(n, d)``, and the number of the cell of each row."""
        numbers = np.zeros(X.shape[0], dtype=np.int64)
        known = []
        for cuts, column in zip(thresholds, columns(X), strict=True):
            pairs, numbers = np.unique(_paired(numbers, cuts, column), return_inverse=True)
            known.append(pairs)
        return cls(thresholds, tuple(known)), numbers

    @property
    def size(self) -> int:
        """How many cells hold somebody."""
        return int(self.known[-1].size)

    def numbers(self, X: Any) -> AnyArray:
        """The number of the cell of each query ``(q, d)``; `size` where the cell holds nobody.

        Examples
        --------
        >>> import numpy as np
        >>> cells, rows = Cells.build(np.array([[0.0], [1.0], [9.0]]), (np.array([1.0, 5.0]),))
        >>> rows, cells.numbers(np.array([[3.0], [-3.0]]))
        (array([0, 0, 1]), array([2, 0]))
        """
        numbers = np.zeros(X.shape[0], dtype=np.int64)
        found = np.ones(X.shape[0], dtype=np.bool_)
        for cuts, pairs, column in zip(self.thresholds, self.known, columns(X), strict=True):
            paired = _paired(numbers, cuts, column)
            numbers = np.minimum(np.searchsorted(pairs, paired), pairs.size - 1)
            found &= pairs[numbers] == paired
        return np.where(found, numbers, self.size)


def columns(X: Any) -> Any:
    """The columns of X one after another, dense."""
    if not sp.issparse(X):
        return iter(X.T)
    by_column = sp.csc_array(X)
    return (by_column[:, [f]].toarray().ravel() for f in range(X.shape[1]))


def _paired(numbers: AnyArray, cuts: FloatArray, column: FloatArray) -> AnyArray:
    pairs: AnyArray = numbers * (cuts.size + 1) + np.searchsorted(cuts, column)
    return pairs
