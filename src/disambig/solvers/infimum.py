"""The infimum loss, the baseline that disambiguates anew at every query.

``f(x) = argmin_z sum_j inf_{y in s_j} alpha_j(x) loss(z, y)`` (Eq. 9 of the paper).
"""

from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from disambig.exceptions import MissingOracleError
from disambig.losses.faces import Faces
from disambig.losses.protocol import ExactInfimum, Loss
from disambig.notation import FloatArray, IntArray
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
    starts = _starts(loss, candidates)
    found = _descend(loss, votes, candidates, starts, unit, tolerance, max_iter)
    q = votes.shape[0]
    best = np.arange(q)
    for k in range(1, len(starts)):
        other = np.arange(k * q, (k + 1) * q)
        lower = found.values[other] < found.values[best] - tolerance
        best = np.where(lower, other, best)
    return InfimumPrediction(found.predictions.take(best), exact=False)


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
    starts: list[FloatArray],
    unit: float,
    tolerance: FloatArray,
    max_iter: int,
) -> _Descended:
    """The local way, on the queries that still move; start k has the rows from ``k q`` on."""
    n = votes.shape[1]
    rows, columns, values = votes.column_entries(np.arange(n))
    # All starts together: what suits a prediction is then settled once for all of them.
    rows = np.concatenate([rows + k * votes.shape[0] for k in range(len(starts))])
    columns, values = np.tile(columns, len(starts)), np.tile(values, len(starts))
    tolerance = np.tile(tolerance, len(starts))
    q = tolerance.size
    scores = np.concatenate([votes @ start for start in starts])
    predictions = loss.best_prediction(scores, tolerance).first()
    paid = np.full(q, np.inf)
    moving = np.arange(q)
    for _ in range(max_iter):
        place = np.full(q, -1)
        place[moving] = np.arange(moving.size)
        current = predictions.take(moving)
        pairs = np.flatnonzero((place[rows] >= 0) & (values != 0))
        who = place[rows[pairs]], columns[pairs], values[pairs]
        scores = _scores_of_members(loss, current.embedded, candidates, *who, unit)
        found = loss.best_prediction(scores, tolerance[moving])
        found = found.settle(current, scores, tolerance[moving])
        paid[moving] = np.einsum("ip,ip->i", found.embedded, scores)
        changed = np.flatnonzero((found.embedded != current.embedded).any(axis=1))
        if not changed.size:
            break
        predictions = predictions.replace(moving[changed], found.take(changed))
        moving = moving[changed]
    return _Descended(predictions, paid)


def _scores_of_members(
    loss: Loss,
    predictions: FloatArray,
    candidates: Any,
    queries: IntArray,
    samples: IntArray,
    votes: FloatArray,
    unit: float,
) -> FloatArray:
    """``sum over j of alpha_j phi(y_j)`` with the member y_j that suits the prediction best."""
    # The member depends on the prediction, the set and the sign of the vote alone, and
    # neighbouring queries are often predicted alike: each case is settled once.
    _, first, alike = np.unique(predictions, axis=0, return_index=True, return_inverse=True)
    n = int(samples.max(initial=0)) + 1
    cases, case = np.unique(
        (alike.ravel()[queries] * n + samples) * 2 + (votes > 0), return_inverse=True
    )
    signs = np.where(cases % 2, 1.0, -1.0)
    shares = sp.csr_array((votes, (queries, case)), shape=(len(predictions), cases.size))
    scores = np.zeros_like(predictions)
    for part in np.array_split(np.arange(cases.size), max(1, -(-cases.size // _PAIRS))):
        owner, sample = np.divmod(cases[part] // 2, n)
        members = loss.best_candidate(
            signs[part, None] * predictions[first[owner]],
            candidates[sample],
            np.full(part.size, unit),
        )
        scores += shares[:, part] @ members.embedded
    return scores
