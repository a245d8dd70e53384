"""One and five labels a class: graph votes beside scikit-learn's label propagation and spreading.

Real data of which a few labels of each class are kept, drawn at random; all inputs are known.
Accuracy on the rows without a label. All graphs have 10 neighbours; the bandwidth of dense kernels
is the median distance to the 10th, and they run on digits alone, for three draws: a fit takes
up to half a minute there. Inputs as they come (digits 0 to 16, satimage scaled to [-1, 1]).

    python -m benchmarks.semi_supervised [--write] [--quick]
"""

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NearestNeighbors
from sklearn.semi_supervised import LabelPropagation, LabelSpreading
from threadpoolctl import threadpool_limits

from benchmarks.results import provenance, write_section
from disambig import PartialLabelClassifier
from disambig.datasets import fetch_libsvm
from disambig.weights import LaplacianWeights, NeighborWeights

LABELS = (1, 5)
NEIGHBORS = 10
Learner = Callable[[Any, Any], Any]


def digits() -> tuple[Any, Any]:
    return load_digits(return_X_y=True)


def satimage() -> tuple[Any, Any]:
    data = fetch_libsvm("satimage")
    return data.X, np.unique(data.y, return_inverse=True)[1]


DATA = {"digits": digits, "satimage": satimage}


def ours(weights: Any, method: str) -> Learner:
    """Labels of all rows from an estimator of ours."""

    def learn(X: Any, known: Any) -> Any:
        model = PartialLabelClassifier(weights, method=method, unlabeled=-1)
        return model.fit(X, known).labels_

    return learn


def theirs(kind: type[Any], **parameters: Any) -> Learner:
    """Labels of all rows from scikit-learn's."""

    def learn(X: Any, known: Any) -> Any:
        more = {"gamma": 1.0 / (2.0 * reach(X) ** 2)} if parameters["kernel"] == "rbf" else {}
        return kind(max_iter=1000, **parameters, **more).fit(X, known).transduction_

    return learn


def reach(X: Any) -> float:
    """The median distance to the tenth neighbour."""
    distances, _ = NearestNeighbors(n_neighbors=NEIGHBORS).fit(X).kneighbors()
    return float(np.median(distances[:, -1]))


def graph(**parameters: Any) -> LaplacianWeights:
    return LaplacianWeights(NEIGHBORS, **parameters)


DENSE = "rbf"
LARGEST_DENSE, DENSE_DRAWS = 2000, 3
KNN = {"kernel": "knn", "n_neighbors": NEIGHBORS}
LEARNERS: dict[str, Learner] = {
    "scikit-learn, propagation, rbf": theirs(LabelPropagation, kernel="rbf"),
    "scikit-learn, propagation, knn": theirs(LabelPropagation, **KNN),
    "scikit-learn, spreading, rbf": theirs(LabelSpreading, kernel="rbf"),
    "scikit-learn, spreading, knn": theirs(LabelSpreading, **KNN),
    "scikit-learn, spreading, knn, alpha .99": theirs(LabelSpreading, alpha=0.99, **KNN),
    "neighbours, disambiguation": ours(NeighborWeights(NEIGHBORS), "disambiguation"),
    "graph, symmetric, mu 99 (spreading, alpha .99)": ours(
        graph(smoothing=99.0, normalization="symmetric"), "average"
    ),
    "graph, mu 10": ours(graph(), "average"),
    "graph, mu 100": ours(graph(smoothing=100.0), "average"),
    "graph, mu 10^4 (Poisson learning)": ours(graph(smoothing=1e4), "average"),
    "graph, mu 10, disambiguation": ours(graph(), "disambiguation"),
    "graph, mu 10, disambiguation, leave-one-out": ours(
        graph(leave_one_out=True), "disambiguation"
    ),
}


def few_labels(y: Any, per_class: int, seed: int) -> Any:
    """`y` with all but `per_class` labels of each class replaced by -1."""
    rng = np.random.default_rng(seed)
    known = np.full(y.size, -1)
    for label in np.unique(y):
        rows = rng.choice(np.flatnonzero(y == label), per_class, replace=False)
        known[rows] = label
    return known


def table(n_draws: int) -> str:
    """The results as Markdown."""
    head = ["method", *(f"{data}, {count} a class" for data in DATA for count in LABELS)]
    head += [f"{data}, s a fit" for data in DATA]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    inputs = {name: load() for name, load in DATA.items()}
    for name, learn in LEARNERS.items():
        cells, seconds = [name], []
        for X, y in inputs.values():
            if DENSE in name and y.size > LARGEST_DENSE:
                cells += ["-"] * len(LABELS)
                seconds.append("-")
                continue
            took = 0.0
            draws = min(n_draws, DENSE_DRAWS) if DENSE in name else n_draws
            for count in LABELS:
                accuracies = []
                for seed in range(draws):
                    known = few_labels(y, count, seed)
                    start = time.perf_counter()
                    found = learn(X, known)
                    took += time.perf_counter() - start
                    rest = known < 0
                    accuracies.append(float(np.mean(found[rest] == y[rest])))
                spread = np.std(accuracies, ddof=1) / np.sqrt(draws)
                cells.append(f"{np.mean(accuracies):.3f} ± {spread:.3f}")
            seconds.append(f"{took / (len(LABELS) * draws):.2f}")
        lines.append("| " + " | ".join([*cells, *seconds]) + " |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="three draws instead of ten")
    options = parser.parse_args(arguments)
    n_draws = 3 if options.quick else 10
    with threadpool_limits(1), warnings.catch_warnings():
        # Propagation stops short of its own tolerance in 1000 steps, or divides by zero where
        # no label arrives; the table shows what that gives.
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", category=RuntimeWarning, module="sklearn")
        body = table(n_draws)
    text = (
        "## Few labels, many rows\n\n"
        "Accuracy on unlabelled rows (mean ± standard error over draws of the labels) from one and "
        "five labels a class. Propagation keeps the labels it was given and lets them spread until "
        'nothing moves; `graph` is `LaplacianWeights`, by `method="average"` unless it says '
        "disambiguation.\n\n"
        f"{provenance('python -m benchmarks.semi_supervised --write', seeds=f'0-{n_draws - 1}')}"
        f"\n\n{body}\n"
    )
    if options.write:
        write_section("semi_supervised", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
