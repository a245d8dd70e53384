"""Missing values, and the marker by which a user says "this row may be any class"."""

from collections.abc import Iterable
from typing import Any

from disambig.exceptions import CandidateError

__all__ = ["check_marker", "is_missing", "matches_marker"]


def is_missing(value: Any) -> bool:
    """Whether `value` is None, NaN, NaT or the missing value of a data frame.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing(0), is_missing("")
    (True, True, False, False)
    """
    if value is None:
        return True
    try:
        # Only missing values differ from themselves.
        return bool(value != value)  # noqa: PLR0124
    except (TypeError, ValueError):
        # pandas' NA answers every comparison with itself and refuses to be true or false.
        return type(value).__name__ == "NAType"


def matches_marker(marker: Any, label: Any) -> bool:
    """Whether `label` is the `marker` of unlabelled rows; None marks nothing, NaN every missing."""
    if marker is None:
        return False
    if is_missing(marker):
        return is_missing(label)
    return not is_missing(label) and bool(label == marker)


def check_marker(marker: Any, classes: Iterable[Any] | None) -> None:
    """Raise unless `marker` is a single value that is none of the `classes` the user named."""
    if hasattr(marker, "__iter__") and not isinstance(marker, (str, bytes)):
        raise CandidateError(
            f"LabelSets: unlabeled must be a single value such as -1 or float('nan'); "
            f"got {type(marker).__name__} {marker!r}."
        )
    for label in classes or ():
        if matches_marker(marker, label):
            raise CandidateError(
                f"LabelSets: unlabeled={marker!r} is also among the classes. "
                f"Take it out of classes, or choose another marker."
            )
