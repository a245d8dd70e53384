"""Hulls of partial bits: a cube for each row, which is itself a product over the bits."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from disambig.candidates.bits.partial_bits import PartialBits
from disambig.losses.bits.faces import BitFaces
from disambig.losses.bits.hamming import BoundHamming
from disambig.losses.bits.soft import SoftBits
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.solvers.frank_wolfe.form import ConvexForm
from disambig.solvers.frank_wolfe.hulls import Moves, Vertices, other_kind
from disambig.solvers.solution import Targets

# The cost of a bit is its weight times its mean sign, up to the sign. Mean signs below this are
# rounding; both values of the bit are then equally near.
_NEAREST_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class BitPoint:
    """Means of signs and a one, ``(n, m + 1)``, as in ``phi``. The means determine the weights."""

    coordinates: FloatArray

    @property
    def undecided(self) -> int:
        return int(np.count_nonzero((np.abs(self.coordinates) < 1.0).any(axis=1)))


@dataclass(frozen=True, eq=False)
class BitHulls:
    """`Hulls` of partial bits: every unknown bit moves on its own.

    Parameters
    ----------
    loss : BoundHamming
    candidates : PartialBits
    """

    loss: BoundHamming
    candidates: PartialBits

    rows_are_independent = True

    @cached_property
    def open_rows(self) -> BoolArray:
        return np.asarray(~self.candidates.known.all(axis=1))

    def candidate_means(self) -> FloatArray:
        return self.loss.start(self.candidates, "average")

    def initial_point(self, form: ConvexForm) -> BitPoint:
        return BitPoint(self.candidate_means())

    def point_near(self, earlier: Targets, form: ConvexForm) -> BitPoint:
        """The earlier mean signs, except at bits that are known now."""
        if not isinstance(earlier, (BitFaces, SoftBits)):
            raise other_kind(earlier, "bits")
        signs = np.array(earlier.embedded)
        known = self.candidates.known
        signs[:, :-1][known] = 2.0 * self.candidates.bits[known] - 1.0
        return BitPoint(signs)

    def step_vertices(self, point: BitPoint, gradients: FloatArray, rows: IntArray) -> Vertices:
        here = point.coordinates[rows]
        unknown = np.zeros(here.shape, dtype=np.bool_)
        unknown[:, :-1] = ~self.candidates.known[rows]
        # A bit of gradient zero stays where it is.
        toward = np.where(unknown & (gradients != 0.0), -np.sign(gradients), here)
        away = np.where(unknown & (gradients != 0.0), np.sign(gradients), here)
        return Vertices(
            rows=rows,
            toward=toward,
            away=away,
            weights=np.abs(toward - here) / 2.0,
            gaps=np.maximum((here - toward) * gradients, 0.0),
            away_gaps=np.maximum((away - here) * gradients, 0.0),
            token=None,
        )

    def move(self, point: BitPoint, vertices: Vertices, moves: Moves) -> BitPoint:
        coordinates = point.coordinates.copy()
        moved = moves.kept * coordinates[vertices.rows] + moves.added * vertices.toward
        moved -= moves.removed * vertices.away
        # A sign that differs from 1 or -1 by rounding is set to it exactly.
        near = np.abs(np.abs(moved) - 1.0) < 1e-14
        coordinates[vertices.rows] = np.where(near, np.sign(moved), np.clip(moved, -1.0, 1.0))
        return BitPoint(coordinates)

    def nearest(self, costs: FloatArray) -> BitFaces:
        tolerance = np.full(len(costs), _NEAREST_TOLERANCE)
        return self.loss.best_candidate(costs, self.candidates, tolerance)

    def draw(self, point: BitPoint, rng: np.random.Generator) -> BitFaces:
        ones = rng.random(self.candidates.shape) < (1.0 + point.coordinates[:, :-1]) / 2.0
        return BitFaces(ones.astype(np.int8), self.loss.as_target)

    def targets(self, point: BitPoint, nearest: BitFaces) -> SoftBits:
        return SoftBits(
            signs=point.coordinates[:, :-1],
            unknown=~self.candidates.known,
            weights=self.loss.weights,
            as_target=self.loss.as_target,
            as_prediction=self.loss.as_prediction,
        )
