"""The one number that every corruption has: how much it hides, from 0 to 1."""

from numbers import Real
from typing import Any

__all__ = ["checked_share"]


def checked_share(owner: str, name: str, value: Any) -> float:
    """Return `value` as a float in [0, 1], or raise.

    Examples
    --------
    >>> checked_share("UniformCorruption", "level", 1)
    1.0
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise ValueError(f"{owner}: {name} must be a number from 0 to 1; got {value!r}.")
    return float(value)
