"""Class shares of `PartialLabelClassifier`: none, average candidates, true ones, and wrong ones.

Few labels: the share of right labels of the unlabeled rows. Sets with rare classes: the share of
right labels, and its mean over the rare classes. In wrong shares, 10 or 20 points of the most
frequent class are moved to the rarest. Of the sets, "uniform" ones have every wrong class with
probability .4; in "frequent" ones the most frequent class is in .8 of the sets, and every other
wrong class has probability .15. All else are defaults; the truth gives the shares alone.

    python -m benchmarks.class_shares [--write] [--quick] [--only NAME ...]
"""

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, make_circles, make_moons

from benchmarks.results import provenance, write_section
from benchmarks.semi_supervised import few_labels
from disambig import PartialLabelClassifier
from disambig.datasets import fetch_libsvm

# Inputs (n, d), candidates (n, K), classes (n,).
Drawn = tuple[Any, Any, Any]
SHARES = ("none", "average", "true", "10 points wrong", "20 points wrong")
_LEAST_SHARE = 0.01
_RARE = 0.15


@dataclass(frozen=True)
class Problem:
    """`draw(seed)` are data; `n_draws` are many enough to see a difference, and end."""

    draw: Callable[[int], Drawn]
    n_draws: int
    weights: str = "auto"


@cache
def digits() -> tuple[Any, Any]:
    return load_digits(return_X_y=True)


@cache
def segment() -> tuple[Any, Any]:
    data = fetch_libsvm("segment", download=False)
    return data.X, np.unique(data.y, return_inverse=True)[1]


def circles(outer: int, seed: int) -> tuple[Any, Any]:
    """`outer` rows around others, 400 in all."""
    return make_circles((outer, 400 - outer), noise=0.1, factor=0.5, random_state=seed)


def moons(seed: int) -> tuple[Any, Any]:
    return make_moons(400, noise=0.15, random_state=seed)


def some_digits(seed: int) -> tuple[Any, Any]:
    X, y = digits()
    rows = np.random.default_rng(seed).permutation(y.size)[:600]
    return X[rows], y[rows]


def labelled(data: Callable[[int], tuple[Any, Any]], count: int, seed: int) -> Drawn:
    """`count` labels of each class."""
    X, y = data(seed)
    known = few_labels(y, count, seed)
    mask = (known[:, None] == np.arange(y.max() + 1)) | (known < 0)[:, None]
    return X, mask, y


def rare(load: Callable[[], tuple[Any, Any]], sets: str, seed: int) -> Drawn:
    """500 rows; half of the classes have a seventh of their rows."""
    X, y = load()
    rng = np.random.default_rng(seed)
    n_classes = int(y.max()) + 1
    thinned = np.isin(y, rng.choice(n_classes, n_classes // 2, replace=False))
    kept = rng.permutation(np.flatnonzero(~thinned | (rng.random(y.size) < _RARE)))[:500]
    X, y = X[kept], y[kept]
    mask = rng.random((y.size, n_classes)) < (0.4 if sets == "uniform" else 0.15)
    if sets == "frequent":
        mask[rng.random(y.size) < 0.8, np.bincount(y).argmax()] = True
    mask[np.arange(y.size), y] = True
    return X, mask, y


PROBLEMS = {
    "circles 300/100, 3 labels": Problem(partial(labelled, partial(circles, 300), 3), 20),
    "the same, neighbours": Problem(partial(labelled, partial(circles, 300), 3), 20, "neighbors"),
    "circles 200/200, 3 labels": Problem(partial(labelled, partial(circles, 200), 3), 20),
    "moons, 1 label": Problem(partial(labelled, moons, 1), 20),
    "digits, 1 label": Problem(partial(labelled, some_digits, 1), 20),
    "digits, 5 labels": Problem(partial(labelled, some_digits, 5), 5),
    "digits, rare, uniform": Problem(partial(rare, digits, "uniform"), 5),
    "digits, rare, frequent": Problem(partial(rare, digits, "frequent"), 5),
    "segment, rare, uniform": Problem(partial(rare, segment, "uniform"), 5),
    "segment, rare, frequent": Problem(partial(rare, segment, "frequent"), 5),
}


def asked(kind: str, y: Any, n_classes: int) -> Any:
    """The parameter `class_shares`."""
    if kind == "none":
        return None
    if kind == "average":
        return "average"
    shares = np.bincount(y, minlength=n_classes) / y.size
    points = {"true": 0.0, "10 points wrong": 0.1, "20 points wrong": 0.2}[kind]
    order = np.argsort(shares, kind="stable")
    most, least = int(order[-1]), int(order[0])
    moved = min(points, shares[most] - _LEAST_SHARE)
    shares[most] -= moved
    shares[least] += moved
    return shares


def outcome(problem: Problem, kind: str, seed: int) -> tuple[float, float]:
    """The share of right labels of unlabeled rows, or of all rows; and of rare classes."""
    X, mask, y = problem.draw(seed)
    n_classes = mask.shape[1]
    with warnings.catch_warnings():
        # Of few labels, and of shares that are impossible.
        warnings.simplefilter("ignore", UserWarning)
        shares = asked(kind, y, n_classes)
        model = PartialLabelClassifier(problem.weights, class_shares=shares).fit(X, mask)
    right = model.labels_ == y
    is_open = mask.all(axis=1)
    scored = is_open if is_open.mean() > 0.5 else np.ones(y.size, dtype=bool)
    counts = np.bincount(y, minlength=n_classes)
    rarest = [label for label in np.argsort(counts)[: n_classes // 2] if counts[label]]
    by_class = [right[scored & (y == label)].mean() for label in rarest]
    return float(right[scored].mean()), float(np.mean(by_class))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="two draws")
    parser.add_argument("--only", nargs="+", choices=PROBLEMS, default=list(PROBLEMS))
    options = parser.parse_args(arguments)
    lines = [
        "| problem (draws) | " + " | ".join(SHARES) + " |",
        "|---" * (len(SHARES) + 1) + "|",
    ]
    for name in options.only:
        problem = PROBLEMS[name]
        n_draws = min(2, problem.n_draws) if options.quick else problem.n_draws
        cells = []
        for kind in SHARES:
            found = np.array([outcome(problem, kind, seed) for seed in range(n_draws)])
            mean, error = found.mean(axis=0), found[:, 0].std(ddof=1) / np.sqrt(n_draws)
            cells.append(f"{mean[0]:.3f} ± {error:.3f} ({mean[1]:.2f})")
        lines.append(f"| {name} ({n_draws}) | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    text = (
        "## Class shares\n\nThe share of right labels with its standard error; in brackets that "
        "of the rarer half of the classes, mean over classes.\n\n"
        f"{provenance('python -m benchmarks.class_shares', seeds='0 to draws - 1')}\n\n"
        + "\n".join(lines)
        + "\n"
    )
    if options.write:
        write_section("class_shares", text)


if __name__ == "__main__":
    main()
