"""Fifty small problems with all kinds of targets; prints checksums of fits and predictions.

`benchmarks.trees.compare` runs this file once for each of two source trees, so it uses only names
that both of them publish.
"""

import hashlib
import json
import sys
import warnings
from collections.abc import Iterator

import numpy as np
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import LogisticRegression

import disambig
from disambig import solvers, weights
from disambig.candidates import IntervalUnions, PartialBits
from disambig.losses import HammingLoss

ATTRIBUTES = (
    "labels_",
    "decided_",
    "confidence_",
    "objective_",
    "relaxed_objective_",
    "n_iter_",
    "converged_",
    "label_distributions_",
    "pair_probabilities_",
    "embedded_targets_",
)
METHODS = ("predict", "predict_proba", "decision_function")


def digest(value: object) -> str:
    """A checksum that is the same for equal bits."""
    array = np.asarray(value)
    if array.dtype == object:
        return hashlib.sha256(repr(array.tolist()).encode()).hexdigest()[:16]
    content = array.dtype.str.encode() + repr(array.shape).encode() + array.tobytes()
    return hashlib.sha256(content).hexdigest()[:16]


def fingerprint(model, X, y, Q) -> dict[str, str]:
    """Checksums of the fitted attributes and the predictions of a model."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
        found = {name: digest(getattr(model, name)) for name in ATTRIBUTES if hasattr(model, name)}
        for name in METHODS:
            if hasattr(model, name):
                found[name] = digest(getattr(model, name)(Q))
    return found


def _sets(truth, seed: int, chance: float):
    rng = np.random.default_rng(seed)
    m = int(truth.max()) + 1
    return np.eye(m, dtype=bool)[truth] | (rng.uniform(size=(len(truth), m)) < chance)


def _labels() -> Iterator[tuple]:
    classify = disambig.PartialLabelClassifier
    loads = {"iris": load_iris, "wine": load_wine, "digits": load_digits}
    for seed, (name, load) in enumerate(loads.items()):
        X, truth = load(return_X_y=True)
        X, truth = X[::2] if name == "digits" else X, truth[::2] if name == "digits" else truth
        for chance in (0.3, 0.7):
            y = _sets(truth, seed, chance)
            yield f"labels {name} {chance} default", classify(), X, y, X[::3]
    X, truth = load_wine(return_X_y=True)
    X = (X - X.mean(0)) / X.std(0)
    y = _sets(truth, 5, 0.5)
    weightings = {
        "neighbors": weights.NeighborWeights(7),
        "kernel_ridge": weights.KernelRidgeWeights(regularization=1e-2),
        "kernel_ridge leave-one-out": weights.KernelRidgeWeights(leave_one_out=True),
        "nadaraya_watson": weights.NadarayaWatsonWeights(bandwidth=2.0),
        "forest": weights.ForestWeights(random_state=0),
        "tree": weights.TreeWeights(random_state=0),
        "histogram": weights.HistogramWeights(),
        "laplacian": weights.LaplacianWeights(),
        "poisson": weights.PoissonWeights(),
        "nystrom": weights.NystromWeights(random_state=0),
        "random features": weights.RandomFeatureWeights(random_state=0),
    }
    for name, weighting in weightings.items():
        yield f"labels wine {name}", classify(weighting, solver="alternating"), X, y, X[::3] + 0.1
    for solver in ("annealed", solvers.FrankWolfeMinimization()):
        weighting = weights.KernelRidgeWeights()
        yield f"labels wine {solver}", classify(weighting, solver=solver), X, y, X[::3] + 0.1
    for loss in ("absolute", "squared"):
        yield f"labels wine {loss}", classify("neighbors", loss=loss), X, y, X[::3]
    for method in ("infimum", "average"):
        weighting = weights.KernelRidgeWeights()
        yield f"labels wine {method}", classify(weighting, method=method), X, y, X[::3]
    yield "labels wine plain", classify(), X, truth, X[::3]
    soft = y * np.random.default_rng(6).uniform(0.1, 1, size=y.shape)
    yield "labels wine soft", classify("neighbors"), X, soft, X[::3]
    few = np.where(np.arange(len(truth)) % 12 == 0, truth, -1)
    graph = classify(weights.PoissonWeights(), method="average", unlabeled=-1)
    yield "labels wine few", graph, X, few, X[::3]
    learner = LogisticRegression(max_iter=1000)
    yield "labels wine then logistic", disambig.DisambiguatedClassifier(learner), X, y, X[::3]


def _numbers() -> Iterator[tuple]:
    regress = disambig.IntervalRegressor
    rng = np.random.default_rng(1)
    X = rng.uniform(-3, 3, size=(120, 2))
    truth = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1]
    low = truth - rng.uniform(0, 1, 120)
    high = truth + rng.uniform(0, 1, 120)
    y = np.column_stack([low, np.where(rng.uniform(size=120) < 0.2, np.inf, high)])
    finite = np.column_stack([low, high])
    Q = rng.uniform(-3, 3, size=(40, 2))
    yield "numbers default", regress(), X, y, Q
    yield "numbers neighbors", regress(weights.NeighborWeights(7)), X, y, Q
    yield "numbers forest", regress(weights.ForestWeights(random_state=0)), X, y, Q
    yield "numbers absolute", regress("neighbors", loss="absolute"), X, finite, Q
    yield "numbers risk", regress("kernel_ridge", formulation="risk"), X, finite, Q
    for method in ("infimum", "average"):
        yield f"numbers {method}", regress("neighbors", method=method), X, finite, Q
    unions = IntervalUnions.from_any(
        [[(-abs(t) - 0.1, -abs(t) + 0.1), (abs(t) - 0.1, abs(t) + 0.1)] for t in truth]
    )
    yield "numbers unions", regress("neighbors"), X, unions, Q
    trees = ExtraTreesRegressor(50, random_state=0)
    yield "numbers then trees", disambig.DisambiguatedRegressor(trees), X, finite, Q
    boxes = np.stack([finite, finite[::-1]], axis=1)
    yield "numbers boxes", regress("neighbors"), X, boxes, Q


def _orders() -> Iterator[tuple]:
    rank = disambig.PartialRanker
    rng = np.random.default_rng(2)
    X = rng.normal(size=(100, 4))
    utility = X @ rng.normal(size=(4, 5)) + 0.1 * rng.normal(size=(100, 5))
    ranks = np.argsort(np.argsort(-utility, axis=1), axis=1).astype(float)
    y = np.where(rng.uniform(size=ranks.shape) < 0.4, np.nan, ranks)
    Q = rng.normal(size=(30, 4))
    yield "orders default", rank(), X, y, Q
    yield "orders kernel ridge", rank(weights.KernelRidgeWeights()), X, y, Q
    yield "orders forest", rank(weights.ForestWeights(random_state=0)), X, y, Q
    yield "orders annealed", rank(solver="annealed"), X, y, Q
    for loss in ("footrule", "dcg"):
        yield f"orders {loss}", rank(loss=loss), X, y, Q
    for method in ("infimum", "average"):
        yield f"orders {method}", rank(method=method), X, y, Q


def _bits() -> Iterator[tuple]:
    predict = disambig.StructuredPredictor
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 5))
    truth = X @ rng.normal(size=(5, 4)) > 0
    known = np.where(rng.uniform(size=truth.shape) < 0.5, np.nan, truth.astype(float))
    y = PartialBits.from_any(known)
    Q = rng.normal(size=(40, 5))
    yield "bits default", predict(HammingLoss()), X, y, Q
    kernel = weights.KernelRidgeWeights()
    yield "bits kernel ridge", predict(HammingLoss(), weights=kernel), X, y, Q
    yield "bits annealed", predict(HammingLoss(), weights=kernel, solver="annealed"), X, y, Q
    for method in ("infimum", "average"):
        yield f"bits {method}", predict(HammingLoss(), method=method), X, y, Q
    X, truth = load_iris(return_X_y=True)
    y = _sets(truth, 9, 0.4)
    yield "structures zero-one", predict("zero_one"), X, y, X[::3]


def main() -> None:
    results = {}
    for kind in (_labels, _numbers, _orders, _bits):
        for name, model, X, y, Q in kind():
            results[name] = fingerprint(model, X, y, Q)
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    main()
