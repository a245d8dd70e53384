"""Votes that the user brings."""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from disambig.notation import FloatArray
from disambig.votes import DenseVotes, SparseVotes
from disambig.weights.inputs import query_inputs, training_inputs
from disambig.weights.masses import row_masses, scale_columns
from disambig.weights.normalization import normalize_rows, remove_diagonal
from disambig.weights.parameters import check_flag

__all__ = ["PrecomputedWeights"]

_NAME = "PrecomputedWeights"


class PrecomputedWeights(BaseEstimator):
    """``alpha = X``: entry ``[i, j]`` says how much input i listens to training row j.

    X is ``(n, n)`` in `fit` and ``(q, n)`` in `votes`, an array or a sparse graph, of any sign. It
    is tagged pairwise, so that cross-validation slices its columns with its rows.

    Parameters
    ----------
    normalize : bool, default=False
        Divide each row by its sum where that exceeds 1e-8 times its absolute sum; other rows stay
        as they are.
    leave_one_out : bool, default=False
        Whether `training_votes` are `leave_one_out_votes`: the diagonal is taken out, and rows
        are then normalised if `normalize` says so.

    Attributes
    ----------
    masses_ : float64, (n,)
        Sample weights; column j is multiplied by that of row j.
    n_features_in_ : int
        n.

    Examples
    --------
    >>> import numpy as np
    >>> graph = np.array([[1.0, 1.0], [0.0, 2.0]])
    >>> PrecomputedWeights(normalize=True).fit(graph).training_votes().array
    array([[0.5, 0.5],
           [0. , 1. ]])
    """

    def __init__(self, normalize: bool = False, leave_one_out: bool = False) -> None:
        self.normalize = normalize
        self.leave_one_out = leave_one_out

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Keep the votes between the training rows, ``(n, n)``."""
        check_flag(_NAME, "normalize", self.normalize)
        check_flag(_NAME, "leave_one_out", self.leave_one_out)
        X = training_inputs(self, X, square="votes")
        self.masses_ = row_masses(_NAME, sample_weight, X.shape[0])
        self.X_fit_ = X
        return self

    def training_votes(self) -> DenseVotes | SparseVotes:
        """``alpha`` at the training inputs, ``(n, n)``; leave-one-out if the piece says so."""
        check_is_fitted(self)
        if self.leave_one_out:
            return self.leave_one_out_votes()
        return self._finish(scale_columns(self.X_fit_, self.masses_))

    def leave_one_out_votes(self) -> DenseVotes | SparseVotes:
        """The same without the diagonal."""
        check_is_fitted(self)
        return self._finish(remove_diagonal(scale_columns(self.X_fit_, self.masses_)))

    def votes(self, X: Any) -> DenseVotes | SparseVotes:
        """Votes of the training rows at queries, ``(q, n)``, as they are given."""
        return self._finish(scale_columns(query_inputs(self, X, square="votes"), self.masses_))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        tags.input_tags.sparse = True
        return tags

    def _finish(self, alpha: Any) -> DenseVotes | SparseVotes:
        if self.normalize:
            alpha = normalize_rows(alpha)
        return SparseVotes(alpha) if sp.issparse(alpha) else DenseVotes(np.asarray(alpha))
