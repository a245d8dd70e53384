"""Prediction intervals from held-out rows: what they promise is about *sets*, and is checked.

Every calibration row is predicted by a model that has not seen it (K folds); its score is how far
the prediction is from the set. The interval at a new input takes the quantiles of "prediction of
the model without row j, plus or minus the score of row j" over all j: the CV+ construction of
Barber, Candes, Ramdas and Tibshirani (2021). Their proof compares scores only and carries over to
sets, whichever score is used.
"""

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.notation import FloatArray, IntArray

__all__ = ["MEANINGS", "HeldOut", "check_coverage"]

MEANINGS = ("meets", "contains")
# Entries of the table of queries times calibration rows that are held at once.
_BLOCK = 2**22


def check_coverage(coverage: Any, meaning: str) -> float:
    """Refuse what is no level or no known meaning."""
    if meaning not in MEANINGS:
        raise ValueError(f"meaning={meaning!r} is not known; choose one of {list(MEANINGS)}.")
    if not isinstance(coverage, numbers.Real) or not 0.0 < float(coverage) < 1.0:
        raise ValueError(f"coverage={coverage!r}; expected a number between 0 and 1, like 0.9.")
    return float(coverage)


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Models without a fold each, and how far their predictions are from the sets of that fold.

    Attributes
    ----------
    models : tuple of estimators
    rows : tuple of int arrays, or None
        The rows that each was trained on, where inputs are pairs of samples: its columns of X.
    folds : int array (c,)
        Which model has not seen each of the c calibration rows.
    meets, contains : float array (c, d)
        The distance from the prediction to the set, and to the farthest point of the set; NaN
        where the set of a row says nothing.
    """

    models: tuple[Any, ...]
    rows: tuple[IntArray, ...] | None
    folds: IntArray
    meets: FloatArray
    contains: FloatArray

    def predictions(self, X: Any, n_columns: int) -> FloatArray:
        """What every model predicts, ``(models, q, d)``."""
        inputs = [X] * len(self.models) if self.rows is None else [X[:, r] for r in self.rows]
        found = [model.predict(part) for model, part in zip(self.models, inputs, strict=True)]
        return np.stack([np.reshape(one, (-1, n_columns)) for one in found])

    def interval(self, predictions: FloatArray, coverage: float, meaning: str) -> FloatArray:
        """Ends ``(q, d, 2)`` from the predictions ``(models, q, d)`` of all models."""
        scores = self.meets if meaning == "meets" else self.contains
        _, q, d = predictions.shape
        ends = np.empty((q, d, 2))
        ends[..., 0], ends[..., 1] = -np.inf, np.inf
        for column in range(d):
            known = ~np.isnan(scores[:, column])
            folds, radius = self.folds[known], scores[known, column, None]
            c = len(folds)
            # The ceil(coverage (c + 1))-th smallest, without the rounding of a product that is
            # whole; there may be no such one, then nothing is promised.
            position = int(np.ceil(round(coverage * (c + 1), 9))) - 1
            if position >= c:
                continue
            step = max(1, _BLOCK // c)
            for start in range(0, q, step):
                rows = slice(start, min(q, start + step))
                middle = predictions[folds, rows, column]
                above = np.partition(middle + radius, position, axis=0)[position]
                below = -np.partition(radius - middle, position, axis=0)[position]
                ends[rows, column, 0], ends[rows, column, 1] = below, above
        # The two quantiles are taken apart from each other: where the models disagree by more than
        # the scores they can cross, and the interval is then what lies between them.
        ends.sort(axis=-1)
        return ends
