"""What the rows weigh: ``sample_weight`` w means w copies of a row."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.notation import AnyArray, FloatArray

__all__ = ["row_masses", "scale_columns"]


def row_masses(owner: str, sample_weight: Any, n: int) -> FloatArray:
    """The mass of each of the n training rows, ones if `sample_weight` is None.

    Examples
    --------
    >>> row_masses("NeighborWeights", None, 3)
    array([1., 1., 1.])
    """
    if sample_weight is None:
        return np.ones(n)
    masses = np.array(sample_weight, dtype=np.float64)
    if masses.shape != (n,):
        raise ValueError(
            f"{owner}: sample_weight must have shape ({n},), one number a row; got shape "
            f"{masses.shape}."
        )
    # Written so that NaN is bad too.
    bad = ~((masses > 0) & np.isfinite(masses))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"{owner}: sample_weight must be positive and finite; row {row} has {masses[row]} "
            f"({int(bad.sum())} such rows). Leave rows of weight 0 out before fit."
        )
    return masses


def scale_columns(alpha: Any, masses: FloatArray) -> Any:
    """``alpha @ diag(masses)`` as a new array or, for sparse alpha, a new ``csr_array``."""
    if sp.issparse(alpha):
        scaled = sp.csr_array(alpha, dtype=np.float64, copy=True)
        scaled.data *= masses[scaled.indices]
        return scaled
    product: AnyArray = alpha * masses
    return product
