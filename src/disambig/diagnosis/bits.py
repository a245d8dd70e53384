"""Checks of tags that are known in part."""

import numpy as np

from disambig.candidates.labels.classes import listed
from disambig.diagnosis.conflicts import conflict_checks, sign_copies, sign_neighbors
from disambig.diagnosis.findings import Check, Outcome, Verdict, flagged, named
from disambig.diagnosis.information import information_checks, parts_check, spelling_check
from disambig.diagnosis.neighborhoods import Neighborhoods
from disambig.diagnosis.subject import Subject
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray


def signs_of(subject: Subject) -> AnyArray:
    """1 for on, -1 for off, 0 for not known, ``(n, m)`` of int8."""
    candidates = subject.candidates
    return np.where(candidates.known, 2 * candidates.bits - 1, 0).astype(np.int8)


def _counts(subject: Subject) -> tuple[IntArray, IntArray]:
    """How often each tag is known to be on, and known at all, ``(m,)`` each."""
    candidates = subject.candidates
    return np.count_nonzero(candidates.bits == 1, axis=0), np.count_nonzero(
        candidates.known, axis=0
    )


def _outcome(subject: Subject, tags: BoolArray, text: str) -> Outcome:
    """A finding about some tags; its rows are those that know one of them."""
    if not tags.any():
        return Outcome()
    names = listed(subject.candidates.tags[tags])
    rows = flagged(subject.candidates.known[:, tags].any(axis=1))
    return Outcome(f"Tags {named(names)} {text}", rows, None, {"tags": names, "n_rows": rows.size})


def constant_tags(subject: Subject) -> Verdict:
    """Tags that are off in all rows that know them, or on in all rows."""
    on, known = _counts(subject)
    constant = (known > 0) & ((on == 0) | (on == subject.n))
    return _outcome(subject, constant, "have the same value wherever they are known.")


def positives_only(subject: Subject) -> Verdict:
    """Tags of which only ones are known, beside rows that do not know them."""
    on, known = _counts(subject)
    positive = (known > 0) & (on == known) & (known < subject.n)
    return _outcome(subject, positive, "are on wherever they are known, and unknown elsewhere.")


def never_known(subject: Subject) -> Verdict:
    """Tags that no row knows."""
    tags = ~np.asarray(subject.candidates.known.any(axis=0))
    if not tags.any():
        return Outcome()
    names = listed(subject.candidates.tags[tags])
    return Outcome(f"Tags {named(names)} are known in no row.", evidence={"tags": names})


def copy_scores(subject: Subject, rows: IntArray, groups: IntArray) -> FloatArray:
    """The share of the known tags of a row that a copy has the other way."""
    return sign_copies(signs_of(subject)[rows], groups)


def neighbor_scores(subject: Subject, near: Neighborhoods) -> FloatArray:
    """The share of known tags in which neighbours differ from the row."""
    return sign_neighbors(signs_of(subject), near)


_KIND = ("bits",)
BIT_CHECKS = (
    *information_checks("bits"),
    *conflict_checks(
        "bits",
        "B",
        copy_scores,
        neighbor_scores,
        "Rows with equal features of which one has a tag on and another has it off.",
        "At least 80% of the tags that both the row and one of its 10 nearest rows know (ten at "
        "least) differ.",
    ),
    Check(
        "B110",
        "constant-tags",
        "Tags that never vary",
        "issue",
        _KIND,
        "All rows that know the tag have it off, or all rows have it on.",
        "There is nothing to learn about it.",
        "Leave the tag out, or check how its column was read.",
        constant_tags,
    ),
    Check(
        "B111",
        "positive-tags-only",
        "Tags of which only ones are known",
        "issue",
        _KIND,
        "All rows that know the tag have it on, and other rows do not know it.",
        "Nothing says when it is off: it will be on everywhere.",
        "Record rows where it is off, or give its frequency by tag_frequencies=. If an empty entry "
        "means off, write 0 there.",
        positives_only,
    ),
    Check(
        "B112",
        "tags-never-known",
        "Tags that no row knows",
        "issue",
        _KIND,
        "The tag is unknown in every row.",
        "Its predictions are arbitrary.",
        "Leave the tag out, or label some rows.",
        never_known,
    ),
    spelling_check("bits"),
    parts_check("bits"),
)
