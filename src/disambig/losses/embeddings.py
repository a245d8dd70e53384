"""Vectors of signs, the bits of a tag vector or the pairs of an order: embeddings, and means."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from disambig.notation import AnyArray, BoolArray, FloatArray


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


class SoftSigns:
    """Distributions on vectors of signs that are given by their means: what bits and orders share.

    Attributes
    ----------
    signs : float array (n, m)
        Mean signs.
    as_target, as_prediction : SignEmbedding
    largest : Faces
        The most likely vectors.
    """

    signs: FloatArray
    as_target: SignEmbedding
    as_prediction: SignEmbedding
    largest: Any

    def __len__(self) -> int:
        return len(self.signs)

    @cached_property
    def embedded(self) -> FloatArray:
        return self.as_target.embed(self.signs)

    @property
    def as_predictions(self) -> FloatArray:
        return self.as_prediction.embed(self.signs)

    @property
    def is_vertex(self) -> BoolArray:
        vertices: BoolArray = self.largest.is_vertex
        return vertices

    @property
    def outputs(self) -> AnyArray:
        outputs: AnyArray = self.largest.outputs
        return outputs

    def first(self) -> Any:
        return self.largest.first()

    def direction_to(self, other: Self) -> FloatArray:
        return np.asarray(other.embedded - self.embedded)

    def distance(self, other: Self) -> float:
        return float(np.abs(other.signs - self.signs).max(initial=0.0)) / 2.0
