"""Hulls of sets of labels: laws on the candidates of each row.

Label sets with bounds on the sizes of classes: rows that no longer move on their own.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from disambig.candidates.labels.label_sets import LabelSets
from disambig.compiled.sets import tied_minima_within
from disambig.exceptions import CandidateError
from disambig.losses.labels.faces import LabelFaces
from disambig.losses.labels.finite import FiniteLoss
from disambig.losses.labels.soft import SoftFaces
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.solvers.frank_wolfe.form import ConvexForm
from disambig.solvers.frank_wolfe.hulls import Moves, Vertices

# Slopes that differ by this part of the largest tie; weights below the other are rounding.
_TIE, _NOTHING = 1e-12, 1e-14
# Vertices that differ by less in their distance from a law are as near.
_NEAR = 1e-6
_INFEASIBLE = 2


@dataclass(frozen=True, eq=False)
class LabelPoint:
    """Laws on the classes, ``(n, K)``: their own weights on vertices."""

    places: FloatArray

    @property
    def undecided(self) -> int:
        return int(np.count_nonzero((self.places > 0).sum(axis=1) > 1))


@dataclass(frozen=True, eq=False)
class LabelHulls:
    """`Hulls` of label sets. Where classes tie, one walks to the middle of them.

    Parameters
    ----------
    loss : FiniteLoss
    candidates : LabelSets
    """

    loss: FiniteLoss
    candidates: LabelSets

    walks_by_row = True

    @cached_property
    def open_rows(self) -> BoolArray:
        several: BoolArray = self.candidates.mask.sum(axis=1) > 1
        return several

    def middle(self) -> FloatArray:
        return self.candidates.distribution()

    def begin(self, form: ConvexForm) -> LabelPoint:
        return LabelPoint(self.middle())

    def corners(self, point: LabelPoint, slopes: FloatArray, rows: IntArray) -> Vertices:
        allowed, law = self.candidates.mask[rows], point.places[rows]
        tied = tied_labels(slopes, allowed)
        toward = tied / tied.sum(axis=1, keepdims=True)
        lowest = np.where(allowed, slopes, np.inf).min(axis=1)
        here = np.einsum("ik,ik->i", law, slopes)
        worst = np.where(law > 0, slopes, -np.inf).argmax(axis=1)
        each = np.arange(rows.size)
        away = np.zeros_like(law)
        away[each, worst] = 1.0
        return Vertices(
            rows=rows,
            toward=toward,
            away=away,
            weights=law[each, worst][:, None],
            slacks=np.maximum(here - lowest, 0.0)[:, None],
            steps_away=np.maximum(slopes[each, worst] - here, 0.0)[:, None],
            token=None,
        )

    def move(self, point: LabelPoint, corners: Vertices, moves: Moves) -> LabelPoint:
        law = point.places.copy()
        moved = moves.kept * law[corners.rows] + moves.added * corners.toward
        moved -= moves.removed * corners.away
        moved[moved < _NOTHING] = 0.0
        law[corners.rows] = moved / moved.sum(axis=1, keepdims=True)
        return LabelPoint(law)

    def nearest(self, costs: FloatArray) -> LabelFaces:
        return self.loss.target_faces(tied_labels(costs, self.candidates.mask, _NEAR))

    def draw(self, point: LabelPoint, rng: np.random.Generator) -> LabelFaces:
        # The largest of log-weights with Gumbel noise is drawn by the weights.
        noisy = perturbed(point.places, rng)
        mask = np.zeros_like(self.candidates.mask)
        mask[np.arange(len(mask)), noisy.argmax(axis=1)] = True
        return self.loss.target_faces(mask)

    def targets(self, point: LabelPoint, settled: LabelFaces) -> SoftFaces:
        return SoftFaces(point.places, settled.embedding, self.candidates.distribution())


def tied_labels(costs: FloatArray, allowed: BoolArray, tie: float = _TIE) -> BoolArray:
    """The allowed classes of least cost, but for a part of the largest, ``(r, K)``."""
    size = np.abs(costs).max(axis=1, initial=0.0)
    return tied_minima_within(np.ascontiguousarray(costs), np.array(allowed), tie * size)


def perturbed(law: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Log-weights with Gumbel noise; minus infinity where there is no weight."""
    logs = np.full(law.shape, -np.inf)
    np.log(law, out=logs, where=law > 0)
    return logs + rng.gumbel(size=law.shape)


def class_sizes(sizes: Any, n: int, n_classes: int) -> FloatArray:
    """Bounds ``(K, 2)`` on the sizes of classes from what a user writes.

    Examples
    --------
    >>> class_sizes("balanced", 7, 3)
    array([[2., 3.],
           [2., 3.],
           [2., 3.]])
    """
    if isinstance(sizes, str):
        if sizes != "balanced":
            raise ValueError(
                f"FrankWolfeMinimization: sizes={sizes!r} is not known; expected 'balanced' or "
                "a table with the least and the greatest size of each class."
            )
        return np.tile([float(n // n_classes), float(-(-n // n_classes))], (n_classes, 1))
    bounds = np.asarray(sizes, dtype=np.float64)
    if bounds.shape != (n_classes, 2):
        raise ValueError(
            f"FrankWolfeMinimization: sizes has shape {bounds.shape}; expected "
            f"({n_classes}, 2): the least and the greatest size of each class."
        )
    wrong = ~((bounds[:, 0] >= 0) & (bounds[:, 0] <= bounds[:, 1]))
    if wrong.any():
        k = int(wrong.argmax())
        raise ValueError(
            f"FrankWolfeMinimization: sizes[{k}] is {bounds[k].tolist()}; expected two numbers, "
            "0 <= least <= greatest."
        )
    # Sizes are whole numbers: what lies between can be taken off, and vertices are labellings.
    return np.column_stack([np.ceil(bounds[:, 0]), np.floor(np.minimum(bounds[:, 1], n))])


@dataclass(frozen=True, eq=False)
class SizedHulls:
    """Laws ``q`` on the candidates with ``least <= sum_j q[j, k] <= greatest`` for all classes k.

    A linear function on them is smallest at a labelling that keeps the sizes (a transportation
    problem, whose polytope has whole vertices); the simplex method finds one.

    Parameters
    ----------
    loss : FiniteLoss
    candidates : LabelSets
    sizes : float array (K, 2)
        Whole numbers.
    """

    loss: FiniteLoss
    candidates: LabelSets
    sizes: FloatArray

    walks_by_row = False

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
        """Which entries make up a row, and which a class."""
        row, label = self._entries
        ones, each = np.ones(row.size), np.arange(row.size)
        n, n_classes = self.candidates.mask.shape
        return (
            sp.csr_array((ones, (row, each)), shape=(n, row.size)),
            sp.csr_array((ones, (label, each)), shape=(n_classes, row.size)),
        )

    def labelling(self, costs: FloatArray) -> tuple[BoolArray, FloatArray]:
        """Of least cost, ``(n, K)`` with one True a row; and prices of the bounds, ``(2, K)``.

        The first of the prices are of places in a class, the second of rows that it lacks; none is
        negative.
        """
        by_row, by_class = self._incidence
        # The program judges optimality by absolute numbers.
        unit = float(np.abs(costs).max(initial=0.0)) or 1.0
        found = linprog(
            costs[self._entries] / unit,
            A_ub=sp.vstack([by_class, -by_class], format="csr"),
            b_ub=np.concatenate([self.sizes[:, 1], -self.sizes[:, 0]]),
            A_eq=by_row,
            b_eq=np.ones(len(self.candidates)),
            bounds=(0, 1),
            method="highs-ds",
        )
        if found.status == _INFEASIBLE:
            raise CandidateError(
                "FrankWolfeMinimization: no labels of the sets keep the sizes "
                f"{self.sizes.astype(int).tolist()} (least and greatest, a class a pair). "
                "Widen sizes."
            )
        if found.status != 0:
            raise RuntimeError(
                f"FrankWolfeMinimization: the linear program failed: {found.message}"
            )
        mask = np.zeros(self.candidates.mask.shape, dtype=np.bool_)
        mask[self._entries] = found.x > 0.5
        prices = np.maximum(-unit * found.ineqlin.marginals, 0.0)
        return mask, prices.reshape(2, -1)

    def middle(self) -> FloatArray:
        return self.candidates.distribution()

    def begin(self, form: ConvexForm) -> LabelPoint:
        middle = self.middle()
        every = np.arange(len(middle))
        slopes = form.gradient(middle, form.heard(middle), every)
        return LabelPoint(self.labelling(slopes)[0].astype(np.float64))

    def corners(self, point: LabelPoint, slopes: FloatArray, rows: IntArray) -> Vertices:
        costs = np.zeros(point.places.shape)
        costs[rows] = slopes
        labels, prices = self.labelling(costs)
        law, nothing = point.places[rows], np.zeros((rows.size, 1))
        return Vertices(
            rows=rows,
            toward=labels[rows].astype(np.float64),
            away=law,
            weights=nothing,
            slacks=self._slacks(point.places, costs, prices)[rows, None],
            steps_away=nothing,
            token=None,
        )

    def _slacks(self, law: FloatArray, costs: FloatArray, prices: FloatArray) -> FloatArray:
        """What the laws pay above the least, ``(n,)``, shared out over rows.

        By duality, so that it is proven whatever the program takes for zero: with any prices, rows
        that pay them for their class and are free otherwise pay no more than rows that keep the
        sizes. Every term is zero at the optimum, and none is negative.
        """
        room = np.stack([self.sizes[:, 1] - law.sum(axis=0), law.sum(axis=0) - self.sizes[:, 0]])
        unused = float((prices * np.maximum(room, 0.0)).sum())
        priced = costs + prices[0] - prices[1]
        least = np.where(self.candidates.mask, priced, np.inf).min(axis=1)
        above = np.einsum("ik,ik->i", law, priced) - least
        n_open = max(1, int(np.count_nonzero(self.open_rows)))
        slacks: FloatArray = np.maximum(above, 0.0) + unused / n_open
        return slacks

    def move(self, point: LabelPoint, corners: Vertices, moves: Moves) -> LabelPoint:
        law = point.places.copy()
        law[corners.rows] *= moves.kept
        law[corners.rows] += moves.added * corners.toward
        return LabelPoint(law)

    def nearest(self, costs: FloatArray) -> LabelFaces:
        return self.loss.target_faces(self.labelling(costs)[0])

    def draw(self, point: LabelPoint, rng: np.random.Generator) -> LabelFaces:
        # What has no weight is not forbidden, only far: the sizes may ask for it.
        noisy = np.maximum(perturbed(point.places, rng), -1e3)
        return self.loss.target_faces(self.labelling(-noisy)[0])

    def targets(self, point: LabelPoint, settled: LabelFaces) -> SoftFaces:
        return SoftFaces(point.places, settled.embedding, self.candidates.distribution())
