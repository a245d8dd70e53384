"""The contract of the votes ``alpha``: a linear operator from samples to queries."""

from typing import Any, Protocol, runtime_checkable

from disambig.notation import FloatArray, IntArray


@runtime_checkable
class Votes(Protocol):
    """``alpha`` of shape ``(q, n)``: a linear operator that solvers only multiply with.

    A solver needs ``shape``, ``T``, ``@`` and ``absolute_row_sums`` (the scale of rounding errors,
    hence of ties). Other methods serve one purpose each: ``split`` the exact infimum loss,
    ``column_entries`` and ``links`` the decoding of undecided rows, ``strongest`` the neighbourhood
    start, ``rows`` the losses that need every vote. An operator that cannot compute one of them
    raises `MissingOracleError` when it is called; it never returns an approximation instead.
    """

    @property
    def shape(self) -> tuple[int, int]:
        """``(q, n)``."""
        ...

    @property
    def T(self) -> "Votes":
        """The transpose, ``(n, q)``."""
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
        """
        ...

    def diagonal(self) -> FloatArray:
        """``alpha[i, i]``, shape ``(min(q, n),)``."""
        ...

    def split(self) -> tuple["Votes", "Votes"]:
        """Non-negative ``(positive, negative)`` with ``alpha = positive - negative``."""
        ...

    def rows(self, start: int, stop: int) -> Any:
        """``alpha[start:stop]`` as an array or a ``csr_array``; not to be written to."""
        ...

    def scale_rows(self, factors: FloatArray) -> "Votes":
        """``diag(factors) @ alpha``."""
        ...

    def column_entries(self, columns: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        """Non-zero entries of some columns as ``(row, position in columns, value)``."""
        ...

    def links(self, rows: IntArray) -> Any:
        """``alpha[rows][:, rows]`` as a sparse matrix, or None: any two rows may be linked.

        Only the connected components are used: any sparse matrix with the same ones is allowed.
        """
        ...

    def strongest(self, limit: int) -> IntArray:
        """Columns of the `limit` largest positive votes of each row, ``(q, limit)``.

        Strongest first, equal votes by column; -1 where a row has fewer.
        """
        ...
