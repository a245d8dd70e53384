"""Several weightings, heard together."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from disambig.notation import FloatArray
from disambig.votes import MixtureVotes
from disambig.weights.choice import is_pairwise, resolve_weights
from disambig.weights.inputs import query_inputs, training_inputs
from disambig.weights.masses import row_masses
from disambig.weights.parameters import check_flag

__all__ = ["MixedWeights"]

_NAME = "MixedWeights"


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
    masses_ : float64, (n,)
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

    def __init__(self, pieces: Any, shares: Any = None, *, leave_one_out: bool = False) -> None:
        self.pieces = pieces
        self.shares = shares
        self.leave_one_out = leave_one_out

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Fit every piece on the training inputs ``(n, d)``."""
        check_flag(_NAME, "leave_one_out", self.leave_one_out)
        pieces = [resolve_weights(piece) for piece in self._listed()]
        self.shares_ = self._scaled(len(pieces))
        # The pieces refuse what they cannot read; here only the width is learned.
        X = training_inputs(self, X)
        self.masses_ = row_masses(_NAME, sample_weight, X.shape[0])
        self.pieces_ = [piece.fit(X, sample_weight) for piece in pieces]
        return self

    def training_votes(self) -> MixtureVotes:
        """``alpha`` at the training inputs, ``(n, n)``; leave-one-out if the piece says so."""
        check_is_fitted(self)
        if self.leave_one_out:
            return self.leave_one_out_votes()
        return MixtureVotes(tuple(piece.training_votes() for piece in self.pieces_), self.shares_)

    def leave_one_out_votes(self) -> MixtureVotes:
        """The mixture of what the others say in each weighting, ``(n, n)``, diagonal zero."""
        check_is_fitted(self)
        parts = tuple(piece.leave_one_out_votes() for piece in self.pieces_)
        return MixtureVotes(parts, self.shares_)

    def votes(self, X: Any) -> MixtureVotes:
        """``alpha`` at new inputs ``(q, d)``."""
        X = query_inputs(self, X)
        return MixtureVotes(tuple(piece.votes(X) for piece in self.pieces_), self.shares_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = all(is_pairwise(piece) for piece in self._listed())
        return tags

    def _listed(self) -> list[Any]:
        if not isinstance(self.pieces, list | tuple) or not len(self.pieces):
            raise ValueError(
                f"{_NAME}: pieces must be a list of weightings, at least one, such as "
                f"['neighbors', 'kernel_ridge']; got {self.pieces!r}."
            )
        pairwise = [is_pairwise(piece) for piece in self.pieces]
        if any(pairwise) and not all(pairwise):
            raise ValueError(
                f"{_NAME}: piece {pairwise.index(True)} reads X as pairs of samples and piece "
                f"{pairwise.index(False)} as features; X cannot be both."
            )
        return list(self.pieces)

    def _scaled(self, count: int) -> tuple[float, ...]:
        if self.shares is None:
            return (1.0 / count,) * count
        shares = np.asarray(self.shares, dtype=object).ravel()
        numbers = [float(s) if isinstance(s, int | float | np.number) else np.nan for s in shares]
        total = sum(numbers)
        if len(numbers) != count or not np.isfinite(total) or min(numbers) < 0 or total <= 0:
            raise ValueError(
                f"{_NAME}: shares must be {count} numbers, not negative and not all zero; got "
                f"{self.shares!r}."
            )
        return tuple(number / total for number in numbers)
