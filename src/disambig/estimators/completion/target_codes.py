"""Targets of any kind as vectors, whose squared distances the cells of inputs are chosen by."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import is_classifier

from disambig.metrics.scorer import innermost
from disambig.notation import AnyArray, FloatArray


def recovered_targets(model: Any, y: Any) -> AnyArray:
    """The targets that a model chose in the sets of y, or y itself for a model that chooses none.

    Parameters
    ----------
    model : fitted estimator or Pipeline
    y : targets, n rows
    """
    return np.asarray(getattr(innermost(model), "labels_", y))


@dataclass(frozen=True, eq=False)
class TargetCodes:
    """The embedding of targets: a unit vector for each class, or the numbers of the target.

    Ranks and bits are numbers. Vectors are centred, so that a predictor needs no constant, and
    columns of numbers have variance one.

    Attributes
    ----------
    classes : array (K,), or None
    center, unit : float array (q,)

    Examples
    --------
    >>> from disambig import IntervalRegressor
    >>> codes = TargetCodes.of(IntervalRegressor(), np.array([1.0, 3.0]))
    >>> codes(np.array([1.0, 5.0])).tolist()
    [[-1.0], [3.0]]
    """

    classes: AnyArray | None
    center: FloatArray
    unit: FloatArray

    @classmethod
    def of(cls, model: Any, targets: AnyArray) -> Self:
        """The embedding of the targets of an estimator."""
        is_class = is_classifier(model) and targets.ndim == 1
        classes = np.unique(targets) if is_class else None
        found = cls(classes, np.zeros(1), np.ones(1))(targets)
        unit = np.ones(found.shape[1]) if is_class else found.std(axis=0)
        return cls(classes, found.mean(axis=0), np.where(unit > 0, unit, 1.0))

    def __call__(self, targets: AnyArray) -> FloatArray:
        """Vectors ``(n, q)``; a class that is not known has none in common with the others."""
        if self.classes is not None:
            found = (targets[:, None] == self.classes).astype(np.float64)
        else:
            found = np.asarray(targets, dtype=np.float64).reshape(len(targets), -1)
        return np.asarray((found - self.center) / self.unit)
