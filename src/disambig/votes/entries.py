"""Entries that arithmetic cannot use: NaN, infinity, and numbers whose powers overflow."""

import math
from typing import Any, NamedTuple

import numpy as np
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
