"""A weighting that is fitted already.

Several weightings, heard together.

A weighting on inputs whose columns are scaled.
"""

import copy
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from disambig.exceptions import VotesError
from disambig.notation import FloatArray
from disambig.parameters import check_flag
from disambig.votes import MixtureVotes, Votes
from disambig.weights.inputs import checked_sample_weight, query_inputs, training_inputs
from disambig.weights.protocol import Weights
from disambig.weights.registry import is_pairwise, resolve_weights

_FITTED = "FittedWeights"
_MIXED = "MixedWeights"
_SCALED = "ScaledWeights"


class FittedWeights(BaseEstimator):
    """The votes of a fitted piece, for an estimator that is fitted on the same rows.

    Estimators clone and fit the weights that they are given; inside this they take them as they
    are. `fit` learns nothing: it looks whether the rows and their weights are those of the piece,
    and refuses others, so that votes are never those of other rows. A clone shares the piece.

    Parameters
    ----------
    piece : weighting
        Fitted, and one that keeps its training rows in ``X_fit_`` and their weights in
        ``sample_weight_``.

    Examples
    --------
    A path of ridges, from one kernel matrix:

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
        """Check that X, ``(n, d)``, and the weights are what the piece was fitted on."""
        self._check()
        kept = self.weights.X_fit_
        if not _same(X, kept):
            raise VotesError(
                f"{_FITTED}: {type(self.weights).__name__} was fitted on other rows (shape "
                f"{kept.shape}) than these (shape {tuple(X.shape)}). Fit the piece on the rows "
                "that the estimator is given, or pass it without FittedWeights to have it fitted."
            )
        sample_weight = checked_sample_weight(_FITTED, sample_weight, kept.shape[0])
        if not np.array_equal(sample_weight, self.weights.sample_weight_):
            row = int(np.flatnonzero(sample_weight != self.weights.sample_weight_)[0])
            raise VotesError(
                f"{_FITTED}: {type(self.weights).__name__} was fitted with other sample weights; row "
                f"{row} weighs {self.weights.sample_weight_[row]:g} there and {sample_weight[row]:g} "
                "here."
            )
        return self

    def training_votes(self) -> Votes:
        """Those of the piece."""
        votes: Votes = self.weights.training_votes()
        return votes

    def leave_one_out_votes(self) -> Votes:
        """Those of the piece."""
        votes: Votes = self.weights.leave_one_out_votes()
        return votes

    def votes(self, X: Any) -> Votes:
        """Those of the piece."""
        weights = self.weights
        if hasattr(weights, "feature_names_in_") and not hasattr(X, "columns"):
            # An estimator compares the names of a frame itself, and passes on its numbers.
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
                f"{_FITTED}: piece must be a fitted weighting; got {type(self.weights).__name__}."
            )
        check_is_fitted(self.weights)
        if not (hasattr(self.weights, "X_fit_") and hasattr(self.weights, "sample_weight_")):
            raise TypeError(
                f"{_FITTED}: {type(self.weights).__name__} does not keep the rows that it was fitted "
                "on, so that they cannot be compared. Pass it without FittedWeights."
            )


def _same(X: Any, kept: Any) -> bool:
    if tuple(X.shape) != tuple(kept.shape):
        return False
    if sp.issparse(kept):
        return bool((sp.csr_array(X) != kept).nnz == 0)
    array = X.toarray() if sp.issparse(X) else np.asarray(X)
    return np.array_equal(array.astype(kept.dtype, copy=False), kept)


class MixedWeights(BaseEstimator):
    """``alpha = sum_k shares[k] alpha_k``: each of several weightings has its share of the vote.

    Parameters
    ----------
    pieces : list of str, piece or callable
        The weightings. All of them read X as features, or all as pairs of samples.
    shares : array-like, default=None
        One for each piece, not negative, not all zero; they are scaled to sum one. By default all
        alike.
    leave_one_out : bool, default=False
        Whether `training_votes` are `leave_one_out_votes`.

    Attributes
    ----------
    pieces_ : list of fitted weightings
    shares_ : tuple of float
        Scaled to sum one.
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

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Fit every piece on the training inputs ``(n, d)``."""
        check_flag(_MIXED, "leave_one_out", self.leave_one_out)
        members = [resolve_weights(weights) for weights in self._listed()]
        self.shares_ = self._scaled(len(members))
        # The pieces refuse what they cannot read; here only the width is learned.
        X = training_inputs(self, X)
        self.sample_weight_ = checked_sample_weight(_MIXED, sample_weight, X.shape[0])
        self.members_ = [weights.fit(X, sample_weight) for weights in members]
        return self

    def training_votes(self) -> MixtureVotes:
        """``alpha`` at the training inputs, ``(n, n)``; leave-one-out if the piece says so."""
        check_is_fitted(self)
        if self.leave_one_out:
            return self.leave_one_out_votes()
        return MixtureVotes(
            tuple(weights.training_votes() for weights in self.members_), self.shares_
        )

    def leave_one_out_votes(self) -> MixtureVotes:
        """The mixture of what the others say in each weighting, ``(n, n)``, diagonal zero."""
        check_is_fitted(self)
        parts = tuple(weights.leave_one_out_votes() for weights in self.members_)
        return MixtureVotes(parts, self.shares_)

    def votes(self, X: Any) -> MixtureVotes:
        """``alpha`` at new inputs ``(q, d)``."""
        X = query_inputs(self, X)
        return MixtureVotes(tuple(weights.votes(X) for weights in self.members_), self.shares_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = all(is_pairwise(weights) for weights in self._listed())
        return tags

    def _listed(self) -> list[Any]:
        if not isinstance(self.members, list | tuple) or not len(self.members):
            raise ValueError(
                f"{_MIXED}: pieces must be a list of weightings, at least one, such as "
                f"['neighbors', 'kernel_ridge']; got {self.members!r}."
            )
        pairwise = [is_pairwise(weights) for weights in self.members]
        if any(pairwise) and not all(pairwise):
            raise ValueError(
                f"{_MIXED}: piece {pairwise.index(True)} reads X as pairs of samples and piece "
                f"{pairwise.index(False)} as features; X cannot be both."
            )
        return list(self.members)

    def _scaled(self, count: int) -> tuple[float, ...]:
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
    """The votes of a weighting at ``X * scales``: columns that matter count more in distances.

    Parameters
    ----------
    piece : str, piece or callable
    scales : array-like (d,)
        A factor for each column, not negative; a column of scale 0 is not seen.
    leave_one_out : bool, default=False
        Whether `training_votes` are `leave_one_out_votes`.

    Attributes
    ----------
    piece_ : fitted weighting
    sample_weight_ : float64, (n,)
        Weight of each training row.
    n_features_in_ : int

    Examples
    --------
    >>> from disambig.weights import NeighborWeights
    >>> X = [[0.0, 9.0], [0.1, 0.0], [5.0, 9.0]]
    >>> seen = ScaledWeights(NeighborWeights(1), scales=[1.0, 0.0]).fit(X)
    >>> seen.votes([[0.1, 9.0]]) @ [1.0, 2.0, 3.0]
    array([2.])
    """

    def __init__(self, weights: Any, scales: Any, *, leave_one_out: bool = False) -> None:
        self.weights = weights
        self.scales = scales
        self.leave_one_out = leave_one_out

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Fit the piece on the scaled training inputs ``(n, d)``."""
        check_flag(_SCALED, "leave_one_out", self.leave_one_out)
        if is_pairwise(self.weights):
            raise ValueError(
                f"{_SCALED}: the piece reads X as pairs of samples, which have no columns to scale."
            )
        X = training_inputs(self, X)
        self.sample_weight_ = checked_sample_weight(_SCALED, sample_weight, X.shape[0])
        self._factors = self._checked(X.shape[1])
        self.weights_ = resolve_weights(self.weights).fit(self._scaled(X), sample_weight)
        return self

    def training_votes(self) -> Votes:
        """Those of the piece; leave-one-out if this or the piece says so."""
        check_is_fitted(self)
        if self.leave_one_out:
            return self.leave_one_out_votes()
        return self.weights_.training_votes()

    def leave_one_out_votes(self) -> Votes:
        """Those of the piece."""
        check_is_fitted(self)
        return self.weights_.leave_one_out_votes()

    def votes(self, X: Any) -> Votes:
        """Those of the piece at the scaled queries ``(q, d)``."""
        X = query_inputs(self, X)
        return self.weights_.votes(self._scaled(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _scaled(self, X: Any) -> Any:
        if sp.issparse(X):
            return sp.csr_array(X.multiply(self._factors[None, :]))
        return X * self._factors

    def _checked(self, d: int) -> FloatArray:
        given = np.asarray(self.scales)
        numeric = given.dtype.kind in "iufb" and given.ndim == 1
        factors = given.astype(np.float64) if numeric else np.zeros(0)
        if factors.shape != (d,) or not (np.isfinite(factors) & (factors >= 0)).all():
            raise ValueError(
                f"{_SCALED}: scales must be {d} finite numbers >= 0, one for each column of X; got "
                f"{self.scales!r}."
            )
        return factors
