"""Penalised logistic regression of the signs of pairs: ``P(i before j | x) = sigmoid(margin)``.

All pairs are fitted together. Margins are linear functions of features, one for each pair, or
differences of utilities, one for each item.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.special import expit

from disambig.notation import FloatArray

# Margins that are in memory at once.
_MAX_MARGINS = 4_000_000
_MAX_ITERATIONS = 200
# Of the mean loss per pair, whose largest slope is one.
_GRADIENT_TOLERANCE = 1e-5
# Intercepts have a ridge, too: an item that is never compared keeps the utility 0.
_INTERCEPT_RIDGE = 1e-5


class Coefficients(NamedTuple):
    """Functions ``features @ slopes + intercepts``, k of them.

    Attributes
    ----------
    slopes : float (r, k)
    intercepts : float (k,)
    n_iter : int
    converged : bool
    """

    slopes: FloatArray
    intercepts: FloatArray
    n_iter: int
    converged: bool

    def __call__(self, features: Any) -> FloatArray:
        """Values ``(q, k)``."""
        values: FloatArray = np.asarray(features @ self.slopes) + self.intercepts
        return values


def utility_differences(m: int) -> sp.csr_array:
    """The matrix ``(m, pairs)`` that turns utilities of items into margins of pairs i < j.

    Examples
    --------
    >>> utility_differences(3).toarray().astype(int).tolist()
    [[1, 1, 0], [-1, 0, 1], [0, -1, -1]]
    """
    i, j = np.triu_indices(m, 1)
    pairs = np.arange(i.size)
    ones = np.ones(i.size)
    entries = np.concatenate([ones, -ones]), (np.concatenate([i, j]), np.tile(pairs, 2))
    return sp.csr_array(sp.coo_array(entries, shape=(m, i.size)))


def fit_logits(
    features: Any,
    signs: FloatArray,
    sample_weight: FloatArray,
    margins: sp.csr_array,
    ridge: float,
) -> Coefficients:
    """Minimise ``mean log(1 + exp(-sign margin)) + ridge / 2 |slopes|^2`` over observed pairs.

    Parameters
    ----------
    features : (n, r), dense or sparse
    signs : (n, pairs)
        1 where i stands before j, -1 where after, 0 where the pair is not observed.
    sample_weight : float (n,)
    margins : sparse (k, pairs)
        Turns the values of the k functions into margins of pairs.
    ridge : float
    """
    n, r = features.shape
    k, n_pairs = margins.shape
    total = float(sample_weight @ np.count_nonzero(signs, axis=1))
    if total == 0.0:
        return Coefficients(np.zeros((r, k)), np.zeros(k), 0, True)
    # Slopes in units of their curvature: without it features of small spread need many steps.
    units = 1.0 / np.sqrt(_mean_squares(features, sample_weight) / 4.0 + k * ridge)
    rows_at_once = max(1, _MAX_MARGINS // max(1, n_pairs))
    blocks = [slice(start, start + rows_at_once) for start in range(0, n, rows_at_once)]
    ridges = np.append(ridge * units**2, _INTERCEPT_RIDGE)[:, None]

    def objective(flat: FloatArray) -> tuple[float, FloatArray]:
        scaled = flat.reshape(r + 1, k)
        slopes = scaled[:-1] * units[:, None]
        value = 0.5 * float((ridges * scaled**2).sum())
        gradient = ridges * scaled
        for rows in blocks:
            block, observed = features[rows], signs[rows]
            agreement = observed * ((np.asarray(block @ slopes) + scaled[-1]) @ margins)
            share = sample_weight[rows, None] / total
            losses = np.where(observed != 0, np.logaddexp(0.0, -agreement), 0.0)
            value += float((share * losses).sum())
            pulls = (-share * observed * expit(-agreement)) @ margins.T
            gradient[:-1] += units[:, None] * np.asarray(block.T @ pulls)
            gradient[-1] += pulls.sum(axis=0)
        return value, gradient.ravel()

    found = minimize(
        objective,
        np.zeros((r + 1) * k),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": _MAX_ITERATIONS, "gtol": _GRADIENT_TOLERANCE, "ftol": 1e-9},
    )
    scaled = found.x.reshape(r + 1, k)
    return Coefficients(
        scaled[:-1] * units[:, None], scaled[-1].copy(), int(found.nit), bool(found.success)
    )


def _mean_squares(features: Any, sample_weight: FloatArray) -> FloatArray:
    squares = features.multiply(features) if sp.issparse(features) else features**2
    means: FloatArray = np.asarray(squares.T @ (sample_weight / sample_weight.sum()))
    return means
