"""Read which tags are listed in each row: lists of names, or tables of zeros and ones."""

from collections.abc import Set
from typing import Any

import numpy as np

from disambig.candidates.bits.tables import BitTable, checked_tags, parse_bits
from disambig.candidates.labels.classes import class_vector, listed, preview, sorted_labels
from disambig.candidates.look_alikes import warn_of_look_alike_names
from disambig.candidates.reading import is_missing, is_table, row_error
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray

_COLLECTIONS = (list, tuple, Set, np.ndarray)


def read_listed(y: Any, tags: Any, what: str) -> tuple[BoolArray, BoolArray, AnyArray]:
    """Which tags each row lists ``(n, m)``, which rows list anything at all ``(n,)``, the tags.

    Parameters
    ----------
    y : lists of names, or a table of zeros and ones
        In a table 1 is listed; 0, a blank and a missing entry are not. Of a list, None and other
        missing rows say nothing.
    tags : array-like (m,), or None
        None: the names of the columns of a frame, or the names that occur, sorted.
    what : str
        What the names are, for errors.

    Examples
    --------
    >>> rows, says, tags = read_listed([["a", "b"], [], None], None, "positives")
    >>> rows.tolist(), says.tolist(), tags.tolist()
    ([[True, True], [False, False], [False, False]], [True, True, False], ['a', 'b'])
    """
    if is_table(y):
        table: BitTable = parse_bits(y, tags, "absent")
        listed_tags = table.bits == 1
        return listed_tags, np.ones(len(listed_tags), dtype=np.bool_), table.tags
    if isinstance(y, (str, bytes)) or not hasattr(y, "__iter__"):
        raise CandidateError(
            f"PartialBits: {what} are {y!r}; expected one list of tags for each row, or a table of "
            "zeros and ones."
        )
    rows = list(y)
    if not rows:
        raise CandidateError(f"PartialBits: {what} have no rows; at least one is needed.")
    says = np.array([not is_missing(row) for row in rows])
    wrong = np.array(
        [s and not isinstance(r, _COLLECTIONS) for r, s in zip(rows, says, strict=True)]
    )
    if wrong.any():
        raise row_error(
            wrong,
            f"of the {what} is {rows[int(np.argmax(wrong))]!r}",
            "Give a list or a set of tags for each row, also if it has one tag; None says nothing.",
            "PartialBits",
        )
    names = [
        listed(row) if isinstance(row, np.ndarray) else list(row) if said else []
        for row, said in zip(rows, says, strict=True)
    ]
    vector = _tags(names, tags)
    column = {tag: k for k, tag in enumerate(listed(vector))}
    found = np.zeros((len(rows), len(vector)), dtype=np.bool_)
    owner = np.repeat(np.arange(len(rows)), [len(row) for row in names])
    flat = [name for row in names for name in row]
    codes = np.array([_code(column, name) for name in flat], dtype=np.intp)
    if (codes < 0).any():
        unknown = np.zeros(len(rows), dtype=np.bool_)
        unknown[owner[codes < 0]] = True
        raise row_error(
            unknown,
            f"of the {what} has {flat[int(np.argmax(codes < 0))]!r}, which is not among the tags "
            f"{preview(listed(vector))}",
            "Correct it, or add it to tags=.",
            "PartialBits",
        )
    found[owner, codes] = True
    return found, says, vector


def _code(column: dict[Any, int], name: Any) -> int:
    try:
        return column.get(name, -1)
    except TypeError:
        # A collection is no name.
        return -1


def _tags(names: list[list[Any]], tags: Any) -> AnyArray:
    if tags is not None:
        return checked_tags(tags)
    try:
        distinct = {name for row in names for name in row}
    except TypeError:
        nested = np.array([any(isinstance(name, _COLLECTIONS) for name in row) for row in names])
        raise row_error(
            nested, "has a collection among its tags", "A tag is a single value.", "PartialBits"
        ) from None
    if not distinct:
        raise CandidateError("PartialBits: no row lists a tag. Name the tags by tags=.")
    vector = class_vector(sorted_labels(distinct))
    warn_of_look_alike_names("PartialBits", listed(vector), "tags")
    return checked_tags(vector)
