"""A method of the comparison: a name, a function that fits one setting, and its settings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from disambig.notation import BoolArray, FloatArray, IntArray

__all__ = ["MAX_SETTINGS", "Fit", "Fitted", "Method", "Setting", "best_candidates", "grid"]

Setting: TypeAlias = Mapping[str, Any]

# The same budget for all methods.
MAX_SETTINGS = 6


@dataclass(frozen=True)
class Fitted:
    """The result of a fit: ``predict(queries)`` gives columns (q,); `labels` are columns (n,).

    Some methods do not choose a label for each training row. Their labels are the candidates with
    the highest score at these rows.
    """

    predict: Callable[[FloatArray], IntArray]
    labels: IntArray


# ``fit(X, mask, *, seed, **setting)`` on standardised inputs (n, d) and candidates (n, K).
Fit: TypeAlias = Callable[..., Fitted]


@dataclass(frozen=True)
class Method:
    """A method; its `settings` begin with the simplest, and of equally good ones the first is used.

    Outcomes are stored with the settings and the `version`; those of another version are not used.
    """

    name: str
    fit: Fit
    settings: tuple[Setting, ...] = ({},)
    version: str = ""

    def __post_init__(self) -> None:
        if not 1 <= len(self.settings) <= MAX_SETTINGS:
            raise ValueError(
                f"{self.name}: expected 1 to {MAX_SETTINGS} settings, got {len(self.settings)}."
            )


def grid(**values: Any) -> tuple[Setting, ...]:
    """All combinations, the last parameter varying fastest."""
    return tuple(dict(zip(values, choice, strict=True)) for choice in product(*values.values()))


def best_candidates(scores: FloatArray, mask: BoolArray) -> IntArray:
    """The column of the highest score among the candidates of each row, (n,)."""
    return np.asarray(np.where(mask, scores, -np.inf).argmax(axis=1), dtype=np.intp)
