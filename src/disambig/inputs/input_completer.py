"""`InputCompleter`: inputs that are known in part, as arrays of expected values."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from disambig.inputs.checked import read_inputs
from disambig.inputs.distribution import fit_distribution
from disambig.notation import AnyArray, FloatArray
from disambig.parameters import check_integer


class InputCompleter(TransformerMixin, BaseEstimator):
    """Inputs that are known in part become arrays: a cell its expected value inside of its set.

    Given is what is known of the row. Targets play no part; `DisambiguatedInputs` uses these, too.

    Parameters
    ----------
    n_draws : int, default 20
        Draws of a row that expected values are means of.
    random_state : int, default 0

    Attributes
    ----------
    distribution_ : InputDistribution
    n_features_in_ : int

    Examples
    --------
    >>> from disambig.inputs import PartialInputs
    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> z = np.random.default_rng(0).normal(size=200)
    >>> X = PartialInputs.from_rounding(np.c_[z.round(), 2 * z], digits=[0, None])
    >>> model = make_pipeline(InputCompleter(), LinearRegression()).fit(X, 3 * z)
    >>> bool(model.score(X, 3 * z) > 0.99), X.contains(model[0].transform(X), 1e-9).all()
    (True, np.True_)
    """

    def __init__(self, n_draws: int = 20, *, random_state: int = 0) -> None:
        self.n_draws = n_draws
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the distribution of inputs.

        Parameters
        ----------
        X : PartialInputs, frame, or array-like (n, d) with NaN where missing
        y : ignored
        sample_weight : array-like (n,), optional
        """
        check_integer("InputCompleter", "n_draws", self.n_draws, least=1)
        check_integer("InputCompleter", "random_state", self.random_state, least=0)
        inputs = read_inputs(self, X, reset=True)
        weights = _check_sample_weight(
            sample_weight, inputs.lower, dtype=np.float64, ensure_non_negative=True
        )
        self.distribution_ = fit_distribution(inputs, weights, self.random_state)
        self._names_ = inputs.names
        return self

    def transform(self, X: Any) -> FloatArray:
        """Expected inputs, ``(q, d)``; what is known stays to the last bit.

        Parameters
        ----------
        X : PartialInputs, frame, or array-like (q, d)
        """
        check_is_fitted(self)
        inputs = read_inputs(self, X, reset=False)
        return self.distribution_.means(inputs, self.n_draws, self.random_state)

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        """Names of the columns.

        Parameters
        ----------
        input_features : ignored
        """
        check_is_fitted(self)
        given = self._names_ or [f"x{column}" for column in range(self.n_features_in_)]
        return np.array(given, dtype=object)
