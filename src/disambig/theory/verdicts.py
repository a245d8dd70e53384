"""The status of a region, and the summary of all regions in words."""

from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple

from disambig.theory.requirements import Requirement, theorem_requirement

# Share of sets without the label of their region that is explained by rows near its border. With
# more, the region has several labels.
_MAX_MISSED_SHARE = 0.1


class Status(Enum):
    """Whether the label of a region can be recovered.

    ``CLEAR``: its rows are enough to separate the label from the other classes. ``SLOW``: more are
    needed. ``INSEPARABLE``: another class is in every set. ``MIXED``: many sets do not contain the
    label, so that the region has several labels, or sets do not contain the truth. ``UNKNOWN``: too
    few rows.
    """

    CLEAR = "clear"
    SLOW = "slow"
    INSEPARABLE = "inseparable"
    MIXED = "mixed"
    UNKNOWN = "unknown"


class RegionFacts(NamedTuple):
    """The counts of a region; `n_counted` is 0 if one of its halves has no rows.

    `always` are the classes other than the label that are in every set of both halves: a single set
    without a class proves that it can be absent. `always_low` is the lower end of the interval of a
    class that is in every counted set.
    """

    region: Any
    label: Any
    runner_up: Any
    always: tuple[Any, ...]
    always_low: float
    n_rows: int
    n_counted: int
    n_classes: int
    covered: float
    eta: float
    low: float
    high: float

    def neighbors(self, error: float) -> int | None:
        """Neighbours that separate the label from other classes, by the theorem at this eta."""
        if self.n_counted == 0:
            return None
        found = theorem_requirement(self.eta, n_classes=self.n_classes, mass=1.0, error=error)
        return found.n_neighbors


def status_of(facts: RegionFacts, error: float) -> Status:
    """The status of a region."""
    if facts.n_counted == 0:
        return Status.UNKNOWN
    if facts.covered < 1.0 - _MAX_MISSED_SHARE:
        return Status.MIXED
    if facts.always:
        return Status.INSEPARABLE
    needed = facts.neighbors(error)
    return Status.CLEAR if needed is not None and needed <= facts.n_rows else Status.SLOW


def in_words(
    facts: Sequence[RegionFacts], required: Requirement, confidence: float, of_labels: bool
) -> str:
    """A line for each region, the most ambiguous first, and a conclusion."""
    counted = sum(region.n_counted for region in facts)
    rows = sum(region.n_rows for region in facts)
    what = "rows taken for the same class" if of_labels else "the regions that were given"
    order = sorted(facts, key=lambda region: (region.n_counted == 0, -region.eta))
    lines = [
        f"Ambiguity of {_several(rows, 'row')} in {_several(len(facts), 'region')}: {what}.",
        "Runner-ups were selected on one half of the rows and counted on the other "
        f"({_several(counted, 'row')}); brackets are intervals of {100 * confidence:g} % "
        "confidence.",
        "",
        *(f"- {_line(region, required.error, of_labels)}" for region in order),
        "",
        _conclusion(facts, required),
    ]
    return "\n".join(lines)


def _line(facts: RegionFacts, error: float, of_labels: bool) -> str:
    place = f"Near {facts.label!r}" if of_labels else f"Region {facts.region!r}"
    place += f" ({_several(facts.n_rows, 'row')})"
    status = status_of(facts, error)
    if status is Status.UNKNOWN:
        return f"{place}: too few rows to say anything."
    head = f"{place}: " + ("" if of_labels else f"the label {facts.label!r}; ")
    share = f"{_percent(facts.eta)} [{_number(facts.low)}, {_number(facts.high)}] of the sets"
    runner_up = f"{facts.runner_up!r}"
    if status is Status.MIXED:
        return (
            f"{head}only {_percent(facts.covered)} of the sets hold {facts.label!r} ({runner_up}: "
            f"{share}). The region has several labels, or sets do not contain the truth."
        )
    if status is Status.INSEPARABLE:
        others = _names(facts.always)
        return (
            f"{head}{others} comes along in 100 % [{_number(facts.always_low)}, 100] of the sets. "
            f"Nothing here tells {facts.label!r} from {others}, and more rows like these need not "
            "either: narrow some of the sets."
        )
    needed = facts.neighbors(error)
    if needed is None:
        more = "One set does not contain it, so that more rows will help; how many is not known."
    elif status is Status.CLEAR:
        more = f"Some {needed} rows tell the two apart: there are enough."
    else:
        more = f"It takes some {needed} such rows to tell the two apart."
    missed = "" if facts.covered == 1.0 else f" ({_percent(facts.covered)} hold {facts.label!r}.)"
    return f"{head}{runner_up} comes along most often, in {share}. {more}{missed}"


def _conclusion(facts: Sequence[RegionFacts], required: Requirement) -> str:
    found = [status_of(region, required.error) for region in facts]
    inseparable = [r.label for r, s in zip(facts, found, strict=True) if s is Status.INSEPARABLE]
    target = f"an error of {_percent(required.error)}"
    if inseparable:
        return (
            f"Verdict: ambiguous near {_names(inseparable)}; there no number of rows is known to "
            f"reach {target}."
        )
    if Status.MIXED in found:
        return (
            "Verdict: some regions have several labels, so that the theorem does not apply to "
            "them. It may apply to smaller regions, if inputs determine labels at all."
        )
    if required.n_neighbors is None:
        return "Verdict: a class was in every counted set of some region; eta < 1 is not certified."
    rows = "more than 1e15" if required.n_rows is None else f"{required.n_rows:,}"
    return (
        f"Verdict: no class is in more than {_percent(required.eta)} of the sets of another. For "
        f"{target} the theorem requires {required.n_neighbors:,} neighbours and {rows} rows; far "
        "fewer often suffice."
    )


def _names(labels: Sequence[Any]) -> str:
    shown = ", ".join(repr(label) for label in labels[:5])
    return shown + (f" and {len(labels) - 5} more" if len(labels) > 5 else "")


def _several(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def _percent(share: float) -> str:
    return f"{_number(share)} %"


def _number(share: float) -> str:
    """In per cent; only 0 and 1 themselves become 0 and 100."""
    if share in (0.0, 1.0):
        return f"{100 * share:.0f}"
    texts = (f"{100 * share:.{digits}f}" for digits in range(16))
    return next((text for text in texts if float(text) not in (0.0, 100.0)), f"{100 * share!r}")
