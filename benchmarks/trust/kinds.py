"""Confidence in numbers, orders and bits, in their own units.

Numbers (made up, so that the truth is known): Friedman's function plus noise in intervals of random
width and in bands of 3, and ``sin(10 x)`` plus noise, a third each of points, intervals and
half-lines; 400 rows, 1000 new ones. A number is right within the `distance` that the examination
states. Orders: two label-ranking sets, at most 500 rows, each rank hidden with probability .3.
Bits: two MULAN sets, at most 500 rows, 60 % of the bits unknown. All defaults without arguments,
raw units, `cross_examine` with five folds; the truth is used for scores and answers only.
"""

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr
from threadpoolctl import threadpool_limits

from benchmarks.made_up.running import source_digest
from benchmarks.results import provenance
from benchmarks.trust.labels import auroc, error_by_chance
from benchmarks.trust.outcomes import described, keep, table, with_error
from disambig import IntervalRegressor, PartialMultilabelClassifier, PartialRanker
from disambig.datasets import fetch_mulan, load_label_ranking
from disambig.metrics import expected_calibration_error
from disambig.notation import AnyArray, BoolArray, FloatArray
from disambig.trust import cross_examine

N_SEEDS = 5
N_ROWS, N_NEW, MAX_ROWS = 400, 1000, 500
N_ANSWERS, N_DRAWS, COVERAGE = 50, 20, 0.9
RANKINGS = ("vehicle", "bodyfat")
HIDDEN_RANKS = 0.3
BIT_SETS = ("emotions", "scene")
UNKNOWN_BITS = 0.6


@dataclass(frozen=True)
class Numbers:
    """One draw of numbers."""

    right: float
    auroc: float
    error: float
    error_by_chance: float
    error_answered: float
    coverage: float
    width: float


@dataclass(frozen=True)
class Signs:
    """One draw of orders or bits: the hidden pairs or bits, and the shares of whole rows."""

    right: float
    auroc: float
    error: float
    error_by_chance: float
    expected_share: float
    share: float
    correlation: float


# ---------------------------------------------------------------------- numbers

Drawn = tuple[FloatArray, FloatArray, FloatArray]


def friedman(seed: int, n: int) -> Drawn:
    """Inputs, true numbers and intervals of widths up to 10 in which they are at any place."""
    X, value = _friedman_values(seed, n)
    rng = np.random.default_rng([seed, 1])
    return X, value, around(value, rng.uniform(0, 10, n), rng)


def bands(seed: int, n: int) -> Drawn:
    """The same numbers in bands of width 3: which interval is seen is no chance."""
    X, value = _friedman_values(seed, n)
    lower = 3.0 * np.floor(value / 3.0)
    return X, value, np.column_stack([lower, lower + 3.0])


def _friedman_values(seed: int, n: int) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng([seed, 2])
    X = rng.random((n, 10))
    mean = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return X, mean + 10 * X[:, 3] + 5 * X[:, 4] + rng.normal(size=n)


def sine(seed: int, n: int) -> Drawn:
    """``sin(10 x)`` plus noise: points, intervals of width up to 2, and half-lines."""
    rng = np.random.default_rng([seed, 3])
    x = rng.random(n)
    value, kind = np.sin(10 * x) + 0.1 * rng.normal(size=n), rng.integers(3, size=n)
    y = around(value, np.where(kind == 0, 0.0, rng.uniform(0, 2, n)), rng)
    side, half_lines = rng.integers(2, size=n), np.flatnonzero(kind == 2)
    y[half_lines, side[half_lines]] = np.array([-np.inf, np.inf])[side[half_lines]]
    return x[:, None], value, y


def around(value: FloatArray, width: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Intervals of given widths, in which the value is at a uniform place."""
    lower = value - rng.random(len(value)) * width
    return np.column_stack([np.minimum(lower, value), np.maximum(lower + width, value)])


NUMBERS: dict[str, Callable[[int, int], Drawn]] = {
    "friedman, intervals": friedman,
    "friedman, bands": bands,
    "sine": sine,
}


def run_numbers(draw: Callable[[int, int], Drawn], seed: int) -> Numbers:
    """Examine one draw; the sets of new rows are not used."""
    X, truth, y = draw(seed, N_ROWS + N_NEW)
    exam = _examined(IntervalRegressor(), X[:N_ROWS], y[:N_ROWS])
    return score_numbers(exam, truth[:N_ROWS], X[N_ROWS:], truth[N_ROWS:], seed)


def score_numbers(
    exam: Any, truth: FloatArray, queries: FloatArray, new_truth: FloatArray, seed: int
) -> Numbers:
    """Scores of an examination of numbers."""
    right = np.abs(exam.labels - truth) <= exam.distance[0]
    covered, widths, errors = [], [], []
    for number in range(N_DRAWS):
        rng = np.random.default_rng([seed, number])
        rows = rng.choice(len(truth), N_ANSWERS, replace=False)
        answered = exam.with_answers(rows, truth[rows])
        ends = answered.predict_set(queries, COVERAGE, meaning="truth")
        covered.append(((ends[:, 0] <= new_truth) & (new_truth <= ends[:, 1])).mean())
        widths.append((ends[:, 1] - ends[:, 0]).mean())
        rest = np.setdiff1d(np.arange(len(truth)), rows)
        errors.append(expected_calibration_error(answered.confidence[rest], right[rest]))
    return Numbers(
        right=float(right.mean()),
        auroc=auroc(exam.confidence, right),
        error=expected_calibration_error(exam.confidence, right),
        error_by_chance=error_by_chance(exam.confidence, seed),
        error_answered=float(np.mean(errors)),
        coverage=float(np.mean(covered)),
        width=float(np.mean(widths)),
    )


# ---------------------------------------------------------------------- orders and bits


def run_orders(name: str, seed: int) -> Signs:
    """Examine the rankings of a file, of which ranks are hidden."""
    data = load_label_ranking(_folder("labelranking") / f"{name}.txt")
    rows = np.random.default_rng([seed, 1]).permutation(len(data.X))[:MAX_ROWS]
    X, ranks = data.X[rows], data.ranks[rows]
    hidden = np.random.default_rng([seed, 2]).random(ranks.shape) < HIDDEN_RANKS
    exam = _examined(PartialRanker(), X, np.where(hidden, np.nan, ranks))
    return score_orders(exam, ranks, seed)


def score_orders(exam: Any, ranks: FloatArray, seed: int) -> Signs:
    """Scores of an examination of orders; pairs that tie in the truth are left out."""
    first, second = np.triu_indices(ranks.shape[1], k=1)
    known = exam.candidates.before | np.swapaxes(exam.candidates.before, 1, 2)
    differs = ranks[:, first] != ranks[:, second]
    is_hidden = ~known[:, first, second] & differs
    truth = ranks[:, first] < ranks[:, second]
    found = exam.labels[:, first] < exam.labels[:, second]
    probability = exam.held_out_probabilities[:, first, second]
    share = (found == truth).mean(axis=1)
    return score_signs(probability[is_hidden], truth[is_hidden], exam.confidence, share, seed)


def run_bits(name: str, seed: int) -> Signs:
    """Examine the bits of a MULAN set, most of which are unknown."""
    data = fetch_mulan(name, folder=_folder("mulan"), download=False)
    rows = np.random.default_rng([seed, 1]).permutation(len(data.X))[:MAX_ROWS]
    X, bits = np.asarray(data.X)[rows], np.asarray(data.Y)[rows]
    unknown = np.random.default_rng([seed, 2]).random(bits.shape) < UNKNOWN_BITS
    exam = _examined(PartialMultilabelClassifier(), X, np.where(unknown, np.nan, bits))
    return score_bits(exam, bits, unknown, seed)


def score_bits(exam: Any, bits: AnyArray, unknown: BoolArray, seed: int) -> Signs:
    """Scores of an examination of bits."""
    share = (exam.labels == bits).mean(axis=1)
    truth = np.asarray(bits[unknown] == 1)
    return score_signs(exam.held_out_probabilities[unknown], truth, exam.confidence, share, seed)


def score_signs(
    probability: FloatArray, truth: BoolArray, confidence: FloatArray, share: FloatArray, seed: int
) -> Signs:
    """Scores of hidden signs ``(s,)``, and of the expected shares of right signs ``(n,)``."""
    return Signs(
        right=float(((probability > 0.5) == truth).mean()),
        auroc=auroc(probability, truth),
        error=expected_calibration_error(probability, truth),
        error_by_chance=error_by_chance(probability, seed),
        expected_share=float(confidence.mean()),
        share=float(share.mean()),
        correlation=float(spearmanr(confidence, share).statistic),
    )


def _examined(estimator: Any, X: Any, y: Any) -> Any:
    with threadpool_limits(1), warnings.catch_warnings():
        # Some inputs get no votes from a forest of few rows.
        warnings.simplefilter("ignore", UserWarning)
        return cross_examine(estimator, X, y)


def _folder(name: str) -> Path:
    folder = Path(os.environ.get("DISAMBIG_DATA", "data")) / name
    if not folder.is_dir():
        raise SystemExit(
            f"kinds: there is no folder {name} in DISAMBIG_DATA. Set DISAMBIG_DATA to the folder "
            "that contains it."
        )
    return folder


# ---------------------------------------------------------------------- report


def report(command: str, n_seeds: int = N_SEEDS) -> str:
    """The section of RESULTS.md."""
    numbers = {
        name: _kept(Numbers, run_numbers, name, draw, n_seeds) for name, draw in NUMBERS.items()
    }
    orders = {name: _kept(Signs, run_orders, name, name, n_seeds) for name in RANKINGS}
    bits = {name: _kept(Signs, run_bits, name, name, n_seeds) for name in BIT_SETS}
    parts = [
        "## Confidence in numbers, orders and bits",
        described(__doc__),
        f"Mean ± standard error over {n_seeds} draws. *Error*: expected calibration error, ten "
        "bins; *by chance*: what exactly calibrated probabilities would have.",
        provenance(command, seeds=f"0 to {n_seeds - 1}", more={"Source": source_digest()}),
        f"Numbers. *With answers*: the error at the other rows after {N_ANSWERS} random answers, "
        f"{N_DRAWS} draws; coverage of the true number of new rows by `predict_set(meaning="
        f'"truth")` at a nominal {COVERAGE:g}, calibrated by folds, with its mean width.',
        _number_table(numbers),
        "Orders and bits: probabilities of hidden pairs and of unknown "
        "bits. *Expected share* is the mean confidence, the expected share of right pairs or bits "
        "of a row, beside the true share; and the rank correlation of the two over rows.",
        _sign_table({**orders, **bits}),
    ]
    return "\n\n".join(parts) + "\n"


def _kept(
    kind: type, run: Callable[[Any, int], Any], name: str, argument: Any, n_seeds: int
) -> list[Any]:
    return [
        keep(kind.__name__.lower(), kind, f"{name}|{seed}", lambda seed=seed: run(argument, seed))
        for seed in range(n_seeds)
    ]


def _number_table(found: Mapping[str, Sequence[Numbers]]) -> str:
    names = ("right", "auroc", "error", "error_by_chance", "error_answered", "coverage", "width")
    head = ["numbers", "right", "AUROC", "error", "by chance", "with answers", "coverage", "width"]
    return table(head, _lines(found, names))


def _sign_table(found: Mapping[str, Sequence[Signs]]) -> str:
    names = ("right", "auroc", "error", "error_by_chance", "expected_share", "share", "correlation")
    head = ["data", "right", "AUROC", "error", "by chance"]
    return table([*head, "expected share", "true share", "correlation"], _lines(found, names))


def _lines(found: Mapping[str, Sequence[Any]], names: Sequence[str]) -> list[list[str]]:
    return [
        [title, *(with_error([getattr(one, name) for one in outcomes]) for name in names)]
        for title, outcomes in found.items()
    ]
