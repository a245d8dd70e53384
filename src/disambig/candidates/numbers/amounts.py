"""Numbers as people write them: 30,000 and 1.200,50, 30-40k, $ and units.

`plain_text` turns the numbers of one text into those that Python reads. Which of "." and "," is the
decimal mark is decided by all texts of a column together, in `decimal_evidence`: "1,200" alone does
not say it. `shared_unit` takes away a unit that all texts of a column share.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

UNSIGNED_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"

# Blanks that do not break a line, and signs that stand for others.
_SAME_SIGNS = str.maketrans(
    {"\u00a0": " ", "\u2007": " ", "\u2009": " ", "\u202f": " ", "−": "-", "’": "'"}
)
_CURRENCIES = {"us$": "$", "usd": "$", "eur": "€", "euro": "€", "gbp": "£", "jpy": "¥"}
_CURRENCY = re.compile(
    r"us\$|[$€£¥₹]|(?<![^\W\d_])(?:usd|euro?|gbp|jpy|chf|inr)(?![^\W\d_])", re.IGNORECASE
)

# No text without one of these has a currency; most texts have none.
_CURRENCY_START = re.compile(r"[$€£¥₹]|[uegjci][surbhpn][dropfyrn]", re.IGNORECASE)

_BRACKETS = "[]({"
_TOKEN = re.compile(r"\d[\d.,]*\d")
_ENGLISH_GROUPS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_EUROPEAN_GROUPS = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?")
_DECIMAL_COMMA = re.compile(r"\d+,\d+")
# "1 200 000" and "1'200.50"; not the blank of "5 100", two numbers of which the first is no group.
_SPACED_GROUPS = re.compile(r"(?<![\d.,])\d{1,3}(?:[ ']\d{3})+(?!\d)")

# A capital K after a blank is a temperature, a small m a length or a time: these are units.
_FACTORS = {"k": "e3", "thousand": "e3", "m": "e6", "mn": "e6", "mio": "e6", "million": "e6"}
_FACTORS |= {"bn": "e9", "billion": "e9", "mrd": "e9", "tsd": "e3"}
# Words in any case: "Mio." and "Million" are no units.
_FACTOR_WORDS = r"(?i:thousand|tsd\.?|mio\.?|mn|million|mrd\.?|bn|billion)"
_FACTOR = rf"(?:[kKM]|\s?k|\s?{_FACTOR_WORDS})(?![^\W\d_])"
_NUMBER_WITH_FACTOR = re.compile(rf"({UNSIGNED_NUMBER})({_FACTOR})")
_SHARED_FACTOR = re.compile(
    rf"({UNSIGNED_NUMBER})(\s*(?:[-–—]|\.\.|±|\+/?-|to|and)\s*)({UNSIGNED_NUMBER})({_FACTOR})"
)

# Words of the grammar of intervals and of currencies, which are no units.
_WORDS = "to|and|or|from|between|at|least|most|more|less|than|over|above|under|below|up"
_WORDS += "|inf|infinity|usd|eur|euro|gbp|jpy|chf|inr"
_UNIT_SIGN = r"[^\W\d_]|[%°²³µ‰]"
# The number is atomic: "1e3" is no 1 with the unit e3.
_UNIT = re.compile(
    rf"((?>{UNSIGNED_NUMBER}(?:{_FACTOR})?))\s*"
    rf"(?!(?i:{_WORDS})(?![^\W\d_]))((?:{_UNIT_SIGN})(?:{_UNIT_SIGN}|[./^*·]|(?<=\D)[23])*)"
)


class Evidence(NamedTuple):
    """What the texts of a column say about their decimal mark: positions of texts, or None.

    Attributes
    ----------
    point, comma : int or None
        The first text that can only be read with a decimal point; with a decimal comma.
    unclear_point, unclear_comma : int or None
        The first text such as "1.200", or "1,200", that allows both.
    """

    point: int | None = None
    comma: int | None = None
    unclear_point: int | None = None
    unclear_comma: int | None = None


def decimal_evidence(texts: Iterable[str]) -> Evidence:
    """What the numbers of all texts say about the decimal mark.

    Examples
    --------
    >>> decimal_evidence(["1.200", "1.200,50"])
    Evidence(point=None, comma=1, unclear_point=0, unclear_comma=None)
    """
    found: dict[str, int] = {}
    for place, text in enumerate(texts):
        if ("," not in text and "." not in text) or text.lstrip()[:1] in _BRACKETS:
            continue
        for token in _TOKEN.findall(text.replace("..", " ")):
            verdict = _token_evidence(token)
            if verdict:
                found.setdefault(verdict, place)
    return Evidence(**found)


def _token_evidence(token: str) -> str:
    """A field of `Evidence`, or an empty text if the number says nothing."""
    has_point, has_comma = "." in token, "," in token
    if not has_point and not has_comma:
        return ""
    if has_point and has_comma:
        return "comma" if token.rindex(",") > token.rindex(".") else "point"
    mark = "." if has_point else ","
    parts = token.split(mark)
    name, other = ("point", "comma") if has_point else ("comma", "point")
    is_grouped = len(parts[0]) <= 3 and all(len(part) == 3 for part in parts[1:])
    if is_grouped and not token.strip("0.,"):
        # "0,000" is zero either way.
        return ""
    if len(parts) > 2:
        return other if is_grouped else ""
    if not is_grouped or parts[0].startswith("0"):
        return name
    return f"unclear_{name}"


def currency_of(text: str) -> str:
    """The currency sign of a text, an empty text if it has none; several are joined by blanks.

    Examples
    --------
    >>> currency_of("> 100,000 EUR"), currency_of("5"), currency_of("$5 to 7 USD")
    ('€', '', '$')
    """
    if not _CURRENCY_START.search(text):
        return ""
    signs = (match[0].lower() for match in _CURRENCY.finditer(text))
    return " ".join(sorted({_CURRENCIES.get(sign, sign) for sign in signs}))


def plain_text(text: str, decimal: str = ".") -> str:
    """`text` with plain numbers: no groups of thousands, factors or currency signs.

    Groups are not looked for in brackets, where a comma separates.

    Examples
    --------
    >>> plain_text("$30-40k"), plain_text("> 100,000 €"), plain_text("1.200,50", decimal=",")
    ('30e3-40e3', '> 100000', '1200.50')
    >>> plain_text("[800,1200]"), plain_text("1 200 to 1 500")
    ('[800,1200]', '1200 to 1500')
    """
    text = text.translate(_SAME_SIGNS).strip()
    currency = currency_of(text)
    # Two currencies in one text are left in it, and the grammar refuses them.
    if currency and " " not in currency:
        text = _CURRENCY.sub(" ", text).strip()
        # "> $ 5" and "$30 - $40" lose their sign only, "-$5" keeps its minus at the number.
        text = re.sub(r"\s{2,}", " ", re.sub(r"^([+-]) ", r"\1", text))
    if text[:1] not in _BRACKETS:
        if " " in text or "'" in text:
            text = _SPACED_GROUPS.sub(lambda match: re.sub("[ ']", "", match[0]), text)
        if "," in text or "." in text:
            text = _TOKEN.sub(lambda match: _plain_number(match[0], decimal), text)
    if text.lower() == text.upper():
        return text
    text = _SHARED_FACTOR.sub(_share_factor, text)
    return _NUMBER_WITH_FACTOR.sub(lambda match: match[1] + _exponent(match[2]), text)


def _plain_number(token: str, decimal: str) -> str:
    """A number without groups; what does not fit the decimal mark is left as it is."""
    if ".." in token:
        return "..".join(_plain_number(part, decimal) for part in token.split(".."))
    if decimal == ",":
        if _EUROPEAN_GROUPS.fullmatch(token) or _DECIMAL_COMMA.fullmatch(token):
            return token.replace(".", "").replace(",", ".")
        # "1.5" is no number with a decimal comma: refused by the grammar.
        return token.replace(".", "·")
    return token.replace(",", "") if _ENGLISH_GROUPS.fullmatch(token) else token


def _exponent(factor: str) -> str:
    return _FACTORS[factor.strip().rstrip(".").lower()]


def _share_factor(match: re.Match[str]) -> str:
    """In "30-40k" the factor is that of both numbers; in "500-1k" it is not."""
    low, between, high, factor = match.groups()
    is_radius = "±" in between or between.strip().startswith("+")
    exponent = _exponent(factor)
    first = low + exponent if is_radius or float(low) < float(high) else low
    return f"{first}{between}{high}{exponent}"


class SharedUnit(NamedTuple):
    """The texts of a column without their unit, the unit, and what differs from it.

    Attributes
    ----------
    texts : list of str
    unit : str
        Empty if there is none.
    odd : int or None
        The first text with another unit; the unit was then not taken away.
    """

    texts: list[str]
    unit: str
    odd: int | None = None


def shared_unit(texts: Sequence[str]) -> SharedUnit:
    """Take away the unit behind the numbers of all texts; some texts may have none.

    Examples
    --------
    >>> shared_unit(["3 kg", "4-5 kg", "6"])
    SharedUnit(texts=['3', '4-5', '6'], unit='kg', odd=None)
    >>> shared_unit(["3 kg", "200 g"]).odd
    1
    """
    stripped, unit = [], ""
    for place, text in enumerate(texts):
        found = {_singular(match[2]) for match in _UNIT.finditer(text)}
        if not found:
            stripped.append(text)
            continue
        unit = unit or min(found)
        if found != {unit}:
            return SharedUnit(list(texts), unit, place)
        stripped.append(_UNIT.sub(r"\1", text).strip())
    if unit == "m":
        # 5M is five million, and 6m are six metres, six minutes or six million.
        odd = next((place for place, text in enumerate(texts) if re.search(r"\dM\b", text)), None)
        return SharedUnit(stripped if odd is None else list(texts), unit, odd)
    return SharedUnit(stripped, unit)


def _singular(unit: str) -> str:
    """Years and year are one unit, and so are KG and kg; M and m, or K and k, are two."""
    unit = unit.rstrip(".")
    if len(unit) > 2:
        return unit.lower().removesuffix("s")
    return unit if len(unit) == 1 else unit.lower()


def amount_text(value: float, digits: int = 4) -> str:
    """A number with so many significant digits, without an exponent below 10¹⁵.

    Examples
    --------
    >>> amount_text(41837.2), amount_text(0.123456, 3), amount_text(float("inf"))
    ('41840', '0.123', 'inf')
    """
    rounded = f"{value:.{digits}g}"
    return f"{float(rounded):.0f}" if 10**digits <= abs(float(rounded)) < 1e15 else rounded
