"""Which rows of a table of candidates are asked for."""

from typing import Any

__all__ = ["row_index"]


def row_index(owner: str, rows: Any, advice: str = "") -> Any:
    """An index of rows alone: scikit-learn asks for ``[rows, ...]``; columns cannot be cut.

    Examples
    --------
    >>> row_index("LabelSets", (slice(2), Ellipsis))
    slice(None, 2, None)
    """
    if isinstance(rows, tuple):
        uncut = rows[-1:] and (
            rows[-1] is Ellipsis or (isinstance(rows[-1], slice) and rows[-1] == slice(None))
        )
        if len(rows) != 2 or not uncut:
            raise IndexError(f"{owner}: only rows can be selected{advice}.")
        rows = rows[0]
    # An empty list is no index of an array.
    return slice(0, 0) if isinstance(rows, list) and not rows else rows
