"""Risk of accepted labels over random draws of answers.

`accept(risk=.05, delta=.1)` after random answers among the rows with several candidates. A failure
is a draw whose accepted labels are wrong in more than a twentieth; at most a tenth of the draws may
fail. Labels are those that were recovered, also at the rows that were answered.
"""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.accuracy.problems import Problem
from benchmarks.made_up.running import source_digest
from benchmarks.results import provenance
from benchmarks.trust.outcomes import described, keep, table
from benchmarks.trust.sources import overlapping, with_sets
from disambig import PartialLabelClassifier
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.trust import cross_examine

N_DRAWS = 200
RISK, DELTA = 0.05, 0.1
N_ANSWERS = (100, 200)


@dataclass(frozen=True)
class Accepted:
    """How often more than the risk was wrong, and what was accepted of the open rows."""

    n_open: int
    wrong: float
    failures: float
    accepted: float
    nothing: float


ACCEPTED: dict[str, Callable[[], tuple[FloatArray, BoolArray, IntArray]]] = {
    "digits, uniform, 0.7": lambda: with_sets(Problem("digits", "uniform", 0.7, 1125)),
    "segment, instance, 0.5": lambda: with_sets(Problem("segment", "instance", 0.5, 1125)),
    "lost": lambda: with_sets(Problem("lost")),
    "MSRCv2": lambda: with_sets(Problem("MSRCv2")),
    "overlapping classes": lambda: overlapping(1000),
}


@cache
def _examined(name: str) -> tuple[Any, IntArray]:
    X, mask, truth = ACCEPTED[name]()
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        template = PartialLabelClassifier(classes=np.arange(mask.shape[1]))
        return cross_examine(template, StandardScaler().fit_transform(X), mask), truth


def accepted_labels(name: str, n_answers: int) -> Accepted:
    """The risk of accepted labels over random draws of answers among the open rows."""
    return accepted_by(*_examined(name), n_answers, N_DRAWS)


def accepted_by(exam: Any, truth: IntArray, n_answers: int, n_draws: int) -> Accepted:
    """The same for an examination without answers."""
    is_open = exam.candidates.mask.sum(axis=1) > 1
    open_rows = np.flatnonzero(is_open)
    wrong = exam.labels != truth
    failures, shares = [], []
    for draw in range(n_draws):
        rng = np.random.default_rng([draw, n_answers])
        rows = rng.choice(open_rows, n_answers, replace=False)
        taken = exam.with_answers(rows, truth[rows]).accept(RISK, DELTA).rows & is_open
        failures.append(bool(taken.any()) and bool(wrong[taken].mean() > RISK))
        shares.append(float(taken[is_open].mean()))
    return Accepted(
        len(open_rows),
        float(wrong[is_open].mean()),
        float(np.mean(failures)),
        float(np.mean(shares)),
        float(np.mean(np.array(shares) == 0)),
    )


def is_kept(failures: float, n_draws: int = N_DRAWS) -> bool:
    """Whether failures are at most delta and three standard errors of it."""
    return failures <= most_failures(n_draws)


def most_failures(n_draws: int = N_DRAWS) -> float:
    """Delta, and three standard errors of a share of delta."""
    return DELTA + 3 * math.sqrt(DELTA * (1 - DELTA) / n_draws)


def report(command: str) -> str:
    """The section of RESULTS.md."""
    parts = [
        "## Risk of accepted labels",
        described(__doc__),
        provenance(command, seeds=f"draws 0 to {N_DRAWS - 1}", more={"Source": source_digest()}),
        f"{N_DRAWS} draws. Promised is a share of failures of at most {DELTA:g}; with three "
        f"standard errors {most_failures():.3f}.",
        _accepted_table(),
    ]
    return "\n\n".join(parts) + "\n"


def _accepted_table() -> str:
    lines = []
    for name, n_answers in [(s, m) for s in ACCEPTED for m in N_ANSWERS]:
        found = keep(
            "accepted",
            Accepted,
            f"{name}|{n_answers}|{N_DRAWS}",
            lambda name=name, n_answers=n_answers: accepted_labels(name, n_answers),
        )
        lines.append(
            [
                name,
                str(found.n_open),
                f"{found.wrong:.3f}",
                str(n_answers),
                f"{found.failures:.3f}",
                "yes" if is_kept(found.failures) else "**no**",
                f"{found.accepted:.3f}",
                f"{found.nothing:.3f}",
            ]
        )
    head = ["data", "open rows", "wrong of them", "answers", "failures", "promise kept"]
    return table([*head, "accepted share", "draws that accept nothing"], lines)
