"""Targets that stay soft: a law on the vertices of a finite output space."""

from dataclasses import dataclass
from functools import cached_property

from disambig.losses.embeddings import Embedding
from disambig.losses.label_faces import LabelFaces
from disambig.notation import BoolArray, FloatArray, IntArray

__all__ = ["SoftFaces"]

# Probabilities that differ by less tie: they are what is left of rounding after many steps.
_TIE = 1e-6


@dataclass(frozen=True, eq=False)
class SoftFaces:
    """``distribution[i, v]`` = how much of row i lies on vertex v; rows sum to one.

    The mean of a row is a point inside the hull, not on a face: what an annealed run ends with
    while its temperature is positive. A row counts as settled if one vertex has more than any
    other.

    Parameters
    ----------
    distribution : float array (n, V)
    embedding : Embedding
        Where the V vertices lie.
    """

    distribution: FloatArray
    embedding: Embedding

    def __len__(self) -> int:
        return len(self.distribution)

    @cached_property
    def embedded(self) -> FloatArray:
        return self.embedding.embed(self.distribution)

    @cached_property
    def largest(self) -> LabelFaces:
        """The vertices that have the most of each row, as faces."""
        most = self.distribution.max(axis=1, keepdims=True)
        return LabelFaces(self.distribution >= most - _TIE, self.embedding)

    @property
    def is_vertex(self) -> BoolArray:
        return self.largest.is_vertex

    @property
    def outputs(self) -> IntArray:
        return self.largest.outputs

    def first(self) -> LabelFaces:
        return self.largest.first()
