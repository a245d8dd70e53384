"""Rows in parts for what needs all of them in one array: few rows are joined, more are refused.

A weighting declares what of it needs all rows by an attribute ``undivided``: a text, empty if it
reads rows in parts. A weighting without this attribute needs all rows.
"""

from typing import Any

from disambig.exceptions import MissingOracleError
from disambig.notation import AnyArray
from disambig.weights.divided.rows import DividedRows

# The decomposition of a kernel matrix of this many rows takes about a minute on one core.
MAX_EXACT_ROWS = 5000
_NEEDS_ALL = (
    "it needs all rows in one array. Use NystromWeights, NeighborWeights or ForestWeights, or fit "
    "in memory"
)


def joined_rows(owner: str, X: DividedRows, undivided: str = _NEEDS_ALL) -> AnyArray:
    """All rows as one array ``(n, d)``, if there are at most 5000.

    Parameters
    ----------
    owner : str
        The weighting, named in errors.
    X : DividedRows
    undivided : str
        What needs all rows, and what to use instead.

    Raises
    ------
    MissingOracleError
        If there are more rows.
    """
    n = len(X)
    if n > MAX_EXACT_ROWS:
        raise MissingOracleError(
            f"{owner}: of rows in parts, at most {MAX_EXACT_ROWS} are joined in memory; these are "
            f"{n}, and {undivided}."
        )
    return X[:]


def reason_to_join(weighting: Any) -> str:
    """What of a weighting needs all rows, and what to use instead; empty for nothing.

    Parameters
    ----------
    weighting : Weights
    """
    return str(getattr(weighting, "undivided", _NEEDS_ALL))
