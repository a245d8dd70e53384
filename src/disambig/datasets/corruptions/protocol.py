"""What a corruption of full labels into candidate sets owes the rest."""

from typing import Any, Protocol, runtime_checkable

from disambig.candidates import LabelSets
from disambig.notation import FloatArray

__all__ = ["Corruption"]


@runtime_checkable
class Corruption(Protocol):
    """A law of the set S given the label y, with y in S always.

    At level 0 every set is the label alone. More level, larger sets: with the same integer
    `random_state`, a candidate at one level is a candidate at every higher one.

    In all three calls `y` holds one label a row and `classes` the K classes in order, by default
    the sorted labels that occur.
    """

    @property
    def level(self) -> float:
        """How much is hidden, from 0 to 1."""

    def inclusion(self, y: Any, *, classes: Any = None) -> FloatArray:
        """``P[a, b] = Pr(classes[b] in S | y = classes[a])``, exactly, ``(K, K)``; 1 at a = b."""

    def probabilities(self, y: Any, *, classes: Any = None) -> FloatArray:
        """``P[j, b] = Pr(classes[b] in S_j)`` of every row, exactly, ``(n, K)``."""

    def __call__(self, y: Any, *, classes: Any = None, random_state: Any = None) -> LabelSets:
        """Draw the sets; `random_state` is what `numpy.random.default_rng` takes."""
