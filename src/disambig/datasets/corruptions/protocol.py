"""The contracts of corruptions: of labels, of numbers and of rankings."""

from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from disambig.candidates import Intervals, IntervalUnions, LabelSets, PartialOrders
from disambig.notation import BoolArray, FloatArray


@runtime_checkable
class Corruption(Protocol):
    """A distribution of the candidate set S given the label y; S always contains y.

    At level 0 every set is the label alone. Sets grow with the level: with the same integer
    `random_state`, a candidate at one level is a candidate at every higher one.

    In all three methods `y` has one label for each row, and `classes` are the K classes in order,
    by default the sorted labels that occur.
    """

    @property
    def level(self) -> float:
        """How much is hidden, from 0 to 1."""

    def inclusion(self, y: Any, *, classes: Any = None) -> FloatArray:
        """``P[a, b] = Pr(classes[b] in S | y = classes[a])``, exactly, ``(K, K)``; 1 at a = b.

        Parameters
        ----------
        y : array-like (n,)
        classes : array-like (K,), optional
        """

    def probabilities(self, y: Any, *, classes: Any = None) -> FloatArray:
        """``P[j, b] = Pr(classes[b] in S_j)`` of every row, exactly, ``(n, K)``.

        Parameters
        ----------
        y : array-like (n,)
        classes : array-like (K,), optional
        """

    def __call__(self, y: Any, *, classes: Any = None, random_state: Any = None) -> LabelSets:
        """Draw the sets; `random_state` is the argument of `numpy.random.default_rng`."""


@runtime_checkable
class IntervalCorruption(Protocol):
    """A distribution of the candidate set given the number; the set always contains it."""

    def __call__(self, y: Any, /, *, random_state: Any = None) -> Intervals | IntervalUnions:
        """The sets of finite numbers ``(n,)``, or of points ``(n, d)`` column by column.

        `random_state` is the argument of `numpy.random.default_rng`.
        """


@runtime_checkable
class OrderCorruption(Protocol):
    """A distribution of the hidden pairs given the ranking; the ranking extends the other pairs.

    Pairs that follow from the others are known again, because an order is closed under transitivity
    (`PartialOrders`): a corruption may hide many pairs and lose few. `hidden_share` counts the
    pairs that are hidden before this closure, `information_left` those that are known after it.

    In both methods the first argument has the form that `reads` names, and `items` are the names of
    the m items, by default those that `PartialOrders.from_any` finds. With the same integer
    `random_state` both methods hide the same pairs.
    """

    reads: ClassVar[Literal["ranks", "scores"]]
    """"ranks": full rankings in any form that `PartialOrders.from_any` reads, ranks ``(n, m)`` for
    instance. "scores": ``(n, m)`` numbers, the highest first."""

    def hidden(self, y: Any, /, *, items: Any = None, random_state: Any = None) -> BoolArray:
        """Which pairs are hidden, ``(n, m (m - 1) / 2)``, in the order of `PartialOrders.signs`.

        Parameters
        ----------
        y : array-like (n, m)
            Ranks or scores, as `reads` says.
        items : array-like (m,), optional
        random_state : int, Generator or None
        """

    def __call__(self, y: Any, /, *, items: Any = None, random_state: Any = None) -> PartialOrders:
        """Hide pairs; `random_state` is the argument of `numpy.random.default_rng`."""
