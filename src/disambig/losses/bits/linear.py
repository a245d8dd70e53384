"""Losses on bits that are linear in the bits of the target: the Hamming loss under rules, top k."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator

from disambig.candidates.bits.partial_bits import PartialBits
from disambig.candidates.bits.rules import TagRules
from disambig.exceptions import MissingOracleError
from disambig.losses.bits.mean_faces import MeanBitFaces, MeanEmbedding
from disambig.notation import AnyArray, FloatArray
from disambig.parameters import check_integer, choice_message


class TopKLoss(BaseEstimator):
    """``loss(z, y) = 1 - |z and y| / k``: the share of the k predicted tags that are not there.

    Predictions have exactly k tags (all of them if there are fewer than k), whatever `tag_counts`
    says of the number of tags of a row; they keep implications. Without these, the best ones are
    the k tags of the largest scores. The loss is one minus the precision at k.

    Parameters
    ----------
    k : int, default 3

    Examples
    --------
    >>> import numpy as np
    >>> from disambig import PartialBits
    >>> loss = TopKLoss(2).bind_bits(PartialBits.from_any([[1, 0, 0]]))
    >>> loss.best_prediction(loss.mean_target(np.array([[0.2, 0.9, 0.4]])), np.zeros(1)).outputs
    array([[0, 1, 1]], dtype=int8)
    """

    def __init__(self, k: int = 3) -> None:
        self.k = k

    def bind_bits(self, bits: PartialBits) -> "LinearBitLoss":
        """The loss on the tags of these bits."""
        m = bits.n_tags
        k = min(check_integer("TopKLoss", "k", self.k, least=1), m)
        rules = TagRules(bits.tags, bits.implications, k, k)
        embedding = MeanEmbedding(np.full(m, -0.5 / k), np.zeros(m), 0.5)
        return LinearBitLoss(np.full(m, 1.0 / m), embedding, rules)


def hamming_under_rules(weights: FloatArray, bits: PartialBits) -> "LinearBitLoss":
    """The Hamming loss, with predictions that keep the rules of these bits.

    Bounds on the number of tags that differ between rows are no rule for new inputs.
    """
    return LinearBitLoss(weights, MeanEmbedding(-weights, 0.5 * weights, 0.5), bits.rules)


@dataclass(frozen=True, eq=False)
class LinearBitLoss:
    """``phi(y) = (signs of y, 1)``, and ``psi(z)`` is affine in the bits of z.

    Both minimisers are exact, with the mean of all ties, see `TagRules`.

    Parameters
    ----------
    weights : float array (m,)
        Of tags; with sum one.
    as_prediction : MeanEmbedding
        Embedding of predictions.
    rules : TagRules
        What predictions must keep.
    """

    weights: FloatArray
    as_prediction: MeanEmbedding
    rules: TagRules

    @property
    def tags(self) -> AnyArray:
        """The names of the tags, ``(m,)``."""
        return self.rules.tags

    @property
    def as_target(self) -> MeanEmbedding:
        """Embedding of targets."""
        m = len(self.weights)
        return MeanEmbedding(np.full(m, 2.0), np.full(m, -1.0), 1.0)

    def phi(self, bits: AnyArray) -> FloatArray:
        """Embedding of targets, bits ``(n, m)`` to ``(n, m + 1)``."""
        return self.as_target.embed(np.asarray(bits, dtype=np.float64))

    def psi(self, bits: AnyArray) -> FloatArray:
        """Embedding of predictions, bits ``(n, m)`` to ``(n, m + 1)``."""
        return self.as_prediction.embed(np.asarray(bits, dtype=np.float64))

    def mean_target(self, probabilities: FloatArray) -> FloatArray:
        """The mean of ``phi(y)`` over independent tags of these probabilities, ``(q, m + 1)``."""
        return self.as_target.embed(probabilities)

    def mean_bits(self, embedded: FloatArray) -> FloatArray:
        """The means of the bits of (means of) embedded targets, ``(n, m + 1)`` to ``(n, m)``."""
        return np.asarray((embedded[:, :-1] + 1.0) / 2.0)

    def magnitude(self, candidates: PartialBits) -> float:
        return 1.0

    def start(self, candidates: PartialBits, kind: str) -> FloatArray:
        if kind == "average":
            return self.as_target.embed(candidates.means())
        if kind == "infimum":
            raise MissingOracleError(
                "start='infimum' is not linear in the bits under rules and for TopKLoss. Use "
                "start='average'."
            )
        names = ("average", "infimum")
        raise ValueError(choice_message("", "start of a loss on bits", kind, names))

    def best_prediction(self, scores: FloatArray, tolerance: FloatArray) -> MeanBitFaces:
        costs = self.as_prediction.factors * scores[:, :-1]
        found = self.rules.cheapest(costs, tolerance=tolerance)
        return MeanBitFaces.of(found, self.as_prediction)

    def best_candidate(
        self, scores: FloatArray, candidates: PartialBits, tolerance: FloatArray
    ) -> MeanBitFaces:
        costs = self.as_target.factors * scores[:, :-1]
        found = candidates.rules.cheapest(
            costs, candidates.bits, candidates.counts, tolerance=tolerance
        )
        return MeanBitFaces.of(found, self.as_target)
