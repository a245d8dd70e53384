"""The rows of a display: the confidence in a label, and whether the label is right.

They come from predictions at new rows (`predicted_rows`) or from the labels that a fit recovered
(`recovered_rows`).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from disambig.candidates.labels.classes import listed, positions
from disambig.candidates.labels.entries import entries_of
from disambig.candidates.protocol import Candidates
from disambig.candidates.reading import is_missing, row_error, rows_of
from disambig.metrics.scorer import innermost
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

# Probabilities may exceed one by the rounding of a sum.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class JudgedRows:
    """Rows of one estimator.

    Attributes
    ----------
    name : str
        The class of the estimator, for the legend.
    confidence : (m,)
    is_right : (m,) of bool, or None if the truth is unknown
    """

    name: str
    confidence: FloatArray
    is_right: BoolArray | None


def predicted_rows(owner: str, estimator: Any, X: Any, y: Any) -> JudgedRows:
    """Predictions at new rows: the largest probability, and whether ``predict(X) == y``.

    Parameters
    ----------
    owner : str
        What was called, for errors.
    estimator : fitted classifier
        Also a pipeline or a search with a classifier inside.
    X : inputs, m rows
    y : true labels (m,), or None if they are unknown
    """
    check_is_fitted(estimator)
    lacking = [
        name for name in ("predict", "predict_proba", "classes_") if not hasattr(estimator, name)
    ]
    if lacking:
        raise TypeError(
            f"{owner}: expected a fitted classifier; {type(estimator).__name__} has no "
            f"{' and no '.join(lacking)}. Pass confidence and right or wrong labels to "
            "from_predictions."
        )
    classes = np.asarray(estimator.classes_)
    probabilities = np.asarray(estimator.predict_proba(X))
    if probabilities.ndim != 2 or probabilities.shape[1] != len(classes):
        raise ValueError(
            f"{owner}: predict_proba of {type(estimator).__name__} returned shape "
            f"{probabilities.shape}; expected one column for each of {len(classes)} classes."
        )
    is_right = None
    if y is not None:
        is_right = _agreement(owner, "y", np.asarray(estimator.predict(X)), y, classes)
    return JudgedRows(_name(estimator), _without_rounding(probabilities.max(axis=1)), is_right)


def recovered_rows(owner: str, estimator: Any, y_true: Any, rows: Any) -> JudgedRows:
    """Training rows: ``confidence_``, and whether ``labels_ == y_true``.

    Parameters
    ----------
    owner : str
        What was called, for errors.
    estimator : fitted estimator that recovers labels
    y_true : true labels (m,), or None if they are unknown
    rows : positions (m,) or a mask (n,) of training rows, or None for all
    """
    check_is_fitted(estimator)
    inner = innermost(estimator)
    lacking = [name for name in ("labels_", "confidence_", "classes_") if not hasattr(inner, name)]
    if lacking:
        raise TypeError(
            f"{owner}: expected an estimator that recovers labels, such as PartialLabelClassifier; "
            f"{type(inner).__name__} has no {' and no '.join(lacking)}. Pass confidence and right "
            "or wrong labels to from_predictions."
        )
    labels, confidence = np.asarray(inner.labels_), np.asarray(inner.confidence_)
    if rows is not None:
        index = row_index(owner, rows, len(labels))
        labels, confidence = labels[index], confidence[index]
    is_right = None
    if y_true is not None:
        advice = "" if rows is None else " Pass the true labels of these rows only, in their order."
        is_right = _agreement(owner, "y_true", labels, y_true, np.asarray(inner.classes_), advice)
    return JudgedRows(_name(estimator), _without_rounding(confidence), is_right)


def _name(estimator: Any) -> str:
    return type(innermost(estimator)).__name__


def _without_rounding(confidence: AnyArray) -> FloatArray:
    """One where rounding led to slightly more; larger values stay, and are refused later."""
    values = np.asarray(confidence, dtype=np.float64)
    return np.where((values > 1.0) & (values <= 1.0 + _ROUNDING), 1.0, values)


def row_index(owner: str, rows: Any, n: int) -> IntArray:
    """Positions of training rows, from positions or a mask.

    Examples
    --------
    >>> row_index("SuspectsDisplay", [False, True, True], 3).tolist()
    [1, 2]
    """
    index = np.asarray(rows)
    if index.dtype == np.bool_ and index.shape == (n,):
        index = np.flatnonzero(index)
    if index.ndim != 1 or index.dtype.kind not in "iu":
        raise ValueError(
            f"{owner}: rows must be positions of training rows, or a mask of {n} bools; got shape "
            f"{index.shape} of {index.dtype}."
        )
    outside = (index < -n) | (index >= n)
    if outside.any():
        raise IndexError(
            f"{owner}: rows has {index[np.argmax(outside)]}; there are {n} training rows, "
            f"which have the positions 0 to {n - 1}."
        )
    return index.astype(np.intp)


def _agreement(
    owner: str, name: str, labels: AnyArray, truth: Any, classes: AnyArray, advice: str = ""
) -> BoolArray:
    """Whether each label is the true one, ``(m,)``."""
    what = f"{owner}: {name}"
    if isinstance(truth, Candidates):
        raise TypeError(
            f"{what} must hold true labels, one for each row; got {type(truth).__name__}. Without "
            "the truth only confidence can be drawn."
        )
    entries = entries_of(rows_of(truth, what))
    if entries.n_rows != len(labels):
        raise ValueError(
            f"{what} has {entries.n_rows} rows; expected {len(labels)}, one true label for each "
            f"label.{advice}"
        )
    several = entries.sizes() != 1
    if several.any():
        raise row_error(
            several,
            "does not hold exactly one label",
            "True labels are needed to say which labels are right, not sets.",
            what,
        )
    missing = np.array([is_missing(label) for label in entries.distinct])[entries.codes]
    if missing.any():
        raise row_error(missing, "has no true label", "Pass only rows whose label is known.", what)
    # Labels are compared as Python objects: numpy would turn 1 beside "a" into text.
    position = positions(classes)
    code = np.array([position.get(label, -1) for label in entries.distinct], dtype=np.intp)
    if (code < 0).all():
        raise ValueError(
            f"{what} has labels such as {entries.distinct[0]!r}; none of them is among the "
            f"classes {listed(classes)!r} of the estimator. Use the same names in the truth as in "
            "the sets."
        )
    given = entries_of(rows_of(labels, owner))
    # A prediction that is no class, such as an abstention, is not right.
    chosen = np.array([position.get(label, -2) for label in given.distinct], dtype=np.intp)
    return np.asarray(chosen[given.codes] == code[entries.codes])
