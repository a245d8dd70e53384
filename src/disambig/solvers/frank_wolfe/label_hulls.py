"""Hulls of sets of labels: laws on the candidates of each row."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from disambig.candidates.label_sets import LabelSets
from disambig.kernels.ties import tied_minima_within
from disambig.losses.finite import FiniteLoss
from disambig.losses.label_faces import LabelFaces
from disambig.losses.soft_faces import SoftFaces
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.solvers.frank_wolfe.form import ConvexForm
from disambig.solvers.frank_wolfe.hulls import Corners, Moves

__all__ = ["LabelHulls", "LabelPoint", "perturbed", "tied_labels"]

# Slopes that differ by this part of the largest tie; weights below the other are rounding.
_TIE, _NOTHING = 1e-12, 1e-14
# Vertices that differ by less in their distance from a law are as near.
_NEAR = 1e-6


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

    def corners(self, point: LabelPoint, slopes: FloatArray, rows: IntArray) -> Corners:
        allowed, law = self.candidates.mask[rows], point.places[rows]
        tied = tied_labels(slopes, allowed)
        toward = tied / tied.sum(axis=1, keepdims=True)
        lowest = np.where(allowed, slopes, np.inf).min(axis=1)
        here = np.einsum("ik,ik->i", law, slopes)
        worst = np.where(law > 0, slopes, -np.inf).argmax(axis=1)
        each = np.arange(rows.size)
        away = np.zeros_like(law)
        away[each, worst] = 1.0
        return Corners(
            rows=rows,
            toward=toward,
            away=away,
            weights=law[each, worst][:, None],
            slacks=np.maximum(here - lowest, 0.0)[:, None],
            steps_away=np.maximum(slopes[each, worst] - here, 0.0)[:, None],
            token=None,
        )

    def move(self, point: LabelPoint, corners: Corners, moves: Moves) -> LabelPoint:
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
