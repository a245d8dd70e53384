"""A method of the comparison: a name, a function that fits one setting, and its settings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import product
from typing import Any, TypeAlias

from disambig.notation import FloatArray

__all__ = ["MARGINS", "MAX_SETTINGS", "Fit", "Method", "Predict", "Setting", "grid"]

Predict: TypeAlias = Callable[[FloatArray], FloatArray]
Setting: TypeAlias = Mapping[str, Any]

# ``fit(X, lower, upper, *, seed, **setting)`` on scaled inputs (n, d) and scaled bounds (n,), which
# may be infinite.
Fit: TypeAlias = Callable[..., Predict]

# The same budget for all methods.
MAX_SETTINGS = 12

# In units of the scaled targets; for all methods that minimise the squared hinge.
MARGINS = (0.0, 0.2, 0.7)


@dataclass(frozen=True)
class Method:
    """A method; `settings` begin with the simplest, and of equally good ones the first is used.

    `is_raw`: inputs and targets reach it as they are, without scaling.
    """

    name: str
    fit: Fit
    settings: tuple[Setting, ...] = ({},)
    needs: str | None = None
    is_raw: bool = False

    def __post_init__(self) -> None:
        if not 1 <= len(self.settings) <= MAX_SETTINGS:
            raise ValueError(
                f"{self.name}: expected 1 to {MAX_SETTINGS} settings, got {len(self.settings)}."
            )

    @property
    def is_available(self) -> bool:
        """Whether the optional package it needs is installed."""
        return self.needs is None or find_spec(self.needs) is not None


def grid(**values: Any) -> tuple[Setting, ...]:
    """All combinations, the last parameter varying fastest."""
    return tuple(dict(zip(values, choice, strict=True)) for choice in product(*values.values()))
