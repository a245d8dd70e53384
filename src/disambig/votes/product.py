"""Votes held as a product of two factors, thin or square."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from disambig.memory import require_bytes
from disambig.notation import FloatArray, IntArray
from disambig.votes.blocks import row_blocks, strongest_by_blocks
from disambig.votes.dense import DenseVotes
from disambig.votes.entries import entries_are_nonnegative

# Up to so many multiplications, less than a second, absolute sums are exact; beyond they are
# bounded.
_MAX_EXACT_OPERATIONS = 2**32
# Entries of a block of factors: 8 MiB.
_ENTRIES_PER_BLOCK = 2**20
# A diagonal entry below this part of the removed own vote is rounding error, and set to zero.
_RELATIVE_ROUNDING_ERROR = 1e-14


@dataclass(frozen=True, eq=False)
class ProductVotes:
    """``alpha = left @ diag(scales) @ right - diag(own)``, never formed as a whole.

    Kernel ridge predicts with ``alpha = K_x (K + n lam I)^{-1}``: multiplying from the right costs
    ``n (n + q) p`` instead of ``q n^2``. Low-rank weightings have the same form with a small r.
    `strongest` works in blocks of rows; `split` returns two arrays and needs memory for them.

    Parameters
    ----------
    left : float array, (q, r)
    right : float array, (r, n)
    scales : float array, (r,), or None
        None: ones.
    own : float array, (n,), or None
        None: zeros. Only where ``q = n``.
    energies : float array, (r,), or None
        If known, e with ``right @ diag(1 / column_shares) @ right.T = diag(e)``, and the same for
        ``left.T`` with `row_shares`: absolute sums are then bounded without forming entries.
    row_shares, column_shares : float array, (q,) and (n,), or None

    Examples
    --------
    >>> import numpy as np
    >>> votes = ProductVotes(np.array([[1.0], [2.0]]), np.array([[0.5, 0.5]]))
    >>> votes @ np.array([1.0, 0.0])
    array([0.5, 1. ])
    """

    left: FloatArray
    right: FloatArray
    scales: FloatArray | None = None
    own: FloatArray | None = None
    energies: FloatArray | None = None
    row_shares: FloatArray | None = None
    column_shares: FloatArray | None = None

    entries = None
    compressed = None
    absolute_sums_are_bounds = True

    @property
    def shape(self) -> tuple[int, int]:
        return self.left.shape[0], self.right.shape[1]

    @property
    def is_thin(self) -> bool:
        """Whether absolute sums are exact, or bounds of the same order."""
        return self._is_cheap or self._row_norms is not None

    @cached_property
    def is_nonnegative(self) -> bool:
        """By the entries, in blocks of rows, unless the factors tell."""
        factors = (
            (self.left, self.right) if self.scales is None else (self.left, self.right, self.scales)
        )
        if self.own is None and all(factor.min(initial=0.0) >= 0 for factor in factors):
            return True
        return all(entries_are_nonnegative(block) for _, block in row_blocks(self))

    @property
    def is_symmetric(self) -> bool:
        q, n = self.shape
        return q == n and np.array_equal(self.left, self.right.T)

    @cached_property
    def T(self) -> "ProductVotes":
        return ProductVotes(
            self.right.T,
            self.left.T,
            self.scales,
            self.own,
            self.energies,
            self.column_shares,
            self.row_shares,
        )

    def __matmul__(self, values: FloatArray) -> FloatArray:
        inner = self.right @ values
        if self.scales is not None:
            inner = self.scales[_as_column(inner)] * inner
        product: FloatArray = self.left @ inner
        if self.own is not None:
            product -= self.own[_as_column(product)] * values
        return product

    def row_sums(self) -> FloatArray:
        return self @ np.ones(self.shape[1], dtype=self.right.dtype)

    def absolute_row_sums(self, scales: FloatArray | None = None) -> FloatArray:
        return self._plain_sums if scales is None else self._absolute_sums(scales)

    @cached_property
    def _plain_sums(self) -> FloatArray:
        """Every problem with these votes needs them, also one for each fold of hidden sets."""
        sums = self._absolute_sums(None)
        sums.setflags(write=False)
        return sums

    def _absolute_sums(self, scales: FloatArray | None) -> FloatArray:
        if self._is_cheap:
            blocks = [DenseVotes(b).absolute_row_sums(scales) for _, b in row_blocks(self)]
            return np.concatenate(blocks) if blocks else np.zeros(0, dtype=self.left.dtype)
        given = np.ones(self.shape[1], dtype=self.right.dtype) if scales is None else scales
        own = 0.0 if self.own is None else np.abs(self.own) * given
        if self._row_norms is not None and self.column_shares is not None:
            # sum_j s_j |a_ij| <= (sum_j s_j^2 v_j)^{1/2} (sum_j a_ij^2 / v_j)^{1/2}.
            length = np.sqrt(float((given * given) @ self.column_shares))
            return np.asarray(self._row_norms * length + own)
        # A looser bound, by the absolute factors: rounding errors are of this size.
        inner = np.abs(self.right) @ given
        inner = inner if self.scales is None else np.abs(self.scales) * inner
        return np.asarray(np.abs(self.left) @ inner + own)

    def diagonal(self) -> FloatArray:
        size = min(self.shape)
        entries = _row_products(self.left[:size], self.right[:, :size].T, self.scales)
        return entries if self.own is None else _without_rounding(entries - self.own, self.own)

    def split(self) -> tuple[DenseVotes, DenseVotes]:
        q, n = self.shape
        require_bytes(
            3.0 * q * n * self.left.itemsize,
            f"The sign of each vote needs the {q} x {n} votes as an array, which",
            "Predict fewer queries at a time, or use sparse votes (NeighborWeights).",
        )
        return DenseVotes(self.rows(0, q)).split()

    def rows(self, start: int, stop: int) -> FloatArray:
        left = self.left[start:stop]
        left = left if self.scales is None else left * self.scales
        entries: FloatArray = left @ self.right
        if self.own is not None:
            rows = np.arange(start, start + entries.shape[0])
            own = self.own[rows]
            entries[rows - start, rows] = _without_rounding(entries[rows - start, rows] - own, own)
        return entries

    def scale_rows(self, factors: FloatArray) -> "ProductVotes":
        return ProductVotes(
            self.left * factors[:, None],
            self.right,
            self.scales,
            None if self.own is None else self.own * factors,
            self.energies,
            None if self.row_shares is None else self.row_shares * factors * factors,
            self.column_shares,
        )

    def without_own(self) -> None:
        """None: rounding errors would be left on the diagonal."""
        return

    def column_entries(self, columns: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        require_bytes(
            4.0 * self.shape[0] * len(columns) * self.left.itemsize,
            f"The votes of {len(columns)} rows at {self.shape[0]} inputs",
            "Request fewer rows at a time, or use sparse votes (NeighborWeights).",
        )
        inner = self.right[:, columns]
        inner = inner if self.scales is None else self.scales[:, None] * inner
        entries = self.left @ inner
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

    @property
    def _is_cheap(self) -> bool:
        q, n = self.shape
        return q * n * int(self.left.shape[1]) <= _MAX_EXACT_OPERATIONS

    @cached_property
    def _row_norms(self) -> FloatArray | None:
        """``(sum_j a_ij^2 / column_shares[j])^{1/2}`` before own votes are removed, ``(q,)``."""
        if self.energies is None or self.column_shares is None:
            return None
        weights = self.energies if self.scales is None else self.energies * self.scales**2
        return np.asarray(np.sqrt(_row_products(self.left, self.left, weights)))


def _row_products(one: FloatArray, other: FloatArray, scales: FloatArray | None) -> FloatArray:
    """``sum_r scales[r] one[i, r] other[i, r]``, in blocks, ``(rows,)``."""
    products = np.empty(one.shape[0], dtype=np.result_type(one, other))
    step = max(1, _ENTRIES_PER_BLOCK // max(1, one.shape[1]))
    for start in range(0, one.shape[0], step):
        block = one[start : start + step]
        block = block if scales is None else block * scales
        products[start : start + step] = np.einsum("ir,ir->i", block, other[start : start + step])
    return products


def _as_column(array: FloatArray) -> tuple[slice | None, ...]:
    """An index that broadcasts a vector over the columns of an array, of one or two dimensions."""
    return (slice(None),) + (None,) * (array.ndim - 1)


def _without_rounding(entries: FloatArray, own: FloatArray) -> FloatArray:
    return np.where(np.abs(entries) <= _RELATIVE_ROUNDING_ERROR * np.abs(own), 0.0, entries)
