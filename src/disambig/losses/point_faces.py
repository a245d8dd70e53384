"""Faces of an output space whose ties cannot be listed: one vertex a row."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

__all__ = ["PointFaces"]


@dataclass(frozen=True, eq=False)
class PointFaces:
    """Single vertices, given as outputs and where they lie; perhaps with the mean of their ties.

    A face here is one vertex or, where the mean of the tied ones can be had without a list of
    them, that mean and one of its vertices. When a step gains nothing the current faces stay,
    which keeps descent and termination.

    Parameters
    ----------
    outputs : array, first axis n
        The vertices in the user's own form; an object array for what is no number.
    embedded : float array (n, p)
        Where the faces lie: the vertices, or the means.
    corners : float array (n, p), optional
        Where `outputs` lie, if `embedded` are means.
    """

    outputs: AnyArray
    embedded: FloatArray
    corners: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.embedded)

    @cached_property
    def is_vertex(self) -> BoolArray:
        if self.corners is None:
            return np.ones(len(self), dtype=np.bool_)
        single: BoolArray = (self.embedded == self.corners).all(axis=1)
        return single

    def first(self) -> "PointFaces":
        return self if self.corners is None else PointFaces(self.outputs, self.corners)

    def take(self, index: Any) -> "PointFaces":
        corners = None if self.corners is None else self.corners[index]
        return PointFaces(self.outputs[index], self.embedded[index], corners)

    def replace(self, rows: IntArray, faces: "PointFaces") -> "PointFaces":
        # The wider type: words would be cut to the length of the current ones.
        outputs = self.outputs.astype(np.result_type(self.outputs, faces.outputs))
        embedded = self.embedded.copy()
        outputs[rows], embedded[rows] = faces.outputs, faces.embedded
        if self.corners is None and faces.corners is None:
            return PointFaces(outputs, embedded)
        corners = self.first().embedded.copy()
        corners[rows] = faces.first().embedded
        return PointFaces(outputs, embedded, corners)

    def vertices(self, rows: IntArray) -> tuple[IntArray, "PointFaces"]:
        """The one vertex that is known of each row."""
        return np.arange(len(rows)), self.take(rows).first()

    def union(self, newer: "PointFaces") -> "PointFaces":
        return self

    def settle(
        self, current: "PointFaces", scores: FloatArray, tolerance: FloatArray
    ) -> "PointFaces":
        found, current = self.first(), current.first()
        gain = np.einsum("ip,ip->i", current.embedded - found.embedded, scores)
        stays = np.flatnonzero(gain <= tolerance)
        return found.replace(stays, current.take(stays))

    def differing(self, other: "PointFaces") -> BoolArray:
        return np.asarray((self.embedded != other.embedded).any(axis=1))
