"""The weightings of an estimator: fitted together, asked for votes in one place."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.estimators.inputs import Kept, take_inputs
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.votes import Votes
from disambig.weights import InformedWeights, Weights, is_pairwise, resolve_weights

__all__ = ["Voters", "fit_voters", "silent_rows"]


@dataclass(frozen=True, eq=False)
class Voters:
    """Who votes in training and who at new inputs.

    Attributes
    ----------
    weights, predict_weights : fitted weightings
    rows : int array
        Rows of X that took part in training.
    row_weights : float array or None
        Their sample weights.
    n : int
        Rows of X altogether.
    pairwise : bool
        Does X hold pairs of samples?
    """

    weights: Weights
    predict_weights: Weights
    rows: IntArray
    row_weights: FloatArray | None
    n: int
    pairwise: bool

    def training_votes(self) -> Votes:
        """``A``: votes between the training rows, row i scaled by the weight of sample i."""
        votes = self.weights.training_votes()
        return votes if self.row_weights is None else votes.scale_rows(self.row_weights)

    def leave_one_out(self, values: FloatArray) -> FloatArray:
        """What the other rows say: leave-one-out votes times `values`."""
        return self.weights.leave_one_out_votes() @ values

    def votes(self, X: Any) -> Votes:
        """``alpha`` at new inputs."""
        if self.pairwise and self.rows.size < self.n:
            X = X[:, self.rows]
        return self.predict_weights.votes(X)


def fit_voters(
    weights: Any,
    predict_weights: Any,
    X: Any,
    kept: Kept,
    informed: BoolArray | None = None,
) -> Voters:
    """Fit the weightings of an estimator on the rows that take part.

    Parameters
    ----------
    weights, predict_weights : str, piece or callable
    X : (n, d), or pairs (n, n)
    kept : Kept
    informed : bool (n,), or None
        Rows whose targets say something, for weightings in which only such rows vote. None: the
        targets of all rows are to be recovered, and all vote.
    """
    pairwise = is_pairwise(weights)
    if predict_weights is not None and is_pairwise(predict_weights) != pairwise:
        raise ValueError(
            "weights and predict_weights must both read X as inputs, or both as precomputed pairs "
            "of samples."
        )
    columns = kept.rows if pairwise else None
    inputs = X if kept.everything else take_inputs(X, kept.rows, columns)
    taken = None if informed is None else informed[kept.rows]
    first = _fitted(weights, inputs, kept, taken)
    second = first if predict_weights is None else _fitted(predict_weights, inputs, kept, taken)
    return Voters(first, second, kept.rows, kept.weights, kept.n, pairwise)


def _fitted(weights: Any, inputs: Any, kept: Kept, informed: BoolArray | None) -> Weights:
    piece = resolve_weights(weights)
    # Without an informed row there is nothing to learn from, which is said where sets are known.
    if isinstance(piece, InformedWeights) and informed is not None and informed.any():
        return piece.fit_informed(inputs, sample_weight=kept.weights, informed=informed)
    return piece.fit(inputs, sample_weight=kept.weights)


def silent_rows(votes: Votes, instead: str) -> BoolArray:
    """Queries at which nobody votes, ``(q,)``; a warning counts them and says what they get."""
    silent: BoolArray = votes.absolute_row_sums() == 0
    if silent.any():
        warnings.warn(
            f"{np.count_nonzero(silent)} of {len(silent)} inputs are out of reach of every "
            f"training row; they are predicted by {instead}.",
            UserWarning,
            stacklevel=4,
        )
    return silent
