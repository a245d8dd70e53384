"""Prediction intervals from held-out rows: what they promise is about *sets*, and is checked.

Every calibration row is predicted by a model that has not seen it (K folds); its score is how far
the prediction is from the set. The interval at a new input takes the quantiles of "prediction of
the model without row j, plus or minus the score of row j" over all j: the CV+ construction of
Barber, Candes, Ramdas and Tibshirani (2021). Their proof compares scores only and carries over to
sets, whichever score is used.

Fit an estimator on all folds but one, and score the rows of that one.
"""

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold

from disambig.candidates import NumberSets
from disambig.estimators.fitting import take_inputs
from disambig.notation import FloatArray, IntArray

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


def calibrate(estimator: Any, folds: Any, X: Any, sets: NumberSets, sample_weight: Any) -> HeldOut:
    """Models without a fold each, and the scores of the rows that they have not seen.

    Parameters
    ----------
    estimator : IntervalRegressor
        Cloned, without its calibration.
    folds : int or splitter
    X : array (n, d)
    sets : NumberSets, n rows
    sample_weight : array (n,) or None
        Rows of weight zero and rows that say nothing calibrate nothing; weights do not enter the
        quantiles.
    """
    n = len(sets)
    weights = (
        None
        if sample_weight is None
        else np.broadcast_to(np.asarray(sample_weight, dtype=np.float64), (n,))
    )
    splitter = _splitter(folds, len(sets))
    owner = np.full(n, -1)
    models, trained_on = [], []
    predictions = np.full((n, sets.n_columns), np.nan)
    pairwise = estimator.__sklearn_tags__().input_tags.pairwise
    for number, (train, test) in enumerate(splitter.split(np.zeros((n, 1)))):
        if (owner[test] >= 0).any():
            raise ValueError(
                "calibration: a row is held out twice. Give a splitter whose test folds do not "
                "overlap, such as KFold."
            )
        model = clone(estimator).set_params(calibration=None)
        rows = np.asarray(train)
        model.fit(
            take_inputs(X, rows, rows if pairwise else None),
            sets[rows],
            sample_weight=None if weights is None else weights[rows],
        )
        held = take_inputs(X, np.asarray(test), rows if pairwise else None)
        predictions[test] = np.reshape(model.predict(held), (len(test), -1))
        owner[test] = number
        models.append(model)
        trained_on.append(rows)
    used = (owner >= 0) & sets.informative
    if weights is not None:
        used &= weights > 0
    judged = np.flatnonzero(used)
    found, judges = predictions[judged], sets[judged]
    says = np.isfinite(judges.centers)
    far = np.maximum(found - judges.hull.lower, judges.hull.upper - found)
    return HeldOut(
        tuple(models),
        tuple(trained_on) if pairwise else None,
        owner[judged],
        np.where(says, judges.distances(found), np.nan),
        np.where(says, far, np.nan),
    )


def _splitter(folds: Any, n: int) -> Any:
    if isinstance(folds, (int, np.integer)) and not isinstance(folds, bool):
        if not 2 <= folds <= n:
            raise ValueError(
                f"calibration={folds}; expected a number of folds from 2 to the number of rows, "
                f"n_samples={n}."
            )
        # Shuffled: rows are often sorted, and then no fold is like the others.
        return KFold(int(folds), shuffle=True, random_state=0)
    if isinstance(folds, str) or not hasattr(folds, "split"):
        raise TypeError(
            f"calibration={folds!r}; expected a number of folds or a splitter such as KFold(5)."
        )
    return folds
