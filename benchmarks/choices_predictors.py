"""Variants of the default that predict with another model than its votes."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from benchmarks.accuracy.method import Fitted
from benchmarks.choices_default import default_of, fitted, sets_of
from disambig import PartialLabelClassifier
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.weights.row_groups import hash_rows

__all__ = ["PREDICTORS", "fit_alternation", "fit_chosen_predictor", "fit_predictor"]

PREDICTORS: Mapping[str, Any] = {
    "extra trees": ExtraTreesClassifier(200, random_state=0),
    "logistic regression": LogisticRegression(max_iter=2000),
    "boosting": HistGradientBoostingClassifier(
        max_iter=30, min_samples_leaf=5, early_stopping=False, random_state=0
    ),
}
_N_FOLDS, _N_ROUNDS = 5, 5


def fit_predictor(X: FloatArray, mask: BoolArray, *, seed: int, predictor: Any) -> Fitted:
    """A classifier that is trained on the labels that the default recovers."""
    labels = default_of(X, mask).labels_
    return Fitted(_trained(predictor, X, labels).predict, labels)


def fit_chosen_predictor(X: FloatArray, mask: BoolArray, *, seed: int) -> Fitted:
    """The votes or one of the classifiers, whichever predicts most hidden sets right.

    Weights and solver of the default are kept. The sets of a fold are hidden, labels are recovered
    without them, and the classifiers are trained on the labels of the other folds.
    """
    default = default_of(X, mask)
    folds = hash_rows(X) % _N_FOLDS
    covered = dict.fromkeys(["votes", *PREDICTORS], 0)
    for fold in range(_N_FOLDS):
        hidden = folds == fold
        masked = mask | hidden[:, None]
        model = PartialLabelClassifier(clone(default.weights_), solver=default.solver_)
        labels = model.fit(X, sets_of(masked)).labels_
        predictions = {"votes": labels[hidden]}
        for name, predictor in PREDICTORS.items():
            trained = _trained(predictor, X[~hidden], labels[~hidden])
            predictions[name] = trained.predict(X[hidden])
        for name, prediction in predictions.items():
            covered[name] += int(np.count_nonzero(mask[np.flatnonzero(hidden), prediction]))
    best = max(covered, key=covered.__getitem__)
    if best == "votes":
        return fitted(default)
    return fit_predictor(X, mask, seed=seed, predictor=PREDICTORS[best])


def fit_alternation(X: FloatArray, mask: BoolArray, *, seed: int, predictor: Any) -> Fitted:
    """Alternate between a classifier and labels, starting from the labels of the default.

    In each of five rounds, the label of a row becomes the candidate with the highest probability
    under a classifier that is trained on the labels of the other folds.
    """
    labels = default_of(X, mask).labels_
    folds = hash_rows(X) % _N_FOLDS
    for _ in range(_N_ROUNDS):
        scores = np.zeros(mask.shape)
        for fold in range(_N_FOLDS):
            hidden = folds == fold
            trained = _trained(predictor, X[~hidden], labels[~hidden])
            scores[np.ix_(hidden, trained.classes_)] = trained.predict_proba(X[hidden])
        # In ties a row keeps its label, so that classes missing in the other folds are not lost.
        scores[np.arange(len(X)), labels] += 1e-9
        found: IntArray = np.where(mask, scores, -1.0).argmax(axis=1)
        if (found == labels).all():
            break
        labels = found
    return Fitted(_trained(predictor, X, labels).predict, labels)


def _trained(predictor: Any, X: FloatArray, labels: IntArray) -> Any:
    # Not every classifier accepts a single class.
    model = DummyClassifier() if (labels == labels[0]).all() else clone(predictor)
    return model.fit(X, labels)
