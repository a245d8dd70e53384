"""Suspects: rows whose set misses the truth.

The true label is removed in 0, 10, 20 and 30 % of the sets (`remove_truths`): of the real sets lost
and MSRCv2, and of digits and segment (900 rows) with uniform and instance-dependent sets; three
splits, inputs standardised. `cross_examine(PartialLabelClassifier(), X, y)` judges with five folds.
The truth is used for scores and as simulated answers only.
"""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.accuracy.problems import Problem
from benchmarks.made_up.running import source_digest
from benchmarks.results import provenance
from benchmarks.trust.outcomes import described, keep, mean_of, table, with_error
from benchmarks.trust.surviving_neighbors import survivor_scores
from disambig import LabelSets, PartialLabelClassifier
from disambig.datasets import remove_truths
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.trust import cross_examine
from disambig.trust.suspects import suspect_ranks

N_SPLITS, N_DRAWS = 3, 20
SHARES = (0.0, 0.1, 0.2, 0.3)
MAX_ROWS = 1125
PROBLEMS = (
    Problem("lost"),
    Problem("MSRCv2"),
    *(
        Problem(data, kind, level, MAX_ROWS)
        for data in ("digits", "segment")
        for kind, level in (("uniform", 0.3), ("instance", 0.5))
    ),
)
FALSE_ALARMS = 0.1
N_ANSWERS = 100
TARGET = 0.95
# The data and the share of the target.
TARGET_DATA, TARGET_SHARE = ("digits", "segment"), 0.1


@dataclass(frozen=True)
class Outcome:
    """What one split says; NaN where it is undefined."""

    n_rows: int
    precision: float
    auroc: float
    precision_by_confidence: float
    auroc_by_confidence: float
    precision_by_neighbors: float
    auroc_by_neighbors: float
    wrong: float
    estimated_wrong: float
    is_known: bool
    n_suspects: int
    estimated_alarms: float
    alarms: float
    n_bounded: float
    bounded_alarms: float


Found = Mapping[tuple[Problem, float], Sequence[Outcome]]


def run_split(problem: Problem, share: float, seed: int, n_draws: int = N_DRAWS) -> Outcome:
    """Remove truths, examine and score one split."""
    (X, mask, truth), _ = problem.split(seed)
    return run(X, mask, truth, share, seed, n_draws)


def run(
    X: FloatArray, mask: BoolArray, truth: IntArray, share: float, seed: int, n_draws: int
) -> Outcome:
    """The same for given rows."""
    classes = np.arange(mask.shape[1])
    sets, is_wrong = remove_truths(LabelSets(mask, classes), truth, share, random_state=seed)
    X = StandardScaler().fit_transform(X)
    with threadpool_limits(1), warnings.catch_warnings():
        # Undecided rows have a label like all others; classes without a row are those of the split.
        warnings.simplefilter("ignore", UserWarning)
        exam = cross_examine(PartialLabelClassifier(classes=classes), X, sets)
    informative = sets.informative
    ranks = suspect_ranks(exam.wrong_set_probability, exam.suspicion).astype(np.float64)
    by_confidence = 1.0 - exam.confidence
    by_neighbors = survivor_scores(X, sets.mask)
    found = exam.suspects(FALSE_ALARMS)
    alarms = ~is_wrong[found.rows]
    n_bounded, bounded_alarms = bounded(exam, truth, is_wrong, n_draws, seed)
    return Outcome(
        n_rows=len(X),
        precision=precision(is_wrong, ranks),
        auroc=auroc(is_wrong, ranks),
        precision_by_confidence=precision(is_wrong, by_confidence),
        auroc_by_confidence=auroc(is_wrong, by_confidence),
        precision_by_neighbors=precision(is_wrong, by_neighbors),
        auroc_by_neighbors=auroc(is_wrong, by_neighbors),
        wrong=float(is_wrong[informative].mean()),
        estimated_wrong=exam.wrong_share,
        is_known=exam.wrong_sets.is_known,
        n_suspects=len(found),
        estimated_alarms=found.estimated_false_alarms if len(found) else math.nan,
        alarms=float(alarms.mean()) if len(found) else math.nan,
        n_bounded=n_bounded,
        bounded_alarms=bounded_alarms,
    )


def precision(is_wrong: BoolArray, score: FloatArray) -> float:
    """Average precision of a score for wrong sets; NaN if none is wrong."""
    return float(average_precision_score(is_wrong, score)) if is_wrong.any() else math.nan


def auroc(is_wrong: BoolArray, score: FloatArray) -> float:
    """How often a wrong set has the higher score than a right one; NaN if none is wrong."""
    return float(roc_auc_score(is_wrong, score)) if is_wrong.any() else math.nan


def bounded(
    exam: Any, truth: IntArray, is_wrong: BoolArray, n_draws: int, seed: int
) -> tuple[float, float]:
    """With random answers: the mean number of suspects that were not answered, and false alarms.

    A draw without suspects has no false alarm: it is the mean that is bounded.
    """
    numbers, shares = [], []
    for draw in range(n_draws):
        rng = np.random.default_rng([seed, draw])
        rows = rng.choice(len(truth), min(N_ANSWERS, len(truth) // 2), replace=False)
        found = exam.with_answers(rows, truth[rows]).suspects(FALSE_ALARMS)
        rest = np.setdiff1d(found.rows, rows)
        numbers.append(rest.size)
        shares.append(float((~is_wrong[rest]).mean()) if rest.size else 0.0)
    return float(np.mean(numbers)), float(np.mean(shares))


def verdicts(found: Found) -> list[str]:
    """Whether the target is met, a line for each problem of it."""
    lines = []
    for (problem, share), outcomes in found.items():
        if problem.data in TARGET_DATA and share == TARGET_SHARE:
            value = mean_of([o.precision for o in outcomes])
            verdict = "met" if value >= TARGET else "**missed**"
            lines.append(
                f"- average precision of {problem.name} at {share:.0%}: {value:.3f}, target "
                f"{TARGET:.2f}: {verdict}"
            )
    return lines


def report(
    command: str,
    n_splits: int = N_SPLITS,
    problems: Sequence[Problem] = PROBLEMS,
    shares: Sequence[float] = SHARES,
) -> str:
    """The section of RESULTS.md."""
    found = {
        (problem, share): [
            keep(
                "suspects",
                Outcome,
                f"{problem.name}|{share}|{split}",
                lambda problem=problem, share=share, split=split: run_split(problem, share, split),
            )
            for split in range(n_splits)
        ]
        for problem in problems
        for share in shares
    }
    parts = [
        "## Suspects",
        described(__doc__),
        "How well wrong sets are ranked: average precision / AUROC of the posterior, of 1 - "
        "`confidence`, and of neighbours that are taken one by one until one candidate survives "
        "(`benchmarks/trust/surviving_neighbors.py` says what we assumed). Mean over "
        f"{n_splits} splits, with the standard error of the first.",
        provenance(
            command, seeds=f"0 to {n_splits - 1}, the splits", more={"Source": source_digest()}
        ),
        _ranking_table(found),
        "The share of wrong sets among those that exclude a class, as it is and as estimated; "
        "*unknown*: how many splits say that the others know too little to tell. Then "
        f"`suspects({FALSE_ALARMS:g})` without answers: how many rows, the share of false alarms "
        f"as estimated and as it is; and with {N_ANSWERS} random answers, which bound its mean by "
        f"{FALSE_ALARMS:g}: suspects among the other rows, and false alarms, mean of {N_DRAWS} "
        "draws a split (a draw that calls nobody suspect has none).",
        _share_table(found),
        "Targets:",
        "\n".join(verdicts(found)),
    ]
    return "\n\n".join(parts) + "\n"


def _ranking_table(found: Found) -> str:
    rows = [
        [
            problem.name,
            f"{share:.0%}",
            f"{with_error([o.precision for o in outcomes])} / {_mean(outcomes, 'auroc')}",
            f"{_mean(outcomes, 'precision_by_confidence')} / "
            f"{_mean(outcomes, 'auroc_by_confidence')}",
            f"{_mean(outcomes, 'precision_by_neighbors')} / "
            f"{_mean(outcomes, 'auroc_by_neighbors')}",
        ]
        for (problem, share), outcomes in found.items()
        if share > 0
    ]
    return table(["problem", "removed", "posterior", "1 - confidence", "surviving"], rows)


def _share_table(found: Found) -> str:
    rows = [
        [
            problem.name,
            f"{share:.0%}",
            _mean(outcomes, "wrong"),
            with_error([o.estimated_wrong for o in outcomes]),
            str(sum(not o.is_known for o in outcomes)),
            f"{np.mean([o.n_suspects for o in outcomes]):.0f}",
            _mean(outcomes, "estimated_alarms"),
            _mean(outcomes, "alarms"),
            f"{np.mean([o.n_bounded for o in outcomes]):.0f}",
            _mean(outcomes, "bounded_alarms"),
        ]
        for (problem, share), outcomes in found.items()
    ]
    head = ["problem", "removed", "wrong", "estimated", "unknown", "suspects"]
    alarms = ["false alarms, estimated", "false alarms", "suspects, bounded", "false alarms"]
    return table([*head, *alarms], rows)


def _mean(outcomes: Sequence[Outcome], name: str) -> str:
    value = mean_of([getattr(o, name) for o in outcomes])
    return "none" if math.isnan(value) else f"{value:.3f}"
