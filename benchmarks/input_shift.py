"""Words about new inputs at predict: false alarms, what is found, and what they cost.

    python -m benchmarks.input_shift [--write]

False alarms: halves of data sets of scikit-learn, 100 splits each; batches of the other half are
judged as `predict` does. Found: of the same batches a share of the rows is moved in one random
column, by some standard deviations. Cost: CPU seconds of `predict` with and without the check,
alternating; the least of many runs, as a ratio.
"""

import argparse
import copy
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from benchmarks.results import provenance, write_section
from disambig import PartialLabelClassifier
from disambig.estimators.queries.input_shift import input_shift, is_suspicious
from disambig.estimators.queries.training_inputs import training_inputs

COMMAND = "python -m benchmarks.input_shift --write"
LOADERS = (load_iris, load_wine, load_breast_cancer, load_digits)
N_SPLITS = 100
BATCHES = (2, 10, 50)
MOVED = ((0.1, 4.0), (0.1, 16.0), (0.3, 4.0), (1.0, 2.0), (1.0, 4.0))
WEIGHTS = ("neighbors", "kernel_ridge", "forest")
SIZES = ((100, 5), (1000, 20), (3000, 100))
QUERIES = (1, 10, 100, 1000, 10_000)


def is_said(known: Any, X: Any) -> bool:
    """Whether `predict` warns."""
    return is_suspicious(known, X) and input_shift(known, X).is_shifted


def alarm_rows() -> Iterator[str]:
    yield "| data | " + " | ".join(f"batches of {size}" for size in BATCHES) + " | the other half |"
    yield "|---" * (len(BATCHES) + 2) + "|"
    for load in LOADERS:
        X = load(return_X_y=True)[0]
        said = dict.fromkeys((*BATCHES, 0), 0)
        judged = dict.fromkeys((*BATCHES, 0), 0)
        for seed in range(N_SPLITS):
            order = np.random.default_rng(seed).permutation(len(X))
            known = training_inputs(X, order[: len(X) // 2])
            rest = X[order[len(X) // 2 :]]
            for size in (*BATCHES, 0):
                step = size or len(rest)
                for start in range(0, len(rest) - step + 1, step):
                    said[size] += is_said(known, rest[start : start + step])
                    judged[size] += 1
        cells = " | ".join(f"{said[size]} of {judged[size]}" for size in said)
        yield f"| {load.__name__.removeprefix('load_')} | {cells} |"


def found_rows() -> Iterator[str]:
    heads = [f"{share:.0%} by {size:g} sd" for share, size in MOVED]
    yield "| data | " + " | ".join(heads) + " |"
    yield "|---" * (len(MOVED) + 1) + "|"
    for load in LOADERS:
        X = load(return_X_y=True)[0]
        said = np.zeros(len(MOVED))
        for seed in range(N_SPLITS):
            rng = np.random.default_rng(seed)
            order = rng.permutation(len(X))
            known = training_inputs(X, order[: len(X) // 2])
            batch = X[order[len(X) // 2 :]][:50]
            column = rng.choice(np.flatnonzero(X.std(axis=0) > 0))
            for place, (share, size) in enumerate(MOVED):
                moved = batch.copy()
                moved[: int(share * len(moved)), column] += size * X[:, column].std()
                said[place] += is_said(known, moved)
        cells = " | ".join(f"{share:.2f}" for share in said / N_SPLITS)
        yield f"| {load.__name__.removeprefix('load_')} | {cells} |"


def least_seconds(*functions: Callable[[], Any], runs: int) -> list[float]:
    seconds = [np.inf] * len(functions)
    for _ in range(runs):
        for place, function in enumerate(functions):
            begun = time.process_time()
            function()
            seconds[place] = min(seconds[place], time.process_time() - begun)
    return seconds


def cost_rows() -> Iterator[str]:
    yield "| rows, columns | weights | " + " | ".join(f"{q} new rows" for q in QUERIES) + " |"
    yield "|---" * (len(QUERIES) + 2) + "|"
    rng = np.random.default_rng(0)
    for n, d in SIZES:
        truth = rng.integers(5, size=n)
        centers = rng.normal(size=(5, d))
        X = centers[truth] + rng.normal(size=(n, d))
        y = np.eye(5, dtype=bool)[truth] | (rng.random((n, 5)) < 0.3)
        for weights in WEIGHTS:
            model = PartialLabelClassifier(weights).fit(X, y)
            silent = copy.copy(model)
            silent._training_inputs_ = None
            cells = []
            for q in QUERIES:
                new = centers[rng.integers(5, size=q)] + rng.normal(size=(q, d))
                runs = 60 if q <= 100 else 10
                without, with_check = least_seconds(
                    lambda silent=silent, new=new: silent.predict(new),
                    lambda model=model, new=new: model.predict(new),
                    runs=runs,
                )
                cells.append(f"{with_check / without:.2f}")
            yield f"| {n}, {d} | {weights} | {' | '.join(cells)} |"


def report() -> str:
    parts = [
        "## Words about new inputs",
        "",
        "False alarms: batches of rows of the same source about which `predict` would warn "
        "(a level of 1e-4 each).",
        "",
        *alarm_rows(),
        "",
        "Found: the share of batches of 50 rows about which `predict` warns if a share of the rows "
        "is moved in one random column.",
        "",
        *found_rows(),
        "",
        "Cost: CPU seconds of `predict` with the check, over those without it.",
        "",
        *cost_rows(),
        "",
        provenance(COMMAND, seeds=f"0 to {N_SPLITS - 1}"),
    ]
    return "\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    text = report()
    print(text)
    if parser.parse_args().write:
        write_section("input_shift", text)


if __name__ == "__main__":
    main()
