"""Intervals out of rows that are numbers, pairs, intervals of pandas, texts or lists of pairs."""

import reprlib
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from disambig.candidates.interval_containers import is_interval
from disambig.candidates.interval_ends import interval_fault
from disambig.candidates.interval_texts import GRAMMAR, text_pieces
from disambig.candidates.real_numbers import number
from disambig.notation import FloatArray, IntArray

__all__ = ["RowPieces", "pieces_of_list"]

_Pair = tuple[float, float]

_NUMBERS = {int, float}


class RowPieces(NamedTuple):
    """The ends of all pieces, ``(m, 2)``, and where those of each row begin, ``(n + 1,)``."""

    ends: FloatArray
    indptr: IntArray


def pieces_of_list(rows: list[Any]) -> RowPieces:
    """The intervals that each row names, in its own order; missing ends are NaN.

    Examples
    --------
    >>> pieces_of_list([5.0, [(1, 2), (3, 4)]]).ends.tolist()
    [[5.0, 5.0], [1.0, 2.0], [3.0, 4.0]]
    """
    ends = _plain_ends(rows)
    if ends is not None:
        return RowPieces(ends, np.arange(len(rows) + 1))
    pieces = [_pieces(row) for row in rows]
    garbled = np.array([not piece for piece in pieces])
    if garbled.any():
        row = rows[int(np.argmax(garbled))]
        raise interval_fault(
            garbled,
            f"holds {reprlib.repr(row)}, a {type(row).__name__}, which is no interval of numbers",
            f"A row is a number, a pair (lower, upper), a list of such pairs, or a text: {GRAMMAR}"
            f". Points of several outputs go to Intervals.from_points.",
            "Intervals",
        )
    counts = [len(piece) for piece in pieces if piece is not None]
    pairs = [pair for piece in pieces if piece is not None for pair in piece]
    return RowPieces(np.array(pairs, dtype=np.float64), np.append(0, np.cumsum(counts)))


def _plain_ends(rows: list[Any]) -> FloatArray | None:
    """The ends of rows that are all numbers, or all pairs, of Python; else None.

    The common case, some thirty times as fast as row by row.
    """
    kinds = set(map(type, rows))
    try:
        if kinds <= _NUMBERS:
            points = np.array(rows, dtype=np.float64)
            return np.stack([points, points], axis=1)
        if kinds <= {list, tuple} and set(map(len, rows)) == {2}:
            flat = list(chain.from_iterable(rows))
            if set(map(type, flat)) <= _NUMBERS:
                return np.array(flat, dtype=np.float64).reshape(-1, 2)
    except OverflowError:
        # An integer beyond all floats: the row will be named.
        pass
    return None


def _pieces(row: Any) -> list[_Pair] | None:
    """The intervals of a row, at least one; None or nothing if it names none."""
    if isinstance(row, str):
        return text_pieces(row)
    if isinstance(row, np.ndarray):
        row = row.tolist()
    pair = _pair(row)
    if pair is not None:
        return [pair]
    if isinstance(row, (list, tuple)):
        pairs = [_pair(entry, bare=False) for entry in row]
        known = [pair for pair in pairs if pair is not None]
        return known if len(known) == len(pairs) else None
    return None


def _pair(entry: Any, bare: bool = True) -> _Pair | None:
    """The ends of one interval: of pandas, a pair, or if `bare` a number for both; else None."""
    if is_interval(entry):
        entry = (entry.left, entry.right)
    elif isinstance(entry, np.ndarray):
        entry = entry.tolist()
    if isinstance(entry, (list, tuple)):
        if len(entry) != 2:
            return None
        lower, upper = entry
    elif bare:
        lower = upper = entry
    else:
        return None
    low, high = number(lower), number(upper)
    return None if low is None or high is None else (low, high)
