"""The squared loss as a quadratic form in the targets: ``min_z sum_ij A[i, j] (z_i - y_j)^2``.

With ``r = A 1 > 0`` the best predictions are ``z = A y / r``, and what is left is ``y' Q y`` with
``Q = diag(A' 1) - A' diag(1 / r) A``. It costs nothing to add a constant to y: ``Q 1 = 0``.
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
from disambig.votes import DenseVotes, ProductVotes, SparseVotes, Votes, as_votes, row_blocks

# A row whose votes cancel to less than this part of their absolute sum has no sign to rely on.
_SMALLEST_SUM = 1e-8
# Eigenvalues above minus this part of the largest one are zero up to rounding.
_ROUNDING = 1e-12
# Up to here a sparse form is as quickly written out.
_SMALL = 2_000
# Eigenvalues of products of factors have an error of this size beside one.
_EIGENVALUE = 1e-10
# Entries of a block of factors: 16 MiB.
_BLOCK = 2**21


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
        """``Q`` written out, or None where it is too large for that."""
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
        """Numbers of groups of rows that Q does not connect, ``(n,)``."""
        ...


@dataclass(frozen=True, eq=False)
class DenseForm:
    """``Q`` written out."""

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
        return _groups(sp.csr_array(self.array))


@dataclass(frozen=True, eq=False)
class VotedForm:
    """``diag(A' 1) - A' diag(1 / r) A`` as products with sparse, non-negative votes ``A``.

    With ``A = diag(own) + O`` a row is apart from its prediction by ``y - z = (O 1 y - O y) / r``,
    and ``Q y = own (y - z) + O' 1 y - O' z``. Own votes then cancel nowhere: a row that hears
    itself alone, or hardly anybody else, keeps its digits.

    Parameters
    ----------
    own : float array (n,)
        The diagonal of the votes.
    others : SparseVotes (n, n)
        The rest, without explicit zeros.
    inverse_sums : float array (n,)
        ``1 / r``, and 0 for a row without votes.
    """

    own: FloatArray
    others: SparseVotes
    inverse_sums: FloatArray
    is_convex: bool = True
    shift_invariant: bool = True
    array: None = None

    @property
    def shape(self) -> tuple[int, int]:
        return self.others.shape

    @cached_property
    def _listens(self) -> FloatArray:
        return self.others.row_sums()

    @cached_property
    def _is_heard(self) -> FloatArray:
        return self.others.T.row_sums()

    def __matmul__(self, targets: FloatArray) -> FloatArray:
        columns = (slice(None),) + (None,) * (targets.ndim - 1)
        apart = self._listens[columns] * targets - self.others @ targets
        apart *= self.inverse_sums[columns]
        product: FloatArray = self.own[columns] * apart + self._is_heard[columns] * targets
        product -= self.others.T @ (targets - apart)
        # A positive semi-definite form that is zero on the diagonal is zero in the whole row;
        # what rounding left there would pass for a slope.
        product[self._diagonal == 0] = 0.0
        return product

    def diagonal(self) -> FloatArray:
        return self._diagonal

    @cached_property
    def _diagonal(self) -> FloatArray:
        alpha = sp.coo_array(self.others.matrix)
        paid = alpha.data * (1.0 - alpha.data * self.inverse_sums[alpha.row])
        by_others = np.bincount(alpha.col, paid, minlength=self.shape[1])
        entries = by_others + self.own * self._listens * self.inverse_sums
        rounding = 4.0 * np.finfo(np.float64).eps * (self._is_heard + self.own)
        return np.asarray(np.where(entries > rounding, entries, 0.0))

    @cached_property
    def components(self) -> IntArray:
        n = self.shape[1]
        alpha, heard = sp.coo_array(self.others.matrix), np.flatnonzero(self.own)
        # Listener i and sample j are joined by a vote; samples are joined through listeners.
        rows_affected_by_targets, samples = (
            np.append(alpha.row, heard),
            np.append(alpha.col, heard) + n,
        )
        joined = np.ones(len(rows_affected_by_targets))
        return _groups(
            sp.csr_array((joined, (rows_affected_by_targets, samples)), shape=(2 * n, 2 * n))
        )[n:]


@dataclass(frozen=True, eq=False)
class OperatorForm:
    """``Q`` that is known by its products, symmetric, and connects all rows."""

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
    """``diag(A' 1) - A' diag(1 / r) A`` for votes ``A = L diag(s) R`` of few factors, s >= 0.

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
    def _is_heard(self) -> FloatArray:
        return self.votes.T.row_sums()

    @cached_property
    def _halves(self) -> FloatArray:
        scales = self.votes.scales
        return np.ones(self.votes.left.shape[1]) if scales is None else np.sqrt(scales)

    @cached_property
    def _listening(self) -> FloatArray:
        """``s^{1/2} L' diag(1 / r) L s^{1/2}``, (r, r)."""
        return _gram(self.votes.T, self.inverse_sums, self._halves)

    def __matmul__(self, targets: FloatArray) -> FloatArray:
        columns = (slice(None),) + (None,) * (targets.ndim - 1)
        predictions = (self.votes @ targets) * self.inverse_sums[columns]
        product: FloatArray = self._is_heard[columns] * targets - self.votes.T @ predictions
        return product

    @cached_property
    def _diagonal(self) -> FloatArray:
        right, entries, listening = self.votes.right.T, self._is_heard.copy(), self._listening
        step = max(1, _BLOCK // right.shape[1])
        for start in range(0, len(right), step):
            block = right[start : start + step] * self._halves
            heard = block * listening if listening.ndim == 1 else block @ listening
            entries[start : start + step] -= np.einsum("ir,ir->i", heard, block)
        return np.maximum(entries, 0.0) if self.is_convex else entries

    def diagonal(self) -> FloatArray:
        return self._diagonal

    @cached_property
    def is_convex(self) -> bool:
        """Has ``C^{-1/2} A' diag(1 / r) A C^{-1/2}``, C = diag(A' 1), no eigenvalue above one?"""
        heard = self._is_heard
        sizes = self.votes.T.absolute_row_sums()
        if (heard <= _SMALLEST_SUM * sizes)[sizes > 0].any():
            return False
        inverse = np.where(sizes > 0, 1.0 / np.where(sizes > 0, heard, 1.0), 0.0)
        # Those of a product of two matrices of the size of the rank, each a product of factors.
        one, other = _gram(self.votes, inverse, self._halves), self._listening
        if one.ndim == other.ndim == 1:
            return bool(np.max(one * other) <= 1.0 + _EIGENVALUE)
        values, vectors = scipy.linalg.eigh(np.diag(one) if one.ndim == 1 else one)
        half = vectors * np.sqrt(np.maximum(values, 0.0))
        other = np.diag(other) if other.ndim == 1 else other
        return bool(scipy.linalg.eigvalsh(half.T @ other @ half)[-1] <= 1.0 + _EIGENVALUE)

    @cached_property
    def components(self) -> IntArray:
        return np.zeros(self.shape[0], dtype=np.intp)


def residual_form(form: FloatArray | Votes, *, shift_invariant: bool) -> QuadraticForm:
    """The form ``y' R y`` of an empirical risk: written out, or as products where it is large.

    R is symmetric and positive semi-definite, (n, n); is ``R 1 = 0``?
    """
    if isinstance(form, np.ndarray):
        return DenseForm(form, is_convex=True, shift_invariant=shift_invariant)
    n = form.shape[0]
    if n > _SMALL:
        return OperatorForm(form, is_convex=True, shift_invariant=shift_invariant)
    array = np.asarray(form.rows(0, n))
    symmetric = 0.5 * (array + array.T)
    return DenseForm(symmetric, is_convex=True, shift_invariant=shift_invariant)


def voted_form(votes: Votes) -> QuadraticForm | None:
    """The form of some votes, or None where there is none, or none that can be looked at.

    Where a row of votes does not sum to a positive number, the objective is no quadratic function:
    the best prediction of that row lies at an end of the span. Where many votes are neither an
    array nor sparse and non-negative, nobody can say whether the form is convex.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.votes import as_votes
    >>> form = voted_form(as_votes(np.array([[0.5, 0.5], [0.5, 0.5]])))
    >>> form.array
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    >>> form.is_convex
    True
    """
    n = votes.shape[1]
    thin = isinstance(votes, ProductVotes) and n > _SMALL and _can_stay_a_product(votes)
    if not thin and not isinstance(votes, (DenseVotes, SparseVotes)):
        if n > _SMALL and not isinstance(votes, ProductVotes):
            return None
        require_bytes(
            4 * 8.0 * n * n,
            f"The quadratic form of {n} rows",
            "Use solver='alternating', or votes of few factors without leave_one_out.",
        )
        # Absolute sums of a product are bounds, those of an operator can be too small.
        votes = as_votes(votes.rows(0, votes.shape[0]))
    sums, sizes = votes.row_sums(), votes.absolute_row_sums()
    heard = sizes > 0
    if (sums[heard] <= _SMALLEST_SUM * sizes[heard]).any():
        return None
    inverse = np.where(heard, 1.0 / np.where(heard, sums, 1.0), 0.0)
    if thin and isinstance(votes, ProductVotes):
        return ProductForm(votes, inverse)
    if isinstance(votes, SparseVotes) and n > _SMALL:
        if has_negative(votes):
            return None
        alpha = sp.coo_array(votes.matrix)
        apart = (alpha.row != alpha.col) & (alpha.data != 0)
        entries = (alpha.data[apart], (alpha.row[apart], alpha.col[apart]))
        others = SparseVotes(sp.csr_array(entries, shape=votes.shape))
        return VotedForm(votes.diagonal(), others, inverse)
    return _written_out(votes, inverse)


def _can_stay_a_product(votes: ProductVotes) -> bool:
    """Is the form of the votes cheaper as a product, and can it be looked at?"""
    few = 2 * votes.left.shape[1] <= votes.shape[1]
    positive = votes.scales is None or bool((votes.scales >= 0).all())
    return few and positive and votes.own is None


def _gram(votes: ProductVotes, weights: FloatArray, scales: FloatArray) -> FloatArray:
    """``scales R diag(weights) R' scales`` for weights >= 0, (r, r), or its diagonal if it is."""
    if votes.energies is not None and votes.column_shares is not None:
        level = weights * votes.column_shares
        if np.ptp(level) <= _ROUNDING * np.max(level):
            return np.asarray(level.mean() * scales**2 * votes.energies)
    rows = votes.right.T
    gram = np.zeros((rows.shape[1], rows.shape[1]))
    step = max(1, _BLOCK // rows.shape[1])
    for start in range(0, len(rows), step):
        block = rows[start : start + step] * np.sqrt(weights[start : start + step, None])
        block *= scales
        gram += block.T @ block
    return gram


def _written_out(votes: Votes, inverse: FloatArray) -> DenseForm:
    n = votes.shape[1]
    block = votes.rows(0, n)
    alpha = block.toarray() if sp.issparse(block) else np.asarray(block, dtype=np.float64)
    half = alpha * np.sqrt(inverse)[:, None]
    form: FloatArray = half.T @ half
    np.negative(form, out=form)
    # Q 1 = 0: the diagonal as minus the sum of the others keeps that to rounding, where the
    # difference of A' 1 and the square would lose the digits that the two have in common.
    np.fill_diagonal(form, 0.0)
    np.fill_diagonal(form, -form.sum(axis=1))
    convex = not has_negative(votes) or _is_semidefinite(form)
    return DenseForm(form, is_convex=convex, shift_invariant=True)


def _is_semidefinite(form: FloatArray) -> bool:
    eigenvalues = scipy.linalg.eigvalsh(form)
    return bool(eigenvalues[0] >= -_ROUNDING * max(eigenvalues[-1], 0.0))


def has_negative(votes: Votes) -> bool:
    """Is any vote negative, by more than rounding beside its row?

    Many votes behind an operator are not looked at, and may be.
    """
    if not isinstance(votes, (DenseVotes, ProductVotes, SparseVotes)) and max(votes.shape) > _SMALL:
        return True
    for _, block in row_blocks(votes):
        below = block.minimum(0) if sp.issparse(block) else np.minimum(block, 0)
        negative, size = -np.ravel(below.sum(axis=1)), np.ravel(abs(block).sum(axis=1))
        if (negative > _ROUNDING * size).any():
            return True
    return False


def _groups(graph: sp.csr_array) -> IntArray:
    _, labels = connected_components(graph, directed=False)
    return np.asarray(labels, dtype=np.intp)
