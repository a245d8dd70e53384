"""Probabilities and predictions from the scores of classes.

The scores ``alpha @ distribution``, ``(q, K)``, are the votes for each class. Votes that are never
negative become probabilities when they are divided by their sum; signed votes go through a softmax.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from disambig.losses.labels.finite import FiniteLoss
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.votes import Votes

# If the sums of votes and of their absolute values differ by less than this share, no vote is
# negative.
_ROUNDING = 1e-9
# With it, four fifths of the votes against one fifth are odds of exp(0.6 / 0.2) = 20 to one.
_TEMPERATURE = 0.2


def shares(votes: FloatArray, fallback: FloatArray) -> FloatArray:
    """Votes ``(q, K)`` as probabilities: the positive part, divided by its sum.

    A class with negative votes gets probability zero. Rows without a positive vote get `fallback`,
    ``(K,)`` or ``(q, K)``.
    """
    positive = np.maximum(votes, 0.0)
    total = positive.sum(axis=1, keepdims=True)
    has_votes = total > 0
    return np.where(has_votes, positive / np.where(has_votes, total, 1.0), fallback)


def candidate_shares(votes: FloatArray, mask: BoolArray, fallback: FloatArray) -> FloatArray:
    """Votes restricted to each row's candidates, as probabilities ``(n, K)``."""
    return shares(np.where(mask, votes, 0.0), fallback)


def best_predictions(
    loss: FiniteLoss, scores: FloatArray, scale: FloatArray, prior: FloatArray, rtol: float
) -> IntArray:
    """The prediction of least score in each row of ``(q, P)``.

    Of tied predictions, the one of least expected loss under the `prior` ``(K,)`` is taken.
    Otherwise a query without votes would get the first class.
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
        Frequencies of the recovered labels, for inputs without votes.
    possible : bool array (K,)
        Classes that are a candidate of some row.
    temperature : float or None
        Of the softmax. None: votes are never negative, and are divided by their sum.

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
        has_votes = (votes != 0).any(axis=1, keepdims=True)
        return np.where(has_votes, softmax(logits, axis=1), self.prior)


def probabilities_of(
    votes: Votes,
    distribution: FloatArray,
    sample_weight: FloatArray,
    prior: FloatArray,
    possible: BoolArray,
) -> Probabilities:
    """The map for one weighting, from its votes at the training rows.

    Votes of a kernel ridge can be negative for some classes, and those for the others then sum to
    more than one. Setting negative votes to zero would make ties of different scores; the softmax
    keeps their order. Its temperature is a fifth of the mean over rows of the largest vote.

    Parameters
    ----------
    votes : Votes (n, n)
    distribution : float array (n, K)
        The recovered distributions of the labels.
    sample_weight : float array (n,)
    prior : float array (K,)
    possible : bool array (K,)
    """
    if votes.is_nonnegative or _sums_are_nonnegative(votes):
        return Probabilities(prior, possible, None)
    largest = np.abs(votes @ distribution).max(axis=1)
    unit = float(np.average(largest, weights=sample_weight))
    return Probabilities(prior, possible, _TEMPERATURE * unit if unit > 0.0 else 1.0)


def _sums_are_nonnegative(votes: Votes) -> bool:
    """Whether sums of votes show that none is negative, for votes that do not declare it."""
    if not votes.absolute_sums_are_bounds:
        return False
    sums, sizes = votes.row_sums(), votes.absolute_row_sums()
    return not (sizes > sums + _ROUNDING * sizes).any()
