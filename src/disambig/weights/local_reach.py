"""How many neighbours an input hears, by how densely rows lie around it."""

from dataclasses import dataclass

import numpy as np

from disambig.notation import AnyArray, FloatArray
from disambig.weights.neighbor_lists import NeighborLists

__all__ = ["MOST", "LocalReach"]

# At most so many times n_neighbors are heard, and at least as small a part.
MOST = 2.0


@dataclass(frozen=True)
class LocalReach:
    """``k_i = k (r / r_i)^(4 d / (d + 4))``, no less than k / 2 and no more than 2 k.

    r_i is the distance of input i to its k-th neighbour.

    With the density ``f ~ k / r_i^d`` this is ``k_i ~ f^(4 / (d + 4))``, the balance of bias and
    variance of local averages of a smooth function (Cannings, Berrett and Samworth, Annals of
    Statistics 2020): few in the tails, where neighbours are far, and more where rows are dense.

    Parameters
    ----------
    wanted : float
        k.
    radius : float
        r, the median of r_i over the training rows, each counted by its mass; those with k copies,
        at distance 0, do not count. 0 if there are no others.
    dimension : float
        d of the inputs, not of the features: the mass within a radius grows with its power d, so
        ``log(2) / d`` is the median of ``log(r_i / s_i)``, s_i the distance to the (k / 2)-th.
    """

    wanted: float
    radius: float
    dimension: float

    @classmethod
    def learn(
        cls, lists: NeighborLists, distances: FloatArray, masses: FloatArray, wanted: float
    ) -> "LocalReach":
        """From the lists of the training rows, themselves included."""
        nobody = np.full(lists.q, -1, dtype=np.int64)
        far = _farthest(lists, distances, masses, wanted, nobody)
        half = _farthest(lists, distances, masses, wanted / 2.0, nobody)
        apart = (half > 0) & (far > half)
        growth = np.log(far[apart] / half[apart])
        dimension = np.log(2.0) / _median(growth, masses[apart]) if apart.any() else np.inf
        some = far > 0
        radius = _median(far[some], masses[some]) if some.any() else 0.0
        return cls(wanted, radius, float(dimension))

    def masses(
        self, lists: NeighborLists, distances: FloatArray, masses: FloatArray, absent: AnyArray
    ) -> FloatArray:
        """``k_i`` for each list, ``(q,)``."""
        far = _farthest(lists, distances, masses, self.wanted, absent)
        power = 4.0 / (1.0 + 4.0 / self.dimension)
        ratio = np.full(far.size, MOST)
        some = far > 0
        # Limits before powers: none overflows.
        limit = MOST ** (1.0 / power)
        ratio[some] = np.clip(self.radius / far[some], 1.0 / limit, limit) ** power
        if self.radius == 0:
            ratio[~some] = 1.0
        return self.wanted * ratio


def _farthest(
    lists: NeighborLists,
    distances: FloatArray,
    masses: FloatArray,
    wanted: float,
    absent: AnyArray,
) -> FloatArray:
    """The distance at which the mass in each list reaches `wanted`."""
    taken = lists.taken(masses, np.full(lists.q, wanted), absent) > 0
    far = np.zeros(lists.q)
    np.maximum.at(far, lists.rows()[taken], distances[taken])
    return far


def _median(values: FloatArray, masses: FloatArray) -> float:
    order = np.argsort(values, kind="stable")
    below = np.cumsum(masses[order])
    return float(values[order][np.searchsorted(below, below[-1] / 2.0)])
