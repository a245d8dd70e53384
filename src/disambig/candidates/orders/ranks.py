"""Orders from a number per item: ranks, and scores with a margin.

Numbers are finite, or NaN where an item was not observed. `full_rankings` reads complete rankings,
which `breaks_order` compares with partial orders.
"""

import numbers
from typing import Any, NamedTuple

import numpy as np

from disambig.candidates.labels.classes import is_nested, listed, positions, preview
from disambig.candidates.labels.entries import COLLECTIONS
from disambig.candidates.orders.items import (
    elements,
    is_missing_row,
    order_error,
    order_rows,
    refuse_rows,
    require_rows,
    without_marked,
)
from disambig.candidates.orders.tables import OrderTable, no_pairs, over_items
from disambig.candidates.reading import NO_MARKERS, Markers, is_missing, is_table, table_of
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, IntArray

_TIE_RULES = ("ignore", "error")


def is_number(value: object) -> bool:
    """Whether `value` is a real number; NaN is, a bool is not."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


class NumberTable(NamedTuple):
    """Numbers of items, ``(n, m)``, names of the columns or None, and entries that are markers."""

    values: AnyArray
    names: list[Any] | None
    marked: BoolArray

    def compared(self, before: BoolArray) -> BoolArray:
        """`before`, ``(n, m, m)``, without the pairs of entries that are markers; in place."""
        if self.marked.any():
            before &= ~self.marked[:, :, np.newaxis]
            before &= ~self.marked[:, np.newaxis, :]
        return before


def number_table(y: Any, markers: Markers = NO_MARKERS) -> NumberTable:
    """The numbers of a table, of nested lists or of one item; 0 where an entry is a marker.

    With one dimension `y` holds the numbers of a single item. None of them may be missing: the
    ranking of a single item carries no information, with its rank or without.
    """
    require_rows(y)
    if is_table(y):
        return _marked_table(*table_of(y, "PartialOrders", "item"), markers)
    if getattr(y, "ndim", 1) > 2:
        raise CandidateError(
            f"PartialOrders: expected one number per row and item, shape (n, m); got shape "
            f"{tuple(y.shape)}. For signs of pairs, (n, m, m), use PartialOrders.from_signs."
        )
    rows = order_rows(y)
    if any(isinstance(row, COLLECTIONS) for row in rows):
        return _marked_table(_stacked(without_marked(rows, markers)), None, markers)
    table = _marked_table(_column(rows), None, markers)
    _refuse_entries(
        np.isnan(table.values),
        table.values,
        None,
        "Input y contains NaN: with one number per row that number is the rank of the only "
        "item. Leave out such rows; for several items pass one column per item.",
    )
    return table


def _marked_table(table: AnyArray, names: list[Any] | None, markers: Markers) -> NumberTable:
    """The checked numbers; entries that are markers need not be numbers."""
    marked = markers.where(table)
    if marked.any():
        # Not NaN: integers stay integers, of which large ones can be the same float.
        table = table.copy() if table.dtype.kind in "biufO" else table.astype(object)
        table[marked] = 0
    return NumberTable(_checked(table, names), names, marked)


def _column(rows: list[Any]) -> AnyArray:
    """The rows as a table with one column."""
    column = np.empty((len(rows), 1), dtype=object)
    column[:, 0] = rows
    return column


def _stacked(rows: list[Any]) -> AnyArray:
    """Rows of equal length as a table; a missing row has missing entries only."""
    entries = [elements(row) if isinstance(row, COLLECTIONS) else None for row in rows]
    width = max(len(row) for row in entries if row is not None)
    refuse_rows(
        rows,
        [
            not is_missing_row(row) if values is None else not _is_flat(row, values, width)
            for row, values in zip(rows, entries, strict=True)
        ],
        f"a list of {width} numbers, one per item,",
        "Write NaN for an item that was not observed; for lists of items in order use "
        "PartialOrders.from_top_k or from_buckets, for lists of pairs from_pairs.",
    )
    if width == 0:
        raise CandidateError("PartialOrders: the rows are empty; at least one item is needed.")
    table = np.empty((len(rows), width), dtype=object)
    for r, values in enumerate(entries):
        table[r] = values
    return table


def _is_flat(row: Any, values: list[Any], width: int) -> bool:
    """Whether a row is a sequence of `width` single values."""
    ordered = not isinstance(row, (set, frozenset))
    return ordered and len(values) == width and not any(map(is_nested, values))


def _checked(table: AnyArray, names: list[Any] | None) -> AnyArray:
    """Numbers in their own dtype, NaN where missing; raises at other values and at infinity."""
    values = table if table.dtype.kind in "iuf" else _converted(table, names)
    if values.dtype.kind == "f":
        _refuse_entries(
            np.isinf(values),
            values,
            names,
            "Input y contains infinity: give finite numbers, NaN for what was not observed.",
        )
    return values


def _converted(table: AnyArray, names: list[Any] | None) -> AnyArray:
    """A table of objects as integers if all are, else as floats; raises at other values."""
    flat = table.ravel().tolist()
    if all(type(value) is int for value in flat):
        integers = np.array(flat).reshape(table.shape)
        # Integers if they fit into 64 bits: different large integers can be the same float.
        if integers.dtype.kind in "iu":
            return integers
    good = np.array([_is_float(value) or is_missing(value) for value in flat], dtype=np.bool_)
    _refuse_entries(
        ~good.reshape(table.shape),
        table,
        names,
        "A table holds one number per item. For lists of items in order use "
        "PartialOrders.from_top_k or from_buckets, for texts such as 'a>b' a list of texts.",
    )
    values = [np.nan if is_missing(value) else float(value) for value in flat]
    return np.array(values, dtype=np.float64).reshape(table.shape)


def _is_float(value: Any) -> bool:
    """Whether a value is a number that floats can hold."""
    if not is_number(value):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def _refuse_entries(bad: BoolArray, table: AnyArray, names: list[Any] | None, remedy: str) -> None:
    """Raise if an entry ``(n, m)`` is bad; names the first one and their number."""
    if not bad.any():
        return
    row, column = (int(index) for index in np.argwhere(bad)[0])
    value = table[row, column]
    count = int(np.count_nonzero(bad))
    raise CandidateError(
        f"PartialOrders: row {row}, column {column if names is None else repr(names[column])} "
        f"holds {value.item() if isinstance(value, np.generic) else value!r} "
        f"({count} such {'entry' if count == 1 else 'entries'}). {remedy}"
    )


def check_ties(ties: str) -> None:
    """Raise unless `ties` is a rule for equal ranks."""
    if ties not in _TIE_RULES:
        raise CandidateError(
            f"PartialOrders: ties must be 'ignore' (equal ranks are not compared) or 'error' "
            f"(they raise an error); got {ties!r}."
        )


def parse_ranks(y: Any, items: Any, ties: str, unlabeled: Any = None) -> OrderTable:
    """Read ranks, smaller first; equal ranks are not compared, or raise with ties="error"."""
    check_ties(ties)
    ranks = number_table(y, Markers.of(unlabeled, "PartialOrders"))
    before = ranks.compared(smaller_first(ranks.values))
    if ties == "error":
        # Of the items with a rank, every two are in a pair unless their ranks are equal.
        n_ranked = np.count_nonzero(~(np.isnan(ranks.values) | ranks.marked), axis=1)
        tied = np.count_nonzero(before, axis=(1, 2)) < n_ranked * (n_ranked - 1) // 2
        if tied.any():
            raise order_error(
                tied,
                "has equal ranks",
                "Give distinct ranks, or ties='ignore' if equal ones mean not compared.",
            )
    return over_items(before, ranks.names, items)


def parse_scores(
    y: Any, items: Any, margin: float, higher_is_better: bool, unlabeled: Any = None
) -> OrderTable:
    """Read scores: an item stands before those whose score is worse by more than the margin."""
    if not is_number(margin) or not 0 <= margin < np.inf:
        raise CandidateError(
            f"PartialOrders: margin must be a finite number of at least 0; got {margin!r}."
        )
    table = number_table(y, Markers.of(unlabeled, "PartialOrders"))
    scores = table.values
    if margin == 0 and not higher_is_better:
        return over_items(table.compared(smaller_first(scores)), table.names, items)
    before = no_pairs(scores.shape[0], scores.shape[1])
    if margin == 0:
        # Compared, not subtracted: a difference of integers may overflow.
        np.greater(scores[:, :, np.newaxis], scores[:, np.newaxis, :], out=before)
    else:
        gains = np.asarray(scores, dtype=np.float64) * (1 if higher_is_better else -1)
        # Rounding is monotone, so that these pairs are transitive already. A difference that
        # overflows is infinite, and compares with any margin as it should.
        with np.errstate(over="ignore"):
            for i in range(gains.shape[1]):
                before[:, i] = gains[:, i, np.newaxis] - gains > margin
    return over_items(table.compared(before), table.names, items)


def smaller_first(ranks: AnyArray) -> BoolArray:
    """``before[r, i, j] = ranks[r, i] < ranks[r, j]``, which is transitive; NaN is in no pair."""
    before = no_pairs(ranks.shape[0], ranks.shape[1])
    np.less(ranks[:, :, np.newaxis], ranks[:, np.newaxis, :], out=before)
    return before


def tied_rows(ranks: AnyArray) -> BoolArray:
    """Rows, ``(n,)``, in which two items have the same rank, ``(n, m)``; NaN ties with nothing."""
    ordered = np.sort(ranks, axis=1)
    return np.asarray((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))


def full_rankings(ranks: Any, items: AnyArray, n_rows: int) -> AnyArray:
    """Distinct ranks of all `items`, ``(n, m)``; columns with names are matched to the items.

    Raises unless every row has one rank per item, none missing and no two equal.
    """
    values, names, _ = number_table(ranks)
    if values.shape != (n_rows, len(items)):
        raise CandidateError(
            f"PartialOrders: expected ranks of shape ({n_rows}, {len(items)}), one row per order "
            f"and one column per item; got shape {values.shape}."
        )
    if names is not None:
        column_of = positions(np.asarray(names, dtype=object))
        unknown = [name for name in listed(items) if name not in column_of]
        if unknown:
            raise CandidateError(
                f"PartialOrders: no column of the ranks is named {preview(unknown)}; the columns "
                f"are {preview(names)}. Name them by the items, or pass an array without names."
            )
        values = values[:, [column_of[name] for name in listed(items)]]
    missing = np.asarray(np.isnan(values).any(axis=1))
    if missing.any():
        raise order_error(missing, "lacks a rank", "A ranking gives every item its rank.")
    tied = tied_rows(values)
    if tied.any():
        raise order_error(tied, "has equal ranks", "A ranking gives items distinct ranks.")
    return values


def breaks_order(before: BoolArray, ranks: AnyArray, windows: IntArray | None = None) -> BoolArray:
    """Rows, ``(n,)``, with a pair for which ``before[r, i, j] and ranks[r, i] > ranks[r, j]``.

    Or with an item outside its window, ``windows[r, i]``.
    """
    broken = np.zeros(len(before), dtype=np.bool_)
    if windows is not None:
        places = np.argsort(np.argsort(ranks, axis=1), axis=1)
        outside = (places < windows[:, :, 0]) | (places > windows[:, :, 1])
        broken |= outside.any(axis=1)
    # One item at a time: temporaries of (n, m) instead of (n, m, m).
    for i in range(before.shape[1]):
        broken |= (before[:, i] & (ranks[:, i, np.newaxis] > ranks)).any(axis=1)
    return broken
