"""A weighting on inputs whose columns are scaled."""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from disambig.notation import FloatArray
from disambig.votes import Votes
from disambig.weights.choice import is_pairwise, resolve_weights
from disambig.weights.inputs import query_inputs, training_inputs
from disambig.weights.masses import row_masses
from disambig.weights.parameters import check_flag

__all__ = ["ScaledWeights"]

_NAME = "ScaledWeights"


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
    masses_ : float64, (n,)
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

    def __init__(self, piece: Any, scales: Any, *, leave_one_out: bool = False) -> None:
        self.piece = piece
        self.scales = scales
        self.leave_one_out = leave_one_out

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Fit the piece on the scaled training inputs ``(n, d)``."""
        check_flag(_NAME, "leave_one_out", self.leave_one_out)
        if is_pairwise(self.piece):
            raise ValueError(
                f"{_NAME}: the piece reads X as pairs of samples, which have no columns to scale."
            )
        X = training_inputs(self, X)
        self.masses_ = row_masses(_NAME, sample_weight, X.shape[0])
        self._factors = self._checked(X.shape[1])
        self.piece_ = resolve_weights(self.piece).fit(self._scaled(X), sample_weight)
        return self

    def training_votes(self) -> Votes:
        """Those of the piece; leave-one-out if this or the piece says so."""
        check_is_fitted(self)
        if self.leave_one_out:
            return self.leave_one_out_votes()
        return self.piece_.training_votes()

    def leave_one_out_votes(self) -> Votes:
        """Those of the piece."""
        check_is_fitted(self)
        return self.piece_.leave_one_out_votes()

    def votes(self, X: Any) -> Votes:
        """Those of the piece at the scaled queries ``(q, d)``."""
        X = query_inputs(self, X)
        return self.piece_.votes(self._scaled(X))

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
                f"{_NAME}: scales must be {d} finite numbers >= 0, one for each column of X; got "
                f"{self.scales!r}."
            )
        return factors
