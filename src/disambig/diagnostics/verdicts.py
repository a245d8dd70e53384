"""What the ambiguity of a region means, in words for people who know their data."""

from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple

from disambig.diagnostics.requirements import Requirement, theorem_requirement

# Sets that lack the label of their region: up to here a matter of borders, beyond one of labels.
_MOST_MISSED = 0.1


class Status(Enum):
    """What can be expected of a region.

    ``CLEAR``: its rows are enough to tell the label from its rivals. ``SLOW``: more are needed.
    ``INSEPARABLE``: another class is in every set. ``MIXED``: many sets lack the label, so that
    labels are mixed here, or sets miss the truth. ``UNKNOWN``: too few rows to say.
    """

    CLEAR = "clear"
    SLOW = "slow"
    INSEPARABLE = "inseparable"
    MIXED = "mixed"
    UNKNOWN = "unknown"


class RegionFacts(NamedTuple):
    """What was counted in a region; `n_counted` is 0 where nothing could be.

    `always` are the classes beside the label that are in every set, of both halves: a single set
    without a class proves that it is not always there. `always_low` is the lower end of the
    interval of a class that was in every set counted.
    """

    region: Any
    label: Any
    rival: Any
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
        """Neighbours that tell the label from its rivals, by the theorem, at the estimated eta."""
        found = theorem_requirement(self.eta, n_classes=self.n_classes, mass=1.0, error=error)
        return found.n_neighbors


def status_of(facts: RegionFacts, error: float) -> Status:
    """One word for a region."""
    if facts.n_counted == 0:
        return Status.UNKNOWN
    if facts.covered < 1.0 - _MOST_MISSED:
        return Status.MIXED
    if facts.always:
        return Status.INSEPARABLE
    needed = facts.neighbors(error)
    return Status.CLEAR if needed is not None and needed <= facts.n_rows else Status.SLOW


def in_words(
    facts: Sequence[RegionFacts], required: Requirement, confidence: float, of_labels: bool
) -> str:
    """A line for each region, the most ambiguous first, and what follows from all."""
    counted = sum(region.n_counted for region in facts)
    rows = sum(region.n_rows for region in facts)
    what = "rows taken for the same class" if of_labels else "the regions that were given"
    order = sorted(facts, key=lambda region: (region.n_counted == 0, -region.eta))
    lines = [
        f"Ambiguity of {_several(rows, 'row')} in {_several(len(facts), 'region')}: {what}.",
        "Rivals were chosen on one half of the rows and counted on the other "
        f"({_several(counted, 'row')}); brackets hold the truth with {100 * confidence:g} % "
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
    rival = f"{facts.rival!r}"
    if status is Status.MIXED:
        return (
            f"{head}only {_percent(facts.covered)} of the sets hold {facts.label!r} ({rival}: "
            f"{share}). Labels are mixed here, or sets miss the truth: no class fits them all."
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
        more = "Some other set lacks it, so that more rows will help; how many cannot be said."
    elif status is Status.CLEAR:
        more = f"Some {needed} rows tell the two apart: there are enough."
    else:
        more = f"It takes some {needed} rows of the kind to tell the two apart."
    missed = "" if facts.covered == 1.0 else f" ({_percent(facts.covered)} hold {facts.label!r}.)"
    return f"{head}{rival} comes along most often, in {share}. {more}{missed}"


def _conclusion(facts: Sequence[RegionFacts], required: Requirement) -> str:
    found = [status_of(region, required.error) for region in facts]
    hopeless = [r.label for r, s in zip(facts, found, strict=True) if s is Status.INSEPARABLE]
    target = f"an error of {_percent(required.error)}"
    if hopeless:
        return (
            f"Verdict: ambiguous near {_names(hopeless)}; there no number of rows is known to "
            f"reach {target}."
        )
    if Status.MIXED in found:
        return (
            "Verdict: some regions hold several labels, so the theorem does not speak about "
            "them. Smaller regions may, if labels follow from inputs at all."
        )
    if required.n_neighbors is None:
        return "Verdict: a class was in every set of some region, so that none is certified."
    rows = "more rows than there will be" if required.n_rows is None else f"{required.n_rows:,}"
    return (
        f"Verdict: no class is in more than {_percent(required.eta)} of the sets of another. For "
        f"{target} the theorem asks for {required.n_neighbors:,} neighbours and {rows} rows; it "
        "promises that much, and far fewer often do."
    )


def _names(labels: Sequence[Any]) -> str:
    shown = ", ".join(repr(label) for label in labels[:5])
    return shown + (f" and {len(labels) - 5} more" if len(labels) > 5 else "")


def _several(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def _percent(share: float) -> str:
    return f"{_number(share)} %"


def _number(share: float) -> str:
    """In per cent; never rounded to certainty."""
    if share in (0.0, 1.0):
        return f"{100 * share:.0f}"
    texts = (f"{100 * share:.{digits}f}" for digits in range(16))
    return next((text for text in texts if float(text) not in (0.0, 100.0)), f"{100 * share!r}")
