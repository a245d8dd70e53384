"""From votes for classes to probabilities and predictions."""

import numpy as np

from disambig.losses.finite import FiniteLoss
from disambig.notation import BoolArray, FloatArray, IntArray

__all__ = ["best_predictions", "candidate_shares", "shares"]


def shares(votes: FloatArray, fallback: FloatArray) -> FloatArray:
    """Votes ``(q, K)`` as probabilities: the positive part, scaled to sum one.

    Signed weightings can vote against a class; such a class gets probability zero. Rows without a
    positive vote get `fallback`, ``(K,)`` or ``(q, K)``.
    """
    positive = np.maximum(votes, 0.0)
    total = positive.sum(axis=1, keepdims=True)
    heard = total > 0
    return np.where(heard, positive / np.where(heard, total, 1.0), fallback)


def candidate_shares(votes: FloatArray, mask: BoolArray, fallback: FloatArray) -> FloatArray:
    """Votes restricted to each row's candidates, as probabilities ``(n, K)``."""
    return shares(np.where(mask, votes, 0.0), fallback)


def best_predictions(
    loss: FiniteLoss, scores: FloatArray, scale: FloatArray, prior: FloatArray, rtol: float
) -> IntArray:
    """The prediction of least score in each row of ``(q, P)``; ties go by the `prior` ``(K,)``.

    Without that rule a query that nobody reaches would get the first class.
    """
    tied = loss.best_prediction(scores, rtol * scale).mask
    expected = loss.matrix @ prior
    index: IntArray = np.where(tied, expected, np.inf).argmin(axis=1)
    return index
