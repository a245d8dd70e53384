"""The infimum loss, the baseline that disambiguates anew at every query.

``f(x) = argmin_z sum_j inf_{y in s_j} alpha_j(x) loss(z, y)`` (Eq. 9 of the paper).

The two baselines as solutions: infimum loss (IL) and average candidates (AC).
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from disambig.candidates import RepeatedSets
from disambig.compiled.sets import unique_cases
from disambig.exceptions import MissingOracleError
from disambig.losses.protocol import ExactInfimum, Faces, Loss
from disambig.notation import FloatArray, IntArray
from disambig.problem import Problem
from disambig.solvers.loop import Progress, Status
from disambig.solvers.solution import Solution
from disambig.votes import Votes

# Cases whose candidates are minimised in one batch: what is computed for them stays in the cache.
_CASES = 4000
# Own prediction first, everybody's second: small enough never to overrule, large enough to choose.
_SECOND_OPINION = 1e-6


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
    q, n = votes.shape
    rows, columns, values = votes.column_entries(np.arange(n))
    heard = sp.csr_array((values, (rows, columns)), shape=(q, n))
    heard.eliminate_zeros()
    # All starts together: what suits a prediction is then settled once for all of them.
    tolerance = np.tile(tolerance, len(starts))
    scores = np.concatenate([votes @ start for start in starts])
    predictions = loss.best_prediction(scores, tolerance).first()
    paid = np.full(tolerance.size, np.inf)
    moving = np.arange(tolerance.size)
    for _ in range(max_iter):
        current = predictions.take(moving)
        scores = _scores_of_members(loss, current.embedded, candidates, heard[moving % q], unit)
        found = loss.best_prediction(scores, tolerance[moving])
        found = found.keep_unless_better(current, scores, tolerance[moving])
        paid[moving] = np.einsum("ip,ip->i", found.embedded, scores)
        changed = np.flatnonzero((found.embedded != current.embedded).any(axis=1))
        if not changed.size:
            break
        predictions = predictions.replace(moving[changed], found.take(changed))
        moving = moving[changed]
    return _Descended(predictions, paid)


def _scores_of_members(
    loss: Loss, predictions: FloatArray, candidates: Any, heard: Any, unit: float
) -> FloatArray:
    """``sum over j of alpha_j phi(y_j)`` with the member y_j that suits the prediction best.

    `heard` are the votes at the predictions, sparse, ``(len(predictions), n)``.
    """
    # The member depends on the prediction, the set and the sign of the vote alone, and
    # neighbouring queries are often predicted alike: each case is settled once.
    first, alike = _distinct_rows(predictions)
    sets, which = _distinct_sets(candidates)
    order = np.argsort(alike, kind="stable")
    alike, heard = alike[order], heard[order]
    starts = heard.indptr.astype(np.int64)
    case, cases = unique_cases(
        alike, starts, which[heard.indices], np.asarray(heard.data > 0), len(sets)
    )
    scores = np.zeros_like(predictions)
    for rows, asked in _batches(alike, cases[:, 0]):
        group, kind, positive = cases[asked].T
        questions = predictions[first[group]]
        np.negative(questions, out=questions, where=positive[:, None] == 0)
        unit_each = np.full(len(questions), unit)
        members = loss.best_candidate(questions, candidates[sets[kind]], unit_each)
        entries = slice(starts[rows.start], starts[rows.stop])
        ends = starts[rows.start : rows.stop + 1] - entries.start
        shares = sp.csr_array(
            (heard.data[entries], case[entries] - asked.start, ends),
            shape=(rows.stop - rows.start, len(questions)),
        )
        scores[order[rows]] = shares @ members.embedded
    return scores


def _batches(of_rows: IntArray, of_cases: IntArray) -> Iterator[tuple[slice, slice]]:
    """Rows and cases of some groups at a time; those with cases, by the groups in rising order."""
    groups = np.unique(of_cases)
    row_ends = np.searchsorted(of_rows, groups, side="right")
    case_ends = np.searchsorted(of_cases, groups, side="right")
    row = case = 0
    while case < of_cases.size:
        # At least one group, however many cases it has.
        after = max(
            np.searchsorted(case_ends, case + _CASES, side="right"),
            np.searchsorted(case_ends, case, side="right") + 1,
        )
        yield slice(row, row_ends[after - 1]), slice(case, case_ends[after - 1])
        row, case = row_ends[after - 1], case_ends[after - 1]


def _distinct_sets(candidates: Any) -> tuple[IntArray, IntArray]:
    """The first row of each different set, ``(d,)``, and which of them a row has, ``(n,)``."""
    if isinstance(candidates, RepeatedSets):
        return candidates.distinct
    return np.arange(len(candidates)), np.arange(len(candidates))


def _distinct_rows(rows: FloatArray) -> tuple[IntArray, IntArray]:
    """The first of each kind of equal rows, ``(d,)``, and which kind a row is, ``(n,)``."""
    # Equal rows have equal sums with fixed factors. Others hardly ever do, which is looked at:
    # to sort numbers is many times as fast as to sort rows.
    sums = (rows * np.cos(np.arange(rows.shape[1]))).sum(axis=1)
    _, first, kind = np.unique(sums, return_index=True, return_inverse=True)
    if not np.array_equal(rows, rows[first[kind]]):
        _, first, kind = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first, kind.ravel()


def average_candidates(problem: Problem) -> Solution:
    """Learn from the mean of each set; label each row by the member nearest to its prediction."""
    xi = problem.loss.start(problem.candidates, "average")
    predictions = problem.best_predictions(xi).faces
    return _solution(problem, predictions, "average")


def infimum_loss(problem: Problem) -> tuple[Solution, bool]:
    """Predict by the infimum loss; label each row by the member nearest to its prediction.

    Returns
    -------
    (Solution, bool)
        And whether the predictions minimise the infimum loss exactly.
    """
    found = infimum_prediction(problem.loss, problem.votes, problem.candidates, rtol=problem.rtol)
    return _solution(problem, found.predictions, "infimum"), found.exact


def _solution(problem: Problem, predictions: Faces, name: str) -> Solution:
    n = len(predictions)
    tolerance = np.full(n, problem.rtol * problem.loss.magnitude(problem.candidates))
    own = problem.loss.best_candidate(predictions.embedded, problem.candidates, tolerance)
    # A prediction outside the set leaves all members equally near under many losses: then those
    # that the other rows' predictions favour are taken.
    others = problem.scores_of_targets(predictions.embedded)
    size = _SECOND_OPINION * float(np.abs(predictions.embedded).max(initial=0.0))
    # Row by row: beside a row that many listen to, the others' would be too faint to choose.
    heard = np.abs(others).max(axis=1, initial=0.0, keepdims=True)
    others = np.where(heard > 0, others / np.where(heard > 0, heard, 1.0), 0.0) * size
    decoded = problem.loss.best_candidate(
        predictions.embedded + others, problem.candidates, tolerance
    ).first()
    objective = problem.objective(decoded.embedded)
    return Solution(
        targets=own,
        decoded=decoded,
        relaxed_objective=problem.objective(own.embedded),
        objective=objective,
        start=name,
        status=Status.CONVERGED,
        n_iter=1,
        trace=(Progress(name, 1, objective, int(n - np.count_nonzero(own.is_vertex))),),
    )
