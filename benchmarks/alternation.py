"""Alternation with any estimator: two starts, with and without rounds.

Test errors of `DisambiguatedClassifier` and `DisambiguatedRegressor` on small problems: half of the
rows of iris, wine, 300 digits and diabetes, Friedman's first function and steps, with simulated
sets. "With noise" adds 20 columns of noise, among which votes find few neighbours. The two starts
are the votes of the default and averages; rounds are `max_iter`.

No fit uses the truth. But test errors on these data, on earlier seeds and rows, were compared when
the default start, `max_iter` and the rule that keeps targets were chosen: this is a design set, and
its numbers are no estimate of what the defaults reach elsewhere.

    python -m benchmarks.alternation [--quick]
"""

import argparse
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_diabetes, load_digits, load_iris, load_wine, make_friedman1
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from disambig import DisambiguatedClassifier, DisambiguatedRegressor
from disambig.datasets.corruptions.registry import CORRUPTIONS

LABELS = {"iris": load_iris, "wine": load_wine, "digits": load_digits}
CLASSIFIERS = {
    "logistic": LogisticRegression(max_iter=300),
    "extra trees": ExtraTreesClassifier(40, random_state=0),
}
REGRESSORS = {
    "ridge": Ridge(),
    "extra trees": ExtraTreesRegressor(40, min_samples_leaf=2, random_state=0),
}
NUMBERS = ("diabetes", "friedman", "steps")
WIDTHS, CENSORED = "intervals", "censored"
N_ROWS, N_NOISE = 300, 20
SETTINGS = (("votes", 0), ("votes", 5), ("average", 0), ("average", 5))


def label_problems(seed: int) -> Iterator[tuple[str, Any, Any, Any]]:
    """Name, inputs, true labels and the sets of the first half."""
    for name, load in LABELS.items():
        X, y = load(return_X_y=True)
        rows = np.random.default_rng(seed).permutation(len(X))[:N_ROWS]
        X, y = X[rows], y[rows]
        for kind, level in (("uniform", 0.5), ("skewed_text", 0.5), ("semi_supervised", 0.8)):
            half = y[: len(y) // 2]
            sets = CORRUPTIONS[kind](level)(half, classes=np.unique(y), random_state=seed)
            yield f"{name}, {kind}", X, y, sets


def number_problems(seed: int) -> Iterator[tuple[str, Any, Any, Any]]:
    """Name, inputs, true numbers of unit variance and the intervals of the first half."""
    for name in NUMBERS:
        rng = np.random.default_rng(seed)
        if name == "diabetes":
            X, y = load_diabetes(return_X_y=True)
            rows = rng.permutation(len(X))[:N_ROWS]
            X, y = X[rows], y[rows]
        elif name == "friedman":
            X, y = make_friedman1(N_ROWS, n_features=8, noise=1.0, random_state=seed)
        else:
            X = rng.uniform(-1, 1, (N_ROWS, 5))
            y = 2.0 * (X[:, 0] > 0) + 3.0 * (X[:, 1] * X[:, 2] > 0) + rng.normal(0, 0.2, N_ROWS)
        y = y / y.std()
        half = y[: N_ROWS // 2]
        width = rng.exponential(size=(len(half), 2))
        yield f"{name}, {WIDTHS}", X, y, half[:, np.newaxis] + width * [-0.5, 0.5]
        limit = rng.uniform(*np.quantile(half, [0.1, 0.9]), len(half))
        above = np.where(half <= limit, half, np.inf)
        yield f"{name}, {CENSORED}", X, y, np.column_stack([np.minimum(half, limit), above])


def with_noise(X: Any, seed: int) -> Any:
    """The inputs and columns of noise, all of unit variance."""
    noise = np.random.default_rng(seed + 1000).normal(size=(len(X), N_NOISE))
    return np.column_stack([StandardScaler().fit_transform(X), noise])


def errors(n_seeds: int) -> Iterator[tuple[str, str, str, list[float]]]:
    """Kind, problem, estimator, and the test error of each setting."""
    for seed in range(n_seeds):
        kinds = (
            ("labels", label_problems, CLASSIFIERS, DisambiguatedClassifier),
            ("numbers", number_problems, REGRESSORS, DisambiguatedRegressor),
        )
        for kind, problems, estimators, wrapper in kinds:
            for name, X, y, sets in problems(seed):
                for noise in (False, True):
                    inputs = with_noise(X, seed) if noise else StandardScaler().fit_transform(X)
                    for inner, estimator in estimators.items():
                        found = []
                        for start, rounds in SETTINGS:
                            model = wrapper(estimator, start=start, max_iter=rounds)
                            model.fit(inputs[: len(sets)], sets)
                            missed = model.predict(inputs[len(sets) :]) - y[len(sets) :]
                            square = kind == "numbers"
                            found.append(float(np.mean(missed**2 if square else missed != 0)))
                        label = f"{name}, with noise" if noise else name
                        yield kind, label, inner, found


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one seed instead of three")
    n_seeds = 1 if parser.parse_args(arguments).quick else 3
    rows = []
    with threadpool_limits(1), warnings.catch_warnings():
        # Few rows to select weights by, and rows that votes do not resolve.
        warnings.simplefilter("ignore")
        for row in errors(n_seeds):
            rows.append(row)
            print(*row[:3], *(f"{value:.3f}" for value in row[3]), flush=True)
    print("\n| | estimator | noise | " + " | ".join(f"{s}, {r} rounds" for s, r in SETTINGS) + " |")
    print("|---" * (3 + len(SETTINGS)) + "|")
    keys = dict.fromkeys((kind, inner, "with noise" in name) for kind, name, inner, _ in rows)
    for key in keys:
        values = [
            found for kind, name, inner, found in rows if (kind, inner, "with noise" in name) == key
        ]
        cells = [f"{value:.3f}" for value in np.mean(values, axis=0)]
        print(f"| {key[0]} | {key[1]} | {'yes' if key[2] else 'no'} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
