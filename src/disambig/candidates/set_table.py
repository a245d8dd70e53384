"""Sets as a table over a vector of classes, and the same sets over other classes."""

from typing import Any, NamedTuple

import numpy as np

from disambig.candidates.classes import checked_classes, listed, positions, preview
from disambig.candidates.faults import refuse_empty_rows, row_fault
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, FloatArray

__all__ = ["SetTable", "checked_table", "reexpress"]

# Weights that were kept in single precision still count as summing to one.
_SUM_TOLERANCE = 1e-5


class SetTable(NamedTuple):
    """What parsers hand over: candidates, classes and soft weights if there are any.

    Attributes
    ----------
    mask : (n, K) of bool
    classes : (K,)
    weights : (n, K) of float, or None
    """

    mask: BoolArray
    classes: AnyArray
    weights: FloatArray | None = None


def checked_table(mask: Any, classes: Any, weights: Any) -> SetTable:
    """Read-only copies of the three, once they fit together and no set is empty."""
    mask = np.asarray(mask)
    if mask.ndim != 2 or mask.dtype != np.bool_:
        raise CandidateError(
            f"LabelSets: mask must be a boolean array of shape (n, K); got {mask.dtype} of "
            f"shape {mask.shape}. Use LabelSets.from_any for other forms."
        )
    vector = checked_classes(classes)
    if len(vector) != mask.shape[1]:
        raise CandidateError(
            f"LabelSets: {len(vector)} classes were given for {mask.shape[1]} columns. "
            f"Name one class per column."
        )
    refuse_empty_rows(~mask.any(axis=1))
    if weights is not None:
        weights = np.asarray(weights, dtype=np.float64)
        _check_weights(weights, mask)
    return SetTable(_frozen(mask), _frozen(vector), None if weights is None else _frozen(weights))


def _frozen(array: AnyArray) -> AnyArray:
    """A read-only C-contiguous copy; the array itself if it is that already."""
    if array.flags.writeable or array.base is not None or not array.flags.c_contiguous:
        array = np.array(array, order="C")
        array.setflags(write=False)
    return array


def _check_weights(weights: FloatArray, mask: BoolArray) -> None:
    if weights.shape != mask.shape:
        raise CandidateError(
            f"LabelSets: weights must have the shape of the mask, {mask.shape}; "
            f"got {weights.shape}."
        )
    outside = np.asarray(((weights != 0) & ~mask).any(axis=1))
    if outside.any():
        raise row_fault(outside, "has weight outside its set", "Set it to zero.")
    negative = ~np.asarray((weights >= 0).all(axis=1))
    if negative.any():
        raise row_fault(negative, "has a negative or missing weight", "Give non-negative weights.")
    unscaled = ~(np.abs(weights.sum(axis=1) - 1.0) <= _SUM_TOLERANCE)
    if unscaled.any():
        raise row_fault(
            unscaled, "has weights that do not sum to one", "Use LabelSets.from_weights."
        )


def reexpress(table: SetTable, classes: AnyArray) -> SetTable:
    """The same sets over `classes`: a permutation, a superset, or a subset that drops none used.

    Parameters
    ----------
    table : SetTable over ``(K,)`` classes
    classes : (L,)

    Returns
    -------
    SetTable
        Over the ``(L,)`` classes. A class that is new is a candidate nowhere.
    """
    place = positions(classes)
    target = np.array([place.get(label, -1) for label in listed(table.classes)], dtype=np.intp)
    known = target >= 0
    lost = table.mask & ~known
    if lost.any():
        column = np.argwhere(lost)[0][1]
        raise row_fault(
            np.asarray(lost.any(axis=1)),
            f"has the candidate {listed(table.classes)[column]!r}, which is not among the "
            f"classes {preview(listed(classes))}",
            "Add it to classes, or correct the row.",
        )

    def moved(values: Any) -> Any:
        wider = np.zeros((len(values), len(classes)), dtype=values.dtype)
        wider[:, target[known]] = values[:, known]
        return wider

    weights = None if table.weights is None else moved(table.weights)
    return SetTable(moved(table.mask), classes, weights)
