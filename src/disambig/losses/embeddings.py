"""Embeddings of outputs in ``R^p``.

`IdentityEmbedding`, `ComplementEmbedding` and `TableEmbedding` embed the vertices of a finite
output space. `SignEmbedding` embeds vectors of signs: the bits of a tag vector, or the pairs of an
order.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from disambig.notation import FloatArray


class Embedding(Protocol):
    """A linear map from weights over V vertices to ``R^p``, and its adjoint."""

    def embed(self, weights: FloatArray) -> FloatArray:
        """``sum_v weights[:, v] e(v)``: ``(n, V)`` to ``(n, p)``."""
        ...

    def costs(self, scores: FloatArray) -> FloatArray:
        """``<e(v), scores[i]>``: ``(n, p)`` to ``(n, V)``."""
        ...


@dataclass(frozen=True)
class IdentityEmbedding:
    """Vertex v is the v-th unit vector."""

    def embed(self, weights: FloatArray) -> FloatArray:
        return weights

    def costs(self, scores: FloatArray) -> FloatArray:
        return scores


@dataclass(frozen=True)
class ComplementEmbedding:
    """Vertex v is one minus the v-th unit vector: the 0-1 loss without its ``K x K`` table."""

    def embed(self, weights: FloatArray) -> FloatArray:
        embedded: FloatArray = weights.sum(axis=1, keepdims=True) - weights
        return embedded

    def costs(self, scores: FloatArray) -> FloatArray:
        costs: FloatArray = scores.sum(axis=1, keepdims=True) - scores
        return costs


@dataclass(frozen=True, eq=False)
class TableEmbedding:
    """Vertex v is row v of a table ``(V, p)``."""

    table: FloatArray

    def embed(self, weights: FloatArray) -> FloatArray:
        embedded: FloatArray = np.asarray(weights @ self.table)
        return embedded

    def costs(self, scores: FloatArray) -> FloatArray:
        costs: FloatArray = np.asarray(scores @ self.table.T)
        return costs


@dataclass(frozen=True, eq=False)
class SignEmbedding:
    """Maps signs (1, -1, or means of them), ``(n, m)``, to ``(factors * signs, constant)``.

    Parameters
    ----------
    factors : float array (m,)
    constant : float
    """

    factors: FloatArray
    constant: float

    def embed(self, signs: FloatArray) -> FloatArray:
        """``(n, m)`` to ``(n, m + 1)``."""
        embedded = np.full((len(signs), signs.shape[1] + 1), self.constant)
        np.multiply(signs, self.factors, out=embedded[:, :-1])
        return embedded
