"""Two classes that come together."""

from typing import Any, NamedTuple

__all__ = ["ClassPair"]


class ClassPair(NamedTuple):
    """How often `other` is a candidate in a region whose label is `label`.

    Attributes
    ----------
    region, label, other : objects
    share, low, high : float
        An unbiased estimate, and its interval.
    n_rows : int
        Sets that were counted.
    """

    region: Any
    label: Any
    other: Any
    share: float
    low: float
    high: float
    n_rows: int
