"""Decoding: choose one vertex for every undecided row.

A barycentre can be a saddle point where some vertex has a lower objective. All vertices of a face
tie under the current predictions, so moving rows from barycentres to vertices never raises the
objective, and it falls where predictions then change. Decoding therefore pins one row of every
connected group of undecided rows to its best vertex, runs the descent, and repeats. At the end all
pins are released and a last run moves rows only to strictly better vertices.

Among vertices of equal objective a row takes the one nearest to its own prediction. This decides
rows that receive votes but give none, of which leave-one-out votes have many: the objective does
not depend on their target.

The labels of an earlier solution are a guess for all undecided rows at once. From there only the
last run is needed, unless it ends above the objective before decoding.
"""

from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from disambig.candidates import LabelSets
from disambig.exceptions import ConvergenceWarning, VotesError, warn
from disambig.losses.labels.faces import CodedFaces, LabelFaces
from disambig.losses.protocol import Faces
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.problem import Problem
from disambig.solvers.alternating.descent import Descent, DescentState
from disambig.solvers.alternating.row_descent import RowDescent, RowState
from disambig.solvers.loop import Callback, Progress, Run, Status, iterate
from disambig.solvers.solution import Solution

State = TypeVar("State", DescentState, RowState)


def decode(
    problem: Problem,
    state: State,
    *,
    max_iter: int,
    max_rounds: int,
    stage: str,
    callback: Callback | None = None,
    guess: Faces | None = None,
) -> Run[State]:
    """One vertex per row; the objective is no higher than that of `state`.

    After `max_rounds` rounds of pinning (with a warning), or if the callback stops the run, the
    rows that are still undecided take their first vertex. All vertices of a row tie under the
    predictions of `state`, so that this does not raise the objective either.

    `guess` are the labels of an earlier solution, one vertex for each row. Decoding starts from
    those that are candidates still, and pins rows only if this ends above the objective of `state`.
    """
    if not state.undecided:
        return Run(state, Status.CONVERGED, ())
    trace: list[Progress] = []
    stopped = False
    if guess is not None and max_rounds:
        run = _run_from_guess(problem, state, guess, max_iter, stage, callback)
        no_higher = run.state.objective <= state.objective + problem.objective_tolerance
        if no_higher:
            return run
        trace.extend(run.trace)
        stopped = run.status is Status.STOPPED
    pins = np.empty(0, dtype=np.intp)
    for round_number in range(1, 1 if stopped else max_rounds + 1):
        rows = _rows_to_pin(problem, np.flatnonzero(~state.targets.is_vertex))
        targets = state.targets.replace(rows, _best_vertices(problem, state, rows))
        pins = np.union1d(pins, rows)
        descent = _descent_with_pins(problem, state, pins, targets)
        run = iterate(
            descent,
            descent.resume(targets, state),
            max_iter=max_iter,
            stage=f"{stage}, decoding {round_number}",
            callback=callback,
        )
        state = run.state
        trace.extend(run.trace)
        stopped = run.status is Status.STOPPED
        if not state.undecided or stopped:
            break
    if state.undecided and max_rounds and not stopped:
        warn(
            f"{state.undecided} rows are undecided after max_rounds={max_rounds} rounds of "
            "decoding; they take their first candidate. A larger max_rounds may find better ones.",
            ConvergenceWarning,
        )
    descent = _descent_at_vertices(problem, state)
    last = iterate(
        descent,
        descent.resume(state.targets.first(), state),
        max_iter=0 if stopped else max_iter,
        stage=f"{stage}, decoded",
        callback=callback,
    )
    trace.extend(last.trace)
    return Run(last.state, Status.STOPPED if stopped else last.status, tuple(trace))


def as_guess(start: Solution, targets: Faces) -> Faces:
    """The labels of an earlier solution as faces of the type of `targets`."""
    labels = start.decoded
    if isinstance(labels, (LabelFaces, CodedFaces)):
        if isinstance(targets, CodedFaces):
            return CodedFaces.from_mask(labels.mask, targets.embedding)
        if isinstance(targets, LabelFaces):
            return LabelFaces(labels.mask, targets.embedding)
    if type(labels) is not type(targets):
        raise ValueError(
            f"AlternatingMinimization: start is a solution whose labels are "
            f"{type(labels).__name__}; expected {type(targets).__name__}. Start from a solution of "
            "the same rows and the same loss."
        )
    guess: Faces = labels
    return guess


def _are_candidates(problem: Problem, labels: Faces) -> BoolArray:
    """Rows whose label is in the set of the row, ``(n,)``."""
    candidates = problem.candidates
    if isinstance(candidates, LabelSets):
        inside: BoolArray = candidates.mask[np.arange(len(labels)), labels.outputs]
        return inside
    inside = candidates.contains(labels.outputs)
    return inside


def _run_from_guess(
    problem: Problem,
    state: State,
    guess: Faces,
    max_iter: int,
    stage: str,
    callback: Callback | None,
) -> Run[State]:
    """The last run of decoding, from labels of an earlier solution that are candidates still.

    All rows take them, or those that are undecided, whichever has the lower objective after a
    step: the other rows may have found better targets. What remains begins at its first vertex.
    """
    inside, decided = _are_candidates(problem, guess), state.targets.is_vertex
    descent = _descent_at_vertices(problem, state)
    starts = []
    for rows in (np.flatnonzero(inside), np.flatnonzero(inside & ~decided)):
        targets = state.targets.first().replace(rows, guess.take(rows))
        starts.append(descent.resume(targets, state))
    every, undecided = starts
    lower = undecided.objective < every.objective - problem.objective_tolerance
    return iterate(
        descent,
        undecided if lower else every,
        max_iter=max_iter,
        stage=f"{stage}, decoded",
        callback=callback,
    )


def _descent_with_pins(problem: Problem, state: State, pins: IntArray, targets: Faces) -> Any:
    """The type of process that made the state, with rows pinned."""
    if isinstance(state, RowState):
        return RowDescent(problem, pinned_rows=pins)
    return Descent(problem, pinned=(pins, targets.take(pins)))


def _descent_at_vertices(problem: Problem, state: State) -> Any:
    """The type of process that made the state, with targets that stay at vertices."""
    if isinstance(state, RowState):
        return RowDescent(problem, at_vertices=True)
    return Descent(problem, at_vertices=True)


def _rows_to_pin(problem: Problem, undecided: IntArray) -> IntArray:
    """The first row of each connected group of undecided rows in ``A + A.T``.

    Rows that give no votes cannot change the predictions of their group. They come after all
    others, and all at once.
    """
    voting = undecided[problem.target_scale[undecided] > 0]
    if not voting.size:
        return undecided
    undecided = voting
    # If all undecided rows receive votes of the first, they form one group, and the graph need not
    # be built.
    if np.isin(undecided[1:], problem.votes.column_entries(undecided[:1])[0]).all():
        return undecided[:1]
    links = problem.votes.links(undecided)
    if links is None:
        return undecided[:1]
    _, group = connected_components(sp.csr_array(links), directed=True, connection="weak")
    return undecided[np.unique(group, return_index=True)[1]]


def _best_vertices(problem: Problem, state: State, rows: IntArray) -> Faces:
    """For each row on its own: the tied vertex with the lowest resulting objective.

    Of several, the nearest to the prediction at the row; if these tie as well, the first.
    """
    owner, vertices = state.targets.vertices(rows)
    scoreless = np.setdiff1d(np.arange(rows.size), owner)
    if scoreless.size:
        raise VotesError(
            f"row {rows[scoreless[0]]}: none of its candidates has a score that is a number, "
            "because votes are infinite, NaN or overflow when they are summed. Scale inputs and "
            "sample weights to ordinary sizes, or use a larger regularization."
        )
    # Column t of the table has the t-th vertex of every row, so that there are as many passes as
    # the largest face has vertices.
    rank = np.arange(owner.size) - np.searchsorted(owner, owner)
    table = np.full((rows.size, int(rank.max()) + 1), -1, dtype=np.intp)
    table[owner, rank] = np.arange(owner.size)
    objectives = _objectives(problem, state, rows, table, owner, vertices)
    best = objectives <= objectives.min(axis=1, keepdims=True) + problem.objective_tolerance
    losses = np.full(table.shape, np.inf)
    losses[owner, rank] = np.einsum(
        "ip,ip->i", state.predictions.take(rows).embedded[owner], vertices.embedded
    )
    losses[~best] = np.inf
    tolerance = problem.rtol * problem.loss.magnitude(problem.candidates)
    nearest = losses <= losses.min(axis=1, keepdims=True) + tolerance
    chosen: Faces = vertices.take(table[np.arange(rows.size), nearest.argmax(axis=1)])
    return chosen


def _objectives(
    problem: Problem,
    state: State,
    rows: IntArray,
    table: IntArray,
    owner: IntArray,
    vertices: Faces,
) -> FloatArray:
    """The objective if row k alone takes vertex ``table[k, t]``, up to a constant of the row.

    Only predictions that receive votes of the row are summed. Infinite where there is no vertex.
    """
    steps = vertices.embedded - state.targets.take(rows).embedded[owner]
    affected, position, votes = problem.votes.column_entries(rows)
    scores, index = _scores_at(problem, state, affected)
    objectives = np.full(table.shape, np.inf)
    tolerance = problem.rtol * problem.prediction_scale[affected]
    # Under the 0-1 loss a step changes as many columns as the face has vertices.
    columns = np.flatnonzero(steps.any(axis=0))
    steps = steps[:, columns]
    for t in range(table.shape[1]):
        choice = table[position, t]
        here = choice >= 0
        moved = scores[index[here]]
        moved[:, columns] += votes[here, None] * steps[choice[here]]
        faces = problem.loss.best_prediction(moved, tolerance[here])
        costs = np.einsum("ip,ip->i", faces.embedded, moved)
        exists = table[:, t] >= 0
        sums = np.bincount(position[here], weights=costs, minlength=rows.size)
        objectives[exists, t] = sums[exists]
    return objectives


def _scores_at(problem: Problem, state: State, rows: IntArray) -> tuple[FloatArray, IntArray]:
    """``(A @ xi)[rows]``, returned as ``scores, index`` with the k-th row in ``scores[index[k]]``.

    Row steps compute each distinct row once.
    """
    if isinstance(state, DescentState):
        return problem.prediction_scores(state.targets, state.scores).values, rows
    assert problem.row_steps is not None
    distinct, index = np.unique(rows, return_inverse=True)
    return problem.row_steps.scores_at(distinct, state.targets), index.ravel()
