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
        "skewed": f"skewed: only \u201c{frequent!s}\u201d, the most frequent class, may join",
    }


def headline(demo: Demo, outcomes: list[Outcome]) -> str:
    """What is to be seen, whichever way it went."""
    settings = standings(outcomes, OURS, RIVALS)
    wins = [standing for standing in settings if standing.verdict == "wins"]
    text = f"{demo.data.name}: disambiguation errs least in {len(wins)} of {len(settings)} settings"
    if not wins:
        return text
    return f"{text}, in {sum(s.is_clear for s in wins)} by over two standard errors"
