"""Targets that stay soft: a law on the vertices of a finite output space.

Finite losses at a temperature: a table of probabilities.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from disambig.losses.embeddings import Embedding
from disambig.losses.labels.faces import LabelFaces
from disambig.losses.softening import SoftMeans, gibbs, relative_entropies
from disambig.notation import BoolArray, FloatArray, IntArray

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
    base : float array (n, V)
        The laws at infinite temperature.
    """

    distribution: FloatArray
    embedding: Embedding
    base: FloatArray

    def __len__(self) -> int:
        return len(self.distribution)

    @cached_property
    def embedded(self) -> FloatArray:
        return self.embedding.embed(self.distribution)

    @property
    def as_predictions(self) -> FloatArray:
        return self.distribution

    @cached_property
    def divergences(self) -> FloatArray:
        return relative_entropies(self.distribution, self.base)

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

    def direction_to(self, other: "SoftFaces") -> FloatArray:
        return self.embedding.embed(other.distribution - self.distribution)

    def interpolate(self, other: "SoftFaces", part: float) -> "SoftFaces":
        direction = other.distribution - self.distribution
        return SoftFaces(self.distribution + part * direction, self.embedding, self.base)

    def distance(self, other: "SoftFaces") -> float:
        return float(np.abs(other.distribution - self.distribution).max(initial=0.0))


@dataclass(frozen=True, eq=False)
class LabelSoftening:
    """The `Softening` of a finite loss on sets of labels.

    Parameters
    ----------
    matrix : float array (P, K)
        The loss.
    embedding : Embedding
        Where the classes lie.
    law : float array (n, K)
        The law of each row at infinite temperature; zero outside of its set.
    """

    matrix: FloatArray
    embedding: Embedding
    law: FloatArray

    @property
    def unit(self) -> float:
        return float(np.abs(self.matrix).max())

    @property
    def width(self) -> int:
        return int(max(self.matrix.shape))

    @property
    def is_symmetric(self) -> bool:
        matrix = self.matrix
        return matrix.shape[0] == matrix.shape[1] and np.array_equal(matrix, matrix.T)

    def base(self) -> SoftFaces:
        return SoftFaces(self.law, self.embedding, self.law)

    def predictions(self, scores: FloatArray, scales: FloatArray) -> SoftMeans:
        uniform = np.full(scores.shape, 1.0 / scores.shape[1])
        law = gibbs(scores, scales, uniform)
        return SoftMeans(law, relative_entropies(law, uniform))

    def targets(self, scores: FloatArray, scales: FloatArray) -> SoftFaces:
        law = gibbs(self.embedding.costs(scores), scales, self.law)
        return SoftFaces(law, self.embedding, self.law)

    def members(self, scores: FloatArray, scales: FloatArray) -> SoftFaces:
        # The y-th prediction is the y-th unit vector: its cost is its score.
        return SoftFaces(gibbs(scores, scales, self.law), self.embedding, self.law)
