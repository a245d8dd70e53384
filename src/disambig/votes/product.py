"""Votes held as a product of two thin or square factors."""

from dataclasses import dataclass

import numpy as np

from disambig.memory import require_bytes
from disambig.notation import FloatArray, IntArray
from disambig.votes.dense import DenseVotes

__all__ = ["ProductVotes"]


@dataclass(frozen=True, eq=False)
class ProductVotes:
    """``alpha = left @ right``, never multiplied out unless a question needs its entries.

    Kernel ridge predicts with ``alpha = K_x (K + n lam I)^{-1}``: multiplying from the right costs
    ``n (n + q) p`` instead of ``q n^2``. Low-rank weightings have the same form.

    Examples
    --------
    >>> import numpy as np
    >>> votes = ProductVotes(np.array([[1.0], [2.0]]), np.array([[0.5, 0.5]]))
    >>> votes @ np.array([1.0, 0.0])
    array([0.5, 1. ])
    """

    left: FloatArray
    right: FloatArray

    @property
    def shape(self) -> tuple[int, int]:
        return self.left.shape[0], self.right.shape[1]

    @property
    def T(self) -> "ProductVotes":
        return ProductVotes(self.right.T, self.left.T)

    def __matmul__(self, values: FloatArray) -> FloatArray:
        product: FloatArray = self.left @ (self.right @ values)
        return product

    def row_sums(self) -> FloatArray:
        return self @ np.ones(self.shape[1], dtype=self.right.dtype)

    def absolute_row_sums(self, scales: FloatArray | None = None) -> FloatArray:
        # An upper bound: rounding happens at the size of the factors.
        right = np.abs(self.right)
        sums: FloatArray = np.abs(self.left) @ (
            right.sum(axis=1) if scales is None else right @ scales
        )
        return sums

    def diagonal(self) -> FloatArray:
        size = min(self.shape)
        entries: FloatArray = np.einsum("ir,ri->i", self.left[:size], self.right[:, :size])
        return entries

    def split(self) -> tuple[DenseVotes, DenseVotes]:
        return self._multiplied("The sign of each vote").split()

    def rows(self, start: int, stop: int) -> FloatArray:
        entries: FloatArray = self.left[start:stop] @ self.right
        return entries

    def scale_rows(self, factors: FloatArray) -> "ProductVotes":
        return ProductVotes(self.left * factors[:, None], self.right)

    def column_entries(self, columns: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        part = DenseVotes(self.left @ self.right[:, columns])
        return part.column_entries(np.arange(part.shape[1]))

    def links(self, rows: IntArray) -> None:
        return None

    def strongest(self, limit: int) -> IntArray:
        return self._multiplied("The order of the votes").strongest(limit)

    def _multiplied(self, what: str) -> DenseVotes:
        q, n = self.shape
        require_bytes(
            3.0 * q * n * self.left.itemsize,
            f"{what} needs the {q} x {n} weights as an array, which",
            "Ask for fewer queries at a time, or use sparse votes (NeighborWeights).",
        )
        return DenseVotes(self.left @ self.right)
