"""The Hamming loss at a temperature: bit by bit."""

from dataclasses import dataclass

import numpy as np

from disambig.candidates.partial_bits import PartialBits
from disambig.losses.sign_embedding import SignEmbedding
from disambig.losses.soft_bits import SoftBits, coin_divergences
from disambig.losses.softening import SoftMeans
from disambig.notation import FloatArray

__all__ = ["BitSoftening"]


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
