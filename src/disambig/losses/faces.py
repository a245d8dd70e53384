"""What a half step returns: for each row the vertices that tie for the minimum.

A linear function over a polytope is minimal on a face. Where several vertices tie, every point of
the face is optimal, and the **barycentre** of the tied vertices says "still undecided": picking
the first vertex instead would hand every uninformed row to class 0, and the error would spread.
"""

from typing import Any, Protocol, Self

from disambig.notation import BoolArray, FloatArray, IntArray

__all__ = ["Faces"]


class Faces(Protocol):
    """One face a row, ``n`` rows, in an embedding of dimension ``p``."""

    def __len__(self) -> int:
        """``n``."""
        ...

    @property
    def embedded(self) -> FloatArray:
        """Barycentres of the faces, ``(n, p)``."""
        ...

    @property
    def is_vertex(self) -> BoolArray:
        """Rows whose face is a single vertex, ``(n,)``."""
        ...

    def first(self) -> Self:
        """The first vertex of each face: the deterministic choice."""
        ...

    def take(self, index: IntArray) -> Self:
        """The faces of some rows."""
        ...

    def replace(self, rows: IntArray, faces: Self) -> Self:
        """A copy in which ``rows[k]`` has the k-th of `faces`."""
        ...

    def vertices(self, rows: IntArray) -> tuple[IntArray, Self]:
        """All vertices of some rows: ``(position in rows, faces of one vertex each)``."""
        ...

    def union(self, newer: Self) -> Self:
        """Faces that hold both. Called for rows to which a step brought no gain.

        In exact arithmetic `newer` then holds this one already; the union keeps rounding from
        making a run cycle. A kind of face that cannot form means keeps its current vertex.
        """
        ...

    def settle(self, current: Self, scores: FloatArray, tolerance: FloatArray) -> Self:
        """Single vertices: the `current` one unless these faces are better by `tolerance`."""
        ...

    def differing(self, other: Self) -> BoolArray:
        """Rows whose faces are not the same, ``(n,)``."""
        ...

    @property
    def outputs(self) -> Any:
        """The first vertex of each face as an output: class numbers, or the user's own type."""
        ...
