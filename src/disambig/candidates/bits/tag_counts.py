"""Bounds on the number of tags of a row: reading them, and what they say about bits."""

from typing import Any

import numpy as np

from disambig.candidates.reading import row_error
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, IntArray

_FORM = (
    "Give a number, a pair (least, most) of whole numbers, or one pair for each row; None or NaN "
    "is no bound."
)


def read_counts(given: Any, n: int, m: int) -> IntArray | None:
    """The least and the most tags of each row, ``(n, 2)``; None without bounds.

    Parameters
    ----------
    given : int, pair, array-like (n, 2), or None
    n, m : int
        Rows and tags.

    Examples
    --------
    >>> read_counts((1, None), 2, 4).tolist()
    [[1, 4], [1, 4]]
    >>> read_counts([[1, 1], [2, np.nan]], 2, 4).tolist()
    [[1, 1], [2, 4]]
    """
    if given is None:
        return None
    try:
        if hasattr(given, "to_numpy"):
            given = given.to_numpy()
        values = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise CandidateError(f"PartialBits: tag_counts is {given!r}. {_FORM}") from None
    if values.ndim == 0:
        values = np.array([values, values])
    if values.shape not in ((2,), (n, 2)):
        raise CandidateError(
            f"PartialBits: tag_counts has shape {values.shape}; expected a pair or shape ({n}, 2). "
            f"{_FORM}"
        )
    table = np.broadcast_to(np.where(np.isnan(values), [0.0, m], values), (n, 2))
    is_row = values.ndim == 2
    wrong = (table < 0).any(axis=1) | (table != np.round(table)).any(axis=1)
    wrong |= np.isinf(table[:, 0]) | (table[:, 0] > table[:, 1]) | (table[:, 0] > m)
    if wrong.any():
        row = int(np.argmax(wrong))
        low, high = (f"{bound:g}" for bound in table[row])
        raise CandidateError(
            f"PartialBits: tag_counts{f', row {row},' if is_row else ''} is ({low}, {high}); "
            f"expected whole numbers with 0 <= least <= most, and least <= {m}, the number of tags."
        )
    found: IntArray = np.minimum(table, m).astype(np.intp)
    return found


def filled(bits: AnyArray, counts: IntArray) -> AnyArray:
    """The bits ``(n, m)`` and those that follow from the bounds; raises where none are possible."""
    on, unknown = (bits == 1).sum(axis=1), (bits < 0).sum(axis=1)
    low, high = counts.T
    many, few = on > high, on + unknown < low
    if (many | few).any():
        row = int(np.argmax(many | few))
        said = (
            f"has {_tags(on[row])}, and at most {high[row]} are allowed"
            if many[row]
            else f"can have {_tags(on[row] + unknown[row])}, and at least {low[row]} are required"
        )
        raise row_error(many | few, said, "Correct the row, or widen tag_counts.", "PartialBits")
    rest_is_off, rest_is_on = (on == high)[:, None], (on + unknown == low)[:, None]
    values = np.where(rest_is_off, 0, np.where(rest_is_on, 1, -1))
    known: AnyArray = np.where(bits < 0, values, bits).astype(np.int8)
    return known


def _tags(number: int) -> str:
    return f"{number} tag{'' if number == 1 else 's'}"
