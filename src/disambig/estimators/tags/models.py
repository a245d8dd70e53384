"""Models of tags: a classifier for each tag, and mixtures."""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from disambig.candidates import PartialBits
from disambig.estimators.held_out.tag_shares import mixed_shares
from disambig.estimators.mixture import FittedMixture, Mixture, fit_mixture
from disambig.estimators.rows.kept import (
    KeptRows,
    kept_inputs,
)
from disambig.estimators.selection.scales import scaled_inputs, unit_scales
from disambig.notation import FloatArray, IntArray


class PerTagClassifier(BaseEstimator):
    """One classifier for each tag; unknown tags of a row play no part.

    Parameters
    ----------
    estimator : scikit-learn classifier
        With ``predict_proba``, and a `sample_weight` in ``fit``.
    standardize : bool, default False
        Whether features are centred and scaled to unit variance first, for linear models.

    Attributes
    ----------
    models_ : list
        For each tag the fitted classifier; or the share of ones (a float) if the tag has one known
        value only, 1/2 if it has none.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> y = PartialBits.from_any([[0, 1], [0, np.nan], [1, np.nan], [1, 1]])
    >>> PerTagClassifier(LogisticRegression()).fit(X, y).predict([[0.5], [2.5]]).tolist()
    [[0, 1], [1, 1]]
    """

    def __init__(self, estimator: Any, *, standardize: bool = False) -> None:
        self.estimator = estimator
        self.standardize = standardize

    def fit(self, X: Any, y: Any, sample_weight: FloatArray | None = None) -> Self:
        """Fit the classifiers.

        Parameters
        ----------
        X : (n, d)
        y : PartialBits, or any form that it reads
        sample_weight : float array (n,), optional
        """
        bits = PartialBits.from_any(y)
        weights = np.ones(len(bits)) if sample_weight is None else np.asarray(sample_weight)
        self._scales_: FloatArray | None = None
        self._center_: FloatArray | None = None
        if self.standardize:
            if not sp.issparse(X):
                self._center_ = weights @ np.asarray(X) / weights.sum()
            self._scales_ = unit_scales(X, weights)
        inputs = self._inputs(X)
        self.models_ = [
            self._model(inputs, bits.bits[:, tag], weights) for tag in range(bits.n_tags)
        ]
        return self

    def _model(self, inputs: Any, column: IntArray, weights: FloatArray) -> Any:
        known = np.flatnonzero(column >= 0)
        values = column[known]
        if not known.size:
            return 0.5
        if (values == values[0]).all():
            return float(values[0])
        return clone(self.estimator).fit(inputs[known], values, sample_weight=weights[known])

    def _inputs(self, X: Any) -> Any:
        if self._scales_ is None:
            return X
        return scaled_inputs(X if self._center_ is None else X - self._center_, self._scales_)

    def predict_proba(self, X: Any) -> FloatArray:
        """The probability of each tag, ``(q, m)``."""
        check_is_fitted(self)
        inputs = self._inputs(np.asarray(X) if isinstance(X, list) else X)
        q = inputs.shape[0]
        columns = [
            np.full(q, model) if isinstance(model, float) else model.predict_proba(inputs)[:, 1]
            for model in self.models_
        ]
        return np.column_stack(columns)

    def predict(self, X: Any) -> IntArray:
        """The more probable value of each tag, ``(q, m)``."""
        bits: IntArray = (self.predict_proba(X) > 0.5).astype(np.int8)
        return bits


def fit_tag_mixture(
    mixture: Mixture, X: Any, kept: KeptRows, taken: PartialBits, tag_weights: FloatArray
) -> tuple[FittedMixture, float]:
    """A mixture fitted on the rows that take part, and the mean loss of its held-out predictions.

    The loss is that of the known bits; `tag_weights` ``(m,)`` have sum one.
    """
    inputs = kept_inputs(X, kept)
    fitted = fit_mixture(mixture, inputs, taken, kept.weights, kept.groups, mixed_shares)
    known = taken.known * tag_weights * kept.sample_weight[:, None]
    wrong = known * ((fitted.held_out > 0.5) != (taken.bits == 1))
    weight = kept.sample_weight[taken.informative].sum()
    return fitted, float(wrong.sum() / weight)
