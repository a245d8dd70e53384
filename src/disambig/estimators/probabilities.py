"""Probabilities from votes: shares where nobody votes against, a softmax elsewhere."""

from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from disambig.estimators.label_votes import shares
from disambig.notation import BoolArray, FloatArray
from disambig.votes import Votes

__all__ = ["Probabilities", "probabilities_of"]

# Sums of votes and of their sizes that differ by less are equal.
_ROUNDING = 1e-9
# Four fifths of the votes against one fifth are odds of twenty to one.
_TEMPERATURE = 0.2


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
    masses: FloatArray,
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
    unit = float(np.average(largest, weights=masses))
    return Probabilities(prior, possible, _TEMPERATURE * unit if unit > 0.0 else 1.0)
