"""Votes of a ridge regression on features that are computed when needed.

`NormalInverse` solves the normal equations by preconditioned conjugate gradients; `IteratedVotes`
are the votes of the regression, of which nothing larger than the features of a block is formed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_solve, solve_triangular

from disambig.exceptions import ConvergenceWarning, warn
from disambig.memory import require_bytes
from disambig.notation import FloatArray, IntArray
from disambig.votes.blocks import row_blocks, strongest_by_blocks
from disambig.votes.dense import DenseVotes

# Length of the residual, relative to that of the right-hand side, at which a column is solved.
_TOLERANCE = 1e-12
_MAX_ITER = 500
# Up to so many multiplications absolute sums are exact; beyond they are bounded.
_MAX_EXACT_OPERATIONS = 2**28
# A diagonal entry below this part of the removed own vote is rounding error, and set to zero.
_RELATIVE_ROUNDING_ERROR = 1e-9


@dataclass(frozen=True, eq=False)
class NormalInverse:
    """``(Phi' W Phi + ridge I)^{-1}``, of which only products are computed.

    Conjugate gradients, preconditioned by the same matrix on a sample of the rows (Rudi et al.,
    2017): some tens of products with Phi and its transpose, whatever their size.

    Parameters
    ----------
    rows : object with ``@`` and ``gather(values)`` = ``Phi' @ values``
        Phi, (n, r).
    sample_weight : float array, (n,)
        The diagonal of W.
    ridge : float > 0
    factor : float array, (r, r), upper
        F with F' F the preconditioner.
    constant : bool
        Whether the last column of Phi is constant. It has no ridge, the weighted means of all other
        columns must be zero, and `factor` does not include it.
    """

    rows: Any
    sample_weight: FloatArray
    ridge: float
    factor: FloatArray
    constant: bool

    def __matmul__(self, values: FloatArray) -> FloatArray:
        """The inverse times values ``(r, k)``."""
        found = np.zeros(values.shape)
        size = self.factor.shape[0]
        found[size:] = values[size:] / self.sample_weight.sum()
        # All columns are scaled to length one; a column of zeros is solved by zeros.
        start = self._solve_triangular(values[:size], transposed=True)
        lengths = np.sqrt((start * start).sum(axis=0))
        nonzero = np.flatnonzero(lengths > 0)
        if nonzero.size:
            solved = self._solve(start[:, nonzero] / lengths[nonzero])
            found[:size, nonzero] = self._solve_triangular(
                solved * lengths[nonzero], transposed=False
            )
        return found

    def _solve_triangular(self, values: FloatArray, *, transposed: bool) -> FloatArray:
        solved: FloatArray = solve_triangular(
            self.factor, values, trans=int(transposed), check_finite=False
        )
        return solved

    def _apply(self, values: FloatArray) -> FloatArray:
        """``F^{-T} (Phi' W Phi + ridge I) F^{-1} @ values``."""
        inner = self._solve_triangular(values, transposed=False)
        size = self.factor.shape[0]
        padded = np.vstack([inner, np.zeros((int(self.constant), inner.shape[1]))])
        image = self.rows.gather(self.sample_weight[:, None] * (self.rows @ padded))[:size]
        return self._solve_triangular(image + self.ridge * inner, transposed=True)

    def _solve(self, values: FloatArray) -> FloatArray:
        solution, residual = np.zeros(values.shape), values.copy()
        direction, before = residual.copy(), (residual * residual).sum(axis=0)
        after = before
        for _ in range(_MAX_ITER):
            image = self._apply(direction)
            curvature = (direction * image).sum(axis=0)
            length = np.divide(before, curvature, out=np.zeros_like(before), where=curvature > 0)
            solution += length * direction
            residual -= length * image
            after = (residual * residual).sum(axis=0)
            if after.max() <= _TOLERANCE**2:
                return solution
            ratio = np.divide(after, before, out=np.zeros_like(after), where=before > 0)
            direction, before = residual + ratio * direction, after
        warn(
            f"The regression on {values.shape[0]} features is solved to "
            f"{np.sqrt(after.max()):.1e} instead of {_TOLERANCE:.0e} after {_MAX_ITER} iterations; "
            "votes have errors of that size. Use solver='direct', or a larger regularization.",
            ConvergenceWarning,
        )
        return solution


@dataclass(frozen=True, eq=False)
class FactoredInverse:
    """`NormalInverse` with a factor of the matrix itself, so that nothing is iterated.

    Parameters
    ----------
    rows, sample_weight, ridge, factor, constant
        As in `NormalInverse`, with F' F the matrix.
    """

    rows: Any
    sample_weight: FloatArray
    ridge: float
    factor: FloatArray
    constant: bool

    def __matmul__(self, values: FloatArray) -> FloatArray:
        """The inverse times values ``(r, k)``."""
        found = np.empty(values.shape)
        size = self.factor.shape[0]
        found[size:] = values[size:] / self.sample_weight.sum()
        found[:size] = cho_solve((self.factor, False), values[:size], check_finite=False)
        return found


@dataclass(frozen=True, eq=False)
class IteratedVotes:
    """``alpha = diag(f) L M^{-1} R' diag(g) - diag(own)``, applied by solving with M.

    A product solves the normal equations once for each column of its values. `rows`,
    `column_entries` and `strongest` solve them once for each row or column that they return;
    `diagonal` takes as many multiplications as the direct solution.

    Parameters
    ----------
    left, right : objects with ``shape``, ``@``, ``gather``, ``rows(start, stop)``, ``take(rows)``,
        ``squares()`` (bounds of squared lengths)
        L, (q, r), and R, (n, r).
    inverse : NormalInverse or FactoredInverse (r, r)
    row_factors, column_factors : float array, (q,) and (n,)
        f and g.
    own : float array, (n,), or None
        None: zero. Only where ``q = n``.
    forms : function without argument, or None
        Where ``L = R``, returns ``l_i' M^{-1} l_i``, (n,).
    """

    left: Any
    inverse: NormalInverse | FactoredInverse
    right: Any
    row_factors: FloatArray
    column_factors: FloatArray
    own: FloatArray | None = None
    forms: Callable[[], FloatArray] | None = None

    entries = None
    compressed = None
    # The signs of a regression's votes are only known from their entries.
    is_nonnegative = False
    absolute_sums_are_bounds = True

    @property
    def shape(self) -> tuple[int, int]:
        return self.left.shape[0], self.right.shape[0]

    @property
    def is_symmetric(self) -> bool:
        same = self.left is self.right
        return same and np.array_equal(self.row_factors, self.column_factors)

    @property
    def T(self) -> "IteratedVotes":
        return IteratedVotes(
            self.right,
            self.inverse,
            self.left,
            self.column_factors,
            self.row_factors,
            self.own,
            self.forms,
        )

    def __matmul__(self, values: FloatArray) -> FloatArray:
        values = np.asarray(values, dtype=np.float64)
        if not values.size:
            return np.zeros((self.shape[0], *values.shape[1:]))
        table = values.reshape(values.shape[0], -1)
        inner = self.inverse @ self.right.gather(self.column_factors[:, None] * table)
        product: FloatArray = self.row_factors[:, None] * (self.left @ inner)
        if self.own is not None:
            product -= self.own[:, None] * table
        return product.reshape((self.shape[0], *values.shape[1:]))

    def row_sums(self) -> FloatArray:
        return self @ np.ones(self.shape[1])

    def absolute_row_sums(self, scales: FloatArray | None = None) -> FloatArray:
        q, n = self.shape
        if q * n * self.left.shape[1] <= _MAX_EXACT_OPERATIONS:
            blocks = [DenseVotes(b).absolute_row_sums(scales) for _, b in row_blocks(self)]
            return np.concatenate([np.zeros(0), *blocks])
        given = np.ones(n) if scales is None else scales
        # With v the sample weights: sum_j s_j g_j |l_i M^-1 r_j| is at most the root of sum_j s_j^2
        # g_j^2 / v_j times that of sum_j v_j (l_i M^-1 r_j)^2 <= l_i M^-1 l_i <= |l_i|^2 / ridge.
        # If R is not Phi, the second inequality fails, and |l_i M^-1 r_j| is bounded by lengths.
        if self.right is self.inverse.rows:
            sample_weight = self.inverse.sample_weight
            length = np.sqrt(float((given * self.column_factors) ** 2 @ (1.0 / sample_weight)))
            sizes = self._lengths(self.left) * length
        else:
            total = float((given * np.abs(self.column_factors)) @ self._lengths(self.right))
            sizes = self._lengths(self.left) * total
        own = 0.0 if self.own is None else np.abs(self.own) * given
        return np.asarray(np.abs(self.row_factors) * sizes + own)

    def diagonal(self) -> FloatArray:
        if self.forms is None:
            entries = np.empty(min(self.shape))
            for start, block in row_blocks(self):
                rows = np.arange(start, min(start + block.shape[0], entries.size))
                entries[rows] = block[rows - start, rows]
            return entries
        entries = self.row_factors * self.forms() * self.column_factors
        return entries if self.own is None else _without_rounding(entries - self.own, self.own)

    def split(self) -> tuple[DenseVotes, DenseVotes]:
        q, n = self.shape
        require_bytes(
            3 * 8.0 * q * n,
            f"The sign of each vote needs the {q} x {n} votes as an array, which",
            "Predict fewer queries at a time, or use sparse votes (NeighborWeights).",
        )
        return DenseVotes(self.rows(0, q)).split()

    def rows(self, start: int, stop: int) -> FloatArray:
        inner = self.inverse @ np.ascontiguousarray(self.left.rows(start, stop).T)
        entries: FloatArray = np.ascontiguousarray((self.right @ inner).T)
        entries *= self.row_factors[start:stop, None]
        entries *= self.column_factors
        if self.own is not None:
            rows = np.arange(start, start + entries.shape[0])
            own = self.own[rows]
            entries[rows - start, rows] = _without_rounding(entries[rows - start, rows] - own, own)
        return entries

    def scale_rows(self, factors: FloatArray) -> "IteratedVotes":
        return IteratedVotes(
            self.left,
            self.inverse,
            self.right,
            self.row_factors * factors,
            self.column_factors,
            None if self.own is None else self.own * factors,
            self.forms,
        )

    def without_own(self) -> None:
        """None: rounding errors would be left on the diagonal."""
        return

    def column_entries(self, columns: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        require_bytes(
            4 * 8.0 * self.shape[0] * len(columns),
            f"The votes of {len(columns)} rows at {self.shape[0]} inputs",
            "Request fewer rows at a time, or use sparse votes (NeighborWeights).",
        )
        transposed = self.T
        part = IteratedVotes(
            transposed.left.take(columns),
            self.inverse,
            transposed.right,
            transposed.row_factors[columns],
            transposed.column_factors,
        )
        entries = np.ascontiguousarray(part.rows(0, len(columns)).T)
        if self.own is not None:
            positions = np.arange(len(columns))
            own = self.own[columns]
            found = entries[columns, positions] - own
            entries[columns, positions] = _without_rounding(found, own)
        return DenseVotes(entries).column_entries(np.arange(len(columns)))

    def links(self, rows: IntArray) -> None:
        return None

    def strongest(self, limit: int) -> IntArray:
        return strongest_by_blocks(self, limit)

    def _lengths(self, rows: Any) -> FloatArray:
        """Bounds of ``(l_i M^{-1} l_i)^{1/2}``."""
        of_constant = 1.0 / self.inverse.sample_weight.sum() if self.inverse.constant else 0.0
        return np.asarray(np.sqrt(rows.squares() / self.inverse.ridge + of_constant))


def _without_rounding(entries: FloatArray, own: FloatArray) -> FloatArray:
    return np.where(np.abs(entries) <= _RELATIVE_ROUNDING_ERROR * np.abs(own), 0.0, entries)
