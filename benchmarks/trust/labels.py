"""Confidence in recovered labels: does it rank, is it calibrated, and what do answers add?

The real sets lost and MSRCv2, and digits and segment (1125 rows) under four corruptions; five
splits, inputs standardised by the training rows. `PartialLabelClassifier()` is fitted by
`cross_examine(cv=10)`, the folds that the fit itself uses at these sizes, so the confidences before
answers are `confidence_`. The truth is used for scores and for answers, which are drawn at random
among the rows with several candidates.
"""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.accuracy.problems import Problem, Split
from benchmarks.made_up.running import source_digest
from benchmarks.results import provenance
from benchmarks.trust.outcomes import described, keep, mean_of, table, with_error
from disambig import PartialLabelClassifier
from disambig.estimators.prediction import candidate_shares
from disambig.metrics import expected_calibration_error
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.trust import cross_examine

N_SPLITS, N_DRAWS = 5, 20
MAX_ROWS = 1125
REAL = ("lost", "MSRCv2")
CORRUPTED = ("digits", "segment")
CORRUPTIONS = (("uniform", 0.7), ("skewed_code", 0.5), ("pairwise", 0.7), ("instance", 0.5))
PROBLEMS = (
    *(Problem(data) for data in REAL),
    *(Problem(data, kind, level, MAX_ROWS) for data in CORRUPTED for kind, level in CORRUPTIONS),
)
ANSWERS = (0, 25, 50, 100)
# Targets: of the mean AUROC of a data set, and of the calibration error with so many answers.
AUROC_TARGETS = {"lost": 0.87, "MSRCv2": 0.72, "digits and segment": 0.90}
ECE_TARGET = 0.05


@dataclass(frozen=True)
class Outcome:
    """What one split says. AUROC is NaN if all labels are right."""

    n_rows: int
    recovered: float
    auroc: float
    error: float
    error_by_chance: float
    old_auroc: float
    old_error: float
    repeats_auroc: float
    repeats_error: float
    resolved: float
    resolved_right: float
    test_accuracy: float
    test_confidence: float
    test_error: float
    error_by_answers: list[float]


Found = Mapping[Problem, Sequence[Outcome]]


def run_split(split: Split, seed: int, n_draws: int = N_DRAWS) -> Outcome:
    """Fit, examine and score one split."""
    (X, mask, truth), (queries, test_truth) = split
    scaler = StandardScaler().fit(X)
    X, queries = scaler.transform(X), scaler.transform(queries)
    template = PartialLabelClassifier(classes=np.arange(mask.shape[1]))
    with threadpool_limits(1), warnings.catch_warnings():
        # Undecided rows have a label like all others; classes without a row are those of the split.
        warnings.simplefilter("ignore", UserWarning)
        exam = cross_examine(template, X, mask, cv=10)
        repeated = cross_examine(template, X, mask, cv=10, repeats=3)
        probabilities = exam.estimator.predict_proba(queries)
    model = exam.estimator
    right = model.labels_ == truth
    old = old_confidence(model, mask)
    predicted = probabilities.argmax(axis=1)
    is_right = predicted == test_truth
    return Outcome(
        n_rows=len(X),
        recovered=float(right.mean()),
        auroc=auroc(model.confidence_, right),
        error=expected_calibration_error(model.confidence_, right),
        error_by_chance=error_by_chance(model.confidence_, seed),
        old_auroc=auroc(old, right),
        old_error=expected_calibration_error(old, right),
        repeats_auroc=auroc(repeated.confidence, repeated.labels == truth),
        repeats_error=expected_calibration_error(repeated.confidence, repeated.labels == truth),
        resolved=float(model.resolved_.mean()),
        resolved_right=float(right[model.resolved_].mean()) if model.resolved_.any() else math.nan,
        test_accuracy=float(is_right.mean()),
        test_confidence=float(probabilities.max(axis=1).mean()),
        test_error=expected_calibration_error(probabilities.max(axis=1), is_right),
        error_by_answers=errors_after_answers(exam, truth, ANSWERS, n_draws, seed),
    )


def auroc(confidence: FloatArray, right: BoolArray) -> float:
    """How often a right label has more confidence than a wrong one; NaN if all are right."""
    if right.all() or not right.any():
        return math.nan
    return float(roc_auc_score(right, confidence))


def old_confidence(model: Any, mask: BoolArray) -> FloatArray:
    """The share of leave-one-out votes for the label among the candidates, ``(n,)``.

    The neighbours that vote had seen the set of the row when their labels were chosen.
    """
    votes = model._weightings_.leave_one_out(model._distribution_)
    shares = candidate_shares(votes, mask, mask / mask.sum(axis=1, keepdims=True))
    codes = np.searchsorted(model.classes_, model.labels_)
    confidence: FloatArray = shares[np.arange(len(mask)), codes]
    return confidence


def error_by_chance(confidence: FloatArray, seed: int, n_draws: int = 20) -> float:
    """The calibration error to expect if labels were right with exactly these probabilities."""
    rng = np.random.default_rng([seed, 1])
    drawn = rng.uniform(size=(n_draws, len(confidence))) < confidence
    return float(np.mean([expected_calibration_error(confidence, right) for right in drawn]))


def errors_after_answers(
    exam: Any, truth: IntArray, numbers: Sequence[int], n_draws: int, seed: int
) -> list[float]:
    """The calibration error at rows without an answer, by the number of answers.

    Answers are drawn at random among the rows with several candidates.
    """
    open_rows = np.flatnonzero(exam.candidates.mask.sum(axis=1) > 1)
    errors = []
    for number in numbers:
        if number == 0:
            errors.append(expected_calibration_error(exam.confidence, exam.labels == truth))
            continue
        found = []
        for draw in range(n_draws):
            rng = np.random.default_rng([seed, number, draw])
            rows = rng.choice(open_rows, min(number, len(open_rows)), replace=False)
            answered = exam.with_answers(rows, truth[rows])
            rest = np.setdiff1d(np.arange(len(truth)), rows)
            right = answered.labels[rest] == truth[rest]
            found.append(expected_calibration_error(answered.confidence[rest], right))
        errors.append(float(np.mean(found)))
    return errors


def group_of(problem: Problem) -> str:
    """The data of a target for AUROC."""
    return problem.data if problem.data in REAL else "digits and segment"


def verdicts(found: Found) -> list[str]:
    """For every target a line that says whether it is met."""
    lines = []
    for name, target in AUROC_TARGETS.items():
        taken = [o.auroc for p, outcomes in found.items() if group_of(p) == name for o in outcomes]
        value = mean_of(taken)
        if not math.isnan(value):
            lines.append(_verdict(f"AUROC of {name}, mean", value, target, value >= target))
    for problem, outcomes in found.items():
        number = 100 if problem.data == "MSRCv2" else 0
        value = mean_of([o.error_by_answers[ANSWERS.index(number)] for o in outcomes])
        given = f"{number} answers" if number else "no answers"
        name = f"calibration error of {problem.name} with {given}"
        lines.append(_verdict(name, value, ECE_TARGET, value <= ECE_TARGET))
    return lines


def _verdict(name: str, value: float, target: float, is_met: bool) -> str:
    return f"- {name}: {value:.3f}, target {target:.2f}: {'met' if is_met else '**missed**'}"


def report(command: str, n_splits: int = N_SPLITS, problems: Sequence[Problem] = PROBLEMS) -> str:
    """The section of RESULTS.md."""
    found = {
        problem: [
            keep(
                "labels",
                Outcome,
                f"{problem.name}|{split}",
                lambda problem=problem, split=split: run_split(problem.split(split), split),
            )
            for split in range(n_splits)
        ]
        for problem in problems
    }
    missed = [line for line in verdicts(found) if "missed" in line]
    all_right = [
        f"{problem.name} ({sum(math.isnan(o.auroc) for o in outcomes)})"
        for problem, outcomes in found.items()
        if any(math.isnan(o.auroc) for o in outcomes)
    ]
    undefined = (
        f"All labels were right, and AUROC is undefined, in some splits of {', '.join(all_right)}; "
        "these splits are left out of its mean."
        if all_right
        else "No split has all labels right, so AUROC is always defined."
    )
    parts = [
        "## Confidence in recovered labels",
        described(__doc__),
        "*AUROC*: right against wrong labels. *Error*: expected calibration "
        "error, ten bins; *by chance*: what exactly calibrated confidences of this size would "
        "have, as rows are few. *Leave-one-out*: the share of votes for the label among the "
        "candidates, by neighbours whose labels were chosen with the set of the row in play (the "
        f"confidence before). Mean ± standard error over {n_splits} splits. {undefined}",
        provenance(
            command, seeds=f"0 to {n_splits - 1}, the splits", more={"Source": source_digest()}
        ),
        _main_table(found),
        "Rows with a confidence of at least .9 (`resolved_`), and probabilities of new rows "
        "(`predict_proba`; *confidence*: the mean largest probability).",
        _test_table(found),
        "Calibration error of `with_answers` at the rows that were not answered, by the number of "
        f"random answers, mean of {N_DRAWS} draws a split; and three repeats of the ten folds "
        "beside one.",
        _answer_table(found),
        "Targets:",
        "\n".join(verdicts(found)),
        f"{len(missed)} of {len(verdicts(found))} targets are missed.",
    ]
    return "\n\n".join(parts) + "\n"


def _main_table(found: Found) -> str:
    rows = [
        [
            problem.name,
            with_error([o.recovered for o in outcomes]),
            with_error([o.auroc for o in outcomes]),
            with_error([o.old_auroc for o in outcomes]),
            with_error([o.error for o in outcomes]),
            with_error([o.old_error for o in outcomes]),
            f"{mean_of([o.error_by_chance for o in outcomes]):.3f}",
        ]
        for problem, outcomes in found.items()
    ]
    head = ("right labels", "AUROC", "leave-one-out", "error", "leave-one-out", "by chance")
    return table(["problem", *head], rows)


def _test_table(found: Found) -> str:
    names = ("resolved", "resolved_right", "test_accuracy", "test_confidence", "test_error")
    rows = [
        [p.name, *(with_error([getattr(o, name) for o in outcomes]) for name in names)]
        for p, outcomes in found.items()
    ]
    head = ("resolved rows", "of them right", "new rows: accuracy", "confidence", "error")
    return table(["problem", *head], rows)


def _answer_table(found: Found) -> str:
    rows = [
        [
            problem.name,
            *(with_error([o.error_by_answers[i] for o in outcomes]) for i in range(len(ANSWERS))),
            with_error([o.repeats_auroc for o in outcomes]),
            with_error([o.repeats_error for o in outcomes]),
        ]
        for problem, outcomes in found.items()
    ]
    answers = [f"{number} answers" for number in ANSWERS]
    return table(["problem", *answers, "AUROC, 3 repeats", "error, 3 repeats"], rows)
