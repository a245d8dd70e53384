"""From votes for classes to probabilities and predictions.

Probabilities from votes: shares where nobody votes against, a softmax elsewhere.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from disambig.losses.labels.finite import FiniteLoss
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.votes import Votes

# Sums of votes and of their sizes that differ by less are equal.
_ROUNDING = 1e-9
# Four fifths of the votes against one fifth are odds of twenty to one.
_TEMPERATURE = 0.2


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


@dataclass(frozen=True, eq=False)
class Probabilities:
    """The map from votes for classes ``(q, K)`` to probabilities.

    Parameters
    ----------
    prior : float array (K,)
        Frequencies of the labels, for inputs without votes.
    possible : bool array (K,)
        Classes that are a candidate somewhere.
    temperature : float or None
        Of the softmax; None: votes that are never negative are probabilities up to their sum.

    Examples
    --------
    >>> import numpy as np
    >>> found = Probabilities(np.array([0.5, 0.5]), np.array([True, True]), 0.2)
    >>> found(np.array([[0.8, 0.2], [1.2, -0.2]])).round(3)
    array([[0.953, 0.047],
           [0.999, 0.001]])
    """

    prior: FloatArray
    possible: BoolArray
    temperature: float | None

    def __call__(self, votes: FloatArray) -> FloatArray:
        if self.temperature is None:
            return shares(votes, self.prior)
        logits = np.where(self.possible, votes / self.temperature, -np.inf)
        heard = (votes != 0).any(axis=1, keepdims=True)
        return np.where(heard, softmax(logits, axis=1), self.prior)


def probabilities_of(
    votes: Votes,
    distribution: FloatArray,
    sample_weight: FloatArray,
    prior: FloatArray,
    possible: BoolArray,
) -> Probabilities:
    """The map for votes of one kind, from those at the training rows.

    A kernel ridge votes against classes, and then for others by more than one in all: such votes
    are no shares, and cutting them off would make ties of what differs. The softmax keeps their
    order. Its temperature is a fifth of the largest vote of a row, on average.

    Parameters
    ----------
    votes : Votes (n, n)
    distribution : float array (n, K)
        The recovered laws.
    masses : float array (n,)
        Weights of the rows.
    prior : float array (K,)
    possible : bool array (K,)
    """
    sums, sizes = votes.row_sums(), votes.absolute_row_sums()
    if not (sizes > sums + _ROUNDING * sizes).any():
        return Probabilities(prior, possible, None)
    largest = np.abs(votes @ distribution).max(axis=1)
    unit = float(np.average(largest, weights=sample_weight))
    return Probabilities(prior, possible, _TEMPERATURE * unit if unit > 0.0 else 1.0)
