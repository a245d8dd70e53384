"""Checks of every kind: copies of an input, and neighbours, whose targets contradict each other.

A kind supplies two functions: how far a row contradicts its copies, and how far its neighbours.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import scipy.sparse as sp

from disambig.diagnosis.findings import (
    Check,
    NotApplicable,
    Outcome,
    Verdict,
    flagged,
    share_text,
)
from disambig.diagnosis.neighborhoods import N_NEIGHBORS, Neighborhoods, copies
from disambig.diagnosis.subject import Subject
from disambig.notation import AnyArray, FloatArray, IntArray

# A row contradicts its neighbours if at least this share of what they say excludes it.
LEAST_SHARE = 0.8
# Up to this share of such rows is a tip: classes overlap a little.
_MILD_SHARE = 0.05
# A row is judged by at least so many neighbours.
MIN_NEIGHBORS = 3
# Signs that a row and its neighbours both know.
_MIN_SIGNS = 10
# Inputs that so many rows share on average are coarse, and their targets differ by nature.
_COARSE_COPIES = 5.0

CopyScores = Callable[[Subject, IntArray, IntArray], FloatArray]
NeighborScores = Callable[[Subject, Neighborhoods], FloatArray]


def conflict_checks(
    kind: str,
    letter: str,
    of_copies: CopyScores,
    of_neighbors: NeighborScores,
    copy: str,
    near: str,
) -> tuple[Check, ...]:
    """The checks 103 and 104 of a kind; `copy` and `near` say how they are detected."""
    return (
        Check(
            f"{letter}103",
            "copies-contradict",
            "Equal inputs with targets that exclude each other",
            "issue",
            (kind,),
            f"{copy} A tip if inputs are coarse: five rows or more share one on average.",
            "One input has one distribution of targets. If no target fits all copies, a set is "
            "wrong, or the features do not distinguish the rows.",
            "Correct the sets, add a feature that separates the rows, or merge the copies.",
            partial(contradictory_copies, of_copies=of_copies),
        ),
        Check(
            f"{letter}104",
            "neighbors-contradict",
            "Rows that their nearest neighbours exclude",
            "issue",
            (kind,),
            f"{near} Features have unit variance. A tip if it is 5% of the rows or less.",
            "Disambiguation trusts neighbours: such a row gets the target of its set that they "
            "like least badly, and it misleads them.",
            "Look at these rows first: a wrong set, a wrong feature, or classes that overlap. If "
            "there are many, the features may say little about the target.",
            partial(contradictory_neighbors, of_neighbors=of_neighbors),
        ),
    )


def contradictory_copies(subject: Subject, of_copies: CopyScores) -> Verdict:
    """Rows that contradict a row with the same input."""
    groups = subject.groups
    rows = flagged(copies(groups) & subject.informative)
    if not rows.size:
        return NotApplicable("no two informative rows have the same input")
    found = of_copies(subject, rows, np.unique(groups[rows], return_inverse=True)[1].ravel())
    scores = np.zeros(subject.n)
    scores[rows] = found
    bad = flagged(scores > 0)
    if not bad.size:
        return Outcome(scores=scores, evidence={"n_copies": rows.size})
    n_inputs = np.unique(groups[bad]).size
    return Outcome(
        f"{share_text(bad.size, subject.n)} contradict another row with the same input "
        f"({n_inputs} such inputs).",
        bad,
        scores,
        {"n_rows": bad.size, "n_inputs": n_inputs, "n_copies": rows.size},
        is_mild=bool(subject.n / np.unique(groups).size >= _COARSE_COPIES),
    )


def contradictory_neighbors(subject: Subject, of_neighbors: NeighborScores) -> Verdict:
    """Rows whose neighbours exclude their set."""
    if subject.n <= N_NEIGHBORS:
        return NotApplicable(f"{N_NEIGHBORS} neighbours of a row are needed")
    near = subject.near
    found = of_neighbors(subject, near)
    judged = int(np.count_nonzero(~np.isnan(found)))
    if not judged:
        return NotApplicable("no informative row has enough informative neighbours")
    scores = near.scattered(found)
    with np.errstate(invalid="ignore"):
        bad = flagged(scores >= LEAST_SHARE)
    evidence = {"n_judged": judged, "n_neighbors": near.lists.shape[1], "n_rows": bad.size}
    if not bad.size:
        return Outcome(scores=scores, evidence=evidence)
    return Outcome(
        f"{share_text(bad.size, judged, 'judged rows')} are excluded by their neighbours.",
        bad,
        scores,
        evidence,
        is_mild=bad.size <= _MILD_SHARE * judged,
    )


def sums_by_group(table: AnyArray, groups: IntArray) -> FloatArray:
    """Sums of the rows of a table ``(n, t)`` in each group ``(n,)``."""
    n = groups.size
    ones = sp.csr_array((np.ones(n), (groups, np.arange(n))), shape=(int(groups.max()) + 1, n))
    sums: FloatArray = ones @ table.astype(np.float64)
    return sums


def sign_copies(signs: AnyArray, groups: IntArray) -> FloatArray:
    """The share of the known signs ``(n, t)`` of a row that a copy has the other way, ``(n,)``.

    Examples
    --------
    >>> import numpy as np
    >>> signs = np.array([[1, 1], [-1, 0], [0, 1]])
    >>> sign_copies(signs, np.array([0, 0, 0])).tolist()
    [0.5, 1.0, 0.0]
    """
    contested = (sums_by_group(signs > 0, groups) > 0) & (sums_by_group(signs < 0, groups) > 0)
    known = signs != 0
    opposed = np.count_nonzero(known & contested[groups], axis=1)
    return np.asarray(opposed / np.maximum(1, np.count_nonzero(known, axis=1)))


def sign_neighbors(signs: AnyArray, near: Neighborhoods) -> FloatArray:
    """The share of the signs known to a row and a neighbour that differ, ``(q,)``.

    NaN where neighbours share fewer than ten signs.
    """
    own = signs[near.rows]
    opposed = np.zeros(near.rows.size)
    common = np.zeros(near.rows.size)
    for step in range(near.lists.shape[1]):
        products = own * signs[near.lists[:, step]]
        opposed += np.count_nonzero(products < 0, axis=1)
        common += np.count_nonzero(products, axis=1)
    judged = common >= _MIN_SIGNS
    return np.where(judged, opposed / np.maximum(common, 1.0), np.nan)
