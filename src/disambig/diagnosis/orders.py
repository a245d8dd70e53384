"""Checks of partial orders."""

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from disambig.candidates.labels.classes import listed
from disambig.diagnosis.conflicts import conflict_checks, sign_copies, sign_neighbors
from disambig.diagnosis.findings import Check, NotApplicable, Outcome, Verdict, named
from disambig.diagnosis.information import information_checks, parts_check, spelling_check
from disambig.diagnosis.neighborhoods import Neighborhoods
from disambig.diagnosis.subject import Subject
from disambig.notation import FloatArray, IntArray

# Pairs that the evidence lists.
_MAX_LISTED = 20


def never_compared(subject: Subject) -> Verdict:
    """Pairs of items that no row compares."""
    orders = subject.candidates
    if orders.n_items < 2:
        return NotApplicable("there is one item only")
    compared = orders.before.any(axis=0)
    compared = compared | compared.T
    first, second = np.triu_indices(orders.n_items, 1)
    missing = ~compared[first, second]
    n_pairs, n_missing = missing.size, int(np.count_nonzero(missing))
    if not n_missing:
        return Outcome(evidence={"n_pairs": n_pairs})
    names = listed(orders.items)
    n_parts, parts = connected_components(sp.csr_array(compared), directed=False)
    pairs = [
        (names[i], names[j])
        for i, j in zip(first[missing][:_MAX_LISTED], second[missing][:_MAX_LISTED], strict=True)
    ]
    apart = [names[i] for i in np.flatnonzero(parts != np.bincount(parts).argmax())]
    text = f"{n_missing} of {n_pairs} pairs are never compared, such as {pairs[0]!r}."
    if n_parts > 1:
        text += f" No chain of comparisons connects {named(apart)} with the other items."
    return Outcome(
        text,
        evidence={
            "n_pairs": n_pairs,
            "n_never_compared": n_missing,
            "pairs": pairs,
            "unconnected_items": apart,
        },
        is_mild=n_parts == 1,
    )


def copy_scores(subject: Subject, rows: IntArray, groups: IntArray) -> FloatArray:
    """The share of the pairs of a row that a copy has the other way."""
    return sign_copies(subject.candidates[rows].signs(), groups)


def neighbor_scores(subject: Subject, near: Neighborhoods) -> FloatArray:
    """The share of pairs in which neighbours differ from the row."""
    return sign_neighbors(subject.candidates.signs(), near)


ORDER_CHECKS = (
    *information_checks("orders"),
    *conflict_checks(
        "orders",
        "O",
        copy_scores,
        neighbor_scores,
        "Rows with equal features of which one has a before b and another b before a.",
        "At least 80% of the pairs that the row and one of its 10 nearest rows compare (ten at "
        "least) are in opposite order.",
    ),
    Check(
        "O110",
        "pairs-never-compared",
        "Pairs of items that no row compares",
        "issue",
        ("orders",),
        "No row orders the pair, not even by a chain of items. A tip if chains over several rows "
        "connect all items.",
        "The order of the pair follows from other pairs only; without a connection it is "
        "arbitrary.",
        "Collect comparisons of these pairs, or leave the items out.",
        never_compared,
    ),
    spelling_check("orders"),
    parts_check("orders"),
)
