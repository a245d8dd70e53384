"""Hulls of partial orders: means of orders, each kept with its weights."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from disambig.candidates import PartialOrders
from disambig.losses.orders.faces import OrderFaces
from disambig.losses.orders.protocol import BoundOrderLoss
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.orderings import signs_of_ranks
from disambig.solvers.frank_wolfe.form import ConvexForm
from disambig.solvers.frank_wolfe.hulls import Moves, Vertices

_NOTHING = 1e-14
# Orders that differ by less in their distance from a mean are as near.
_NEAR = 1e-6


@dataclass(frozen=True, eq=False)
class OrderPoint:
    """Row j is the mean of the orders that it owns, by their weights.

    Parameters
    ----------
    places : float array (n, p)
    ranks : int array (N, m)
    embedded : float array (N, p)
        Where the orders lie.
    owners : int array (N,), sorted
        Every row owns at least one.
    weights : float array (N,), positive
        Those of a row sum to one.
    """

    places: FloatArray
    ranks: IntArray
    embedded: FloatArray
    owners: IntArray
    weights: FloatArray

    @cached_property
    def starts(self) -> IntArray:
        """Where the orders of each row begin, ``(n,)``."""
        return np.searchsorted(self.owners, np.arange(len(self.places)))

    @property
    def undecided(self) -> int:
        counts = np.bincount(self.owners, minlength=len(self.places))
        return int(np.count_nonzero(counts > 1))


@dataclass(frozen=True, eq=False)
class OrderHulls:
    """`Hulls` of partial orders, by the exact decoder of the loss.

    Parameters
    ----------
    loss : BoundOrderLoss
    candidates : PartialOrders
    """

    loss: BoundOrderLoss
    candidates: PartialOrders

    walks_by_row = True

    @cached_property
    def open_rows(self) -> BoolArray:
        m = self.candidates.n_items
        known = self.candidates.before.sum(axis=(1, 2))
        several: BoolArray = known < m * (m - 1) // 2
        return several

    def middle(self) -> FloatArray:
        return self.loss.start(self.candidates, "average")

    def begin(self, form: ConvexForm) -> OrderPoint:
        middle = self.middle()
        slopes = form.gradient(middle, form.heard(middle), np.arange(len(middle)))
        faces = self._cheapest(slopes, self.candidates)
        n = len(middle)
        return OrderPoint(faces.corners, faces.ranks, faces.corners, np.arange(n), np.ones(n))

    def corners(self, point: OrderPoint, slopes: FloatArray, rows: IntArray) -> Vertices:
        found = self._cheapest(slopes, self.candidates[rows])
        here = np.einsum("ip,ip->i", point.places[rows], slopes)
        lowest = np.einsum("ip,ip->i", found.corners, slopes)
        worst = _worst(point, slopes, rows)
        away = point.embedded[worst]
        return Vertices(
            rows=rows,
            toward=found.corners,
            away=away,
            weights=point.weights[worst, None],
            slacks=np.maximum(here - lowest, 0.0)[:, None],
            steps_away=np.maximum(np.einsum("ip,ip->i", away, slopes) - here, 0.0)[:, None],
            token=(found.ranks, worst),
        )

    def move(self, point: OrderPoint, corners: Vertices, moves: Moves) -> OrderPoint:
        rows, (ranks, worst) = corners.rows, corners.token
        weights, added = point.weights.copy(), moves.added[:, 0]
        kept = np.ones(len(point.places))
        kept[rows] = moves.kept[:, 0]
        weights *= kept[point.owners]
        weights[worst] -= moves.removed[:, 0]
        # An order that a row owns already gets the weight; others are new.
        position = np.full(len(point.places), -1, dtype=np.intp)
        position[rows] = np.arange(rows.size)
        among = np.flatnonzero(position[point.owners] >= 0)
        wanted = position[point.owners[among]]
        same = (point.ranks[among] == ranks[wanted]).all(axis=1)
        weights[among[same]] += added[wanted[same]]
        new = np.ones(rows.size, dtype=np.bool_)
        new[wanted[same]] = False
        new &= added > 0
        owners = np.concatenate([point.owners, rows[new]])
        weights = np.concatenate([weights, added[new]])
        order = np.argsort(owners, kind="stable")
        order = order[weights[order] > _NOTHING]
        owners, weights = owners[order], weights[order]
        totals = np.bincount(owners, weights, minlength=len(point.places))
        weights /= totals[owners]
        embedded = np.concatenate([point.embedded, corners.toward[new]])[order]
        starts = np.searchsorted(owners, np.arange(len(point.places)))
        places = np.add.reduceat(weights[:, None] * embedded, starts, axis=0)
        return OrderPoint(
            places, np.concatenate([point.ranks, ranks[new]])[order], embedded, owners, weights
        )

    def nearest(self, costs: FloatArray) -> OrderFaces:
        tolerance = _NEAR * np.abs(costs).max(axis=1, initial=0.0)
        return self.loss.best_candidate(costs, self.candidates, tolerance)

    def draw(self, point: OrderPoint, rng: np.random.Generator) -> OrderFaces:
        noisy = np.log(point.weights) + rng.gumbel(size=point.weights.size)
        last = np.append(point.starts[1:], point.weights.size) - 1
        chosen = np.lexsort((noisy, point.owners))[last]
        corners = point.embedded[chosen]
        return OrderFaces(point.ranks[chosen], corners, corners)

    def targets(self, point: OrderPoint, settled: OrderFaces) -> OrderFaces:
        signs = signs_of_ranks(point.ranks)
        means = np.add.reduceat(point.weights[:, None] * signs, point.starts, axis=0)
        least = np.minimum.reduceat(signs, point.starts, axis=0)
        agreed = least == np.maximum.reduceat(signs, point.starts, axis=0)
        # 1 and -1 mean that all agree, and only that.
        open_signs = np.clip(means, np.nextafter(-1.0, 0.0), np.nextafter(1.0, 0.0))
        nearest = settled.first()
        return OrderFaces(
            nearest.ranks, nearest.corners, point.places, np.where(agreed, least, open_signs)
        )

    def _cheapest(self, costs: FloatArray, candidates: PartialOrders) -> OrderFaces:
        return self.loss.best_candidate(costs, candidates, np.zeros(len(costs))).first()


def _worst(point: OrderPoint, slopes: FloatArray, rows: IntArray) -> IntArray:
    """The order of steepest slope among those that each of some rows owns, ``(r,)``."""
    position = np.full(len(point.places), -1, dtype=np.intp)
    position[rows] = np.arange(rows.size)
    owned = np.flatnonzero(position[point.owners] >= 0)
    mine = position[point.owners[owned]]
    paid = np.einsum("ip,ip->i", point.embedded[owned], slopes[mine])
    order = np.lexsort((paid, mine))
    last = np.searchsorted(mine[order], np.arange(rows.size), side="right") - 1
    worst: IntArray = owned[order[last]]
    return worst
