"""Nearest neighbours and copies of rows, on features without units."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import NearestNeighbors

from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.weights.squashed import Squash

# Neighbours that judge a row, and those that show a region around it.
N_NEIGHBORS, N_REGION = 10, 20
# A fast diagnosis searches the neighbours of so many rows, among all rows.
MAX_FAST_ROWS = 2000
# Below this share of the largest entry a deviation is rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Neighborhoods:
    """The nearest others of some rows.

    Attributes
    ----------
    rows : int array (q,)
        The rows whose neighbours were searched, ascending.
    wide : int array (q, k)
        Their nearest others, nearest first.
    n : int
        Number of all rows.

    Examples
    --------
    >>> import numpy as np
    >>> near = neighborhoods(np.array([[0.0], [1.0], [1.0], [9.0]]), n_neighbors=1)
    >>> near.lists.ravel().tolist()
    [1, 2, 1, 1]
    """

    rows: IntArray
    wide: IntArray
    n: int

    @property
    def lists(self) -> IntArray:
        """The 10 nearest others, ``(q, 10)``."""
        return self.wide[:, :N_NEIGHBORS]

    @property
    def is_complete(self) -> bool:
        """Whether the neighbours of every row are known."""
        return self.rows.size == self.n

    @cached_property
    def parts(self) -> IntArray:
        """The connected part of the neighbour graph that each row is in, ``(n,)``."""
        k = self.lists.shape[1]
        pairs = (np.repeat(self.rows, k), self.lists.ravel())
        graph = sp.coo_array((np.ones(pairs[0].size), pairs), shape=(self.n, self.n))
        parts: IntArray = connected_components(graph, directed=False)[1].astype(np.intp)
        return parts

    def scattered(self, values: FloatArray) -> FloatArray:
        """Values of the searched rows among all rows, ``(n,)``; NaN elsewhere."""
        scores = np.full(self.n, np.nan)
        scores[self.rows] = values
        return scores


def unit_inputs(X: Any) -> Any:
    """Features of unit variance, with shortened tails if they are dense; constant ones are 0."""
    if not sp.issparse(X):
        return Squash.of(X, np.ones(X.shape[0]))(X)
    mean = np.asarray(X.mean(axis=0)).ravel()
    variance = np.asarray(X.multiply(X).mean(axis=0)).ravel() - mean**2
    varies = variance > _ROUNDING * (variance + mean**2)
    factors = np.where(varies, 1.0 / np.sqrt(np.where(varies, variance, 1.0)), 0.0)
    return sp.csr_array(X.multiply(factors[None, :]))


def neighborhoods(
    X: Any, n_neighbors: int = N_REGION, max_rows: int | None = None
) -> Neighborhoods:
    """The nearest others of each row of X ``(n, d)``, or of a random `max_rows` of them."""
    n = X.shape[0]
    rows = np.arange(n)
    if max_rows is not None and n > max_rows:
        rows = np.sort(np.random.default_rng(0).choice(n, max_rows, replace=False))
    k = min(n_neighbors, n - 1)
    search = NearestNeighbors(n_neighbors=k + 1).fit(X)
    found = search.kneighbors(X[rows], return_distance=False)
    # A row is left out of its own list. Among many copies it may not be listed: the last goes.
    own = found == rows[:, None]
    own[~own.any(axis=1), -1] = True
    return Neighborhoods(rows, found[~own].reshape(rows.size, k), n)


def copies(groups: IntArray) -> BoolArray:
    """Rows whose input another row has too, from their groups ``(n,)``."""
    repeated: BoolArray = np.bincount(groups)[groups] > 1
    return repeated
