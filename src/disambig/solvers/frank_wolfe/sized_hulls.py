"""Label sets with bounds on the sizes of classes: rows that no longer move on their own."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from disambig.candidates.label_sets import LabelSets
from disambig.exceptions import CandidateError
from disambig.losses.finite import FiniteLoss
from disambig.losses.label_faces import LabelFaces
from disambig.losses.soft_faces import SoftFaces
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.solvers.frank_wolfe.form import ConvexForm
from disambig.solvers.frank_wolfe.hulls import Corners, Moves
from disambig.solvers.frank_wolfe.label_hulls import LabelPoint, perturbed

__all__ = ["SizedHulls", "class_sizes"]

_INFEASIBLE = 2


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

    def corners(self, point: LabelPoint, slopes: FloatArray, rows: IntArray) -> Corners:
        costs = np.zeros(point.places.shape)
        costs[rows] = slopes
        labels, prices = self.labelling(costs)
        law, nothing = point.places[rows], np.zeros((rows.size, 1))
        return Corners(
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

    def move(self, point: LabelPoint, corners: Corners, moves: Moves) -> LabelPoint:
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
