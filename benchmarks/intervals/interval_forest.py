"""A max-margin interval tree, and a forest: the mean of trees grown on bootstrap samples."""

import numpy as np

from benchmarks.intervals.interval_tree import grow
from benchmarks.intervals.method import MARGINS, Method, Predict, grid
from disambig.notation import FloatArray

__all__ = ["FOREST", "TREE"]

N_TREES = 100


def fit_tree(
    X: FloatArray, lower: FloatArray, upper: FloatArray, *, seed: int, margin: float, min_leaf: int
) -> Predict:
    return grow(X, lower, upper, margin=margin, min_leaf=min_leaf).predict


def fit_forest(
    X: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    *,
    seed: int,
    margin: float,
    min_leaf: int,
    share: float,
) -> Predict:
    """A forest; the `share` of the features is drawn at every node."""
    n, d = X.shape
    rng = np.random.default_rng(seed)
    trees = [
        grow(
            X,
            lower,
            upper,
            margin=margin,
            min_leaf=min_leaf,
            counts=np.bincount(rng.integers(n, size=n), minlength=n),
            n_features=max(1, round(share * d)),
            rng=rng,
        )
        for _ in range(N_TREES)
    ]
    return lambda queries: np.mean([tree.predict(queries) for tree in trees], axis=0)


TREE = Method("interval tree", fit_tree, grid(min_leaf=(30, 15, 7, 3), margin=MARGINS))
FOREST = Method(
    "interval forest",
    fit_forest,
    grid(min_leaf=(5, 1), share=(1 / 3, 2 / 3), margin=MARGINS),
)
