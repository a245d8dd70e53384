"""From lists of neighbours to a symmetric graph."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from disambig.notation import FloatArray
from disambig.weights.compressed import small_indices

__all__ = ["Listing", "affinities", "symmetric_graph"]


class Listing(NamedTuple):
    """Whom each row lists: with what part of the mass it wanted, and how far away.

    shares : csr_array, (q, N)
        Rows sum to one, or are empty.
    distances : float64, (listed,)
        Beside ``shares.data``.
    """

    shares: sp.csr_array
    distances: FloatArray


def affinities(listing: Listing, bandwidth: float | str | None) -> sp.csr_array:
    """``a[i, j] = share * exp(-d^2 / (2 h^2))``, ``(q, N)``.

    Parameters
    ----------
    listing : Listing
    bandwidth : float > 0, "local" or None
        h. "local" takes, for each row, the distance to the farthest that it lists over ``sqrt(8)``:
        the farthest has factor ``exp(-4)``, whatever the scale of the inputs. None: no factor.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> listing = Listing(sp.csr_array([[0.5, 0.5]]), np.array([1.0, 2.0]))
    >>> affinities(listing, "local").toarray().round(3)
    array([[0.184, 0.009]])
    """
    shares, distances = listing
    if bandwidth is None:
        return shares
    if bandwidth == "local":
        counts = np.diff(shares.indptr)
        reach = np.zeros(shares.shape[0])
        filled = counts > 0
        if filled.any():
            reach[filled] = np.maximum.reduceat(distances, shares.indptr[:-1][filled])
        scale: Any = np.repeat(np.where(reach > 0, reach, 1.0), counts) / np.sqrt(8.0)
    else:
        scale = float(bandwidth)
    with np.errstate(over="ignore", under="ignore"):
        factors = np.exp(-((distances / scale) ** 2) / 2.0)
    values = shares.data * factors
    return sp.csr_array((values, shares.indices, shares.indptr), shape=shares.shape)


def symmetric_graph(directed: sp.csr_array, masses: FloatArray) -> sp.csr_array:
    """``B = (W a + a' W) / 2`` with W the diagonal of the masses, ``(N, N)``, zeros left out.

    ``a[i, j]`` is what one copy of input i grants all copies of input j; ``B[i, j]`` is what all
    copies of both grant each other, in the mean of the two directions.
    """
    values = directed.data * np.repeat(masses, np.diff(directed.indptr))
    granted = sp.csr_array((values, directed.indices, directed.indptr), shape=directed.shape)
    both = sp.csr_array((granted + granted.T) / 2.0)
    both.eliminate_zeros()
    both.sort_indices()
    return small_indices(both)
