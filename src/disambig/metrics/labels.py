"""Metrics of predicted labels against candidate sets, without true labels.

A set that allows every class is not informative and is not counted. scikit-learn reads a mask as a
multilabel target, so that its own scorers raise an error or return a meaningless number.
"""

from typing import Any

import numpy as np

from disambig.candidates import ClassCounts, LabelSets
from disambig.candidates.labels.classes import checked_classes, listed, positions
from disambig.candidates.labels.entries import entries_of
from disambig.candidates.reading import Markers, is_table, rows_of
from disambig.exceptions import CandidateError
from disambig.losses.labels.finite import FiniteLoss
from disambig.losses.registry import bind_label_loss
from disambig.metrics.scorer import SetScorer, mean_over
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

_INFORMATION = "excludes a class"
_READS = (("classes", "classes_"), ("unlabeled", "unlabeled"))


def covering_accuracy(
    y: Any,
    y_pred: Any,
    *,
    classes: Any = None,
    unlabeled: Any = None,
    sample_weight: Any = None,
) -> float:
    """The share of informative rows whose prediction is a candidate; accuracy on plain labels.

    Parameters
    ----------
    y : array-like, n rows
        Sets in any form that `LabelSets.from_any` reads. A label that is not among `classes` is
        allowed; no prediction can equal it.
    y_pred : array-like (n,)
    classes : array-like (K,), optional
        The classes that can be predicted. They name the columns of a mask, and a set that contains
        all of them is not counted.
    unlabeled : object, or a list, tuple or set of them, optional
        Markers of unlabeled rows; see `LabelSets.from_any`.
    sample_weight : array-like (n,), optional

    Returns
    -------
    float
        NaN, with a warning, if no row is informative.

    Examples
    --------
    >>> covering_accuracy([{"a", "b"}, {"c"}, {"a", "b", "c"}], ["b", "a", "a"])
    0.5
    """
    sets, counted = _observed(y, classes, unlabeled, len(y_pred))
    return mean_over(
        counted,
        sets.contains(y_pred).astype(np.float64),
        sample_weight,
        information=_INFORMATION,
    )


def infimum_loss(
    y: Any,
    y_pred: Any,
    *,
    loss: Any = "zero_one",
    classes: Any = None,
    unlabeled: Any = None,
    sample_weight: Any = None,
) -> float:
    """The mean over informative rows of ``min_{y in s} loss(prediction, y)``; smaller is better.

    For a label that the loss does not know, the largest loss of the prediction is taken.

    Parameters
    ----------
    y, y_pred, classes, unlabeled, sample_weight
        See `covering_accuracy`.
    loss : str, array (P, K), loss or bound loss, default "zero_one"
        See `disambig.losses.registry.resolve_loss`.

    Examples
    --------
    >>> infimum_loss([{0, 1}, {3}], [2, 1], loss="absolute", classes=[0, 1, 2, 3])
    1.5
    """
    if classes is None and isinstance(loss, FiniteLoss):
        classes = loss.classes
    sets, counted = _observed(y, classes, unlabeled, len(y_pred))
    if isinstance(loss, FiniteLoss):
        bound = loss
    else:
        known = sets.classes if classes is None else checked_classes(classes)
        bound = bind_label_loss(loss, known)
    costs = _costs(bound, sets.classes)[_rows_of(bound, y_pred)]
    losses = np.where(sets.mask, costs, np.inf).min(axis=1)
    return mean_over(counted, losses, sample_weight, information=_INFORMATION)


# How a scorer is used; the mean of the folds follows.
_EXAMPLE = """\
>>> from sklearn.model_selection import cross_val_score
>>> from disambig import PartialLabelClassifier
>>> from disambig.metrics import scorer
>>> from disambig.model_selection import CandidateKFold
>>> from disambig.weights import NeighborWeights
>>> X = [[0.0], [0.1], [1.0], [1.1]] * 6
>>> y = [{"a"}, {"a", "c"}, {"b"}, {"b", "c"}] * 5 + [{"c"}] * 4
>>> model = PartialLabelClassifier(NeighborWeights(2))
>>> found = cross_val_score(model, X, y, scoring=scorer, cv=CandidateKFold(3))
>>> float(found.mean().round(2))
"""

covering_scorer = SetScorer(
    "covering_scorer", covering_accuracy, 1.0, _READS, example=_EXAMPLE + "0.83"
)

infimum_loss_scorer = SetScorer(
    "infimum_loss_scorer",
    infimum_loss,
    -1.0,
    (*_READS, ("loss", "loss_")),
    example=_EXAMPLE + "-0.17",
)


def _observed(y: Any, classes: Any, unlabeled: Any, n: int) -> tuple[LabelSets, BoolArray]:
    """The sets, and which rows exclude a class that can be predicted."""
    if isinstance(y, ClassCounts):
        # A prediction is compared with the set of its own row; counts play no part.
        y = y.sets
    try:
        sets = LabelSets.from_any(y, classes=classes, unlabeled=unlabeled)
    except CandidateError:
        # The columns of a table are the classes; only lists of labels can contain others.
        if classes is None or (is_table(y) and not isinstance(y, LabelSets)):
            raise
        # Labels that training did not have are kept; no prediction can equal them.
        sets = LabelSets.from_any(y, unlabeled=unlabeled)
    if len(sets) != n:
        raise ValueError(f"y has {len(sets)} rows and y_pred has {n}; expected as many.")
    known = listed(sets.classes if classes is None else checked_classes(classes))
    column = positions(sets.classes)
    uninformative = np.zeros(n, dtype=np.bool_)
    if len(known) > 1 and all(label in column for label in known):
        uninformative |= sets.mask[:, [column[label] for label in known]].all(axis=1)
    if Markers.of(unlabeled, "LabelSets"):
        uninformative |= sets.is_whole & (sets.n_classes > 1)
    return sets, ~uninformative


def _costs(loss: FiniteLoss, classes: AnyArray) -> FloatArray:
    """``loss(z, y)`` for these classes, ``(P, K)``; the largest loss of z if y is unknown."""
    column = positions(loss.classes)
    columns = np.array([column.get(label, -1) for label in listed(classes)], dtype=np.intp)
    largest = loss.matrix.max(axis=1, keepdims=True)
    return np.where(columns >= 0, loss.matrix[:, columns], largest)


def _rows_of(loss: FiniteLoss, y_pred: Any) -> IntArray:
    """The row of the loss matrix of each prediction, ``(n,)``."""
    row_of = positions(loss.predictions)
    entries = entries_of(rows_of(y_pred, "y_pred"))
    unknown = [label for label in entries.distinct if label not in row_of]
    if unknown or (entries.sizes() != 1).any():
        what = (
            f"{unknown[0]!r}, which is not a prediction of the loss" if unknown else "a collection"
        )
        raise ValueError(
            f"y_pred holds {what}; expected in each row one of {listed(loss.predictions)!r}."
        )
    rows = np.array([row_of[label] for label in entries.distinct], dtype=np.intp)
    return np.asarray(rows[entries.codes])
