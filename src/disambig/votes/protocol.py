"""The contract of the votes ``alpha``: a linear operator from samples to queries."""

from inspect import getattr_static
from typing import Any, NamedTuple, Protocol, TypeGuard, runtime_checkable

from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray


class CompressedRows(NamedTuple):
    """Votes as compiled functions read them.

    The samples ``indices[indptr[i]:indptr[i + 1]]`` have votes at row i.

    Attributes
    ----------
    indptr : int64 (q + 1,)
    indices : uint32 (nnz,); uint64 where n needs it
    data : float (nnz,), or (0,)
        Empty if all votes are equal and positive.
    unit : float
        The vote that all entries share if `data` is empty, else 1.
    """

    indptr: AnyArray
    indices: AnyArray
    data: FloatArray
    unit: float


@runtime_checkable
class Votes(Protocol):
    """``alpha`` of shape ``(q, n)``: a linear operator that solvers only multiply with.

    A solver needs ``shape``, ``T``, ``@`` and ``absolute_row_sums`` (the scale of rounding errors,
    hence of ties). Other methods serve one purpose each: ``split`` the exact infimum loss,
    ``column_entries`` and ``links`` the decoding of undecided rows, ``strongest`` the neighbourhood
    start, ``rows`` the losses that need every vote. An operator that cannot compute one of them
    raises `MissingOracleError` when it is called; it never returns an approximation instead.

    Votes also declare facts, so that nobody has to guess them from the class or from sums:
    `is_nonnegative`, `is_symmetric` and `absolute_sums_are_bounds`. Each is True only if it is
    known to hold. `entries`, `compressed` and `without_own` are None where votes are not stored in
    the form that they return.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.votes import Votes, as_votes
    >>> alpha = as_votes([[0.5, 0.5], [0.0, 1.0]])
    >>> isinstance(alpha, Votes), alpha.is_nonnegative, alpha.is_symmetric
    (True, True, False)
    >>> (alpha @ np.array([1.0, 3.0])).tolist()
    [2.0, 3.0]
    """

    @property
    def shape(self) -> tuple[int, int]:
        """``(q, n)``."""
        ...

    @property
    def T(self) -> "Votes":
        """The transpose, ``(n, q)``."""
        ...

    @property
    def is_nonnegative(self) -> bool:
        """Whether it is known that no vote is negative, up to the rounding error of its row."""
        ...

    @property
    def is_symmetric(self) -> bool:
        """Whether it is known that ``alpha`` is its own transpose, not only up to rounding."""
        ...

    @property
    def absolute_sums_are_bounds(self) -> bool:
        """Whether it is known that `absolute_row_sums` are never too small."""
        ...

    @property
    def entries(self) -> Any:
        """``alpha`` as an array or a sparse matrix, if it is stored as one; else None."""
        ...

    @property
    def compressed(self) -> CompressedRows | None:
        """``alpha`` as compiled functions read sparse rows, if it is stored as such; else None.

        If votes have compressed rows, so has their transpose.
        """
        ...

    def __matmul__(self, values: FloatArray) -> FloatArray:
        """``alpha @ values`` for ``values`` of shape ``(n, p)`` or ``(n,)``."""
        ...

    def row_sums(self) -> FloatArray:
        """``alpha @ 1``, shape ``(q,)``."""
        ...

    def absolute_row_sums(self, scales: FloatArray | None = None) -> FloatArray:
        """``|alpha| @ scales``, or an upper bound of the same order, shape ``(q,)``.

        `scales` ``(n,)`` are non-negative; by default all are one.

        Parameters
        ----------
        scales : float array (n,), optional
            Not negative.
        """
        ...

    def diagonal(self) -> FloatArray:
        """``alpha[i, i]``, shape ``(min(q, n),)``."""
        ...

    def split(self) -> tuple["Votes", "Votes"]:
        """Non-negative ``(positive, negative)`` with ``alpha = positive - negative``."""
        ...

    def rows(self, start: int, stop: int) -> Any:
        """``alpha[start:stop]`` as an array or a ``csr_array``; not to be written to.

        Parameters
        ----------
        start, stop : int
            From 0 to q.
        """
        ...

    def scale_rows(self, factors: FloatArray) -> "Votes":
        """``diag(factors) @ alpha``.

        Parameters
        ----------
        factors : float array (q,)
        """
        ...

    def without_own(self) -> "Votes | None":
        """``alpha - diag(alpha)`` for a square alpha, with a diagonal that is zero exactly.

        None for votes that cannot leave their diagonal out without computing it first.
        """
        ...

    def column_entries(self, columns: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        """Non-zero entries of some columns as ``(row, position in columns, value)``.

        Parameters
        ----------
        columns : int array (k,)
        """
        ...

    def links(self, rows: IntArray) -> Any:
        """``alpha[rows][:, rows]`` as a sparse matrix, or None: any two rows may be linked.

        Only the connected components are used: any sparse matrix with the same ones is allowed.

        Parameters
        ----------
        rows : int array (k,)
        """
        ...

    def strongest(self, limit: int) -> IntArray:
        """Columns of the `limit` largest positive votes of each row, ``(q, limit)``.

        Strongest first, equal votes by column; -1 where a row has fewer.

        Parameters
        ----------
        limit : int
        """
        ...


def has_votes(alpha: Votes, products: FloatArray | None = None) -> BoolArray:
    """Whether a row of ``alpha`` is not zero, ``(q,)``.

    Parameters
    ----------
    alpha : Votes (q, n)
    products : float array (q, p), optional
        ``alpha`` times anything, if it is at hand.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.votes.dense import DenseVotes
    >>> has_votes(DenseVotes(np.array([[0.5, -0.5], [0.0, 0.0], [0.0, 1.0]]))).tolist()
    [True, False, True]
    """
    found: BoolArray
    found = alpha.row_sums() > 0 if products is None else (products != 0).any(axis=1)
    if not found.all():
        # Votes may cancel each other. Sums of sizes can cost more than a prediction.
        found |= alpha.absolute_row_sums() > 0
    return found


_MEMBERS = ("__matmul__", *(name for name in vars(Votes) if not name.startswith("_")))


def is_votes(alpha: Any) -> TypeGuard[Votes]:
    """``isinstance(alpha, Votes)``, without evaluating a property: a fact may read every entry."""
    return all(_has(alpha, name) for name in _MEMBERS)


def _has(alpha: Any, name: str) -> bool:
    absent = object()
    return getattr_static(alpha, name, absent) is not absent
