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

from disambig.notation import FloatArray, IntArray
from disambig.votes import DenseVotes, ProductVotes, SparseVotes, Votes, as_votes, row_blocks

__all__ = ["DenseForm", "QuadraticForm", "VotedForm", "has_negative", "voted_form"]

# A row whose votes cancel to less than this part of their absolute sum has no sign to rely on.
_SMALLEST_SUM = 1e-8
# Eigenvalues above minus this part of the largest one are zero up to rounding.
_ROUNDING = 1e-12
# Up to here a sparse form is as quickly written out.
_SMALL = 2_000


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
        listeners, samples = np.append(alpha.row, heard), np.append(alpha.col, heard) + n
        joined = np.ones(len(listeners))
        return _groups(sp.csr_array((joined, (listeners, samples)), shape=(2 * n, 2 * n)))[n:]


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
    if not isinstance(votes, (DenseVotes, SparseVotes)):
        if n > _SMALL and not isinstance(votes, ProductVotes):
            return None
        # Absolute sums of a product are bounds, those of an operator can be too small.
        votes = as_votes(votes.rows(0, votes.shape[0]))
    sums, sizes = votes.row_sums(), votes.absolute_row_sums()
    heard = sizes > 0
    if (sums[heard] <= _SMALLEST_SUM * sizes[heard]).any():
        return None
    inverse = np.where(heard, 1.0 / np.where(heard, sums, 1.0), 0.0)
    if isinstance(votes, SparseVotes) and n > _SMALL:
        if has_negative(votes):
            return None
        alpha = sp.coo_array(votes.matrix)
        apart = (alpha.row != alpha.col) & (alpha.data != 0)
        entries = (alpha.data[apart], (alpha.row[apart], alpha.col[apart]))
        others = SparseVotes(sp.csr_array(entries, shape=votes.shape))
        return VotedForm(votes.diagonal(), others, inverse)
    return _written_out(votes, inverse)


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
