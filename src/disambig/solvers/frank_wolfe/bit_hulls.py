"""Hulls of bits: a cube for each row, which is a product itself."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from disambig.candidates.bits.partial_bits import PartialBits
from disambig.losses.bits.faces import BitFaces
from disambig.losses.bits.hamming import BoundHamming
from disambig.losses.bits.soft import SoftBits
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.solvers.frank_wolfe.form import ConvexForm
from disambig.solvers.frank_wolfe.hulls import Moves, Vertices

_NEAR = 1e-6


@dataclass(frozen=True, eq=False)
class BitPoint:
    """Means of signs, and a one: ``(n, m + 1)``, as ``phi``. They are their own weights."""

    places: FloatArray

    @property
    def undecided(self) -> int:
        return int(np.count_nonzero((np.abs(self.places) < 1.0).any(axis=1)))


@dataclass(frozen=True, eq=False)
class BitHulls:
    """`Hulls` of partial bits: every bit that is not known walks on its own.

    Parameters
    ----------
    loss : BoundHamming
    candidates : PartialBits
    """

    loss: BoundHamming
    candidates: PartialBits

    walks_by_row = True

    @cached_property
    def open_rows(self) -> BoolArray:
        return np.asarray(~self.candidates.known.all(axis=1))

    def middle(self) -> FloatArray:
        return self.loss.start(self.candidates, "average")

    def begin(self, form: ConvexForm) -> BitPoint:
        return BitPoint(self.middle())

    def corners(self, point: BitPoint, slopes: FloatArray, rows: IntArray) -> Vertices:
        here = point.places[rows]
        free = np.zeros(here.shape, dtype=np.bool_)
        free[:, :-1] = ~self.candidates.known[rows]
        # A bit without a slope stays where it is.
        toward = np.where(free & (slopes != 0.0), -np.sign(slopes), here)
        away = np.where(free & (slopes != 0.0), np.sign(slopes), here)
        return Vertices(
            rows=rows,
            toward=toward,
            away=away,
            weights=np.abs(toward - here) / 2.0,
            slacks=np.maximum((here - toward) * slopes, 0.0),
            steps_away=np.maximum((away - here) * slopes, 0.0),
            token=None,
        )

    def move(self, point: BitPoint, corners: Vertices, moves: Moves) -> BitPoint:
        places = point.places.copy()
        moved = moves.kept * places[corners.rows] + moves.added * corners.toward
        moved -= moves.removed * corners.away
        # What has arrived but for rounding has arrived.
        near = np.abs(np.abs(moved) - 1.0) < 1e-14
        places[corners.rows] = np.where(near, np.sign(moved), np.clip(moved, -1.0, 1.0))
        return BitPoint(places)

    def nearest(self, costs: FloatArray) -> BitFaces:
        # Costs are signs times weights; signs below this are what is left of rounding.
        return self.loss.best_candidate(costs, self.candidates, np.full(len(costs), _NEAR))

    def draw(self, point: BitPoint, rng: np.random.Generator) -> BitFaces:
        ones = rng.random(self.candidates.shape) < (1.0 + point.places[:, :-1]) / 2.0
        return BitFaces(ones.astype(np.int8), self.loss.as_target)

    def targets(self, point: BitPoint, settled: BitFaces) -> SoftBits:
        return SoftBits(
            signs=point.places[:, :-1],
            unknown=~self.candidates.known,
            weights=self.loss.weights,
            as_target=self.loss.as_target,
            as_prediction=self.loss.as_prediction,
        )
