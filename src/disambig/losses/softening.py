"""Laws at a temperature: what both annealed formulations are made of.

The contract of a loss at a temperature: laws on outputs instead of single ones.

At a temperature every row holds a *law* on its candidates instead of a face of them. Solvers never
see a law as a table: an order has too many outputs for one. They see where its mean lies, how far
it is from the law that the row began with, and how to go part of the way to another one.
"""

from typing import Any, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np

from disambig.losses.protocol import Faces
from disambig.notation import BoolArray, FloatArray


def gibbs(costs: FloatArray, scales: FloatArray, base: FloatArray) -> FloatArray:
    """``q[i, v]`` proportional to ``base[i, v] exp(-costs[i, v] / scales[i])``, ``(n, V)``.

    The law that minimises ``<q, costs> + scales KL(q | base)`` row by row. Where a scale is 0 the
    costs say nothing either, and the law is the base.

    Preconditions: `base` ``(n, V)`` non-negative with rows that sum to one; `scales` ``(n,)``
    non-negative.

    Examples
    --------
    >>> import numpy as np
    >>> base = np.array([[0.5, 0.5, 0.0]])
    >>> gibbs(np.array([[0.0, 1.0, -9.0]]), np.ones(1), base).round(2)
    array([[0.73, 0.27, 0.  ]])
    """
    allowed = base > 0
    lowest = np.where(allowed, costs, np.inf).min(axis=1, keepdims=True)
    heard = (scales > 0)[:, None]
    # What is not allowed can be far below the lowest: its exponent must not overflow.
    above = np.where(allowed & heard, costs - lowest, 0.0)
    law = base * np.exp(-above / np.where(heard, scales[:, None], 1.0))
    law /= law.sum(axis=1, keepdims=True)
    return law


def relative_entropies(law: FloatArray, base: FloatArray) -> FloatArray:
    """``KL(law[i] | base[i])``, ``(n,)``.

    Examples
    --------
    >>> import numpy as np
    >>> relative_entropies(np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]])).round(4)
    array([0.6931])
    """
    inside = law > 0
    ratio = np.where(inside, law, 1.0) / np.where(inside, base, 1.0)
    entropies: FloatArray = np.einsum("iv,iv->i", law, np.log(ratio))
    return entropies


class SoftMeans(NamedTuple):
    """Laws of predictions by what an objective needs of them.

    Attributes
    ----------
    embedded : float array (n, p)
        The mean of ``psi`` under each law.
    divergences : float array (n,)
        Relative entropies to the uniform law on all predictions.
    """

    embedded: FloatArray
    divergences: FloatArray


class SoftTargets(Protocol):
    """One law a row on its candidates; also what a solution holds as its relaxed targets."""

    def __len__(self) -> int:
        """``n``."""
        ...

    @property
    def embedded(self) -> FloatArray:
        """The mean of ``phi`` under each law, ``(n, p)``."""
        ...

    @property
    def as_predictions(self) -> FloatArray:
        """The mean of ``psi`` under each law, ``(n, p)``; asked of symmetric losses alone."""
        ...

    @property
    def divergences(self) -> FloatArray:
        """Relative entropies to the laws at infinite temperature, ``(n,)``.

        At a mean of two laws a bound from above is enough: their mean relative entropy.
        """
        ...

    @property
    def is_vertex(self) -> BoolArray:
        """Rows in which one output has more than any other, ``(n,)``."""
        ...

    def first(self) -> Faces:
        """The output that has the most of each row, the first of several."""
        ...

    def direction_to(self, other: Self) -> FloatArray:
        """``other.embedded - self.embedded``, ``(n, p)``."""
        ...

    def interpolate(self, other: Self, part: float) -> Self:
        """Laws with the mean ``(1 - part) self + part other``."""
        ...

    def distance(self, other: Self) -> float:
        """The largest change of a probability on the way to the others."""
        ...


class Softening(Protocol):
    """A loss and candidates at temperatures.

    Each of the three laws minimises ``<mean, scores[i]> + scales[i] divergence`` row by row,
    exactly. Where a scale is 0 the scores say nothing either, and the law is the one at infinite
    temperature.
    """

    @property
    def unit(self) -> float:
        """The temperature at which a decision that all votes agree on is about even."""
        ...

    @property
    def width(self) -> int:
        """Numbers held for each row."""
        ...

    @property
    def is_symmetric(self) -> bool:
        """Is ``loss(z, y) = loss(y, z)``, every candidate being a prediction?"""
        ...

    def base(self) -> SoftTargets:
        """The laws at infinite temperature: those that average candidates learn from."""
        ...

    def predictions(self, scores: FloatArray, scales: FloatArray) -> SoftMeans:
        """Laws on all predictions for the costs ``<psi(z), scores[i]>``, ``(n, p)``."""
        ...

    def targets(self, scores: FloatArray, scales: FloatArray) -> SoftTargets:
        """Laws on the candidates for the costs ``<phi(y), scores[j]>``, ``(n, p)``."""
        ...

    def members(self, scores: FloatArray, scales: FloatArray) -> SoftTargets:
        """Laws on the candidates for the costs ``<psi(y), scores[j]>``: y as a prediction.

        Asked of symmetric losses alone.
        """
        ...


@runtime_checkable
class SoftLoss(Protocol):
    """A `Loss` whose laws at a temperature can be had exactly."""

    def softened(self, candidates: Any) -> Softening:
        """The loss on these candidates; raises `MissingOracleError` if they are too large."""
        ...
