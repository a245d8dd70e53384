"""Metrics of predicted tags against tables of which some bits are unknown; these are skipped.

scikit-learn's metrics read NaN as an error, and -1 as a third value.
"""

from typing import Any, Literal

import numpy as np
from sklearn.metrics import average_precision_score

from disambig.candidates import PartialBits
from disambig.metrics.scorer import SetScorer, mean_over, row_weights
from disambig.notation import FloatArray
from disambig.parameters import check_choice, check_number

_READS = (("tags", "tags_"), ("unlabeled", "unlabeled"), ("zero", "zero"))
_AVERAGES = ("micro", "macro", "samples")


def tag_hamming_loss(
    y: Any,
    y_pred: Any,
    *,
    tags: Any = None,
    zero: Any = None,
    unlabeled: Any = None,
    tag_weights: Any = None,
    sample_weight: Any = None,
) -> float:
    """The (weighted) share of the known bits that are predicted wrong; 0 is best.

    Parameters
    ----------
    y : table (n, m)
        In any form that `PartialBits.from_any` reads.
    y_pred : array-like (n, m) of 0 and 1
    tags, zero, unlabeled : optional
        See `PartialBits.from_any`.
    tag_weights : array-like (m,), optional
    sample_weight : array-like (n,), optional

    Returns
    -------
    float
        NaN, with a warning, if no bit is known.

    Examples
    --------
    >>> tag_hamming_loss([[1, None], [0, 1]], [[1, 1], [1, 1]])
    0.3333333333333333
    """
    bits = PartialBits.from_any(y, tags, zero=zero, unlabeled=unlabeled)
    predicted = _predictions(bits, y_pred)
    weights = np.ones(bits.n_tags) if tag_weights is None else np.asarray(tag_weights, float)
    shares = bits.known @ weights
    wrong = (bits.known & (predicted != bits.bits)) @ weights
    return _mean_of_known(shares, wrong, sample_weight)


def _mean_of_known(shares: FloatArray, values: FloatArray, sample_weight: Any) -> float:
    """``sum w values / sum w shares``: each known bit counts the same, in rows of any number."""
    counted = shares > 0
    ratios = np.divide(values, shares, out=np.zeros(len(values)), where=counted)
    weights = row_weights(sample_weight, len(shares)) * shares
    return mean_over(counted, ratios, weights, information="has a known bit")


def known_accuracy(
    bits: PartialBits, y_pred: Any, *, tag_weights: Any = None, sample_weight: Any = None
) -> float:
    """One minus `tag_hamming_loss`."""
    return 1.0 - tag_hamming_loss(
        bits, y_pred, tag_weights=tag_weights, sample_weight=sample_weight
    )


def tag_f_measure(
    y: Any,
    y_pred: Any,
    *,
    average: Literal["micro", "macro", "samples"] = "macro",
    beta: float = 1.0,
    tags: Any = None,
    zero: Any = None,
    unlabeled: Any = None,
    sample_weight: Any = None,
) -> float:
    """The F measure over known bits; 1 is best.

    ``(1 + beta^2) hits / ((1 + beta^2) hits + beta^2 missed + false)``, and 1 where nothing is on
    and nothing is predicted.

    Parameters
    ----------
    y, y_pred, tags, zero, unlabeled, sample_weight
        See `tag_hamming_loss`.
    average : {"micro", "macro", "samples"}, default "macro"
        Of all bits together, the mean over tags, or the mean over rows; tags and rows without a
        known bit are not counted.
    beta : float, default 1

    Examples
    --------
    >>> y, y_pred = [[1, None], [0, 1]], [[1, 1], [1, 1]]
    >>> [round(tag_f_measure(y, y_pred, average=a), 3) for a in ("micro", "macro", "samples")]
    [0.8, 0.833, 0.833]
    """
    check_choice("tag_f_measure", "average", average, _AVERAGES)
    square = check_number("tag_f_measure", "beta", beta, positive=True) ** 2
    bits = PartialBits.from_any(y, tags, zero=zero, unlabeled=unlabeled)
    predicted = _predictions(bits, y_pred) == 1
    on = bits.bits == 1
    weights = row_weights(sample_weight, len(bits))
    axis = 1 if average == "samples" else 0
    scale = np.ones(len(bits)) if average == "samples" else weights
    hits, missed, false, known = (
        (table * scale[:, None]).sum(axis=axis)
        for table in (on & predicted, on & ~predicted, bits.known & ~on & predicted, bits.known)
    )
    if average == "micro":
        hits, missed, false, known = (np.array([v.sum()]) for v in (hits, missed, false, known))
    above = (1.0 + square) * hits
    below = above + square * missed + false
    values = np.divide(above, below, out=np.ones(len(above)), where=below > 0)
    return mean_over(
        known > 0,
        values,
        weights if average == "samples" else None,
        information="has a known bit",
    )


def tag_average_precision(
    y: Any,
    y_score: Any,
    *,
    average: Literal["micro", "macro"] = "macro",
    tags: Any = None,
    zero: Any = None,
    unlabeled: Any = None,
    sample_weight: Any = None,
) -> float:
    """The area under the curve of precision and recall, over known bits; 1 is best.

    Parameters
    ----------
    y, tags, zero, unlabeled, sample_weight
        See `tag_hamming_loss`.
    y_score : array-like (n, m)
        The larger, the more probable is the tag.
    average : {"micro", "macro"}, default "macro"
        Of all bits together, or the mean over the tags of which a bit is known to be on.

    Examples
    --------
    >>> tag_average_precision([[1, None], [0, 1], [1, 0]], [[0.9, 0], [0.5, 0.8], [0.2, 0.1]])
    0.9166666666666666
    """
    check_choice("tag_average_precision", "average", average, _AVERAGES[:2])
    bits = PartialBits.from_any(y, tags, zero=zero, unlabeled=unlabeled)
    scores = np.asarray(y_score, dtype=np.float64)
    if scores.shape != bits.shape:
        raise ValueError(
            f"y has shape {bits.shape} and y_score has {scores.shape}; expected the same, one "
            "column for each tag."
        )
    weights = np.repeat(row_weights(sample_weight, len(bits))[:, None], bits.n_tags, axis=1)
    parts = [(bits.bits.T, scores.T, weights.T)]
    if average == "macro":
        parts = list(zip(*parts[0], strict=True))
    values, counted = np.zeros(len(parts)), np.zeros(len(parts), dtype=np.bool_)
    for k, (column, score, weight) in enumerate(parts):
        known = (column >= 0) & (weight > 0)
        if (column[known] == 1).any():
            counted[k] = True
            values[k] = average_precision_score(
                column[known], score[known], sample_weight=weight[known]
            )
    return mean_over(counted, values, None, information="has a tag that is known to be on")


def _predictions(bits: PartialBits, y_pred: Any) -> Any:
    predicted = np.asarray(y_pred)
    if predicted.shape != bits.shape:
        raise ValueError(
            f"y has shape {bits.shape} and y_pred has {predicted.shape}; expected the same, one "
            "column for each tag."
        )
    return predicted


# How a scorer is used; the mean of the folds follows.
_EXAMPLE = """\
>>> from sklearn.model_selection import cross_val_score
>>> from disambig import PartialBits, PartialMultilabelClassifier
>>> from disambig.metrics import scorer
>>> from disambig.model_selection import CandidateKFold
>>> from disambig.weights import NeighborWeights
>>> X = [[0.0], [0.1], [1.0], [1.1]] * 6
>>> y = PartialBits.from_any([[1, 0], [1, None], [0, 1], [None, 1]] * 5 + [[1, 1]] * 4)
>>> model = PartialMultilabelClassifier(NeighborWeights(2))
>>> found = cross_val_score(model, X, y, scoring=scorer, cv=CandidateKFold(3))
>>> float(found.mean().round(2))
"""

tag_hamming_loss_scorer = SetScorer(
    "tag_hamming_loss_scorer", tag_hamming_loss, -1.0, _READS, example=_EXAMPLE + "-0.05"
)

tag_f_measure_scorer = SetScorer(
    "tag_f_measure_scorer", tag_f_measure, 1.0, _READS, example=_EXAMPLE + "0.96"
)

tag_average_precision_scorer = SetScorer(
    "tag_average_precision_scorer",
    tag_average_precision,
    1.0,
    _READS,
    "predict_proba",
    example=_EXAMPLE + "0.98",
)
