"""One minus the F measure of each row, with exact minimisers."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sklearn.base import BaseEstimator

from disambig.candidates.bits.partial_bits import PartialBits
from disambig.candidates.bits.rules import TagRules
from disambig.exceptions import MissingOracleError
from disambig.losses.structured import PointFaces
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.parameters import check_number, choice_message


class FMeasureLoss(BaseEstimator):
    """``loss(z, y) = 1 - (1 + beta^2) |z and y| / (beta^2 |y| + |z|)``; 0 if both are empty.

    It weighs the tags that are there against those that are predicted, so that a rare tag counts as
    much as a frequent one. The best prediction depends on which tags are on together with how many:
    for every size k it is the k tags of the largest scores, and the best size is taken.

    The embeddings have ``m^2 + 2`` columns: the loss is for some 50 tags at most.

    Parameters
    ----------
    beta : float, default 1
        With a beta above 1 a tag that is missed costs more than one too many.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig import PartialBits
    >>> loss = FMeasureLoss().bind_bits(PartialBits.from_any([[1, 0, 0]]))
    >>> z, y = np.array([[1, 1, 0]]), np.array([[1, 0, 0]])
    >>> round(float((loss.psi(z) * loss.phi(y)).sum()), 4)
    0.3333
    """

    def __init__(self, beta: float = 1.0) -> None:
        self.beta = beta

    def bind_bits(self, bits: PartialBits) -> "BoundFMeasure":
        """The loss on the tags of these bits, with predictions that keep their rules."""
        beta = check_number("FMeasureLoss", "beta", self.beta, positive=True)
        return BoundFMeasure(float(beta), bits.rules)


@dataclass(frozen=True, eq=False)
class BoundFMeasure:
    """``phi(y)[t, s] = y_t [|y| = s]``, then ``[|y| = 0]``, then 1; ``p = m^2 + 2``.

    ``psi(z)[t, s] = -(1 + beta^2) z_t / (beta^2 s + |z|)``, then ``-[|z| = 0]``, then 1.

    Parameters
    ----------
    beta : float
    rules : TagRules
        What predictions must keep.
    """

    beta: float
    rules: TagRules

    @property
    def tags(self) -> AnyArray:
        """The names of the tags, ``(m,)``."""
        return self.rules.tags

    @property
    def weights(self) -> FloatArray:
        """Equal weights of the tags, ``(m,)``."""
        m = len(self.tags)
        return np.full(m, 1.0 / m)

    @cached_property
    def _gains(self) -> FloatArray:
        """``[k, s - 1]``: of a right tag among k predicted and s true ones, ``(m + 1, m)``."""
        m, square = len(self.tags), self.beta**2
        sizes = np.arange(1, m + 1)
        gains: FloatArray = (1.0 + square) / (square * sizes + np.arange(m + 1)[:, None])
        return gains

    def phi(self, bits: AnyArray) -> FloatArray:
        """Embedding of targets, bits ``(n, m)`` to ``(n, m^2 + 2)``."""
        bits = np.asarray(bits)
        at_size = bits.sum(axis=1)[:, None] == np.arange(1, bits.shape[1] + 1)
        return _joined(bits[:, :, None] * at_size[:, None, :], ~at_size.any(axis=1))

    def psi(self, bits: AnyArray) -> FloatArray:
        """Embedding of predictions, bits ``(n, m)`` to ``(n, m^2 + 2)``."""
        bits = np.asarray(bits)
        sizes = bits.sum(axis=1)
        return _joined(
            -bits[:, :, None] * self._gains[sizes][:, None, :], -(sizes == 0).astype(np.float64)
        )

    def mean_target(self, probabilities: FloatArray) -> FloatArray:
        """The mean of ``phi(y)`` over independent tags of these probabilities, ``(q, p)``."""
        q, m = probabilities.shape
        table = np.empty((q, m, m))
        for tag in range(m):
            others = np.delete(probabilities, tag, axis=1)
            table[:, tag] = probabilities[:, [tag]] * _size_distribution(others)
        return _joined(table, (1.0 - probabilities).prod(axis=1))

    def mean_bits(self, embedded: FloatArray) -> FloatArray:
        """The means of the bits of (means of) embedded targets, ``(n, p)`` to ``(n, m)``."""
        return np.asarray(self._table(embedded).sum(axis=2))

    def magnitude(self, candidates: PartialBits) -> float:
        return 1.0

    def start(self, candidates: PartialBits, kind: str) -> FloatArray:
        if kind == "average":
            return self._mean_candidate(candidates)
        if kind == "infimum":
            raise MissingOracleError(
                "start='infimum' is not linear in the bits for FMeasureLoss. Use start='average'."
            )
        names = ("average", "infimum")
        raise ValueError(choice_message("", "start of a loss on bits", kind, names))

    def best_prediction(self, scores: FloatArray, tolerance: FloatArray) -> PointFaces:
        table = self._table(scores)
        # The empty prediction costs minus the score of the empty target.
        least, bits = np.full(len(scores), np.inf), np.zeros(table.shape[:2], dtype=np.int8)
        if self.rules.low == 0:
            least = -scores[:, -2]
        for size in self._sizes():
            found = self.rules.cheapest(-table @ self._gains[size], counts=_exactly(size, scores))
            better = found.costs < least - tolerance
            least, bits[better] = np.where(better, found.costs, least), found.first[better]
        faces = PointFaces(bits, self.psi(bits))
        return _with_means(faces, scores, tolerance, self._mean_prediction)

    def best_candidate(
        self, scores: FloatArray, candidates: PartialBits, tolerance: FloatArray
    ) -> PointFaces:
        table = self._table(scores)
        low, high = candidates.counts.T
        is_possible = (low == 0) & ~(candidates.bits == 1).any(axis=1)
        least = np.where(is_possible, scores[:, -2], np.inf)
        bits = np.zeros(candidates.shape, dtype=np.int8)
        for size in range(1, candidates.n_tags + 1):
            counts = _exactly(size, scores)
            found = candidates.rules.cheapest(table[:, :, size - 1], candidates.bits, counts)
            better = (found.costs < least - tolerance) & (low <= size) & (size <= high)
            least, bits[better] = np.where(better, found.costs, least), found.first[better]
        faces = PointFaces(bits, self.phi(bits))
        return _with_means(
            faces, scores, tolerance, lambda rows: self._mean_candidate(candidates[rows])
        )

    def _sizes(self) -> range:
        return range(max(self.rules.low, 1), self.rules.most + 1)

    def _table(self, scores: FloatArray) -> FloatArray:
        """The scores of tag t with s tags in all, ``(n, m, m)``."""
        m = len(self.tags)
        return scores[:, :-2].reshape(len(scores), m, m)

    def _mean_candidate(self, candidates: PartialBits) -> FloatArray:
        """The mean of ``phi`` over each set, ``(n, p)``."""
        shares, means = _by_size(candidates.rules, candidates.bits, candidates.counts)
        return _joined((shares[1:, :, None] * means[1:]).transpose(1, 2, 0), shares[0])

    def _mean_prediction(self, rows: IntArray) -> FloatArray:
        """The mean of ``psi`` over all predictions, ``(rows, p)``."""
        m = len(self.tags)
        nothing_known = np.full((1, m), -1, dtype=np.int8)
        counts = np.array([[self.rules.low, self.rules.most]])
        shares, means = _by_size(self.rules, nothing_known, counts)
        table = np.einsum("k,kt,ks->ts", shares[:, 0], means[:, 0], -self._gains)
        return np.tile(_joined(table[None], -shares[0]), (len(rows), 1))


def _joined(table: FloatArray, empty: FloatArray) -> FloatArray:
    """Columns of tags and sizes, that of the empty set, and a one, ``(n, m^2 + 2)``."""
    n = len(table)
    return np.column_stack([table.reshape(n, -1).astype(np.float64), empty, np.ones(n)])


def _exactly(size: int, scores: FloatArray) -> IntArray:
    return np.full((len(scores), 2), size)


def _size_distribution(probabilities: FloatArray) -> FloatArray:
    """The probability of 0 to m tags, if tags are independent, ``(q, m + 1)``."""
    q, m = probabilities.shape
    found = np.zeros((q, m + 1))
    found[:, 0] = 1.0
    for tag in range(m):
        p = probabilities[:, [tag]]
        found[:, 1:] = found[:, 1:] * (1.0 - p) + found[:, :-1] * p
        found[:, 0] *= 1.0 - p[:, 0]
    return found


def _by_size(rules: TagRules, bits: AnyArray, counts: IntArray) -> tuple[FloatArray, FloatArray]:
    """Shares of the candidates with 0 to m tags, ``(m + 1, n)``, and the means of these."""
    n, m = bits.shape
    logs, means = np.empty((m + 1, n)), np.zeros((m + 1, n, m))
    costs = np.zeros((n, m))
    for size in range(m + 1):
        found = rules.cheapest(costs, bits, _exactly(size, costs))
        inside = (counts[:, 0] <= size) & (size <= counts[:, 1])
        logs[size], means[size] = np.where(inside, found.log_numbers, -np.inf), found.means
    shares = np.exp(logs - logs.max(axis=0))
    return shares / shares.sum(axis=0), means


def _with_means(
    faces: PointFaces,
    scores: FloatArray,
    tolerance: FloatArray,
    mean: Callable[[IntArray], FloatArray],
) -> PointFaces:
    """Faces in which rows without scores are at the mean of everything that is possible.

    Ties of other rows cannot be listed: a face is one of the tied vectors.
    """
    rows = np.flatnonzero(np.abs(scores[:, :-1]).max(axis=1) <= tolerance)
    if not rows.size:
        return faces
    embedded = faces.embedded.copy()
    embedded[rows] = mean(rows)
    return PointFaces(faces.outputs, embedded, faces.embedded)
