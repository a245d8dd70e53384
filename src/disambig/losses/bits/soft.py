"""Bits that stay soft: every bit that is not known has a probability of its own.

The Hamming loss at a temperature: bit by bit.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import xlog1py

from disambig.candidates.bits.partial_bits import PartialBits
from disambig.losses.bits.faces import BitFaces
from disambig.losses.embeddings import SignEmbedding
from disambig.losses.softening import SoftMeans
from disambig.notation import AnyArray, BoolArray, FloatArray

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

    def direction_to(self, other: "SoftBits") -> FloatArray:
        return np.asarray(other.embedded - self.embedded)

    def interpolate(self, other: "SoftBits", part: float) -> "SoftBits":
        # Of all laws with this mean, independent bits are the nearest to fair coins.
        return replace(self, signs=self.signs + part * (other.signs - self.signs))

    def distance(self, other: "SoftBits") -> float:
        return float(np.abs(other.signs - self.signs).max(initial=0.0)) / 2.0


@dataclass(frozen=True, eq=False)
class BitSoftening:
    """The `Softening` of the Hamming loss.

    The relative entropy of a tag weighs what the tag weighs in the loss, so that each tag is
    annealed as if it were alone.

    Parameters
    ----------
    weights : float array (m,)
        Of tags; sum to one.
    as_target, as_prediction : SignEmbedding
        How signs are embedded: `as_prediction` is ``-weights / 2`` times `as_target`.
    candidates : PartialBits
    """

    weights: FloatArray
    as_target: SignEmbedding
    as_prediction: SignEmbedding
    candidates: PartialBits

    @property
    def unit(self) -> float:
        return 1.0

    @property
    def width(self) -> int:
        return len(self.weights) + 1

    @property
    def is_symmetric(self) -> bool:
        return True

    def base(self) -> SoftBits:
        return self._laws(2.0 * self.candidates.means() - 1.0)

    def predictions(self, scores: FloatArray, scales: FloatArray) -> SoftMeans:
        signs = _leaning(scores[:, :-1], scales)
        divergences = np.asarray(coin_divergences(signs) @ self.weights)
        return SoftMeans(self.as_prediction.embed(signs), divergences)

    def targets(self, scores: FloatArray, scales: FloatArray) -> SoftBits:
        return self._unknown_laws(_leaning(-2.0 * scores[:, :-1] / self.weights, scales))

    def members(self, scores: FloatArray, scales: FloatArray) -> SoftBits:
        return self._unknown_laws(_leaning(scores[:, :-1], scales))

    def _unknown_laws(self, signs: FloatArray) -> SoftBits:
        known, bits = self.candidates.known, self.candidates.bits
        return self._laws(np.where(known, 2.0 * bits - 1.0, signs))

    def _laws(self, signs: FloatArray) -> SoftBits:
        unknown = ~self.candidates.known
        return SoftBits(signs, unknown, self.weights, self.as_target, self.as_prediction)


def _leaning(gains: FloatArray, scales: FloatArray) -> FloatArray:
    """``P(1) - P(0)`` where 1 gains ``gains[i, t]`` over 0, at the scale of its row."""
    heard = scales > 0
    divisor = np.where(heard, 2.0 * scales, 1.0)[:, None]
    # Odd to the last digit: votes that cancel leave a bit open, and no rounding decides it.
    return np.asarray(np.tanh(np.where(heard[:, None], gains, 0.0) / divisor))
