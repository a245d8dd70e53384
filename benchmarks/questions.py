"""Which rows to ask next: recovered labels after answers, by how the rows were chosen.

lost, MSRCv2 and 900 digits with sets under uniform (.7) and instance-dependent (.5) corruption;
the training rows of the splits of `benchmarks.accuracy`, inputs standardised.
`PartialLabelClassifier()` is cross-examined (10 folds). Then 1, 2, 5 or 10 % of the rows are
answered, each in one batch, and the estimator is refitted warm (`simulate_questions`). Rows are
chosen by `Examination.ask`; at random among the open rows (mean of three draws); by the least
confidence; by the least margin between the two most probable candidates. The truth is used for
answers and scores only. The way to choose was designed on vehicle, vowel, segment and satimage.

    python -m benchmarks.questions [--seeds N] [--write]

Real sets are read from DISAMBIG_DATA. Outcomes are kept in ``benchmarks/.cache``.
"""

import argparse
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.accuracy.problems import Problem
from benchmarks.made_up.running import source_digest
from benchmarks.results import provenance, write_section
from benchmarks.trust.outcomes import keep, mean_of, table, with_error
from disambig import PartialLabelClassifier
from disambig.notation import FloatArray, IntArray
from disambig.trust import cross_examine, simulate_questions

N_SEEDS = 3
SHARES = (0.01, 0.02, 0.05, 0.10)
# What is compared with targets: asking 5 % of the rows.
TARGET_SHARE = 0.05
GAIN_TARGET, STATED_TARGET = 2.0, 2.0
PROBLEMS = (
    Problem("lost"),
    Problem("MSRCv2"),
    Problem("digits", "uniform", 0.7, 1125),
    Problem("digits", "instance", 0.5, 1125),
)
# Random answers in the second table, which calibrate before the others are asked.
CALIBRATION_ANSWERS = 50
N_DRAWS = 3
IN_ROUNDS = ", in rounds"

Choice = Callable[[Any, int], Any]


def at_random(seed: int, draw: int) -> Choice:
    """Open rows, all with the same probability."""

    def choose(exam: Any, n: int) -> IntArray:
        generator = np.random.default_rng([seed, draw, n])
        return generator.choice(np.flatnonzero(~exam.candidates.is_single), n, replace=False)

    return choose


def of_largest(score: Callable[[Any], FloatArray]) -> Choice:
    """Open rows of the largest score; of equal ones the first."""

    def choose(exam: Any, n: int) -> IntArray:
        values = np.where(exam.candidates.is_single, -np.inf, score(exam))
        return np.argsort(-values, kind="stable")[:n]

    return choose


def _small_margin(exam: Any) -> FloatArray:
    two = np.sort(exam.label_distributions, axis=1)[:, -2:]
    margin: FloatArray = two[:, 0] - two[:, 1]
    return margin


def choices(seed: int) -> dict[str, list[Choice | None]]:
    """How rows are chosen, each once or several times; None: by `Examination.ask`."""
    return {
        "ask": [None],
        "random": [at_random(seed, draw) for draw in range(N_DRAWS)],
        "least confidence": [of_largest(lambda exam: 1.0 - exam.confidence)],
        "least margin": [of_largest(_small_margin)],
    }


@dataclass(frozen=True)
class Outcome:
    """One split: shares of right labels without answers and by each choice, and gains in labels.

    `stated` and `real` are those of asking 5 %; `calibrated_stated` and `calibrated_real` after
    random answers have calibrated the confidence, beyond the gain of these answers.
    """

    n_rows: int
    right: dict[str, list[float]]
    stated: float
    real: float
    calibrated_stated: float
    calibrated_real: float


Found = Mapping[Problem, Sequence[Outcome]]


def run_split(problem: Problem, seed: int) -> Outcome:
    """Ask by every choice; then 5 % after random answers."""
    (X, mask, truth), _ = problem.split(seed)
    X = StandardScaler().fit_transform(X)
    numbers = {share: round(share * len(X)) for share in SHARES}
    template = PartialLabelClassifier(classes=np.arange(mask.shape[1]))
    with threadpool_limits(1), warnings.catch_warnings():
        # Undecided rows have a label like all others; classes without a row are those of the split.
        warnings.simplefilter("ignore", UserWarning)
        exam = cross_examine(template, X, mask, cv=10)
        # Ten weightings have judged. The labels of refits do not depend on who judges them next.
        exam.estimator.trials_ = ()
        curves = {
            (name, share): [
                simulate_questions(exam, X, mask, truth, [m], choose=choose) for choose in several
            ]
            for name, several in choices(seed).items()
            for share, m in numbers.items()
        }
        drawn = exam.ask(CALIBRATION_ANSWERS, n_random=1.0, random_state=seed).rows
        calibrated = exam.with_answers(drawn, truth[drawn])
        after = exam.refit(drawn, truth[drawn])
        questions = calibrated.ask(numbers[TARGET_SHARE])
        both = calibrated.refit(questions.rows, truth[questions.rows])
    before = float((exam.labels == truth).mean())
    (asked,) = curves["ask", TARGET_SHARE]
    return Outcome(
        n_rows=len(X),
        right={
            name: [before, *(mean_of([c.right[1] for c in curves[name, s]]) for s in SHARES)]
            for name in choices(seed)
        },
        stated=float(asked.stated_gain[0]),
        real=float(asked.real_gain[0]),
        calibrated_stated=questions.expected_gain,
        calibrated_real=float((both.labels == truth).sum() - (after.labels == truth).sum()),
    )


@dataclass(frozen=True)
class Rounds:
    """One split, asked in rounds: shares of right labels before and after each round."""

    right: dict[str, list[float]]


FoundRounds = Mapping[Problem, Sequence[Rounds]]


def run_rounds(problem: Problem, seed: int, name: str) -> Rounds:
    """Ask in four rounds; after each the refitted estimator is examined by all its judges."""
    (X, mask, truth), _ = problem.split(seed)
    X = StandardScaler().fit_transform(X)
    numbers = [round(share * len(X)) for share in SHARES]
    template = PartialLabelClassifier(classes=np.arange(mask.shape[1]))
    (choose, *_) = choices(seed)[name]
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        exam = cross_examine(template, X, mask, cv=10)
        if name == "random":
            # Nobody's judgement is used.
            exam.estimator.trials_ = ()
        curve = simulate_questions(exam, X, mask, truth, numbers, choose=choose)
    return Rounds({name + IN_ROUNDS: curve.right.tolist()})


def gain_at_target(outcomes: Sequence[Any], choice: str) -> float:
    """The mean gain in right labels, in shares of rows, of the answers to 5 % of them."""
    place = 1 + SHARES.index(TARGET_SHARE)
    return mean_of([o.right[choice][place] - o.right[choice][0] for o in outcomes])


def times_random(outcomes: Sequence[Any], suffix: str = "") -> float:
    """How many times the gain of random rows the gain of `Examination.ask` is."""
    ours, random = (gain_at_target(outcomes, name + suffix) for name in ("ask", "random"))
    return ours / random if random > 0 else math.inf


def ratio(stated: float, real: float) -> float:
    """Stated over real gain; infinite if nothing was gained."""
    return stated / real if real > 0 else math.inf


def verdicts(found: Found, rounds: FoundRounds) -> list[str]:
    """For every target a line that says whether it is met."""
    lines = []
    for problem, outcomes in found.items():
        for how, times in (
            ("in one batch", times_random(outcomes)),
            ("in rounds", times_random(rounds[problem], IN_ROUNDS)),
        ):
            name = f"{problem.name}: gain of asking 5 % {how} over that of 5 % at random"
            lines.append(_verdict(name, times, f"{GAIN_TARGET:g} at least", times >= GAIN_TARGET))
        value = ratio(mean_of([o.stated for o in outcomes]), mean_of([o.real for o in outcomes]))
        is_met = 1 / STATED_TARGET <= value <= STATED_TARGET
        name = f"{problem.name}: stated over real gain of 5 %, without answers"
        lines.append(_verdict(name, value, "0.5 to 2", is_met))
    return lines


def _verdict(name: str, value: float, target: str, is_met: bool) -> str:
    return f"- {name}: {value:.2f}, target {target}: {'met' if is_met else '**missed**'}"


def _share_table(found: Found, rounds: FoundRounds) -> str:
    head = ["problem", "chosen by", "no answers", *(f"{100 * share:g} %" for share in SHARES)]
    rows = [
        [problem.name, name, *(with_error([o.right[name][k] for o in outcomes]) for k in range(5))]
        for problem in found
        for outcomes in (found[problem], rounds[problem])
        for name in outcomes[0].right
    ]
    return table(head, rows)


def _stated_table(found: Found) -> str:
    rows = []
    for problem, outcomes in found.items():
        cells = [problem.name]
        for prefix in ("", "calibrated_"):
            stated, real = (
                [getattr(o, prefix + part) for o in outcomes] for part in ("stated", "real")
            )
            each = ", ".join(f"{ratio(s, r):.2f}" for s, r in zip(stated, real, strict=True))
            cells += [f"{mean_of(stated):.1f}", f"{mean_of(real):.1f}", each]
        rows.append(cells)
    per = ["stated", "real", "ratio of each seed"]
    after = [f"{name}, after {CALIBRATION_ANSWERS} random answers" for name in per]
    return table(["problem", *per, *after], rows)


def _kept(
    part: str,
    kind: Callable[..., Any],
    run: Callable[[Problem, int], Any],
    problems: Sequence[Problem],
    n_seeds: int,
) -> dict[Problem, list[Any]]:
    """The outcomes of all problems and seeds, computed where they are not kept."""
    return {
        problem: [
            keep(
                part,
                kind,
                f"{problem.name}|{seed}",
                lambda problem=problem, seed=seed: run(problem, seed),
            )
            for seed in range(n_seeds)
        ]
        for problem in problems
    }


def report(command: str, n_seeds: int = N_SEEDS, problems: Sequence[Problem] = PROBLEMS) -> str:
    """The section of RESULTS.md."""
    found = _kept("questions", Outcome, run_split, problems, n_seeds)
    by_name = [
        _kept(f"{name}_rounds", Rounds, partial(run_rounds, name=name), problems, n_seeds)
        for name in ("ask", "random")
    ]
    rounds = {
        problem: [Rounds(ours.right | random.right) for ours, random in zip(*pair, strict=True)]
        for problem, *pair in zip(problems, *(one.values() for one in by_name), strict=True)
    }
    assert __doc__ is not None
    lines = verdicts(found, rounds)
    parts = [
        "## Which rows to ask next",
        __doc__.split("\n\n")[1].strip(),
        provenance(
            command, seeds=f"0 to {n_seeds - 1}, the splits", more={"Source": source_digest()}
        ),
        "Share of right labels, answered rows included, by the share of rows that are answered. "
        "*In rounds*: up to 1, 2, 5 and 10 %, with a refit and a new examination after each round, "
        f"instead of one batch. Mean ± standard error over {n_seeds} splits.",
        _share_table(found, rounds),
        "Gains of asking 5 % of the rows, in labels: stated by `Questions.expected_gain`, "
        "and real. On the right, the doubts were calibrated before on random answers; stated and "
        "real gains are those beyond these answers.",
        _stated_table(found),
        "Targets:",
        "\n".join(lines),
        f"{sum('missed' in line for line in lines)} of {len(lines)} targets are missed.",
    ]
    return "\n\n".join(parts) + "\n"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=N_SEEDS, help="number of splits")
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    options = parser.parse_args(arguments)
    command = f"python -m benchmarks.questions --seeds {options.seeds} --write"
    text = report(command, options.seeds)
    if options.write:
        write_section("questions", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
