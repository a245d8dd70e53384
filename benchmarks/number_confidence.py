"""Is the confidence in recovered numbers a probability, and does suspicion find wrong sets?

Three regression problems, four ways to hide their numbers in sets, four estimators. "right" is the
share of recovered numbers within `confidence_distance_` of the truth, of rows with an open set; the
mean confidence should be near to it, and the calibration error (10 bins) small. AUROC: confidence
of right against wrong numbers. Then a tenth of the sets is given to other rows, or moved by two
standard deviations: how well suspicion ranks the sets that miss their number. Three minutes.

    python -m benchmarks.number_confidence [--write] [--quick]
"""

import argparse
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.metrics import average_precision_score, roc_auc_score

from benchmarks.results import provenance, write_section
from disambig import DisambiguatedRegressor, IntervalRegressor
from disambig.metrics import expected_calibration_error
from disambig.notation import FloatArray
from disambig.trust import cross_examine

N_ROWS = 300


def problem(name: str, seed: int) -> tuple[FloatArray, FloatArray]:
    """Inputs and true numbers."""
    if name == "diabetes":
        X, y = load_diabetes(return_X_y=True)
        return X, y
    if name == "friedman":
        return make_friedman1(N_ROWS, noise=1.0, random_state=seed)
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(N_ROWS, 1))
    return X, 3 * np.sin(X[:, 0]) + 0.3 * rng.normal(size=N_ROWS)


def hidden(y: FloatArray, kind: str, seed: int) -> FloatArray:
    """Sets ``(n, 2)`` around the numbers."""
    rng = np.random.default_rng([seed, 1])
    n, unit = len(y), y.std()
    if kind == "bins":
        lower = np.floor(y / (1.5 * unit)) * 1.5 * unit
        return np.column_stack([lower, lower + 1.5 * unit])
    if kind == "half-lines":
        threshold = rng.choice(y, n)
        lower = np.where(y < threshold, -np.inf, threshold)
        return np.column_stack([lower, np.where(y < threshold, threshold, np.inf)])
    width = unit * rng.exponential(1.0, n)
    if kind == "some points":
        width[rng.random(n) < 0.3] = 0.0
    lower = y - width * rng.random(n)
    return np.column_stack([lower, lower + width])


PROBLEMS = ("friedman", "sine", "diabetes")
KINDS = ("intervals", "some points", "half-lines", "bins")
MODELS: dict[str, Callable[[], Any]] = {
    "default": IntervalRegressor,
    "kernel ridge": lambda: IntervalRegressor("kernel_ridge"),
    "neighbours": lambda: IntervalRegressor("neighbors"),
    "extra trees": lambda: DisambiguatedRegressor(
        ExtraTreesRegressor(50, min_samples_leaf=3, random_state=0), start="average"
    ),
}


def calibration(name: str, kind: str, model: str, seeds: range) -> list[float]:
    """Share right, mean confidence, calibration error and AUROC, means over seeds."""
    found = []
    for seed in seeds:
        X, truth = problem(name, seed)
        y = hidden(truth, kind, seed)
        fitted = MODELS[model]().fit(X, y)
        is_open = y[:, 0] < y[:, 1]
        right = (np.abs(fitted.labels_ - truth) <= fitted.confidence_distance_)[is_open]
        confidence = fitted.confidence_[is_open]
        error = expected_calibration_error(confidence, right)
        auroc = roc_auc_score(right, confidence) if 0 < right.mean() < 1 else np.nan
        found.append([right.mean(), confidence.mean(), error, auroc])
    return [float(value) for value in np.mean(found, axis=0)]


def suspicion(name: str, kind: str, how: str, seeds: range) -> list[float]:
    """AUROC and average precision of suspicion for sets that miss their number."""
    found = []
    for seed in seeds:
        X, truth = problem(name, seed)
        y = hidden(truth, kind, seed)
        rng = np.random.default_rng([seed, 2])
        chosen = np.flatnonzero(rng.random(len(y)) < 0.1)
        if how == "of other rows":
            y[chosen] = y[rng.permutation(len(y))[: chosen.size]]
        else:
            y[chosen] += 2 * truth.std() * rng.choice([-1, 1], chosen.size)[:, None]
        misses = (truth < y[:, 0]) | (truth > y[:, 1])
        exam = cross_examine(IntervalRegressor("kernel_ridge"), X, y)
        scores = exam.suspicion
        found.append([roc_auc_score(misses, scores), average_precision_score(misses, scores)])
    return [float(value) for value in np.mean(found, axis=0)]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="one problem and one seed")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    seeds = range(1) if options.quick else range(3)
    names = PROBLEMS[1:2] if options.quick else PROBLEMS
    lines = ["| problem | sets | estimator | right | confidence | calibration error | AUROC |"]
    lines.append("|---" * 7 + "|")
    for name in names:
        for kind in KINDS:
            for model in MODELS:
                values = calibration(name, kind, model, seeds)
                cells = " | ".join(f"{value:.3f}" for value in values)
                lines.append(f"| {name} | {kind} | {model} | {cells} |")
                print(lines[-1], flush=True)
    lines += [
        "",
        "| problem | sets | a tenth of them | AUROC | average precision |",
        "|---" * 5 + "|",
    ]
    for name in names:
        for kind in KINDS[:3]:
            for how in ("of other rows", "moved"):
                cells = " | ".join(f"{value:.3f}" for value in suspicion(name, kind, how, seeds))
                lines.append(f"| {name} | {kind} | {how} | {cells} |")
                print(lines[-1], flush=True)
    command = "python -m benchmarks.number_confidence"
    text = (
        "## Confidence in recovered numbers\n\n"
        "Rows with an open set. Bins are the same for all rows: where the function is inside of a "
        "bin the sets do not show, and confidence is too high on an easy problem. The form of "
        "suspicion (of four), and hidden sets instead of leave-one-out for least squares, were "
        "chosen on these problems: this is no independent test of them.\n\n"
        f"{provenance(command, seeds=f'0 to {len(seeds) - 1}')}\n\n" + "\n".join(lines) + "\n"
    )
    if options.write:
        write_section("number-confidence", text)


if __name__ == "__main__":
    main()
