"""Faces of a finite output space: a mask of tied vertices."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from disambig.losses.embeddings import Embedding
from disambig.notation import BoolArray, FloatArray, IntArray

__all__ = ["LabelFaces"]


@dataclass(frozen=True, eq=False)
class LabelFaces:
    """``mask[i, v]`` = vertex v ties in row i; every row has at least one.

    Parameters
    ----------
    mask : bool array (n, V)
    embedding : Embedding
        Where the V vertices lie.
    """

    mask: BoolArray
    embedding: Embedding

    def __len__(self) -> int:
        return len(self.mask)

    @cached_property
    def distribution(self) -> FloatArray:
        """The uniform law on the tied vertices, ``(n, V)``."""
        law: FloatArray = self.mask / self.mask.sum(axis=1, keepdims=True)
        return law

    @cached_property
    def embedded(self) -> FloatArray:
        return self.embedding.embed(self.distribution)

    @cached_property
    def is_vertex(self) -> BoolArray:
        single: BoolArray = self.mask.sum(axis=1) == 1
        return single

    @property
    def outputs(self) -> IntArray:
        index: IntArray = self.mask.argmax(axis=1)
        return index

    def first(self) -> "LabelFaces":
        mask = np.zeros_like(self.mask)
        mask[np.arange(len(mask)), self.outputs] = True
        return LabelFaces(mask, self.embedding)

    def take(self, index: IntArray) -> "LabelFaces":
        return LabelFaces(self.mask[index], self.embedding)

    def replace(self, rows: IntArray, faces: "LabelFaces") -> "LabelFaces":
        mask = self.mask.copy()
        mask[rows] = faces.mask
        return LabelFaces(mask, self.embedding)

    def vertices(self, rows: IntArray) -> tuple[IntArray, "LabelFaces"]:
        owner, vertex = np.nonzero(self.mask[rows])
        mask = np.zeros((owner.size, self.mask.shape[1]), dtype=np.bool_)
        mask[np.arange(owner.size), vertex] = True
        return owner, LabelFaces(mask, self.embedding)

    def union(self, newer: "LabelFaces") -> "LabelFaces":
        return LabelFaces(self.mask | newer.mask, self.embedding)

    def settle(
        self, current: "LabelFaces", scores: FloatArray, tolerance: FloatArray
    ) -> "LabelFaces":
        # The mask already holds every vertex within the tolerance of the minimum.
        stays: BoolArray = np.any(self.mask & current.mask, axis=1)
        return LabelFaces(np.where(stays[:, None], current.mask, self.first().mask), self.embedding)

    def differing(self, other: "LabelFaces") -> BoolArray:
        return np.asarray((self.mask != other.mask).any(axis=1))
