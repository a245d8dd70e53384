"""The contract of a product of hulls: what Frank-Wolfe must know about where it may walk."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from disambig.losses.protocol import Faces
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.solvers.frank_wolfe.form import ConvexForm
from disambig.solvers.solution import Targets


class Point(Protocol):
    """A point of the hulls, and the vertices that it is a mean of."""

    @property
    def places(self) -> FloatArray:
        """Its coordinates, ``(n, p)``."""
        ...

    @property
    def undecided(self) -> int:
        """Rows that are not at a vertex."""
        ...


@dataclass(frozen=True, eq=False)
class Vertices:
    """For each of some rows: the vertex to walk to, and the one to walk away from.

    A hull that is itself a product, like a cube of bits, says so coordinate by coordinate: then
    c = p below, and c = 1 otherwise.

    Attributes
    ----------
    rows : int array (r,)
    toward, away : float array (r, p)
        A minimiser of the slope over the hull, and the worst vertex that the point has weight on.
    weights : float array (r, c)
        The weight on the latter.
    slacks : float array (r, c), not negative
        How much can be gained if only the slope counts. Their sum is the gap, if the rows are all
        open ones.
    steps_away : float array (r, c), not negative
        By how much the vertex to walk away from is worse than the point.
    token : object
        For the hulls themselves.
    """

    rows: IntArray
    toward: FloatArray
    away: FloatArray
    weights: FloatArray
    slacks: FloatArray
    steps_away: FloatArray
    token: Any


@dataclass(frozen=True, eq=False)
class Moves:
    """``x -> kept x + added toward - removed away`` in the rows of some corners, ``(r, c)``."""

    kept: FloatArray
    added: FloatArray
    removed: FloatArray


class Hulls(Protocol):
    """The hulls of all rows' candidates, through exact linear minimisation."""

    @property
    def open_rows(self) -> BoolArray:
        """Rows with several candidates, ``(n,)``."""
        ...

    @property
    def walks_by_row(self) -> bool:
        """May every row move on its own?"""
        ...

    def middle(self) -> FloatArray:
        """The mean of the candidates of each row, ``(n, p)``."""
        ...

    def begin(self, form: ConvexForm) -> Any:
        """A point to start from."""
        ...

    def corners(self, point: Any, slopes: FloatArray, rows: IntArray) -> Vertices:
        """Where the slopes ``(r, p)`` of some rows point to."""
        ...

    def move(self, point: Any, corners: Vertices, moves: Moves) -> Any:
        """The point after moves."""
        ...

    def nearest(self, costs: FloatArray) -> Faces:
        """The vertices of all rows that minimise costs ``(n, p)``, with their ties."""
        ...

    def draw(self, point: Any, rng: np.random.Generator) -> Faces:
        """One vertex a row by chance: every vertex by the weight that the point has on it."""
        ...

    def targets(self, point: Any, settled: Any) -> Targets:
        """The point as relaxed targets of which `settled` are the nearest vertices."""
        ...
