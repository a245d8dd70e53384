"""Long computations in pieces that can be kept, and need not be computed twice."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = ["Payload", "Piece"]

Payload: TypeAlias = dict[str, Any]
"""What a piece computes: numbers, texts, None, and lists and dicts of these, as JSON has them."""


@dataclass(frozen=True, eq=False)
class Piece:
    """``function(**settings)``, or ``function(data, **settings)``: a part of a figure.

    The settings say all that the numbers depend on, seeds included, so that what was computed once
    can be kept under them.

    Attributes
    ----------
    figure : str
    name : str
        What is being computed; unique within the figure for given settings.
    function : callable
        Of a module, so that another process finds it. Returns a `Payload`.
    settings : mapping
        Of the kinds that JSON has.
    data : object, optional
        What is too large for a setting; a setting must name it.

    Examples
    --------
    >>> piece = Piece("sums", "two and three", lambda a, b: {"sum": a + b}, {"a": 2, "b": 3})
    >>> piece.compute()
    {'sum': 5}
    """

    figure: str
    name: str
    function: Callable[..., Payload]
    settings: Mapping[str, Any]
    data: Any = None

    def compute(self) -> Payload:
        """Run it."""
        if self.data is None:
            return self.function(**self.settings)
        return self.function(self.data, **self.settings)
