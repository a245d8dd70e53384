"""Rows that sum to one, and rows without their own vote."""

from typing import Any

import numpy as np
import scipy.sparse as sp

# A row whose votes cancel to less than this part of their absolute sum has a sum made of
# rounding; dividing by it would blow the votes up. A negative sum would turn every vote around.
SMALLEST_SUM = 1e-8


def normalize_rows(alpha: Any) -> Any:
    """``alpha[i] / sum_j alpha[i, j]`` where the sum exceeds ``1e-8 sum_j |alpha[i, j]|``.

    Other rows (no votes, votes that cancel, a negative sum) stay as they are: a positive scale
    never changes a prediction, the division by anything else would.

    Parameters
    ----------
    alpha : float array or csr_array, (q, n)
        Changed in place: pass a copy of what is not yours.

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
    fair = sums > SMALLEST_SUM * _absolute_sums(alpha)
    divisors = np.where(fair, sums, 1.0)
    if sp.issparse(alpha):
        alpha.data /= np.repeat(divisors, np.diff(alpha.indptr))
    else:
        alpha /= divisors[:, None]
    return alpha


def remove_diagonal(alpha: Any) -> Any:
    """`alpha` with ``alpha[i, i] = 0``: nobody hears himself.

    Parameters
    ----------
    alpha : array or csr_array, (n, n)
        An array is changed in place; a sparse one is replaced, without the entries.
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
    # In blocks of rows: |alpha| as a whole would double the memory.
    step = max(1, 2**20 // max(1, alpha.shape[1]))
    blocks = [np.abs(alpha[i : i + step]).sum(axis=1) for i in range(0, alpha.shape[0], step)]
    return np.concatenate(blocks) if blocks else np.zeros(0)
