"""What the parsers of orders share: rows of users' data, the vector of items, and errors.

The items of a ranking are a vector of distinct names in a fixed order. An error names the first
invalid row, what is wrong, how many such rows there are, and what to do; for a contradictory row it
shows the shortest cycle.
"""

import reprlib
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set, Sized
from typing import Any

import numpy as np
from scipy import sparse

from disambig.candidates.labels.classes import (
    class_vector,
    is_nested,
    listed,
    positions,
    preview,
    sorted_labels,
)
from disambig.candidates.labels.entries import COLLECTIONS
from disambig.candidates.look_alikes import warn_of_look_alike_items
from disambig.candidates.protocol import Candidates
from disambig.candidates.reading import Markers, is_missing, row_error, rows_of
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, IntArray


def shortest_cycle(relation: BoolArray) -> list[int]:
    """The fewest items ``[i, j, ..., l]`` with ``relation[i, j], ..., relation[l, i]``.

    Parameters
    ----------
    relation : (m, m) of bool
        Has at least one cycle.

    Returns
    -------
    list of int
        Of cycles of equal length the one with the smallest item, starting at that item.

    Examples
    --------
    >>> import numpy as np
    >>> relation = np.zeros((4, 4), dtype=bool)
    >>> relation[[0, 1, 2, 3], [1, 2, 3, 1]] = True
    >>> shortest_cycle(relation)
    [1, 2, 3]
    """
    best: list[int] = []
    for start in range(len(relation)):
        cycle = _cycle_through(relation, start)
        if cycle and (not best or len(cycle) < len(best)):
            best = cycle
    return best


def _cycle_through(relation: BoolArray, start: int) -> list[int]:
    """The shortest cycle through `start`, by breadth-first search; empty if there is none."""
    previous = {start: start}
    frontier = [start]
    while frontier:
        reached = []
        for i in frontier:
            if relation[i, start]:
                return _path(previous, start, i)
            for j in np.flatnonzero(relation[i]).tolist():
                if j not in previous:
                    previous[j] = i
                    reached.append(j)
        frontier = reached
    return []


def _path(previous: dict[int, int], start: int, end: int) -> list[int]:
    """The items from `start` to `end`; ``previous[j]`` is the item before j on its path."""
    path = [end]
    while path[-1] != start:
        path.append(previous[path[-1]])
    return path[::-1]


def order_error(invalid: BoolArray, what: str, remedy: str) -> CandidateError:
    """An error that names the first of the `invalid` rows, shape ``(n,)``, and their number.

    Examples
    --------
    >>> import numpy as np
    >>> print(order_error(np.array([False, True, True]), "is odd", "Give even ones."))
    PartialOrders: row 1 is odd (2 such rows). Give even ones.
    """
    return row_error(invalid, what, remedy, "PartialOrders")


def rows_among(n_rows: int, owners: IntArray) -> BoolArray:
    """Which of the rows, ``(n,)``, occur in `owners`."""
    found = np.zeros(n_rows, dtype=np.bool_)
    found[owners] = True
    return found


def refuse_cycles(cyclic: BoolArray, before: BoolArray, items: AnyArray) -> None:
    """Raise if a row is `cyclic`, ``(n,)``, and show a cycle of `before`, ``(n, m, m)``."""
    if not cyclic.any():
        return
    names = listed(items)
    cycle = shortest_cycle(before[int(np.argmax(cyclic))])
    shown = " > ".join(str(names[i]) for i in [*cycle, cycle[0]])
    raise order_error(
        cyclic, f"contradicts itself: {shown}", "Leave out at least one of these comparisons."
    )


def checked_items(items: Any) -> AnyArray:
    """The vector of `items`, in the order given, ``(m,)``; raises unless they are distinct."""
    if isinstance(items, (str, bytes, Mapping, Set)) or not isinstance(items, Iterable):
        raise CandidateError(
            f"PartialOrders: items must be a 1-D list or array of distinct names, in order; "
            f"got {type(items).__name__} {items!r}."
        )
    if isinstance(items, np.ndarray) and items.ndim != 1:
        raise CandidateError(f"PartialOrders: items must be 1-D; got shape {items.shape}.")
    names = listed(items) if isinstance(items, np.ndarray) else list(items)
    if not names:
        raise CandidateError("PartialOrders: items is empty. Name at least one item.")
    seen: dict[Any, int] = {}
    for i, name in enumerate(names):
        if not _is_item(name):
            raise CandidateError(
                f"PartialOrders: items[{i}] is {name!r}. An item is a number, a text or another "
                f"single value, never missing and never a collection."
            )
        if seen.setdefault(name, i) != i:
            raise CandidateError(
                f"PartialOrders: items must be distinct; {name!r} is at {seen[name]} and {i}."
            )
    return class_vector(names)


def named_items(items: Any, n_items: int) -> AnyArray:
    """The vector of the named `items`, else 0 to m - 1; raises unless there are m."""
    if items is None:
        return np.arange(n_items)
    vector = checked_items(items)
    if len(vector) != n_items:
        raise CandidateError(
            f"PartialOrders: {len(vector)} items were named for {n_items} in the data. "
            f"Name each once, in the order of the columns."
        )
    return vector


def item_codes(
    mentions: Sequence[Any], owners: IntArray, n_rows: int, items: Any, markers: Markers
) -> tuple[IntArray, AnyArray]:
    """The index of each mentioned item among the items, and the items.

    Raises at a marker among the mentions: rows that are a marker mention nothing.

    Parameters
    ----------
    mentions : sequence of M items, as they occur in the rows
    owners : (M,)
        The row in which each occurs.
    n_rows : int
    items : (m,) array-like, or None for the sorted items that occur
    markers : Markers

    Returns
    -------
    codes : (M,)
    items : (m,)
    """
    vector = None if items is None else checked_items(items)
    if vector is not None:
        markers.refuse_among(listed(vector), "PartialOrders", "items")
    distinct = _distinct_items(mentions, owners, n_rows)
    _refuse_markers(distinct, mentions, owners, n_rows, markers)
    if vector is None:
        if not distinct:
            raise CandidateError(
                "PartialOrders: no row mentions an item, so that the items are unknown. "
                "Name them by items=."
            )
        ordered = sorted_labels(distinct)
        warn_of_look_alike_items(ordered)
        vector = class_vector(ordered)
    index_of = positions(vector)
    codes = np.fromiter(
        (index_of.get(name, -1) for name in mentions), dtype=np.intp, count=len(mentions)
    )
    unknown = codes < 0
    if unknown.any():
        raise order_error(
            rows_among(n_rows, owners[unknown]),
            f"mentions {mentions[int(np.argmax(unknown))]!r}, which is not among the items "
            f"{preview(listed(vector))}",
            "Correct the name or add it to items.",
        )
    return codes, vector


def _is_item(name: Any) -> bool:
    """Whether `name` is a single value that is not missing."""
    return isinstance(name, Hashable) and not is_nested(name) and not is_missing(name)


def _distinct_items(mentions: Sequence[Any], owners: IntArray, n_rows: int) -> list[Any]:
    """The items that occur, each once; raises at a value that cannot be an item."""
    distinct: list[Any] = []
    try:
        distinct = list(dict.fromkeys(mentions))
        valid = all(map(_is_item, distinct))
    except TypeError:
        valid = False
    if not valid:
        bad = np.array([not _is_item(name) for name in mentions])
        raise order_error(
            rows_among(n_rows, owners[bad]),
            f"mentions {mentions[int(np.argmax(bad))]!r} where an item is expected",
            "An item is a number, a text or another single value, never missing and never a "
            "collection; leave out what was not observed.",
        )
    return distinct


def _refuse_markers(
    distinct: list[Any], mentions: Sequence[Any], owners: IntArray, n_rows: int, markers: Markers
) -> None:
    """Raise if a row mentions a marker beside items."""
    found = {name for name in distinct if markers.matches(name)}
    if found:
        marked = np.array([name in found for name in mentions])
        raise order_error(
            rows_among(n_rows, owners[marked]),
            f"holds the marker unlabeled={markers.given!r} beside items",
            "Give the marker alone for a row without any pair, or leave it out.",
        )


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
            "PartialOrders: a sparse array does not distinguish a rank of 0 from one that was "
            "not observed. Pass a dense array with NaN for what was not observed."
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
    rows = rows_of(y, "PartialOrders")
    return listed(rows) if isinstance(rows, np.ndarray) else rows


def without_marked(rows: list[Any], markers: Markers) -> list[Any]:
    """The rows with None, a missing row, for each that is a marker or holds a marker alone."""
    return [None if _is_marked(row, markers) else row for row in rows] if markers else rows


def _is_marked(row: Any, markers: Markers) -> bool:
    if not isinstance(row, COLLECTIONS):
        return markers.matches_text(row)
    if isinstance(row, np.ndarray) and row.ndim == 0:
        return markers.matches_text(row.item())
    return len(row) == 1 and markers.matches_text(elements(row)[0])


def is_missing_row(row: Any) -> bool:
    """Whether a row is missing: None, NaN or the NA of a frame."""
    return not isinstance(row, COLLECTIONS) and is_missing(row)


def elements(row: Any) -> list[Any]:
    """The entries of a collection as a list; arrays of texts and numbers as Python objects."""
    return list(np.atleast_1d(row).tolist()) if isinstance(row, np.ndarray) else list(row)


def refuse_rows(rows: list[Any], invalid: list[bool], expected: str, remedy: str) -> None:
    """Raise if a row is `invalid`; the message shows the first such row."""
    if any(invalid):
        row = rows[invalid.index(True)]
        raise order_error(
            np.array(invalid),
            f"holds {reprlib.repr(row)}, a {type(row).__name__}, where {expected} is expected",
            remedy,
        )
