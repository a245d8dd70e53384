"""How many of the true neighbours an approximate search finds, estimated on a sample."""

import warnings
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.weights.approximate import ApproximateIndex
from disambig.weights.euclidean import EuclideanIndex
from disambig.weights.nearest import NeighborIndex, nearest_lists

__all__ = ["SAMPLE_SIZE", "search_with_recall"]

# Rows whose neighbours are searched exactly: the standard error of a recall of .99 is below .0015
# for k = 10.
SAMPLE_SIZE = 500
_FIRST_PROBES = 8
# With more of the cells looked into, the exact search is as quick (measured on noise).
_LARGEST_PART = 0.125


def search_with_recall(
    X: AnyArray,
    masses: FloatArray,
    wanted: float,
    *,
    min_recall: float,
    random_state: Any,
    n_jobs: int | None,
) -> tuple[NeighborIndex, float]:
    """An index that finds `min_recall` of the neighbours of a sample, and what it finds of them.

    The number of cells looked into is doubled until that is so. If an eighth of them is not
    enough, there is a warning and the search is exact.

    Parameters
    ----------
    X : float64 or float32 array, (n, d)
    masses : (n,)
    wanted : float
        Mass of the neighbours.
    min_recall : float
    random_state : int, RandomState or None
    n_jobs : int or None
    """
    random = check_random_state(random_state)
    n = X.shape[0]
    index = ApproximateIndex.build(X, seed=int(random.randint(2**31 - 1)), n_jobs=n_jobs)
    exact = EuclideanIndex.build(X, algorithm="brute", n_jobs=n_jobs)
    sample = np.sort(random.permutation(n)[:SAMPLE_SIZE])
    truth = _pairs(exact, X, sample, masses, wanted)
    probes, recall = _FIRST_PROBES, 0.0
    while probes <= max(_FIRST_PROBES, _LARGEST_PART * index.n_cells):
        index = index.with_probes(probes)
        recall = float(np.isin(truth, _pairs(index, X, sample, masses, wanted)).mean())
        if recall >= min_recall:
            return index, recall
        probes *= 2
    warnings.warn(
        f"NeighborWeights: algorithm='approximate' finds {recall:.3f} of the neighbours of "
        f"{sample.size} sampled rows, less than min_recall={min_recall:g}, with {index.n_probes} "
        f"of {index.n_cells} cells. The search is exact instead. Lower min_recall to accept it, or "
        "set algorithm='auto'.",
        UserWarning,
        stacklevel=5,
    )
    return exact, 1.0


def _pairs(
    index: NeighborIndex, X: AnyArray, sample: IntArray, masses: FloatArray, wanted: float
) -> IntArray:
    """(input, neighbour) as one number; the row itself left out, which is always found."""
    lists = nearest_lists(index, X[sample], masses, wanted, sample.astype(np.int64))
    rows = lists.rows()
    others = lists.indices != sample[rows]
    pairs: IntArray = rows[others] * lists.n + lists.indices[others]
    return pairs
