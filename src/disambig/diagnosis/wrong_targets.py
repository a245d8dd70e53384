"""Wrong intervals, orders and tags, by rows that never saw them.

Labels have a check of their own in `label_regions`: sets of labels can be counted, too.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from disambig.diagnosis.findings import (
    Check,
    NotApplicable,
    Outcome,
    Verdict,
    flagged,
    share_text,
)
from disambig.diagnosis.information import LEAST_ROWS
from disambig.diagnosis.neighborhoods import N_REGION
from disambig.diagnosis.subject import Subject
from disambig.estimators import IntervalRegressor, PartialMultilabelClassifier, PartialRanker
from disambig.trust import cross_examine
from disambig.weights import NeighborWeights

_LEAST_WRONG_SHARE = 0.05
_ESTIMATORS: dict[str, Callable[[NeighborWeights], Any]] = {
    "numbers": IntervalRegressor,
    "orders": PartialRanker,
    "bits": PartialMultilabelClassifier,
}


def wrong_targets(subject: Subject) -> Verdict:
    """Rows whose interval, order or tags the others contradict, if these are many."""
    least = max(LEAST_ROWS[subject.kind], N_REGION + 1)
    if np.unique(subject.groups[subject.informative]).size < least:
        return NotApplicable(f"fewer than {least} different inputs are informative")
    if subject.kind == "bits" and _is_one_sided(subject.candidates.bits):
        return NotApplicable("known tags are all on, or all off, so that none contradicts another")
    with warnings.catch_warnings():
        # What a fit would warn of has findings of its own.
        warnings.simplefilter("ignore")
        estimator = _ESTIMATORS[subject.kind](NeighborWeights(N_REGION))
        exam = cross_examine(estimator, subject.scaled, subject.candidates)
    scores, posterior = np.array(exam.suspicion), exam.wrong_set_probability
    evidence = {"wrong_share": exam.wrong_share}
    if exam.wrong_share <= _LEAST_WRONG_SHARE:
        return Outcome(scores=scores, evidence=evidence)
    rows = flagged(posterior > 0.5)
    return Outcome(
        f"{share_text(rows.size, subject.n)} are probably wrong: the other rows contradict them.",
        rows,
        scores,
        evidence | {"n_rows": rows.size},
    )


def _is_one_sided(bits: Any) -> bool:
    """Whether all known bits are on, or all are off."""
    return not ((bits == 1).any() and (bits == 0).any())


def _check(letter: str, kind: str, share: str, alike: str) -> Check:
    return Check(
        f"{letter}130",
        "wrong-sets",
        "Targets that the other rows contradict",
        # Not an issue: real data without wrong sets have it, too, for the reason that is named.
        "tip",
        (kind,),
        "Sets are hidden, and predicted by disambig.trust.cross_examine with the 20 nearest "
        f"neighbours. Its `wrong_share`, {share}, is above 5%. The rows are those that are wrong "
        "with a probability above .5; the score is the suspicion.",
        "Every target is chosen inside its set, so that a wrong set makes a wrong target.",
        "Look at the rows with the highest scores; correct their sets, or fit with "
        f'tolerance="auto". If most are right, {alike}.',
        wrong_targets,
        is_slow=True,
    )


WRONG_TARGET_CHECKS = (
    _check(
        "N",
        "numbers",
        "the share of intervals that miss their number",
        "numbers vary much more at some inputs than at others",
    ),
    _check(
        "O",
        "orders",
        "the share of observed pairs that are wrong",
        "the features say little about some pairs",
    ),
    _check(
        "B",
        "bits",
        "the share of known tags that are wrong",
        "the features say little about some tags",
    ),
)
