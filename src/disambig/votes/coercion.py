"""`as_votes`: arrays, sparse matrices and operators as `Votes`."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.exceptions import VotesError
from disambig.notation import AnyArray
from disambig.parameters import as_array
from disambig.sparse_arrays import check_sparse
from disambig.votes.dense import DenseVotes
from disambig.votes.entries import MAX_VOTE, first_bad_entry
from disambig.votes.operator import OperatorVotes
from disambig.votes.protocol import Votes, is_votes
from disambig.votes.sparse import SparseVotes

# The precisions that compiled functions accept; anything else becomes float64.
_COMPILED_DTYPES = (np.dtype(np.float32), np.dtype(np.float64))


def as_votes(alpha: Any, *, shape: tuple[int | None, int | None] = (None, None)) -> Votes:
    """Wrap an array, a sparse matrix or an operator as `Votes`; check shape and entries.

    Parameters
    ----------
    alpha : array (q, n), sparse matrix, `Votes`, or an object with ``@``, ``T`` and ``shape``
    shape : (int or None, int or None)
        Expected ``(q, n)``; None accepts any.

    Examples
    --------
    >>> as_votes([[0.5, 0.5], [0.0, 1.0]]).shape
    (2, 2)
    """
    votes = _wrap(alpha)
    for axis, (got, expected) in enumerate(zip(votes.shape, shape, strict=True)):
        if expected is not None and got != expected:
            side = ("rows, one for each query", "columns, one for each training sample")[axis]
            raise VotesError(
                f"The votes have shape {votes.shape}; expected {expected} {side}. "
                "Entry [i, j] is the weight of sample j in the prediction at input i."
            )
    return votes


def _wrap(alpha: Any) -> Votes:
    if sp.issparse(alpha):
        _require_two_dimensions(alpha.shape)
        _require_numbers(alpha.dtype)
        check_sparse("The matrix of votes", alpha, VotesError)
        # Duplicate entries are summed, on a copy of the user's matrix.
        matrix = sp.csr_array(alpha, copy=not getattr(alpha, "has_canonical_format", False))
        matrix.sum_duplicates()
        if matrix.dtype not in _COMPILED_DTYPES:
            matrix = matrix.astype(np.float64)
        _check_entries(matrix)
        return SparseVotes(matrix)
    if is_votes(alpha):
        return alpha
    if all(hasattr(alpha, name) for name in ("__matmul__", "T", "shape")) and not hasattr(
        alpha, "__array__"
    ):
        return OperatorVotes(alpha)
    array = as_array(alpha)
    _require_two_dimensions(array.shape)
    if array.dtype.kind == "O":
        array = _numbers_of(array)
    _require_numbers(array.dtype)
    if array.dtype not in _COMPILED_DTYPES:
        array = array.astype(np.float64)
    _check_entries(array)
    return DenseVotes(array)


def _numbers_of(array: AnyArray) -> AnyArray:
    """Objects as floats if they are numbers, else as they are."""
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return array


def _require_numbers(dtype: Any) -> None:
    if dtype.kind not in "biuf":
        raise VotesError(f"The votes must be real numbers; got an array of {dtype}.")


def _require_two_dimensions(shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        raise VotesError(f"The votes must be two-dimensional (q, n); got shape {shape}.")


def _check_entries(alpha: Any) -> None:
    bad = first_bad_entry(alpha, MAX_VOTE)
    if bad is None:
        return
    if not np.isfinite(bad.value):
        raise VotesError(
            f"The votes hold NaN or infinity, first in row {bad.row} ({bad.total} such entries). "
            "Every vote must be a finite number; use 0 for a sample without a vote."
        )
    raise VotesError(
        f"The votes hold {bad.value:g} in row {bad.row}, column {bad.column}; the largest size "
        f"accepted is {MAX_VOTE:g}, because squares of larger numbers overflow ({bad.total} such "
        "entries). Scale the votes: the targets depend on their ratios alone."
    )
