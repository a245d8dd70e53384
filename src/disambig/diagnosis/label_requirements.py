"""What the theorem on exponential rates asks for, at the ambiguity of the sets.

Its numbers suffice, and far smaller ones often do: so a finding by them is a tip.
"""

from typing import Any

import numpy as np

from disambig.candidates.labels.classes import listed
from disambig.diagnosis.findings import (
    NotApplicable,
    Outcome,
    Verdict,
    flagged,
    share_text,
)
from disambig.diagnosis.subject import Subject
from disambig.notation import BoolArray, FloatArray
from disambig.theory import Ambiguity, Requirement, ambiguity
from disambig.theory.verdicts import Status
from disambig.weights import NeighborWeights

# The excess risk that the theorem is asked to promise.
_ERROR = 0.05
# `ambiguity` needs two halves of two rows.
_LEAST_ROWS = 4
# Of the recovery of regions from one half of the rows.
_N_NEIGHBORS = 10
_CAN_BE_SEPARATED = (Status.CLEAR, Status.SLOW)


def needed(subject: Subject) -> tuple[str, dict[str, Any]]:
    """What would suffice for these sets of labels, as a sentence and as evidence.

    Empty of a fast diagnosis, and where no region has one label that can be counted.
    """
    sets = subject.candidates
    is_countable = sets.n_classes > 1 and subject.n >= _LEAST_ROWS and subject.informative.any()
    if subject.fast or not is_countable:
        return "", {}
    found = _ambiguity(subject)
    # The theorem says nothing about regions of several labels.
    if not found.is_judged.any() or Status.MIXED in found.statuses(_ERROR):
        return "", {}
    worst = int(np.where(found.is_judged, found.eta.estimate, -1.0).argmax())
    eta, interval = float(found.eta.estimate[worst]), _interval(found, worst)
    required = found.requirement(_ERROR, eta=eta)
    evidence = {"eta": eta, "eta_interval": interval, **_numbers(required)}
    if required.n_rows is None:
        return (
            "Near some class, another one is in all sets that were counted: by the theorem on "
            "exponential rates no number of rows is known to suffice.",
            evidence,
        )
    return (
        f"Near some class, another one is in about {eta:.0%} of the sets (from {interval[0]:.0%} "
        f"to {interval[1]:.0%}): {_several(required.n_neighbors, 'neighbour')} and "
        f"{required.n_rows:,} rows suffice for an error of {_ERROR:.0%} by the theorem on "
        "exponential rates; far fewer often do.",
        evidence,
    )


def more_rows_asked(subject: Subject, least: int) -> Verdict:
    """Regions of one class with fewer rows than the theorem asks for."""
    sets = subject.candidates
    if sets.n_classes < 2:
        return NotApplicable("there is one class only")
    if np.count_nonzero(subject.informative) < least:
        return NotApplicable(f"fewer than {least} rows exclude something")
    found = _ambiguity(subject)
    statuses, neighbors = found.statuses(_ERROR), found.neighbors(_ERROR)
    sizes = found.n_chosen + found.n_counted
    asked = np.array([np.inf if k is None else float(k) for k in neighbors])
    is_slow = np.array([status is Status.SLOW for status in statuses])
    evidence = {"n_regions": len(statuses), "n_slow": int(np.count_nonzero(is_slow))}
    judged = np.array([status in _CAN_BE_SEPARATED for status in statuses])
    missing = np.where(judged, np.maximum(0.0, 1.0 - sizes / asked), np.nan)
    scores = missing[found.codes]
    if not is_slow.any():
        return Outcome(scores=scores, evidence=evidence)
    rows = flagged(is_slow[found.codes])
    regions = _regions(found, is_slow, neighbors, missing)
    eta = float(found.eta.estimate[is_slow].max())
    return Outcome(
        f"{share_text(evidence['n_slow'], len(statuses), 'regions of one class')} have fewer rows "
        f"than the theorem asks for. {_worst(regions[0])}",
        rows,
        scores,
        evidence
        | {"n_rows": rows.size, "regions": regions}
        | _numbers(found.requirement(_ERROR, eta=eta)),
    )


def _worst(region: dict[str, Any]) -> str:
    """The region that misses most, in words."""
    k = region["theorem_neighbors"]
    place = f"The one of {region['class']!r} has {_several(region['n_rows'], 'row')}, and "
    if k is None:
        return (
            f"{place}all of its sets that were counted have {region['other']!r} too: how many rows "
            "suffice is not known."
        )
    return (
        f"{place}{region['other']!r} is in {region['eta']:.0%} of their sets, for which {k:,} rows "
        "suffice; far fewer often do."
    )


def _ambiguity(subject: Subject) -> Ambiguity:
    """By regions of one class, recovered with fewer neighbours than half of the class has."""
    sets = subject.candidates
    n_neighbors = max(1, min(_N_NEIGHBORS, subject.n // (4 * sets.n_classes)))
    return ambiguity(subject.scaled, sets, weights=NeighborWeights(n_neighbors))


def _numbers(required: Requirement) -> dict[str, int | None]:
    return {"theorem_neighbors": required.n_neighbors, "theorem_rows": required.n_rows}


def _regions(
    found: Ambiguity, is_slow: BoolArray, neighbors: list[int | None], missing: FloatArray
) -> list[dict[str, Any]]:
    """What was counted in some regions, and what they need; those that miss most come first."""
    names, sizes = listed(found.classes), found.n_chosen + found.n_counted
    order = sorted(flagged(is_slow).tolist(), key=lambda r: (-missing[r], r))
    return [
        {
            "class": names[found.labels[r]],
            "other": names[found.runner_ups[r]],
            "n_rows": int(sizes[r]),
            "eta": float(found.eta.estimate[r]),
            "eta_interval": _interval(found, r),
            "theorem_neighbors": neighbors[r],
        }
        for r in order
    ]


def _interval(found: Ambiguity, region: int) -> list[float]:
    return [float(found.eta.low[region]), float(found.eta.high[region])]


def _several(count: int | None, thing: str) -> str:
    return f"{count:,} {thing}" + ("" if count == 1 else "s")
