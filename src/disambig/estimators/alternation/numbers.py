"""Alternation for numbers: a target moves to the number of its set nearest to the prediction."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from disambig.candidates.numbers.number_sets import NumberSets
from disambig.estimators.alternation.held_out import bag_rows, member_inputs
from disambig.estimators.alternation.labels import mean_loss
from disambig.estimators.alternation.loop import Iterate
from disambig.estimators.alternation.training import (
    require_finite,
    take_rows,
    trained,
)
from disambig.exceptions import NoInformationError
from disambig.losses.numbers.protocol import NumberLoss
from disambig.losses.numbers.squared import SquaredLoss
from disambig.notation import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class NumberTask:
    """A regressor, inputs and sets of numbers.

    Parameters
    ----------
    template : regressor of scikit-learn
    inputs : array, sparse matrix or frame, n rows
    sets : NumberSets
        With their margin, if there is one.
    loss : NumberLoss
    weights : float array (n,), or None
        Sample weights.
    tolerance : float
        Targets that differ by no more than this share of the span of all ends are the same.
    """

    template: Any
    inputs: Any
    sets: NumberSets
    loss: NumberLoss = field(default_factory=SquaredLoss)
    weights: FloatArray | None = None
    tolerance: float = 1e-4

    @cached_property
    def _steps(self) -> FloatArray:
        """The largest difference in each column that does not count."""
        width = np.ptp(self.sets.span, axis=1)
        steps: FloatArray = self.tolerance * np.where(width > 0, width, 1.0)
        return steps

    def start(self) -> Iterate:
        """Mid-points; half-lines at their end; whole lines at the mean, and without a target yet.

        A box without a bound in some column has no target, unless all boxes are like it.
        """
        centers = self.sets.centers
        finite = np.isfinite(centers)
        weights = np.ones(len(centers)) if self.weights is None else self.weights
        sums = np.where(finite, centers, 0.0) * weights[:, np.newaxis]
        means = sums.sum(axis=0) / (finite * weights[:, np.newaxis]).sum(axis=0)
        known = np.asarray(finite.all(axis=1))
        if not known.any():
            known = np.asarray(finite.any(axis=1))
        targets = self.sets.nearest(np.where(finite, centers, means))
        return Iterate(targets, known, "numbers")

    def fit(self, iterate: Iterate, rows: IntArray | None = None) -> Any:
        rows = np.flatnonzero(iterate.known) if rows is None else rows
        targets = iterate.targets[rows]
        # For a single column regressors expect shape (n,).
        targets = targets[:, 0] if targets.shape[1] == 1 else targets
        weights = None if self.weights is None else self.weights[rows]
        return trained(self.template, self.inputs, rows, targets, weights)

    def predict(self, model: Any, rows: IntArray | None = None) -> FloatArray:
        inputs = self.inputs if rows is None else take_rows(self.inputs, rows)
        return self._values(model, inputs)

    def _values(self, model: Any, inputs: Any) -> FloatArray:
        found = np.asarray(model.predict(inputs), dtype=np.float64)
        return require_finite(model, found.reshape(-1, self.sets.n_columns))

    def out_of_bag(self, model: Any, iterate: Iterate, units: IntArray) -> FloatArray:
        trained_rows = np.flatnonzero(iterate.known)
        sums, counts = np.zeros(iterate.targets.shape), np.zeros(len(units))
        for number, drawn in enumerate(bag_rows(model, trained_rows)):
            rows = np.flatnonzero(~np.isin(units, units[drawn]))
            if rows.size:
                inputs = member_inputs(model, take_rows(self.inputs, rows), number)
                sums[rows] += self._values(model.estimators_[number], inputs)
                counts[rows] += 1
        counts[counts == 0] = np.nan
        means: FloatArray = sums / counts[:, np.newaxis]
        return means

    def move(self, predictions: FloatArray, iterate: Iterate) -> Iterate:
        speaks = np.asarray(~np.isnan(predictions).any(axis=1))
        filled = np.where(speaks[:, np.newaxis], predictions, iterate.targets)
        targets = np.where(speaks[:, np.newaxis], self.sets.nearest(filled), iterate.targets)
        return Iterate(targets, iterate.known | speaks, iterate.stage)

    def harden(self, iterate: Iterate, predictions: FloatArray) -> Iterate | None:
        return None

    def repeats(self, iterate: Iterate, earlier: Iterate) -> bool:
        close = np.abs(iterate.targets - earlier.targets) <= self._steps
        return bool(close.all()) and np.array_equal(iterate.known, earlier.known)

    def objective(self, predictions: FloatArray) -> float:
        return mean_loss(self.losses(predictions), self.weights)

    def tie_break(self, predictions: FloatArray) -> float:
        return 0.0

    def losses(self, predictions: FloatArray) -> FloatArray:
        """The infimum loss of each row, summed over columns, ``(n,)``; NaN without prediction."""
        present = ~np.isnan(predictions).any(axis=1)
        losses = np.full(len(predictions), np.nan)
        found = predictions[present]
        nearest = self.sets[present].nearest(found)
        losses[present] = self.loss.pointwise(found, nearest).sum(axis=1)
        return losses

    def undecided(self, iterate: Iterate) -> int:
        return int(np.count_nonzero(~iterate.known))


def check_bounded(sets: NumberSets) -> None:
    """Raise `NoInformationError` if no row has a finite end in some column."""
    free = ~np.isfinite(sets.centers).any(axis=0)
    if free.any():
        where = "" if sets.flat else f" in column {int(np.argmax(free))}"
        raise NoInformationError(
            f"y: each of the {len(sets)} rows allows every number{where}, so there is nothing to "
            "learn from. Give at least one row a finite end."
        )
