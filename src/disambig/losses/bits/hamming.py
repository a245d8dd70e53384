"""The Hamming loss on bits: the (weighted) share of tags that are wrong.

`HammingLoss` is the parameter of an estimator; `BoundHamming` is the loss on known tags.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from disambig.candidates.bits.partial_bits import PartialBits
from disambig.losses.bits.faces import BitFaces
from disambig.losses.bits.linear import LinearBitLoss, hamming_under_rules
from disambig.losses.bits.soft import BitSoftening
from disambig.losses.embeddings import SignEmbedding
from disambig.losses.named_weights import named_weights
from disambig.notation import AnyArray, FloatArray
from disambig.parameters import choice_message
from disambig.votes import Votes


class HammingLoss(BaseEstimator):
    """``loss(z, y) = sum of w[t] over the tags with z[t] != y[t] / sum of w``, in [0, 1].

    Without rules tags do not interact: disambiguation treats each tag separately, under the 0-1
    loss. So weights change the value of the loss but not the solution. An unknown tag carries no
    vote, so that the average-candidates method and the infimum loss predict the same.

    Parameters
    ----------
    tag_weights : array-like (m,) or mapping from tag to weight, optional
        ``w``, positive. By default all weights are equal.

    Examples
    --------
    >>> import numpy as np
    >>> loss = HammingLoss().bind(np.array(["red", "blue"]))
    >>> z, y = np.array([[1, 0]]), np.array([[1, 1]])
    >>> float((loss.psi(z) * loss.phi(y)).sum())
    0.5
    """

    def __init__(self, tag_weights: Any = None) -> None:
        self.tag_weights = tag_weights

    def bind(self, tags: AnyArray) -> "BoundHamming":
        """The loss on these tags.

        Parameters
        ----------
        tags : array (m,)
            The names, in order.
        """
        weights = named_weights("HammingLoss", "tag_weights", "tag", self.tag_weights, tags)
        return BoundHamming(weights / weights.sum(), tags)

    def bind_bits(self, bits: PartialBits) -> "BoundHamming | LinearBitLoss":
        """The loss on the tags of these bits, with predictions that keep their rules."""
        bound = self.bind(bits.tags)
        return hamming_under_rules(bound.weights, bits) if bits.has_rules else bound


@dataclass(frozen=True, eq=False)
class BoundHamming:
    """``phi(y) = (signs of y, 1)`` and ``psi(z) = (-w signs of z, 1) / 2``; signs are 1 and -1.

    Parameters
    ----------
    weights : float array (m,)
        Sum to one.
    tags : array (m,)
    """

    weights: FloatArray
    tags: AnyArray

    @cached_property
    def as_target(self) -> SignEmbedding:
        """Embedding of (means of) signs of targets."""
        return SignEmbedding(np.ones(len(self.weights)), 1.0)

    @cached_property
    def as_prediction(self) -> SignEmbedding:
        """Embedding of (means of) signs of predictions."""
        return SignEmbedding(-0.5 * self.weights, 0.5)

    def phi(self, bits: AnyArray) -> FloatArray:
        """Embedding of targets, bits ``(n, m)`` to ``(n, m + 1)``."""
        return self.as_target.embed(2.0 * np.asarray(bits) - 1.0)

    def psi(self, bits: AnyArray) -> FloatArray:
        """Embedding of predictions, bits ``(n, m)`` to ``(n, m + 1)``."""
        return self.as_prediction.embed(2.0 * np.asarray(bits) - 1.0)

    def mean_target(self, probabilities: FloatArray) -> FloatArray:
        """The mean of ``phi(y)`` over tags of these probabilities, ``(q, m)`` to ``(q, m + 1)``."""
        return self.as_target.embed(2.0 * probabilities - 1.0)

    def mean_bits(self, embedded: FloatArray) -> FloatArray:
        """The means of the bits of (means of) embedded targets, ``(n, m + 1)`` to ``(n, m)``."""
        return np.asarray((embedded[:, :-1] + 1.0) / 2.0)

    def candidates(self, y: Any) -> PartialBits:
        """The observed bits of the user, checked against the tags of this loss."""
        return PartialBits.from_any(y, self.tags)

    def magnitude(self, candidates: PartialBits) -> float:
        return 1.0

    def start(self, candidates: PartialBits, kind: str) -> FloatArray:
        """Starts: ``"average"`` and ``"infimum"`` differ by a constant for each row.

        Unknown bits have sign 0 in both.
        """
        start = self.as_target.embed(2.0 * candidates.means() - 1.0)
        if kind == "average":
            return start
        if kind == "infimum":
            start[:, -1] = candidates.known @ self.weights
            return start
        names = ("average", "infimum")
        raise ValueError(choice_message("", "start of the Hamming loss", kind, names))

    def best_prediction(self, scores: FloatArray, tolerance: FloatArray) -> BitFaces:
        # Tag t contributes w[t] |score| to the difference of its two values. The tolerance of a tag
        # is its share w[t] of that of the row, so all tags together stay within the latter.
        gains_of_one = scores[:, :-1]
        tied = np.abs(gains_of_one) <= tolerance[:, None]
        bits = np.where(tied, -1, gains_of_one > 0).astype(np.int8)
        return BitFaces(bits, self.as_prediction)

    def best_candidate(
        self, scores: FloatArray, candidates: PartialBits, tolerance: FloatArray
    ) -> BitFaces:
        # The values 1 and 0 of a bit have signs 1 and -1: their costs differ by twice the score.
        costs = scores[:, :-1]
        tied = 2.0 * np.abs(costs) <= tolerance[:, None] * self.weights
        free = np.where(tied, -1, costs < 0)
        bits = np.where(candidates.known, candidates.bits, free).astype(np.int8)
        return BitFaces(bits, self.as_target)

    def softened(self, candidates: PartialBits) -> BitSoftening:
        """The loss at a temperature, on these candidates."""
        return BitSoftening(self.weights, self.as_target, self.as_prediction, candidates)

    def infimum_prediction(self, votes: Votes, candidates: PartialBits, rtol: float) -> BitFaces:
        """Exact for votes of any sign, because an unknown bit adds the same to both predictions.

        For a positive vote the nearest candidate agrees with the prediction at an unknown bit, for
        a negative vote it disagrees, whatever the prediction is.
        """
        scores = votes @ self.start(candidates, "infimum")
        scale = votes.absolute_row_sums(candidates.informative.astype(np.float64))
        return self.best_prediction(scores, rtol * scale)
