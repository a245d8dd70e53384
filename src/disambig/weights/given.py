"""Votes that the user computes: by a function, or as a matrix in place of X.

Both weightings scale column j by the sample weight of row j, remove the diagonal for leave-one-out
votes, and then normalise the rows if ``normalize`` is set.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from disambig.exceptions import MissingOracleError, VotesError
from disambig.notation import FloatArray
from disambig.parameters import check_flag
from disambig.votes import Votes, as_votes
from disambig.votes.dense import DenseVotes
from disambig.votes.entries import normalize_rows, remove_diagonal
from disambig.votes.sparse import SparseVotes
from disambig.weights.divided.rows import is_divided
from disambig.weights.divided.whole import joined_rows
from disambig.weights.inputs import (
    checked_sample_weight,
    entry_error,
    query_inputs,
    scale_columns,
    training_inputs,
)

_FUNCTION = "FunctionWeights"
_PRECOMPUTED = "PrecomputedWeights"
# Votes keep their precision: that of ties goes by it.
_PRECISIONS = [np.float64, np.float32]
# Columns of an operator that are multiplied at once to find its diagonal.
_PROBED_COLUMNS = 256


class FunctionWeights(BaseEstimator):
    """``alpha = function(Q, X)``, with Q the inputs at hand and X the training inputs.

    Inputs are passed to the function unchanged: X may be anything that has a length.

    Parameters
    ----------
    function : callable(Q, X) -> array or sparse matrix, (q, n)
        Entry ``[i, j]`` is the weight of training row j in the prediction at input i.
    normalize : bool, default=False
        Divide each row by its sum where that exceeds 1e-8 times its absolute sum; other rows stay
        as they are.
    leave_one_out : bool, default=False
        Whether `training_votes` are `leave_one_out_votes`: the diagonal is removed first, and rows
        are then normalised if `normalize` is set.

    Attributes
    ----------
    sample_weight_ : float64, (n,)
        Sample weights; column j is multiplied by that of row j.

    Examples
    --------
    >>> import numpy as np
    >>> same = lambda Q, X: (Q == X.T).astype(float)
    >>> weights = FunctionWeights(same, normalize=True).fit(np.array([[1], [1], [2]]))
    >>> weights.votes(np.array([[1], [3]])).array
    array([[0.5, 0.5, 0. ],
           [0. , 0. , 0. ]])
    """

    def __init__(
        self,
        function: Callable[[Any, Any], Any],
        *,
        normalize: bool = False,
        leave_one_out: bool = False,
    ) -> None:
        self.function = function
        self.normalize = normalize
        self.leave_one_out = leave_one_out

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Keep the n training inputs."""
        if not callable(self.function):
            raise ValueError(
                f"{_FUNCTION}: function must take (Q, X) and return votes (q, n); got "
                f"{self.function!r}."
            )
        check_flag(_FUNCTION, "normalize", self.normalize)
        check_flag(_FUNCTION, "leave_one_out", self.leave_one_out)
        if is_divided(X):
            X = joined_rows(_FUNCTION, X)
        self.sample_weight_ = checked_sample_weight(_FUNCTION, sample_weight, _length(X))
        self.X_fit_ = X
        return self

    def training_votes(self) -> DenseVotes | SparseVotes:
        """``alpha`` at the training inputs, ``(n, n)``; without own votes if `leave_one_out`."""
        check_is_fitted(self)
        if self.leave_one_out:
            return self.leave_one_out_votes()
        return self._finish(self._scaled(self.X_fit_))

    def leave_one_out_votes(self) -> DenseVotes | SparseVotes:
        """The training votes with a zero diagonal, ``(n, n)``."""
        check_is_fitted(self)
        return self._finish(remove_diagonal(self._scaled(self.X_fit_)))

    def votes(self, X: Any) -> DenseVotes | SparseVotes:
        """``alpha`` at q new inputs, ``(q, n)``."""
        check_is_fitted(self)
        return self._finish(self._scaled(X))

    def _scaled(self, X: Any) -> Any:
        votes = as_votes(
            self.function(X, self.X_fit_), shape=(_length(X), self.sample_weight_.size)
        )
        if votes.entries is not None:
            error = entry_error(votes.entries, square="votes")
            if error is not None:
                raise VotesError(f"{_FUNCTION}: the votes: {error}")
            return scale_columns(votes.entries, self.sample_weight_)
        raise VotesError(
            f"{_FUNCTION}: the function must return an array or a sparse matrix; got a "
            f"{type(votes).__name__}, whose entries cannot be scaled or removed."
        )

    def _finish(self, alpha: Any) -> DenseVotes | SparseVotes:
        if self.normalize:
            alpha = normalize_rows(alpha)
        return SparseVotes(alpha) if sp.issparse(alpha) else DenseVotes(alpha)


def _length(X: Any) -> int:
    # len() of a sparse matrix raises a TypeError.
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


class PrecomputedWeights(BaseEstimator):
    """``alpha = X``: entry ``[i, j]`` is the weight of training row j in the prediction at input i.

    X is ``(n, n)`` in `fit` and ``(q, n)`` in `votes`: an array or a sparse matrix, entries of any
    sign. The weighting is tagged pairwise, so cross-validation slices columns with rows.

    Parameters
    ----------
    normalize : bool, default=False
        Divide each row by its sum where that exceeds 1e-8 times its absolute sum; other rows stay
        as they are.
    leave_one_out : bool, default=False
        Whether `training_votes` are `leave_one_out_votes`: the diagonal is removed first, and rows
        are then normalised if `normalize` is set.

    Attributes
    ----------
    sample_weight_ : float64, (n,)
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
        check_flag(_PRECOMPUTED, "normalize", self.normalize)
        check_flag(_PRECOMPUTED, "leave_one_out", self.leave_one_out)
        X = training_inputs(self, X, square="votes", dtype=_PRECISIONS)
        self.sample_weight_ = checked_sample_weight(_PRECOMPUTED, sample_weight, X.shape[0])
        self.X_fit_ = X
        return self

    def training_votes(self) -> DenseVotes | SparseVotes:
        """``alpha`` at the training inputs, ``(n, n)``; without own votes if `leave_one_out`."""
        check_is_fitted(self)
        if self.leave_one_out:
            return self.leave_one_out_votes()
        return self._finish(scale_columns(self.X_fit_, self.sample_weight_))

    def leave_one_out_votes(self) -> DenseVotes | SparseVotes:
        """The training votes with a zero diagonal, ``(n, n)``."""
        check_is_fitted(self)
        return self._finish(remove_diagonal(scale_columns(self.X_fit_, self.sample_weight_)))

    def votes(self, X: Any) -> DenseVotes | SparseVotes:
        """The votes of the training rows at queries, given as `X`, ``(q, n)``."""
        return self._finish(
            scale_columns(
                query_inputs(self, X, square="votes", dtype=_PRECISIONS), self.sample_weight_
            )
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        tags.input_tags.sparse = True
        return tags

    def _finish(self, alpha: Any) -> DenseVotes | SparseVotes:
        if self.normalize:
            alpha = normalize_rows(alpha)
        return SparseVotes(alpha) if sp.issparse(alpha) else DenseVotes(np.asarray(alpha))


class FixedVotes(BaseEstimator):
    """Votes between the training rows that the user computed, as a weighting without queries.

    Parameters
    ----------
    alpha : Votes (n, n)
    """

    def __init__(self, alpha: Votes) -> None:
        self.alpha = alpha

    def __sklearn_clone__(self) -> Self:
        # The votes are not parameters to copy: an operator may hold a large array.
        return self

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Nothing to learn."""
        return self

    def training_votes(self) -> Votes:
        """The votes."""
        return self.alpha

    def leave_one_out_votes(self) -> Any:
        """The votes without those of each row for itself."""
        return _WithoutOwnVotes(self.alpha)

    def votes(self, X: Any) -> Votes:
        """Refused: votes between training rows say nothing about new inputs."""
        raise VotesError(
            "These labels come from your own votes between the training rows, which have no votes "
            "at new inputs. Use PartialLabelClassifier(weights='precomputed'), whose predict takes "
            "the votes of new inputs as X."
        )


@dataclass(frozen=True, eq=False)
class _WithoutOwnVotes:
    """``alpha`` with a zero diagonal; only products."""

    alpha: Votes

    def __matmul__(self, values: FloatArray) -> FloatArray:
        product: FloatArray = self.alpha @ values - self._diagonal[:, None] * values
        return product

    @cached_property
    def _diagonal(self) -> FloatArray:
        try:
            return self.alpha.diagonal()
        except MissingOracleError:
            # An operator that only multiplies: its diagonal is found block by block.
            n = self.alpha.shape[0]
            entries = np.zeros(n)
            for start in range(0, n, _PROBED_COLUMNS):
                columns = np.arange(start, min(n, start + _PROBED_COLUMNS))
                rows, positions, values = self.alpha.column_entries(columns)
                own = rows == columns[positions]
                entries[rows[own]] = values[own]
            return entries
