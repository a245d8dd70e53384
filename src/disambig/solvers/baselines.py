"""The two baselines: infimum loss (IL) and average candidates (AC).

The infimum loss chooses the members of all sets again at every query (Eq. 9 of the paper):
``f(x) = argmin_z sum_j inf_{y in s_j} alpha_j(x) loss(z, y)``. Average candidates predict from the
mean of each set. `infimum_prediction` predicts at queries; `infimum_solution` and
`average_candidates` disambiguate the training rows and return a `Solution`.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from disambig.candidates.protocol import RepeatedSets
from disambig.candidates.reading import require_separable
from disambig.compiled.sets import unique_cases
from disambig.exceptions import MissingOracleError
from disambig.losses.protocol import ExactInfimum, Faces, Loss
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.problem import HalfStep, Problem, Scores, inner
from disambig.solvers.alternating.descent import Descent
from disambig.solvers.loop import Progress, Status, iterate
from disambig.solvers.solution import Solution
from disambig.votes import Votes

# Cases (a prediction, a set and the sign of a vote) that are minimised in one batch. The batch is
# small enough for its arrays to stay in the processor's cache.
_MAX_BATCH_CASES = 4000
# Beside a tie tolerance, which is far above rounding, this share of it is far below the frequencies
# that break a tie.
NUDGED_TOLERANCE_SHARE = 1e-4
# Weight of the scores from all rows beside a row's own prediction: too small to overrule the own
# prediction, large enough to break its ties.
_TIE_BREAK_WEIGHT = 1e-6


class InfimumPrediction(NamedTuple):
    """Predictions under the infimum loss.

    Attributes
    ----------
    predictions : Faces
    exact : bool
        Whether they are its exact minimisers.
    scores : float array (q, p) or None
        What they minimise for the best members of all sets; None if they are exact.
    """

    predictions: Faces
    exact: bool
    scores: FloatArray | None = None


def infimum_prediction(
    loss: Loss,
    votes: Votes,
    candidates: Any,
    *,
    rtol: float = 1e-10,
    max_iter: int = 100,
    prior: FloatArray | None = None,
) -> InfimumPrediction:
    """Minimise the infimum loss at each query: exactly if the loss can, by local search otherwise.

    The local search alternates between the best members of all sets for the prediction and the best
    prediction for these members. The infimum loss never rises, but the search may stop above the
    minimum: undecided members follow the prediction and confirm it. It therefore starts from the
    prediction of average candidates and, if the loss offers that start, from ``"infimum"``; each
    query keeps the lower of the two results.

    Parameters
    ----------
    loss : Loss
    votes : Votes (q, n)
    candidates : object
        The n candidate sets.
    rtol : float
        Relative tolerance of ties.
    max_iter : int
        The largest number of rounds of the local search.
    prior : float array (p,), optional
        A mean target: where the starts of the local search tie, it decides.
    """
    if isinstance(loss, ExactInfimum):
        return InfimumPrediction(loss.infimum_prediction(votes, candidates, rtol), exact=True)
    unit = rtol * loss.magnitude(candidates)
    starts = _starts(loss, candidates)
    search = _MemberSearch.on(loss, votes, candidates, len(starts), unit)
    scores = np.concatenate([votes @ start for start in starts])
    if prior is not None:
        scores = nudged(scores, prior, search.tolerance, loss.magnitude(candidates))
    share = 1.0 if prior is None else NUDGED_TOLERANCE_SHARE
    predictions = loss.best_prediction(scores, share * search.tolerance).first()
    descent = Descent(search)
    found = iterate(descent, descent.begin(predictions), max_iter=max_iter).state
    losses = np.einsum("ip,ip->i", found.predictions.embedded, found.targets.scores)
    q = votes.shape[0]
    best = np.arange(q)
    for k in range(1, len(starts)):
        other = np.arange(k * q, (k + 1) * q)
        lower = losses[other] < losses[best] - search.tolerance[:q]
        best = np.where(lower, other, best)
    scores = found.targets.scores[best]
    return InfimumPrediction(found.predictions.take(best), exact=False, scores=scores)


def nudged(
    scores: FloatArray, prior: FloatArray, tolerance: FloatArray, largest: float
) -> FloatArray:
    """Scores ``(q, p)`` plus a prior ``(p,)``, so small that it decides between tied outputs only.

    `tolerance` ``(q,)`` is that of ties, and `largest` the largest loss.
    """
    factors = tolerance / (2.0 * largest) if largest > 0 else np.zeros_like(tolerance)
    sum_of_both: FloatArray = scores + factors[:, None] * prior
    return sum_of_both


def _starts(loss: Loss, candidates: Any) -> list[FloatArray]:
    starts = [loss.start(candidates, "average")]
    with suppress(MissingOracleError):
        starts.append(loss.start(candidates, "infimum"))
    return starts


@dataclass(frozen=True, eq=False)
class _Members:
    """For each prediction the best member of every set, as what a prediction there minimises.

    Parameters
    ----------
    scores : float array (r, p)
        ``sum_j alpha_j phi(y_j)``, where y_j is the best member of set j.
    predictions : Faces
        The predictions that the members are best for.
    changed : int array
        Rows whose members are new.
    """

    scores: FloatArray
    predictions: Faces
    changed: IntArray

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def is_vertex(self) -> BoolArray:
        return np.ones(len(self), dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class _MemberSearch:
    """The half steps of the infimum loss: members of all sets, and predictions, in turn.

    All starts run together, so that equal predictions share the minimisation over members; start k
    has the rows from ``k q``.

    Parameters
    ----------
    loss : Loss
    candidates : object
        The n candidate sets.
    votes : csr_array (q, n)
    unit : float
        Tolerance of ties for one vote.
    tolerance : float array (starts * q,)
        Tolerance of ties for the votes of each row.
    """

    loss: Loss
    candidates: Any
    votes: Any
    unit: float
    tolerance: FloatArray

    @classmethod
    def on(
        cls, loss: Loss, votes: Votes, candidates: Any, n_starts: int, unit: float
    ) -> "_MemberSearch":
        q, n = votes.shape
        rows, columns, values = votes.column_entries(np.arange(n))
        matrix = sp.csr_array((values, (rows, columns)), shape=(q, n))
        matrix.eliminate_zeros()
        tolerance = np.tile(unit * votes.absolute_row_sums(), n_starts)
        return cls(loss, candidates, matrix, unit, tolerance)

    def improve_predictions(
        self, targets: _Members, older: Faces, older_scores: Scores | None = None
    ) -> tuple[Faces, None]:
        rows = targets.changed
        scores, tolerance = targets.scores[rows], self.tolerance[rows]
        found = self.loss.best_prediction(scores, tolerance)
        found = found.keep_unless_better(older.take(rows), scores, tolerance)
        return older.replace(rows, found), None

    def improve_targets(
        self, predictions: Faces, older: _Members | None = None
    ) -> HalfStep[_Members]:
        rows = np.arange(len(predictions))
        scores = np.zeros_like(predictions.embedded)
        if older is not None:
            # Only predictions that changed need other members.
            rows = np.flatnonzero(predictions.differing(older.predictions))
            scores = older.scores.copy()
        scores[rows] = _scores_of_best_members(
            self.loss,
            predictions.take(rows).embedded,
            self.candidates,
            self.votes[rows % self.votes.shape[0]],
            self.unit,
        )
        members = _Members(scores, predictions, rows)
        return HalfStep(members, inner(predictions.embedded, scores))


def _scores_of_best_members(
    loss: Loss, predictions: FloatArray, candidates: Any, sparse_votes: Any, unit: float
) -> FloatArray:
    """``sum_j alpha_j phi(y_j)``, where y_j is the best member of set j for the prediction.

    `sparse_votes` are the votes at the predictions, ``(len(predictions), n)``.
    """
    # The best member depends only on the prediction, the set and the sign of the vote (a negative
    # vote takes the worst member), and queries near each other often have equal predictions. Each
    # such case is minimised once.
    first, group_of_row = _distinct_rows(predictions)
    sets, set_of_row = _distinct_sets(candidates)
    order = np.argsort(group_of_row, kind="stable")
    group_of_row, sparse_votes = group_of_row[order], sparse_votes[order]
    starts = sparse_votes.indptr.astype(np.int64)
    case_of_entry, cases = unique_cases(
        group_of_row,
        starts,
        set_of_row[sparse_votes.indices],
        np.asarray(sparse_votes.data > 0),
        len(sets),
    )
    scores = np.zeros_like(predictions)
    for rows, batch in _batches(group_of_row, cases[:, 0]):
        group, set_index, positive = cases[batch].T
        costs = predictions[first[group]]
        np.negative(costs, out=costs, where=positive[:, None] == 0)
        tolerance = np.full(len(costs), unit)
        members = loss.best_candidate(costs, candidates[sets[set_index]], tolerance)
        entries = slice(starts[rows.start], starts[rows.stop])
        ends = starts[rows.start : rows.stop + 1] - entries.start
        votes_of_cases = sp.csr_array(
            (sparse_votes.data[entries], case_of_entry[entries] - batch.start, ends),
            shape=(rows.stop - rows.start, len(costs)),
        )
        scores[order[rows]] = votes_of_cases @ members.embedded
    return scores


def _batches(group_of_row: IntArray, group_of_case: IntArray) -> Iterator[tuple[slice, slice]]:
    """Slices of rows and of cases that belong to the same groups.

    Both arrays are sorted. Groups without cases are left out.
    """
    groups = np.unique(group_of_case)
    row_ends = np.searchsorted(group_of_row, groups, side="right")
    case_ends = np.searchsorted(group_of_case, groups, side="right")
    row = case = 0
    while case < group_of_case.size:
        # At least one group, even if it alone has more cases than a batch should have.
        after = max(
            np.searchsorted(case_ends, case + _MAX_BATCH_CASES, side="right"),
            np.searchsorted(case_ends, case, side="right") + 1,
        )
        yield slice(row, row_ends[after - 1]), slice(case, case_ends[after - 1])
        row, case = row_ends[after - 1], case_ends[after - 1]


def _distinct_sets(candidates: Any) -> tuple[IntArray, IntArray]:
    """The first row of each distinct set, ``(d,)``, and which of them a row has, ``(n,)``."""
    if isinstance(candidates, RepeatedSets):
        return candidates.distinct
    return np.arange(len(candidates)), np.arange(len(candidates))


def _distinct_rows(rows: FloatArray) -> tuple[IntArray, IntArray]:
    """The first of each group of equal rows, ``(d,)``, and the group of each row, ``(n,)``."""
    # Equal rows have equal weighted sums, and sorting these sums is many times as fast as sorting
    # rows. Different rows rarely have equal sums; if they do, rows are sorted after all.
    sums = (rows * np.cos(np.arange(rows.shape[1]))).sum(axis=1)
    _, first, group = np.unique(sums, return_index=True, return_inverse=True)
    if not np.array_equal(rows, rows[first[group]]):
        _, first, group = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first, group.ravel()


def average_candidates(problem: Problem) -> Solution:
    """Predict from the mean of each set; label each row by the member nearest to its prediction."""
    require_separable(problem.candidates, "method='average'")
    xi = problem.loss.start(problem.candidates, "average")
    predictions = problem.best_predictions(xi).faces
    return _solution(problem, predictions, "average")


def infimum_solution(problem: Problem) -> tuple[Solution, bool]:
    """Predict by the infimum loss; label each row by the member nearest to its prediction.

    Returns
    -------
    solution : Solution
    exact : bool
        Whether the predictions minimise the infimum loss exactly.
    """
    require_separable(problem.candidates, "method='infimum'")
    found = infimum_prediction(problem.loss, problem.votes, problem.candidates, rtol=problem.rtol)
    predictions = found.predictions
    if found.scores is not None:
        # The search returns one prediction a row; a row with several must not favour any.
        predictions = problem.choose_predictions(found.scores)
    return _solution(problem, predictions, "infimum"), found.exact


def run_baseline(problem: Problem, method: str) -> tuple[Solution, bool | None]:
    """The solution of ``"infimum"`` or ``"average"``; whether the infimum is exact, or None."""
    if method == "average":
        return average_candidates(problem), None
    return infimum_solution(problem)


def _solution(problem: Problem, predictions: Faces, name: str) -> Solution:
    """Each row takes the member nearest to its own prediction; other rows' scores break ties."""
    n = len(predictions)
    tolerance = np.full(n, problem.rtol * problem.loss.magnitude(problem.candidates))
    targets = problem.loss.best_candidate(predictions.embedded, problem.candidates, tolerance)
    # Under many losses all members are equally near to a prediction outside the set. The scores of
    # the targets, from the predictions of all rows, then choose among them.
    scores = problem.scores_of_targets(predictions.embedded)
    size = _TIE_BREAK_WEIGHT * float(np.abs(predictions.embedded).max(initial=0.0))
    # Normalised row by row: with one scale for all, a row with large scores would push the scores
    # of other rows below the tolerance.
    largest = np.abs(scores).max(axis=1, initial=0.0, keepdims=True)
    scores = np.where(largest > 0, scores / np.where(largest > 0, largest, 1.0), 0.0) * size
    decoded = problem.loss.best_candidate(
        predictions.embedded + scores, problem.candidates, tolerance
    ).first()
    objective = problem.objective(decoded.embedded)
    return Solution(
        targets=targets,
        decoded=decoded,
        relaxed_objective=problem.objective(targets.embedded),
        objective=objective,
        start=name,
        status=Status.CONVERGED,
        n_iter=1,
        trace=(Progress(name, 1, objective, int(n - np.count_nonzero(targets.is_vertex))),),
        tie_tolerance=problem.rtol,
    )
