"""Find names that are most likely a slip: two that look alike, sets and missing marks among them.

The classes of a problem, the items of rankings and the tags of bits are read from the data. A class
more than the user means changes what is learned, and nothing later shows it. The functions here
look at distinct names only; numbers alone never look like anything else.
"""

import numbers
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from disambig.exceptions import LookAlikeWarning, warn

_SEPARATORS = ("|", ";", ",")
_MISSING_MARKS = frozenset(
    {
        *("", "?", "??", "???", "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "nat"),
        *("none", "null", "nil", "missing", "unknown", "unlabeled", "unlabelled"),
        *("not known", "don't know", "don’t know", "dont know", "not sure", "unsure", "no idea"),
        *("not available", "can't tell", "can’t tell", "cannot tell"),
        *("prefer not to say", "prefer not to answer", "rather not say"),
    }
)
# A collection as Python writes it. In brackets there must be a comma or a quotation mark: "[UNK]"
# and "(a, b)" may well be names.
_WRITTEN_SET = re.compile(
    r"\s*(?:(?:frozenset|set|array)\()?\s*"
    r"(?:\[.*[,'\"].*\]|\{.*[,'\"].*\}|\(.*['\"].*\))\s*\)?\s*",
    re.DOTALL,
)
_SHOWN = 5


def _texts(names: Iterable[Any]) -> list[str]:
    return [name for name in names if isinstance(name, str)]


def spelling(name: str | bytes) -> str:
    """A text without its case and without blanks that do not separate words.

    Examples
    --------
    >>> spelling("  Grey  CAT")
    'grey cat'
    """
    text = name.decode(errors="replace") if isinstance(name, bytes) else name
    return " ".join(text.casefold().split())


def _value(written: str) -> Any:
    """The number or truth value that a text writes out; None if it is neither."""
    for read in (int, float):
        try:
            return read(written)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(written)


def alike_pairs(names: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Pairs that differ in case or blanks only, or are text and the number that it writes out.

    Examples
    --------
    >>> alike_pairs([1, "1", "Cat", "cat", "cat ", "dog"])
    [('1', 1), ('Cat', 'cat'), ('Cat', 'cat ')]
    """
    if not any(isinstance(name, (str, bytes)) for name in names):
        return []
    # A bool equals the number 0 or 1, but is not what their texts write out.
    values = {
        (isinstance(name, bool), name): name for name in names if isinstance(name, numbers.Number)
    }
    first: dict[str, Any] = {}
    pairs: list[tuple[Any, Any]] = []
    for name in names:
        if not isinstance(name, (str, bytes)):
            continue
        written = spelling(name)
        value = _value(written)
        if (isinstance(value, bool), value) in values:
            pairs.append((name, values[isinstance(value, bool), value]))
        if first.setdefault(written, name) is not name:
            pairs.append((first[written], name))
    return pairs


def joined_labels(
    labels: Iterable[Any], plain: bool = False, separators: Iterable[str] = _SEPARATORS
) -> list[tuple[str, str]]:
    """Labels whose parts all occur in other labels, each with the separator between them.

    If `plain`, every row holds a single label: then any label with ``|`` between parts counts.

    Examples
    --------
    >>> joined_labels(["cat", "dog", "cat|dog"])
    [('cat|dog', '|')]
    >>> joined_labels(["Paris, France", "Lyon, France"])
    []
    """
    texts = _texts(labels)
    found: dict[str, str] = {}
    for separator in separators:
        split = {
            text: {part.strip() for part in text.split(separator)}
            for text in texts
            if separator in text
        }
        if not split:
            continue
        occurrences = Counter(part for parts in split.values() for part in parts)
        occurrences.update(text for text in texts if text not in split)
        for text, parts in split.items():
            certain = plain and separator == "|" and "" not in parts
            if len(parts) > 1 and (certain or all(occurrences[part] > 1 for part in parts)):
                found.setdefault(text, separator)
    return list(found.items())


def written_sets(labels: Iterable[Any]) -> list[str]:
    """Labels that are a list or a set as Python writes it.

    Examples
    --------
    >>> written_sets(["['cat', 'dog']", "{a, b}", "[UNK]", "(0, 10]", "dog"])
    ["['cat', 'dog']", '{a, b}']
    """
    return [text for text in _texts(labels) if _WRITTEN_SET.fullmatch(text)]


def missing_marks(labels: Iterable[Any]) -> list[str]:
    """Labels that usually say that there is none.

    Examples
    --------
    >>> missing_marks(["cat", "N/A", "", "unknown"])
    ['N/A', '', 'unknown']
    """
    return [text for text in _texts(labels) if text.strip().casefold() in _MISSING_MARKS]


def _shown(found: Sequence[Any]) -> str:
    """The first few of what was found, and their number if there are more."""
    shown = ", ".join(
        f"{one[0]!r} and {one[1]!r}" if isinstance(one, tuple) else repr(one)
        for one in found[:_SHOWN]
    )
    return shown if len(found) <= _SHOWN else f"{shown} (first {_SHOWN} of {len(found)})"


def warn_of_look_alikes(labels: Sequence[Any], *, plain: bool) -> None:
    """Warn once of classes that look alike, like a set, or like a missing label.

    Parameters
    ----------
    labels : sequence of distinct labels
    plain : bool
        Whether every row holds a single label.
    """
    if not any(isinstance(label, (str, bytes)) for label in labels):
        return
    written = written_sets(labels)
    advice = _pair_advice(labels, "class") + _set_advice(
        written, [pair for pair in joined_labels(labels, plain) if pair[0] not in written]
    )
    _warn("LabelSets", "classes", advice + _mark_advice(missing_marks(labels), "class"))


def warn_of_look_alike_names(owner: str, names: Sequence[Any], role: str) -> None:
    """Warn once of names that look alike: the items of rankings, or the columns of a table.

    Parameters
    ----------
    owner : str
        The reader that the warning names.
    names : sequence of distinct names
    role : {"classes", "items", "tags"}
        What they are, and the parameter by which the user can name them.
    """
    _warn(owner, role, _pair_advice(names, role.removesuffix("es" if role == "classes" else "s")))


def warn_of_look_alike_items(items: Sequence[Any]) -> None:
    """Warn once of items that look alike, or like a missing order."""
    advice = _pair_advice(items, "item") + _mark_advice(missing_marks(items), "item")
    _warn("PartialOrders", "items", advice)


def _pair_advice(names: Sequence[Any], role: str) -> list[str]:
    pairs = alike_pairs(names)
    if not pairs:
        return []
    return [
        f"{_shown(pairs)} differ only in case, in blanks, or as text and number: write what is one "
        f"{role} in one way."
    ]


def _set_advice(written: list[str], joined: list[tuple[str, str]]) -> list[str]:
    advice = []
    if joined:
        texts, separator = [text for text, _ in joined], joined[0][1]
        advice.append(
            f"{_shown(texts)} is read as one class, though it looks like a set: for sets use "
            f"LabelSets.from_strings(y, separator={separator!r})."
        )
    if written:
        advice.append(
            f"{_shown(written)} is read as one class, though it is a set written out: pass the "
            f"sets themselves, for example by ast.literal_eval, or texts such as 'a|b' to "
            f"LabelSets.from_strings."
        )
    return advice


def _mark_advice(marks: list[str], role: str) -> list[str]:
    if not marks:
        return []
    return [
        f"{_shown(marks)} is read as {'an' if role == 'item' else 'a'} {role}, though it looks "
        f"like a missing value: if it says nothing, pass unlabeled={marks[:_SHOWN]!r}, with other "
        "markers in the same list."
    ]


def _warn(owner: str, role: str, advice: list[str]) -> None:
    if advice:
        warn(
            f"{owner}: some {role} may be a slip. {' '.join(advice)} If all are meant as they are, "
            f"name them by {role}=, and this warning does not come.",
            LookAlikeWarning,
        )
