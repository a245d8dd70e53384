"""Logistic regression from bags of known class shares, and the linear votes that go with it.

If the inputs of a class look alike in all bags, a row with class probabilities ``p(x)`` is in bag b
with probability ``P(b) sum_k p_k(x) share_bk / share_k``. The regression maximises this likelihood
of the bags of the rows over linear logits, with a penalty on the coefficients.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax

from disambig.notation import FloatArray

_MAX_ITER = 100
# Likelihoods below this one have no finite logarithm.
_LEAST = 1e-12


@dataclass(frozen=True, eq=False)
class BagRegression:
    """Linear logits ``(X - center) @ coefficients + intercepts``, fitted to the bags of rows.

    Attributes
    ----------
    center : float array (d,)
    coefficients : float array (d, K)
    intercepts : float array (K,)
    ridge : float
        Of a least squares regression on the classes that shrinks about as much: the penalty divided
        by the mean squared gradient with respect to the logits of a row.
    """

    center: FloatArray
    coefficients: FloatArray
    intercepts: FloatArray
    ridge: float

    def __call__(self, X: Any) -> FloatArray:
        """The probabilities of the classes, ``(q, K)``."""
        found: FloatArray = softmax(self._logits(X), axis=1)
        return found

    def _logits(self, X: Any) -> FloatArray:
        shift = self.intercepts - self.center @ self.coefficients
        logits: FloatArray = np.asarray(X @ self.coefficients) + shift
        return logits


def bag_regression(
    X: Any,
    ratios: FloatArray,
    shares: FloatArray,
    penalty: float,
    start: BagRegression | None = None,
) -> BagRegression:
    """The regression of largest penalised likelihood that is reached from a start.

    The likelihood of two classes is concave in the probabilities, not in the coefficients.

    Parameters
    ----------
    X : array or sparse array (n, d)
        Of features of unit variance.
    ratios : float array (n, K)
        For each row the class shares of its bag, divided by those of all rows.
    shares : float array (K,)
        Those of all rows.
    penalty : float
        Half of it times the squared coefficients is added to the mean loss of the rows.
    start : BagRegression, optional
        By default a constant prediction: the class shares of all rows.

    Examples
    --------
    >>> X = np.linspace(-2.0, 2.0, 400)[:, None]
    >>> bags = (X[:, 0] + np.sin(40.0 * X[:, 0]) > 0).astype(int)
    >>> ratios = np.array([[1.8, 0.2], [0.2, 1.8]])[bags]
    >>> found = bag_regression(X, ratios, np.array([0.5, 0.5]), 0.01)
    >>> found(np.array([[-1.5], [1.5]])).argmax(axis=1).tolist()
    [0, 1]
    """
    (n, d), k = X.shape, len(shares)
    center = np.asarray(X.mean(axis=0), dtype=np.float64).ravel()
    first = np.zeros((d + 1, k))
    first[d] = np.log(np.maximum(shares, _LEAST))
    if start is not None:
        first[:d], first[d] = start.coefficients, start.intercepts

    def posterior(logits: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Minus the gradient of the loss of each row, ``(n, K)``, and likelihoods ``(n,)``."""
        probabilities = softmax(logits, axis=1)
        joint = probabilities * ratios
        likelihoods = np.maximum(joint.sum(axis=1), _LEAST)
        return joint / likelihoods[:, None] - probabilities, likelihoods

    def loss(flat: FloatArray) -> tuple[float, FloatArray]:
        table = flat.reshape(d + 1, k)
        logits = np.asarray(X @ table[:d]) + (table[d] - center @ table[:d])
        residuals, likelihoods = posterior(logits)
        total = residuals.sum(axis=0)
        slopes = np.asarray(X.T @ residuals) - center[:, None] * total
        value = -np.log(likelihoods).mean() + 0.5 * penalty * (table[:d] ** 2).sum()
        gradient = np.vstack([penalty * table[:d] - slopes / n, -total / n])
        return float(value), gradient.ravel()

    found = minimize(
        loss, first.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": _MAX_ITER}
    )
    table = found.x.reshape(d + 1, k)
    logits = np.asarray(X @ table[:d]) + (table[d] - center @ table[:d])
    curvature = float((posterior(logits)[0] ** 2).sum(axis=1).mean())
    return BagRegression(center, table[:d], table[d], penalty / max(curvature, _LEAST))
