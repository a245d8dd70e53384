"""Intervals written as text: ``"[800, 1200]"``, ``"800-1200"``, ``">= 5"``, ``"5 +- 2"``."""

import math
import re

from disambig.candidates.real_numbers import finite_or_huge

__all__ = ["GRAMMAR", "UNION_SEPARATOR", "text_pieces"]

GRAMMAR = (
    "'7.5', '[800, 1200]', '800-1200', '800 to 1200', '800..1200', '>= 5', '65+', 'at least 5', "
    "'< 3', 'at most 3' or '5 +- 2', joined by '|' for unions"
)
UNION_SEPARATOR = "|"

_UNSIGNED = r"(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?"
_NUMBER = rf"[+-]?{_UNSIGNED}"
_END = rf"({_NUMBER}|[+-]?inf(?:inity)?|[+-]?∞)"
# Between two dots, a number may not end on one.
_SHORT = _END.replace(r"\.\d*", r"\.\d+")

_POINT = re.compile(rf"({_NUMBER})")
_BRACKETS = re.compile(rf"[\[(\]]\s*{_END}\s*,\s*{_END}\s*[\])\[]")
_RANGE = re.compile(rf"{_SHORT}\s*\.\.\s*{_SHORT}")
_WORDS = re.compile(rf"(?:from\s+)?{_END}\s+to\s+{_END}|between\s+{_END}\s+and\s+{_END}")
# A dash before a second minus would be a riddle: what follows it is unsigned.
_DASH = re.compile(rf"({_NUMBER})\s*[-–—]\s*({_UNSIGNED})")
_OPEN = re.compile(rf"({_NUMBER})\s*(?:\+|or\s+more)")
_CLOSED = re.compile(rf"({_NUMBER})\s*or\s+less")
_AT_LEAST = re.compile(rf"(?:at\s+least|more\s+than|over|above)\s+({_NUMBER})")
_AT_MOST = re.compile(rf"(?:at\s+most|less\s+than|under|below|up\s+to)\s+({_NUMBER})")
_BOUND = re.compile(rf"(>=|<=|[<>≤≥])\s*({_NUMBER})")
_RADIUS = re.compile(rf"({_NUMBER})\s*(?:\+/?-|±)\s*((?!-){_NUMBER})")

_NOTHING = ("", "*")


def text_pieces(text: str) -> list[tuple[float, float]] | None:
    """The ends of every interval that `text` names, NaN if it names none; None if it is garbled.

    Examples
    --------
    >>> text_pieces("[-2, -1] | > 1")
    [(-2.0, -1.0), (1.0, inf)]
    >>> text_pieces("3-5"), text_pieces("-3 to 5"), text_pieces("65+")
    ([(3.0, 5.0)], [(-3.0, 5.0)], [(65.0, inf)])
    >>> text_pieces("5 +- 2"), text_pieces(""), text_pieces("about 5")
    ([(3.0, 7.0)], [(nan, nan)], None)
    """
    # The minus sign of typesetters, and case.
    text = text.strip().replace("−", "-").lower()
    if text in _NOTHING:
        return [(math.nan, math.nan)]
    pieces = [_piece(part.strip()) for part in text.split(UNION_SEPARATOR)]
    known = [piece for piece in pieces if piece is not None]
    return known if len(known) == len(pieces) else None


def _piece(text: str) -> tuple[float, float] | None:
    if match := _POINT.fullmatch(text):
        return _end(match[1]), _end(match[1])
    if match := _BRACKETS.fullmatch(text) or _RANGE.fullmatch(text):
        return _end(match[1]), _end(match[2])
    if match := _DASH.fullmatch(text) or _WORDS.fullmatch(text):
        lower, upper = (end for end in match.groups() if end is not None)
        return _end(lower), _end(upper)
    if match := _OPEN.fullmatch(text) or _AT_LEAST.fullmatch(text):
        return _end(match[1]), math.inf
    if match := _CLOSED.fullmatch(text) or _AT_MOST.fullmatch(text):
        return -math.inf, _end(match[1])
    if match := _BOUND.fullmatch(text):
        end = _end(match[2])
        return (end, math.inf) if match[1] in (">", ">=", "≥") else (-math.inf, end)
    if match := _RADIUS.fullmatch(text):
        center, radius = _end(match[1]), _end(match[2])
        return finite_or_huge(center - radius, True), finite_or_huge(center + radius, True)
    return None


def _end(text: str) -> float:
    infinite = "inf" in text or "∞" in text
    return finite_or_huge(float(text.replace("∞", "inf")), not infinite)
