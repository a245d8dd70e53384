"""Which kind of target y holds, where its form says so; otherwise the user must."""

import math
import numbers
from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.candidates import (
    ClassCounts,
    Intervals,
    IntervalUnions,
    LabelSets,
    PartialBits,
    PartialOrders,
)
from disambig.candidates.reading import dense_array, is_missing, is_table
from disambig.notation import AnyArray

_CLASSES: tuple[tuple[str, tuple[type, ...]], ...] = (
    ("labels", (LabelSets, ClassCounts)),
    ("numbers", (Intervals, IntervalUnions)),
    ("orders", (PartialOrders,)),
    ("bits", (PartialBits,)),
)
_SEQUENCES = (list, tuple)
_SETS = (set, frozenset)


def kind_of(y: Any, given: str = "auto") -> str:
    """The kind of target of y: "labels", "numbers", "orders" or "bits".

    Parameters
    ----------
    y : candidate sets, n rows
    given : str
        What the user said; "auto" to go by the form of y.

    Examples
    --------
    >>> import numpy as np
    >>> kind_of([{"cat", "dog"}, "cat"]), kind_of(["a>b>c", "b>a"])
    ('labels', 'orders')
    >>> kind_of(np.array([[0.5, 1.5], [2.0, np.inf]])), kind_of([0.5, 2.25])
    ('numbers', 'numbers')
    """
    for kind, classes in _CLASSES:
        if isinstance(y, classes):
            if given not in ("auto", kind):
                raise ValueError(
                    f"diagnose: kind={given!r}, and y is a {type(y).__name__}, which holds {kind}. "
                    f"Leave kind out, or pass y in its raw form."
                )
            return kind
    is_container = hasattr(y, "__array__") or isinstance(y, _SEQUENCES) or sp.issparse(y)
    if not is_container:
        raise ValueError(
            f"diagnose: y is {'None' if y is None else f'a {type(y).__name__}'}; expected a list, "
            "array, series or frame with one candidate set for each row of X."
        )
    if given != "auto":
        return given
    if hasattr(getattr(y, "array", y), "closed"):
        return "numbers"  # intervals of pandas
    if is_table(y):
        values = dense_array(y)
        return _kind_of_rows(values.ravel().tolist()) if values.shape[1] == 1 else _of_table(values)
    if getattr(y, "ndim", 1) == 3:
        return _of_cube(np.asarray(y))
    return _kind_of_rows(y.tolist() if hasattr(y, "tolist") else list(y))


def _unclear(what: str, choices: str) -> ValueError:
    return ValueError(f"diagnose: y is {what}, which may be several things. Say which: {choices}.")


_MASK_OR_BITS = (
    "kind='labels' if the ones of a row are the candidates of its one class, kind='bits' if they "
    "are its tags"
)
_INTERVALS_OR_SETS = (
    "kind='numbers' for the ends of intervals, kind='labels' for sets of classes, kind='orders' "
    "for ranks"
)


def _of_table(values: AnyArray) -> str:
    """The kind of a table of at least two columns."""
    if values.dtype.kind == "b":
        raise _unclear("a table of truth values", _MASK_OR_BITS)
    try:
        numeric = values.astype(np.float64)
    except (TypeError, ValueError):
        # A table of texts has no other meaning than an error of labels.
        return "labels"
    known = ~np.isnan(numeric)
    inside = numeric[known]
    if np.isin(inside, (-1.0, 0.0, 1.0)).all():
        raise _unclear("a table of zeros and ones", _MASK_OR_BITS)
    if values.shape[1] == 2:
        if values.dtype.kind == "f" and not _are_ranks(numeric):
            return "numbers"
        raise _unclear("a table of two columns of whole numbers", _INTERVALS_OR_SETS)
    if _are_ranks(numeric):
        return "orders"
    if inside.min() >= 0 and inside.max() <= 1 and known.all():
        raise _unclear(
            "a table of fractions",
            "kind='labels' for weights of classes, kind='orders' for scores as ranks",
        )
    raise _unclear(
        f"a table of {values.shape[1]} columns of numbers",
        "kind='orders' for ranks; boxes of numbers have the shape (n, d, 2)",
    )


def _are_ranks(numeric: AnyArray) -> bool:
    """Whether rows hold distinct whole numbers from 0 to m; NaN is not ranked."""
    known = ~np.isnan(numeric)
    filled = np.where(known, numeric, 0.0)
    if (filled != np.round(filled)).any() or filled.min() < 0 or filled.max() > numeric.shape[1]:
        return False
    # Distinct: sorted, with NaN replaced by numbers that differ from all others.
    spread = np.where(known, numeric, -1.0 - np.arange(numeric.shape[1]))
    return bool((np.diff(np.sort(spread, axis=1), axis=1) > 0).all())


def _of_cube(values: AnyArray) -> str:
    if values.shape[1] == values.shape[2] and np.isin(values, (-1, 0, 1)).all():
        return "orders"
    if values.shape[2] == 2:
        return "numbers"
    raise ValueError(
        f"diagnose: y has shape {values.shape}; expected signs of pairs (n, m, m) or boxes "
        "(n, d, 2). Pass a LabelSets, PartialOrders, Intervals or PartialBits object."
    )


def _kind_of_rows(rows: list[Any]) -> str:
    """The kind of one object for each row."""
    present = [row for row in rows if not _is_nothing(row)]
    if any(isinstance(row, _SETS) for row in present):
        return "orders" if all(_is_pair_list(row) for row in present) else "labels"
    if any(isinstance(row, _SEQUENCES) for row in present):
        return _of_sequences(present)
    if present and all(_is_real(row) for row in present):
        fraction = any(
            not math.isinf(row) and row != math.floor(row) for row in map(float, present)
        )
        return "numbers" if fraction or any(math.isinf(float(row)) for row in present) else "labels"
    texts = [row for row in present if isinstance(row, str)]
    if texts and len(texts) == len(present):
        chains = [[part.strip() for part in text.split(">")] for text in texts if text.strip()]
        if chains and all(len(parts) > 1 and all(parts) for parts in chains):
            return "orders"
    return "labels"


def _is_nothing(row: Any) -> bool:
    return not isinstance(row, (*_SETS, *_SEQUENCES)) and is_missing(row)


def _is_real(row: Any) -> bool:
    return isinstance(row, numbers.Real) and not isinstance(row, (bool, np.bool_))


def _is_pair_list(row: Any) -> bool:
    """Whether a row is a collection of pairs ``(a, b)``; an empty one is."""
    return isinstance(row, (*_SETS, *_SEQUENCES)) and all(
        isinstance(entry, _SEQUENCES) and len(entry) == 2 for entry in row
    )


def _of_sequences(rows: list[Any]) -> str:
    """The kind of rows of which some are lists or tuples."""
    pair_lists = [list(row) for row in rows if _is_pair_list(row) and len(row)]
    if pair_lists:
        if any(isinstance(entry, str) for row in pair_lists for entry in row[0]):
            return "orders"
        raise _unclear(
            "lists of pairs of numbers", "kind='orders' for compared items, kind='numbers' for ends"
        )
    flat = [e for row in rows for e in (row if isinstance(row, _SEQUENCES) else [row])]
    if not all(_is_real(entry) or is_missing(entry) for entry in flat):
        return "labels"
    lengths = {len(row) for row in rows if isinstance(row, _SEQUENCES)}
    if lengths != {2}:
        return "labels"
    if any(is_missing(e) or not float(e).is_integer() for e in flat):
        return "numbers"
    raise _unclear("pairs of whole numbers", _INTERVALS_OR_SETS)
