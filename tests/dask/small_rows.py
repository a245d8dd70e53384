"""Few rows with sets of every kind, and workers that are threads of this process."""

import numpy as np
from distributed import Client

from disambig import (
    IntervalRegressor,
    PartialLabelClassifier,
    PartialMultilabelClassifier,
    PartialRanker,
)

N = 90
# Unequal, and empty.
CHUNKS = (20, 0, 31, 39)
ESTIMATORS = {
    "labels": PartialLabelClassifier,
    "numbers": IntervalRegressor,
    "bits": PartialMultilabelClassifier,
    "orders": PartialRanker,
}


def in_threads(n_workers):
    """Workers without processes, which share their memory."""
    return Client(
        processes=False,
        n_workers=n_workers,
        threads_per_worker=1,
        # Otherwise it takes port 8787, which other machines reach.
        dashboard_address="127.0.0.1:0",
    )


def inputs(seed=0, n=N, *, holes=False):
    """Rows of three columns; with holes a tenth of the cells, and all of row 7, are missing."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    if holes:
        X[rng.uniform(size=X.shape) < 0.1] = np.nan
        X[7] = np.nan
    return X


def targets(kind):
    """What is known of the rows of ``inputs()``."""
    rng, X = np.random.default_rng(1), inputs()
    truth = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)
    if kind == "labels":
        return np.eye(3, dtype=bool)[truth] | (rng.uniform(size=(N, 3)) < 0.3)
    if kind == "numbers":
        return np.column_stack([X[:, 0] - rng.uniform(size=N), X[:, 0] + rng.uniform(size=N)])
    if kind == "bits":
        return np.where(rng.uniform(size=(N, 3)) < 0.2, np.nan, np.eye(3)[truth])
    return [[(0, 1)] if one else [(1, 0), (1, 2)] for one in X[:, 0] > 0]
