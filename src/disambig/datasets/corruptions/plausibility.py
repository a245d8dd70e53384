"""How plausible each class is for each row, from inputs."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disambig.datasets.corruptions.truth import read_truth, shuffled_by_class
from disambig.notation import FloatArray, IntArray

__all__ = ["out_of_fold_scores"]

# Spread evenly over the classes, so that none is impossible anywhere.
_DOUBT = 0.01


def out_of_fold_scores(
    X: Any,
    y: Any,
    *,
    classes: Any = None,
    classifier: Any = None,
    n_splits: int = 5,
    random_state: Any = None,
) -> FloatArray:
    """``0.99 * Pr(classes[k] | x_j) + 0.01 / K``, each row by a classifier that did not see it.

    Parameters
    ----------
    X : array-like or sparse (n, d)
    y : (n,)
        The labels.
    classes : (K,), default None
        The classes in order; by default the sorted labels that occur.
    classifier : scikit-learn classifier, default None
        It needs `predict_proba`, and is cloned. None: logistic regression on scaled inputs.
    n_splits : int, default 5
        Folds, each with its share of every class; no more than there are rows.
    random_state : int, numpy Generator or None, default None
        For the folds: what `numpy.random.default_rng` takes.

    Returns
    -------
    (n, K) of float
        Positive, rows sum to one: `scores` for `InstanceCorruption`.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.datasets import InstanceCorruption, out_of_fold_scores
    >>> X, y = np.linspace(-3, 3, 40)[:, None], np.repeat([0, 1], 20)
    >>> scores = out_of_fold_scores(X, y, random_state=0)
    >>> bool(scores[19, 1] > scores[0, 1])
    True
    >>> InstanceCorruption(0.25, scores)(y, random_state=0).shape
    (40, 2)
    """
    truth = read_truth(y, classes)
    # Rows of other sparse formats cannot be selected.
    inputs = X.tocsr() if sparse.issparse(X) else np.asarray(X)
    _check_inputs(inputs, len(truth.codes), n_splits)
    if classifier is None:
        scaler = StandardScaler(with_mean=not sparse.issparse(inputs))
        classifier = make_pipeline(scaler, LogisticRegression(max_iter=1000))
    fold = _folds(truth.codes, n_splits, np.random.default_rng(random_state))
    scores = np.zeros((len(truth.codes), truth.n_classes))
    for i in np.unique(fold).tolist():
        held_out = np.flatnonzero(fold == i)
        seen = np.flatnonzero(fold != i)
        known = np.unique(truth.codes[seen])
        if len(known) == 1:
            scores[held_out, known[0]] = 1.0
        else:
            fitted = clone(classifier).fit(inputs[seen], truth.codes[seen])
            scores[held_out[:, np.newaxis], known] = fitted.predict_proba(inputs[held_out])
    return (1 - _DOUBT) * scores + _DOUBT / truth.n_classes


def _check_inputs(inputs: Any, n_rows: int, n_splits: int) -> None:
    if inputs.ndim != 2 or inputs.shape[0] != n_rows:
        raise ValueError(
            f"out_of_fold_scores: X has shape {inputs.shape} and y has {n_rows} rows. Give X of "
            f"shape ({n_rows}, d)."
        )
    if n_rows < 2 or n_splits < 2:
        raise ValueError(
            f"out_of_fold_scores: at least 2 rows and 2 folds are needed; got {n_rows} rows and "
            f"n_splits={n_splits!r}."
        )


def _folds(codes: IntArray, n_splits: int, rng: np.random.Generator) -> IntArray:
    # Dealt out class by class: a class with two rows is in two folds, so that only one with a
    # single row is ever unknown to the classifier that judges it.
    fold = np.empty(len(codes), dtype=np.intp)
    fold[shuffled_by_class(codes, rng)] = np.arange(len(codes)) % n_splits
    return fold
