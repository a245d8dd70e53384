"""Hulls of label sets: distributions over the candidates of each row.

In `LabelHulls` every row moves on its own. `CountedHulls` adds bounds on the counts of
classes, which couple the rows; its linear minimisation is a linear program.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from disambig.candidates.labels.assignment import counted_labels
from disambig.candidates.labels.class_counts import ClassCounts
from disambig.candidates.labels.label_sets import LabelSets
from disambig.compiled.sets import tied_minima_within
from disambig.losses.labels.faces import LabelFaces
from disambig.losses.labels.finite import FiniteLoss
from disambig.losses.labels.soft import SoftFaces
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.solvers.frank_wolfe.form import ConvexForm
from disambig.solvers.frank_wolfe.hulls import Moves, Vertices, other_kind
from disambig.solvers.solution import Targets

# Costs that differ by less than this part of the largest one tie.
_TIE_TOLERANCE = 1e-12
# Weights of vertices below this are rounding.
_MIN_WEIGHT = 1e-14
# Distances from a distribution to vertices that differ by less, relative to the largest, tie.
_NEAREST_TOLERANCE = 1e-6
# The log-weight of a class without weight in draws with class counts: allowed, because the counts
# may require it, but far below any other.
_MIN_LOG_WEIGHT = -1e3
# Rounding of the sum of a class, for each row.
_COUNT_ROUNDING = 1e-13
# The status of `scipy.optimize.linprog` for a program without a solution.
_INFEASIBLE_STATUS = 2


@dataclass(frozen=True, eq=False)
class LabelPoint:
    """Distributions over the classes, ``(n, K)``, which are also the weights of the vertices."""

    coordinates: FloatArray

    @property
    def undecided(self) -> int:
        return int(np.count_nonzero((self.coordinates > 0).sum(axis=1) > 1))


@dataclass(frozen=True, eq=False)
class LabelHulls:
    """`Hulls` of label sets. If classes tie, a row moves towards the mean of their vertices.

    Parameters
    ----------
    loss : FiniteLoss
    candidates : LabelSets
    """

    loss: FiniteLoss
    candidates: LabelSets

    rows_are_independent = True

    @cached_property
    def open_rows(self) -> BoolArray:
        several: BoolArray = self.candidates.mask.sum(axis=1) > 1
        return several

    def candidate_means(self) -> FloatArray:
        return self.candidates.distribution()

    def initial_point(self, form: ConvexForm) -> LabelPoint:
        return LabelPoint(self.candidate_means())

    def point_near(self, earlier: Targets, form: ConvexForm) -> LabelPoint:
        return LabelPoint(restricted_distribution(earlier, self.candidates))

    def step_vertices(self, point: LabelPoint, gradients: FloatArray, rows: IntArray) -> Vertices:
        allowed, distribution = self.candidates.mask[rows], point.coordinates[rows]
        tied = tied_labels(gradients, allowed)
        toward = tied / tied.sum(axis=1, keepdims=True)
        lowest = np.where(allowed, gradients, np.inf).min(axis=1)
        here = np.einsum("ik,ik->i", distribution, gradients)
        worst = np.where(distribution > 0, gradients, -np.inf).argmax(axis=1)
        each = np.arange(rows.size)
        away = np.zeros_like(distribution)
        away[each, worst] = 1.0
        return Vertices(
            rows=rows,
            toward=toward,
            away=away,
            weights=distribution[each, worst][:, None],
            gaps=np.maximum(here - lowest, 0.0)[:, None],
            away_gaps=np.maximum(gradients[each, worst] - here, 0.0)[:, None],
            token=None,
        )

    def move(self, point: LabelPoint, vertices: Vertices, moves: Moves) -> LabelPoint:
        distribution = point.coordinates.copy()
        moved = moves.kept * distribution[vertices.rows] + moves.added * vertices.toward
        moved -= moves.removed * vertices.away
        moved[moved < _MIN_WEIGHT] = 0.0
        distribution[vertices.rows] = moved / moved.sum(axis=1, keepdims=True)
        return LabelPoint(distribution)

    def nearest(self, costs: FloatArray) -> LabelFaces:
        tied = tied_labels(costs, self.candidates.mask, _NEAREST_TOLERANCE)
        return self.loss.target_faces(tied)

    def draw(self, point: LabelPoint, rng: np.random.Generator) -> LabelFaces:
        # The argmax of log-weights with Gumbel noise has the weights as probabilities.
        noisy = log_weights_with_noise(point.coordinates, rng)
        mask = np.zeros_like(self.candidates.mask)
        mask[np.arange(len(mask)), noisy.argmax(axis=1)] = True
        return self.loss.target_faces(mask)

    def targets(self, point: LabelPoint, nearest: LabelFaces) -> SoftFaces:
        return SoftFaces(point.coordinates, nearest.embedding, self.candidates.distribution())


def restricted_distribution(earlier: Targets, candidates: LabelSets | ClassCounts) -> FloatArray:
    """Earlier distributions without the classes outside the sets, ``(n, K)``; rows sum to one.

    A row of which nothing is left has the mean of its set.
    """
    distribution: FloatArray | None = getattr(earlier, "distribution", None)
    if distribution is None:
        raise other_kind(earlier, "labels")
    inside = np.where(candidates.mask, distribution, 0.0)
    totals = inside.sum(axis=1, keepdims=True)
    left = totals > _MIN_WEIGHT
    # A row that loses nothing is not divided, so that it stays the same to the last digit.
    inside = np.where(
        (inside == distribution).all(axis=1, keepdims=True),
        inside,
        inside / np.where(left, totals, 1.0),
    )
    return np.where(left, inside, candidates.distribution())


def tied_labels(
    costs: FloatArray, allowed: BoolArray, relative_tolerance: float = _TIE_TOLERANCE
) -> BoolArray:
    """The allowed classes of lowest cost and those that tie with them, ``(r, K)``.

    The tolerance is relative to the largest absolute cost of the row.
    """
    size = np.abs(costs).max(axis=1, initial=0.0)
    tolerance = relative_tolerance * size
    return tied_minima_within(np.ascontiguousarray(costs), np.array(allowed), tolerance)


def log_weights_with_noise(weights: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Logarithms of weights plus Gumbel noise; minus infinity for weight zero."""
    logs = np.full(weights.shape, -np.inf)
    np.log(weights, out=logs, where=weights > 0)
    return logs + rng.gumbel(size=weights.shape)


@dataclass(frozen=True, eq=False)
class CountedHulls:
    """Distributions ``q`` with ``bounds[k, 0] <= sum_j q[j, k] <= bounds[k, 1]`` for all classes k.

    The sum is over the rows of a bag, for each bag. A linear function on them is minimal at labels
    that keep the counts: a transportation problem, whose polytope has integer vertices.

    Parameters
    ----------
    loss : FiniteLoss
    candidates : ClassCounts
    """

    loss: FiniteLoss
    candidates: ClassCounts

    rows_are_independent = False

    @cached_property
    def _bounds(self) -> FloatArray:
        """``(B, K, 2)``."""
        return self.candidates.bag_bounds.astype(np.float64)

    @cached_property
    def open_rows(self) -> BoolArray:
        several: BoolArray = self.candidates.mask.sum(axis=1) > 1
        return several

    @cached_property
    def _entries(self) -> tuple[IntArray, IntArray]:
        row, label = np.nonzero(self.candidates.mask)
        return row, label

    @cached_property
    def _incidence(self) -> tuple[Any, Any]:
        """Sparse matrices that sum the entries of each row, and of each class in each bag."""
        row, label = self._entries
        ones, each = np.ones(row.size), np.arange(row.size)
        n, n_classes = self.candidates.mask.shape
        place = self.candidates.bag_of_row[row] * n_classes + label
        return (
            sp.csr_array((ones, (row, each)), shape=(n, row.size)),
            sp.csr_array((ones, (place, each)), shape=(self._bounds[..., 0].size, row.size)),
        )

    def _totals(self, distribution: FloatArray) -> FloatArray:
        """The sums of distributions over the rows of each bag, ``(B, K)``."""
        totals = np.zeros(self._bounds.shape[:2])
        np.add.at(totals, self.candidates.bag_of_row, distribution)
        return totals

    def cheapest_labels(self, costs: FloatArray) -> tuple[BoolArray, FloatArray]:
        """Labels of lowest cost, ``(n, K)`` with one True per row; and prices, ``(B, K)``."""
        codes, prices = counted_labels(costs, self.candidates)
        mask = np.zeros(self.candidates.mask.shape, dtype=np.bool_)
        mask[np.arange(len(codes)), codes] = True
        return mask, prices

    def candidate_means(self) -> FloatArray:
        return self.candidates.distribution()

    def initial_point(self, form: ConvexForm) -> LabelPoint:
        means = self.candidate_means()
        every = np.arange(len(means))
        gradients = form.gradient(means, form.scores(means), every)
        return LabelPoint(self.cheapest_labels(gradients)[0].astype(np.float64))

    def point_near(self, earlier: Targets, form: ConvexForm) -> LabelPoint:
        """The earlier distributions if they keep the counts, else the nearest that do.

        The distance is the weight that moves to other classes.
        """
        distribution = restricted_distribution(earlier, self.candidates)
        totals = self._totals(distribution)
        rounding = _COUNT_ROUNDING * len(distribution)
        low, high = self._bounds[..., 0], self._bounds[..., 1]
        if ((totals >= low - rounding) & (totals <= high + rounding)).all():
            return LabelPoint(distribution)
        return LabelPoint(self._nearest_distribution(distribution))

    def _nearest_distribution(self, distribution: FloatArray) -> FloatArray:
        """``min sum u`` over q that keep the counts and u >= 0 with ``q + u >= distribution``."""
        by_row, by_class = self._incidence
        n_entries = by_row.shape[1]
        low, high = self._bounds[..., 0].ravel(), self._bounds[..., 1].ravel()
        identity, nothing = sp.csr_array(sp.eye(n_entries)), sp.csr_array(by_class.shape)
        found = linprog(
            np.repeat([0.0, 1.0], n_entries),
            A_ub=sp.bmat(
                [[by_class, nothing], [-by_class, nothing], [-identity, -identity]], format="csr"
            ),
            b_ub=np.concatenate([high, -low, -distribution[self._entries]]),
            A_eq=sp.hstack([by_row, sp.csr_array(by_row.shape)], format="csr"),
            b_eq=np.ones(len(distribution)),
            bounds=(0, None),
            method="highs-ds",
        )
        self._check_program(found)
        nearest = np.zeros_like(distribution)
        nearest[self._entries] = np.maximum(found.x[:n_entries], 0.0)
        normalised: FloatArray = nearest / nearest.sum(axis=1, keepdims=True)
        return normalised

    def _check_program(self, found: Any) -> None:
        """Raise an error unless the linear program was solved."""
        if found.status == _INFEASIBLE_STATUS:
            raise self.candidates.infeasible("the sets of several classes together exclude it")
        if found.status != 0:
            raise RuntimeError(
                f"FrankWolfeMinimization: the linear program failed: {found.message}"
            )

    def step_vertices(self, point: LabelPoint, gradients: FloatArray, rows: IntArray) -> Vertices:
        costs = np.zeros(point.coordinates.shape)
        costs[rows] = gradients
        labels, prices = self.cheapest_labels(costs)
        distribution, zeros = point.coordinates[rows], np.zeros((rows.size, 1))
        return Vertices(
            rows=rows,
            toward=labels[rows].astype(np.float64),
            away=distribution,
            weights=zeros,
            gaps=self._gaps(point.coordinates, costs, prices)[rows, None],
            away_gaps=zeros,
            token=None,
        )

    def _gaps(self, distribution: FloatArray, costs: FloatArray, prices: FloatArray) -> FloatArray:
        """An upper bound on the excess cost of distributions, divided among rows, ``(n,)``.

        The bound comes from the Lagrangian dual at the prices. It holds for any prices, whatever
        their rounding. At the optimum every term is zero; no term is negative.
        """
        totals = self._totals(distribution)
        above = np.maximum(prices, 0.0) * np.maximum(self._bounds[..., 1] - totals, 0.0)
        below = np.maximum(-prices, 0.0) * np.maximum(totals - self._bounds[..., 0], 0.0)
        complementarity = float((above + below).sum())
        priced = costs + prices[self.candidates.bag_of_row]
        lowest = np.where(self.candidates.mask, priced, np.inf).min(axis=1)
        excess = np.einsum("ik,ik->i", distribution, priced) - lowest
        n_open = max(1, int(np.count_nonzero(self.open_rows)))
        gaps: FloatArray = np.maximum(excess, 0.0) + complementarity / n_open
        return gaps

    def move(self, point: LabelPoint, vertices: Vertices, moves: Moves) -> LabelPoint:
        distribution = point.coordinates.copy()
        distribution[vertices.rows] *= moves.kept
        distribution[vertices.rows] += moves.added * vertices.toward
        return LabelPoint(distribution)

    def nearest(self, costs: FloatArray) -> LabelFaces:
        return self.loss.target_faces(self.cheapest_labels(costs)[0])

    def draw(self, point: LabelPoint, rng: np.random.Generator) -> LabelFaces:
        noisy = np.maximum(log_weights_with_noise(point.coordinates, rng), _MIN_LOG_WEIGHT)
        return self.loss.target_faces(self.cheapest_labels(-noisy)[0])

    def targets(self, point: LabelPoint, nearest: LabelFaces) -> SoftFaces:
        # The most likely class of each row, taken alone, may break the counts: the nearest labels
        # that keep them stand for the point.
        prior = self.candidates.distribution()
        return SoftFaces(point.coordinates, nearest.embedding, prior, nearest)
