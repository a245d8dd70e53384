"""Held-out predictions of numbers, with kernel matrices shared by ridges and margins.

Everything that is learned from the sets is learned without the hidden rows: also the scales of the
features, which are learned again in every fold.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from disambig.candidates import Intervals
from disambig.candidates.numbers.number_sets import NumberSets
from disambig.estimators.interval_models import IntervalBoosting
from disambig.estimators.mixture import held_out_predictions
from disambig.estimators.selection.members import MemberSelection
from disambig.estimators.selection.number_inputs import Inputs, NumberEntry
from disambig.estimators.selection.numbers import NumberMembers, numbers_of
from disambig.estimators.selection.protocol import HeldOutTrial, SelectionSample
from disambig.estimators.selection.space import SearchSpace
from disambig.notation import FloatArray, IntArray
from disambig.solvers.numbers.ridge_path import ridge_path
from disambig.weights.kernels.similarity import Similarity

# Changes of the segments of unions at most, for each ridge.
_SEGMENT_ROUNDS = 5


@dataclass(frozen=True, eq=False)
class Fold:
    """The rows of a sample that are visible in a fold, and those that are hidden."""

    visible: IntArray
    hidden: IntArray
    inputs: Inputs
    hidden_inputs: Any
    sets: NumberSets

    def kernel(self, scaled: bool, kernel: str, size: float) -> tuple[FloatArray, FloatArray]:
        """Kernel matrices between visible rows, and of hidden with visible rows."""
        similarity = Similarity(kernel, self.inputs.bandwidth(scaled, kernel, size), 3, 1.0)
        rows = self.inputs.rows(scaled)
        hidden = self.inputs.mapped(self.hidden_inputs, scaled)
        return similarity(rows, rows), similarity(hidden, rows)


class NumberSelection(MemberSelection[NumberMembers]):
    """Numbers as a `SelectionKind`."""

    def run_trials(
        self,
        space: SearchSpace,
        sample: SelectionSample,
        scales: FloatArray | None,
        entries: Iterable[Any],
    ) -> Iterator[HeldOutTrial]:
        if not self.members.is_risk:
            yield from super().run_trials(space, sample, scales, entries)
            return
        members = self.members
        learns = scales is not None
        weights, table = sample.sample_weight, members.table()
        everything = Inputs.of(sample.X, table, weights, learns_scales=learns)
        numbers = sample.fold_numbers % space.n_folds(len(sample.fold_numbers))
        folds = list(_folds(sample, numbers, members.candidates, table, learns))
        scored = np.flatnonzero(self.informative)
        for _, group in groupby(entries, _shared):
            tried = list(group)
            found = self._held_out(tried, sample, numbers, folds, everything)
            for entry, predictions in zip(tried, found, strict=True):
                for_all = everything.member(entry, members.estimator, members.n_rows)
                yield self._scored(entry, for_all, predictions[scored], scored, weights)

    def _held_out(
        self,
        entries: Sequence[NumberEntry],
        sample: SelectionSample,
        numbers: IntArray,
        folds: Sequence[Fold],
        everything: Inputs,
    ) -> list[FloatArray]:
        """Held-out predictions ``(n, d)`` of entries that share their matrices or trees."""
        first, members = entries[0], self.members
        if first.model == "kernel":
            return _kernel_predictions(entries, folds, members)
        weights = None if (sample.sample_weight == 1).all() else sample.sample_weight
        if first.model == "boosting":
            stages = [int(entry.size) for entry in entries]
            model = IntervalBoosting(max(stages), margin=first.margin)
            found = held_out_predictions(
                model,
                sample.X,
                members.candidates,
                weights,
                numbers,
                lambda fitted, X: np.stack(
                    [part.reshape(X.shape[0], -1) for part in fitted.staged(X, stages)], axis=-1
                ),
            )
            return list(np.moveaxis(found, -1, 0))
        n = len(sample.fold_numbers)
        if first.model == "neighbors" and 2 * first.size > n:
            first = first._replace(size=max(1, n // 2))
        model = everything.member(first, members.estimator, n)
        return [
            held_out_predictions(model, sample.X, members.candidates, weights, numbers, numbers_of)
        ]


def _shared(entry: NumberEntry) -> Any:
    """Entries with equal keys are computed together."""
    if entry.model == "kernel":
        return entry[:4]
    return (entry.model, entry.margin) if entry.model == "boosting" else entry


def _folds(
    sample: SelectionSample, numbers: IntArray, sets: NumberSets, table: FloatArray, learns: bool
) -> Iterator[Fold]:
    for number in range(int(numbers.max()) + 1):
        visible, hidden = np.flatnonzero(numbers != number), np.flatnonzero(numbers == number)
        if not visible.size or not hidden.size:
            continue
        inputs = Inputs.of(
            sample.X[visible], table[visible], sample.sample_weight[visible], learns_scales=learns
        )
        yield Fold(visible, hidden, inputs, sample.X[hidden], sets[visible])


def _kernel_predictions(
    entries: Sequence[NumberEntry], folds: Sequence[Fold], members: NumberMembers
) -> list[FloatArray]:
    sets = members.candidates
    found = np.full((len(entries), len(sets), sets.n_columns), np.nan)
    for fold in folds:
        gram, cross = fold.kernel(entries[0].scaled, entries[0].kernel, entries[0].size)
        for margin in dict.fromkeys(entry.margin for entry in entries):
            places = [k for k, entry in enumerate(entries) if entry.margin == margin]
            ridges = [fold.inputs.ridge(entries[k].kernel, entries[k].ridge) for k in places]
            narrowed = fold.sets.inset(margin) if margin else fold.sets
            weights = fold.inputs.sample_weight
            for k, values in zip(
                places, _path_predictions(gram, cross, narrowed, weights, ridges), strict=True
            ):
                found[k, fold.hidden] = values
    return list(found)


def _path_predictions(
    gram: FloatArray,
    cross: FloatArray,
    sets: NumberSets,
    weights: FloatArray,
    ridges: Sequence[float],
) -> list[FloatArray]:
    """Predictions ``(q, d)`` at hidden rows for each ridge."""
    if not isinstance(sets, Intervals):
        return [_union_prediction(gram, cross, sets, weights, ridge) for ridge in ridges]
    columns = []
    for lower, upper in zip(sets.lower.T, sets.upper.T, strict=True):
        path = ridge_path(gram, lower, upper, weights, ridges)
        columns.append([cross @ fit.coefficients + fit.intercept for fit in path])
    return [np.column_stack(parts) for parts in zip(*columns, strict=True)]


def _union_prediction(
    gram: FloatArray, cross: FloatArray, sets: NumberSets, weights: FloatArray, ridge: float
) -> FloatArray:
    """Alternate between the segments nearest to the fit and the fit to these segments.

    The first fit is to the hulls of the unions, which decide nothing that other rows could decide.
    """
    segments = sets.hull
    prediction = np.zeros(len(cross))
    for _ in range(_SEGMENT_ROUNDS):
        (fit,) = ridge_path(gram, segments.lower[:, 0], segments.upper[:, 0], weights, [ridge])
        prediction = cross @ fit.coefficients + fit.intercept
        before = segments
        segments = sets.segments_at(gram @ fit.coefficients + fit.intercept)
        same = np.array_equal(before.lower, segments.lower)
        if same and np.array_equal(before.upper, segments.upper):
            break
    return prediction[:, None]
