"""The contract of a product of hulls: what Frank-Wolfe needs to know about the feasible set."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from disambig.losses.protocol import Faces
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.solvers.frank_wolfe.form import ConvexForm
from disambig.solvers.solution import Targets


class Point(Protocol):
    """A point of the hulls, with the weights of the vertices that it is a mean of."""

    @property
    def coordinates(self) -> FloatArray:
        """Its coordinates, ``(n, p)``."""
        ...

    @property
    def undecided(self) -> int:
        """The number of rows that are not at a vertex."""
        ...


@dataclass(frozen=True, eq=False)
class Vertices:
    """For each of some rows: the vertex to move towards, and the vertex to move away from.

    Below c = 1, except for a hull that is itself a product, like a cube of bits: then c = p, and
    weights and gaps are those of each coordinate.

    Attributes
    ----------
    rows : int array (r,)
    toward, away : float array (r, p)
        A minimiser of the gradient over the hull (if vertices tie, it may be their mean); and,
        among the vertices with weight in the point, one where the gradient is largest.
    weights : float array (r, c)
        The weights of the vertices `away`.
    gaps : float array (r, c), not negative
        ``<gradient, point - toward>``, or a share of an upper bound if rows are not independent.
        If `rows` are all open rows, the sum is (at least) the Frank-Wolfe gap.
    away_gaps : float array (r, c), not negative
        ``<gradient, away - point>``.
    token : object
        Private data of the hulls, which `Hulls.move` reads.
    """

    rows: IntArray
    toward: FloatArray
    away: FloatArray
    weights: FloatArray
    gaps: FloatArray
    away_gaps: FloatArray
    token: Any


@dataclass(frozen=True, eq=False)
class Moves:
    """``x -> kept x + added toward - removed away`` in the rows of some `Vertices`, ``(r, c)``."""

    kept: FloatArray
    added: FloatArray
    removed: FloatArray


class Hulls(Protocol):
    """The hulls of the candidates of all rows, through exact linear minimisation."""

    @property
    def open_rows(self) -> BoolArray:
        """Rows with several candidates, ``(n,)``."""
        ...

    @property
    def rows_are_independent(self) -> bool:
        """Can every row move without the others?"""
        ...

    def candidate_means(self) -> FloatArray:
        """The mean of the candidates of each row, ``(n, p)``."""
        ...

    def initial_point(self, form: ConvexForm) -> Any:
        """The point to start from."""
        ...

    def point_near(self, earlier: Targets, form: ConvexForm) -> Any:
        """The point to start from that is near earlier targets of the same rows, in other sets.

        Earlier targets that are in these hulls are the point itself.
        """
        ...

    def step_vertices(self, point: Any, gradients: FloatArray, rows: IntArray) -> Vertices:
        """The vertices for a step of some rows with the gradients ``(r, p)``."""
        ...

    def move(self, point: Any, vertices: Vertices, moves: Moves) -> Any:
        """The point after moves."""
        ...

    def nearest(self, costs: FloatArray) -> Faces:
        """The vertices of all rows that minimise costs ``(n, p)``, with their ties."""
        ...

    def draw(self, point: Any, rng: np.random.Generator) -> Faces:
        """One random vertex per row, with the weights of the point as probabilities."""
        ...

    def targets(self, point: Any, nearest: Any) -> Targets:
        """The point as relaxed targets; `nearest` are the vertices nearest to it."""
        ...


def other_kind(earlier: Targets, expected: str) -> ValueError:
    """The error for a start whose targets are of another kind."""
    return ValueError(
        f"FrankWolfeMinimization: start is a solution whose targets are {type(earlier).__name__}; "
        f"expected {expected}. Start from a solution of the same rows and the same loss."
    )
