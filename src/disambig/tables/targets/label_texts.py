"""The labels of one text: "a|b", "['a', 'b']", "{a, b}", "not a"."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from disambig.candidates.look_alikes import spelling

_NEGATIVE = re.compile(r"(?:not\s+|!\s*|¬\s*)(\S.*)", re.IGNORECASE | re.DOTALL)
_OPENING = {"[": "]", "{": "}", "(": ")"}
_CALL = re.compile(r"(?:frozenset|set|array|list|tuple)\s*\((.*)\)", re.DOTALL)
_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")


class Parts(NamedTuple):
    """The labels of a text, in its order, and whether they are excluded."""

    labels: tuple[Any, ...]
    is_negative: bool = False


def label_parts(
    value: Any, separator: str | None, *, written: bool = False, negatives: bool = False
) -> Parts:
    """The labels of a text or a list; a part may be empty.

    Examples
    --------
    >>> label_parts("a | b", "|").labels, label_parts("{'a', 'b'}", None, written=True).labels
    (('a', 'b'), ('a', 'b'))
    >>> label_parts("not a|b", "|", negatives=True)
    Parts(labels=('a', 'b'), is_negative=True)
    """
    if isinstance(value, tuple):
        return Parts(tuple(v.strip() if isinstance(v, str) else v for v in value))
    if not isinstance(value, str):
        return Parts((value,))
    if negatives and is_negative(value):
        rest = label_parts(without_negation(value), separator, written=written).labels
        # "not a, not b" excludes both.
        found = (_NEGATIVE.fullmatch(label) for label in rest)
        labels = (m[1].strip() if m else label for m, label in zip(found, rest, strict=True))
        return Parts(tuple(labels), True)
    if written and (inner_text := bracketed(value)) is not None:
        return Parts(tuple(_written_parts(inner_text)))
    if separator is None:
        return Parts((value,))
    return Parts(tuple(part.strip() for part in value.split(separator)))


def bracketed(text: str) -> str | None:
    """What stands between the brackets around a text; None if there are none.

    Examples
    --------
    >>> bracketed("{a, b}"), bracketed("set(['a'])"), bracketed("a, b")
    ('a, b', "'a'", None)
    """
    text = text.strip()
    if match := _CALL.fullmatch(text):
        inner = match[1].strip()
        return bracketed(inner) if inner[:1] in _OPENING else inner
    if len(text) > 1 and text[-1] == _OPENING.get(text[0]):
        return text[1:-1].strip()
    return None


def _written_parts(inner: str) -> list[str]:
    """The entries between brackets, with or without quotation marks."""
    if not inner:
        return []
    rest = _QUOTED.sub("", inner)
    # Arrays of numpy have no commas: ['a' 'b'].
    if _QUOTED.search(inner) and not rest.replace(",", "").strip():
        found = [match[1] or match[2] or "" for match in _QUOTED.finditer(inner)]
        return [re.sub(r"\\(.)", r"\1", part).strip() for part in found]
    parts = [part.strip() for part in inner.split(",")]
    if len(parts) > 1 and not parts[-1]:
        # A tuple of one has a comma at its end: (a,).
        parts.pop()
    return [part.strip("'\" ") for part in parts]


def is_negative(text: str) -> bool:
    """Whether a text excludes labels, as in "not a".

    Examples
    --------
    >>> is_negative("not cat"), is_negative("nothing")
    (True, False)
    """
    return _NEGATIVE.fullmatch(text) is not None


def without_negation(text: str) -> str:
    """What a text excludes; a text that excludes nothing as it is.

    Examples
    --------
    >>> without_negation("not (a or b)"), without_negation("a or b")
    ('a or b', 'a or b')
    """
    match = _NEGATIVE.fullmatch(text)
    if match is None:
        return text
    inner = match[1].strip()
    return inner[1:-1] if inner.startswith("(") and inner.endswith(")") else inner


def merged_spellings(counts: Mapping[Any, int], named: Iterable[Any] | None) -> dict[Any, Any]:
    """The spelling under which each label is read: the named one, else the most frequent.

    Parameters
    ----------
    counts : mapping of label to the number of its rows
    named : labels that the user named, or None

    Examples
    --------
    >>> merged_spellings({"cat": 5, "Cat": 2, " CAT": 1, "dog": 1}, None)
    {'Cat': 'cat', ' CAT': 'cat'}
    """
    known = set() if named is None else set(named)
    best: dict[str, Any] = {}
    for label in sorted(known, key=str):
        if isinstance(label, str):
            best.setdefault(spelling(label), label)
    ordered = sorted(
        (label for label in counts if isinstance(label, str)), key=lambda one: (-counts[one], one)
    )
    for label in ordered:
        best.setdefault(spelling(label), label)
    return {
        label: best[spelling(label)]
        for label in counts
        if isinstance(label, str) and label not in known and best[spelling(label)] != label
    }


def label_counts(parts: Iterable[Parts], rows: Iterable[int]) -> Counter[Any]:
    """In how many rows each label is.

    Examples
    --------
    >>> label_counts([Parts(("a", "b")), Parts(("a",))], [3, 2])
    Counter({'a': 5, 'b': 3})
    """
    counts: Counter[Any] = Counter()
    for part, n in zip(parts, rows, strict=True):
        for label in part.labels:
            counts[label] += int(n)
    return counts
