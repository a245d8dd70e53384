"""CLPL: one convex loss of the mean score of a set (Cour, Sapp and Taskar, 2011).

Learning from partial labels, JMLR 12. For scores ``g(x) = W' x + b`` the loss of a row is ``h(mean
of g_c, c in s) + sum of h(-g_c), c not in s`` with the squared hinge ``h(u) = (1 - u)₊²``. The
objective is its mean + penalty |W|² / 2. The paper minimises it by a linear support vector machine
whose rows are the stacked inputs; its cost C is a penalty of 1 / (n C).

Ours finds the same minimum by quasi-Newton steps, with scores that have a free constant. The
penalty is chosen (C = 1 on a thousand rows is 1e-3).
"""

import numpy as np
from scipy.optimize import minimize

from benchmarks.accuracy.method import Fitted, Method, best_candidates, grid
from disambig.notation import BoolArray, FloatArray, IntArray

__all__ = ["CONVEX", "best_parameters", "fit_convex", "loss_and_gradient"]

_MAX_STEPS = 1000


def loss_and_gradient(
    parameters: FloatArray, X: FloatArray, mask: BoolArray, penalty: float
) -> tuple[float, FloatArray]:
    """The objective and its gradient at W, (d, K), and b, (K,), in one vector."""
    n, d = X.shape
    W, b = _parts(parameters, d)
    scores = X @ W + b
    sizes = mask.sum(axis=1)
    inside = np.maximum(1.0 - np.where(mask, scores, 0.0).sum(axis=1) / sizes, 0.0)
    outside = np.where(mask, 0.0, np.maximum(1.0 + scores, 0.0))
    value = (np.sum(inside**2) + np.sum(outside**2)) / n + penalty * np.sum(W**2) / 2
    back = 2.0 / n * (outside - mask * (inside / sizes)[:, np.newaxis])
    gradient = np.concatenate([(X.T @ back + penalty * W).ravel(), back.sum(axis=0)])
    return float(value), gradient


def _parts(parameters: FloatArray, d: int) -> tuple[FloatArray, FloatArray]:
    table = parameters.reshape(d + 1, -1)
    return table[:d], table[d]


def best_parameters(X: FloatArray, mask: BoolArray, penalty: float) -> FloatArray:
    """The minimiser of `loss_and_gradient`, ((d + 1) K,)."""
    found = minimize(
        loss_and_gradient,
        np.zeros((X.shape[1] + 1) * mask.shape[1]),
        args=(X, mask, penalty),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": _MAX_STEPS},
    )
    return np.asarray(found.x)


def fit_convex(X: FloatArray, mask: BoolArray, *, seed: int, penalty: float) -> Fitted:
    W, b = _parts(best_parameters(X, mask, penalty), X.shape[1])

    def predict(queries: FloatArray) -> IntArray:
        return np.asarray((queries @ W + b).argmax(axis=1), dtype=np.intp)

    return Fitted(predict, best_candidates(X @ W + b, mask))


CONVEX = Method("CLPL", fit_convex, grid(penalty=(1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-5)), version="2")
