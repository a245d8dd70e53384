"""Logistic models of pairs: utilities of items, or one regression for each pair."""

from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from sklearn.base import BaseEstimator

from disambig.candidates import PartialOrders
from disambig.estimators.rankers.features import kernel_features, linear_features
from disambig.estimators.rankers.logits import fit_logits, utility_differences
from disambig.notation import FloatArray
from disambig.parameters import check_choice, check_integer, check_number

_NAME = "LogisticRanker"


class LogisticRanker(BaseEstimator):
    """``P(i before j | x) = sigmoid(u_i(x) - u_j(x))``, from the observed pairs of partial orders.

    With utilities, a row that compares few items still teaches the others by the items that they
    share (Bradley and Terry). With one function for each pair, a pair learns from the rows that
    compare it (ranking by pairwise comparison).

    Parameters
    ----------
    form : {"utilities", "pairs"}, default "utilities"
        One function for each item, or for each pair.
    kernel : {"gaussian", "laplacian"} or None, default None
        None: the functions are linear.
    bandwidth : float, default 1.0
        Of the kernel, in units of the median distance between training rows.
    regularization : float, default 1e-3
        Ridge on the functions, in units of the mean log loss of a pair.
    scales : array (d,), optional
        Factors of the features; by default they get unit variance.
    n_landmarks : int, default 500
        Distinct rows at most that span the functions of a kernel.

    Attributes
    ----------
    coefficients_ : Coefficients
    n_iter_ : int
    converged_ : bool

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(-1.0, 1.0, 20)[:, None]
    >>> orders = PartialOrders.from_any(["a>b" if x < 0 else "b>c>a" for x in X[:, 0]])
    >>> LogisticRanker().fit(X, orders).pair_shares([[-1.0]]).round(1).tolist()
    [[1.0, 1.0, 0.0]]
    """

    def __init__(
        self,
        form: Literal["utilities", "pairs"] = "utilities",
        *,
        kernel: str | None = None,
        bandwidth: float = 1.0,
        regularization: float = 1e-3,
        scales: Any = None,
        n_landmarks: int = 500,
    ) -> None:
        self.form = form
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.regularization = regularization
        self.scales = scales
        self.n_landmarks = n_landmarks

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the functions.

        Parameters
        ----------
        X : float array or csr_array (n, d)
        y : PartialOrders of n rows, or what `PartialOrders.from_any` reads
        sample_weight : float array (n,), optional
        """
        check_choice(_NAME, "form", self.form, ("utilities", "pairs"))
        check_number(_NAME, "regularization", self.regularization, positive=True)
        orders = PartialOrders.from_any(y)
        n, m = orders.shape
        weights = np.ones(n) if sample_weight is None else np.asarray(sample_weight, np.float64)
        self._features_ = self._fitted_features(X, weights)
        n_pairs = m * (m - 1) // 2
        self._margins_ = (
            utility_differences(m) if self.form == "utilities" else sp.csr_array(sp.eye(n_pairs))
        )
        signs = orders.signs().astype(np.float64)
        self.coefficients_ = fit_logits(
            self._features_(X), signs, weights, self._margins_, float(self.regularization)
        )
        self.n_iter_ = self.coefficients_.n_iter
        self.converged_ = self.coefficients_.converged
        return self

    def _fitted_features(self, X: Any, sample_weight: FloatArray) -> Any:
        if self.kernel is None:
            return linear_features(X, sample_weight, self.scales)
        check_choice(_NAME, "kernel", self.kernel, ("gaussian", "laplacian"))
        check_number(_NAME, "bandwidth", self.bandwidth, positive=True)
        check_integer(_NAME, "n_landmarks", self.n_landmarks, least=1)
        return kernel_features(
            X, sample_weight, self.scales, self.kernel, self.bandwidth, self.n_landmarks
        )

    def pair_shares(self, X: Any) -> FloatArray:
        """``P(i before j)`` of the pairs i < j, ``(q, pairs)``."""
        X = X if sp.issparse(X) else np.asarray(X, np.float64)
        shares: FloatArray = expit(self.coefficients_(self._features_(X)) @ self._margins_)
        return shares
