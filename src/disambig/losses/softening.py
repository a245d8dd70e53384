"""The contract of a loss at a temperature, and Gibbs distributions on finite sets.

At a temperature every row has a *distribution* on its candidates instead of a face. Solvers never
see its table of probabilities: there are too many orders for one. They see the mean of the
distribution in the embedding, its relative entropy to the *prior* (the distribution at infinite
temperature), and how to interpolate between two distributions.
"""

from typing import Any, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np

from disambig.losses.protocol import Faces
from disambig.notation import BoolArray, FloatArray


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


class SoftMeans(NamedTuple):
    """Distributions of predictions, reduced to what an objective needs.

    Attributes
    ----------
    embedded : float array (n, p)
        The mean of ``psi`` under each distribution.
    divergences : float array (n,)
        Relative entropies to the uniform distribution on all predictions.
    """

    embedded: FloatArray
    divergences: FloatArray


class SoftTargets(Protocol):
    """A distribution on the candidates of each row; also the relaxed targets of a solution."""

    def __len__(self) -> int:
        """``n``."""
        ...

    @property
    def embedded(self) -> FloatArray:
        """The mean of ``phi`` under each distribution, ``(n, p)``."""
        ...

    @property
    def as_predictions(self) -> FloatArray:
        """The mean of ``psi`` under each distribution, ``(n, p)``; for symmetric losses only."""
        ...

    @property
    def divergences(self) -> FloatArray:
        """Relative entropies to the prior, ``(n,)``.

        For a mixture of two distributions an upper bound is enough: the mean of their relative
        entropies.
        """
        ...

    @property
    def is_vertex(self) -> BoolArray:
        """Rows in which one output is more likely than any other, ``(n,)``."""
        ...

    @property
    def largest(self) -> Faces:
        """The most likely outputs of each row."""
        ...

    def first(self) -> Faces:
        """The most likely output of each row, the first one of a tie."""
        ...

    def direction_to(self, other: Self) -> FloatArray:
        """``other.embedded - self.embedded``, ``(n, p)``."""
        ...

    def interpolate(self, other: Self, fraction: float) -> Self:
        """Distributions with the mean ``(1 - fraction) self + fraction other``."""
        ...

    def distance(self, other: Self) -> float:
        """The largest difference of a probability."""
        ...


class Softening(Protocol):
    """A loss at a temperature, on given candidates.

    Each of the three methods with scores minimises ``<mean, scores[i]> + scales[i] divergence``
    exactly, row by row. A row of scale 0 has no votes: its scores are ignored, and its distribution
    is the prior.
    """

    @property
    def unit_temperature(self) -> float:
        """Temperatures are multiples of it.

        At this temperature a decision is about even although all votes agree on it.
        """
        ...

    @property
    def width(self) -> int:
        """How many numbers are stored for each row."""
        ...

    @property
    def is_symmetric(self) -> bool:
        """Is ``loss(z, y) = loss(y, z)``, with every candidate also a prediction?"""
        ...

    def prior(self) -> SoftTargets:
        """The distributions at infinite temperature, which the average-candidates method uses."""
        ...

    def predictions(self, scores: FloatArray, scales: FloatArray) -> SoftMeans:
        """Distributions on all predictions for the costs ``<psi(z), scores[i]>``."""
        ...

    def targets(self, scores: FloatArray, scales: FloatArray) -> SoftTargets:
        """Distributions on the candidates for the costs ``<phi(y), scores[j]>``."""
        ...

    def targets_as_predictions(self, scores: FloatArray, scales: FloatArray) -> SoftTargets:
        """Distributions on the candidates for the costs ``<psi(y), scores[j]>``.

        Here a candidate y is embedded as a prediction. For symmetric losses only.
        """
        ...


@runtime_checkable
class SoftLoss(Protocol):
    """A `Loss` whose distributions at a temperature can be computed exactly."""

    def softened(self, candidates: Any) -> Softening:
        """The loss at a temperature; raises `MissingOracleError` if candidates are too large."""
        ...
