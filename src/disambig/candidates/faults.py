"""One grammar for refusals: which row, what is wrong, how many such rows, what to do."""

import numpy as np

from disambig.exceptions import CandidateError
from disambig.notation import BoolArray

__all__ = ["refuse_empty_rows", "row_fault"]


def row_fault(faulty: BoolArray, what: str, remedy: str) -> CandidateError:
    """An error that names the first of the `faulty` rows, shape ``(n,)``, and their number.

    Examples
    --------
    >>> import numpy as np
    >>> print(row_fault(np.array([False, True, True]), "is odd", "Give even ones."))
    LabelSets: row 1 is odd (2 such rows). Give even ones.
    """
    count = int(np.count_nonzero(faulty))
    rows = "row" if count == 1 else "rows"
    return CandidateError(
        f"LabelSets: row {int(np.argmax(faulty))} {what} ({count} such {rows}). {remedy}"
    )


def refuse_empty_rows(empty: BoolArray) -> None:
    """Raise if a row has no candidate."""
    if empty.any():
        raise row_fault(
            empty,
            "has no candidate",
            "Give every row at least one; use all classes for an unlabelled row.",
        )
