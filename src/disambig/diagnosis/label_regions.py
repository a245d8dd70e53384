"""Checks of label sets by regions: where sets never narrow down, or nobody has a label."""

import warnings
from typing import Any

import numpy as np

from disambig.candidates.labels.classes import listed
from disambig.diagnosis.findings import (
    Check,
    NotApplicable,
    Outcome,
    Skipped,
    Verdict,
    flagged,
    share_text,
)
from disambig.diagnosis.information import LEAST_ROWS
from disambig.diagnosis.labels import co_occurrence
from disambig.diagnosis.neighborhoods import N_NEIGHBORS
from disambig.diagnosis.subject import Subject
from disambig.diagnostics import ambiguity
from disambig.estimators import PartialLabelClassifier
from disambig.estimators.held_out.set_likelihood import size_odds
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.trust import cross_examine

# Informative sets that a neighbourhood needs, the row itself included.
_MIN_SETS = 6
_CHANCE = 0.01
_LEAST_WRONG_SHARE = 0.05
# Regions are estimated for the evidence up to so many rows.
_MAX_REGION_ROWS = 20_000


def never_narrows(subject: Subject) -> Verdict:
    """Neighbourhoods in which all sets share two classes."""
    sets = subject.candidates
    if sets.n_classes < 3:
        return NotApplicable("with two classes every informative set has one")
    if subject.n <= N_NEIGHBORS:
        return NotApplicable(f"{N_NEIGHBORS} neighbours of a row are needed")
    if not (subject.informative & ~sets.is_single).any():
        return NotApplicable("every informative set has one candidate")
    near = subject.near
    common, count = _common_classes(subject)
    shared = (np.count_nonzero(common, axis=1) >= 2) & (count >= _MIN_SETS)
    # Without a region, both classes would be together in m sets with probability share^m.
    pairs, shares = _rarest_pairs(common[shared], _shares_together(subject))
    rare = shares ** count[shared] < _CHANCE
    rows = near.rows[flagged(shared)[rare]]
    scores = near.scattered(np.where(count >= _MIN_SETS, 0.0, np.nan))
    scores[rows] = 1.0
    if not rows.size:
        return Outcome(scores=scores, evidence={"n_judged": near.rows.size})
    found, counts = np.unique(pairs[rare], axis=0, return_counts=True)
    names = listed(sets.classes)
    by_pair = [
        {"classes": [names[a], names[b]], "n_rows": int(size)}
        for (a, b), size in zip(found, counts, strict=True)
    ]
    top = max(by_pair, key=lambda pair: pair["n_rows"])
    return Outcome(
        f"Around {share_text(rows.size, near.rows.size, 'judged rows')} every set has two classes "
        f"in common, mostly {top['classes'][0]!r} and {top['classes'][1]!r}.",
        rows,
        scores,
        {"n_rows": rows.size, "pairs": by_pair, "regions": _regions(subject)},
    )


def _common_classes(subject: Subject) -> tuple[BoolArray, IntArray]:
    """Classes in all informative sets around each searched row, ``(q, K)``, and these sets."""
    near, mask, informative = subject.near, subject.candidates.mask, subject.informative
    common = mask[near.rows].copy()
    count = informative[near.rows].astype(np.intp)
    for step in range(near.lists.shape[1]):
        others = near.lists[:, step]
        common &= mask[others]
        count += informative[others]
    return common, count


def _shares_together(subject: Subject) -> FloatArray:
    """Of the sets with a and those with b, the smaller share that has both, ``(K, K)``."""
    counts = co_occurrence(subject.candidates, subject.informative)
    sizes = np.maximum(1.0, np.maximum(np.diag(counts)[:, None], np.diag(counts)[None, :]))
    return np.asarray(counts / sizes)


def _rarest_pairs(common: BoolArray, shares: FloatArray) -> tuple[IntArray, FloatArray]:
    """Of the common classes of each row, the pair that is least often together, ``(r, 2)``."""
    patterns, inverse = np.unique(common, axis=0, return_inverse=True)
    pairs = np.zeros((len(patterns), 2), dtype=np.intp)
    least = np.ones(len(patterns))
    for place, pattern in enumerate(patterns):
        classes = np.flatnonzero(pattern)
        within = shares[np.ix_(classes, classes)] + np.eye(classes.size)
        a, b = divmod(int(within.argmin()), classes.size)
        pairs[place] = sorted((classes[a], classes[b]))
        least[place] = within[a, b]
    inverse = inverse.ravel()
    return pairs[inverse], least[inverse]


def _regions(subject: Subject) -> list[dict[str, Any]]:
    """Regions in which a second class is nearly always a candidate, by `ambiguity`."""
    if subject.fast or subject.n > _MAX_REGION_ROWS:
        return []
    found = ambiguity(subject.scaled, subject.candidates)
    return [
        {
            "region": str(pair.region),
            "label": pair.label,
            "other": pair.other,
            "share": pair.share,
            "n_rows": pair.n_rows,
        }
        for pair in found.pairs(least=0.95)
    ]


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
    scores = np.zeros(subject.n)
    scores[rows] = 1.0
    return Outcome(
        f"{share_text(rows.size, subject.n)} are in {evidence['n_parts_without']} parts of the "
        "neighbour graph that no label reaches.",
        rows,
        scores,
        evidence,
    )


def wrong_sets(subject: Subject) -> Verdict:
    """Sets that miss the truth, by rows that never saw them."""
    sets = subject.candidates
    if sets.n_classes < 2:
        return NotApplicable("there is one class only")
    least = LEAST_ROWS["labels"]
    if np.unique(subject.groups[subject.informative]).size < least:
        return NotApplicable(f"fewer than {least} different inputs are informative")
    with warnings.catch_warnings():
        # Classes that are never a candidate have a finding of their own.
        warnings.simplefilter("ignore")
        exam = cross_examine(PartialLabelClassifier("neighbors"), subject.scaled, sets)
    odds = size_odds(sets.mask, np.asarray(sets.mask.any(axis=0)))
    scores = np.array(exam.calibration.wrong_probability(1.0 - exam.suspicion, odds))
    evidence = {"wrong_share": exam.wrong_share, "temperature": exam.temperature}
    if exam.wrong_share <= _LEAST_WRONG_SHARE:
        return Outcome(scores=scores, evidence=evidence)
    rows = flagged(scores >= 0.5)
    return Outcome(
        f"About {exam.wrong_share:.0%} of the sets miss the truth, by the likelihood of hidden "
        f"sets; {rows.size} of them more probably than not.",
        rows,
        scores,
        evidence | {"n_rows": rows.size},
    )


_KIND = ("labels",)
REGION_CHECKS = (
    Check(
        "L120",
        "sets-never-narrow",
        "Regions in which sets never narrow down",
        "issue",
        _KIND,
        "All informative sets of a row and its 10 nearest neighbours (six at least) share two "
        "classes, which by their frequency happens with probability 1% or less. The evidence has "
        "regions of disambig.diagnostics.ambiguity.",
        "Inside such a region nothing decides between the two classes, however many rows come.",
        "Label some rows of the region exactly.",
        never_narrows,
    ),
    Check(
        "L121",
        "parts-without-label",
        "Parts of the neighbour graph without a label",
        "issue",
        _KIND,
        "A connected part of the graph of the 10 nearest neighbours has no informative row.",
        "No label reaches these rows: theirs come from elsewhere, or are arbitrary.",
        "Label one row of each part, or leave the part out.",
        without_label,
    ),
    Check(
        "L130",
        "wrong-sets",
        "Sets that miss the truth",
        "issue",
        _KIND,
        "The share of wrong sets that disambig.trust.cross_examine estimates, with the nearest "
        "neighbours, is above 5%. The score is the probability that the set is wrong.",
        "Every target is chosen inside its set, so that a wrong set makes a wrong label.",
        "Look at the rows with the highest scores; correct their sets or widen them.",
        wrong_sets,
        is_slow=True,
    ),
)
