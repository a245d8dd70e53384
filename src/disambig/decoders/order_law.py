"""A uniform law on a set of orders, by what losses need of it."""

from dataclasses import dataclass

import numpy as np

from disambig.notation import BoolArray, FloatArray, IntArray

__all__ = ["OrderLaw"]


@dataclass(frozen=True, eq=False)
class OrderLaw:
    """For each of b problems the uniform law on some orders of m items.

    Parameters
    ----------
    ranks : int array (b, m)
        One of the orders: the deterministic choice.
    counts : float array (b,)
        How many there are: exact up to ``2 ** 53``, rounded beyond (relative error below 1e-14).
    pairs : float array (b, m, m)
        ``pairs[r, i, j]``: probability that i stands before j; 0 on the diagonal. Exactly 0 or 1
        where all orders agree.
    places : float array (b, m, m)
        ``places[r, i, k]``: probability that item i has position k.
    complete : bool array (b,)
        False where the law stands for `ranks` alone, since all orders were out of reach.

    Examples
    --------
    >>> from disambig.decoders import linear_extensions
    >>> before = np.zeros((3, 3), dtype=bool)
    >>> before[0, 1] = True  # of 0, 1, 2: 0 before 1, and 2 anywhere
    >>> law = linear_extensions(before)
    >>> law.counts, law.mean_ranks
    (array([3.]), array([[0.33333333, 1.66666667, 1.        ]]))
    >>> law.undecided[0].astype(int)
    array([[0, 0, 1],
           [0, 0, 1],
           [1, 1, 0]])
    """

    ranks: IntArray
    counts: FloatArray
    pairs: FloatArray
    places: FloatArray
    complete: BoolArray

    def __post_init__(self) -> None:
        for array in (self.ranks, self.counts, self.pairs, self.places, self.complete):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.ranks)

    @property
    def mean_ranks(self) -> FloatArray:
        """Expected positions, ``(b, m)``."""
        return np.asarray(self.pairs.sum(axis=1))

    @property
    def undecided(self) -> BoolArray:
        """Pairs of which both directions occur, ``(b, m, m)``."""
        both: BoolArray = (self.pairs > 0.0) & (np.swapaxes(self.pairs, 1, 2) > 0.0)
        return both
