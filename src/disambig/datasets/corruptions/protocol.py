"""What a corruption of full labels into candidate sets owes the rest.

What a corruption of numbers into sets owes the rest.

What a corruption of full rankings into partial orders owes the rest.
"""

from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from disambig.candidates import Intervals, IntervalUnions, LabelSets, PartialOrders
from disambig.notation import BoolArray, FloatArray


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


@runtime_checkable
class IntervalCorruption(Protocol):
    """A law of the set that is seen, given the number; the number is always a member of it."""

    def __call__(self, y: Any, /, *, random_state: Any = None) -> Intervals | IntervalUnions:
        """The sets of finite numbers ``(n,)``, or of points ``(n, d)`` column by column.

        `random_state` is what `numpy.random.default_rng` takes.
        """


@runtime_checkable
class OrderCorruption(Protocol):
    """A law of the pairs that are hidden, given the ranking; the ranking extends what is left.

    Pairs that follow from those left are known again, because an order is closed under transitivity
    (`PartialOrders`): a corruption may hide much and lose little. `hidden_share` is what was hidden
    before that, `information_left` what is known after it.

    In both calls the first argument is what `reads` says, and `items` names the m items, by default
    those that `PartialOrders.from_any` finds. With the same integer `random_state` both calls speak
    of the same pairs.
    """

    reads: ClassVar[Literal["ranks", "scores"]]
    """"ranks": full rankings in any form that `PartialOrders.from_any` reads, ranks ``(n, m)`` for
    instance. "scores": ``(n, m)`` numbers, the highest first."""

    def hidden(self, y: Any, /, *, items: Any = None, random_state: Any = None) -> BoolArray:
        """Which pairs are hidden, ``(n, m (m - 1) / 2)``, in the order of `PartialOrders.signs`."""

    def __call__(self, y: Any, /, *, items: Any = None, random_state: Any = None) -> PartialOrders:
        """Hide pairs; `random_state` is what `numpy.random.default_rng` takes."""
