"""Finite losses at a temperature: distributions as tables of probabilities."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from disambig.losses.labels.faces import Embedding, LabelFaces
from disambig.losses.softening import SoftMeans
from disambig.notation import BoolArray, FloatArray, IntArray


def gibbs(costs: FloatArray, scales: FloatArray, prior: FloatArray) -> FloatArray:
    """``q[i, v]`` proportional to ``prior[i, v] exp(-costs[i, v] / scales[i])``, ``(n, V)``.

    The distribution that minimises ``<q, costs> + scales KL(q | prior)`` row by row. A row of scale
    0 has no votes: its costs are ignored and the prior is returned.

    Preconditions: `prior` ``(n, V)`` non-negative with rows that sum to one; `scales` ``(n,)``
    non-negative.

    Examples
    --------
    >>> import numpy as np
    >>> prior = np.array([[0.5, 0.5, 0.0]])
    >>> gibbs(np.array([[0.0, 1.0, -9.0]]), np.ones(1), prior).round(2)
    array([[0.73, 0.27, 0.  ]])
    """
    allowed = prior > 0
    lowest = np.where(allowed, costs, np.inf).min(axis=1, keepdims=True)
    has_votes = (scales > 0)[:, None]
    # Costs outside the set can be far below the lowest: their exponent must not overflow.
    table = np.zeros_like(prior)
    # In place: new tables of this size would take most of the time.
    np.subtract(costs, lowest, out=table, where=allowed & has_votes)
    table /= np.where(has_votes, -scales[:, None], 1.0)
    np.exp(table, out=table)
    table *= prior
    table /= table.sum(axis=1, keepdims=True)
    return table


def relative_entropies(distribution: FloatArray, prior: FloatArray) -> FloatArray:
    """``KL(distribution[i] | prior[i])``, ``(n,)``.

    Examples
    --------
    >>> import numpy as np
    >>> relative_entropies(np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]])).round(4)
    array([0.6931])
    """
    positive = distribution > 0
    ratio = np.ones_like(distribution)
    np.divide(distribution, prior, out=ratio, where=positive)
    entropies: FloatArray = np.einsum("iv,iv->i", distribution, np.log(ratio, out=ratio))
    return entropies


# Vertices tie if their probabilities differ by less. Rounding over many steps leaves differences of
# this size.
_TIE_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class SoftFaces:
    """``distribution[i, v]`` = probability of vertex v in row i.

    The mean of a row lies inside the convex hull, not on a face; an annealed run ends with such
    means while its temperature is positive. A row counts as decided if one vertex is more likely
    than any other.

    Parameters
    ----------
    distribution : float array (n, V)
    embedding : Embedding
        Of the V vertices.
    prior : float array (n, V)
        The distributions at infinite temperature.
    labels : LabelFaces or None
        One vertex per row where a constraint over rows decides which, not the probabilities of each
        row alone. None: the most likely vertices.
    """

    distribution: FloatArray
    embedding: Embedding
    prior: FloatArray
    labels: LabelFaces | None = None

    def __len__(self) -> int:
        return len(self.distribution)

    @cached_property
    def embedded(self) -> FloatArray:
        return self.embedding.embed(self.distribution)

    @property
    def as_predictions(self) -> FloatArray:
        return self.distribution

    @cached_property
    def divergences(self) -> FloatArray:
        return relative_entropies(self.distribution, self.prior)

    @cached_property
    def largest(self) -> LabelFaces:
        """The most likely vertices of each row, as faces."""
        most = self.distribution.max(axis=1, keepdims=True)
        return LabelFaces(self.distribution >= most - _TIE_TOLERANCE, self.embedding)

    @property
    def _labels(self) -> LabelFaces:
        return self.largest if self.labels is None else self.labels

    @property
    def is_vertex(self) -> BoolArray:
        return self.largest.is_vertex

    @property
    def outputs(self) -> IntArray:
        return self._labels.outputs

    def first(self) -> LabelFaces:
        return self._labels.first()

    def direction_to(self, other: "SoftFaces") -> FloatArray:
        return self.embedding.embed(other.distribution - self.distribution)

    def interpolate(self, other: "SoftFaces", fraction: float) -> "SoftFaces":
        direction = other.distribution - self.distribution
        return SoftFaces(self.distribution + fraction * direction, self.embedding, self.prior)

    def distance(self, other: "SoftFaces") -> float:
        return float(np.abs(other.distribution - self.distribution).max(initial=0.0))


@dataclass(frozen=True, eq=False)
class LabelSoftening:
    """The `Softening` of a finite loss on sets of labels.

    Parameters
    ----------
    embedding : Embedding
        Of the classes.
    prior_distribution : float array (n, K)
        The distribution of each row at infinite temperature; zero outside its set.
    unit_temperature : float
        The largest loss.
    width : int
        The number of predictions or of classes, whichever is larger.
    is_symmetric : bool
        Whether the matrix of the loss is.
    """

    embedding: Embedding
    prior_distribution: FloatArray
    unit_temperature: float
    width: int
    is_symmetric: bool

    def prior(self) -> SoftFaces:
        return self._soft_faces(self.prior_distribution)

    def predictions(self, scores: FloatArray, scales: FloatArray) -> SoftMeans:
        uniform = np.full(scores.shape, 1.0 / scores.shape[1])
        distribution = gibbs(scores, scales, uniform)
        return SoftMeans(distribution, relative_entropies(distribution, uniform))

    def targets(self, scores: FloatArray, scales: FloatArray) -> SoftFaces:
        costs = self.embedding.costs(scores)
        return self._soft_faces(gibbs(costs, scales, self.prior_distribution))

    def targets_as_predictions(self, scores: FloatArray, scales: FloatArray) -> SoftFaces:
        # The y-th prediction is embedded as the y-th unit vector: its cost is its score.
        return self._soft_faces(gibbs(scores, scales, self.prior_distribution))

    def _soft_faces(self, distribution: FloatArray) -> SoftFaces:
        return SoftFaces(distribution, self.embedding, self.prior_distribution)
