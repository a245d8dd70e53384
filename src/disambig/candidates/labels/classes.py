"""The classes of a problem as a vector: distinct labels in a fixed order.

A class vector holds exactly the labels that the user gave: numpy must not turn ``1`` beside ``"a"``
into text, or ``True`` beside ``2`` into an integer. So the dtype is object wherever it would.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from disambig.candidates.reading import Markers, is_missing
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray

# Kinds of numpy dtype whose values are single labels; the kind "O" may hold collections.
_PLAIN_KINDS = "biufUSMm"

# The order matters: a Python bool is also an int, so that bool comes first.
_FAMILIES: dict[type, tuple[type, ...]] = {
    bool: (bool, np.bool_),
    int: (int, np.integer),
    float: (float, np.floating),
    str: (str,),
    bytes: (bytes,),
}

# The dtype kinds by which numpy keeps labels of these families apart. Other mixtures are kept as
# objects: numpy would convert some of their labels.
_KINDS_BY_FAMILY = {
    frozenset({bool}): "b",
    frozenset({int}): "iu",
    frozenset({float}): "f",
    frozenset({int, float}): "f",
    frozenset({str}): "U",
    frozenset({bytes}): "S",
}


def listed(values: Any) -> list[Any]:
    """The entries of a 1-D array as Python objects, which hash and compare faster than numpy's."""
    # tolist converts dates to datetime objects, whose hashes differ from those of numpy's.
    return list(values) if values.dtype.kind in "mM" else list(values.tolist())


def is_nested(label: object) -> bool:
    """Whether `label` is itself a collection; text counts as one label."""
    return hasattr(label, "__iter__") and not isinstance(label, (str, bytes))


def sorted_labels(labels: Iterable[Any]) -> list[Any]:
    """Labels in their natural order; by type name, then as text, if they do not compare.

    Examples
    --------
    >>> sorted_labels(["b", "a"]), sorted_labels(["b", 2, "a"])
    (['a', 'b'], [2, 'a', 'b'])
    """
    labels = list(labels)
    try:
        return sorted(labels)
    except TypeError:
        return sorted(labels, key=lambda label: (type(label).__name__, str(label)))


def _family(label: Any) -> type:
    """The family of a label in `_FAMILIES`; object if it has none."""
    for family, members in _FAMILIES.items():
        if isinstance(label, members):
            return family
    return object


def class_vector(labels: Sequence[Any], dtype: np.dtype[Any] | None = None) -> AnyArray:
    """Labels as a 1-D array that holds exactly these values, ``(K,)``.

    The dtype is numpy's choice where that keeps every label as it is, object otherwise: ``1``
    beside ``"a"`` stays an integer, ``True`` beside ``2`` stays a bool.
    """
    if dtype is not None:
        return np.array(labels, dtype=dtype.newbyteorder("="))
    kinds = _KINDS_BY_FAMILY.get(frozenset(map(_family, labels)), "")
    if kinds:
        vector = np.array(labels)
        if vector.dtype.kind in kinds and listed(vector) == list(labels):
            return vector
    vector = np.empty(len(labels), dtype=object)
    vector[:] = labels
    return vector


def positions(classes: AnyArray) -> dict[Any, int]:
    """The position of each class: ``{classes[k]: k}``."""
    return {label: k for k, label in enumerate(listed(classes))}


def checked_classes(classes: Any) -> AnyArray:
    """The vector of `classes`, in the order given, ``(K,)``; raises unless they are distinct."""
    if isinstance(classes, (str, bytes, Mapping, Set)) or not hasattr(classes, "__iter__"):
        raise CandidateError(
            f"LabelSets: classes must be a 1-D list or array of distinct labels, in order; "
            f"got {type(classes).__name__} {classes!r}."
        )
    dtype = getattr(classes, "dtype", None)
    typed = isinstance(dtype, np.dtype) and dtype.kind in _PLAIN_KINDS
    array = np.asarray(classes) if typed else None
    if array is not None and array.ndim != 1:
        raise CandidateError(f"LabelSets: classes must be 1-D; got shape {array.shape}.")
    labels = list(classes) if array is None else listed(array)
    if not labels:
        raise CandidateError("LabelSets: classes is empty. Name at least one class.")
    seen: dict[Any, int] = {}
    for k, label in enumerate(labels):
        if is_missing(label) or is_nested(label):
            raise CandidateError(
                f"LabelSets: classes[{k}] is {label!r}. A class is a number, a string or another "
                f"single value, never missing and never a collection."
            )
        if seen.setdefault(label, k) != k:
            raise CandidateError(
                f"LabelSets: classes must be distinct; {label!r} is at {seen[label]} and {k}."
            )
    return class_vector(labels, None if array is None else array.dtype)


def named_classes(classes: Any, markers: Markers) -> AnyArray | None:
    """The vector of the classes that the user named, or None; raises if a marker is one."""
    if classes is None:
        return None
    vector = checked_classes(classes)
    markers.refuse_among(listed(vector), "LabelSets")
    return vector


def preview(labels: Sequence[Any], limit: int = 8) -> str:
    """Labels as a short text for messages: the first few and their number.

    Examples
    --------
    >>> preview(["a", "b", "c"], limit=2)
    "['a', 'b', ... 3 in all]"
    """
    if len(labels) <= limit:
        return repr(list(labels))
    shown = ", ".join(repr(label) for label in labels[:limit])
    return f"[{shown}, ... {len(labels)} in all]"
