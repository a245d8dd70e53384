"""The contract of a loss at a temperature.

At a temperature every row has a *distribution* on its candidates instead of a face. Solvers never
see its table of probabilities: there are too many orders for one. They see the mean of the
distribution in the embedding, its relative entropy to the *prior* (the distribution at infinite
temperature), and how to interpolate between two distributions.
"""

from typing import Any, NamedTuple, Protocol, Self, runtime_checkable

from disambig.losses.protocol import Faces
from disambig.notation import BoolArray, FloatArray


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
