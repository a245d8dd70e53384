"""Faces of an output space whose ties cannot be averaged: one vertex a row."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

__all__ = ["PointFaces"]


@dataclass(frozen=True, eq=False)
class PointFaces:
    """Single vertices, given as outputs and where they lie.

    At a tie the current vertex stays unless another is strictly better, which keeps descent and
    termination; what is lost is the word "undecided".

    Parameters
    ----------
    outputs : array, first axis n
        The vertices in the user's own form; an object array for what is no number.
    embedded : float array (n, p)
    """

    outputs: AnyArray
    embedded: FloatArray

    def __len__(self) -> int:
        return len(self.embedded)

    @cached_property
    def is_vertex(self) -> BoolArray:
        return np.ones(len(self), dtype=np.bool_)

    def first(self) -> "PointFaces":
        return self

    def take(self, index: Any) -> "PointFaces":
        return PointFaces(self.outputs[index], self.embedded[index])

    def replace(self, rows: IntArray, faces: "PointFaces") -> "PointFaces":
        outputs, embedded = self.outputs.copy(), self.embedded.copy()
        outputs[rows], embedded[rows] = faces.outputs, faces.embedded
        return PointFaces(outputs, embedded)

    def vertices(self, rows: IntArray) -> tuple[IntArray, "PointFaces"]:
        return np.arange(len(rows)), self.take(rows)

    def union(self, newer: "PointFaces") -> "PointFaces":
        return self

    def settle(
        self, current: "PointFaces", scores: FloatArray, tolerance: FloatArray
    ) -> "PointFaces":
        gain = np.einsum("ip,ip->i", current.embedded - self.embedded, scores)
        stays = np.flatnonzero(gain <= tolerance)
        return self.replace(stays, current.take(stays))

    def equals(self, other: "PointFaces") -> bool:
        return np.array_equal(self.embedded, other.embedded)
