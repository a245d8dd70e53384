"""From votes for signs of pairs to probabilities of pairs."""

import numpy as np

from disambig.notation import FloatArray

__all__ = ["pair_probabilities"]


def pair_probabilities(votes: FloatArray, m: int) -> FloatArray:
    """Votes ``(q, m (m - 1) / 2 + 1)`` for the signs of pairs as probabilities ``(q, m, m)``.

    The last column is the sum of all votes, so ``(sum + sign) / 2`` of them are for i before j and
    the rest against. The positive part of each, scaled to sum one; 1/2 where neither is positive.

    Examples
    --------
    >>> pair_probabilities(np.array([[0.5, 1.0]]), 2)[0].tolist()
    [[0.0, 0.75], [0.25, 0.0]]
    """
    i, j = np.triu_indices(m, 1)
    total, signs = votes[:, -1:], votes[:, :-1]
    earlier = np.maximum((total + signs) / 2, 0.0)
    later = np.maximum((total - signs) / 2, 0.0)
    heard = earlier + later > 0
    share = np.where(heard, earlier / np.where(heard, earlier + later, 1.0), 0.5)
    probabilities = np.zeros((len(votes), m, m))
    probabilities[:, i, j] = share
    probabilities[:, j, i] = 1.0 - share
    return probabilities
