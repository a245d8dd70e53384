"""Votes behind an operator of the user."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.exceptions import MissingOracleError, VotesError
from disambig.notation import FloatArray, IntArray
from disambig.votes.protocol import Votes, is_votes


@dataclass(frozen=True, eq=False)
class OperatorVotes:
    """Anything with ``@``, ``T`` and ``shape``: a scipy ``LinearOperator``, a blocked array.

    Methods of `Votes` that the operator has are used. Without them, ``row_sums``,
    ``column_entries`` and, by the transpose, ``rows`` are computed by multiplying; other methods
    raise `MissingOracleError`. Only ``absolute_row_sums`` is replaced by ``|alpha @ 1|``, which is
    exact for non-negative votes and too small for votes that cancel. An operator with signed votes
    should have its own ``absolute_row_sums``.

    An operator declares facts about its votes by attributes: ``is_nonnegative = True`` if no vote
    is negative, ``is_symmetric = True`` if it is its own transpose. Without them neither is known.

    Parameters
    ----------
    operator : object with ``@``, ``T`` and ``shape``
    nonnegative, symmetric : bool, default False
        Facts that are known although the operator does not declare them.

    Examples
    --------
    >>> from scipy.sparse.linalg import aslinearoperator
    >>> votes = aslinearoperator(np.array([[0.5, 0.5], [0.0, 1.0]]))
    >>> OperatorVotes(votes).is_nonnegative
    False
    >>> votes.is_nonnegative = True
    >>> OperatorVotes(votes).is_nonnegative, OperatorVotes(votes).T.is_nonnegative
    (True, True)
    """

    operator: Any
    nonnegative: bool = False
    symmetric: bool = False

    entries = None
    compressed = None

    @property
    def shape(self) -> tuple[int, int]:
        q, n = self.operator.shape
        return int(q), int(n)

    @property
    def T(self) -> "OperatorVotes":
        return OperatorVotes(self.operator.T, self.is_nonnegative, self.is_symmetric)

    @property
    def is_nonnegative(self) -> bool:
        return self.nonnegative or self._declares("is_nonnegative")

    @property
    def is_symmetric(self) -> bool:
        return self.symmetric or self._declares("is_symmetric")

    @property
    def absolute_sums_are_bounds(self) -> bool:
        # Without the method ``|alpha @ 1|`` takes its place, which is exact if nothing cancels.
        return self.is_nonnegative or hasattr(self.operator, "absolute_row_sums")

    def __matmul__(self, values: FloatArray) -> FloatArray:
        product = np.asarray(self.operator @ values)
        expected = (self.shape[0], *values.shape[1:])
        if product.shape != expected:
            raise VotesError(
                f"The votes are a {type(self.operator).__name__} of shape {self.shape} whose "
                f"product with an array of shape {values.shape} has shape {product.shape}; "
                f"expected {expected}."
            )
        # Entries cannot be checked beforehand, and a row of NaN would be predicted as class 0.
        bad = ~np.isfinite(product).reshape(len(product), -1).all(axis=1)
        if bad.any():
            raise VotesError(
                f"The votes are a {type(self.operator).__name__} whose product holds NaN or "
                f"infinity, first in row {int(np.argmax(bad))} ({int(bad.sum())} such rows). Every "
                "vote must be a finite number; use 0 for a sample without a vote."
            )
        return product

    def row_sums(self) -> FloatArray:
        if hasattr(self.operator, "row_sums"):
            return np.asarray(self.operator.row_sums())
        return self @ np.ones(self.shape[1])

    def absolute_row_sums(self, scales: FloatArray | None = None) -> FloatArray:
        if not hasattr(self.operator, "absolute_row_sums"):
            return np.abs(self.row_sums() if scales is None else self @ scales)
        sums = np.asarray(self.operator.absolute_row_sums())
        return sums if scales is None else sums * scales.max(initial=0.0)

    def diagonal(self) -> FloatArray:
        return np.asarray(self._call("diagonal", "leave-one-out votes"))

    def split(self) -> tuple[Votes, Votes]:
        positive, negative = self._call("split", "the exact infimum loss")
        return _wrapped(positive, nonnegative=True), _wrapped(negative, nonnegative=True)

    def rows(self, start: int, stop: int) -> Any:
        if hasattr(self.operator, "rows"):
            return self.operator.rows(start, stop)
        purpose = "a loss that needs every vote"
        if not hasattr(self.operator, "T"):
            raise self._missing("rows", purpose)
        indicator = np.zeros((self.shape[0], stop - start))
        indicator[np.arange(start, stop), np.arange(stop - start)] = 1.0
        try:
            return (self.T @ indicator).T
        except NotImplementedError as error:
            # The transpose of a LinearOperator without rmatvec.
            raise self._missing("rows", purpose) from error

    def scale_rows(self, factors: FloatArray) -> Votes:
        scaled = self._call("scale_rows", "sample weights", factors)
        return _wrapped(scaled, nonnegative=self.is_nonnegative and bool((factors >= 0).all()))

    def without_own(self) -> Votes | None:
        if not hasattr(self.operator, "without_own"):
            return None
        others = self.operator.without_own()
        return None if others is None else _wrapped(others, nonnegative=self.is_nonnegative)

    def column_entries(self, columns: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        indicator = np.zeros((self.shape[1], columns.size))
        indicator[columns, np.arange(columns.size)] = 1.0
        part = self @ indicator
        rows, positions = np.nonzero(part)
        return rows, positions, part[rows, positions]

    def links(self, rows: IntArray) -> Any:
        return self.operator.links(rows) if hasattr(self.operator, "links") else None

    def strongest(self, limit: int) -> IntArray:
        return np.asarray(self._call("strongest", "the neighbourhood start", limit))

    def _call(self, name: str, purpose: str, *arguments: Any) -> Any:
        if not hasattr(self.operator, name):
            raise self._missing(name, purpose)
        return getattr(self.operator, name)(*arguments)

    def _declares(self, fact: str) -> bool:
        declared = getattr(self.operator, fact, False)
        if not isinstance(declared, (bool, np.bool_)):
            raise VotesError(
                f"The votes are a {type(self.operator).__name__} whose {fact} is {declared!r}; "
                "expected an attribute or a property that is True or False, not a method."
            )
        return bool(declared)

    def _missing(self, name: str, purpose: str) -> MissingOracleError:
        return MissingOracleError(
            f"The votes are a {type(self.operator).__name__} without {name}(), which {purpose} "
            f"needs. Add the method (see disambig.votes.Votes), or pass an array or a sparse "
            f"matrix."
        )


def _wrapped(found: Any, *, nonnegative: bool) -> Votes:
    """What a method of the operator returned, as votes."""
    return found if is_votes(found) else OperatorVotes(found, nonnegative)
