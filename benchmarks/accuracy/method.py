"""What a method is here: a name, a way to fit one setting, and the settings it chooses from."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from disambig.notation import BoolArray, FloatArray, IntArray

__all__ = ["MOST_SETTINGS", "Fit", "Fitted", "Method", "Setting", "best_candidates", "grid"]

Setting: TypeAlias = Mapping[str, Any]

# The budget: nobody chooses from more.
MOST_SETTINGS = 6


@dataclass(frozen=True)
class Fitted:
    """What a fit leaves: ``predict(queries)``, columns (q,); the column found for each row, (n,).

    Some methods never say which candidate they believe. Their labels are the candidates that they
    score highest at the rows they were fitted on.
    """

    predict: Callable[[FloatArray], IntArray]
    labels: IntArray


# ``fit(X, mask, *, seed, **setting)`` on standardised inputs (n, d) and candidates (n, K).
Fit: TypeAlias = Callable[..., Fitted]


@dataclass(frozen=True)
class Method:
    """`settings` from the simplest on: of equally good ones the first is taken.

    `version` tells apart what the settings do not: outcomes of another version are not used again.
    """

    name: str
    fit: Fit
    settings: tuple[Setting, ...] = ({},)
    version: str = ""

    def __post_init__(self) -> None:
        if not 1 <= len(self.settings) <= MOST_SETTINGS:
            raise ValueError(
                f"{self.name}: expected 1 to {MOST_SETTINGS} settings, got {len(self.settings)}."
            )


def grid(**values: Any) -> tuple[Setting, ...]:
    """All combinations, the last parameter varying fastest."""
    return tuple(dict(zip(values, choice, strict=True)) for choice in product(*values.values()))


def best_candidates(scores: FloatArray, mask: BoolArray) -> IntArray:
    """The column of the highest score among the candidates of each row, (n,)."""
    return np.asarray(np.where(mask, scores, -np.inf).argmax(axis=1), dtype=np.intp)
