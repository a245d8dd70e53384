"""Fitted models of every kind, and what they predict."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from disambig import (
    DisambiguatedClassifier,
    DisambiguatedRegressor,
    IntervalRegressor,
    LabelSets,
    Mixture,
    PartialBits,
    PartialLabelClassifier,
    PartialMultilabelClassifier,
    PartialRanker,
)
from disambig.candidates import ClassCounts, Hierarchy
from disambig.estimators.rankers.item_forest import ItemForestRanker
from disambig.losses import AbstainLoss, HierarchicalLoss, KendallLoss, OrdinalLoss
from disambig.weights import (
    ForestWeights,
    KernelRidgeWeights,
    MixedWeights,
    NadarayaWatsonWeights,
    NeighborWeights,
    NystromWeights,
    PrecomputedWeights,
    RandomFeatureWeights,
    ScaledWeights,
    SquashedWeights,
    TreeWeights,
)

N = 40
_RNG = np.random.default_rng(0)
X = _RNG.normal(size=(N, 3))
QUERIES = np.random.default_rng(1).normal(size=(9, 3))
CODES = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0.7)
_MASK = (np.arange(3) == CODES[:, None]) | (_RNG.random((N, 3)) < 0.2)
SETS = LabelSets(_MASK, np.array(["a", "b", "c"]))
_NUMBERS = 2 * X[:, 0] + np.sin(X[:, 1])
INTERVALS = np.column_stack([_NUMBERS - _RNG.random(N), _NUMBERS + _RNG.random(N)])
RANKS = (-X @ _RNG.normal(size=(3, 4))).argsort(axis=1).argsort(axis=1).astype(float)
RANKS[_RNG.random(RANKS.shape) < 0.3] = np.nan
_BITS = (X @ _RNG.normal(size=(3, 4)) > 0).astype(int)
BITS = PartialBits.from_any(np.where(_RNG.random(_BITS.shape) < 0.3, -1, _BITS), zero="absent")
RULED_BITS = PartialBits.from_any(
    np.where(_RNG.random(_BITS.shape) < 0.3, np.nan, np.maximum(_BITS, _BITS[:, [0]]))
)
POSITIVES = PartialBits.from_positives(_BITS * (_RNG.random(_BITS.shape) < 0.7))
SAMPLE_WEIGHT = np.where(np.arange(N) % 7 == 0, 0.0, 1.0 + np.arange(N) % 3)
SPARSE = sp.csr_array(np.where(X > 0, X, 0.0))
_DISTANCES = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))

# Weights by name, with few parts where the default has many.
WEIGHTS: dict[str, Any] = {
    "neighbors": "neighbors",
    "kernel_ridge": "kernel_ridge",
    "nystrom": NystromWeights(n_landmarks=10),
    "random_features": RandomFeatureWeights(n_features=20),
    "nadaraya_watson": "nadaraya_watson",
    "forest": ForestWeights(n_estimators=5),
    "tree": "tree",
    "histogram": "histogram",
    "laplacian": "laplacian",
    "poisson": "poisson",
    "paths": "paths",
    "kernel_laplacian": "kernel_laplacian",
    "metric": NeighborWeights(5, metric="manhattan"),
    "ball_tree": NeighborWeights(5, algorithm="ball_tree"),
    "mixed": MixedWeights([NeighborWeights(), KernelRidgeWeights()]),
    "scaled": ScaledWeights(NeighborWeights(), [1.0, 2.0, 0.5]),
    "squashed": SquashedWeights(NeighborWeights()),
    "given forest": ForestWeights(RandomForestRegressor(3, random_state=0).fit(X, CODES)),
    "given tree": TreeWeights(DecisionTreeClassifier(random_state=0).fit(X, CODES)),
    "local": NadarayaWatsonWeights(kernel="laplacian"),
}
_SOLVERS = ("alternating", "annealed", "frank_wolfe")
_NUMBER_SOLVERS = ("accelerated", "alternating", "newton", "unions")
_HIERARCHY = Hierarchy({"a": "x", "b": "x", "c": "y", "x": None, "y": None})
Fit = Callable[[], Any]


def by_weights() -> Iterator[tuple[str, Fit]]:
    """Every estimator with every weighting."""
    for name, w in WEIGHTS.items():
        yield f"labels, {name}", lambda w=w: PartialLabelClassifier(w).fit(X, SETS)
        yield f"orders, {name}", lambda w=w: PartialRanker(w).fit(X, RANKS)
        yield (
            f"bits, {name}",
            lambda w=w: PartialMultilabelClassifier(weights=w).fit(X, BITS),
        )
        # Votes of Poisson learning sum to zero: no regression.
        if name != "poisson":
            yield f"numbers, {name}", lambda w=w: IntervalRegressor(w).fit(X, INTERVALS)


def by_solver() -> Iterator[tuple[str, Fit]]:
    """Every solver and method."""
    w = "neighbors"
    for options in [
        *({"solver": s} for s in _SOLVERS),
        {"method": "infimum"},
        {"method": "average"},
    ]:
        text = next(iter(options.values()))
        yield f"labels, {text}", lambda o=options: PartialLabelClassifier(w, **o).fit(X, SETS)
        yield f"orders, {text}", lambda o=options: PartialRanker(w, **o).fit(X, RANKS)
        yield (
            f"bits, {text}",
            lambda o=options: PartialMultilabelClassifier(weights=w, **o).fit(X, BITS),
        )
    for loss in ("f_measure", "top_k", "hamming"):
        rules = {"loss": loss, "implications": [(0, 1)], "tag_counts": (0, None)}
        yield (
            f"bits under rules, {loss}",
            lambda o=rules: PartialMultilabelClassifier(w, **o).fit(X, RULED_BITS),
        )
    yield (
        "bits, positives",
        lambda: PartialMultilabelClassifier(w, tag_frequencies="estimate").fit(X, POSITIVES),
    )
    for solver in _NUMBER_SOLVERS:
        yield (
            f"numbers, {solver}",
            lambda s=solver: IntervalRegressor("kernel_ridge", solver=s).fit(X, INTERVALS),
        )
    for loss in ("absolute", "pinball"):
        yield f"numbers, {loss}", lambda o=loss: IntervalRegressor(w, loss=o).fit(X, INTERVALS)
    for method in ("infimum", "average"):
        yield (
            f"numbers, {method}",
            lambda m=method: IntervalRegressor(w, method=m).fit(X, INTERVALS),
        )
    for loss in ("footrule", "dcg", KendallLoss(position_weights=[3, 2, 1, 1])):
        yield f"orders, {loss}", lambda o=loss: PartialRanker(w, loss=o).fit(X, RANKS)
    matrix = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    for loss in (HierarchicalLoss(_HIERARCHY), AbstainLoss(0.3), OrdinalLoss(power=1), matrix):
        yield f"labels, {loss!r:.20}", lambda o=loss: PartialLabelClassifier(w, loss=o).fit(X, SETS)


def by_form() -> Iterator[tuple[str, Fit]]:
    """Other forms of inputs, targets and models."""
    w = "neighbors"
    dates = np.array(["2020-01-01", "2021-01-01", "2022-01-01"], dtype="datetime64[D]")[CODES]
    mixed = [[["a"], [1], ["b"]][code] for code in CODES]
    for name, y in {"numbers": CODES, "bools": CODES > 0, "dates": dates, "mixed": mixed}.items():
        yield f"labels that are {name}", lambda y=y: PartialLabelClassifier(w).fit(X, y)
    yield (
        "class counts",
        lambda: PartialLabelClassifier(w).fit(X, ClassCounts(SETS, [[5, 30], [5, 30], [2, 20]])),
    )
    yield "sample weights", lambda: PartialLabelClassifier(w).fit(X, SETS, SAMPLE_WEIGHT)
    yield "sparse inputs", lambda: PartialLabelClassifier(w).fit(SPARSE, SETS)
    yield "float32", lambda: PartialLabelClassifier("kernel_ridge").fit(X.astype(np.float32), SETS)
    yield (
        "predict_weights",
        lambda: PartialLabelClassifier(w, predict_weights="kernel_ridge").fit(X, SETS),
    )
    boxes = np.stack([INTERVALS, INTERVALS + 1], axis=1)
    yield "boxes", lambda: IntervalRegressor("kernel_ridge").fit(X, boxes)
    unions = [[(low, high), (low + 5, high + 5)] for low, high in INTERVALS]
    yield "unions", lambda: IntervalRegressor("kernel_ridge").fit(X, unions)
    yield "folds", lambda: IntervalRegressor("kernel_ridge", cv=3).fit(X, INTERVALS)
    members = Mixture([ItemForestRanker(n_trees=3), PartialRanker(w)])
    yield "mixture", lambda: PartialRanker(members).fit(X, RANKS)
    yield (
        "pipeline",
        lambda: make_pipeline(StandardScaler(), PartialLabelClassifier(w)).fit(X, SETS),
    )
    quantiles = QuantileTransformer(n_quantiles=5)
    yield "quantiles", lambda: make_pipeline(quantiles, IntervalRegressor(w)).fit(X, INTERVALS)
    for model in (
        LogisticRegression(),
        GaussianNB(),
        RandomForestClassifier(3, random_state=0),
        ExtraTreesClassifier(3, random_state=0),
    ):
        yield (
            f"disambiguated {model!r:.12}",
            lambda m=model: DisambiguatedClassifier(m, weights=w).fit(X, SETS),
        )
    yield (
        "disambiguated ridge",
        lambda: DisambiguatedRegressor(Ridge(), weights=w).fit(X, INTERVALS),
    )


def by_default() -> Iterator[tuple[str, Fit]]:
    """What the estimators choose by themselves."""
    yield "labels", lambda: PartialLabelClassifier().fit(X, SETS)
    yield "numbers", lambda: IntervalRegressor().fit(X, INTERVALS)
    yield "orders", lambda: PartialRanker().fit(X, RANKS)
    yield "bits", lambda: PartialMultilabelClassifier().fit(X, BITS)
    yield "classifier", lambda: DisambiguatedClassifier().fit(X, SETS)
    yield "regressor", lambda: DisambiguatedRegressor().fit(X, INTERVALS)


def precomputed() -> Any:
    """A model whose inputs are pairs of samples."""
    return PartialLabelClassifier(PrecomputedWeights()).fit(np.exp(-_DISTANCES), SETS)


_METHODS = (
    *("predict", "predict_proba", "decision_function", "predict_interval", "predict_set"),
    *("predict_order", "pairwise_proba", "pair_shares", "tag_shares", "is_reached"),
)


def outputs(model: Any, queries: Any = QUERIES) -> dict[str, Any]:
    """What a model predicts, as arrays, or the text of its error; and its fitted arrays."""
    found: dict[str, Any] = {}
    for name in _METHODS:
        if hasattr(model, name):
            try:
                found[name] = np.asarray(getattr(model, name)(queries))
            except ValueError as error:
                found[name] = str(error)
    found |= {
        name: value
        for name, value in vars(model).items()
        if name.endswith("_") and isinstance(value, np.ndarray)
    }
    return found
