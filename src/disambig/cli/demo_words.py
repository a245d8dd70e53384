"""What the pieces of the demonstration are called, on screen and in the figure."""

from disambig.experiments import Demo, Outcome, standings
from disambig.experiments.demo import CEILING, METHODS

__all__ = ["METHOD_NAMES", "OURS", "RIVALS", "headline", "kind_titles", "percent"]

OURS = "DF"
RIVALS = [name for name in METHODS if name != OURS]
METHOD_NAMES = {
    "DF": "disambiguation (DF)",
    "IL": "infimum loss (IL)",
    "AC": "average candidates (AC)",
    CEILING: "trained on the true labels",
}


def percent(share: float) -> str:
    """A level, such as "70%"."""
    return f"{100 * share:.0f}%"


def kind_titles(demo: Demo) -> dict[str, str]:
    """What each kind of ambiguity means on this data."""
    frequent = demo.data.classes[demo.data.most_frequent]
    return {
        "uniform": "uniform: every wrong class may join a set",
        "skewed": f"skewed: only the most frequent class may join, {frequent!s}",
    }


def headline(demo: Demo, outcomes: list[Outcome]) -> str:
    """What is to be seen, whichever way it went."""
    verdicts = [standing.verdict for standing in standings(outcomes, OURS, RIVALS)]
    return (
        f"{demo.data.name}: disambiguation errs least in {verdicts.count('wins')} of "
        f"{len(verdicts)} settings"
    )
