"""Cost of confidence: CPU seconds of the judgement by hidden sets, beside those of the fit.

Ten overlapping Gaussian classes in 20 dimensions; every wrong label is a candidate with probability
.3. A fit hides sets to judge its labels (`confidence_`); its seconds are given without that, and
the judgement apart. `cross_examine` (five folds) fits, and then hides the sets once more; its
seconds are those in addition to its fit. One thread, one run after all functions are compiled.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self
from unittest import mock

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.made_up.running import source_digest
from benchmarks.results import provenance
from benchmarks.trust.outcomes import described, keep, table
from disambig import PartialLabelClassifier
from disambig.datasets.corruptions.registry import CORRUPTIONS
from disambig.estimators import partial_label_classifier
from disambig.notation import BoolArray, FloatArray
from disambig.trust import cross_examine

ROWS = (1000, 4000, 10_000)
WEIGHTS = ("auto", "neighbors", "nystrom")
N_CLASSES, N_COLUMNS, LEVEL = 10, 20, 0.3
# The examination in addition to its fit, in units of a fit without judgement, at the largest size.
TARGET = 2.0


@dataclass(frozen=True)
class Cost:
    """CPU seconds."""

    fit_alone: float
    judgement: float
    fit_of_examination: float
    examination: float

    @property
    def ratio(self) -> float:
        """The examination in addition to its fit, in units of a fit without judgement."""
        return self.examination / self.fit_alone


def drawn(n: int, seed: int = 0) -> tuple[FloatArray, BoolArray]:
    """Inputs and candidate sets."""
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(N_CLASSES, N_COLUMNS))
    truth = rng.integers(N_CLASSES, size=n)
    X = centers[truth] + rng.normal(size=(n, N_COLUMNS))
    sets = CORRUPTIONS["uniform"](LEVEL)(truth, classes=np.arange(N_CLASSES), random_state=seed)
    return X, sets.mask


@contextmanager
def timed(owner: Any, name: str) -> Iterator[list[float]]:
    """The CPU seconds of every call of a function, which is replaced for a while."""
    function, seconds = getattr(owner, name), []

    def run(*arguments: Any, **options: Any) -> Any:
        begun = time.process_time()
        result = function(*arguments, **options)
        seconds.append(time.process_time() - begun)
        return result

    with mock.patch.object(owner, name, run):
        yield seconds


class TimedClassifier(PartialLabelClassifier):
    """The default, which stores the CPU seconds of its fit."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        begun = time.process_time()
        super().fit(X, y, sample_weight, groups)
        self.seconds_ = time.process_time() - begun
        return self


def measure(n: int, weights: str) -> Cost:
    """Seconds of a fit and of an examination."""
    X, mask = drawn(n)
    with threadpool_limits(1):
        # Compiles what this weighting needs.
        small_X, small_mask = drawn(300)
        cross_examine(PartialLabelClassifier(weights), small_X, small_mask)
        with timed(partial_label_classifier, "judge_fit") as judging:
            begun = time.process_time()
            PartialLabelClassifier(weights).fit(X, mask)
            fitting = time.process_time() - begun
        begun = time.process_time()
        exam = cross_examine(TimedClassifier(weights), X, mask)
        spent = time.process_time() - begun
    fit = exam.estimator.seconds_
    return Cost(fitting - sum(judging), sum(judging), fit, spent - fit)


def verdict(found: dict[tuple[int, str], Cost]) -> str:
    """Whether the target is met at the largest number of rows."""
    largest = max(n for n, _ in found)
    late = [w for (n, w), cost in found.items() if n == largest and cost.ratio > TARGET]
    said = f"missed by {', '.join(late)}" if late else "met by all"
    return (
        f"Target: at {largest} rows the examination costs at most {TARGET:g} × the fit without "
        "judgement: "
        f"{f'**{said}**' if late else said}."
    )


def report(command: str, rows: Sequence[int] = ROWS, weightings: Sequence[str] = WEIGHTS) -> str:
    """The section of RESULTS.md."""
    found = {
        (n, weights): keep(
            "cost", Cost, f"{n}|{weights}", lambda n=n, weights=weights: measure(n, weights)
        )
        for weights in weightings
        for n in rows
    }
    lines = [
        [
            weights,
            str(n),
            f"{cost.fit_alone:.2f}",
            f"{cost.judgement:.2f}",
            f"{cost.judgement / cost.fit_alone:.2f}",
            f"{cost.examination:.2f}",
            f"{cost.ratio:.2f}",
            f"{cost.examination / cost.fit_of_examination:.2f}",
        ]
        for (n, weights), cost in found.items()
    ]
    head = ["weights", "rows", "fit without judgement", "judgement", "judgement / fit without"]
    head += ["cross_examine in addition", "in addition / fit without", "in addition / its fit"]
    parts = [
        "## Cost of confidence",
        described(__doc__),
        provenance(command, seeds="0", more={"Source": source_digest()}),
        table(head, lines),
        verdict(found),
    ]
    return "\n\n".join(parts) + "\n"
