"""Votes of a kernel ridge without some of its rows, as a change of low rank."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from disambig.memory import require_bytes
from disambig.notation import FloatArray, IntArray
from disambig.votes.dense import DenseVotes, SymmetricArray, absolute_sums, combined_rows


@dataclass(frozen=True, eq=False)
class DeletedVotes:
    """``alpha = diag(own) - diag(left) (S[T, T] + B V') diag(right)``, with T the rows kept.

    With ``S = (K + n lam I)^{-1}`` of all rows, the same inverse without the rows E is
    ``S[T, T] - S[T, E] S[E, E]^{-1} S[E, T]``. All folds share S, which is never copied; alpha is
    formed only for methods that need every entry. Absolute sums are upper bounds, by the triangle
    inequality between the two terms of an entry.

    Parameters
    ----------
    whole : SymmetricArray, (N, N)
        S.
    kept, left_out : int array, (n,) and (e,)
        T and E.
    cross_block, left_out_weights : float array, (n, e)
        ``B = S[T, E]`` and ``V = -S[T, E] S[E, E]^{-1}``: ``B V'`` is symmetric and has no positive
        eigenvalue.
    own, left, right : float array, (n,)
        If `left` is the same object as `right`, alpha is symmetric.

    Examples
    --------
    >>> import numpy as np
    >>> whole = SymmetricArray(np.array([[0.5, 0.2, 0.1], [0.2, 0.5, 0.2], [0.1, 0.2, 0.5]]))
    >>> kept, left_out = np.array([0, 2]), np.array([1])
    >>> cross_block, ones = np.array([[0.2], [0.2]]), np.ones(2)
    >>> votes = DeletedVotes(
    ...     whole, kept, left_out, cross_block, -2.0 * cross_block, ones, ones, ones
    ... )
    >>> votes @ np.eye(2)
    array([[ 0.58, -0.02],
           [-0.02,  0.58]])
    """

    whole: SymmetricArray
    kept: IntArray
    left_out: IntArray
    cross_block: FloatArray
    left_out_weights: FloatArray
    own: FloatArray
    left: FloatArray
    right: FloatArray

    entries = None
    compressed = None
    # The signs of a regression's votes are only known from their entries.
    is_nonnegative = False
    absolute_sums_are_bounds = True

    @property
    def shape(self) -> tuple[int, int]:
        return self.kept.size, self.kept.size

    @property
    def is_symmetric(self) -> bool:
        return self.left is self.right

    @property
    def T(self) -> "DeletedVotes":
        if self.left is self.right:
            return self
        return self._with(self.own, self.right, self.left)

    def __matmul__(self, values: FloatArray) -> FloatArray:
        if values.ndim == 1:
            return np.asarray(self @ values[:, None])[:, 0]
        return self.combine_columns(np.arange(self.kept.size), values)

    def combine_columns(self, columns: IntArray, values: FloatArray) -> FloatArray:
        """``alpha[:, columns] @ values`` for values of shape (len(columns), p)."""
        scaled = values if self._scale else self.right[columns, None] * values
        if not self.whole.prefers_sums(scaled) and columns.size > self.kept.size // 2:
            every = np.zeros((self.whole.array.shape[0], values.shape[1]))
            every[self.kept[columns]] = scaled
            product = (self.whole @ every)[self.kept]
        else:
            product = self.whole.combine(self.kept[columns], scaled)[self.kept]
        product += self.cross_block @ combined_rows(self.left_out_weights, columns, scaled)
        product *= -self._scale if self._scale else -self.left[:, None]
        product[columns] += self.own[columns, None] * values
        return product

    def known_product(self, values: FloatArray, product: FloatArray) -> FloatArray:
        """``alpha @ values[kept]`` from ``product = S @ values`` of all rows, (N, p) both.

        The values of the rows that were left out do not matter: their contribution cancels. Valid
        only where `right` is the same for all rows.
        """
        scale = self.right[0]
        found: FloatArray = self.left_out_weights @ product[self.left_out]
        found += product[self.kept]
        found *= (-scale * self.left)[:, None]
        found += self.own[:, None] * values[self.kept]
        return found

    def row_sums(self) -> FloatArray:
        return self @ np.ones(self.kept.size)

    def absolute_row_sums(self, scales: FloatArray | None = None) -> FloatArray:
        return self._absolute_sums if scales is None else self._bounded_sums(scales)

    def _bounded_sums(self, scales: FloatArray) -> FloatArray:
        down = (slice(None),) + (None,) * (scales.ndim - 1)
        column_scales = np.abs(self.right)[down] * scales
        if (column_scales == column_scales[0]).all():
            sums: FloatArray = self.whole.absolute_sums[self.kept][down] * column_scales[0]
        else:
            every = np.zeros((self.whole.array.shape[0], *scales.shape[1:]))
            every[self.kept] = column_scales
            sums = absolute_sums(self.whole.array, every)[self.kept]
        # Off the diagonal an entry is bounded by the sum of its two terms. The low-rank term is
        # minus a positive semi-definite matrix, so the Cauchy-Schwarz inequality bounds it by its
        # diagonal. The diagonal of alpha is exact.
        sums = np.maximum(sums - np.abs(self._whole_diagonal)[down] * column_scales, 0.0)
        length = np.sqrt(np.abs(self._low_diagonal))
        sums += length[down] * (length @ column_scales)
        sums *= np.abs(self.left)[down]
        return np.asarray(sums + np.abs(self.diagonal())[down] * scales)

    def diagonal(self) -> FloatArray:
        inner = self._whole_diagonal + self._low_diagonal
        entries: FloatArray = self.own - self.left * inner * self.right
        return entries

    def split(self) -> tuple[DenseVotes, DenseVotes]:
        return self.formed.split()

    def rows(self, start: int, stop: int) -> FloatArray:
        return self.formed.rows(start, stop)

    def scale_rows(self, factors: FloatArray) -> "DeletedVotes":
        left: FloatArray = self.left * factors
        # If the rows are now scaled as the columns are, alpha is symmetric.
        left = self.right if np.allclose(left, self.right, rtol=1e-14, atol=0.0) else left
        return self._with(self.own * factors, left, self.right)

    def without_own(self) -> None:
        """None: rounding errors would be left on the diagonal."""
        return

    def column_entries(self, columns: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        entries = self.combine_columns(columns, np.eye(len(columns)))
        return DenseVotes(entries).column_entries(np.arange(len(columns)))

    def links(self, rows: IntArray) -> None:
        return None

    def strongest(self, limit: int) -> IntArray:
        return self.formed.strongest(limit)

    @cached_property
    def formed(self) -> DenseVotes:
        """alpha as an array."""
        n = self.kept.size
        require_bytes(
            16.0 * n * n,
            f"The votes of {n} rows as an array, which this method needs,",
            "Use sparse votes (NeighborWeights), or fewer rows.",
        )
        array = self.cross_block @ self.left_out_weights.T
        array += self.whole.array[np.ix_(self.kept, self.kept)]
        symmetric = self.left is self.right
        if symmetric:
            # Remove the rounding errors, so that the array is exactly symmetric.
            array += array.T
            array *= -0.5 * np.multiply.outer(self.left, self.right)
        else:
            array *= -self.left[:, None]
            array *= self.right
        array[np.diag_indices(self.kept.size)] = self.diagonal()
        return DenseVotes(array, symmetric)

    @cached_property
    def _absolute_sums(self) -> FloatArray:
        sums = self._bounded_sums(np.ones(self.kept.size))
        sums.flags.writeable = False
        return sums

    @cached_property
    def _scale(self) -> float:
        """``left[i] * right[j]`` if that is the same number for all i and j, else 0."""
        same = (self.left == self.left[0]).all() and (self.right == self.right[0]).all()
        return float(self.left[0] * self.right[0]) if same else 0.0

    @cached_property
    def _low_diagonal(self) -> FloatArray:
        products: FloatArray = np.einsum("ie,ie->i", self.cross_block, self.left_out_weights)
        return products

    @cached_property
    def _whole_diagonal(self) -> FloatArray:
        return self.whole.array.diagonal()[self.kept]

    def _with(self, own: FloatArray, left: FloatArray, right: FloatArray) -> "DeletedVotes":
        return DeletedVotes(
            self.whole,
            self.kept,
            self.left_out,
            self.cross_block,
            self.left_out_weights,
            own,
            left,
            right,
        )
