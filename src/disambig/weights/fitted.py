"""A weighting that is fitted already."""

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
from disambig.votes import Votes
from disambig.weights.masses import row_masses
from disambig.weights.protocol import Weights

__all__ = ["FittedWeights"]

_NAME = "FittedWeights"


class FittedWeights(BaseEstimator):
    """The votes of a fitted piece, for an estimator that is fitted on the same rows.

    Estimators clone and fit the weights that they are given; inside this they take them as they
    are. `fit` learns nothing: it looks whether the rows and their weights are those of the piece,
    and refuses others, so that votes are never those of other rows. A clone shares the piece.

    Parameters
    ----------
    piece : weighting
        Fitted, and one that keeps its training rows in ``X_fit_`` and their weights in
        ``masses_``.

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

    def __init__(self, piece: Any) -> None:
        self.piece = piece

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Check that X, ``(n, d)``, and the weights are what the piece was fitted on."""
        self._check()
        kept = self.piece.X_fit_
        if not _same(X, kept):
            raise VotesError(
                f"{_NAME}: {type(self.piece).__name__} was fitted on other rows (shape "
                f"{kept.shape}) than these (shape {tuple(X.shape)}). Fit the piece on the rows "
                "that the estimator is given, or pass it without FittedWeights to have it fitted."
            )
        masses = row_masses(_NAME, sample_weight, kept.shape[0])
        if not np.array_equal(masses, self.piece.masses_):
            row = int(np.flatnonzero(masses != self.piece.masses_)[0])
            raise VotesError(
                f"{_NAME}: {type(self.piece).__name__} was fitted with other sample weights; row "
                f"{row} weighs {self.piece.masses_[row]:g} there and {masses[row]:g} here."
            )
        return self

    def training_votes(self) -> Votes:
        """Those of the piece."""
        votes: Votes = self.piece.training_votes()
        return votes

    def leave_one_out_votes(self) -> Votes:
        """Those of the piece."""
        votes: Votes = self.piece.leave_one_out_votes()
        return votes

    def votes(self, X: Any) -> Votes:
        """Those of the piece."""
        piece = self.piece
        if hasattr(piece, "feature_names_in_") and not hasattr(X, "columns"):
            # An estimator compares the names of a frame itself, and passes on its numbers.
            piece = copy.copy(piece)
            del piece.feature_names_in_
        votes: Votes = piece.votes(X)
        return votes

    def __sklearn_clone__(self) -> Self:
        return self

    def __sklearn_is_fitted__(self) -> bool:
        try:
            check_is_fitted(self.piece)
        except NotFittedError:
            return False
        return True

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.piece)

    def _check(self) -> None:
        if not isinstance(self.piece, Weights):
            raise TypeError(
                f"{_NAME}: piece must be a fitted weighting; got {type(self.piece).__name__}."
            )
        check_is_fitted(self.piece)
        if not (hasattr(self.piece, "X_fit_") and hasattr(self.piece, "masses_")):
            raise TypeError(
                f"{_NAME}: {type(self.piece).__name__} does not keep the rows that it was fitted "
                "on, so that they cannot be compared. Pass it without FittedWeights."
            )


def _same(X: Any, kept: Any) -> bool:
    if tuple(X.shape) != tuple(kept.shape):
        return False
    if sp.issparse(kept):
        return bool((sp.csr_array(X) != kept).nnz == 0)
    array = X.toarray() if sp.issparse(X) else np.asarray(X)
    return np.array_equal(array.astype(kept.dtype, copy=False), kept)
