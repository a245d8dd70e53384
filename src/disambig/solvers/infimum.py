"""The infimum loss, the baseline that disambiguates anew at every query.

``f(x) = argmin_z sum_j inf_{y in s_j} alpha_j(x) loss(z, y)`` (Eq. 9 of the paper).
"""

from typing import Any, NamedTuple

import numpy as np

from disambig.losses.faces import Faces
from disambig.losses.protocol import ExactInfimum, Loss
from disambig.votes import Votes

__all__ = ["InfimumPrediction", "infimum_prediction"]

# Pairs of query and sample whose candidates are minimised in one batch.
_PAIRS = 50_000


class InfimumPrediction(NamedTuple):
    """Predictions under the infimum loss, and whether they are its exact minimisers."""

    predictions: Faces
    exact: bool


def infimum_prediction(
    loss: Loss, votes: Votes, candidates: Any, *, rtol: float = 1e-10, max_iter: int = 100
) -> InfimumPrediction:
    """Minimise the infimum loss at each query: exactly where the loss can, locally elsewhere.

    The local way alternates, from the average-candidates prediction, between the members of all
    sets that suit the prediction best and the prediction that suits them best. It descends, and
    it may stop above the minimum.

    Parameters
    ----------
    loss : Loss
    votes : Votes (q, n)
    candidates : object
        The n sets.
    rtol : float
        Relative tolerance of ties.
    max_iter : int
        Rounds of the local way.
    """
    if isinstance(loss, ExactInfimum):
        return InfimumPrediction(loss.infimum_prediction(votes, candidates, rtol), exact=True)
    return InfimumPrediction(_descend(loss, votes, candidates, rtol, max_iter), exact=False)


def _descend(loss: Loss, votes: Votes, candidates: Any, rtol: float, max_iter: int) -> Faces:
    """The local way, on the queries that still move."""
    q, n = votes.shape
    unit = rtol * loss.magnitude(candidates)
    tolerance = unit * votes.absolute_row_sums()
    rows, columns, values = votes.column_entries(np.arange(n))
    predictions = loss.best_prediction(votes @ loss.start(candidates, "average"), tolerance)
    moving = np.arange(q)
    for _ in range(max_iter):
        place = np.full(q, -1)
        place[moving] = np.arange(moving.size)
        current = predictions.take(moving)
        scores = np.zeros_like(current.embedded)
        pairs = np.flatnonzero(place[rows] >= 0)
        for part in np.array_split(pairs, max(1, -(-pairs.size // _PAIRS))):
            query, vote = place[rows[part]], values[part]
            members = loss.best_candidate(
                vote[:, None] * current.embedded[query],
                candidates[columns[part]],
                unit * np.abs(vote),
            )
            np.add.at(scores, query, vote[:, None] * members.embedded)
        found = loss.best_prediction(scores, tolerance[moving])
        found = found.settle(current, scores, tolerance[moving])
        changed = np.flatnonzero((found.embedded != current.embedded).any(axis=1))
        if not changed.size:
            break
        predictions = predictions.replace(moving[changed], found.take(changed))
        moving = moving[changed]
    return predictions
