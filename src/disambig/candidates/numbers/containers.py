"""Checks and conversions of the containers in which users pass real targets.

These are arrays, frames, series, interval arrays and lists. Nothing here imports pandas.
"""

from collections.abc import Iterable, Mapping, Set, Sized
from typing import Any

import numpy as np
from scipy import sparse

from disambig.candidates.protocol import Candidates
from disambig.candidates.reading import dense_array
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray


def require_targets(y: Any) -> None:
    """Raise unless `y` has one row per sample, and at least one."""
    if y is None:
        raise CandidateError("Intervals requires y to be passed, but the target y is None.")
    if isinstance(y, Candidates):
        raise CandidateError(
            f"{type(y).__name__}: these are candidates already, and not intervals. Use them as "
            f"they are, or call Intervals.from_any on numbers."
        )
    if sparse.issparse(y):
        raise CandidateError(
            "Intervals: Sparse data was passed, but a zero is an end like any other number. "
            "Pass a dense array, y.toarray()."
        )
    if isinstance(y, (str, bytes, Mapping, Set)) or not (
        hasattr(y, "__array__") or (isinstance(y, Iterable) and isinstance(y, Sized))
    ):
        raise CandidateError(
            f"Intervals: expected a list, array, series or frame with one row per sample; got "
            f"{type(y).__name__}."
        )
    shape = tuple(y.shape) if hasattr(y, "shape") else (len(y),)
    if 0 in shape or len(shape) not in (1, 2, 3):
        raise CandidateError(
            f"Intervals: got shape {shape}; expected one row per sample and at least one: points "
            f"(n,), lower and upper ends (n, 2), boxes (n, d, 2), or a list with one entry per row."
        )


def plain_array(y: Any) -> AnyArray:
    """`y` as an array; masked entries become None, whatever value is under the mask."""
    require_targets(y)
    try:
        return dense_array(y)
    except ValueError as error:
        raise CandidateError(
            "Intervals: rows must have the same number of columns; these do not. For lists that "
            "mix numbers, pairs and texts use Intervals.from_any."
        ) from error


def is_interval(value: Any) -> bool:
    """Whether `value` is an interval as in pandas, or an array of them: it has ends."""
    return all(hasattr(value, name) for name in ("left", "right", "closed"))


def interval_ends(y: Any) -> AnyArray | None:
    """Both ends, ``(n, 2)``, of an interval array, index or series; None for anything else."""
    if hasattr(getattr(y, "dtype", None), "closed") and hasattr(y, "array"):
        y = y.array
    if not is_interval(y):
        return None
    return np.stack([np.asarray(y.left), np.asarray(y.right)], axis=1)
