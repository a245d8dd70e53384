"""A vector y with one of two classes for each row, as in scikit-learn: a single tag."""

from typing import Any

import numpy as np

from disambig.candidates import PartialBits
from disambig.candidates.labels.classes import class_vector, listed, sorted_labels
from disambig.candidates.protocol import Candidates
from disambig.candidates.reading import Markers, dense_array, is_missing
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray
from disambig.parameters import as_array


def is_single(y: Any) -> bool:
    """Whether y has one entry for each row: no table, no lists, no candidates.

    Examples
    --------
    >>> is_single([0, 1, None]), is_single([[0, 1]]), is_single([["cat"], None])
    (True, False, False)
    """
    if not isinstance(y, (Candidates, list, tuple)) and not hasattr(y, "ndim"):
        y = as_array(y)
    if isinstance(y, Candidates) or getattr(y, "ndim", 1) != 1 or hasattr(y, "columns"):
        return False
    try:
        rows = list(y)
    except TypeError:
        return False
    return not any(hasattr(row, "__len__") and not isinstance(row, (str, bytes)) for row in rows)


def read_as_classes(y: Any, unlabeled: Any, classes: AnyArray) -> AnyArray:
    """A vector with the classes of a fit as one column of bits, ``(n, 1)``.

    Examples
    --------
    >>> read_as_classes(["yes", None], None, np.array(["no", "yes"])).tolist()
    [[1], [-1]]
    """
    read, found = read_single(y, unlabeled)
    known = listed(classes)
    new = [label for label in listed(found) if label not in known]
    if new:
        raise ValueError(
            f"PartialMultilabelClassifier: y has {new[0]!r}, which is none of the classes "
            f"{known!r} of the fit."
        )
    codes = np.array([known.index(label) for label in listed(found)], dtype=np.int8)
    return np.where(read.known, codes[read.bits], -1).astype(np.int8)


def read_single(y: Any, unlabeled: Any) -> tuple[PartialBits, AnyArray]:
    """One tag, on in rows of the second class, and the classes in order.

    Parameters
    ----------
    y : array-like (n,)
        At most two distinct values; missing ones and markers are not known.
    unlabeled : object or list of objects, or None

    Examples
    --------
    >>> bits, classes = read_single(["no", "yes", None], None)
    >>> bits.bits.ravel().tolist(), classes.tolist()
    ([0, 1, -1], ['no', 'yes'])
    """
    markers = Markers.of(unlabeled, "PartialBits")
    values = dense_array(y)
    if values.dtype.kind in "US" and isinstance(y, list):
        # As an array, numbers beside a text are texts too.
        values = np.array(y, dtype=object)
    if not values.size:
        raise CandidateError("PartialBits: y has no rows; at least one is needed.")
    entries = listed(values)
    unknown = markers.where(values) | np.array([is_missing(value) for value in entries])
    known = {value for value, skip in zip(entries, unknown, strict=True) if not skip}
    numbers = [value for value in known if isinstance(value, float)]
    if any(not value.is_integer() for value in numbers):
        raise ValueError(
            "PartialMultilabelClassifier: Unknown label type: continuous. y holds "
            f"{next(v for v in numbers if not v.is_integer())!r}; expected two classes."
        )
    labels = sorted_labels(known)
    if len(labels) > 2:
        raise CandidateError(
            "PartialMultilabelClassifier: Only binary classification is supported. The type of the "
            f"target is multiclass: y has one value for each row, among them {labels[:3]!r}. Give "
            "one column for each tag, or use PartialLabelClassifier for one class of several."
        )
    if unknown.any() and known <= {0, 1}:
        labels = [0, 1]
    if not labels:
        raise CandidateError("PartialBits: nothing is known in any row of y.")
    codes = np.array(
        [-1 if skip else labels.index(v) for v, skip in zip(entries, unknown, strict=True)]
    )
    dtype = values.dtype if values.dtype.kind in "biufUS" else None
    return PartialBits(codes[:, None].astype(np.int8)), class_vector(labels, dtype)
