"""Read y as the estimators do, but name every row that they would refuse, not the first alone."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from disambig.candidates import (
    ClassCounts,
    Intervals,
    IntervalUnions,
    LabelSets,
    PartialBits,
    PartialOrders,
)
from disambig.candidates.bits.tables import UNKNOWN
from disambig.candidates.numbers.parsing import parse_numbers
from disambig.candidates.numbers.segments import rows_of_segments
from disambig.diagnosis.subject import Refused
from disambig.exceptions import CandidateError, LookAlikeWarning
from disambig.notation import AnyArray, BoolArray, IntArray

# More unreadable rows than this share are an error of y as a whole.
_MAX_UNREADABLE = 0.5

Reader = Callable[[Any], Any]


def read_targets(y: Any, kind: str, classes: Any, unlabeled: Any) -> tuple[Any, Refused]:
    """The candidate sets of y, and the rows that were refused and say nothing in them.

    Parameters
    ----------
    y : candidate sets, n rows
    kind : {"labels", "numbers", "orders", "bits"}
    classes : array-like or None
        The classes, items or tags, in order.
    unlabeled : object
        Markers of what says nothing.
    """
    if isinstance(y, ClassCounts):
        return y.sets, Refused()
    if kind == "numbers" and classes is not None:
        raise ValueError("diagnose: classes= names classes, items or tags; numbers have none.")
    with warnings.catch_warnings():
        # The finding of look-alikes says the same, with rows.
        warnings.simplefilter("ignore", LookAlikeWarning)
        if kind == "numbers":
            return _read_numbers(y, unlabeled)
        if kind == "labels":
            return _read(y, lambda rows: LabelSets.from_any(rows, classes, unlabeled), _fill_sets)
        if kind == "orders":
            return _read(
                y,
                lambda rows: PartialOrders.from_any(rows, classes, unlabeled=unlabeled),
                _fill_orders,
            )
        return _read(
            y, lambda rows: PartialBits.from_any(rows, classes, unlabeled=unlabeled), _fill_bits
        )


def selected(y: Any, rows: IntArray) -> Any:
    """Some rows of y, in the same type of container."""
    if hasattr(y, "iloc"):
        return y.iloc[rows]
    if hasattr(y, "shape"):
        return y[rows]
    return [y[row] for row in rows.tolist()]


def unreadable_rows(y: Any, read: Reader, error: CandidateError) -> dict[int, str]:
    """The rows that `read` refuses, each with its message; found by halving.

    Raises the given error if more than half of the rows are refused.
    """
    n = len(y) if not hasattr(y, "shape") else y.shape[0]
    if n == 0:
        # There is nothing to halve.
        raise error
    found: dict[int, str] = {}
    parts = [np.arange(n)]
    while parts:
        rows = parts.pop()
        try:
            read(selected(y, rows))
        except CandidateError as refusal:
            if rows.size == 1:
                found[int(rows[0])] = str(refusal)
                if len(found) > _MAX_UNREADABLE * n:
                    raise error from None
                continue
            parts += [rows[rows.size // 2 :], rows[: rows.size // 2]]
    return found


def _read(y: Any, read: Reader, fill: Callable[[Any, BoolArray], Any]) -> tuple[Any, Refused]:
    """Candidates of all rows; those that cannot be read say nothing."""
    try:
        return read(y), Refused()
    except CandidateError as error:
        unreadable = unreadable_rows(y, read, error)
        if not unreadable:
            raise
        n = len(y) if not hasattr(y, "shape") else y.shape[0]
        readable = np.ones(n, dtype=np.bool_)
        readable[list(unreadable)] = False
        try:
            rest = read(selected(y, np.flatnonzero(readable)))
        except CandidateError:
            raise error from None
        return fill(rest, readable), Refused(unreadable)


def _spread(values: AnyArray, readable: BoolArray, nothing: Any) -> AnyArray:
    """The values of readable rows among all rows, and `nothing` in the others."""
    spread = np.full((readable.size, *values.shape[1:]), nothing, dtype=values.dtype)
    spread[readable] = values
    return spread


def _fill_sets(sets: LabelSets, readable: BoolArray) -> LabelSets:
    return LabelSets(_spread(sets.mask, readable, True), sets.classes)


def _fill_orders(orders: PartialOrders, readable: BoolArray) -> PartialOrders:
    return PartialOrders(_spread(orders.before, readable, False), orders.items)


def _fill_bits(bits: PartialBits, readable: BoolArray) -> PartialBits:
    return PartialBits(_spread(bits.bits, readable, UNKNOWN), bits.tags)


def _fill_ends(parsed: Any, readable: BoolArray) -> Any:
    """Parsed ends of all rows: the whole line where a row cannot be read."""
    if parsed.indptr is None:
        segments, indptr = readable, None
    else:
        counts = np.ones(readable.size, dtype=np.intp)
        counts[readable] = np.diff(parsed.indptr)
        segments = np.repeat(readable, counts)
        indptr = np.concatenate([[0], np.cumsum(counts)])
    return parsed._replace(
        lower=_spread(parsed.lower, segments, -np.inf),
        upper=_spread(parsed.upper, segments, np.inf),
        indptr=indptr,
    )


def _read_numbers(y: Any, unlabeled: Any) -> tuple[Any, Refused]:
    """Intervals, or unions; inverted ones and those without a number become the whole line."""
    if isinstance(y, (Intervals, IntervalUnions)):
        return y, Refused()

    def read(rows: Any) -> Any:
        return parse_numbers(rows, "error", unlabeled)

    parsed, refused = _read(y, read, _fill_ends)
    lower, upper = np.array(parsed.lower), np.array(parsed.upper)
    inverted = np.asarray((lower > upper).any(axis=1))
    missing = np.isnan(lower) | np.isnan(upper) | (lower == np.inf) | (upper == -np.inf)
    empty = np.asarray(missing.any(axis=1)) & ~inverted
    lower[inverted | empty], upper[inverted | empty] = -np.inf, np.inf
    owners = np.arange(len(lower)) if parsed.indptr is None else rows_of_segments(parsed.indptr)
    refused = Refused(refused.unreadable, np.unique(owners[inverted]), np.unique(owners[empty]))
    if parsed.indptr is None:
        return Intervals(lower, upper, parsed.flat), refused
    unions = IntervalUnions(lower.ravel(), upper.ravel(), parsed.indptr)
    return (unions.hull if len(unions.lower) == len(unions) else unions), refused
