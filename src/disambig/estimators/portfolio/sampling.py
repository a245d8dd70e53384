"""Which rows a choice is made by, and how they are dealt into folds."""

import numpy as np

from disambig.candidates import LabelSets
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.weights import row_kinds

__all__ = ["sample_rows"]

# Of the kinds that are looked at, at least this part says something, if there are as many.
_INFORMATIVE = 0.5


def sample_rows(
    kinds: IntArray, sets: LabelSets, masses: FloatArray, limit: int
) -> tuple[IntArray, IntArray]:
    """Rows to choose by, at most `limit`, and numbers to deal them into folds by.

    In an order that goes by a hash of the rows and looks random: one row of every kind, then second
    copies, and so on. Copies that exclude something go before those that do not, and of the kinds
    that come first at least half exclude something, or as many as among all. Copies of a row have
    one number, so that they are hidden together: the others would tell what is hidden. Kinds that
    exclude something are numbered by themselves, so that ``number % k`` deals them evenly.

    Parameters
    ----------
    kinds : int (n,)
        As `row_kinds` has them.
    sets : LabelSets, n rows
    masses : float (n,)
    limit : int
    """
    places, numbers = _ordered(kinds, sets.informative)
    if kinds.max() + 1 == kinds.size:
        rows = np.argsort(places)[:limit]
        return rows, numbers[rows]
    copies = np.lexsort((_contents(sets, masses), ~sets.informative, places))
    first = np.searchsorted(places[copies], places[copies])
    nth = np.arange(copies.size) - first
    rows = copies[np.lexsort((places[copies], nth))[:limit]]
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


def _contents(sets: LabelSets, masses: FloatArray) -> IntArray:
    """A number that orders copies by what they say, whatever order they were given in."""
    said = [sets.mask.astype(np.float64), masses[:, None]]
    return row_kinds(np.hstack(said if sets.weights is None else [*said, sets.weights]))
