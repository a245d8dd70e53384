"""How inputs with holes are completed: the way that predicts hidden sets better.

What is missing may itself say something about the target, or nothing. Then indicators are noise in
as many further columns. Both ways are tried with all weightings of the search, on the few rows of
its screen, with the same rows hidden. Where it matters that a cell is missing, a constant in its
place may say so more plainly than a guess of its value: if indicators help, means of columns are
tried beside them.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from disambig.estimators.rows.kept import KeptRows
from disambig.estimators.selection.protocol import SelectionKind, SelectionSample, Trial
from disambig.estimators.selection.sampling import merge_copies, sample_rows
from disambig.estimators.selection.scales import feature_scales
from disambig.estimators.selection.search import Deadline
from disambig.estimators.selection.space import SearchSpace, n_landmarks_for
from disambig.inputs.completion import Completion
from disambig.notation import FloatArray
from disambig.threads import threads_for
from disambig.weights.row_groups import rank_hashes

# Of the time limit, for the choice of a way.
_SHARE_OF_TIME = 0.3


def choose_completion(
    completion: Completion,
    kind: SelectionKind,
    X: Any,
    kept: KeptRows,
    space: SearchSpace,
    time_limit: float | None,
) -> tuple[Completion, tuple[Trial, ...]]:
    """A completion with or without indicators, and the best trials of the ways not taken.

    With few informative rows it is the one without.

    Parameters
    ----------
    completion : Completion
        Without indicators.
    kind : SelectionKind of the rows that take part
    X : array or csr (m, d)
        These rows; NaN where missing.
    kept : KeptRows
    space : SearchSpace
    time_limit : float or None
    """
    marked = completion.with_indicators()
    inputs = marked.transform(X)
    hashes = rank_hashes(inputs) if space.unit_free else None
    weights = kept.sample_weight
    inputs, kind, weights, groups = merge_copies(inputs, kind, weights, kept.groups, hashes)
    space = space.screening()
    rows, numbers = sample_rows(groups, kind, weights, space.n_rows(kind.width))
    kind, weights = kind.take(rows), weights[rows]
    if np.count_nonzero(kind.informative) < space.least_informative:
        return completion, ()
    deadline = Deadline(None if time_limit is None else _SHARE_OF_TIME * time_limit)
    inputs, n_landmarks = inputs[rows], n_landmarks_for(X.shape[0])

    def tried(way: Completion, part: Any) -> tuple[Completion, Trial]:
        sample = SelectionSample(part, kind, weights, numbers, n_landmarks)
        return way, _best_trial(space, sample, deadline)._replace(completion=way.way)

    # The first columns are those without indicators.
    found = [tried(completion, inputs[:, : completion.n_outputs])]
    if deadline.has_passed:
        return completion, ()
    found.append(tried(marked, inputs))
    helps = found[1][1].score < found[0][1].score
    if helps and completion.fill is not None and not deadline.has_passed:
        found.append(tried(marked.with_means(), _means_at_marks(marked, inputs)))
    way, _ = found.pop(int(np.argmin([trial.score for _, trial in found])))
    return way, tuple(trial for _, trial in found)


def _means_at_marks(marked: Completion, inputs: FloatArray) -> FloatArray:
    """Completed inputs with indicators, with means of columns instead of guesses."""
    k, changed = len(marked.columns), inputs.copy()
    is_missing = inputs[:, k:] > 0
    columns = marked.indicated
    changed[:, columns] = np.where(is_missing, marked.means[columns], inputs[:, columns])
    return changed


def _best_trial(space: SearchSpace, sample: SelectionSample, deadline: Deadline) -> Trial:
    with threads_for(*sample.X.shape):
        scales = None
        if space.learns_scales:
            scales = feature_scales(sample.X, sample.kind.table(), sample.sample_weight)
        entries = sample.kind.entries(space, scales is not None)
        run = partial(sample.kind.run_trials, space, sample, scales)
        found = deadline.trials("missing cells", entries, run)
        return min((one.trial for one in found), key=lambda trial: trial.score)


def completed_trials(
    trials: Sequence[Trial], completion: Completion | None, others: Sequence[Trial]
) -> tuple[Trial, ...]:
    """The trials of a search, with the way that inputs were completed; then those of other ways."""
    if not trials or completion is None or not completion.n_missing:
        return tuple(trials)
    return (*(trial._replace(completion=completion.way) for trial in trials), *others)


def of_chosen_way(trials: Sequence[Trial]) -> list[Trial]:
    """The trials whose inputs were completed as those of the first, the chosen one."""
    return [trial for trial in trials if trial.completion == trials[0].completion]
