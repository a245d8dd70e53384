"""Orders from a number per item: ranks, and scores with a margin."""

from typing import Any

import numpy as np

from disambig.candidates.order_faults import order_fault
from disambig.candidates.order_numbers import is_number, number_table
from disambig.candidates.order_table import OrderTable, no_pairs, over_items
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray

__all__ = ["parse_ranks", "parse_scores", "smaller_first", "tied_rows"]

_TIES = ("ignore", "error")


def parse_ranks(y: Any, items: Any, ties: str) -> OrderTable:
    """Read ranks, smaller first; equal ones are not compared, or refused."""
    if ties not in _TIES:
        raise CandidateError(
            f"PartialOrders: ties must be 'ignore' (equal ranks are not compared) or 'error' "
            f"(they are refused); got {ties!r}."
        )
    ranks, names = number_table(y)
    if ties == "error":
        tied = tied_rows(ranks)
        if tied.any():
            raise order_fault(
                tied,
                "has equal ranks",
                "Give distinct ranks, or ties='ignore' if equal ones mean not compared.",
            )
    return over_items(smaller_first(ranks), names, items)


def parse_scores(y: Any, items: Any, margin: float, higher_is_better: bool) -> OrderTable:
    """Read scores: an item stands before those that it beats by more than the margin."""
    if not is_number(margin) or not 0 <= margin < np.inf:
        raise CandidateError(
            f"PartialOrders: margin must be a finite number of at least 0; got {margin!r}."
        )
    scores, names = number_table(y)
    if margin == 0 and not higher_is_better:
        return over_items(smaller_first(scores), names, items)
    before = no_pairs(scores.shape[0], scores.shape[1])
    if margin == 0:
        # No difference is taken: those of integers may not fit their type.
        np.greater(scores[:, :, np.newaxis], scores[:, np.newaxis, :], out=before)
    else:
        gains = np.asarray(scores, dtype=np.float64) * (1 if higher_is_better else -1)
        # Rounding is monotone, so that these pairs are transitive without being closed. A
        # difference that overflows is infinite, which is the right side of any margin.
        with np.errstate(over="ignore"):
            for i in range(gains.shape[1]):
                before[:, i] = gains[:, i, np.newaxis] - gains > margin
    return over_items(before, names, items)


def smaller_first(ranks: AnyArray) -> BoolArray:
    """``before[r, i, j] = ranks[r, i] < ranks[r, j]``, transitive; NaN is in no pair."""
    before = no_pairs(ranks.shape[0], ranks.shape[1])
    np.less(ranks[:, :, np.newaxis], ranks[:, np.newaxis, :], out=before)
    return before


def tied_rows(ranks: AnyArray) -> BoolArray:
    """Rows, ``(n,)``, in which two items have the same rank, ``(n, m)``; NaN equals nothing."""
    ordered = np.sort(ranks, axis=1)
    return np.asarray((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
