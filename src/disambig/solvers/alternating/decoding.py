"""From undecided rows to one vertex each.

A barycentre can be a saddle that a vertex improves on. All vertices of a face tie under the current
predictions, so moving rows from barycentres to vertices never raises the objective, and where the
predictions then change it falls. Hence: pin one row of every connected group of undecided rows to
its best vertex, run again, repeat; at the end let all pins go and run once more, moving only to
strictly better vertices.

Among vertices of equal objective a row takes the one nearest to its own prediction. That is what
labels a row that hears others and that nobody listens to, as leave-one-out votes leave many:
whatever it takes, the objective is the same.
"""

import warnings
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from disambig.exceptions import ConvergenceWarning
from disambig.losses.protocol import Faces
from disambig.notation import FloatArray, IntArray
from disambig.problem import Problem
from disambig.solvers.alternating.descent import Descent, DescentState
from disambig.solvers.alternating.row_descent import RowDescent, RowState
from disambig.solvers.loop import Callback, Progress, Run, Status, iterate

State = TypeVar("State", DescentState, RowState)


def decode(
    problem: Problem,
    state: State,
    *,
    max_iter: int,
    max_rounds: int,
    stage: str,
    callback: Callback | None = None,
) -> Run[State]:
    """One vertex a row, of an objective no higher than that of `state`.

    After `max_rounds` rounds of pinning (a warning says so), or at the callback's word, the rows
    still undecided take their first vertex. All vertices of a row tie under the predictions of
    `state`, so that does not raise the objective either.
    """
    if not state.undecided:
        return Run(state, Status.CONVERGED, ())
    trace: list[Progress] = []
    stopped = False
    pins = np.empty(0, dtype=np.intp)
    for turn in range(1, max_rounds + 1):
        rows, targets = _pin(problem, state)
        pins = np.union1d(pins, rows)
        descent = _pinned(problem, state, pins, targets)
        run = iterate(
            descent,
            descent.resume(targets, state),
            max_iter=max_iter,
            stage=f"{stage}, decoding {turn}",
            callback=callback,
        )
        state = run.state
        trace.extend(run.trace)
        stopped = run.status is Status.STOPPED
        if not state.undecided or stopped:
            break
    if state.undecided and max_rounds and not stopped:
        warnings.warn(
            f"{state.undecided} rows are undecided after max_rounds={max_rounds} rounds of "
            "decoding; they take their first candidate. A larger max_rounds looks for better ones.",
            ConvergenceWarning,
            stacklevel=4,
        )
    free = _at_vertices(problem, state)
    last = iterate(
        free,
        free.resume(state.targets.first(), state),
        max_iter=0 if stopped else max_iter,
        stage=f"{stage}, decoded",
        callback=callback,
    )
    trace.extend(last.trace)
    return Run(last.state, Status.STOPPED if stopped else last.status, tuple(trace))


def _pinned(problem: Problem, state: State, pins: IntArray, targets: Faces) -> Any:
    """The kind of process that made the state, with rows pinned."""
    if isinstance(state, RowState):
        return RowDescent(problem, pinned_rows=pins)
    return Descent(problem, pinned_rows=pins, pinned_targets=targets.take(pins))


def _at_vertices(problem: Problem, state: State) -> Any:
    """The kind of process that made the state, moving between vertices."""
    if isinstance(state, RowState):
        return RowDescent(problem, at_vertices=True)
    return Descent(problem, at_vertices=True)


def _pin(problem: Problem, state: State) -> tuple[IntArray, Faces]:
    """One row of each group of undecided rows, and the targets with it at its best vertex."""
    rows = _leaders(problem, np.flatnonzero(~state.targets.is_vertex))
    return rows, state.targets.replace(rows, _best_vertices(problem, state, rows))


def _leaders(problem: Problem, undecided: IntArray) -> IntArray:
    """The first row of each connected group of undecided rows in ``A + A.T``.

    Rows that nobody listens to bring no news to a group; they come last, and all at once.
    """
    heard = undecided[problem.target_scale[undecided] > 0]
    if not heard.size:
        return undecided
    undecided = heard
    # Where everybody hears everybody the first row says so, and no graph has to be written out.
    if np.isin(undecided[1:], problem.votes.column_entries(undecided[:1])[0]).all():
        return undecided[:1]
    links = problem.votes.links(undecided)
    if links is None:
        return undecided[:1]
    _, group = connected_components(sp.csr_array(links), directed=True, connection="weak")
    return undecided[np.unique(group, return_index=True)[1]]


def _best_vertices(problem: Problem, state: State, rows: IntArray) -> Faces:
    """For each row on its own: the tied vertex with the lowest resulting objective.

    Of several, the nearest to the prediction at the row; of several still, the first.
    """
    owner, vertices = state.targets.vertices(rows)
    # The t-th vertex of every row at once: as many passes as the largest face has vertices.
    rank = np.arange(owner.size) - np.searchsorted(owner, owner)
    table = np.full((rows.size, int(rank.max()) + 1), -1, dtype=np.intp)
    table[owner, rank] = np.arange(owner.size)
    values = _values(problem, state, rows, table, owner, vertices)
    best = values <= values.min(axis=1, keepdims=True) + problem.objective_tolerance
    away = np.full(table.shape, np.inf)
    away[owner, rank] = np.einsum(
        "ip,ip->i", state.predictions.take(rows).embedded[owner], vertices.embedded
    )
    away[~best] = np.inf
    unit = problem.rtol * problem.loss.magnitude(problem.candidates)
    nearest = away <= away.min(axis=1, keepdims=True) + unit
    chosen: Faces = vertices.take(table[np.arange(rows.size), nearest.argmax(axis=1)])
    return chosen


def _values(
    problem: Problem,
    state: State,
    rows: IntArray,
    table: IntArray,
    owner: IntArray,
    vertices: Faces,
) -> FloatArray:
    """What all predictions pay together if row k alone takes vertex ``table[k, t]``.

    Up to a constant of the row; infinite where there is no vertex.
    """
    steps = vertices.embedded - state.targets.take(rows).embedded[owner]
    rows_affected_by_targets, position, votes = problem.votes.column_entries(rows)
    scores, place = _heard(problem, state, rows_affected_by_targets)
    values = np.full(table.shape, np.inf)
    tolerance = problem.rtol * problem.prediction_scale[rows_affected_by_targets]
    for t in range(table.shape[1]):
        choice = table[position, t]
        here = choice >= 0
        moved = scores[place[here]] + votes[here, None] * steps[choice[here]]
        faces = problem.loss.best_prediction(moved, tolerance[here])
        paid = np.einsum("ip,ip->i", faces.embedded, moved)
        exists = table[:, t] >= 0
        values[exists, t] = np.bincount(position[here], weights=paid, minlength=rows.size)[exists]
    return values


def _heard(problem: Problem, state: State, rows: IntArray) -> tuple[FloatArray, IntArray]:
    """``(A @ xi)[rows]`` as ``scores[place]``."""
    if isinstance(state, DescentState):
        scores = state.heard
        if scores is None:
            scores = problem.scores_of_predictions(state.targets.embedded)
        return scores, rows
    assert problem.row_steps is not None
    distinct, place = np.unique(rows, return_inverse=True)
    return problem.row_steps.scores_at(distinct, state.targets), place.ravel()
