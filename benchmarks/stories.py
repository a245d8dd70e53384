"""Every default without arguments, on made-up stories in raw units, beside simple alternatives.

A story has a generator of data with a seed (``benchmarks/made_up``), a score, the default of ours
as a new user would call it, and alternatives in their ordinary good form:

- numbers: bands of salaries, Friedman's function in intervals (in one unit, and in units from .001
  to 100,000); boosting and linear regression on mid-points (the finite end of a half-line);
- orders: preferences among six items, linear and curved, of which 30 to 50 % of the pairs are
  compared; a logistic regression for each pair, a forest for each item;
- bits: eight tags, 60 % unknown; a logistic regression and a forest for each tag;
- labels: moons, circles, digits and satimage (from DISAMBIG_DATA) with one and five labels a class;
  nearest labelled row, label spreading and self-training.

Reported apart: ``sin(10 x)`` from points, intervals and half-lines, and 26 classes.

Ours is good enough if it is at most one standard error worse than the best alternative, which is
the one of best mean score on the same seeds; the error is that of the difference seed by seed.
Standard errors from three seeds are rough: ``--quick`` is for a first look. The alternatives are
not tuned, but the bandwidth of dense kernels was chosen with the truth of digits. Seconds are CPU
seconds on one thread of fit and prediction, the median over the seeds, so that the compilation in
the first one is not counted.

Outcomes are stored in ``benchmarks/.cache`` by story, seed, method and version: of our source, of
scikit-learn, and of the data. After an interruption, a run continues from there.

    python -m benchmarks.stories [--write] [--quick] [--story NAME ...]
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.made_up import few_labels, many_classes, numbers, orders, tags
from benchmarks.made_up.running import RECORD, Outcome, run_story, source_digest
from benchmarks.made_up.story import Score, Story
from benchmarks.results import provenance, write_section
from disambig.exceptions import DatasetError
from disambig.notation import FloatArray

STORIES: tuple[Story, ...] = (
    *numbers.STORIES,
    *orders.STORIES,
    *tags.STORIES,
    *few_labels.STORIES,
    *many_classes.STORIES,
)
N_SEEDS, N_QUICK_SEEDS = 10, 3

Found = Mapping[str, Sequence[Outcome]]


@dataclass(frozen=True)
class Verdict:
    """Ours minus the best alternative, positive where ours is better."""

    best: str
    difference: float
    error: float

    @property
    def is_good(self) -> bool:
        return self.difference >= -self.error


def scores(outcomes: Sequence[Outcome]) -> FloatArray:
    return np.array([outcome.score for outcome in outcomes])


def standard_error(values: FloatArray) -> float:
    """NaN for a single value, of which nothing is known."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def verdict(story: Story, found: Found) -> Verdict:
    """Compare ours with the alternative of best mean."""
    sign = story.score.sign
    means = {
        name: sign * scores(outcomes).mean()
        for name, outcomes in found.items()
        if name != story.ours.name
    }
    best = max(means, key=lambda name: means[name])
    gains = sign * (scores(found[story.ours.name]) - scores(found[best]))
    return Verdict(best, float(gains.mean()), standard_error(gains))


def line(story: Story, found: Found) -> str:
    """The row of a story."""
    result = verdict(story, found)
    sign = story.score.sign
    others = sorted(
        (name for name in found if name != story.ours.name),
        key=lambda name: -sign * float(scores(found[name]).mean()),
    )
    error = story.score.text(result.error)
    cells = [
        story.name,
        f"{story.score.name} {'↑' if story.score.higher_is_better else '↓'}",
        _cell(story.score, found[story.ours.name]),
        "; ".join(f"{name} {_cell(story.score, found[name])}" for name in others),
        f"{'+' if result.difference >= 0 else '-'}"
        f"{story.score.text(abs(result.difference))} ± {error}",
        "yes" if result.is_good else "**no**",
        _seconds(found[story.ours.name]),
        _seconds(found[result.best]),
    ]
    return "| " + " | ".join(cells) + " |"


def _cell(score: Score, outcomes: Sequence[Outcome]) -> str:
    values = scores(outcomes)
    return f"{score.text(float(values.mean()))} ± {score.text(standard_error(values))}"


def _seconds(outcomes: Sequence[Outcome]) -> str:
    return f"{np.median([outcome.seconds for outcome in outcomes]):.2f}"


def table(stories: Sequence[Story], found: Mapping[str, Found]) -> str:
    head = ["story", "score", "ours", "alternatives, best first", "ours minus best, + is better"]
    head += ["within one error", "CPU s, ours", "CPU s, best"]
    rows = [line(story, found[story.name]) for story in stories]
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *rows])


def targets(stories: Sequence[Story], found: Mapping[str, Found]) -> list[str]:
    """A sentence for each story with a target."""
    sentences = []
    for story in stories:
        if story.target is not None:
            reached = float(scores(found[story.name][story.ours.name]).mean())
            is_met = story.score.sign * (reached - story.target) >= 0
            sentences.append(
                f"Target of {story.name}: {story.score.name} "
                f"{'≥' if story.score.higher_is_better else '≤'} {story.target:g}; ours has "
                f"{story.score.text(reached)}, {'met' if is_met else '**not met**'}."
            )
    return sentences


def roughness(seeds: int) -> str:
    """How far a standard error is off: ``1 / sqrt(2 (seeds - 1))`` of it, for normal scores."""
    if seeds < 2:
        return "With one seed there are no standard errors."
    share = 1 / np.sqrt(2 * (seeds - 1))
    return f"Standard errors from {seeds} seeds are themselves uncertain by about {share:.0%}."


def report(found: Mapping[str, Found], skipped: Mapping[str, str], seeds: int, command: str) -> str:
    """The section as Markdown."""
    chosen = [story for story in STORIES if story.name in found]
    counted = [story for story in chosen if not story.apart]
    apart = [story for story in chosen if story.apart]
    n_good = sum(verdict(story, found[story.name]).is_good for story in counted)
    parts = [
        "## Defaults on made-up stories",
        "Defaults without arguments on inputs in raw units, beside simple alternatives that are "
        "not tuned (`benchmarks/made_up`): mean ± standard error over seeds. The difference to the "
        "best alternative is seed by seed. CPU seconds are medians of fit and prediction on one "
        "thread. In names of stories, the last number is the labels a class. Dense kernels and "
        f"support vector machines are left out beyond {few_labels.MAX_DENSE_ROWS} rows; the "
        "bandwidth of dense kernels was chosen on digits with the truth. The best alternative is "
        f"chosen by the same scores. {roughness(seeds)}",
        provenance(command, seeds=f"0-{seeds - 1}", more={"Source": source_digest()}),
    ]
    if counted:
        parts.append(
            f"Ours is within one standard error of the best alternative, or better, in {n_good} of "
            f"{len(counted)} stories."
        )
        parts.append(table(counted, found))
    if apart:
        parts += ["Reported apart:", table(apart, found), *targets(apart, found)]
    parts += [f"Left out: {name}. {reason}" for name, reason in skipped.items()]
    return "\n\n".join(parts)


def run_all(
    stories: Sequence[Story], seeds: int, record: Path
) -> tuple[dict[str, Found], dict[str, str]]:
    """Outcomes by story, and the reasons of stories whose data are absent."""
    found: dict[str, Found] = {}
    skipped: dict[str, str] = {}
    for story in stories:
        try:
            found[story.name] = run_story(story, seeds, path=record)
        except DatasetError as error:
            skipped[story.name] = str(error)
            print(f"stories: {story.name} is left out. {error}", file=sys.stderr)
    return found, skipped


def main(arguments: list[str] | None = None) -> None:
    known = [story.name for story in STORIES]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stories")
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="three seeds instead of ten")
    parser.add_argument("--story", nargs="+", choices=known, default=known, metavar="NAME")
    parser.add_argument("--record", type=Path, default=RECORD, help="file of the stored outcomes")
    options = parser.parse_args(arguments)
    seeds = N_QUICK_SEEDS if options.quick else N_SEEDS
    stories = [story for story in STORIES if story.name in options.story]
    found, skipped = run_all(stories, seeds, options.record)
    command = "python -m benchmarks.stories --write" + (" --quick" if options.quick else "")
    if len(stories) < len(STORIES):
        command += " --story " + " ".join(story.name for story in stories)
    text = report(found, skipped, seeds, command)
    if options.write:
        write_section("stories", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
