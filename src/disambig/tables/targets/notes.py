"""The sentences about a target that was read: what was guessed, merged, odd, or says nothing."""

import re

import numpy as np

from disambig.candidates import PartialBits
from disambig.candidates.look_alikes import joined_labels
from disambig.tables.source import shown
from disambig.tables.targets.target import Target
from disambig.tables.values import Values

_MAX_SHOWN = 5
# "cat:0.7", "cat=0.7" and "cat (70 %)".
_WEIGHT = re.compile(
    r"\S\s*(?:[:=]\s*[01]?[.,]\d+|\(\s*(?:\d+(?:[.,]\d+)?\s*%|[01]?[.,]\d+)\s*\))$"
)
# What people write between two labels, beside the separator of the column.
_OTHER_SEPARATORS = ("/", ";", ",", " or ", "&", "+")


def target_notes(target: Target, columns: list[Values], *, named: bool) -> tuple[str, ...]:
    """The sentences about a target.

    Parameters
    ----------
    target : Target
    columns : list of Values
        The columns that it was read from.
    named : bool
        Whether the classes were named, by the user or by an earlier table.

    Examples
    --------
    >>> import pandas as pd
    >>> from disambig.tables import read_target
    >>> read_target(pd.DataFrame({"y": ["a|b", "b", "c", "b/c"]}), "y").notes[1]
    "'b/c' is one label, though its parts are labels too: if it is a set, write '|' for '/'."
    """
    found = [target.sentence, _merged(target), "" if named else _joined(target)]
    found += [*([] if named else _odd_classes(target)), *_one_sided(target), _silent(columns)]
    empty = int(np.count_nonzero(target.uninformative))
    if empty:
        found.append(f"{empty} of {len(target)} rows say nothing about the target.")
    return tuple(sentence for sentence in found if sentence)


def _merged(target: Target) -> str:
    if not target.merged:
        return ""
    pairs = [f"{shown(one)} as {shown(other)}" for one, other in target.merged.items()]
    return f"Spellings that differ in case or blanks are one label: {_first(pairs)}."


def _joined(target: Target) -> str:
    """Labels that look like a set with another separator than that of the column."""
    separator = target.format.separator or "|"
    if target.format.notation != "sets" or target.format.path is not None:
        return ""
    others = [one for one in _OTHER_SEPARATORS if one != separator]
    joined = joined_labels(target.format.names or (), separators=others)
    if not joined:
        return ""
    texts = _first([shown(text) for text, _ in joined])
    marks = ", ".join(dict.fromkeys(shown(mark.strip()) for _, mark in joined))
    one = len(joined) == 1
    says = "is one label, though its" if one else "are one label each, though their"
    return (
        f"{texts} {says} parts are labels too: if {'it is a set' if one else 'they are sets'}, "
        f"write {shown(separator)} for {marks}."
    )


def _odd_classes(target: Target) -> list[str]:
    """Classes that may be no classes: -1, which often marks rows without one, and weights."""
    names = target.format.names or ()
    if target.kind != "labels":
        return []
    found = []
    marker = next((name for name in names if str(name) == "-1"), None)
    # Beside 1 alone, or 0 and 1, it is a code like any other.
    if marker is not None and not {str(name) for name in names} <= {"-1", "0", "1"}:
        found.append("-1 is a class: if it marks rows without a label, leave their cells blank.")
    weighted = [shown(name) for name in names if isinstance(name, str) and _WEIGHT.search(name)]
    if weighted:
        found.append(
            f"{_first(weighted)}: the number is a part of the label; weights of labels are not "
            "read from texts (LabelSets takes them as a table)."
        )
    return found


def _one_sided(target: Target) -> list[str]:
    """Tags of which some rows know one value, and no row the other."""
    bits = target.candidates
    if not isinstance(bits, PartialBits):
        return []
    known = np.asarray(bits.known)
    is_open, on = ~known.all(axis=0), known & (np.asarray(bits.bits) == 1)
    has_on, has_off = on.any(axis=0), (known & ~on).any(axis=0)
    sides = (("yes", "no", has_on & ~has_off), ("no", "yes", has_off & ~has_on))
    return [
        f"{_first([shown(tag) for tag in bits.tags[is_open & side]])}: always {always!r} where it "
        f"is filled in, so that nothing says when it is {never!r}. Write {never!r} in some rows, "
        f"leave the tag out, or give its frequency by tag_frequencies=."
        for always, never, side in sides
        if (is_open & side).any()
    ]


def _silent(columns: list[Values]) -> str:
    silent: dict[str, int] = {}
    for column in columns:
        for word, n in column.silent.items():
            silent[word] = silent.get(word, 0) + n
    if not silent:
        return ""
    words = [f"{shown(word)} (rows: {n})" for word, n in silent.items() if word.strip()]
    blank = sum(n for word, n in silent.items() if not word.strip())
    blanks = f"Blank cells say nothing (rows: {blank})." if blank else ""
    return " ".join(
        filter(None, [f"These words say nothing: {_first(words)}." if words else "", blanks])
    )


def _first(texts: list[str]) -> str:
    """The first few texts, and how many more there are."""
    more = len(texts) - _MAX_SHOWN
    return ", ".join(texts[:_MAX_SHOWN]) + (f" and {more} more" if more > 0 else "")
