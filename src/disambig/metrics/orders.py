"""Scores of rankings against the pairs that were observed, all of them or some.

A pair that was not observed is not counted, and neither is a row without any: on full rankings
these are the usual figures, on partial orders they need no ground truth.
"""

from typing import Any

import numpy as np

from disambig.candidates import PartialOrders
from disambig.candidates.orders.ranks import full_rankings
from disambig.exceptions import CandidateError
from disambig.metrics.scorer import SetScorer, mean_over
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

_INFORMATION = "has an observed pair"
_READS = (("items", "items_"),)


def kendall_tau(y: Any, y_pred: Any, *, items: Any = None, sample_weight: Any = None) -> float:
    """The mean over informative rows of ``(concordant - discordant) / observed`` pairs.

    From 1, every observed pair predicted the right way, to -1, every one the wrong way. Pairs that
    follow from observed ones count as observed. On full rankings it is Kendall's tau.

    Parameters
    ----------
    y : array-like, n rows
        Ranks ``(n, m)``, smaller first, NaN for what was not observed, or orders in any other form
        that `PartialOrders.from_any` reads. Equal ranks were not compared.
    y_pred : array-like (n, m)
        Predicted ranks, smaller first, one column per item, distinct within each row.
    items : array-like (m,), optional
        The items, in the order of the columns of `y_pred`. By default as `PartialOrders.from_any`
        finds them in `y`: for texts and pairs the sorted items that occur.
    sample_weight : array-like (n,), optional

    Returns
    -------
    float
        NaN, with a warning, if no row has an observed pair.

    See Also
    --------
    pair_error : ``(1 - tau) / 2``, smaller is better.

    Examples
    --------
    >>> kendall_tau([[0, 1, 2]], [[1, 0, 2]])
    0.333...
    >>> kendall_tau(["a>b", "a>b>c", ""], [[0, 2, 1], [0, 2, 1], [2, 1, 0]])
    0.666...
    """
    observed, wrong = _counts(y, y_pred, items, "kendall_tau")
    tau = 1 - 2 * _shares(observed, wrong)
    return mean_over(observed > 0, tau, sample_weight, information=_INFORMATION)


def pair_error(y: Any, y_pred: Any, *, items: Any = None, sample_weight: Any = None) -> float:
    """The mean over informative rows of the share of observed pairs predicted the wrong way.

    It is ``(1 - tau) / 2``, from 0 to 1, and smaller is better. Every row counts the same, however
    many of its pairs were observed.

    Parameters
    ----------
    y, y_pred, items, sample_weight
        See `kendall_tau`.

    Examples
    --------
    >>> pair_error([[0, 1, 2], [0, 1, float("nan")]], [[1, 0, 2], [0, 1, 2]])
    0.166...
    """
    observed, wrong = _counts(y, y_pred, items, "pair_error")
    return mean_over(
        observed > 0, _shares(observed, wrong), sample_weight, information=_INFORMATION
    )


kendall_tau_scorer = SetScorer("kendall_tau_scorer", kendall_tau, 1.0, _READS)
"""`kendall_tau` of an estimator, for ``scoring=``."""

pair_error_scorer = SetScorer("pair_error_scorer", pair_error, -1.0, _READS)
"""Minus the `pair_error` of an estimator, for ``scoring=``."""


def _counts(y: Any, y_pred: Any, items: Any, metric: str) -> tuple[IntArray, IntArray]:
    """Observed pairs of every row, ``(n,)``, and those of them that the prediction turns round."""
    orders = PartialOrders.from_any(y, items)
    n_predictions = y_pred.shape[0] if hasattr(y_pred, "shape") else len(y_pred)
    if n_predictions != len(orders):
        raise ValueError(
            f"{metric}: y has {len(orders)} rows and y_pred has {n_predictions}; expected as many."
        )
    try:
        ranks = full_rankings(y_pred, orders.items, len(orders))
    except CandidateError as fault:
        raise CandidateError(
            f"{metric}: y_pred must hold a full ranking of the items in every row. {fault}"
        ) from fault
    return orders.n_observed, _turned_round(orders.before, ranks)


def _turned_round(before: BoolArray, ranks: AnyArray) -> IntArray:
    """How many pairs have ``before[r, i, j]`` and ``ranks[r, i] > ranks[r, j]``, ``(n,)``."""
    count = np.zeros(len(before), dtype=np.intp)
    # One item at a time, which needs (n, m) of memory instead of (n, m, m).
    for i in range(before.shape[1]):
        count += np.count_nonzero(before[:, i] & (ranks[:, i, np.newaxis] > ranks), axis=1)
    return count


def _shares(observed: IntArray, wrong: IntArray) -> FloatArray:
    """``wrong / observed``, 0 where nothing was observed."""
    return np.asarray(wrong / np.maximum(observed, 1))
