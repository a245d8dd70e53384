"""Rows dealt into two halves without a look at their sets."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.notation import AnyArray, BoolArray, IntArray

__all__ = ["first_half", "input_order"]


def input_order(X: Any) -> IntArray:
    """Rows in an order that follows from their inputs ``(n, d)``; equal inputs as they come.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[3.0], [1.0], [2.0]])
    >>> np.array_equal(X[input_order(X)], X[::-1][input_order(X[::-1])])
    True
    """
    # One number a row; inputs that differ have different ones but for chance. Summed row by row:
    # a product may round a row by its place.
    factors = np.cos(1.0 + np.arange(X.shape[1]))
    weighted = X.multiply(factors).tocsr() if sp.issparse(X) else X * factors
    keys = np.asarray(weighted.sum(axis=1), dtype=np.float64).ravel()
    return np.argsort(keys, kind="stable")


def first_half(order: IntArray, groups: AnyArray, random_state: Any) -> BoolArray:
    """A random half of the rows of each group, the smaller one if odd, ``(n,)``.

    Parameters
    ----------
    order : int array (n,)
        Rows in an order that does not depend on how they were given.
    groups : int array (n,)
    random_state : int, numpy Generator or None
        What `numpy.random.default_rng` takes.

    Examples
    --------
    >>> import numpy as np
    >>> groups = np.array([0, 0, 0, 0, 1, 1, 1])
    >>> half = first_half(np.arange(7), groups, 0)
    >>> np.bincount(groups[half]).tolist()
    [2, 1]
    """
    n = order.size
    key = np.empty(n, dtype=np.intp)
    key[order] = np.random.default_rng(random_state).permutation(n)
    dealt = np.lexsort((key, groups))
    starts = np.searchsorted(groups[dealt], groups[dealt])
    half = np.zeros(n, dtype=np.bool_)
    half[dealt] = (np.arange(n) - starts) % 2 == 1
    return half
