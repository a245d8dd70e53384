"""How a report shows values: texts without control characters, numbers, counts and shares."""

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

MAX_CELL = 200
# Numbers between these are written without an exponent.
_LEAST_PLAIN, _MOST_PLAIN = 1e-9, 1e15
# Control characters, what turns the direction of the rest of a sentence, and halves of surrogate
# pairs. The first 32 have pictures of their own.
_PICTURES, _DELETE = 0x2400, 0x7F
_UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def clean_text(value: Any, most: int = MAX_CELL) -> str:
    r"""A text to be shown: no control characters, one line, not too long.

    Control characters become their pictures, and what is no character becomes "�".

    Examples
    --------
    >>> clean_text("a\x00b"), clean_text("a\nb"), clean_text("abc", most=2)
    ('a␀b', 'a b', 'a… (3 characters)')
    """
    text = str(value)
    length = len(text)
    is_long = length > most
    shown = clean_lines(text[: most - 1] if is_long else text)
    shown = shown.replace("\t", " ").replace("\n", " ")
    return f"{shown}… ({length:,} characters)" if is_long else shown


def clean_lines(text: str) -> str:
    r"""A text of several lines, without control characters.

    Examples
    --------
    >>> clean_lines("a\x00\nb")
    'a␀\nb'
    """
    return _UNWANTED.sub(lambda found: _shown_character(found[0]), text)


def _shown_character(char: str) -> str:
    code = ord(char)
    if char == "\r":
        return " "
    if code < 0x20:
        return chr(_PICTURES + code)
    return "\u2421" if code == _DELETE else "\ufffd"


def cell(value: Any, digits: int = 4) -> Any:
    """A value of a table: a number with some digits, a text, or None if it is missing.

    Examples
    --------
    >>> cell(np.float64(0.123456)), cell(np.int64(3)), cell(None), cell(True), cell("a")
    (0.1235, 3, None, 'yes', 'a')
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None:
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return float(f"{value:.{digits}g}") if math.isfinite(value) else None
    return clean_text(value)


def number_text(value: float, decimals: int = 0) -> str:
    """A number without an exponent, with so many decimals at least.

    Examples
    --------
    >>> number_text(31280.0), number_text(0.00001), number_text(1.0, 3), number_text(7, 3)
    ('31280', '0.00001', '1.000', '7')
    """
    if isinstance(value, int):
        return str(value)
    # No "-0".
    value += 0.0
    if value and not _LEAST_PLAIN <= abs(value) < _MOST_PLAIN:
        return str(value)
    # The shortest digits that give the number back.
    return np.format_float_positional(value, min_digits=decimals, trim="k" if decimals else "-")


def share(count: float, total: float) -> str:
    r"""A count with its share.

    Examples
    --------
    >>> share(30, 400).replace("\xa0", " "), share(0, 0)
    ('30 of 400 (7.5 %)', '0 of 0')
    """
    if not total:
        return f"{count:,} of {total:,}"
    return f"{count:,} of {total:,} ({percent(count / total)})"


def counted(count: int, one: str, more: str = "") -> str:
    """A number of things.

    Examples
    --------
    >>> counted(1, "row"), counted(1200, "row"), counted(2, "class", "classes")
    ('1 row', '1,200 rows', '2 classes')
    """
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def percent(value: float) -> str:
    r"""A share in percent, with as many digits as people need, on one line.

    Examples
    --------
    >>> [percent(value).replace("\xa0", " ") for value in (0.12345, 0.999, 1.0)]
    ['12 %', '99.9 %', '100 %']
    """
    points = 100.0 * value
    digits = 1 if 0 < points < 10 or 95 < points < 100 else 0
    return f"{points:.{digits}f}\xa0%"


def listed_names(names: Sequence[Any], most: int = 5) -> str:
    """The first few names.

    Examples
    --------
    >>> listed_names(["a", "b", "c"], 2), listed_names(["a", "b"])
    ('a, b and 1 more', 'a, b')
    """
    shown = ", ".join(clean_text(name, 60) for name in names[:most])
    rest = len(names) - most
    return f"{shown} and {rest:,} more" if rest > 0 else shown
