"""Where an input stops being a number."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

__all__ = ["NotFinite", "first_not_finite"]


class NotFinite(NamedTuple):
    """The first entry of an array that is NaN or infinite, and how many there are."""

    row: int
    column: int
    value: float
    total: int


def first_not_finite(X: Any) -> NotFinite | None:
    """The first offending entry of an array or sparse matrix, or None."""
    bad = ~np.isfinite(X.data if sp.issparse(X) else X)
    if not bad.any():
        return None
    count = int(bad.sum())
    if sp.issparse(X):
        place = int(np.flatnonzero(bad)[0])
        row = int(np.searchsorted(X.indptr, place, side="right")) - 1
        return NotFinite(row, int(X.indices[place]), float(X.data[place]), count)
    row, column = (int(k) for k in np.argwhere(bad)[0])
    return NotFinite(row, column, float(X[row, column]), count)
