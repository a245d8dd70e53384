"""Checks of label sets by regions: where sets never narrow down, or miss the truth."""

import warnings
from functools import partial
from typing import Any

import numpy as np

from disambig.candidates.labels.classes import listed
from disambig.diagnosis.findings import (
    Check,
    NotApplicable,
    Outcome,
    Verdict,
    flagged,
    share_text,
)
from disambig.diagnosis.information import LEAST_ROWS, parts_check
from disambig.diagnosis.label_requirements import more_rows_asked
from disambig.diagnosis.labels import co_occurrence
from disambig.diagnosis.neighborhoods import N_NEIGHBORS, N_REGION
from disambig.diagnosis.subject import Subject
from disambig.estimators import PartialLabelClassifier
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.theory import local_ambiguity, theorem_requirement
from disambig.theory.shares import Shares
from disambig.trust import cross_examine
from disambig.weights import NeighborWeights

# Informative sets that a neighbourhood needs, the row itself included.
_MIN_SETS = 6
_CHANCE = 0.01
# Up to this share of rows is a tip.
_MILD_SHARE = 0.01
_LEAST_WRONG_SHARE = 0.05
# Neighbours are certain if this share of them has the class; so many such rows are evidence.
_CERTAIN, _MIN_CERTAIN = 0.9, 20


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
    # Without a region, both classes would be together in m sets with probability share^m, around
    # each of the judged rows.
    pairs, shares = _rarest_pairs(common[shared], _shares_together(subject))
    rare = shares ** count[shared] < _CHANCE / near.rows.size
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
    one, other = (names[k] for k in found[counts.argmax()])
    return Outcome(
        f"Around {share_text(rows.size, near.rows.size, 'judged rows')} every set has two classes "
        f"in common, mostly {one!r} and {other!r}.",
        rows,
        scores,
        {"n_rows": rows.size, "pairs": by_pair, **_local_eta(subject, rows)},
        is_mild=rows.size <= _MILD_SHARE * near.rows.size,
    )


def _common_classes(subject: Subject) -> tuple[BoolArray, IntArray]:
    """Classes in all informative sets around each searched row, ``(q, K)``, and these sets."""
    near, mask, informative = subject.near, subject.candidates.mask, subject.informative
    common = mask[near.rows].copy()
    count = informative[near.rows].astype(np.intp)
    for step in range(near.wide.shape[1]):
        others = near.wide[:, step]
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


def _local_eta(subject: Subject, rows: IntArray) -> dict[str, Any]:
    """How often a second class is a candidate around some rows and around all, if not `fast`.

    And the neighbours that the theorem asks for at either; None: no number suffices.
    """
    if subject.fast:
        return {}
    found = local_ambiguity(
        subject.scaled, subject.candidates, n_neighbors=min(N_REGION, subject.n)
    )
    etas = {"eta": float(found.eta.estimate[rows].mean()), "eta_of_all": found.mean_eta}
    n_classes = subject.candidates.n_classes
    asked = {
        name.replace("eta", "theorem_neighbors"): theorem_requirement(
            eta, n_classes=n_classes, mass=1.0
        ).n_neighbors
        for name, eta in etas.items()
    }
    return etas | asked


def wrong_sets(subject: Subject) -> Verdict:
    """Sets that miss the truth, by rows that never saw them.

    The `wrong_share` of an examination is 0 where wrong sets gather among the rows that the others
    are least sure of. So the sets are counted too that exclude the predicted class where nearly all
    neighbours have it. Classes that overlap are seldom so certain.
    """
    sets = subject.candidates
    if sets.n_classes < 2:
        return NotApplicable("there is one class only")
    least = LEAST_ROWS["labels"]
    if np.unique(subject.groups[subject.informative]).size < least:
        return NotApplicable(f"fewer than {least} different inputs are informative")
    with warnings.catch_warnings():
        # Classes that are never a candidate have a finding of their own.
        warnings.simplefilter("ignore")
        weights = NeighborWeights(min(N_REGION, subject.n - 1))
        exam = cross_examine(PartialLabelClassifier(weights), subject.scaled, sets)
    best = exam.distributions.argmax(axis=1)
    missed = ~sets.mask[np.arange(subject.n), best]
    certain = _is_certain(subject, best)
    counts = np.count_nonzero(missed & certain), np.count_nonzero(certain)
    enough = counts[1] >= _MIN_CERTAIN
    share = Shares(np.array([counts[0]]), np.array([max(1, counts[1])]), 0.95)
    evidence = {
        "wrong_share": exam.wrong_share,
        "n_certain": int(counts[1]),
        "missed_share_of_certain": float(share.estimate[0]),
        "missed_share_at_least": float(share.low[0]) if enough else 0.0,
        "missed_share_of_all": float(missed[subject.informative].mean()),
    }
    scores = np.array(exam.suspicion)
    if max(exam.wrong_share, evidence["missed_share_at_least"]) <= _LEAST_WRONG_SHARE:
        return Outcome(scores=scores, evidence=evidence)
    rows = flagged(missed & (scores > 0.5))
    message = (
        f"{share_text(*counts, 'sets')} exclude the class that the others predict, where nearly "
        f"all neighbours have it (of all sets {evidence['missed_share_of_all']:.0%})."
    )
    if evidence["missed_share_at_least"] <= _LEAST_WRONG_SHARE:
        message = (
            f"An estimated {exam.wrong_share:.0%} of the sets miss the truth: so many exclude what "
            "the others predict, even where these are surest."
        )
    return Outcome(
        message,
        rows,
        scores,
        evidence | {"n_rows": rows.size},
    )


def _is_certain(subject: Subject, best: IntArray) -> BoolArray:
    """Informative rows of whose informative neighbours nearly all have the class ``best[i]``."""
    near, mask, informative = subject.near, subject.candidates.mask, subject.informative
    says = informative[near.wide]
    count = np.count_nonzero(says, axis=1)
    support = np.count_nonzero(mask[near.wide, best[near.rows, None]] & says, axis=1)
    certain = np.zeros(subject.n, dtype=np.bool_)
    certain[near.rows] = (count >= N_NEIGHBORS) & (support >= _CERTAIN * count)
    return certain & informative


_KIND = ("labels",)
REGION_CHECKS = (
    Check(
        "L120",
        "sets-never-narrow",
        "Regions in which sets never narrow down",
        "issue",
        _KIND,
        "All informative sets of a row and its 20 nearest neighbours (six at least) share two "
        "classes, which by their frequency happens anywhere with a probability of 1% or less. The "
        "evidence has eta of disambig.theory.local_ambiguity, and the neighbours that suffice for "
        "it by disambig.theory.theorem_requirement. A tip if it is 1% of the rows or less.",
        "Inside such a region nothing decides between the two classes, however many rows come.",
        "Label some rows of the region exactly.",
        never_narrows,
    ),
    parts_check("labels"),
    Check(
        "L122",
        "more-rows-asked",
        "Regions with fewer rows than the theory asks for",
        "tip",
        _KIND,
        "disambig.theory.ambiguity estimates, where one class is recovered, the share eta of sets "
        "that have another one, too (rows that say nothing have all). At eta, the theorem on "
        "exponential rates asks for more neighbours than the region has rows (an error of 5%). "
        "Regions of which more than 10% of the sets lack the class are not judged; those with "
        "another class in every set are left to L110, L111 and L120. The score is the share of "
        "rows that is missing.",
        "What suffices by the theorem is not there, so that nothing promises that the class is "
        "separated from the other one. Far fewer rows often do: this says where to look first.",
        "Label some rows of the region exactly, narrow its sets, or collect more such rows.",
        partial(more_rows_asked, least=LEAST_ROWS["labels"]),
        is_slow=True,
    ),
    Check(
        "L130",
        "wrong-sets",
        "Sets that exclude what the others predict with certainty",
        "issue",
        _KIND,
        "Sets are hidden, and predicted by disambig.trust.cross_examine with the 20 nearest "
        "neighbours. Where 90% of these have the predicted class in their sets, surely more than "
        "5% of the sets exclude it (of 20 rows at least); or `wrong_share` is above 5%. The score "
        "is the suspicion.",
        "Every target is chosen inside its set, so that a wrong set makes a wrong label.",
        "Look at the rows with the highest scores; correct their sets, widen them, or fit with "
        'tolerance="auto". If most are right, the features say little about the class.',
        wrong_sets,
        is_slow=True,
    ),
)
