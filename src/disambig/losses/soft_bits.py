"""Bits that stay soft: every bit that is not known has a probability of its own."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import xlog1py

from disambig.losses.bit_faces import BitFaces
from disambig.losses.sign_embedding import SignEmbedding
from disambig.notation import AnyArray, BoolArray, FloatArray

__all__ = ["SoftBits", "coin_divergences"]

# Probabilities that differ by less tie: they are what is left of rounding after many steps.
_TIE = 1e-6


def coin_divergences(signs: FloatArray) -> FloatArray:
    """Relative entropy to a fair coin of bits with these mean signs, ``P(1) - P(0)``, ``(n, m)``.

    Examples
    --------
    >>> import numpy as np
    >>> coin_divergences(np.array([[0.0, 1.0]])).round(4)
    array([[0.    , 0.6931]])
    """
    divergences: FloatArray = xlog1py(1.0 + signs, signs) + xlog1py(1.0 - signs, -signs)
    return divergences / 2.0


@dataclass(frozen=True, eq=False)
class SoftBits:
    """Independent bits by ``signs[i, t] = P(bit t of row i is 1) - P(it is 0)``.

    Parameters
    ----------
    signs : float array (n, m)
        1 or -1 where a bit is known.
    unknown : bool array (n, m)
    weights : float array (m,)
        What each tag weighs in the loss; its relative entropy weighs the same.
    as_target, as_prediction : SignEmbedding
        How signs are embedded.
    """

    signs: FloatArray
    unknown: BoolArray
    weights: FloatArray
    as_target: SignEmbedding
    as_prediction: SignEmbedding

    def __len__(self) -> int:
        return len(self.means)

    @property
    def means(self) -> FloatArray:
        """The probability that a bit is 1, ``(n, m)``."""
        return np.asarray((1.0 + self.signs) / 2.0)

    @cached_property
    def embedded(self) -> FloatArray:
        return self.as_target.embed(self.signs)

    @property
    def as_predictions(self) -> FloatArray:
        return self.as_prediction.embed(self.signs)

    @cached_property
    def divergences(self) -> FloatArray:
        return np.asarray(np.where(self.unknown, coin_divergences(self.signs), 0.0) @ self.weights)

    @cached_property
    def largest(self) -> BitFaces:
        """The more likely value of each bit, as faces."""
        tied = np.abs(self.signs) <= _TIE
        bits = np.where(tied, -1, self.signs > 0).astype(np.int8)
        return BitFaces(bits, self.as_target)

    @property
    def is_vertex(self) -> BoolArray:
        return self.largest.is_vertex

    @property
    def outputs(self) -> AnyArray:
        return self.largest.outputs

    def first(self) -> BitFaces:
        return self.largest.first()

    def way_to(self, other: "SoftBits") -> FloatArray:
        return np.asarray(other.embedded - self.embedded)

    def towards(self, other: "SoftBits", part: float) -> "SoftBits":
        # Of all laws with this mean, independent bits are the nearest to fair coins.
        return replace(self, signs=self.signs + part * (other.signs - self.signs))

    def distance(self, other: "SoftBits") -> float:
        return float(np.abs(other.signs - self.signs).max(initial=0.0)) / 2.0
