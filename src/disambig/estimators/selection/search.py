"""Successive halving over what a kind of target can try, scored by hidden sets.

The sets of some rows are hidden, a model is learned from the others, and it predicts the hidden
rows. The score is the loss of these predictions to the nearest members of the hidden sets; no true
target is used. The steps are the same for labels, bits, orders and numbers (`SelectionKind`):

1. `screen`: all entries on few rows; the best remain.
2. `SelectionKind.run_trials`: these on the whole sample.
3. `final_comparison`: if kernels need landmarks, the best of each family on many rows.
4. `SelectionKind.outside`: what a kind compares the best trial with.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import compress
from operator import not_
from typing import Any, NamedTuple

import numpy as np

from disambig.estimators.progress.reporting import Phase
from disambig.estimators.rows.kept import take_inputs
from disambig.estimators.selection.protocol import (
    HeldOutTrial,
    SelectionKind,
    SelectionSample,
    Trial,
)
from disambig.estimators.selection.sampling import merge_copies, rows_to_hide, sample_rows
from disambig.estimators.selection.scales import feature_scales
from disambig.estimators.selection.space import SearchSpace, n_landmarks_for
from disambig.exceptions import warn
from disambig.notation import FloatArray, IntArray
from disambig.threads import threads_for
from disambig.weights.row_groups import rank_hashes


class Deadline:
    """The end of a search: no entry begins after it, except the first of a round.

    Parameters
    ----------
    seconds : float or None
        From now on; None for no limit.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self.is_limited = seconds is not None
        self._end = np.inf if seconds is None else time.monotonic() + seconds

    def pass_now(self) -> None:
        """Let the time be over: a callback has ended the search."""
        self.is_limited, self._end = True, -np.inf

    @property
    def has_passed(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() >= self._end

    def limit(self, entries: Iterable[Any]) -> Iterator[Any]:
        """The entries that begin in time, and in any case the first."""
        for number, entry in enumerate(entries):
            if number and self.has_passed:
                return
            yield entry

    def trials(
        self,
        stage: str,
        entries: Sequence[Any],
        run: Callable[[Iterator[Any]], Iterator[HeldOutTrial]],
    ) -> Iterator[HeldOutTrial]:
        """The trials ``run(...)`` of the entries that begin in time; each entry is a step.

        Parameters
        ----------
        stage : str
            Of the phase "selection".
        entries : sequence
        run : callable
            May read ahead, and may have no trial of an entry.
        """
        phase = Phase("selection", len(entries), stage)
        if phase.stopped:
            self.pass_now()
        last, lowest = None, np.inf

        def report_last() -> None:
            nonlocal last
            if last is not None and phase.done(objective=lowest):
                self.pass_now()
            last = None

        def begun() -> Iterator[Any]:
            for entry in self.limit(entries):
                yield entry
                # Whoever asks for the next one is done with the last, unless it reads ahead.
                report_last()

        for held_out in run(begun()):
            if held_out.entry != last:
                report_last()
            last, lowest = held_out.entry, min(lowest, held_out.trial.score)
            yield held_out
        report_last()
        if not self.has_passed and phase.finish(lowest):
            self.pass_now()


class Selection(NamedTuple):
    """What was selected.

    Attributes
    ----------
    weights, solver
        Of the best trial, unfitted, or the fallback of the kind.
    trials : tuple of HeldOutTrial
        Best first. Those of a final comparison come before the rest, with their scores in it.
        Trials that predict no better than one constant come last.
    is_fallback : bool
        Whether nothing could be selected.
    n_better : int
        How many trials at the head predict better than one constant.
    compared : int
        How many trials at the head come from the final comparison; 0 if there was none.
    scored : (SelectionKind, float array), or None
        The rows that predictions of the best trials belong to, and their sample weights.
    """

    weights: Any
    solver: Any
    trials: tuple[HeldOutTrial, ...]
    is_fallback: bool
    n_better: int = 0
    compared: int = 0
    scored: tuple[SelectionKind, FloatArray] | None = None

    @property
    def records(self) -> tuple[Trial, ...]:
        """The trials without their predictions, for `trials_`."""
        return tuple(held_out.trial for held_out in self.trials)


def select(
    kind: SelectionKind,
    X: Any,
    sample_weight: FloatArray,
    space: SearchSpace,
    *,
    groups: IntArray | None = None,
    time_limit: float | None = None,
) -> Selection:
    """The weights, unfitted, and the solver that predict hidden sets best.

    Of equal trials the earlier one is better. If few rows are informative, or nothing predicts
    better than a constant, the result is the fallback of the kind, with a warning. Nothing is
    random: sample and folds depend on a hash of the inputs alone, so that the order of the rows
    does not matter. Copies of a row count as one row of their total weight. Only whether kernels
    need landmarks depends on the number of copies, since the fit has a row for each. Of rows in
    parts only the sample and the rows of the comparison are brought into memory; the result is the
    same.

    Parameters
    ----------
    kind : SelectionKind of n rows
    X : (n, d)
    sample_weight : float (n,)
    space : SearchSpace
    groups : int (n,), optional
        Rows of a group are hidden together, as copies are.
    time_limit : float, optional
        Seconds after which no further entry is tried. The result then depends on the speed of the
        machine.
    """
    deadline = Deadline(time_limit)
    n_fitted_rows = X.shape[0]
    hashes = rank_hashes(X) if space.unit_free else None
    X, kind, sample_weight, row_groups = merge_copies(X, kind, sample_weight, groups, hashes)
    n_rows, distinct = sample_weight.size, "distinct " if sample_weight.size < n_fitted_rows else ""
    n_informative = np.count_nonzero(kind.informative)
    if n_informative < space.least_informative:
        return _fallback(
            kind,
            X,
            sample_weight,
            row_groups,
            f"only {n_informative} of {n_rows} {distinct}rows {kind.exclusion}, too few to choose "
            "weights by",
            "Name the weights",
        )
    rows, numbers = sample_rows(row_groups, kind, sample_weight, space.n_rows(kind.width))
    n_informative = np.count_nonzero(kind.informative[rows])
    if n_informative < space.least_informative:
        return _fallback(
            kind,
            X,
            sample_weight,
            row_groups,
            f"in a sample of {rows.size} rows with as few equal inputs as possible, only "
            f"{n_informative} {kind.exclusion}, too few to choose weights by",
            "Name the weights",
        )
    sample = SelectionSample(
        take_inputs(X, rows, None),
        kind.take(rows),
        sample_weight[rows],
        numbers,
        n_landmarks_for(n_fitted_rows),
    )
    trials = _sample_trials(space, sample, deadline)
    is_better = sample.kind.are_better([one.trial for one in trials], sample.sample_weight)
    better = list(compress(trials, is_better))
    if not better:
        found = _fallback(
            kind,
            X,
            sample_weight,
            row_groups,
            "no weights predict hidden sets better than one constant prediction for all rows",
            "If y has a marker of unlabeled rows, pass it as unlabeled=..., so that it is not read "
            "as one of the targets",
        )
        return found._replace(trials=tuple(trials))
    rest = list(compress(trials, map(not_, is_better)))
    finalists = best_of_each_family(kind, better)
    compared: list[HeldOutTrial] = []
    scored = sample.kind, sample.sample_weight
    if finalists and not deadline.has_passed:
        compared, scored_rows = final_comparison(
            space, finalists, X, kind, sample_weight, row_groups, deadline
        )
        if compared:
            others = {id(one) for one in finalists}
            better = compared + [one for one in better if id(one) not in others]
            scored = kind.take(scored_rows), sample_weight[scored_rows]
    best = better[0].trial
    outside = None if deadline.has_passed else kind.outside(X, sample_weight, row_groups, best)
    if outside is not None:
        best, better = outside, [HeldOutTrial(None, outside), *better]
    return Selection(
        best.weights,
        best.solver,
        (*better, *rest),
        False,
        len(better),
        len(compared),
        scored,
    )


def screen(
    space: SearchSpace,
    sample: SelectionSample,
    scales: FloatArray | None,
    entries: Sequence[Any],
    deadline: Deadline,
) -> list[Any]:
    """The entries with the best scores on the first rows, in the order of the list.

    If some of them use landmarks, the best of every family is included for the final comparison;
    and also if the space keeps families.
    """
    first_rows = sample.first(space.n_rows(sample.kind.width))
    best: dict[Any, float] = {}
    families: dict[Any, str] = {}
    kind = first_rows.kind
    run = partial(kind.run_trials, space, first_rows, scales)
    for held_out in deadline.trials("screen", entries, run):
        entry = held_out.entry
        best[entry] = min(best.get(entry, np.inf), held_out.trial.score)
        families[entry] = kind.family_of(held_out)
    order = sorted(best, key=best.__getitem__)
    selected = set(order[: space.finalists])
    if space.keeps_families or "landmarks" in families.values():
        selected.update({families[entry]: entry for entry in reversed(order)}.values())
    # Best first if time is limited: what is not tried any more is then the worst.
    return [entry for entry in (order if deadline.is_limited else entries) if entry in selected]


def best_of_each_family(kind: SelectionKind, trials: Sequence[HeldOutTrial]) -> list[HeldOutTrial]:
    """The best trial of each family, best first; empty unless a comparison is needed.

    That is so if some trials use landmarks and others do not. `trials` are sorted, best first.
    """
    best = {kind.family_of(one): one for one in reversed(trials)}
    if "landmarks" not in best or len(best) == 1:
        return []
    return sorted(best.values(), key=lambda one: one.trial.score)


def final_comparison(
    space: SearchSpace,
    finalists: Sequence[HeldOutTrial],
    X: Any,
    kind: SelectionKind,
    sample_weight: FloatArray,
    groups: IntArray,
    deadline: Deadline,
) -> tuple[list[HeldOutTrial], IntArray]:
    """The finalists with their scores on many rows, of which a few are hidden, best first.

    The best of a thousand rows need not be the best of all. Neighbours improve with every row,
    while the number of landmarks is fixed; and scales that were learned from few rows help less
    when neighbours are close anyway. Empty if too few rows are informative, or if a callback ends
    the comparison. The second result are the hidden rows.
    """
    limit = space.n_comparison_rows(kind.width)
    rows, numbers = sample_rows(groups, kind, sample_weight, limit)
    part = kind.take(rows)
    hidden = rows_to_hide(part.informative, numbers, *space.comparison_hidden)
    if not hidden.any():
        return [], rows[hidden]
    phase = Phase("selection", len(finalists), "final comparison")
    found = part.compare(
        phase.over(finalists), take_inputs(X, rows, None), sample_weight[rows], hidden
    )
    if phase.stopped:
        deadline.pass_now()
    if phase.is_cut:
        # The scores of a comparison are comparable with each other only.
        return [], rows[hidden]
    return sorted(found, key=lambda one: one.trial.score), rows[hidden]


def _sample_trials(
    space: SearchSpace, sample: SelectionSample, deadline: Deadline
) -> list[HeldOutTrial]:
    """The trials of the entries that pass the screen, best first."""
    # Hundreds of small fits, also where there are so many rows that the last fit is a large one.
    with threads_for(*sample.X.shape):
        scales = None
        if space.learns_scales:
            scales = feature_scales(sample.X, sample.kind.table(), sample.sample_weight)
        entries = list(sample.kind.entries(space, scales is not None))
        if len(entries) > space.finalists:
            entries = screen(space.screening(), sample, scales, entries, deadline)
        run = partial(sample.kind.run_trials, space, sample, scales)
        found = deadline.trials("whole sample", entries, run)
        return sorted(found, key=lambda one: one.trial.score)


def _fallback(
    kind: SelectionKind,
    X: Any,
    sample_weight: FloatArray,
    groups: IntArray,
    reason: str,
    advice: str,
) -> Selection:
    weights, solver, description = kind.fallback(X, sample_weight, groups)
    # With a single possible target there is nothing to choose, and nothing to warn of.
    if kind.informative.any() or np.ptp(kind.table(), axis=0).any():
        warn(f"weights='auto': {reason}; {description}. {advice}.", UserWarning)
    return Selection(weights, solver, (), True)
