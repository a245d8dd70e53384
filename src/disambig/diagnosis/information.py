"""Checks of several kinds of target.

Rows that cannot be read, that say nothing, or are too few; parts of the graph where nothing is
known; and names that look alike.
"""

from functools import partial
from typing import Any

import numpy as np

from disambig.candidates.labels.bag_information import informed_rows
from disambig.candidates.labels.class_counts import is_in_bags
from disambig.candidates.labels.classes import listed
from disambig.candidates.look_alikes import alike_pairs
from disambig.diagnosis.findings import (
    Check,
    NotApplicable,
    Outcome,
    Skipped,
    Verdict,
    flagged,
    share_text,
)
from disambig.diagnosis.label_requirements import needed
from disambig.diagnosis.subject import Subject
from disambig.estimators.selection.numbers import NUMBER_SPACE
from disambig.estimators.selection.protocol import MIN_INFORMATIVE_ROWS
from disambig.notation import BoolArray, FloatArray, IntArray

# Informative rows that the selection of "auto" needs.
LEAST_ROWS = {
    "labels": MIN_INFORMATIVE_ROWS,
    "numbers": NUMBER_SPACE.least_informative,
    "orders": MIN_INFORMATIVE_ROWS,
    "bits": MIN_INFORMATIVE_ROWS,
}
_LETTERS = {"labels": "L", "numbers": "N", "orders": "O", "bits": "B"}
_NAMED = {"labels": ("class", "classes"), "orders": ("item", "items"), "bits": ("tag", "tags")}
_NOTHING_SAID = {
    "labels": "set has every class",
    "numbers": "interval is the whole line",
    "orders": "order compares no pair",
    "bits": "tags are all unknown",
}
_IN_NO_BAG = {
    "labels": ", and that are in no bag of known class shares",
    "numbers": "",
    "orders": "",
    "bits": "",
}
_UNREADABLE = {
    "labels": "sets that are empty, repeat a label or hold a missing one",
    "numbers": "texts that are no interval",
    "orders": "orders that contradict themselves (a > b > a) or are no order",
    "bits": "entries that are neither 1, 0 nor unknown",
}
_ASKED = (
    " Beside it (fast=False) stands what disambig.theory.theorem_requirement asks for at the "
    "largest eta that disambig.theory.ambiguity estimates; rows that say nothing count as sets of "
    "all classes."
)
# Errors that the evidence quotes.
_MAX_QUOTED = 5


def information_checks(kind: str) -> tuple[Check, ...]:
    """The checks 100 to 102 of a kind."""
    letter = _LETTERS[kind]
    least = LEAST_ROWS[kind]
    return (
        Check(
            f"{letter}100",
            "unreadable-rows",
            "Rows of y that cannot be read",
            "issue",
            (kind,),
            f"Rows that the estimators refuse: {_UNREADABLE[kind]}. Here they count as rows that "
            "say nothing.",
            "`fit` stops at the first of them.",
            "Correct these rows, leave them out, or name what marks a row without information by "
            "unlabeled=.",
            unreadable,
        ),
        Check(
            f"{letter}101",
            "rows-without-information",
            "Rows that say nothing",
            "tip",
            (kind,),
            f"Rows whose {_NOTHING_SAID[kind]}{_IN_NO_BAG[kind]}.",
            "Such rows get a target from their neighbours alone; they help only where inputs form "
            "clusters.",
            "Nothing, if the rows are unlabeled on purpose. Otherwise look for a marker that was "
            "read too widely, or for sets that were built by default.",
            partial(uninformative, said=_NOTHING_SAID[kind]),
        ),
        Check(
            f"{letter}102",
            "too-few-rows",
            "Too few informative rows to choose weights by",
            "issue",
            (kind,),
            f"Fewer than {least} rows exclude something"
            f"{' or are in a bag of known class shares' if _IN_NO_BAG[kind] else ''}."
            f"{_ASKED if kind == 'labels' else ''}",
            'weights="auto" compares weightings by hidden sets; with so few it uses a fixed rule.',
            "Label more rows, or choose the weights yourself.",
            partial(too_few, least=least),
        ),
    )


def parts_check(kind: str) -> Check:
    """The check 121 of a kind."""
    return Check(
        f"{_LETTERS[kind]}121",
        "parts-without-label",
        "Parts of the neighbour graph without a label",
        "issue",
        (kind,),
        "A connected part of the graph of the 10 nearest neighbours has no informative row.",
        "No label reaches these rows: theirs come from elsewhere, or are arbitrary.",
        "Label one row of each part, or leave the part out.",
        without_label,
    )


def spelling_check(kind: str) -> Check:
    """The check 114 of a kind whose targets have names."""
    one, several = _NAMED[kind]
    return Check(
        f"{_LETTERS[kind]}114",
        "spelling-variants",
        f"{several.capitalize()} that differ only in case or blanks",
        "issue",
        (kind,),
        'Names such as "Cat" and "cat ", or 1 and "1". The rows are those of the rarer spelling.',
        f"They are learned as two {several}.",
        f"Write what is one {one} in one way. If all are meant, name them by classes=.",
        spelling,
    )


def unreadable(subject: Subject) -> Verdict:
    """Rows that no estimator would read."""
    errors = subject.refused.unreadable
    if not errors:
        return Outcome()
    rows = np.array(sorted(errors), dtype=np.intp)
    # The number of a row in an error is that of the row read alone.
    first = errors[int(rows[0])].replace("row 0 ", "").replace(" (1 such row)", "")
    quoted = {int(row): errors[int(row)] for row in rows[:_MAX_QUOTED]}
    return Outcome(
        f"{share_text(rows.size, subject.n)} cannot be read. Row {rows[0]}: {first}",
        rows,
        marked(subject.n, rows),
        {"n_rows": rows.size, "errors": quoted},
    )


def uninformative(subject: Subject, said: str) -> Verdict:
    """Rows that say nothing, by set or bag, except those that could not be read."""
    rows = flagged(~_known(subject) & ~subject.refused.rows(subject.n))
    if not rows.size:
        return Outcome()
    return Outcome(
        f"{share_text(rows.size, subject.n)}: the {said}.",
        rows,
        marked(subject.n, rows),
        {"n_rows": rows.size, "share": rows.size / subject.n},
    )


def too_few(subject: Subject, least: int) -> Verdict:
    """Whether the selection has too few rows."""
    count = int(np.count_nonzero(_known(subject)))
    evidence: dict[str, Any] = {"n_informative": count, "least": least}
    if count >= least:
        return Outcome(evidence=evidence)
    if subject.kind == "labels" and subject.candidates.n_classes == 1:
        return NotApplicable("there is one class only")
    message = f"{count} of {subject.n} rows exclude something; {least} are needed."
    if subject.kind == "labels":
        sentence, more = needed(subject)
        message, evidence = f"{message} {sentence}".strip(), evidence | more
    return Outcome(message, evidence=evidence)


def _known(subject: Subject) -> BoolArray:
    """Rows of which something is known: a set that excludes something, or shares of their bag."""
    if not is_in_bags(subject.counts):
        return subject.informative
    assert subject.counts is not None
    return subject.informative | informed_rows(subject.counts)


def without_label(subject: Subject) -> Verdict:
    """Connected parts of the neighbour graph in which no row is informative."""
    if subject.informative.all():
        return NotApplicable("every row is informative")
    if not subject.informative.any():
        return NotApplicable("no row is informative")
    if not subject.near.is_complete:
        return Skipped("needs the neighbours of every row; fast=False searches them")
    parts = subject.near.parts
    labeled = np.bincount(parts, weights=subject.informative) > 0
    rows = flagged(~labeled[parts])
    evidence = {"n_parts": labeled.size, "n_parts_without": int(np.count_nonzero(~labeled))}
    if not rows.size:
        return Outcome(evidence=evidence)
    return Outcome(
        f"{share_text(rows.size, subject.n)} are in {evidence['n_parts_without']} parts of the "
        "neighbour graph that no label reaches.",
        rows,
        marked(subject.n, rows),
        evidence,
    )


def spelling(subject: Subject) -> Verdict:
    """Names that differ in case or blanks, or as text and number."""
    names, uses = _names(subject)
    pairs = alike_pairs(names)
    if not pairs:
        return Outcome()
    place = {(type(name), name): k for k, name in enumerate(names)}
    sizes = np.count_nonzero(uses, axis=0)
    rare = np.zeros(len(names), dtype=np.bool_)
    for one, other in pairs:
        a, b = place[type(one), one], place[type(other), other]
        rare[a if sizes[a] < sizes[b] else b] = True
    rows = flagged(uses[:, rare].any(axis=1))
    shown = "; ".join(f"{one!r} and {other!r}" for one, other in pairs[:3])
    return Outcome(
        f"{shown} look like one {_NAMED[subject.kind][0]} ({rows.size} rows have the rarer "
        "spelling).",
        rows,
        marked(subject.n, rows),
        {"pairs": pairs},
    )


def _names(subject: Subject) -> tuple[list[Any], BoolArray]:
    """The classes, items or tags, and which of them the target of a row speaks of, ``(n, K)``."""
    found = subject.candidates
    if subject.kind == "orders":
        return listed(found.items), found.before.any(axis=1) | found.before.any(axis=2)
    if subject.kind == "bits":
        return listed(found.tags), found.bits >= 0
    return listed(found.classes), found.mask & subject.informative[:, None]


def marked(n: int, rows: IntArray) -> FloatArray:
    """One for some rows and 0 for the others, ``(n,)``."""
    scores = np.zeros(n)
    scores[rows] = 1.0
    return scores
