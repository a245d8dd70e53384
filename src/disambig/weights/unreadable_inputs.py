"""Which entry of X is no number: scikit-learn's conversion to an array does not say where it is."""

from typing import Any

import numpy as np
import scipy.sparse as sp

_ADVICE = (
    "Encode texts, categories and dates as numbers first, for example with "
    "sklearn.preprocessing.OneHotEncoder, or read the table with disambig.tables.load_table."
)


def readable_error(X: Any, error: Exception) -> Exception:
    """The error of a conversion to numbers, with the row and the column if an entry is to blame.

    Parameters
    ----------
    X : array-like
        What could not be converted.
    error : Exception
        What scikit-learn, numpy or pandas raised. Errors of scikit-learn's own checks (dimensions,
        no rows, complex numbers) come back as they are.

    Examples
    --------
    >>> print(readable_error([[1.0, "red"]], ValueError("could not convert 'red'")))
    Input X: row 0, column 1 holds 'red', which is no number (could not convert 'red'). Encode ...
    """
    kind = TypeError if isinstance(error, TypeError) else ValueError
    reason = " ".join(str(error).split()).rstrip(".")[:200]
    place = _first_other(X)
    if place:
        return kind(f"Input X: {place}, which is no number ({reason}). {_ADVICE}")
    if type(error) in (ValueError, TypeError):
        return error
    return kind(f"Input X cannot be read as a table of numbers: {reason}.")


def _first_other(X: Any) -> str:
    """The place of the first entry that is no number, and the entry; empty if all are."""
    table = _objects(X)
    if table is None:
        return ""
    names = list(getattr(X, "columns", ()))
    for row, entries in enumerate(table):
        for column, value in enumerate(entries):
            try:
                float(value)
            except (TypeError, ValueError, OverflowError):
                name = names[column] if len(names) == table.shape[1] else column
                return f"row {row}, column {name!r} holds {value!r:.60}"
    return ""


def _objects(X: Any) -> Any:
    """X as a table of objects, ``(n, d)``; None if it is none, or holds numbers only."""
    if sp.issparse(X) or np.ma.isMaskedArray(X):
        return None
    try:
        array = np.asarray(X.to_numpy() if hasattr(X, "to_numpy") else X)
        if array.ndim != 2 or array.dtype.kind in "biufc":
            return None
        return array.astype(object)
    except (TypeError, ValueError):
        # Rows of different lengths.
        return None
