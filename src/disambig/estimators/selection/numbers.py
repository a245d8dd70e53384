"""The selection for numbers: kernels, neighbours, linear functions, trees and boosting, mixed.

Scores are losses of predictions to the nearest numbers of hidden sets. The shares of the mixture
minimise the mean squared distance of its held-out predictions, which is convex for intervals.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from disambig.candidates import Intervals, IntervalUnions
from disambig.candidates.numbers.number_sets import NumberSets
from disambig.candidates.numbers.segments import rows_of_segments
from disambig.estimators.selection.number_inputs import Inputs, NumberEntry
from disambig.estimators.selection.protocol import Score, mean_score
from disambig.estimators.selection.space import (
    Entry,
    EntryWeightings,
    SearchSpace,
    entries_of,
)
from disambig.losses import NumberLoss
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.weights import KernelRidgeWeights
from disambig.weights.registry import automatic_ridge

# In units of the median distance, and of the kernels that have value 1 at distance 0.
NUMBER_SPACE = SearchSpace(
    kernels={"gaussian": (0.25, 1.0, 4.0), "laplacian": (1.0, 4.0)},
    ridges=(1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6),
    neighbors=(5, 15, 40),
    folds=(3, 5),
    rows_of_folds=600,
    finalists=12,
    least_informative=20,
    keeps_families=True,
    unit_free=True,
)
# Where a member is refitted by its own solver in every fold: few weightings, on few rows.
SINGLE_SPACE = SearchSpace(
    kernels={"gaussian": (0.5, 1.0, 2.0)},
    ridges=(1e-2, 1e-4),
    neighbors=(5, 15, 40),
    standardizes=True,
    largest_sample=300,
    folds=(3, 3),
    finalists=18,
    least_informative=20,
    unit_free=True,
)
MAX_NUMBER_MEMBERS = 7
# Shares are drawn to equal ones as by so many rows.
NUMBER_PULL = 5.0
# In units of the standard deviation of all finite ends.
_MARGINS = (0.0, 0.2, 0.5)
_MODEL_MARGINS = (0.0, 0.5)
_FOREST_MARGIN = 0.5
_LINEAR_RIDGES = (1e1, 1.0, 1e-1, 1e-2, 1e-3, 1e-5)
_LASSO_SHARES = (0.1, 0.02, 0.002)
_STAGES = (25, 50, 100, 200)
# Where too few rows are informative: the best of the fixed rules on the design sets.
_FALLBACK = ("gaussian", 4.0, 1e-3, 0.2)
# Where nothing predicts better than a constant.
_NEARLY_CONSTANT_RIDGE = 10.0
# Constants that are tried, at quantiles of the ends.
_N_CONSTANTS = 201


@dataclass(frozen=True, eq=False)
class NumberMembers:
    """Numbers as `Members`.

    Parameters
    ----------
    candidates : NumberSets
    loss : NumberLoss
    estimator : callable
        ``estimator(weights, margin)`` is an unfitted `IntervalRegressor`.
    margin : float or None
        That of the user; None: it is selected.
    is_risk : bool
        Whether members minimise the squared distance to the sets: kernels then share their
        matrices, and for intervals models other than weightings are tried and mixed.
    n_rows : int
        Rows of the fit: with many, kernels use landmarks.
    only_kernels : bool
        Whether the formulation of the user is that of kernel ridge regression.
    """

    candidates: NumberSets
    loss: NumberLoss
    estimator: Callable[[Any, float], Any]
    margin: float | None
    is_risk: bool
    n_rows: int
    only_kernels: bool = False

    exclusion = "exclude a number"

    @property
    def width(self) -> int:
        return self.candidates.n_columns

    @property
    def is_mixed(self) -> bool:
        """Whether predictions are mixed: the distance to a union of intervals is not convex."""
        return self.is_risk and isinstance(self.candidates, Intervals)

    @cached_property
    def deviations(self) -> FloatArray:
        """The standard deviation of the finite ends of each column, ``(d,)``; 1 if it is zero."""
        hull = self.candidates.hull
        ends = np.concatenate([hull.lower, hull.upper])
        known = np.isfinite(ends)
        counts = np.maximum(known.sum(axis=0), 1)
        means = np.where(known, ends, 0.0).sum(axis=0) / counts
        squares = np.where(known, ends - means, 0.0) ** 2
        found = np.sqrt(squares.sum(axis=0) / counts)
        return np.where(found > 0, found, 1.0)

    def take(self, rows: IntArray) -> "NumberMembers":
        return replace(self, candidates=self.candidates[rows])

    def keys(self) -> list[AnyArray]:
        sets = self.candidates
        if isinstance(sets, Intervals):
            return [np.ascontiguousarray(end).view(np.uint8) for end in (sets.lower, sets.upper)]
        assert isinstance(sets, IntervalUnions)
        # Unions with as many segments as the largest has; absent ones are NaN.
        counts = np.diff(sets.indptr)
        table = np.full((len(sets), 2, int(counts.max())), np.nan)
        rows = rows_of_segments(sets.indptr)
        places = np.arange(rows.size) - sets.indptr[rows]
        table[rows, 0, places], table[rows, 1, places] = sets.lower.ravel(), sets.upper.ravel()
        return [table.reshape(len(sets), -1).view(np.uint8)]

    def table(self) -> FloatArray:
        centers = self.candidates.centers
        known = np.isfinite(centers)
        means = np.where(known, centers, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        return np.where(known, centers - means, 0.0) / self.deviations

    # ------------------------------------------------------------------ what is tried

    def entries(self, space: SearchSpace, has_scales: bool) -> Sequence[NumberEntry]:
        spaces = (False, True) if has_scales else (False,)
        if not self.is_risk:
            margin = self.margin or 0.0
            return [
                NumberEntry(_model(one.kind), one.scaled, one.kind, one.size, one.ridge, margin)
                for one in entries_of(space, has_scales)
                if not (self.only_kernels and one.kind == "neighbors")
            ]
        margins = self._margins(_MARGINS)
        found = [
            NumberEntry("kernel", scaled, kernel, size, ridge, margin)
            for scaled in spaces
            for kernel, sizes in {**space.kernels, "linear": (0.0,)}.items()
            for size in sizes
            for margin in margins
            for ridge in (_LINEAR_RIDGES if kernel == "linear" else space.ridges)
        ]
        if not self.is_mixed:
            return found
        least = margins[0]
        found += [
            NumberEntry("neighbors", scaled, size=k, margin=least)
            for scaled in spaces
            for k in space.neighbors
        ]
        model_margins = self._margins(_MODEL_MARGINS)
        found += [
            NumberEntry("lasso", size=share, margin=margin)
            for margin in model_margins
            for share in _LASSO_SHARES
        ]
        found += [NumberEntry("forest", margin=self._margins((_FOREST_MARGIN,))[0])]
        return found + [
            NumberEntry("boosting", size=stages, margin=margin)
            for margin in model_margins
            for stages in _STAGES
        ]

    def _margins(self, relative: tuple[float, ...]) -> tuple[float, ...]:
        """Margins in units of y. Columns of boxes have units of their own: they have none."""
        if self.margin is not None:
            return (self.margin,)
        if self.width > 1:
            return (0.0,)
        return tuple(float(share * self.deviations[0]) for share in relative)

    def family_of(self, entry: Hashable, member: Any) -> str:
        found = cast(NumberEntry, entry)
        return found.kernel if found.model == "kernel" else found.model

    def member(self, entry: Hashable, weightings: EntryWeightings) -> tuple[Any, Any] | None:
        _, scaled, kind, size, ridge, margin = cast(NumberEntry, entry)
        weighting = Entry(scaled, kind, size, ridge)
        unfitted = weightings.unfitted(weighting)
        if unfitted is None or (kind == "neighbors" and 2 * size > weightings.total):
            return None
        if isinstance(unfitted, KernelRidgeWeights):
            unfitted.set_params(intercept=True)
        on_sample = weightings.on_sample(unfitted, weighting)
        for_all = weightings.for_all_rows(unfitted, weighting)[0]
        return self.estimator(on_sample, margin), self.estimator(for_all, margin)

    # ------------------------------------------------------------------ scores

    def predict(self, fitted: Any, X: Any) -> FloatArray:
        return numbers_of(fitted, X)

    def score(self, predictions: FloatArray, sample_weight: FloatArray) -> Score:
        unit = self._units if self.width == 1 else np.ones(1)
        return mean_score(self._losses(predictions), sample_weight, float(unit[0]))

    @property
    def _units(self) -> FloatArray:
        return self.deviations**2 if self.loss.is_quadratic else self.deviations

    def _losses(self, predictions: FloatArray) -> FloatArray:
        """Losses to the nearest numbers of the sets, ``(n,)``; columns in their own units."""
        nearest = self.candidates.nearest(predictions)
        losses = self.loss.pointwise(predictions, nearest)
        if self.width > 1:
            losses = losses / self._units
        return np.asarray(losses.sum(axis=1))

    def mixing_objective(
        self, predictions: FloatArray, sample_weight: FloatArray
    ) -> Callable[[FloatArray], tuple[float, FloatArray]] | None:
        if not self.is_mixed:
            return None
        sets = self.candidates
        shares = sample_weight[:, None] / (sample_weight.sum() * self.deviations**2)

        def objective(mixing: FloatArray) -> tuple[float, FloatArray]:
            values = np.tensordot(mixing, predictions, axes=1)
            gaps = values - sets.nearest(values)
            gradient = 2.0 * np.einsum("mnd,nd->m", predictions, shares * gaps)
            return float((shares * gaps**2).sum()), gradient

        return objective

    def constant_loss(self, sample_weight: FloatArray) -> float:
        informative = np.flatnonzero(self.candidates.informative)
        known, weights = self.take(informative), sample_weight[informative]
        hull = known.candidates.hull
        levels = np.linspace(0.0, 1.0, _N_CONSTANTS)
        ends = np.concatenate([hull.lower, hull.upper])
        tried = np.column_stack(
            [np.quantile(column[np.isfinite(column)], levels) for column in ends.T]
        )
        # Losses add up over columns: the best constant of each column is found by itself.
        best = np.array([known._column_losses(row, weights) for row in tried]).min(axis=0)
        return float(best.sum() if self.width == 1 else (best / known._units).sum())

    def _column_losses(self, constants: FloatArray, weights: FloatArray) -> FloatArray:
        values = np.tile(constants, (len(self.candidates), 1))
        losses = self.loss.pointwise(values, self.candidates.nearest(values))
        return np.average(losses, axis=0, weights=weights)

    def fallback(self, X: Any, sample_weight: FloatArray) -> tuple[Any, Any, str]:
        if not self.is_risk:
            described = "kernel ridge with an intercept is used, on features of unit variance"
            inputs = Inputs.of(X, self.table(), sample_weight, learns_scales=False)
            weights = inputs.weighting(automatic_ridge(self.n_rows), False)
            return self.estimator(weights, self.margin or 0.0), None, described
        kernel, size, ridge, margin = _FALLBACK
        described = (
            f"kernel ridge is used, with a wide Gaussian kernel ({size:g} times the median "
            "distance of the rows, on features of unit variance)"
        )
        if np.count_nonzero(self.candidates.informative) >= NUMBER_SPACE.least_informative:
            ridge, described = _NEARLY_CONSTANT_RIDGE, f"{described} that is nearly constant"
        inputs = Inputs.of(X, self.table(), sample_weight, learns_scales=False)
        entry = NumberEntry("kernel", False, kernel, size, ridge, self._margins((margin,))[0])
        return inputs.member(entry, self.estimator, self.n_rows), None, described


def numbers_of(member: Any, X: Any) -> FloatArray:
    """What a fitted member predicts, ``(q, d)``."""
    found: FloatArray = np.reshape(member.predict(X), (X.shape[0], -1))
    return found


def _model(kind: str) -> str:
    return "neighbors" if kind == "neighbors" else "kernel"
