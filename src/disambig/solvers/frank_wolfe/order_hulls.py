"""Hulls of partial orders: each point is a mean of orders and stores them with their weights."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from disambig.candidates import PartialOrders
from disambig.losses.orders.faces import OrderFaces
from disambig.losses.orders.protocol import BoundOrderLoss
from disambig.losses.orders.soft import SoftOrders
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.orderings.signs import signs_of_ranks
from disambig.solvers.frank_wolfe.form import ConvexForm
from disambig.solvers.frank_wolfe.hulls import Moves, Vertices, other_kind
from disambig.solvers.solution import Targets

# Weights of orders below this are rounding.
_MIN_WEIGHT = 1e-14
# Distances from a mean to orders that differ by less, relative to the largest, tie.
_NEAREST_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class OrderPoint:
    """Row j is the weighted mean of the N_j orders that belong to it; N is the sum of the N_j.

    Parameters
    ----------
    coordinates : float array (n, p)
        The means.
    ranks : int array (N, m)
        The orders.
    embedded : float array (N, p)
        Their embeddings.
    owners : int array (N,), sorted
        The row of each order; every row has at least one.
    weights : float array (N,), positive
        The weights of the orders; those of a row sum to one.
    """

    coordinates: FloatArray
    ranks: IntArray
    embedded: FloatArray
    owners: IntArray
    weights: FloatArray

    @cached_property
    def starts(self) -> IntArray:
        """The index of the first order of each row, ``(n,)``."""
        return np.searchsorted(self.owners, np.arange(len(self.coordinates)))

    @property
    def undecided(self) -> int:
        counts = np.bincount(self.owners, minlength=len(self.coordinates))
        return int(np.count_nonzero(counts > 1))


@dataclass(frozen=True, eq=False)
class RelaxedOrders:
    """A point as relaxed targets: the faces of its orders, and the orders with their weights."""

    point: OrderPoint
    faces: OrderFaces

    def __len__(self) -> int:
        return len(self.faces)

    @property
    def embedded(self) -> FloatArray:
        """The means, ``(n, p)``."""
        return self.faces.embedded

    @property
    def is_vertex(self) -> BoolArray:
        """Rows at a single order, ``(n,)``."""
        return self.faces.is_vertex

    @property
    def signs(self) -> FloatArray:
        """Mean signs of the pairs i < j, ``(n, m (m - 1) / 2)``."""
        return self.faces.signs

    @property
    def outputs(self) -> IntArray:
        """The ranks of the orders nearest to the means, ``(n, m)``."""
        return self.faces.outputs

    def first(self) -> OrderFaces:
        """The orders nearest to the means."""
        return self.faces.first()


@dataclass(frozen=True, eq=False)
class OrderHulls:
    """`Hulls` of partial orders; the exact decoder of the loss minimises linear functions.

    Parameters
    ----------
    loss : BoundOrderLoss
    candidates : PartialOrders
    """

    loss: BoundOrderLoss
    candidates: PartialOrders

    rows_are_independent = True

    @cached_property
    def open_rows(self) -> BoolArray:
        m = self.candidates.n_items
        known = self.candidates.before.sum(axis=(1, 2))
        several: BoolArray = known < m * (m - 1) // 2
        return several

    def candidate_means(self) -> FloatArray:
        return self.loss.start(self.candidates, "average")

    def initial_point(self, form: ConvexForm) -> OrderPoint:
        means = self.candidate_means()
        gradients = form.gradient(means, form.scores(means), np.arange(len(means)))
        faces = self._cheapest(gradients, self.candidates)
        return _vertex_point(faces)

    def point_near(self, earlier: Targets, form: ConvexForm) -> OrderPoint:
        """The earlier orders that are candidates still, with their weights.

        A row of which none is left, or whose earlier orders are not known, is at the candidate
        nearest to its earlier mean.
        """
        if not isinstance(earlier, (OrderFaces, RelaxedOrders, SoftOrders)):
            raise other_kind(earlier, "orders")
        nearest = _vertex_point(self.nearest(form.loss.distance_costs(earlier.embedded)).first())
        if not isinstance(earlier, RelaxedOrders):
            return nearest
        point = earlier.point
        kept = self.candidates[point.owners].contains(point.ranks)
        if kept.all():
            return point
        n = len(point.coordinates)
        lost = np.flatnonzero(np.bincount(point.owners[kept], minlength=n) == 0)
        return _joined_point(
            np.concatenate([point.ranks[kept], nearest.ranks[lost]]),
            np.concatenate([point.embedded[kept], nearest.embedded[lost]]),
            np.concatenate([point.owners[kept], lost]),
            np.concatenate([point.weights[kept], np.ones(lost.size)]),
            n,
        )

    def step_vertices(self, point: OrderPoint, gradients: FloatArray, rows: IntArray) -> Vertices:
        found = self._cheapest(gradients, self.candidates[rows])
        here = np.einsum("ip,ip->i", point.coordinates[rows], gradients)
        lowest = np.einsum("ip,ip->i", found.embedded_outputs, gradients)
        worst = _worst_orders(point, gradients, rows)
        away = point.embedded[worst]
        return Vertices(
            rows=rows,
            toward=found.embedded_outputs,
            away=away,
            weights=point.weights[worst, None],
            gaps=np.maximum(here - lowest, 0.0)[:, None],
            away_gaps=np.maximum(np.einsum("ip,ip->i", away, gradients) - here, 0.0)[:, None],
            token=(found.ranks, worst),
        )

    def move(self, point: OrderPoint, vertices: Vertices, moves: Moves) -> OrderPoint:
        rows, (ranks, worst) = vertices.rows, vertices.token
        n = len(point.coordinates)
        weights, added = point.weights.copy(), moves.added[:, 0]
        kept = np.ones(n)
        kept[rows] = moves.kept[:, 0]
        weights *= kept[point.owners]
        weights[worst] -= moves.removed[:, 0]
        # If the best order belongs to the row already, it gains the weight; otherwise it is new.
        position = np.full(n, -1, dtype=np.intp)
        position[rows] = np.arange(rows.size)
        owned = np.flatnonzero(position[point.owners] >= 0)
        owner = position[point.owners[owned]]
        same = (point.ranks[owned] == ranks[owner]).all(axis=1)
        weights[owned[same]] += added[owner[same]]
        new = np.ones(rows.size, dtype=np.bool_)
        new[owner[same]] = False
        new &= added > 0
        return _joined_point(
            np.concatenate([point.ranks, ranks[new]]),
            np.concatenate([point.embedded, vertices.toward[new]]),
            np.concatenate([point.owners, rows[new]]),
            np.concatenate([weights, added[new]]),
            n,
        )

    def nearest(self, costs: FloatArray) -> OrderFaces:
        tolerance = _NEAREST_TOLERANCE * np.abs(costs).max(axis=1, initial=0.0)
        return self.loss.best_candidate(costs, self.candidates, tolerance)

    def draw(self, point: OrderPoint, rng: np.random.Generator) -> OrderFaces:
        # The argmax of log-weights with Gumbel noise has the weights as probabilities.
        noisy = np.log(point.weights) + rng.gumbel(size=point.weights.size)
        last = np.append(point.starts[1:], point.weights.size) - 1
        chosen = np.lexsort((noisy, point.owners))[last]
        embedded = point.embedded[chosen]
        return OrderFaces(point.ranks[chosen], embedded, embedded)

    def targets(self, point: OrderPoint, nearest: OrderFaces) -> RelaxedOrders:
        signs = signs_of_ranks(point.ranks)
        means = np.add.reduceat(point.weights[:, None] * signs, point.starts, axis=0)
        lowest = np.minimum.reduceat(signs, point.starts, axis=0)
        agreed = lowest == np.maximum.reduceat(signs, point.starts, axis=0)
        # A mean sign is exactly 1 or -1 only if all orders of the row agree on the pair.
        mixed = np.clip(means, np.nextafter(-1.0, 0.0), np.nextafter(1.0, 0.0))
        first = nearest.first()
        mean_signs = np.where(agreed, lowest, mixed)
        faces = OrderFaces(first.ranks, first.embedded_outputs, point.coordinates, mean_signs)
        return RelaxedOrders(point, faces)

    def _cheapest(self, costs: FloatArray, candidates: PartialOrders) -> OrderFaces:
        return self.loss.best_candidate(costs, candidates, np.zeros(len(costs))).first()


def _vertex_point(faces: OrderFaces) -> OrderPoint:
    """The point at one order for each row."""
    n, embedded = len(faces), faces.embedded_outputs
    return OrderPoint(embedded, faces.ranks, embedded, np.arange(n), np.ones(n))


def _joined_point(
    ranks: IntArray, embedded: FloatArray, owners: IntArray, weights: FloatArray, n: int
) -> OrderPoint:
    """The point of orders in any sequence; weights of a row are divided by their sum."""
    order = np.argsort(owners, kind="stable")
    order = order[weights[order] > _MIN_WEIGHT]
    owners, weights = owners[order], weights[order]
    totals = np.bincount(owners, weights, minlength=n)
    weights /= totals[owners]
    embedded = embedded[order]
    starts = np.searchsorted(owners, np.arange(n))
    coordinates = np.add.reduceat(weights[:, None] * embedded, starts, axis=0)
    return OrderPoint(coordinates, ranks[order], embedded, owners, weights)


def _worst_orders(point: OrderPoint, gradients: FloatArray, rows: IntArray) -> IntArray:
    """For each of some rows: which of its orders has the largest gradient, ``(r,)``."""
    position = np.full(len(point.coordinates), -1, dtype=np.intp)
    position[rows] = np.arange(rows.size)
    owned = np.flatnonzero(position[point.owners] >= 0)
    owner = position[point.owners[owned]]
    values = np.einsum("ip,ip->i", point.embedded[owned], gradients[owner])
    order = np.lexsort((values, owner))
    last = np.searchsorted(owner[order], np.arange(rows.size), side="right") - 1
    worst: IntArray = owned[order[last]]
    return worst
