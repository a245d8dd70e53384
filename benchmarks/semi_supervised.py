"""One and five labels per class: graph votes and scikit-learn's semi-supervised methods.

Of real data, a few labels of each class are kept at random; all inputs are known. Measured are the
accuracy on the unlabeled rows, and the share of them that is predicted as the most frequent class.
Graphs have 10 neighbours. Dense kernels of scikit-learn have a fifth of the median distance to the
10th neighbour as their bandwidth, about the best on digits of four that were tried (1, .35, .2 and
.14 of it). The kernel Laplacian has all of it, the better of two, and a smoothing that is good on
both data sets. The truth was used for these choices. Inputs are not scaled (digits 0 to 16,
satimage -1 to 1), except for self-training, where they are standardised.

    python -m benchmarks.semi_supervised [--write] [--quick]
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelPropagation, LabelSpreading, SelfTrainingClassifier
from threadpoolctl import threadpool_limits

from benchmarks.results import provenance, write_section
from disambig import PartialLabelClassifier
from disambig.datasets import fetch_libsvm
from disambig.exceptions import DatasetError
from disambig.weights import (
    KernelLaplacianWeights,
    LaplacianWeights,
    NeighborWeights,
    PathWeights,
    PoissonWeights,
)

LABELS_PER_CLASS = (1, 5)
N_NEIGHBORS = 10
N_DRAWS, N_QUICK_DRAWS = 20, 3
Learner = Callable[[Any, Any], Any]


def digits() -> tuple[Any, Any]:
    return load_digits(return_X_y=True)


def satimage() -> tuple[Any, Any]:
    data = fetch_libsvm("satimage")
    return data.X, np.unique(data.y, return_inverse=True)[1]


DATA = {"digits": digits, "satimage": satimage}


def ours(weights: Any, method: str = "average") -> Learner:
    """A learner of ours that labels all rows; `weights` may be a function of X."""

    def learn(X: Any, known: Any) -> Any:
        weighting = weights if hasattr(weights, "fit") else weights(X)
        model = PartialLabelClassifier(weighting, method=method, unlabeled=-1)
        return model.fit(X, known).labels_

    return learn


def default(X: Any, known: Any) -> Any:
    """Labels of all rows by the classifier without arguments."""
    return PartialLabelClassifier(unlabeled=-1).fit(X, known).labels_


def theirs(kind: type[Any], **parameters: Any) -> Learner:
    """A learner of scikit-learn that labels all rows."""

    def learn(X: Any, known: Any) -> Any:
        more = {"gamma": 12.5 / neighbor_distance(X) ** 2} if parameters["kernel"] == "rbf" else {}
        return kind(max_iter=1000, **parameters, **more).fit(X, known).transduction_

    return learn


def self_training(X: Any, known: Any) -> Any:
    """Labels of all rows by logistic regression with self-training."""
    inputs = StandardScaler().fit_transform(X)
    model = SelfTrainingClassifier(LogisticRegression(max_iter=1000)).fit(inputs, known)
    return model.predict(inputs)


def neighbor_distance(X: Any) -> float:
    """The median distance to the tenth neighbour."""
    distances, _ = NearestNeighbors(n_neighbors=N_NEIGHBORS).fit(X).kneighbors()
    return float(np.median(distances[:, -1]))


def graph(**parameters: Any) -> LaplacianWeights:
    return LaplacianWeights(N_NEIGHBORS, **parameters)


KNN = {"kernel": "knn", "n_neighbors": N_NEIGHBORS}
PROPAGATION, POISSON = "scikit-learn, propagation, knn", "Poisson learning"
LEARNERS: dict[str, Learner] = {
    "scikit-learn, propagation, rbf": theirs(LabelPropagation, kernel="rbf"),
    PROPAGATION: theirs(LabelPropagation, **KNN),
    "scikit-learn, spreading, rbf": theirs(LabelSpreading, kernel="rbf"),
    "scikit-learn, spreading, rbf, alpha .99": theirs(LabelSpreading, kernel="rbf", alpha=0.99),
    "scikit-learn, spreading, knn": theirs(LabelSpreading, **KNN),
    "scikit-learn, spreading, knn, alpha .99": theirs(LabelSpreading, alpha=0.99, **KNN),
    "scikit-learn, self-training, logistic": self_training,
    "neighbours, disambiguation": ours(NeighborWeights(N_NEIGHBORS), "disambiguation"),
    "graph, symmetric, mu 99 (spreading, alpha .99)": ours(
        graph(smoothing=99.0, normalization="symmetric")
    ),
    "graph, mu 10": ours(graph()),
    "graph, mu 100": ours(graph(smoothing=100.0)),
    "graph, mu 10, disambiguation": ours(graph(), "disambiguation"),
    "graph, mu 10, disambiguation, leave-one-out": ours(
        graph(leave_one_out=True), "disambiguation"
    ),
    POISSON: ours(PoissonWeights(N_NEIGHBORS)),
    "paths, power 4": ours(PathWeights(N_NEIGHBORS)),
    "default": default,
    "kernel Laplacian, 500 landmarks": ours(
        lambda X: KernelLaplacianWeights(bandwidth=neighbor_distance(X))
    ),
}
# A fit with a dense kernel takes seconds on digits, and many times that on satimage.
DENSE, MAX_DENSE_ROWS, N_DENSE_DRAWS = "rbf", 2000, 5


def few_labels(y: Any, per_class: int, seed: int) -> Any:
    """`y` with all but `per_class` labels of each class replaced by -1."""
    rng = np.random.default_rng(seed)
    known = np.full(y.size, -1)
    for label in np.unique(y):
        rows = rng.choice(np.flatnonzero(y == label), per_class, replace=False)
        known[rows] = label
    return known


@dataclass(frozen=True)
class Outcome:
    """Results of a learner: accuracies by draw, mean share of the largest class, mean seconds."""

    accuracies: tuple[float, ...]
    largest: float
    seconds: float

    @property
    def mean(self) -> float:
        return float(np.mean(self.accuracies))

    def __str__(self) -> str:
        error = np.std(self.accuracies, ddof=1) / np.sqrt(len(self.accuracies))
        return f"{self.mean:.3f} ± {error:.3f}"


def outcome(learn: Learner, X: Any, y: Any, per_class: int, draws: int) -> Outcome:
    """Run a learner on several draws of the labels."""
    accuracies, largest, seconds = [], [], 0.0
    for seed in range(draws):
        known = few_labels(y, per_class, seed)
        start = time.process_time()
        found = learn(X, known)
        seconds += time.process_time() - start
        rest = known < 0
        accuracies.append(float(np.mean(found[rest] == y[rest])))
        largest.append(np.unique(found[rest], return_counts=True)[1].max() / rest.sum())
    return Outcome(tuple(accuracies), float(np.mean(largest)), seconds / draws)


def available() -> dict[str, tuple[Any, Any]]:
    """The data sets that are available; prints those that are not."""
    found = {}
    for name, load in DATA.items():
        try:
            found[name] = load()
        except DatasetError as error:
            print(f"semi_supervised: {name} is left out. {error}", file=sys.stderr)
    return found


def table(data: dict[str, tuple[Any, Any]], n_draws: int) -> tuple[str, dict[Any, Outcome]]:
    """The results as Markdown, and as a dictionary."""
    head = ["method", *(f"{name}, {count} a class" for name in data for count in LABELS_PER_CLASS)]
    head += [f"{name}, largest class (1 a class)" for name in data]
    head += [f"{name}, CPU s a fit" for name in data]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    found: dict[Any, Outcome] = {}
    for method, learn in LEARNERS.items():
        draws = min(n_draws, N_DENSE_DRAWS) if DENSE in method else n_draws
        for name, (X, y) in data.items():
            if DENSE in method and y.size > MAX_DENSE_ROWS:
                continue
            for count in LABELS_PER_CLASS:
                found[method, name, count] = outcome(learn, X, y, count, draws)
        cells = [
            _cell(found, (method, name, count), str) for name in data for count in LABELS_PER_CLASS
        ]
        cells += [
            _cell(found, (method, name, 1), lambda result: f"{result.largest:.2f}") for name in data
        ]
        cells += [
            _cell(found, (method, name, 5), lambda result: f"{result.seconds:.2f}") for name in data
        ]
        lines.append("| " + " | ".join([method, *cells]) + " |")
        print(lines[-1], flush=True)
    return "\n".join(lines), found


def _cell(found: dict[Any, Outcome], key: Any, text: Callable[[Outcome], str]) -> str:
    return text(found[key]) if key in found else "-"


def collapse(data: dict[str, tuple[Any, Any]], found: dict[Any, Outcome]) -> str:
    """A sentence on the collapse of propagation at one label per class."""
    sentences = []
    for name, (_, y) in data.items():
        theirs, mine = (found[method, name, 1] for method in (PROPAGATION, POISSON))
        true = np.bincount(y).max() / y.size
        better = np.mean(np.array(mine.accuracies) > np.array(theirs.accuracies))
        sentences.append(
            f"on {name} it is right on {theirs.mean:.1%} of the rows and gives {theirs.largest:.0%}"
            f" of them one class (the largest has {true:.0%}), where Poisson learning is right on "
            f"{mine.mean:.1%} with {mine.largest:.0%}, and better on {better:.0%} of the draws"
        )
    return (
        "At one label a class, propagation along the same number of neighbours collapses: "
        + "; ".join(sentences)
        + "."
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="three draws instead of twenty")
    options = parser.parse_args(arguments)
    n_draws = N_QUICK_DRAWS if options.quick else N_DRAWS
    data = available()
    with threadpool_limits(1), warnings.catch_warnings():
        # Propagation does not reach its tolerance in 1000 steps, or divides by zero where no label
        # arrives; the table shows the result. Self-training may end with rows that it did not
        # label, and predicts them.
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", category=RuntimeWarning, module="sklearn")
        # Poisson learning warns of components without a label; their `labels_` are scored too.
        warnings.filterwarnings("ignore", message=".*without an informed row", category=UserWarning)
        # The default says what it chose for so few labels.
        warnings.filterwarnings("ignore", message="weights='auto'", category=UserWarning)
        body, found = table(data, n_draws)
    text = (
        "## Few labels, many rows\n\n"
        "Accuracy on unlabelled rows (mean ± standard error over draws of the labels) from one and "
        "five labels a class, and the mean part of them that gets the class predicted most. "
        "Propagation keeps the labels it was given and lets them spread until nothing moves; "
        '`graph` is `LaplacianWeights`, by `method="average"` unless it says disambiguation; '
        "Poisson learning is `PoissonWeights` and kernel Laplacian `KernelLaplacianWeights`, with "
        "the median distance to the 10th neighbour as its bandwidth, both by the average. Dense "
        f"kernels run on digits alone, for {min(n_draws, N_DENSE_DRAWS)} draws. Their bandwidth, "
        "and the bandwidth and smoothing of the kernel Laplacian, were chosen with a look at the "
        "truth on draws that are among these. CPU seconds are those at five labels a class.\n\n"
        f"{provenance('python -m benchmarks.semi_supervised --write', seeds=f'0-{n_draws - 1}')}"
        f"\n\n{body}\n\n{collapse(data, found)}\n"
    )
    if options.write:
        write_section("semi_supervised", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
