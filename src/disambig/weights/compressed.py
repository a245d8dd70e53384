"""Compressed rows in their smallest form."""

from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["small_indices"]


def small_indices(matrix: Any) -> sp.csr_array:
    """The same ``csr_array`` with 32-bit indices where they suffice.

    They halve the memory that a product reads beside the values, and some compiled routines of
    scikit-learn take no others.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> indices, indptr = np.array([0, 1]), np.array([0, 2])
    >>> small_indices(sp.csr_array((np.ones(2), indices, indptr), shape=(1, 2))).indices.dtype
    dtype('int32')
    """
    if max(*matrix.shape, matrix.nnz) > np.iinfo(np.int32).max:
        return matrix
    # A new matrix around the same values: the one given may be the user's.
    small = sp.csr_array(matrix.shape, dtype=matrix.dtype)
    small.data = matrix.data
    small.indices = matrix.indices.astype(np.int32, copy=False)
    small.indptr = matrix.indptr.astype(np.int32, copy=False)
    return small
