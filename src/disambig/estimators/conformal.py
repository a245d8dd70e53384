"""Prediction sets from scores of calibration rows, on arrays.

A score says how badly a label fits a row: 1 - P(label). With n scores of calibration rows and one
new row, all exchangeable, the score of the new row is at most the ``ceil((n + 1) coverage)``-th
smallest of the n with probability `coverage` or more (Vovk, Gammerman and Shafer, 2005). So the set
of all labels with scores up to this threshold has what the scores were computed for with that
probability: a member of the row's set ("meets"), all its members ("contains"), or the true label.
Below `least_rows` there is no such score, and the threshold is infinite: every label is in the set.
"""

from math import ceil
from typing import Any

import numpy as np

from disambig.candidates import LabelSets
from disambig.memory import by_rows
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.parameters import check_choice, check_number

MEANINGS = ("meets", "contains")


def check_meaning(owner: str, meaning: str) -> None:
    """Raise an error unless the meaning is one that needs no true labels."""
    if meaning == "truth":
        raise ValueError(
            f"{owner}: meaning='truth' needs true labels of some rows. Use "
            "cross_examine(estimator, X, y).with_answers(rows, labels) of disambig.trust, and its "
            "predict_set(X, meaning='truth')."
        )
    check_choice(owner, "meaning", meaning, MEANINGS)


def both_set_scores(
    probabilities: FloatArray, sets: LabelSets, sample_weight: FloatArray
) -> FloatArray:
    """Scores of the sets that exclude a class, a column for each of `MEANINGS`, and weights."""
    rows = np.flatnonzero(sets.informative)

    def part(probabilities: FloatArray, mask: BoolArray) -> FloatArray:
        scores = label_scores(probabilities)
        return np.column_stack([set_scores(scores, mask, meaning) for meaning in MEANINGS])

    return np.column_stack([by_rows(part, probabilities, sets.mask)[rows], sample_weight[rows]])


def set_threshold(model: Any, coverage: float, meaning: str) -> float:
    """The threshold of `PartialLabelClassifier.predict_set`, from the sets that were hidden."""
    name = type(model).__name__
    check_meaning(name, meaning)
    check_number(name, "coverage", coverage, positive=True, below=1)
    if model._set_scores_ is None:
        reason = (
            "a weighting of prediction that judged hidden sets; predict_weights did not"
            if model.confidence_kind_ == "hidden sets"
            else f"labels that were judged by hidden sets; they are {model.confidence_kind_!r} "
            "here (few informative rows, bags, class counts or another solver)"
        )
        raise ValueError(f"{name}: predict_set needs {reason}. Use disambig.trust.cross_examine.")
    scores = model._set_scores_
    known, weights = scores[:, MEANINGS.index(meaning)], scores[:, -1]
    # A new row counts as much as a training row on average.
    return conformal_threshold(known, coverage, weights, float(weights.mean()))


def conformal_threshold(
    scores: Any, coverage: float, weights: Any = None, test_weight: float | None = None
) -> float:
    """The ``ceil((n + 1) coverage)``-th smallest of n scores; infinite if there are too few.

    With weights, it is the smallest score t with ``sum_{i: s_i <= t} w_i >= coverage (sum_i w_i +
    w_new)``, of Tibshirani, Barber, Candes and Ramdas (2019): rows that were drawn with unequal
    probabilities count by the inverse of these.

    Parameters
    ----------
    scores : array-like (n,)
        Of calibration rows; n may be 0, and scores may be infinite.
    coverage : float
        Between 0 and 1, both excluded.
    weights : array-like (n,), optional
        Positive; the inverse of the probability that the row was drawn, on any scale.
    test_weight : float, optional
        The weight of the new row, on the scale of `weights`. The default is the largest of the
        weights. The threshold grows with it, so the default keeps the promise for every new row
        that was at least as likely to be drawn as the least likely row among the calibration rows;
        otherwise give the inverse of the smallest probability of all.

    Returns
    -------
    float

    Examples
    --------
    >>> conformal_threshold([0.1, 0.4, 0.2, 0.3], 0.8)
    0.4
    >>> conformal_threshold([0.1, 0.4, 0.2, 0.3], 0.9)
    inf
    >>> conformal_threshold([0.1, 0.4, 0.2, 0.3], 0.5, weights=[1, 3, 1, 1])
    0.4
    """
    owner = "conformal_threshold"
    check_number(owner, "coverage", coverage, positive=True, below=1)
    values = _score_vector(owner, scores)
    if weights is None:
        if test_weight is not None:
            raise ValueError(
                f"{owner}: test_weight={test_weight!r} needs weights, on the same scale; got "
                "weights=None."
            )
        return _ranked(values, coverage)
    known = _weight_vector(owner, weights, len(values))
    if test_weight is not None:
        new = check_number(owner, "test_weight", test_weight, positive=True)
    else:
        new = float(known.max(initial=0.0))
    if (known == new).all():
        return _ranked(values, coverage)
    return _weighted(values, known, new, coverage)


def _ranked(values: FloatArray, coverage: float) -> float:
    position = _position(len(values), coverage)
    if position >= len(values):
        return float("inf")
    return float(np.partition(values, position)[position])


def _position(n: int, coverage: float) -> int:
    """``ceil(coverage (n + 1)) - 1``; rounding first keeps a product that is an integer."""
    return max(ceil(round(coverage * (n + 1), 9)), 1) - 1


def _weighted(values: FloatArray, weights: FloatArray, new: float, coverage: float) -> float:
    order = np.argsort(values)
    reached = np.cumsum(weights[order])
    n = len(values)
    # In units of rows, and rounded as in `_position`: equal weights give the same threshold.
    rows = np.round(reached * ((n + 1) / (reached[-1] + new)), 9)
    enough = np.flatnonzero(rows >= round(coverage * (n + 1), 9))
    return float(values[order[enough[0]]]) if len(enough) else float("inf")


def least_rows(coverage: float) -> int:
    """The smallest number of calibration rows with a finite threshold: ``ceil(c / (1 - c))``.

    Examples
    --------
    >>> least_rows(0.9), least_rows(0.95), least_rows(0.5)
    (9, 19, 1)
    """
    check_number("least_rows", "coverage", coverage, positive=True, below=1)
    n = max(int(round(coverage / (1 - coverage), 9)), 1)
    while n > 1 and _position(n - 1, coverage) < n - 1:
        n -= 1
    while _position(n, coverage) >= n:
        n += 1
    return n


def label_scores(probabilities: Any) -> FloatArray:
    """``1 - P(class)``: how badly every class fits every row, ``(n, K)``.

    Examples
    --------
    >>> label_scores([[0.75, 0.25]]).tolist()
    [[0.25, 0.75]]
    """
    given = np.asarray(probabilities, dtype=np.float64)
    if given.ndim != 2:
        raise ValueError(
            f"label_scores: probabilities must be a table, one row for each sample and one column "
            f"for each class; got shape {given.shape}."
        )
    # Sums of probabilities may exceed one by rounding.
    invalid = ~((given >= 0) & (given <= 1 + 1e-9)).all(axis=1)
    if invalid.any():
        row = int(np.argmax(invalid))
        raise ValueError(
            f"label_scores: row {row} has probabilities outside of [0, 1] ({int(invalid.sum())} "
            f"such rows); got {given[row].tolist()}."
        )
    return np.asarray(1.0 - given)


def set_scores(scores: FloatArray, mask: BoolArray, meaning: str) -> FloatArray:
    """The score of a set: that of its best member ("meets") or of its worst ("contains"), ``(n,)``.

    Labels up to a threshold have a member of the set in common if the best member is among them,
    and contain the set if the worst one is.

    Parameters
    ----------
    scores : float array (n, K)
        Of every class; see `label_scores`.
    mask : bool array (n, K)
        The sets, none of them empty.
    meaning : {"meets", "contains"}

    Examples
    --------
    >>> import numpy as np
    >>> scores, mask = np.array([[0.1, 0.4, 0.8]]), np.array([[False, True, True]])
    >>> set_scores(scores, mask, "meets").tolist(), set_scores(scores, mask, "contains").tolist()
    ([0.4], [0.8])
    """
    check_choice("set_scores", "meaning", meaning, ("meets", "contains"))
    if scores.shape != mask.shape:
        raise ValueError(
            f"set_scores: scores and mask must have the same shape; got {scores.shape} and "
            f"{mask.shape}."
        )
    empty = ~mask.any(axis=1)
    if empty.any():
        raise ValueError(
            f"set_scores: row {int(np.argmax(empty))} has an empty set ({int(empty.sum())} such "
            "rows). Every set needs at least one class."
        )
    if meaning == "meets":
        return np.asarray(np.where(mask, scores, np.inf).min(axis=1))
    return np.asarray(np.where(mask, scores, -np.inf).max(axis=1))


def classwise_thresholds(
    scores_of_truth: Any,
    codes: Any,
    n_classes: int,
    coverage: float,
    weights: Any = None,
    test_weight: float | None = None,
) -> FloatArray:
    """One `conformal_threshold` for each class, from the rows of that class only, ``(K,)``.

    The promise then holds among the rows of every class, not only on average over classes (Vovk,
    2012: Mondrian or label-conditional prediction). It needs `least_rows` answers of each class:
    the threshold of a class with fewer is infinite, so that it is in every prediction set.

    Parameters
    ----------
    scores_of_truth : array-like (n,)
        The score of the true class of each calibration row.
    codes : int array-like (n,)
        The true classes, from 0 to ``n_classes - 1``.
    n_classes : int
    coverage : float
    weights, test_weight
        See `conformal_threshold`. The default of `test_weight` is the largest weight of all
        classes.

    Examples
    --------
    >>> classwise_thresholds([0.1, 0.4, 0.2, 0.3], [0, 0, 0, 1], 2, 0.7).tolist()
    [0.4, inf]
    """
    owner = "classwise_thresholds"
    values = _score_vector(owner, scores_of_truth)
    classes: IntArray = np.asarray(codes, dtype=np.intp)
    if classes.shape != values.shape or ((classes < 0) | (classes >= n_classes)).any():
        raise ValueError(
            f"{owner}: codes must hold a class from 0 to {n_classes - 1} for each of the "
            f"{len(values)} rows; got shape {classes.shape} with values from "
            f"{classes.min(initial=n_classes)} to {classes.max(initial=-1)}."
        )
    known = None if weights is None else _weight_vector(owner, weights, len(values))
    if known is not None and test_weight is None and len(known):
        test_weight = float(known.max())
    thresholds = np.empty(n_classes)
    for k in range(n_classes):
        rows = classes == k
        thresholds[k] = conformal_threshold(
            values[rows], coverage, None if known is None else known[rows], test_weight
        )
    return thresholds


def prediction_mask(scores: FloatArray, threshold: Any) -> BoolArray:
    """The classes with ``scores <= threshold``, and always those of the lowest score, ``(q, K)``.

    A set without any class would say nothing. All classes that tie for the lowest score are in, so
    that the set has the predicted one whatever the rule for ties is. This can only add classes:
    the coverage stays at least what it was.

    Parameters
    ----------
    scores : float array (q, K)
        See `label_scores`.
    threshold : float, or float array (K,)
        See `conformal_threshold` and `classwise_thresholds`.

    Examples
    --------
    >>> import numpy as np
    >>> prediction_mask(np.array([[0.1, 0.4, 0.8], [0.7, 0.6, 0.7]]), 0.5).astype(int).tolist()
    [[1, 1, 0], [0, 1, 0]]
    """
    limits = np.asarray(threshold, dtype=np.float64)
    if limits.shape not in ((), (scores.shape[1],)) or np.isnan(limits).any():
        raise ValueError(
            f"prediction_mask: threshold must be a number, or one for each of the "
            f"{scores.shape[1]} classes, and not NaN; got {threshold!r}."
        )
    return np.asarray((scores <= limits) | (scores == scores.min(axis=1, keepdims=True)))


def _score_vector(owner: str, scores: Any) -> FloatArray:
    """Scores as a float array (n,); raises if one is NaN."""
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or np.isnan(values).any():
        raise ValueError(
            f"{owner}: scores must hold one number for each calibration row, none of them NaN; got "
            f"shape {values.shape} with {int(np.isnan(values).sum())} NaN."
        )
    return values


def _weight_vector(owner: str, weights: Any, n: int) -> FloatArray:
    """Weights as a float array (n,); raises unless they are positive and finite."""
    values = np.asarray(weights, dtype=np.float64)
    if values.shape != (n,) or not (np.isfinite(values) & (values > 0)).all():
        raise ValueError(
            f"{owner}: weights must hold one positive finite number for each of the {n} "
            f"calibration rows; got {weights!r}."
        )
    return values
