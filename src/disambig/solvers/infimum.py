"""The infimum loss, the baseline that disambiguates anew at every query.

``f(x) = argmin_z sum_j inf_{y in s_j} alpha_j(x) loss(z, y)`` (Eq. 9 of the paper).
"""

from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from disambig.exceptions import MissingOracleError
from disambig.losses.faces import Faces
from disambig.losses.protocol import ExactInfimum, Loss
from disambig.notation import FloatArray
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

    The local way alternates between the members of all sets that suit the prediction best and
    the prediction that suits them best. It descends, and it may stop above the minimum: members
    that a set leaves open follow the prediction and confirm it. So it runs from the prediction of
    average candidates and, where the loss offers that start, from ``"infimum"``; each query keeps
    the lower of the two.

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
    unit = rtol * loss.magnitude(candidates)
    tolerance = unit * votes.absolute_row_sums()
    best, *others = [
        _descend(loss, votes, candidates, start, unit, tolerance, max_iter)
        for start in _starts(loss, candidates)
    ]
    for other in others:
        lower = np.flatnonzero(other.values < best.values - tolerance)
        values = best.values.copy()
        values[lower] = other.values[lower]
        best = _Descended(best.predictions.replace(lower, other.predictions.take(lower)), values)
    return InfimumPrediction(best.predictions, exact=False)


def _starts(loss: Loss, candidates: Any) -> list[FloatArray]:
    starts = [loss.start(candidates, "average")]
    with suppress(MissingOracleError):
        starts.append(loss.start(candidates, "infimum"))
    return starts


class _Descended(NamedTuple):
    """Predictions, and upper bounds of the infimum loss there: its values where converged."""

    predictions: Faces
    values: FloatArray


def _descend(
    loss: Loss,
    votes: Votes,
    candidates: Any,
    start: FloatArray,
    unit: float,
    tolerance: FloatArray,
    max_iter: int,
) -> _Descended:
    """The local way, on the queries that still move."""
    q, n = votes.shape
    rows, columns, values = votes.column_entries(np.arange(n))
    predictions = loss.best_prediction(votes @ start, tolerance).first()
    paid = np.full(q, np.inf)
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
        paid[moving] = np.einsum("ip,ip->i", found.embedded, scores)
        changed = np.flatnonzero((found.embedded != current.embedded).any(axis=1))
        if not changed.size:
            break
        predictions = predictions.replace(moving[changed], found.take(changed))
        moving = moving[changed]
    return _Descended(predictions, paid)
