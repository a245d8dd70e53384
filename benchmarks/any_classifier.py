"""Any classifier on recovered labels, compared with training on averaged candidates.

Real data with corrupted labels; five stratified 80/20 splits; inputs standardised inside the split.
Boosting and logistic regression are trained on (a) the true labels, (b) the recovered labels
(`DisambiguatedClassifier`), (c) every candidate as an example of weight 1/|set|. The votes that
recover labels are kernel ridge with the median bandwidth. The ridge is chosen among three by the
covering accuracy on a fifth of the training rows, so the truth is used for the test error only.

    python -m benchmarks.any_classifier [--write] [--quick]
"""

import argparse
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.results import provenance, write_section
from disambig import DisambiguatedClassifier, LabelSets, PartialLabelClassifier
from disambig.datasets import fetch_libsvm
from disambig.datasets.corruptions.registry import CORRUPTIONS
from disambig.metrics import covering_accuracy
from disambig.model_selection import CandidateKFold
from disambig.weights import KernelRidgeWeights

DATA = ("segment", "vehicle")
CORRUPTION_KINDS = ("uniform", "skewed_text")
LEVELS = (0.3, 0.5, 0.7)
RIDGES = (1e-4, 1e-3, 1e-2)
CLASSIFIERS = {
    "gradient boosting": HistGradientBoostingClassifier(random_state=0),
    "logistic regression": LogisticRegression(max_iter=2000),
}
TRAINING_LABELS = ("true labels", "recovered labels", "averaged candidates")


def chosen_weights(X: Any, sets: LabelSets) -> KernelRidgeWeights:
    """Kernel ridge weights with the ridge of the highest covering accuracy on held-out rows."""
    train, held_out = next(iter(CandidateKFold(5).split(X, sets)))
    scores = []
    for ridge in RIDGES:
        model = PartialLabelClassifier(weights=KernelRidgeWeights(regularization=ridge))
        model.fit(X[train], sets[train])
        scores.append(
            covering_accuracy(sets[held_out], model.predict(X[held_out]), classes=sets.classes)
        )
    return KernelRidgeWeights(regularization=RIDGES[int(np.argmax(scores))])


def errors(X: Any, y: Any, kind: str, level: float, seed: int) -> Iterator[tuple[str, str, float]]:
    """``(classifier, way, test error)`` on one split, and the share of labels not recovered."""
    splitter = StratifiedShuffleSplit(1, test_size=0.2, random_state=seed)
    train, test = next(splitter.split(X, y))
    scaler = StandardScaler().fit(X[train])
    inputs, queries = scaler.transform(X[train]), scaler.transform(X[test])
    classes = np.unique(y)
    sets = CORRUPTIONS[kind](level)(y[train], classes=classes, random_state=seed)
    weights = chosen_weights(inputs, sets)
    rows, candidates = np.nonzero(sets.mask)
    recovered = None
    for name, classifier in CLASSIFIERS.items():
        true = clone(classifier).fit(inputs, y[train])
        yield name, "true labels", float(np.mean(true.predict(queries) != y[test]))
        ours = DisambiguatedClassifier(classifier, weights=weights, max_iter=0)
        ours.fit(inputs, sets)
        recovered = float(np.mean(ours.labels_ != y[train]))
        yield name, "recovered labels", float(np.mean(ours.predict(queries) != y[test]))
        average = clone(classifier).fit(
            inputs[rows], classes[candidates], sample_weight=1.0 / sets.sizes[rows]
        )
        yield name, "averaged candidates", float(np.mean(average.predict(queries) != y[test]))
    assert recovered is not None
    yield "labels", "not recovered", recovered


def table(n_splits: int) -> str:
    """The results as Markdown."""
    columns = [(name, way) for name in CLASSIFIERS for way in TRAINING_LABELS]
    head = ["data", "corruption", "level", "labels not recovered"]
    head += [f"{name}: {way}" for name, way in columns]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for data in DATA:
        X, y = fetch_libsvm(data).X, fetch_libsvm(data).y
        for kind in CORRUPTION_KINDS:
            for level in LEVELS:
                found: dict[tuple[str, str], list[float]] = {}
                for seed in range(n_splits):
                    for name, way, error in errors(X, y, kind, level, seed):
                        found.setdefault((name, way), []).append(error)
                cells = [data, kind, f"{level:g}"]
                for key in [("labels", "not recovered"), *columns]:
                    values = np.array(found[key])
                    spread = values.std(ddof=1) / np.sqrt(len(values))
                    cells.append(f"{values.mean():.3f} ± {spread:.3f}")
                lines.append("| " + " | ".join(cells) + " |")
                print(lines[-1], flush=True)
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="two splits instead of five")
    options = parser.parse_args(arguments)
    n_splits = 2 if options.quick else 5
    # One thread, because several threads in small fits mostly wait for each other.
    with threadpool_limits(1), warnings.catch_warnings():
        # Undecided rows are excluded from training, which is what the table measures.
        warnings.filterwarnings("ignore", message=".*rows are not decided")
        body = table(n_splits)
    text = (
        "## Any classifier on recovered labels\n\n"
        "Test error (mean ± standard error over splits) of two classifiers trained on the true "
        "labels, on labels recovered from sets, and on averaged candidates.\n\n"
        f"{provenance('python -m benchmarks.any_classifier --write', seeds=f'0-{n_splits - 1}')}"
        f"\n\n{body}\n"
    )
    if options.write:
        write_section("any_classifier", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
