"""PRODEN: the model's own belief in each candidate weighs its loss (Lv et al., 2020).

Stochastic descent, with momentum .9, on ``-sum_{c in s} w_c log p_c(x)``. The weights of a row are
uniform on its set at first; whenever the row was in a batch they become p, cut to the set and
scaled to sum one. Learning rate and weight decay are searched, as in the paper. The last layer
starts at 0: the beliefs of a network drawn at random would be the first to be confirmed.
"""

from functools import partial

import numpy as np

from benchmarks.accuracy.method import Fitted, Method, best_candidates, grid
from benchmarks.accuracy.network import Network
from disambig.notation import BoolArray, FloatArray, IntArray

__all__ = ["PROGRESSIVE", "fit_progressive"]

_BATCH = 64
_N_EPOCHS = 100
_WIDTH = 128
_LEAST = 1e-12


def fit_progressive(
    X: FloatArray, mask: BoolArray, *, seed: int, width: int | None, rate: float, decay: float
) -> Fitted:
    rng = np.random.default_rng(seed)
    network = Network(X.shape[1], mask.shape[1], width, rng)
    weights = mask / mask.sum(axis=1, keepdims=True)
    for _ in range(_N_EPOCHS):
        order = rng.permutation(len(X))
        for start in range(0, len(X), _BATCH):
            batch = order[start : start + _BATCH]
            p = network.step(X[batch], weights[batch], rate=rate, decay=decay)
            # A row whose candidates have all lost every chance starts again from all of them.
            kept = np.where(mask[batch], p + _LEAST, 0.0)
            weights[batch] = kept / kept.sum(axis=1, keepdims=True)

    def predict(queries: FloatArray) -> IntArray:
        return np.asarray(network.probabilities(queries).argmax(axis=1), dtype=np.intp)

    return Fitted(predict, best_candidates(network.probabilities(X), mask))


_SETTINGS = grid(rate=(0.05, 0.01), decay=(1e-2, 1e-3, 1e-4))

PROGRESSIVE = (
    Method("PRODEN, linear", partial(fit_progressive, width=None), _SETTINGS),
    Method("PRODEN, MLP", partial(fit_progressive, width=_WIDTH), _SETTINGS),
)
