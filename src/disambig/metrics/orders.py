"""Metrics of predicted rankings against observed pairs.

Pairs that were not observed are not counted, and neither are rows without an observed pair. On full
rankings these are the usual metrics; on partial orders they need no true ranking.
"""

from typing import Any, Literal

import numpy as np

from disambig.candidates import PartialOrders
from disambig.candidates.orders.ranks import full_rankings
from disambig.exceptions import CandidateError
from disambig.metrics.scorer import SetScorer, mean_over
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

_INFORMATION = "has an observed pair"
_READS = (("items", "items_"), ("unlabeled", "unlabeled"), ("ranks", "ranks"))


def kendall_tau(
    y: Any,
    y_pred: Any,
    *,
    items: Any = None,
    unlabeled: Any = None,
    ranks: Literal["order", "places"] = "order",
    sample_weight: Any = None,
) -> float:
    """The mean over informative rows of ``(concordant - discordant) / observed`` pairs.

    1 if every observed pair is predicted in its direction, -1 if every pair is reversed. Pairs that
    follow from observed ones by transitivity, or from known places, count as observed. On full
    rankings it is Kendall's tau.

    Parameters
    ----------
    y : array-like, n rows
        Ranks ``(n, m)``, smaller first, NaN for items that were not observed, or orders in any
        other form that `PartialOrders.from_any` reads. Items of equal rank are not compared.
    y_pred : array-like (n, m)
        Predicted ranks, smaller first, one column per item, distinct within each row.
    items : array-like (m,), optional
        The items, in the order of the columns of `y_pred`. By default `PartialOrders.from_any`
        determines them from `y`: for texts and pairs, the sorted items that occur.
    unlabeled : object, or a list, tuple or set of them, optional
        Markers of what says nothing in `y`; see `PartialOrders.from_any`.
    ranks : {"order", "places"}, default "order"
        Whether the numbers of a table `y` are compared, or are places among all items; see
        `PartialOrders.from_any`.
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
    observed, reversed_pairs = _counts(y, y_pred, items, unlabeled, ranks, "kendall_tau")
    tau = 1 - 2 * _shares(observed, reversed_pairs)
    return mean_over(observed > 0, tau, sample_weight, information=_INFORMATION)


def pair_error(
    y: Any,
    y_pred: Any,
    *,
    items: Any = None,
    unlabeled: Any = None,
    ranks: Literal["order", "places"] = "order",
    sample_weight: Any = None,
) -> float:
    """The mean over informative rows of the share of observed pairs that the prediction reverses.

    It is ``(1 - tau) / 2``, from 0 to 1, and smaller is better. All rows have equal weight, however
    many of their pairs were observed.

    Parameters
    ----------
    y, y_pred, items, unlabeled, ranks, sample_weight
        See `kendall_tau`.

    Examples
    --------
    >>> pair_error([[0, 1, 2], [0, 1, float("nan")]], [[1, 0, 2], [0, 1, 2]])
    0.166...
    """
    observed, reversed_pairs = _counts(y, y_pred, items, unlabeled, ranks, "pair_error")
    return mean_over(
        observed > 0, _shares(observed, reversed_pairs), sample_weight, information=_INFORMATION
    )


# How a scorer is used; the mean of the folds follows.
_EXAMPLE = """\
>>> from sklearn.model_selection import cross_val_score
>>> from disambig import PartialRanker
>>> from disambig.metrics import scorer
>>> from disambig.model_selection import CandidateKFold
>>> from disambig.weights import NeighborWeights
>>> X = [[0.0], [0.1], [1.0], [1.1]] * 6
>>> y = ["a>b>c", "a>c", "c>b", "b>a"] * 5 + ["c>a"] * 4
>>> model = PartialRanker(NeighborWeights(2))
>>> found = cross_val_score(model, X, y, scoring=scorer, cv=CandidateKFold(3))
>>> float(found.mean().round(2))
"""

kendall_tau_scorer = SetScorer(
    "kendall_tau_scorer", kendall_tau, 1.0, _READS, example=_EXAMPLE + "0.83"
)

pair_error_scorer = SetScorer(
    "pair_error_scorer", pair_error, -1.0, _READS, example=_EXAMPLE + "-0.08"
)


def _counts(
    y: Any,
    y_pred: Any,
    items: Any,
    unlabeled: Any,
    ranks: Literal["order", "places"],
    metric: str,
) -> tuple[IntArray, IntArray]:
    """The number of observed pairs of every row, ``(n,)``, and of those the prediction reverses."""
    orders = PartialOrders.from_any(y, items, unlabeled=unlabeled, ranks=ranks)
    n_predictions = y_pred.shape[0] if hasattr(y_pred, "shape") else len(y_pred)
    if n_predictions != len(orders):
        raise ValueError(
            f"{metric}: y has {len(orders)} rows and y_pred has {n_predictions}; expected as many."
        )
    try:
        predicted = full_rankings(y_pred, orders.items, len(orders))
    except CandidateError as error:
        raise CandidateError(
            f"{metric}: y_pred must hold a full ranking of the items in every row. {error}"
        ) from error
    return orders.n_observed, _n_reversed(orders.before, predicted)


def _n_reversed(before: BoolArray, ranks: AnyArray) -> IntArray:
    """How many pairs have ``before[r, i, j]`` and ``ranks[r, i] > ranks[r, j]``, ``(n,)``."""
    count = np.zeros(len(before), dtype=np.intp)
    # One item at a time needs memory (n, m) instead of (n, m, m).
    for i in range(before.shape[1]):
        count += np.count_nonzero(before[:, i] & (ranks[:, i, np.newaxis] > ranks), axis=1)
    return count


def _shares(observed: IntArray, reversed_pairs: IntArray) -> FloatArray:
    """``reversed_pairs / observed``; 0 in rows without an observed pair."""
    return np.asarray(reversed_pairs / np.maximum(observed, 1))
