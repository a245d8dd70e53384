"""Finite losses at a temperature: a table of probabilities."""

from dataclasses import dataclass

import numpy as np

from disambig.losses.embeddings import Embedding
from disambig.losses.gibbs import gibbs, relative_entropies
from disambig.losses.soft_faces import SoftFaces
from disambig.losses.softening import SoftMeans
from disambig.notation import FloatArray

__all__ = ["LabelSoftening"]


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
