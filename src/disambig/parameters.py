"""Checks of constructor parameters.

All errors have the same form: owner, parameter, what was expected, what was given.
"""

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np


def check_integer(owner: str, name: str, value: Any, *, least: int) -> int:
    """Return `value` as an int that is at least `least`, or raise."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise ValueError(f"{owner}: {name} must be an integer >= {least}; got {value!r}.")
    return int(value)


def check_number(owner: str, name: str, value: Any, *, positive: bool, advice: str = "") -> float:
    """Return `value` as a finite float, > 0 if `positive` and >= 0 otherwise, or raise."""
    number = np.nan if isinstance(value, bool) or not isinstance(value, Real) else float(value)
    if not np.isfinite(number) or number < 0 or (positive and number == 0):
        bound = "> 0" if positive else ">= 0"
        advice = f" {advice}" if advice else ""
        raise ValueError(f"{owner}: {name} must be a finite number {bound}; got {value!r}.{advice}")
    return number


def check_flag(owner: str, name: str, value: Any) -> bool:
    """Return `value` as a bool, or raise. Strings are refused: ``bool("False")`` is True."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{owner}: {name} must be True or False; got {value!r}.")
    return bool(value)


def check_choice(owner: str, name: str, value: Any, choices: Iterable[str], more: str = "") -> None:
    """Raise unless `value` is one of `choices`; `more` names other valid values."""
    known = tuple(choices)
    if not isinstance(value, str) or value not in known:
        listed = ", ".join(repr(choice) for choice in known)
        more = f" {more}" if more else ""
        raise ValueError(f"{owner}: {name} must be one of {listed}{more}; got {value!r}.")


def check_callback(owner: str, value: Any) -> None:
    """Raise unless `value` is None or can be called with the progress of a run.

    Examples
    --------
    >>> check_callback("PartialLabelClassifier", print)
    """
    if value is not None and not callable(value):
        raise ValueError(
            f"{owner}: callback must be None or a function, which is called with a Progress after "
            f"every iteration; got {value!r}."
        )
