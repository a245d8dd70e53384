"""Which rows a choice is made by, and how they are dealt into folds."""

from typing import Any

import numpy as np

from disambig.notation import BoolArray, IntArray
from disambig.weights import row_kinds

__all__ = ["sample_rows"]

# Of the rows that are looked at, at least this part says something, if there are as many.
_INFORMATIVE = 0.5


def sample_rows(X: Any, informative: BoolArray, limit: int) -> tuple[IntArray, IntArray]:
    """Rows to choose by, at most `limit`, and numbers to deal them into folds by.

    In an order that goes by a hash of the rows and looks random; among the first of them as many
    exclude something as among all, or half. Copies of a row have one number, so that they are
    hidden together: the others would tell what is hidden. Rows that exclude something are numbered
    by themselves, so that ``number % k`` deals them evenly.

    Parameters
    ----------
    X : (n, d)
    informative : bool (n,)
    limit : int
    """
    kinds, numbers = _ordered(row_kinds(X), informative)
    rows = np.flatnonzero(kinds < limit)
    rows = rows[np.argsort(kinds[rows], kind="stable")]
    if rows.size > limit:
        # The first copies of each kind, as many as there is room for.
        copy = np.arange(rows.size) - np.searchsorted(kinds[rows], kinds[rows])
        most = np.searchsorted(np.cumsum(np.bincount(copy)), limit, side="right")
        rows = rows[copy < most]
    return rows, numbers[rows]


def _ordered(kinds: IntArray, informative: BoolArray) -> tuple[IntArray, IntArray]:
    """Of each row, the place of its kind, and the number among the kinds of its sort."""
    told = np.zeros(int(kinds.max()) + 1, dtype=np.bool_)
    told[kinds[informative]] = True
    part = max(_INFORMATIVE, float(told.mean()))
    number = np.where(told, np.cumsum(told), np.cumsum(~told)) - 1
    distance = np.where(told, 1.0 / part, np.inf if part == 1.0 else 1.0 / (1.0 - part))
    place = np.empty_like(number)
    place[np.argsort((number + 0.5) * distance, kind="stable")] = np.arange(told.size)
    return place[kinds], number[kinds]
