"""PL-SVM: the best candidate beats the best other class by a margin (Nguyen and Caruana, 2008).

Classification with partial labels, KDD. The objective is the mean of ``(1 - max_{c in s} w_c'x +
max_{c not in s} w_c'x)₊`` + penalty |W|² / 2. It is minimised by the steps of Pegasos: step t has
length 1 / (penalty t) along a subgradient and is projected into the ball that contains the minimum.
The paper chooses the penalty from the powers of ten from 1e-3 to 1e3.

Ours: from 10 on, nearly every row misses its margin for any power, and predictions hardly change.
So 10 is the largest penalty, and 1e-4 is added. Steps use 64 random rows, where public programs use
one or all. The result is the mean over the second half of the steps, which is less noisy than the
last one. There is a constant input. Rows that allow every class are not used.
"""

import numpy as np

from benchmarks.accuracy.method import Fitted, Method, best_candidates, grid
from disambig.notation import BoolArray, FloatArray, IntArray

__all__ = ["MAX_MARGIN", "descended", "fit_max_margin"]

_BATCH_ROWS = 64
_N_STEPS = 3000


def fit_max_margin(X: FloatArray, mask: BoolArray, *, seed: int, penalty: float) -> Fitted:
    rng = np.random.default_rng(seed)
    inputs = _with_constant(X)
    W = descended(inputs, mask, penalty, rng)

    def predict(queries: FloatArray) -> IntArray:
        return np.asarray((_with_constant(queries) @ W).argmax(axis=1), dtype=np.intp)

    return Fitted(predict, best_candidates(inputs @ W, mask))


def descended(
    X: FloatArray, mask: BoolArray, penalty: float, rng: np.random.Generator
) -> FloatArray:
    """W, (d, K), after all steps."""
    # With equal scores, the first candidate would be the best of every set.
    W = 1e-3 * rng.normal(size=(X.shape[1], mask.shape[1]))
    mean = np.zeros_like(W)
    informative = np.flatnonzero(~mask.all(axis=1))
    if not informative.size:
        return W
    radius = 1.0 / np.sqrt(penalty)
    half = _N_STEPS // 2
    each = np.arange(_BATCH_ROWS)
    for step in range(1, _N_STEPS + 1):
        batch = informative[rng.integers(informative.size, size=_BATCH_ROWS)]
        scores, allowed = X[batch] @ W, mask[batch]
        best = np.where(allowed, scores, -np.inf).argmax(axis=1)
        runner_up = np.where(allowed, -np.inf, scores).argmax(axis=1)
        misses_margin = (scores[each, best] - scores[each, runner_up] < 1.0).astype(np.float64)
        direction = np.zeros_like(scores)
        direction[each, best] = misses_margin
        direction[each, runner_up] = -misses_margin
        W = (1.0 - 1.0 / step) * W + X[batch].T @ direction / (penalty * step * _BATCH_ROWS)
        W *= min(1.0, radius / max(float(np.linalg.norm(W)), 1e-300))
        if step > half:
            mean += W / (_N_STEPS - half)
    return mean


def _with_constant(X: FloatArray) -> FloatArray:
    return np.column_stack([X, np.ones(len(X))])


MAX_MARGIN = Method("PL-SVM", fit_max_margin, grid(penalty=(10.0, 1.0, 0.1, 1e-2, 1e-3, 1e-4)))
