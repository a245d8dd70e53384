"""The Hamming loss at a temperature.

Bits are independent: each unknown bit has its own probability, given by the mean of its sign,
``P(1) - P(0)``.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import xlog1py

from disambig.candidates.bits.partial_bits import PartialBits
from disambig.losses.bits.faces import BitFaces
from disambig.losses.embeddings import SignEmbedding, SoftSigns
from disambig.losses.softening import SoftMeans
from disambig.notation import BoolArray, FloatArray

# The values of a bit tie if their probabilities differ by less. Rounding over many steps leaves
# differences of this size.
_TIE_TOLERANCE = 1e-6


def coin_divergences(signs: FloatArray) -> FloatArray:
    """Relative entropies to a fair coin of bits with mean signs ``P(1) - P(0)``, ``(n, m)``.

    Examples
    --------
    >>> import numpy as np
    >>> coin_divergences(np.array([[0.0, 1.0]])).round(4)
    array([[0.    , 0.6931]])
    """
    divergences: FloatArray = xlog1py(1.0 + signs, signs) + xlog1py(1.0 - signs, -signs)
    return divergences / 2.0


@dataclass(frozen=True, eq=False)
class SoftBits(SoftSigns):
    """Independent bits, given by ``signs[i, t] = P(bit t of row i is 1) - P(it is 0)``.

    Parameters
    ----------
    signs : float array (n, m)
        1 or -1 if a bit is known.
    unknown : bool array (n, m)
    weights : float array (m,)
        Weight of each tag in the loss, and of its relative entropy.
    as_target, as_prediction : SignEmbedding
        Embeddings of signs.
    """

    signs: FloatArray
    unknown: BoolArray
    weights: FloatArray
    as_target: SignEmbedding
    as_prediction: SignEmbedding

    @property
    def means(self) -> FloatArray:
        """The probability that a bit is 1, ``(n, m)``."""
        return np.asarray((1.0 + self.signs) / 2.0)

    @cached_property
    def divergences(self) -> FloatArray:
        return np.asarray(np.where(self.unknown, coin_divergences(self.signs), 0.0) @ self.weights)

    @cached_property
    def largest(self) -> BitFaces:
        """The more likely value of each bit, as faces; ties are open bits."""
        tied = np.abs(self.signs) <= _TIE_TOLERANCE
        bits = np.where(tied, -1, self.signs > 0).astype(np.int8)
        return BitFaces(bits, self.as_target)

    def interpolate(self, other: "SoftBits", fraction: float) -> "SoftBits":
        # Not the mixture of both: of all distributions with its mean, independent bits have the
        # smallest relative entropy to fair coins.
        return replace(self, signs=self.signs + fraction * (other.signs - self.signs))


@dataclass(frozen=True, eq=False)
class BitSoftening:
    """The `Softening` of the Hamming loss.

    The relative entropy of a tag has the weight of the tag in the loss, so that each tag is
    annealed independently of the others.

    Parameters
    ----------
    weights : float array (m,)
        Of tags; sum to one.
    as_target, as_prediction : SignEmbedding
        Embeddings of signs: `as_prediction` is ``-weights / 2`` times `as_target`.
    candidates : PartialBits
    """

    weights: FloatArray
    as_target: SignEmbedding
    as_prediction: SignEmbedding
    candidates: PartialBits

    @property
    def unit_temperature(self) -> float:
        return 1.0

    @property
    def width(self) -> int:
        return len(self.weights) + 1

    @property
    def is_symmetric(self) -> bool:
        return True

    def prior(self) -> SoftBits:
        return self._soft_bits(2.0 * self.candidates.means() - 1.0)

    def predictions(self, scores: FloatArray, scales: FloatArray) -> SoftMeans:
        signs = _mean_signs(scores[:, :-1], scales)
        divergences = np.asarray(coin_divergences(signs) @ self.weights)
        return SoftMeans(self.as_prediction.embed(signs), divergences)

    def targets(self, scores: FloatArray, scales: FloatArray) -> SoftBits:
        return self._with_known_bits(_mean_signs(-2.0 * scores[:, :-1] / self.weights, scales))

    def targets_as_predictions(self, scores: FloatArray, scales: FloatArray) -> SoftBits:
        return self._with_known_bits(_mean_signs(scores[:, :-1], scales))

    def _with_known_bits(self, signs: FloatArray) -> SoftBits:
        """These signs at unknown bits, the observed ones at known bits."""
        known, bits = self.candidates.known, self.candidates.bits
        return self._soft_bits(np.where(known, 2.0 * bits - 1.0, signs))

    def _soft_bits(self, signs: FloatArray) -> SoftBits:
        unknown = ~self.candidates.known
        return SoftBits(signs, unknown, self.weights, self.as_target, self.as_prediction)


def _mean_signs(gains: FloatArray, scales: FloatArray) -> FloatArray:
    """``P(1) - P(0) = tanh(gains / (2 scales))``, if 1 costs ``gains[i, t]`` less than 0."""
    has_votes = scales > 0
    divisor = np.where(has_votes, 2.0 * scales, 1.0)[:, None]
    # tanh is odd to the last digit: votes that cancel leave a bit open, and rounding cannot decide.
    return np.asarray(np.tanh(np.where(has_votes[:, None], gains, 0.0) / divisor))
