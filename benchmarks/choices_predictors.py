"""Variants of the default in which another model than its votes has a say."""

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
from disambig.weights import hash_rows

__all__ = ["PREDICTORS", "fit_alternation", "fit_chosen_predictor", "fit_predictor"]

PREDICTORS: Mapping[str, Any] = {
    "extra trees": ExtraTreesClassifier(200, random_state=0),
    "logistic regression": LogisticRegression(max_iter=2000),
    "boosting": HistGradientBoostingClassifier(
        max_iter=30, min_samples_leaf=5, early_stopping=False, random_state=0
    ),
}
_FOLDS, _ROUNDS = 5, 5


def fit_predictor(X: FloatArray, mask: BoolArray, *, seed: int, predictor: Any) -> Fitted:
    """A classifier of its own on the labels that the default recovers."""
    labels = default_of(X, mask).labels_
    return Fitted(_trained(predictor, X, labels).predict, labels)


def fit_chosen_predictor(X: FloatArray, mask: BoolArray, *, seed: int) -> Fitted:
    """The votes or one of the classifiers: whose predictions lie in most sets that were hidden.

    The pieces of the default stay; sets of a fold are opened, labels recovered with them, and the
    classifiers learn those of the other folds.
    """
    default = default_of(X, mask)
    folds = hash_rows(X) % _FOLDS
    covered = dict.fromkeys(["votes", *PREDICTORS], 0)
    for fold in range(_FOLDS):
        hidden = folds == fold
        opened = mask | hidden[:, None]
        model = PartialLabelClassifier(clone(default.weights_), solver=default.solver_)
        labels = model.fit(X, sets_of(opened)).labels_
        answers = {"votes": labels[hidden]}
        for name, predictor in PREDICTORS.items():
            trained = _trained(predictor, X[~hidden], labels[~hidden])
            answers[name] = trained.predict(X[hidden])
        for name, answer in answers.items():
            covered[name] += int(np.count_nonzero(mask[np.flatnonzero(hidden), answer]))
    best = max(covered, key=covered.__getitem__)
    if best == "votes":
        return fitted(default)
    return fit_predictor(X, mask, seed=seed, predictor=PREDICTORS[best])


def fit_alternation(X: FloatArray, mask: BoolArray, *, seed: int, predictor: Any) -> Fitted:
    """From the labels of the default on: labels are the candidates that the others' model likes.

    Five rounds; a row is judged by a model that was trained on the labels of the other folds.
    """
    labels = default_of(X, mask).labels_
    folds = hash_rows(X) % _FOLDS
    for _ in range(_ROUNDS):
        scores = np.zeros(mask.shape)
        for fold in range(_FOLDS):
            hidden = folds == fold
            trained = _trained(predictor, X[~hidden], labels[~hidden])
            scores[np.ix_(hidden, trained.classes_)] = trained.predict_proba(X[hidden])
        # Ties go to what the row has, so that classes nobody has seen are not given up.
        scores[np.arange(len(X)), labels] += 1e-9
        found: IntArray = np.where(mask, scores, -1.0).argmax(axis=1)
        if (found == labels).all():
            break
        labels = found
    return Fitted(_trained(predictor, X, labels).predict, labels)


def _trained(predictor: Any, X: FloatArray, labels: IntArray) -> Any:
    # Not every classifier takes a single class.
    model = DummyClassifier() if (labels == labels[0]).all() else clone(predictor)
    return model.fit(X, labels)
