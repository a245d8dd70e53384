"""What users hold rankings in: arrays, frames, series and lists, opened row by row."""

import reprlib
from collections.abc import Iterable, Mapping, Set, Sized
from typing import Any

import numpy as np
from scipy import sparse

from disambig.candidates.classes import listed
from disambig.candidates.containers import rows_of
from disambig.candidates.entries import COLLECTIONS
from disambig.candidates.missing import is_missing
from disambig.candidates.order_faults import order_fault
from disambig.candidates.protocol import Candidates
from disambig.exceptions import CandidateError

__all__ = ["elements", "is_missing_row", "order_rows", "refuse_rows", "require_rows"]


def require_rows(y: Any) -> None:
    """Raise unless `y` has one row per sample, and at least one."""
    if y is None:
        raise CandidateError("PartialOrders requires y to be passed, but the target y is None.")
    if isinstance(y, Candidates):
        raise CandidateError(
            f"{type(y).__name__}: these are candidates already, and reading them as raw targets "
            f"would lose what they hold. Use them as they are, or PartialOrders.from_any."
        )
    if sparse.issparse(y):
        raise CandidateError(
            "PartialOrders: a sparse array does not tell a rank of 0 from one that was not "
            "observed. Pass a dense array with NaN for what was not observed."
        )
    if isinstance(y, (str, bytes, Mapping, Set)) or not (
        hasattr(y, "__array__") or (isinstance(y, Iterable) and isinstance(y, Sized))
    ):
        raise CandidateError(
            f"PartialOrders: expected a list, array, series or frame with one row per sample; "
            f"got {type(y).__name__}."
        )
    shape = tuple(y.shape) if hasattr(y, "shape") else (len(y),)
    if 0 in shape or len(shape) not in (1, 2, 3):
        raise CandidateError(
            f"PartialOrders: got shape {shape}; expected one row per sample and at least one: "
            f"ranks (n, m), signs (n, m, m), or a list with one entry per row."
        )


def order_rows(y: Any) -> list[Any]:
    """The rows of `y` as Python objects; the rows of an array are its lists of entries."""
    require_rows(y)
    if isinstance(y, np.ndarray) and y.ndim == 3:
        return list(y.tolist())
    rows = rows_of(y)
    return listed(rows) if isinstance(rows, np.ndarray) else rows


def is_missing_row(row: Any) -> bool:
    """Whether nothing at all was observed of a row: None, NaN, the NA of a frame."""
    return not isinstance(row, COLLECTIONS) and is_missing(row)


def elements(row: Any) -> list[Any]:
    """The entries of a collection as a list; arrays of texts and numbers as Python objects."""
    return list(np.atleast_1d(row).tolist()) if isinstance(row, np.ndarray) else list(row)


def refuse_rows(rows: list[Any], faulty: list[bool], expected: str, remedy: str) -> None:
    """Raise if a row is faulty, showing the first such row."""
    if any(faulty):
        row = rows[faulty.index(True)]
        raise order_fault(
            np.array(faulty),
            f"holds {reprlib.repr(row)}, a {type(row).__name__}, where {expected} is expected",
            remedy,
        )
