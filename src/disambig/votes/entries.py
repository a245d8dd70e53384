"""Entries of arrays and sparse matrices alike, of inputs and of votes.

Which of them arithmetic cannot use (NaN, infinity, numbers whose powers overflow), their signs,
when two sums of them tie, rows that sum to one, and a zero diagonal.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from disambig.notation import AnyArray, BoolArray

# Largest size of an entry. Trees convert inputs to single precision, whose largest number is
# 3.4e38; sums over 1e20 terms of the eighth power stay in double precision.
MAX_ENTRY = 1e36
# Largest size of a vote: an entry times the sample weights of its row and its column, see
# `weights/inputs.py`. Its square does not overflow.
MAX_VOTE = 1e140
# Smallest size of the largest entry of features, so that the others, in single precision, have
# nine digits relative to it.
MIN_LARGEST_ENTRY = 1e-36
# Beyond these sizes squares, and sums of them, leave the range of single precision.
_MIN_SINGLE, _MAX_SINGLE = 1e-15, 1e15
# Negative votes below this share of the absolute sum of their row are rounding errors.
_ROUNDING_SHARE = 1e-12
# Entries that are compared together: 512 KiB, which stay in the cache.
_ENTRIES_PER_BLOCK = 2**16
# Smallest sum of a row, relative to the sum of its absolute votes, that rows are divided by. Below
# it the votes cancel and the sum is mostly rounding error, so the quotient would be huge. A
# negative sum would flip the sign of every vote.
MIN_RELATIVE_SUM = 1e-8


class BadEntry(NamedTuple):
    """The first entry that is not finite, or else the first that is too large.

    Attributes
    ----------
    row, column : int
    value : float
    total : int
        How many such entries there are.
    """

    row: int
    column: int
    value: float
    total: int


def largest_entry(X: Any) -> float:
    """The largest size of an entry of an array or sparse matrix; NaN if it contains NaN.

    Examples
    --------
    >>> import numpy as np
    >>> largest_entry(np.array([[1.0, -3.0]]))
    3.0
    """
    entries = X.data if sp.issparse(X) else X
    if not entries.size:
        return 0.0
    # Without an array of absolute values, which would take the memory of X.
    with np.errstate(invalid="ignore"):
        low, high = float(entries.min()), float(entries.max())
    return low if math.isnan(low) else max(-low, high)


def first_bad_entry(X: Any, limit: float = MAX_ENTRY) -> BadEntry | None:
    """The first entry that is not finite or exceeds `limit` in size; None if there is none.

    Parameters
    ----------
    X : real array or matrix in compressed sparse rows, (n, d)
    limit : float

    Examples
    --------
    >>> import numpy as np
    >>> first_bad_entry(np.array([[1.0, -1e300], [1e40, 0.0]]))
    BadEntry(row=0, column=1, value=-1e+300, total=2)
    """
    # Written so that NaN counts as bad.
    if largest_entry(X) <= limit:
        return None
    entries = X.data if sp.issparse(X) else X
    bad: BoolArray = ~np.isfinite(entries)
    if not bad.any():
        bad = np.abs(entries) > limit
    total = int(np.count_nonzero(bad))
    if sp.issparse(X):
        place = int(np.argmax(bad))
        row = int(np.searchsorted(X.indptr, place, side="right")) - 1
        return BadEntry(row, int(X.indices[place]), float(X.data[place]), total)
    row, column = (int(k) for k in np.unravel_index(int(np.argmax(bad)), bad.shape))
    return BadEntry(row, column, float(X[row, column]), total)


def widened(X: Any) -> Any:
    """X in double precision if squares of its entries leave the range of single precision.

    Examples
    --------
    >>> import numpy as np
    >>> [widened(np.array([[x]], dtype=np.float32)).dtype.name for x in (1.0, 1e30)]
    ['float32', 'float64']
    """
    if X.dtype != np.float32:
        return X
    largest = largest_entry(X)
    if largest == 0.0 or _MIN_SINGLE <= largest <= _MAX_SINGLE:
        return X
    wide: AnyArray = X.astype(np.float64)
    return wide


def entries_are_nonnegative(entries: Any) -> bool:
    """Whether no row of an array or of a sparse matrix has negative entries, up to rounding.

    Examples
    --------
    >>> entries_are_nonnegative(np.array([[1.0, -1e-15], [0.0, 2.0]]))
    True
    >>> entries_are_nonnegative(sp.csr_array([[1.0, -1e-3]]))
    False
    """
    stored = entries.data if sp.issparse(entries) else entries
    if stored.min(initial=0) >= 0:
        return True
    if sp.issparse(entries):
        below = entries.minimum(0)
        return _are_rounding(-np.ravel(below.sum(axis=1)), np.ravel(abs(entries).sum(axis=1)))
    q, n = entries.shape
    step = max(1, _ENTRIES_PER_BLOCK // max(1, n))
    blocks = (entries[start : start + step] for start in range(0, q, step))
    return all(
        _are_rounding(-np.minimum(block, 0).sum(axis=1), np.abs(block).sum(axis=1))
        for block in blocks
    )


def _are_rounding(negative: Any, sizes: Any) -> bool:
    return not (negative > _ROUNDING_SHARE * sizes).any()


def tie_tolerance(dtype: npt.DTypeLike | Any) -> float:
    """Relative difference below which two sums of votes tie: 1e-5 in float32, 1e-10 otherwise.

    A sum of up to n votes is exact to a few units of rounding. The tolerance is far above that
    error and far below the effect of one vote.

    Parameters
    ----------
    dtype : data type
        The type of the votes.

    Examples
    --------
    >>> tie_tolerance(np.float64)
    1e-10
    """
    return 1e-5 if np.dtype(dtype) == np.float32 else 1e-10


def normalize_rows(alpha: Any) -> Any:
    """``alpha[i] / sum_j alpha[i, j]`` where the sum exceeds ``1e-8 sum_j |alpha[i, j]|``.

    Other rows (no votes, votes that cancel, a negative sum) stay as they are. Dividing by a
    positive number never changes a prediction; dividing by any other number would.

    Parameters
    ----------
    alpha : float array or csr_array, (q, n)
        Changed in place; pass a copy to keep the original.

    Returns
    -------
    alpha

    Examples
    --------
    >>> import numpy as np
    >>> normalize_rows(np.array([[1.0, 3.0], [1.0, -1.0], [0.0, 0.0]]))
    array([[ 0.25,  0.75],
           [ 1.  , -1.  ],
           [ 0.  ,  0.  ]])
    """
    sums = np.asarray(alpha.sum(axis=1)).ravel()
    divisible = sums > MIN_RELATIVE_SUM * _absolute_sums(alpha)
    divisors = np.where(divisible, sums, 1.0)
    if sp.issparse(alpha):
        alpha.data /= np.repeat(divisors, np.diff(alpha.indptr))
    else:
        alpha /= divisors[:, None]
    return alpha


def remove_diagonal(alpha: Any, first: int = 0) -> Any:
    """`alpha` with ``alpha[i, first + i] = 0``: no row votes for itself.

    Parameters
    ----------
    alpha : array or csr_array, (m, n)
        An array is changed in place; a sparse matrix is replaced by one without these entries.
    first : int
        The number of the first row among the columns.
    """
    if sp.issparse(alpha):
        entries = alpha.tocoo()
        others = entries.row + first != entries.col
        kept = (entries.data[others], (entries.row[others], entries.col[others]))
        return sp.csr_array(kept, shape=alpha.shape)
    np.fill_diagonal(alpha[:, first:], 0.0)
    return alpha


def _absolute_sums(alpha: Any) -> Any:
    if sp.issparse(alpha):
        return np.asarray(abs(alpha).sum(axis=1)).ravel()
    # In blocks of rows: all of |alpha| at once would double the memory.
    step = max(1, 2**20 // max(1, alpha.shape[1]))
    blocks = [np.abs(alpha[i : i + step]).sum(axis=1) for i in range(0, alpha.shape[0], step)]
    return np.concatenate(blocks) if blocks else np.zeros(0)
