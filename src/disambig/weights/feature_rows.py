"""Features of many rows, made anew block by block whenever they are multiplied with."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from scipy.linalg import solve_triangular

from disambig.notation import FloatArray, IntArray

__all__ = ["FeatureMap", "FeatureRows"]

# Entries of a block: 16 MiB.
_BLOCK = 2**21


class FeatureMap(Protocol):
    """``phi(x) = b(x) R^{-1}`` with a triangle R, or ``phi = b`` without one."""

    @property
    def rank(self) -> int:
        """How many features there are."""
        ...

    @property
    def triangle(self) -> FloatArray | None:
        """R, ``(r, r)``, upper."""
        ...

    def __call__(self, X: Any) -> FloatArray:
        """phi of the rows of X, ``(q, r)``."""
        ...

    def raw(self, X: Any) -> FloatArray:
        """b of the rows of X, ``(q, r)``."""
        ...

    def squares(self, X: Any) -> FloatArray:
        """Bounds of ``|phi(x)|^2``, ``(q,)``."""
        ...


@dataclass(frozen=True, eq=False)
class FeatureRows:
    """Phi of shape (n, r): ``phi(x)``, less a center and with a column of ones if there is one.

    Parameters
    ----------
    feature_map : FeatureMap
    X : (n, d)
    center : float64, (p,), or None
    stored : float64, (n, p), or None
        b of all rows, if kept.
    """

    feature_map: FeatureMap
    X: Any
    center: FloatArray | None = None
    stored: FloatArray | None = None

    @property
    def shape(self) -> tuple[int, int]:
        return self.X.shape[0], self.feature_map.rank + (self.center is not None)

    def kept(self) -> "FeatureRows":
        """The same with b of all rows in memory."""
        stored = np.empty((self.X.shape[0], self.feature_map.rank))
        for start, block in self._blocks():
            stored[start : start + block.shape[0]] = block
        return replace(self, stored=stored)

    def centered(self, masses: FloatArray) -> "FeatureRows":
        """The same less their weighted mean, and with a column of ones."""
        return replace(self, center=self.gather((masses / masses.sum())[:, None])[:, 0])

    def at(self, X: Any) -> "FeatureRows":
        """The features of other inputs."""
        return replace(self, X=X, stored=None)

    def take(self, rows: IntArray) -> "FeatureRows":
        """Some of the rows."""
        stored = None if self.stored is None else self.stored[rows]
        return replace(self, X=self.X[rows], stored=stored)

    def __matmul__(self, values: FloatArray) -> FloatArray:
        """``Phi @ values`` for values ``(r, k)``."""
        p = self.feature_map.rank
        inner, triangle = values[:p], self.feature_map.triangle
        constant = np.zeros(values.shape[1])
        if self.center is not None:
            constant = values[p] - self.center @ inner
        if triangle is not None:
            inner = solve_triangular(triangle, inner, check_finite=False)
        product = np.empty((self.X.shape[0], values.shape[1]))
        for start, block in self._blocks():
            product[start : start + block.shape[0]] = block @ inner + constant
        return product

    def gather(self, values: FloatArray) -> FloatArray:
        """``Phi' @ values`` for values ``(n, k)``."""
        total = np.zeros((self.feature_map.rank, values.shape[1]))
        for start, block in self._blocks():
            total += block.T @ values[start : start + block.shape[0]]
        if self.feature_map.triangle is not None:
            total = solve_triangular(self.feature_map.triangle, total, trans=1, check_finite=False)
        if self.center is None:
            return total
        sums = values.sum(axis=0)
        return np.vstack([total - np.multiply.outer(self.center, sums), sums])

    def rows(self, start: int, stop: int) -> FloatArray:
        """``Phi[start:stop]`` as an array."""
        found = self.feature_map(self.X[start:stop])
        if self.center is None:
            return found
        return np.column_stack([found - self.center, np.ones(found.shape[0])])

    def blocks(self) -> Iterator[tuple[int, FloatArray]]:
        """``(start, Phi[start:stop])`` from the first row to the last."""
        step = max(1, _BLOCK // max(1, self.shape[1]))
        for start in range(0, self.X.shape[0], step):
            yield start, self.rows(start, start + step)

    def squares(self) -> FloatArray:
        """Bounds of squared lengths, without the column of ones, ``(n,)``."""
        squares = self.feature_map.squares(self.X)
        if self.center is not None:
            return np.asarray((np.sqrt(squares) + np.linalg.norm(self.center)) ** 2)
        for start, block in self._blocks():
            # Who is beyond the reach of every landmark has no feature.
            squares[start : start + block.shape[0]] *= block.any(axis=1)
        return squares

    def _blocks(self) -> Iterator[tuple[int, FloatArray]]:
        step = max(1, _BLOCK // max(1, self.feature_map.rank))
        for start in range(0, self.X.shape[0], step):
            if self.stored is None:
                yield start, self.feature_map.raw(self.X[start : start + step])
            else:
                yield start, self.stored[start : start + step]
