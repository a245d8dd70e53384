"""Weightings that are made of other weightings.

`FittedWeights` uses a weighting that is fitted already, `MixedWeights` averages several weightings,
and `ScaledWeights` scales the columns of the inputs of one.
"""

import copy
from functools import partial
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from disambig.exceptions import VotesError
from disambig.notation import BoolArray, FloatArray
from disambig.parameters import check_flag
from disambig.votes import Votes
from disambig.votes.mixture import mixture_of
from disambig.weights.divided.rows import is_divided
from disambig.weights.inputs import (
    checked_sample_weight,
    divided_error,
    entry_error,
    query_inputs,
    training_inputs,
)
from disambig.weights.protocol import InformedWeights, Weights
from disambig.weights.registry import is_pairwise, resolve_weights
from disambig.weights.row_groups import row_keys

_FITTED = "FittedWeights"
_MIXED = "MixedWeights"
_SCALED = "ScaledWeights"


class FittedWeights(BaseEstimator):
    """The votes of a fitted weighting, for an estimator that is fitted on the same rows.

    Estimators clone and fit the weighting that they are given; `FittedWeights` makes them use it as
    it is. `fit` learns nothing. It checks that the rows and their sample weights are those that the
    weighting was fitted on, and raises an error otherwise. A clone shares the fitted weighting.

    Parameters
    ----------
    weights : weighting
        Fitted, and one that keeps its training rows in ``X_fit_`` and their weights in
        ``sample_weight_``.

    Examples
    --------
    A regularisation path from one kernel matrix:

    >>> import numpy as np
    >>> from disambig import PartialLabelClassifier
    >>> from disambig.weights import KernelRidgeWeights
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> y = [{"a", "b"}, {"a", "c"}, {"a"}, {"b", "c"}, {"b"}, {"a", "b"}]
    >>> whole = KernelRidgeWeights(bandwidth=1.0).fit(X)
    >>> for lam in (1e-3, 1e-1):
    ...     clf = PartialLabelClassifier(weights=FittedWeights(whole.at_regularization(lam)))
    ...     print(clf.fit(X, y).predict([[0.0], [5.0]]))
    ['a' 'b']
    ['a' 'b']
    """

    def __init__(self, weights: Any) -> None:
        self.weights = weights

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Check that `X`, ``(n, d)``, and the sample weights are those of the fitted weighting."""
        self._check()
        kept = self.weights.X_fit_
        if not _is_equal(X, kept):
            raise VotesError(
                f"{_FITTED}: {type(self.weights).__name__} was fitted on other rows (shape "
                f"{kept.shape}) than these (shape {tuple(X.shape)}). Fit it on the rows that the "
                "estimator is given, or pass it without FittedWeights to have it fitted."
            )
        sample_weight = checked_sample_weight(_FITTED, sample_weight, kept.shape[0])
        if not np.array_equal(sample_weight, self.weights.sample_weight_):
            row = int(np.flatnonzero(sample_weight != self.weights.sample_weight_)[0])
            raise VotesError(
                f"{_FITTED}: {type(self.weights).__name__} was fitted with other sample weights: "
                f"that of row {row} was {self.weights.sample_weight_[row]:g} and is now "
                f"{sample_weight[row]:g}. Fit it with the weights that the estimator is given."
            )
        return self

    def training_votes(self) -> Votes:
        """`training_votes` of the fitted weighting."""
        votes: Votes = self.weights.training_votes()
        return votes

    def leave_one_out_votes(self) -> Votes:
        """`leave_one_out_votes` of the fitted weighting."""
        votes: Votes = self.weights.leave_one_out_votes()
        return votes

    def votes(self, X: Any) -> Votes:
        """`votes` of the fitted weighting at new inputs ``(q, d)``."""
        weights = self.weights
        if hasattr(weights, "feature_names_in_") and not hasattr(X, "columns"):
            # An estimator checks the column names of a frame itself and passes on an array, about
            # which the weighting would warn.
            weights = copy.copy(weights)
            del weights.feature_names_in_
        votes: Votes = weights.votes(X)
        return votes

    def __sklearn_clone__(self) -> Self:
        return self

    def __sklearn_is_fitted__(self) -> bool:
        try:
            check_is_fitted(self.weights)
        except NotFittedError:
            return False
        return True

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.weights)

    def _check(self) -> None:
        if not isinstance(self.weights, Weights):
            raise TypeError(
                f"{_FITTED}: weights must be a fitted weighting; got {type(self.weights).__name__}."
            )
        check_is_fitted(self.weights)
        if not (hasattr(self.weights, "X_fit_") and hasattr(self.weights, "sample_weight_")):
            raise TypeError(
                f"{_FITTED}: {type(self.weights).__name__} does not keep the rows that it was "
                "fitted on, so they cannot be compared. Pass it without FittedWeights."
            )


def _is_equal(X: Any, kept: Any) -> bool:
    if tuple(X.shape) != tuple(kept.shape):
        return False
    if is_divided(X) or is_divided(kept):
        return X is kept or np.array_equal(row_keys(X), row_keys(kept))
    if sp.issparse(kept):
        return bool((sp.csr_array(X) != kept).nnz == 0)
    array = X.toarray() if sp.issparse(X) else np.asarray(X)
    return np.array_equal(array.astype(kept.dtype, copy=False), kept)


class MixedWeights(BaseEstimator):
    """``alpha = sum_k shares[k] alpha_k``: a weighted mean of several weightings.

    Parameters
    ----------
    members : list of str, weighting or callable
        The weightings. All of them read X as features, or all as pairs of samples.
    shares : array-like (members,), default=None
        One number for each member, not negative, not all zero; they are scaled to sum to one. By
        default all shares are equal.
    leave_one_out : bool, default=False
        Whether `training_votes` are `leave_one_out_votes`.

    Attributes
    ----------
    members_ : list of fitted weightings
    shares_ : tuple of float
        Scaled to sum to one.
    sample_weight_ : float64, (n,)
        Weight of each training row.
    n_features_in_ : int

    Examples
    --------
    >>> from disambig.weights import KernelRidgeWeights, NeighborWeights
    >>> X = [[0.0], [0.1], [5.0]]
    >>> near = NeighborWeights(1)
    >>> mixed = MixedWeights([near, KernelRidgeWeights(bandwidth=1.0)], shares=[3, 1]).fit(X)
    >>> (mixed.votes([[0.1]]) @ [0.0, 1.0, 0.0]).round(3)
    array([0.953])
    """

    def __init__(self, members: Any, shares: Any = None, *, leave_one_out: bool = False) -> None:
        self.members = members
        self.shares = shares
        self.leave_one_out = leave_one_out

    # The members join rows in parts, if they must.
    undivided = ""

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Fit every member on the training inputs ``(n, d)``."""
        check_flag(_MIXED, "leave_one_out", self.leave_one_out)
        members = [resolve_weights(weights) for weights in self._checked_members()]
        self.shares_ = self._scaled_shares(len(members))
        # The members check the rest of what they need; this sets n_features_in_.
        X = training_inputs(self, X)
        self.sample_weight_ = checked_sample_weight(_MIXED, sample_weight, X.shape[0])
        self.members_ = [weights.fit(X, sample_weight) for weights in members]
        return self

    def training_votes(self) -> Votes:
        """``alpha`` at the training inputs, ``(n, n)``; without own votes if `leave_one_out`."""
        check_is_fitted(self)
        if self.leave_one_out:
            return self.leave_one_out_votes()
        return mixture_of([weights.training_votes() for weights in self.members_], self.shares_)

    def leave_one_out_votes(self) -> Votes:
        """The mixture of the leave-one-out votes of the members, ``(n, n)``, diagonal zero."""
        check_is_fitted(self)
        parts = [weights.leave_one_out_votes() for weights in self.members_]
        return mixture_of(parts, self.shares_)

    def votes(self, X: Any) -> Votes:
        """``alpha`` at new inputs ``(q, d)``."""
        X = query_inputs(self, X)
        return mixture_of([weights.votes(X) for weights in self.members_], self.shares_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = all(is_pairwise(weights) for weights in self._checked_members())
        return tags

    def _checked_members(self) -> list[Any]:
        if not isinstance(self.members, list | tuple) or not len(self.members):
            raise ValueError(
                f"{_MIXED}: members must be a list of weightings, at least one, such as "
                f"['neighbors', 'kernel_ridge']; got {self.members!r}."
            )
        pairwise = [is_pairwise(weights) for weights in self.members]
        if any(pairwise) and not all(pairwise):
            raise ValueError(
                f"{_MIXED}: member {pairwise.index(True)} reads X as pairs of samples and member "
                f"{pairwise.index(False)} as features; X cannot be both."
            )
        return list(self.members)

    def _scaled_shares(self, count: int) -> tuple[float, ...]:
        if self.shares is None:
            return (1.0 / count,) * count
        shares = np.asarray(self.shares, dtype=object).ravel()
        numbers = [float(s) if isinstance(s, int | float | np.number) else np.nan for s in shares]
        total = sum(numbers)
        if len(numbers) != count or not np.isfinite(total) or min(numbers) < 0 or total <= 0:
            raise ValueError(
                f"{_MIXED}: shares must be {count} numbers, not negative and not all zero; got "
                f"{self.shares!r}."
            )
        return tuple(number / total for number in numbers)


class ScaledWeights(BaseEstimator):
    """The votes of a weighting at ``X * scales``: a larger scale counts more in distances.

    Parameters
    ----------
    weights : str, weighting or callable
    scales : array-like (d,)
        A factor for each column, not negative; a column of scale 0 has no effect.
    leave_one_out : bool, default=False
        Whether `training_votes` are `leave_one_out_votes`.

    Attributes
    ----------
    weights_ : fitted weighting
    sample_weight_ : float64, (n,)
        Weight of each training row.
    n_features_in_ : int

    Examples
    --------
    >>> from disambig.weights import NeighborWeights
    >>> X = [[0.0, 9.0], [0.1, 0.0], [5.0, 9.0]]
    >>> scaled = ScaledWeights(NeighborWeights(1), scales=[1.0, 0.0]).fit(X)
    >>> scaled.votes([[0.1, 9.0]]) @ [1.0, 2.0, 3.0]
    array([2.])
    """

    def __init__(self, weights: Any, scales: Any, *, leave_one_out: bool = False) -> None:
        self.weights = weights
        self.scales = scales
        self.leave_one_out = leave_one_out

    # The weighting joins rows in parts, if it must.
    undivided = ""

    @property
    def informed_only(self) -> bool:
        """Whether only informed rows vote, whatever the method; as the weighting says."""
        return bool(getattr(resolve_weights(self.weights), "informed_only", False))

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Fit the weighting on the scaled training inputs ``(n, d)``."""
        return self.fit_informed(X, sample_weight)

    def fit_informed(
        self,
        X: Any,
        sample_weight: FloatArray | None = None,
        informed: BoolArray | None = None,
    ) -> Self:
        """`fit` where only the rows in ``informed`` vote, if the weighting is one of this kind."""
        check_flag(_SCALED, "leave_one_out", self.leave_one_out)
        if is_pairwise(self.weights):
            raise ValueError(
                f"{_SCALED}: the weighting reads X as pairs of samples, which have no columns to "
                "scale. Use a weighting of features."
            )
        X = training_inputs(self, X)
        self.sample_weight_ = checked_sample_weight(_SCALED, sample_weight, X.shape[0])
        self._factors = self._checked_factors(X.shape[1])
        weighting, inputs = resolve_weights(self.weights), self._scaled(X, training=True)
        if informed is not None and isinstance(weighting, InformedWeights):
            self.weights_: Weights = weighting.fit_informed(inputs, sample_weight, informed)
        else:
            self.weights_ = weighting.fit(inputs, sample_weight)
        return self

    def training_votes(self) -> Votes:
        """`training_votes` of the weighting; `leave_one_out_votes` if `leave_one_out`."""
        check_is_fitted(self)
        if self.leave_one_out:
            return self.leave_one_out_votes()
        return self.weights_.training_votes()

    def leave_one_out_votes(self) -> Votes:
        """`leave_one_out_votes` of the weighting."""
        check_is_fitted(self)
        return self.weights_.leave_one_out_votes()

    def votes(self, X: Any) -> Votes:
        """`votes` of the weighting at the scaled queries ``(q, d)``."""
        X = query_inputs(self, X)
        return self.weights_.votes(self._scaled(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @property
    def divided_transform(self) -> Any:
        """The map of inputs, without the weighting."""
        return partial(_multiplied, factors=self._factors)

    def _scaled(self, X: Any, *, training: bool = False) -> Any:
        if is_divided(X):
            scaled_rows = X.transformed(_multiplied, self._factors)
            error = divided_error(scaled_rows)
            if error is not None:
                raise VotesError(f"{_SCALED}: multiplied by its scales, {error}")
            return scaled_rows
        if sp.issparse(X):
            scaled = sp.csr_array(X.multiply(self._factors[None, :]))
        else:
            scaled = X * self._factors
        names = getattr(self, "feature_names_in_", None)
        error = entry_error(scaled, names, training=training)
        if error is not None:
            raise VotesError(f"{_SCALED}: multiplied by its scales, {error}")
        return scaled

    def _checked_factors(self, d: int) -> FloatArray:
        given = np.asarray(self.scales)
        numeric = given.dtype.kind in "iufb" and given.ndim == 1
        factors = given.astype(np.float64) if numeric else np.zeros(0)
        if factors.shape != (d,) or not (np.isfinite(factors) & (factors >= 0)).all():
            raise ValueError(
                f"{_SCALED}: scales must be {d} finite numbers >= 0, one for each column of X; got "
                f"{self.scales!r}."
            )
        return factors


def _multiplied(part: FloatArray, factors: FloatArray) -> FloatArray:
    """The rows of one part, scaled."""
    return part * factors
