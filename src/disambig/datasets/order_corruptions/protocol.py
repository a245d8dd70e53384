"""What a corruption of full rankings into partial orders owes the rest."""

from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from disambig.candidates import PartialOrders
from disambig.notation import BoolArray

__all__ = ["OrderCorruption"]


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
