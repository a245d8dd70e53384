"""The examination of numbers."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from disambig.candidates import IntervalUnions
from disambig.candidates.numbers.amounts import amount_text
from disambig.candidates.numbers.number_sets import NumberSets
from disambig.estimators.held_out.number_judges import judged_numbers
from disambig.estimators.held_out.residual_fit import fit_residuals
from disambig.estimators.held_out.residuals import Residuals, segments_of, set_texts
from disambig.exceptions import NoInformationError
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.trust.answers import Answers, read_answers
from disambig.trust.examination import Examination
from disambig.trust.examined import Examined
from disambig.trust.suspects import Contradiction

# The level of the central ranges in the frame.
_LEVEL = 0.9
# Where more sets seem wrong, it is rather the predictions, which far numbers have spoilt.
_MAX_WRONG_SHARE = 0.2
# Gross errors are far from all numbers: wrong sets may be so many times as spread as the others.
_SPREAD_FACTORS = (1.0, 3.0, 10.0)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class NumberExamination(Examination):
    """The examination of numbers.

    `labels` are medians: of the distribution of each number, as rows that never saw its set see it,
    inside this set; those that have left it (`tolerance`) are as the estimator has them. The
    estimator has the number of the set that is nearest to its prediction, which is often an end. A
    number is *right* if it is within `distance` of the true one.
    `suspicion` is
    ``1 - P(S) / P*(S)``: ``P*`` is the probability of an interval of the same length around the
    prediction, so that short sets and known numbers are not suspect as such.

    Attributes
    ----------
    predictions : float array (n,); (n, d) for boxes
        By models that never saw the set of the row.
    distance : float array (d,)
        What counts as right: a tenth of the range from the 5 % to the 95 % quantile of the numbers
        that the estimator recovered.
    residuals : Residuals
        The distribution of ``y - prediction`` under which the hidden sets are most likely.
    recovered : float array (n, d)
        `labels` without answers.
    """

    predictions: FloatArray
    distance: FloatArray
    residuals: Residuals
    recovered: FloatArray

    def __post_init__(self) -> None:
        super().__post_init__()
        for array in (self.predictions, self.distance, self.recovered):
            array.setflags(write=False)

    @property
    def wrong_share(self) -> float:
        """The estimated share of sets that miss their number.

        0 unless the sets show it, or if the others know too little to tell.
        """
        return self._wrong_sets.wrong_share if self._tells_wrong_sets else 0.0

    def central_range(self, level: float = _LEVEL) -> FloatArray:
        """The central range of each number inside its set, ``(n, 2)``; ``(n, d, 2)`` for boxes.

        By hidden sets alone: right if the chance of a set is the same whichever of its members is
        true.
        """
        return self._shaped(self.residuals.central(self._table, self.candidates, level))

    @property
    def _table(self) -> FloatArray:
        return self.predictions.reshape(self.recovered.shape)

    def _shaped(self, values: FloatArray) -> FloatArray:
        """Values ``(q, d, ...)`` without the axis of the columns if targets are plain numbers."""
        return values[:, 0] if self.candidates.flat else values

    def _label_column(self) -> Any:
        return self.labels if self.labels.ndim == 1 else list(map(tuple, self.labels.tolist()))

    def _columns(self) -> dict[str, Any]:
        ends = self.residuals.central(self._table, self.candidates, _LEVEL)
        lower, upper = f"lower_{_LEVEL * 100:.0f}", f"upper_{_LEVEL * 100:.0f}"
        columns: dict[str, Any] = {}
        for k, distance in enumerate(self.distance):
            suffix = "" if self.candidates.flat else f"_{k}"
            columns |= {
                f"within{suffix}": np.full(len(self), distance),
                f"{lower}{suffix}": ends[:, k, 0],
                f"{upper}{suffix}": ends[:, k, 1],
                f"prediction_without_set{suffix}": self._table[:, k],
            }
        return columns

    # ------------------------------------------------------------------ suspects

    def _wrong_probability(self) -> FloatArray:
        share = self.wrong_share
        return self._wrong_sets.wrong_probability(self._table, self.candidates, share)

    @property
    def _tells_wrong_sets(self) -> bool:
        return self._wrong_sets.wrong_share <= _MAX_WRONG_SHARE

    @cached_property
    def _wrong_sets(self) -> Residuals:
        """Residuals of light tails: those of heavy tails would explain wrong sets as well."""
        weights = np.ones(len(self)) if self.sample_weight is None else self.sample_weight
        return fit_residuals(
            self._table, self.candidates, weights, ("normal",), spread_factors=_SPREAD_FACTORS
        )

    def _contradictions(self, rows: IntArray) -> list[Contradiction]:
        """The number that the others predict, and what they give to all that are near to it."""
        sets = self.candidates[rows]
        given = self.residuals.set_probability(self._table[rows], sets)
        near = self.residuals.near_probability(self.distance)
        within = ", ".join(amount_text(value, 3) for value in self.distance)
        found = []
        for predicted, text, probability in zip(
            self._table[rows].tolist(), set_texts(sets), given, strict=True
        ):
            said = ", ".join(amount_text(value) for value in predicted)
            why = (
                f"the other rows say {said} ({near:.2f} within {within}); the set is {text}, to "
                f"which they give {probability:.2f}"
            )
            instead = predicted[0] if self.candidates.flat else tuple(predicted)
            found.append(Contradiction(instead, near, why))
        return found

    # ------------------------------------------------------------------ answers

    def _read_answers(self, rows: Any, labels: Any, inclusion: Any, owner: str) -> Answers:
        answers = read_answers(rows, labels, len(self), None, inclusion, owner)
        expected = (len(answers), *self.labels.shape[1:])
        if answers.labels.shape != expected:
            raise ValueError(
                f"{owner}: labels must hold {'a number' if len(expected) == 1 else 'numbers'} "
                f"for each row, shape {expected}; got shape {answers.labels.shape}."
            )
        return answers

    def _values(self, answers: Answers) -> FloatArray:
        """The true numbers, ``(m, d)``."""
        return np.reshape(answers.labels, (len(answers), self.recovered.shape[1]))

    def _rightness(self, answers: Answers) -> BoolArray:
        away = np.abs(self.recovered[answers.rows] - self._values(answers))
        return np.asarray((away <= self.distance).all(axis=1))

    def _is_single(self) -> BoolArray:
        return np.asarray(self.candidates.is_point)

    def _is_outside(self, answers: Answers) -> BoolArray:
        inside: BoolArray = self.candidates[answers.rows].contains(self._values(answers))
        return ~inside

    def _recovered_labels(self) -> AnyArray:
        labels: AnyArray = self._shaped(self.recovered)
        return labels

    def _named(self, answers: Answers) -> AnyArray:
        return answers.labels

    def _candidate_texts(self, rows: IntArray) -> list[str]:
        if isinstance(self.candidates, IntervalUnions):
            return [_text(self.candidates[int(row)], " | ") for row in rows]
        boxes = np.stack([self.candidates.lower, self.candidates.upper], axis=-1)[rows]
        return [_text(box, " x ") for box in boxes.tolist()]

    def _examine(self, rows: Examined) -> "NumberExamination":
        # What counts as right must not change with the answers.
        return examine_numbers(rows, self.distance)

    # ------------------------------------------------------------------ prediction sets

    def _predicted_set(self, X: Any, coverage: float, meaning: str, classwise: bool) -> FloatArray:
        """Ends ``(q, 2)``; ``(q, d, 2)`` for boxes, whose promise holds for each column."""
        if classwise:
            raise ValueError(
                "predict_set: classwise=True is for labels; numbers have no classes. Leave it out."
            )
        if X is not None:
            radii = self._new_threshold(coverage, meaning)
            found = _predicted(self.estimator, X).reshape(-1, radii.size)
            return self._shaped(np.stack([found - radii, found + radii], axis=-1))
        middles = self._table
        if meaning == "truth":
            # What a set excludes is no error: the number of the set nearest to the prediction.
            middles = self.candidates.nearest(middles)
        radii = self._radii(middles, coverage, meaning, inside=True)
        return self._shaped(self._inside(middles, radii))

    def _new_threshold(self, coverage: float, meaning: str) -> FloatArray:
        return self._radii(self._table, coverage, meaning, inside=False)

    def _radii(
        self, middles: FloatArray, coverage: float, meaning: str, *, inside: bool
    ) -> FloatArray:
        """How far the interval reaches from the prediction, ``(d,)``."""
        if meaning == "truth":
            answers = self.answers
            assert answers is not None
            scores = np.abs(self._values(answers) - middles[answers.rows])
            if inside:
                # A number outside of its set is in no part of it.
                scores[self._is_outside(answers)] = np.inf
            return np.array(
                [self._threshold(one, answers.rows, coverage, answers) for one in scores.T]
            )
        hull = self.candidates.hull
        if meaning == "meets":
            scores = self.candidates.distances(middles)
        else:
            scores = np.maximum(middles - hull.lower, hull.upper - middles)
        # A set that allows every number says nothing.
        known = np.isfinite(self.candidates.centers)
        return np.array(
            [
                self._threshold(scores[known[:, k], k], np.flatnonzero(known[:, k]), coverage)
                for k in range(scores.shape[1])
            ]
        )

    def _inside(self, middles: FloatArray, radii: FloatArray) -> FloatArray:
        """The first and the last number of each set in its interval, ``(n, d, 2)``.

        The recovered number where the interval misses the set.
        """
        segments = segments_of(self.candidates)
        middle, label = middles.ravel(), self.recovered.ravel()
        reach = np.tile(radii, len(self))
        at = segments.entries
        low = np.maximum(segments.lower, (middle - reach)[at])
        high = np.minimum(segments.upper, (middle + reach)[at])
        meets = low <= high
        first = np.minimum.reduceat(np.where(meets, low, np.inf), segments.starts)
        last = np.maximum.reduceat(np.where(meets, high, -np.inf), segments.starts)
        is_empty = ~np.logical_or.reduceat(meets, segments.starts)
        ends = np.stack(
            [np.where(is_empty, label, first), np.where(is_empty, label, last)], axis=-1
        )
        return ends.reshape(*self.recovered.shape, 2)


def examine_numbers(rows: Examined, distance: FloatArray | None = None) -> NumberExamination:
    """The examination of numbers, by models that are fitted without the fold of a row.

    Parameters
    ----------
    rows : Examined
    distance : float array (d,), optional
        What counts as right; by default a tenth of the range of the recovered numbers.
    """
    sets: NumberSets = rows.candidates
    n, d = len(sets), sets.n_columns
    predictions = np.reshape(rows.held_out(_predicted), (n, d))
    if rows.folds is None:
        recovered = sets.nearest(predictions)
    else:
        recovered = np.reshape(rows.last.labels_, (n, d)).copy()
    weights = rows.kept.all_weights
    judged = judged_numbers(recovered, predictions, sets, weights, distance=distance)
    residuals = judged.residuals
    if residuals is None:
        raise NoInformationError(
            f"cross_examine: each of the {n} rows allows every number, so that nothing can be "
            "judged. Give at least one row a finite end."
        )
    # The number of a set nearest to a prediction is often an end of it.
    medians = residuals.median(predictions, sets)
    if rows.folds is not None:
        # With `tolerance`, numbers that have left their set stay outside.
        medians = np.where(rows.last.outside_[:, np.newaxis], recovered, medians)
    return NumberExamination(
        **rows.shared_fields(
            medians[:, 0] if sets.flat else medians,
            residuals.within(medians, predictions, sets, judged.distance),
            residuals.suspicion(predictions, sets),
        ),
        predictions=predictions[:, 0].copy() if sets.flat else predictions,
        distance=judged.distance,
        residuals=residuals,
        recovered=medians,
    )


def _text(ends: Any, joint: str) -> str:
    """Intervals as text: ``[1, 2] | [4, 5]``, ``>= 3`` or ``any number``.

    Examples
    --------
    >>> _text([[1, 2], [4, 4]], " | "), _text([[-np.inf, np.inf], [60500, np.inf]], " x ")
    ('[1, 2] | 4', 'any number x >= 60500')
    """
    return joint.join(_interval_text(lower, upper) for lower, upper in ends)


def _interval_text(lower: float, upper: float) -> str:
    if lower == upper:
        return f"{lower:.10g}"
    if np.isinf(lower):
        return "any number" if np.isinf(upper) else f"<= {upper:.10g}"
    return f">= {lower:.10g}" if np.isinf(upper) else f"[{lower:.10g}, {upper:.10g}]"


def _predicted(model: Any, X: Any) -> FloatArray:
    return np.asarray(model.predict(X), dtype=np.float64)
