"""Quadratic forms ``y' Q y``: the objective of the squared loss as a function of the targets.

Votes ``A`` with row sums ``r = A 1 > 0`` define ``min_z sum_ij A[i, j] (z_i - y_j)^2``. The best
predictions are ``z = A y / r``, and the minimum is ``y' Q y`` with
``Q = diag(A' 1) - A' diag(1 / r) A``. Adding a constant to y does not change it: ``Q 1 = 0``.

`voted_form` builds this form, `residual_form` that of an empirical risk. Each chooses among the
representations below: `DenseForm` is an array, the others only offer products with vectors.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from disambig.memory import require_bytes
from disambig.notation import FloatArray, IntArray
from disambig.votes import Votes, as_votes
from disambig.votes.blocks import entry_blocks, row_blocks
from disambig.votes.entries import entries_are_nonnegative
from disambig.votes.product import ProductVotes

# A row sum below this share of the absolute row sum is mostly rounding error: its sign is unknown.
_MIN_SUM_SHARE = 1e-8
# Relative size of rounding errors: of eigenvalues beside the largest one, and of equal levels.
_ROUNDING_SHARE = 1e-12
# Up to this many rows a dense form is as fast as a sparse one.
_MAX_DENSE_ROWS = 2_000
# Error of eigenvalues near one that are computed from Gram matrices of factors.
_EIGENVALUE_TOLERANCE = 1e-10
# Float64 entries in a block of factors: 16 MiB.
_MAX_BLOCK_ENTRIES = 2**21


class QuadraticForm(Protocol):
    """A symmetric matrix ``Q`` of shape (n, n)."""

    @property
    def shape(self) -> tuple[int, int]:
        """``(n, n)``."""
        ...

    def __matmul__(self, targets: FloatArray) -> FloatArray:
        """``Q @ targets``."""
        ...

    def diagonal(self) -> FloatArray:
        """``Q[j, j]``, ``(n,)``."""
        ...

    @property
    def array(self) -> FloatArray | None:
        """``Q`` as a dense array, or None where that would be too large."""
        ...

    @property
    def is_convex(self) -> bool:
        """Is Q positive semi-definite, up to rounding?"""
        ...

    @property
    def shift_invariant(self) -> bool:
        """Is ``Q 1 = 0``?"""
        ...

    @property
    def components(self) -> IntArray:
        """Connected component of each row in the graph of non-zero entries of Q, ``(n,)``."""
        ...


@dataclass(frozen=True, eq=False)
class DenseForm:
    """``Q`` as a dense array."""

    array: FloatArray
    is_convex: bool
    shift_invariant: bool

    @property
    def shape(self) -> tuple[int, int]:
        n, _ = self.array.shape
        return n, n

    def __matmul__(self, targets: FloatArray) -> FloatArray:
        product: FloatArray = self.array @ targets
        return product

    def diagonal(self) -> FloatArray:
        return self.array.diagonal()

    @cached_property
    def components(self) -> IntArray:
        return _component_labels(sp.csr_array(self.array))


@dataclass(frozen=True, eq=False)
class VotedForm:
    """``diag(A' 1) - A' diag(1 / r) A`` as products with non-negative votes ``A``.

    Split ``A = diag(own) + O``. The residual of a row is ``y - z = (O 1 y - O y) / r``, and
    ``Q y = own (y - z) + O' 1 y - O' z``. No difference of large own votes is taken, so a row whose
    votes are almost all its own keeps its digits.

    Parameters
    ----------
    own : float array (n,)
        The diagonal of the votes.
    others : Votes (n, n)
        The votes without their diagonal. Their entries are read once, in blocks of rows.
    inverse_sums : float array (n,)
        ``1 / r``, and 0 for a row without votes.
    """

    own: FloatArray
    others: Votes
    inverse_sums: FloatArray
    is_convex: bool = True
    shift_invariant: bool = True
    array: None = None

    @property
    def shape(self) -> tuple[int, int]:
        return self.others.shape

    @cached_property
    def _row_sums(self) -> FloatArray:
        return self.others.row_sums()

    @cached_property
    def _column_sums(self) -> FloatArray:
        return self.others.T.row_sums()

    def __matmul__(self, targets: FloatArray) -> FloatArray:
        columns = (slice(None),) + (None,) * (targets.ndim - 1)
        residuals = self._row_sums[columns] * targets - self.others @ targets
        residuals *= self.inverse_sums[columns]
        product: FloatArray = self.own[columns] * residuals + self._column_sums[columns] * targets
        product -= self.others.T @ (targets - residuals)
        # If a diagonal entry of a positive semi-definite form is zero, its whole row is. Rounding
        # errors there would look like a gradient.
        product[self._diagonal == 0] = 0.0
        return product

    def diagonal(self) -> FloatArray:
        return self._diagonal

    @cached_property
    def _diagonal(self) -> FloatArray:
        by_others = np.zeros(self.shape[1])
        for rows, columns, data in entry_blocks(self.others):
            contributions = data * (1.0 - data * self.inverse_sums[rows])
            by_others += np.bincount(columns, contributions, minlength=self.shape[1])
        entries = by_others + self.own * self._row_sums * self.inverse_sums
        rounding = 4.0 * np.finfo(np.float64).eps * (self._column_sums + self.own)
        return np.asarray(np.where(entries > rounding, entries, 0.0))

    @cached_property
    def components(self) -> IntArray:
        n = self.shape[1]
        # A bipartite graph: prediction i (node i) and target j (node n + j) share an edge if
        # A[i, j] is not zero. Q connects two targets if some prediction depends on both. A block of
        # edges merges the components of the blocks before it.
        labels, own = np.arange(2 * n), np.flatnonzero(self.own)
        for rows, columns, _ in entry_blocks(self.others):
            predictions, targets = np.append(rows, own), np.append(columns, own) + n
            ones = np.ones(len(predictions))
            edges = (ones, (labels[predictions], labels[targets]))
            labels = _component_labels(sp.csr_array(edges, shape=(2 * n, 2 * n)))[labels]
        return labels[n:]


@dataclass(frozen=True, eq=False)
class OperatorForm:
    """A symmetric ``Q`` that is given by its products and connects all rows."""

    operator: Votes
    is_convex: bool
    shift_invariant: bool
    array: None = None

    @property
    def shape(self) -> tuple[int, int]:
        return self.operator.shape

    def __matmul__(self, targets: FloatArray) -> FloatArray:
        return self.operator @ targets

    @cached_property
    def _diagonal(self) -> FloatArray:
        return np.maximum(self.operator.diagonal(), 0.0)

    def diagonal(self) -> FloatArray:
        return self._diagonal

    @cached_property
    def components(self) -> IntArray:
        return np.zeros(self.shape[0], dtype=np.intp)


@dataclass(frozen=True, eq=False)
class ProductForm:
    """``diag(A' 1) - A' diag(1 / r) A`` for low-rank votes ``A = L diag(s) R`` with s >= 0.

    `inverse_sums` are ``1 / r``, and 0 for a row without votes.
    """

    votes: ProductVotes
    inverse_sums: FloatArray
    shift_invariant: bool = True
    array: None = None

    @property
    def shape(self) -> tuple[int, int]:
        return self.votes.shape

    @cached_property
    def _column_sums(self) -> FloatArray:
        return self.votes.T.row_sums()

    @cached_property
    def _root_scales(self) -> FloatArray:
        scales = self.votes.scales
        return np.ones(self.votes.left.shape[1]) if scales is None else np.sqrt(scales)

    @cached_property
    def _left_gram(self) -> FloatArray:
        """``s^{1/2} L' diag(1 / r) L s^{1/2}``, (rank, rank), or its diagonal if it is diagonal."""
        return _gram(self.votes.T, self.inverse_sums, self._root_scales)

    def __matmul__(self, targets: FloatArray) -> FloatArray:
        columns = (slice(None),) + (None,) * (targets.ndim - 1)
        predictions = (self.votes @ targets) * self.inverse_sums[columns]
        product: FloatArray = self._column_sums[columns] * targets - self.votes.T @ predictions
        return product

    @cached_property
    def _diagonal(self) -> FloatArray:
        right, entries, left_gram = self.votes.right.T, self._column_sums.copy(), self._left_gram
        step = max(1, _MAX_BLOCK_ENTRIES // right.shape[1])
        for start in range(0, len(right), step):
            block = right[start : start + step] * self._root_scales
            product = block * left_gram if left_gram.ndim == 1 else block @ left_gram
            entries[start : start + step] -= np.einsum("ir,ir->i", product, block)
        return np.maximum(entries, 0.0) if self.is_convex else entries

    def diagonal(self) -> FloatArray:
        return self._diagonal

    @cached_property
    def is_convex(self) -> bool:
        """Has ``C^{-1/2} A' diag(1 / r) A C^{-1/2}``, C = diag(A' 1), no eigenvalue above one?"""
        sums = self._column_sums
        sizes = self.votes.T.absolute_row_sums()
        if (sums <= _MIN_SUM_SHARE * sizes)[sizes > 0].any():
            return False
        inverse = np.where(sizes > 0, 1.0 / np.where(sizes > 0, sums, 1.0), 0.0)
        # Up to zeros, the eigenvalues are those of the product of two Gram matrices (rank, rank):
        # of R with weights 1 / C, and of L with weights 1 / r.
        right, left = _gram(self.votes, inverse, self._root_scales), self._left_gram
        if right.ndim == left.ndim == 1:
            return bool(np.max(right * left) <= 1.0 + _EIGENVALUE_TOLERANCE)
        values, vectors = scipy.linalg.eigh(np.diag(right) if right.ndim == 1 else right)
        half = vectors * np.sqrt(np.maximum(values, 0.0))
        left = np.diag(left) if left.ndim == 1 else left
        return bool(scipy.linalg.eigvalsh(half.T @ left @ half)[-1] <= 1.0 + _EIGENVALUE_TOLERANCE)

    @cached_property
    def components(self) -> IntArray:
        return np.zeros(self.shape[0], dtype=np.intp)


def residual_form(form: FloatArray | Votes, *, shift_invariant: bool) -> QuadraticForm:
    """The form ``y' R y`` of an empirical risk, dense where it is small.

    `form` is R, symmetric and positive semi-definite, (n, n); `shift_invariant`: is ``R 1 = 0``?
    """
    if isinstance(form, np.ndarray):
        return DenseForm(form, is_convex=True, shift_invariant=shift_invariant)
    n = form.shape[0]
    if n > _MAX_DENSE_ROWS:
        return OperatorForm(form, is_convex=True, shift_invariant=shift_invariant)
    array = np.asarray(form.rows(0, n))
    symmetric = 0.5 * (array + array.T)
    return DenseForm(symmetric, is_convex=True, shift_invariant=shift_invariant)


def voted_form(votes: Votes) -> QuadraticForm | None:
    """The quadratic form of the votes, or None.

    None means one of two things. A row of votes does not sum to a positive number: then the
    objective is not quadratic, and the best prediction of that row is an end of the span. Or the
    votes are too many to decide whether the form is convex: they are neither an array, nor known to
    be non-negative with a diagonal that can be left out, nor of low rank.

    Examples
    --------
    >>> form = voted_form(as_votes(np.array([[0.5, 0.5], [0.5, 0.5]])))
    >>> form.array
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    >>> form.is_convex
    True
    """
    n, others = votes.shape[1], None
    # The class matters here: a form of low rank is made of the factors themselves.
    is_product = isinstance(votes, ProductVotes)
    factored = isinstance(votes, ProductVotes) and n > _MAX_DENSE_ROWS and _can_stay_factored(votes)
    if n > _MAX_DENSE_ROWS and not is_product and not isinstance(votes.entries, np.ndarray):
        others = votes.without_own() if votes.is_nonnegative else None
        if others is None:
            return None
    elif not factored and votes.entries is None:
        require_bytes(
            4 * 8.0 * n * n,
            f"The quadratic form of {n} rows",
            "Use solver='alternating', or votes of few factors without leave_one_out.",
        )
        # The absolute row sums of factored votes are upper bounds, and those of an operator can be
        # too small. Only an array gives the exact sums.
        votes = as_votes(votes.rows(0, votes.shape[0]))
    sums, sizes = votes.row_sums(), votes.absolute_row_sums()
    # The inverse of a smaller sum overflows: such a row has no votes that could be compared.
    has_votes = sizes >= np.finfo(np.float64).tiny
    if (sums[has_votes] <= _MIN_SUM_SHARE * sizes[has_votes]).any():
        return None
    inverse = np.where(has_votes, 1.0 / np.where(has_votes, sums, 1.0), 0.0)
    if factored and isinstance(votes, ProductVotes):
        return ProductForm(votes, inverse)
    if others is not None:
        return VotedForm(votes.diagonal(), others, inverse)
    return _dense_form(votes, inverse)


def _can_stay_factored(votes: ProductVotes) -> bool:
    """Is the factored form cheaper than a dense one, and can `ProductForm` decide convexity?"""
    is_low_rank = 2 * votes.left.shape[1] <= votes.shape[1]
    positive = votes.scales is None or bool((votes.scales >= 0).all())
    return is_low_rank and positive and votes.own is None


def _gram(votes: ProductVotes, weights: FloatArray, scales: FloatArray) -> FloatArray:
    """``diag(scales) R diag(weights) R' diag(scales)`` for weights >= 0, (rank, rank).

    Only its diagonal, ``(rank,)``, where the votes say that it is a diagonal matrix.
    """
    if votes.energies is not None and votes.column_shares is not None:
        level = weights * votes.column_shares
        if np.ptp(level) <= _ROUNDING_SHARE * np.max(level):
            return np.asarray(level.mean() * scales**2 * votes.energies)
    rows = votes.right.T
    gram = np.zeros((rows.shape[1], rows.shape[1]))
    step = max(1, _MAX_BLOCK_ENTRIES // rows.shape[1])
    for start in range(0, len(rows), step):
        block = rows[start : start + step] * np.sqrt(weights[start : start + step, None])
        block *= scales
        gram += block.T @ block
    return gram


def _dense_form(votes: Votes, inverse: FloatArray) -> DenseForm:
    n = votes.shape[1]
    block = votes.rows(0, n)
    alpha = block.toarray() if sp.issparse(block) else np.asarray(block, dtype=np.float64)
    half = alpha * np.sqrt(inverse)[:, None]
    form: FloatArray = half.T @ half
    np.negative(form, out=form)
    # Q 1 = 0, so each diagonal entry is minus the sum of the others in its row. Computed this way
    # Q 1 = 0 holds to rounding; A' 1 minus the sum of squares would cancel.
    np.fill_diagonal(form, 0.0)
    np.fill_diagonal(form, -form.sum(axis=1))
    convex = not has_negative(votes) or _is_semidefinite(form)
    return DenseForm(form, is_convex=convex, shift_invariant=True)


def _is_semidefinite(form: FloatArray) -> bool:
    eigenvalues = scipy.linalg.eigvalsh(form)
    return bool(eigenvalues[0] >= -_ROUNDING_SHARE * max(eigenvalues[-1], 0.0))


def has_negative(votes: Votes) -> bool:
    """Do negative votes in any row exceed the rounding error of that row?

    Votes of many rows whose signs are not known are not checked: the answer is then True.
    """
    if votes.is_nonnegative or votes.entries is not None:
        return not votes.is_nonnegative
    if max(votes.shape) > _MAX_DENSE_ROWS:
        return True
    return not all(entries_are_nonnegative(block) for _, block in row_blocks(votes))


def _component_labels(graph: sp.csr_array) -> IntArray:
    _, labels = connected_components(graph, directed=False)
    return np.asarray(labels, dtype=np.intp)
