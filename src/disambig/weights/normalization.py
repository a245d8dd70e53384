"""Rows of votes that sum to one, and votes with a zero diagonal."""

from typing import Any

import numpy as np
import scipy.sparse as sp

# Smallest sum of a row, relative to the sum of its absolute votes, that rows are divided by. Below
# it the votes cancel and the sum is mostly rounding error, so the quotient would be huge. A
# negative sum would flip the sign of every vote.
MIN_RELATIVE_SUM = 1e-8


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


def remove_diagonal(alpha: Any) -> Any:
    """`alpha` with ``alpha[i, i] = 0``: no row votes for itself.

    Parameters
    ----------
    alpha : array or csr_array, (n, n)
        An array is changed in place; a sparse matrix is replaced by one without these entries.
    """
    if sp.issparse(alpha):
        entries = alpha.tocoo()
        others = entries.row != entries.col
        kept = (entries.data[others], (entries.row[others], entries.col[others]))
        return sp.csr_array(kept, shape=alpha.shape)
    np.fill_diagonal(alpha, 0.0)
    return alpha


def _absolute_sums(alpha: Any) -> Any:
    if sp.issparse(alpha):
        return np.asarray(abs(alpha).sum(axis=1)).ravel()
    # In blocks of rows: all of |alpha| at once would double the memory.
    step = max(1, 2**20 // max(1, alpha.shape[1]))
    blocks = [np.abs(alpha[i : i + step]).sum(axis=1) for i in range(0, alpha.shape[0], step)]
    return np.concatenate(blocks) if blocks else np.zeros(0)
