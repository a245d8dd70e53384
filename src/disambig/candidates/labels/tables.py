"""Label sets as tables with one column per class: a mask of candidates, and soft weights.

`checked_table` checks the arrays of `LabelSets`, `parse_table` reads the tables of users, and
`reexpress` writes the same sets over other classes.
"""

import numbers
from typing import Any, Literal, NamedTuple

import numpy as np

from disambig.candidates.labels.classes import (
    checked_classes,
    listed,
    named_classes,
    positions,
    preview,
)
from disambig.candidates.look_alikes import warn_of_look_alike_names
from disambig.candidates.reading import Markers, is_missing, refuse_empty_rows, row_error
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, FloatArray
from disambig.parameters import as_array

# Weights sum to one up to this, so that weights stored in single precision are accepted.
_SUM_TOLERANCE = 1e-5


class SetTable(NamedTuple):
    """What a parser returns: candidates, classes, and soft weights if there are any.

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
    """Read-only copies of the arrays; raises unless they fit together and no set is empty."""
    mask = as_array(mask)
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
        raise row_error(outside, "has weight outside its set", "Set it to zero.")
    negative = ~np.asarray((weights >= 0).all(axis=1))
    if negative.any():
        raise row_error(negative, "has a negative or missing weight", "Give non-negative weights.")
    unscaled = ~(np.abs(weights.sum(axis=1) - 1.0) <= _SUM_TOLERANCE)
    if unscaled.any():
        raise row_error(
            unscaled, "has weights that do not sum to one", "Use LabelSets.from_weights."
        )


def reexpress(table: SetTable, classes: AnyArray) -> SetTable:
    """The same sets over `classes`: a permutation, a superset, or a subset with all used classes.

    Parameters
    ----------
    table : SetTable over ``(K,)`` classes
    classes : (L,)

    Returns
    -------
    SetTable
        Over the ``(L,)`` classes. A new class is a candidate of no row.
    """
    column_of = positions(classes)
    target = np.array([column_of.get(label, -1) for label in listed(table.classes)], dtype=np.intp)
    known = target >= 0
    lost = table.mask & ~known
    if lost.any():
        column = np.argwhere(lost)[0][1]
        raise row_error(
            np.asarray(lost.any(axis=1)),
            f"has the candidate {listed(table.classes)[column]!r}, which is not among the "
            f"classes {preview(listed(classes))}",
            "Add it to classes, or correct the row.",
        )

    def placed(values: Any) -> Any:
        wider = np.zeros((len(values), len(classes)), dtype=values.dtype)
        wider[:, target[known]] = values[:, known]
        return wider

    weights = None if table.weights is None else placed(table.weights)
    return SetTable(placed(table.mask), classes, weights)


Form = Literal["mask", "weights", "either"]


def parse_table(
    table: AnyArray, names: list[Any] | None, classes: Any, unlabeled: Any, form: Form
) -> SetTable:
    """Read ``(n, K)`` values as a mask (0 and 1), as weights, or as whichever they are.

    Parameters
    ----------
    table : (n, K)
    names : list of K column names, or None
    classes : (K,) array-like, or None for the names, else 0 to K - 1
    unlabeled : object
        A row all of whose entries are markers may be any class.
    form : {"mask", "weights", "either"}
        "either" takes fractions in [0, 1] for weights, and 0 and 1 alone for a mask.
    """
    markers = Markers.of(unlabeled, "LabelSets")
    vector = named_classes(classes, markers)
    values, marked = _numbers(table, names, markers)
    is_unlabeled = np.asarray(marked.all(axis=1))
    _refuse_values(values, is_unlabeled, names, form)
    mask = values > 0
    is_empty = ~np.asarray(mask.any(axis=1)) & ~is_unlabeled
    if form == "weights" and is_empty.any():
        raise row_error(
            is_empty,
            "has weights that sum to zero",
            "Give a class a positive weight; equal weights say that a row may be any class.",
        )
    refuse_empty_rows(is_empty)
    mask[is_unlabeled] = False
    weights = None
    if form == "weights" or (form == "either" and not _is_binary(values[~is_unlabeled])):
        weights = _normalised(values, is_unlabeled)
    parsed = _over_classes(SetTable(mask, np.arange(mask.shape[1]), weights), names, vector)
    # Last, so that an unlabeled row also has the classes without a column.
    parsed.mask[is_unlabeled] = True
    if parsed.weights is not None:
        parsed.weights[is_unlabeled] = 1.0 / len(parsed.classes)
    return parsed


def _numbers(
    table: AnyArray, names: list[Any] | None, markers: Markers
) -> tuple[AnyArray, BoolArray]:
    """The numeric values, NaN where missing, and the entries that are a marker."""
    marked = markers.where(table)
    if table.dtype.kind in "biuf":
        return table, marked
    flat = table.ravel().tolist()
    is_marked = marked.ravel()
    values = np.full(len(flat), np.nan)
    for index, value in enumerate(flat):
        if isinstance(value, (numbers.Real, np.bool_)):
            values[index] = value
        elif not is_marked[index] and not is_missing(value):
            raise CandidateError(
                f"LabelSets: {_cell(divmod(index, table.shape[1]), names)} holds {value!r}. A "
                f"table with several columns is a mask of 0 and 1 with one column per class; "
                f"for rows of labels use LabelSets.from_sets or a list of sets."
            )
    return values.reshape(table.shape), marked


def _cell(cell: tuple[int, int], names: list[Any] | None) -> str:
    """A row and a column as text for messages."""
    row, column = int(cell[0]), int(cell[1])
    return f"row {row}, column {column if names is None else repr(names[column])}"


def _is_binary(values: AnyArray) -> bool:
    return values.dtype.kind == "b" or bool(((values == 0) | (values == 1)).all())


def _refuse_values(
    values: AnyArray, is_unlabeled: BoolArray, names: list[Any] | None, form: Form
) -> None:
    """Raise at the first entry that the form does not allow.

    NaN is never allowed, since it fails every comparison.
    """
    if values.dtype.kind == "b":
        return
    if form == "weights":
        good = (values >= 0) & np.isfinite(values)
    elif form == "mask":
        good = (values == 0) | (values == 1)
    else:
        good = (values >= 0) & (values <= 1)
    bad = ~good & ~is_unlabeled[:, np.newaxis]
    if not bad.any():
        return
    first = np.argwhere(bad)[0]
    value = values[first[0], first[1]].item()
    count = int(np.count_nonzero(bad))
    expected = {
        "mask": "A mask holds 0 and 1",
        "weights": "Weights are finite and not negative",
        "either": "A mask holds 0 and 1, soft weights lie in [0, 1]",
    }[form]
    raise CandidateError(
        f"LabelSets: {_cell((first[0], first[1]), names)} holds {value!r} "
        f"({count} such {'entry' if count == 1 else 'entries'}). {expected}. {_remedy(value)}"
    )


def _remedy(value: float) -> str:
    """What to do about an invalid entry."""
    if np.isnan(value):
        return (
            "Input y contains NaN: fill it; pass unlabeled=float('nan') for rows that are missing "
            "altogether."
        )
    if np.isinf(value):
        return "Input y contains infinity: replace it."
    if value < 0:
        return (
            "Write 0 for a class that is excluded; mark rows that may be any class by unlabeled=."
        )
    return "For votes, counts or weights of any scale use LabelSets.from_weights."


def _normalised(values: AnyArray, is_unlabeled: BoolArray) -> FloatArray:
    """Rows scaled to sum to one; the entries of unlabeled rows are set by the caller."""
    weights = np.array(values, dtype=np.float64)
    weights[is_unlabeled] = 1.0
    # Divide by the largest entry first: the sum of huge weights would overflow, and that of tiny
    # ones would underflow.
    weights /= weights.max(axis=1, keepdims=True)
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


def _over_classes(table: SetTable, names: list[Any] | None, classes: AnyArray | None) -> SetTable:
    """Match columns to classes: by name if the columns have names, else by position."""
    n_columns = table.mask.shape[1]
    if classes is None:
        if names is None:
            return table
        warn_of_look_alike_names("LabelSets", names, "classes")
        return table._replace(classes=checked_classes(names))
    if names is not None:
        known = set(listed(classes))
        unknown = [name for name in names if name not in known]
        if not unknown:
            return reexpress(table._replace(classes=checked_classes(names)), classes)
        if len(unknown) < len(names):
            raise CandidateError(
                f"LabelSets: columns {preview(unknown)} are not among the classes "
                f"{preview(listed(classes))} while other columns are. Rename the columns, or pass "
                f"an array without names to match columns by position."
            )
    if len(classes) != n_columns:
        raise CandidateError(
            f"LabelSets: {len(classes)} classes were given for {n_columns} columns. "
            f"Name one class per column."
        )
    return table._replace(classes=classes)
