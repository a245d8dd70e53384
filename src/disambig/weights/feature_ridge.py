"""Ridge regression on features: directly where they fit in memory, by iteration where not."""

from typing import Any

import numpy as np

from disambig.notation import FloatArray
from disambig.weights.feature_rows import FeatureMap
from disambig.weights.iterated_rank import IteratedRank, iterated_rank
from disambig.weights.low_rank import LowRank, fits_in_memory, low_rank

__all__ = ["SOLVERS", "feature_ridge", "is_direct"]

SOLVERS = ("auto", "direct", "iterative")


def is_direct(solver: str, n: int, rank: int, masses: FloatArray) -> bool:
    """Whether features are kept and decomposed; "auto": if they fit in half of the free memory.

    Iteration saves half of the time of the decomposition, once, and takes 10 to 25 times as long
    for every product (45 to 100 times where features are made anew; measured for n = 10 000,
    p = 500 and 2000): it pays for a handful of products, or where memory is short.
    """
    return solver == "direct" or (solver == "auto" and fits_in_memory(n, rank, masses))


def feature_ridge(
    owner: str,
    feature_map: FeatureMap,
    X: Any,
    masses: FloatArray,
    *,
    direct: bool,
    intercept: bool,
    random: np.random.RandomState,
) -> LowRank | IteratedRank:
    """The regression on the features of the training rows, for every ridge."""
    if direct:
        return low_rank(owner, feature_map, X, masses, rank=feature_map.rank, intercept=intercept)
    return iterated_rank(owner, feature_map, X, masses, intercept=intercept, random=random)
