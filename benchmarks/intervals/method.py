"""What a method is here: a name, a way to fit one setting, and the settings it chooses from."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import product
from typing import Any, TypeAlias

from disambig.notation import FloatArray

__all__ = ["MARGINS", "MOST_SETTINGS", "Fit", "Method", "Predict", "Setting", "grid"]

Predict: TypeAlias = Callable[[FloatArray], FloatArray]
Setting: TypeAlias = Mapping[str, Any]

# ``fit(X, lower, upper, *, seed, **setting)`` on scaled inputs (n, d) and scaled ends (n,), which
# may be infinite.
Fit: TypeAlias = Callable[..., Predict]

# The budget: nobody chooses from more.
MOST_SETTINGS = 12

# In units of the scaled targets; offered to all that are fitted by the squared hinge.
MARGINS = (0.0, 0.2, 0.7)


@dataclass(frozen=True)
class Method:
    """`settings` from the simplest on: of equally good ones the first is taken."""

    name: str
    fit: Fit
    settings: tuple[Setting, ...] = ({},)
    needs: str | None = None

    def __post_init__(self) -> None:
        if not 1 <= len(self.settings) <= MOST_SETTINGS:
            raise ValueError(
                f"{self.name}: expected 1 to {MOST_SETTINGS} settings, got {len(self.settings)}."
            )

    @property
    def is_available(self) -> bool:
        """Whether the optional package it needs is installed."""
        return self.needs is None or find_spec(self.needs) is not None


def grid(**values: Any) -> tuple[Setting, ...]:
    """All combinations, the last parameter varying fastest."""
    return tuple(dict(zip(values, choice, strict=True)) for choice in product(*values.values()))
