"""What a corruption of numbers into sets owes the rest."""

from typing import Any, Protocol, runtime_checkable

from disambig.candidates import Intervals, IntervalUnions

__all__ = ["IntervalCorruption"]


@runtime_checkable
class IntervalCorruption(Protocol):
    """A law of the set that is seen, given the number; the number is always a member of it."""

    def __call__(self, y: Any, /, *, random_state: Any = None) -> Intervals | IntervalUnions:
        """The sets of finite numbers ``(n,)``, or of points ``(n, d)`` column by column.

        `random_state` is what `numpy.random.default_rng` takes.
        """
