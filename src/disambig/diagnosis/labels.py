"""Checks of label sets: which classes the sets alone can separate."""

from typing import Any

import numpy as np

from disambig.candidates import LabelSets
from disambig.candidates.labels.classes import listed
from disambig.candidates.look_alikes import (
    joined_labels,
    missing_marks,
    written_sets,
)
from disambig.diagnosis.conflicts import MIN_NEIGHBORS, conflict_checks, sums_by_group
from disambig.diagnosis.findings import (
    Check,
    NotApplicable,
    Outcome,
    Verdict,
    flagged,
    named,
    share_text,
)
from disambig.diagnosis.information import information_checks, marked, spelling_check
from disambig.diagnosis.neighborhoods import Neighborhoods
from disambig.diagnosis.subject import Subject
from disambig.notation import BoolArray, FloatArray, IntArray

# A class that is in this share of the sets with several candidates is no evidence.
_NEARLY_EVERY = 0.95
# What happens by chance with a smaller probability is not chance.
_CHANCE = 0.01
_MIN_SETS = 20


def rows_with(sets: LabelSets, classes: BoolArray, rows: BoolArray) -> IntArray:
    """Those of some rows whose set has one of the classes ``(K,)``."""
    return flagged(rows & sets.mask[:, classes].any(axis=1))


def co_occurrence(sets: LabelSets, rows: BoolArray) -> FloatArray:
    """``counts[a, b]``: how many of some rows have both classes, ``(K, K)``."""
    mask = sets.mask[rows].astype(np.float64)
    counts: FloatArray = mask.T @ mask
    return counts


def inseparable(sets: LabelSets, rows: BoolArray) -> list[list[int]]:
    """Groups of classes that are in the same sets."""
    counts = co_occurrence(sets, rows)
    sizes = np.diag(counts)
    equal = (counts == sizes[:, None]) & (counts == sizes[None, :]) & (sizes > 0)[:, None]
    first = equal.argmax(axis=1)
    groups = [np.flatnonzero((first == k) & (sizes > 0)).tolist() for k in range(sizes.size)]
    return [group for group in groups if len(group) > 1]


def always_together(subject: Subject) -> Verdict:
    """Classes that no row separates."""
    sets = subject.candidates
    groups = inseparable(sets, subject.informative)
    names = [listed(sets.classes[group]) for group in groups]
    if not groups:
        return Outcome()
    members = np.zeros(sets.n_classes, dtype=np.bool_)
    members[[k for group in groups for k in group]] = True
    rows = rows_with(sets, members, subject.informative)
    return Outcome(
        f"{'; '.join(named(group) for group in names[:3])} are in the same sets, in all "
        f"{rows.size} of them.",
        rows,
        marked(subject.n, rows),
        {"groups": names, "n_rows": rows.size},
    )


def never_alone(subject: Subject) -> Verdict:
    """Classes that are never the only candidate; worse, never without a certain other one."""
    sets, informative = subject.candidates, subject.informative
    if sets.n_classes < 3:
        return NotApplicable("with two classes every informative set has one")
    counts = co_occurrence(sets, informative)
    sizes = np.diag(counts)
    singles = np.count_nonzero(sets.mask[sets.is_single], axis=0)
    together = [k for group in inseparable(sets, informative) for k in group]
    alone = (singles == 0) & (sizes > 0)
    alone[together] = False
    if not alone.any():
        return Outcome()
    # By chance, a class of share p is in all of m sets with probability p^m.
    shares = sets.mask[informative].mean(axis=0)
    within = (counts == sizes[:, None]) & alone[:, None]
    np.fill_diagonal(within, False)
    within &= shares[None, :] ** sizes[:, None] < _CHANCE
    within[:, together] = False
    dominated = np.asarray(within.any(axis=1))
    names = listed(sets.classes)
    evidence: dict[str, Any] = {"classes": [names[k] for k in np.flatnonzero(alone)]}
    if not dominated.any():
        rows = rows_with(sets, alone, informative)
        text = f"Classes {named(evidence['classes'])} are never the only candidate."
        return Outcome(text, rows, marked(subject.n, rows), evidence, is_mild=True)
    pairs = [(names[a], names[int(within[a].argmax())]) for a in np.flatnonzero(dominated)]
    rows = rows_with(sets, dominated, informative)
    first = f"Class {pairs[0][0]!r} is never a candidate without {pairs[0][1]!r}"
    more = f", and {len(pairs) - 1} other classes have such a companion" if len(pairs) > 1 else ""
    return Outcome(f"{first}{more}.", rows, marked(subject.n, rows), evidence | {"pairs": pairs})


def nearly_everywhere(subject: Subject) -> Verdict:
    """Classes that are in nearly every set with several candidates, but seldom alone."""
    sets = subject.candidates
    several = subject.informative & ~sets.is_single
    count = int(np.count_nonzero(several))
    if count < _MIN_SETS:
        return NotApplicable(f"fewer than {_MIN_SETS} informative sets have several candidates")
    shares = sets.mask[several].mean(axis=0)
    single = sets.is_single & subject.informative
    alone = sets.mask[single].mean(axis=0) if single.any() else np.zeros(sets.n_classes)
    # A class that is also most of the singletons is simply frequent.
    everywhere = (shares >= _NEARLY_EVERY) & (alone < 0.5)
    companions = (co_occurrence(sets, several) > 0).sum(axis=0) - 1
    used = int(np.count_nonzero(sets.mask.any(axis=0)))
    everywhere &= companions >= max(2, (used - 1) / 2)
    evidence = {"n_sets": count, "largest_share": float(shares.max())}
    if not everywhere.any():
        return Outcome(evidence=evidence)
    classes = listed(sets.classes[everywhere])
    rows = rows_with(sets, everywhere, several)
    return Outcome(
        f"Classes {named(classes)} are in {share_text(rows.size, count, 'sets')} with several "
        "candidates.",
        rows,
        marked(subject.n, rows),
        evidence | {"classes": classes, "shares": shares[everywhere]},
    )


def never_candidate(subject: Subject) -> Verdict:
    """Classes that were named and occur in no set, or in sets of all classes only."""
    sets = subject.candidates
    unused = ~sets.mask[subject.informative].any(axis=0)
    if not unused.any() or not subject.informative.any():
        return Outcome()
    classes = listed(sets.classes[unused])
    return Outcome(
        f"Classes {named(classes)} are a candidate of no informative row.",
        evidence={"classes": classes},
    )


def odd_names(subject: Subject) -> Verdict:
    """Classes that look like a set, or like a missing value."""
    sets = subject.candidates
    names = listed(sets.classes)
    plain = bool((sets.sizes[subject.informative] == 1).all())
    joined = [text for text, _ in joined_labels(names, plain)]
    odd = {*written_sets(names), *joined, *missing_marks(names)}
    if not odd:
        return Outcome()
    members = np.array([isinstance(name, str) and name in odd for name in names])
    rows = rows_with(sets, members, subject.informative)
    found = [name for name in names if isinstance(name, str) and name in odd]
    return Outcome(
        f"{named(found)} are read as classes, though they look like sets or missing values.",
        rows,
        marked(subject.n, rows),
        {"classes": found},
    )


def positives_only(subject: Subject) -> Verdict:
    """Every informative set has the same single class."""
    sets, informative = subject.candidates, subject.informative
    if sets.n_classes == 1:
        rows = np.arange(subject.n)
        label = listed(sets.classes)[0]
        return Outcome(f"Every row has the class {label!r}.", rows, None, {"class": label})
    if not informative.any():
        return NotApplicable("no row is informative")
    known = sets.mask[informative]
    if not (sets.is_single[informative].all() and (known == known[0]).all()):
        return Outcome()
    label = listed(sets.classes)[int(known[0].argmax())]
    rows = flagged(informative)
    return Outcome(
        f"All {rows.size} rows with a label have {label!r}; the others may be anything.",
        rows,
        marked(subject.n, rows),
        {"class": label, "n_rows": rows.size},
    )


def copy_scores(subject: Subject, rows: IntArray, groups: IntArray) -> FloatArray:
    """The share of copies that no class of the set explains, where no class explains all."""
    mask = subject.candidates.mask[rows]
    counts = sums_by_group(mask, groups)
    sizes = np.bincount(groups)
    clash = counts.max(axis=1) < sizes
    best = np.where(mask, counts[groups], 0.0).max(axis=1)
    return np.where(clash[groups], 1.0 - best / sizes[groups], 0.0)


def neighbor_scores(subject: Subject, near: Neighborhoods) -> FloatArray:
    """How surely the informative neighbours exclude the set of a row, ``(q,)``.

    The smaller of two shares: of neighbours whose set has no class in common with that of the row,
    and of neighbours that have one class in common with each other. Neighbours that disagree
    exclude nothing.
    """
    mask, informative = subject.candidates.mask, subject.informative
    own = mask[near.rows]
    disjoint, count = np.zeros(near.rows.size), np.zeros(near.rows.size)
    votes = np.zeros(own.shape)
    for step in range(near.lists.shape[1]):
        others = near.lists[:, step]
        says = informative[others]
        count += says
        disjoint += says & ~(own & mask[others]).any(axis=1)
        votes += says[:, None] & mask[others]
    judged = informative[near.rows] & (count >= MIN_NEIGHBORS)
    shares = np.minimum(disjoint, votes.max(axis=1)) / np.maximum(count, 1.0)
    return np.where(judged, shares, np.nan)


_KIND = ("labels",)
LABEL_CHECKS = (
    *information_checks("labels"),
    *conflict_checks(
        "labels",
        "L",
        copy_scores,
        neighbor_scores,
        "Rows with equal features of which no class is in all sets.",
        "Of the informative rows among the 10 nearest, at least 80% have no class in common with "
        "the row, and at least 80% have one in common with each other.",
    ),
    Check(
        "L110",
        "classes-always-together",
        "Classes that no row separates",
        "issue",
        _KIND,
        "Two classes are in the same informative sets.",
        "No method can tell them apart: the choice between them is arbitrary in every row.",
        "Label a few rows of each exactly, or merge the classes.",
        always_together,
    ),
    Check(
        "L111",
        "classes-never-alone",
        "Classes that are never the only candidate",
        "issue",
        _KIND,
        "A class is a candidate only together with one other class, more often than by chance. A "
        "tip if it is never alone, but its companions change.",
        "The companion explains every set of the class too, so that the class may be recovered "
        "nowhere.",
        "Label some rows of the class exactly.",
        never_alone,
    ),
    Check(
        "L112",
        "class-in-every-set",
        "A class that comes with everything",
        "issue",
        _KIND,
        "A class is in 95% or more of the sets with several candidates, together with at least "
        "half of the other classes, and in less than half of the sets with one.",
        "Its presence says nothing, and it is the easiest explanation of everything.",
        "Remove it where it was added by default; if it stands for 'unknown', pass it as "
        "unlabeled=.",
        nearly_everywhere,
    ),
    Check(
        "L113",
        "class-never-candidate",
        "Classes that are a candidate of no informative row",
        "tip",
        _KIND,
        "A named class, or a column of a table, is in no informative set.",
        "It keeps probability zero.",
        "Leave it out of classes=, or check that its column was read.",
        never_candidate,
    ),
    spelling_check("labels"),
    Check(
        "L115",
        "odd-class-names",
        "Classes that look like a set or a missing value",
        "issue",
        _KIND,
        'Names such as "cat|dog", "[\'cat\', \'dog\']", "unknown" or "".',
        "They are learned as classes of their own.",
        "Use LabelSets.from_strings for sets in texts, and unlabeled= for markers.",
        odd_names,
    ),
    Check(
        "L116",
        "positives-only",
        "All labels are of one class",
        "issue",
        _KIND,
        "Every informative set is the same single class.",
        "Nothing says what the other rows are not: all of them will get this class.",
        "Label rows of the other classes, or bound their numbers by ClassCounts.",
        positives_only,
    ),
)
