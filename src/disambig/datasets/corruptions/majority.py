"""The class that both skewed corruptions turn on."""

from typing import Any

import numpy as np

from disambig.datasets.corruptions.truth import Truth, column_of

__all__ = ["majority_column"]


def majority_column(owner: str, majority: Any, truth: Truth) -> int:
    """Column of the class `majority`; if None, of the most frequent, the first of several."""
    if majority is None:
        return int(np.argmax(truth.counts))
    return column_of(owner, "majority", majority, truth.classes)
