"""Wrong sets by neighbours that leave one candidate: an adaptive k-NN to compare with.

Neighbours of a row are taken one by one, the nearest first, and their sets vote, until one class
survives. The row is suspect if that class is not in its set.

The method is known to us by this description only (an adaptive k-NN that stops when one candidate
survives, AISTATS 2026). What we assumed: the row itself is left out; a class survives while it is
in as many of the sets so far as the best class is (an intersection that wrong sets cannot empty);
at least three neighbours are taken, so that a first set with one candidate does not decide alone;
if several classes survive all `most` neighbours, they share the vote. The score of a row is the
share of the taken sets that have the survivor, if it is outside of the row's set, and minus this
share if it is inside; with several survivors the part of them that is outside counts.
"""

import numpy as np
from sklearn.neighbors import NearestNeighbors

from disambig.notation import BoolArray, FloatArray

LEAST, MOST = 3, 50


def survivor_scores(
    X: FloatArray, mask: BoolArray, least: int = LEAST, most: int = MOST
) -> FloatArray:
    """How suspect each row is, ``(n,)``: from -1 to 1, positive if the survivor is outside.

    Examples
    --------
    >>> X = np.arange(5.0)[:, None]
    >>> mask = np.array([[1, 0], [1, 0], [0, 1], [1, 0], [1, 0]], dtype=bool)
    >>> survivor_scores(X, mask, least=3, most=4).round(2).tolist()
    [-0.67, -0.67, 1.0, -0.67, -0.67]
    """
    n = len(X)
    most = min(most, n - 1)
    near = NearestNeighbors(n_neighbors=most + 1).fit(X).kneighbors(X, return_distance=False)
    scores = np.zeros(n)
    for row in range(n):
        others = near[row][near[row] != row][:most]
        counts = np.cumsum(mask[others], axis=0)
        survive = counts == counts.max(axis=1, keepdims=True)
        decided = np.flatnonzero(survive.sum(axis=1) == 1)
        decided = decided[decided >= min(least, most) - 1]
        last = int(decided[0]) if decided.size else most - 1
        share = counts[last].max() / (last + 1)
        outside = np.mean(~mask[row, survive[last]])
        scores[row] = share * (2.0 * outside - 1.0)
    return scores
