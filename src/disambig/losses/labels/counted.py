"""Finite losses at a temperature, on sets with class counts: distributions that keep the counts."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from disambig.candidates.labels.class_counts import ClassCounts
from disambig.compiled.bags.scaling import scale_bags
from disambig.losses.labels.soft import LabelSoftening, SoftFaces
from disambig.losses.softening import SoftMeans
from disambig.notation import FloatArray, IntArray

# Costs beyond this many scales are as good as infinite; their exponents must not overflow.
_MAX_EXPONENT = 1e100


@dataclass(frozen=True, eq=False)
class CountedSoftening:
    """The `Softening` of a finite loss on `ClassCounts`.

    The targets of each step minimise ``sum_i (<q_i, costs_i> + scales_i KL(q_i | prior_i))`` over
    all distributions within the sets that keep the counts in expectation, in each bag. With equal
    scales this is the scaling of rows and columns to given sums. As the temperature falls, it goes
    over into the transportation problem of `counted_labels`.

    All scales must be positive: a row of scale zero could take any class at no cost.

    Parameters
    ----------
    free : LabelSoftening
        On the sets without the counts.
    counts : ClassCounts
    """

    free: LabelSoftening
    counts: ClassCounts

    @property
    def unit_temperature(self) -> float:
        return self.free.unit_temperature

    @property
    def width(self) -> int:
        return self.free.width

    @property
    def is_symmetric(self) -> bool:
        return self.free.is_symmetric

    @property
    def prior_distribution(self) -> FloatArray:
        """The distributions at infinite temperature without the counts, ``(n, K)``."""
        return self.free.prior_distribution

    def prior(self) -> SoftFaces:
        """The distributions nearest to the prior that keep the counts."""
        return self._scaled(np.zeros(self.counts.shape), np.ones(len(self.counts)))

    def predictions(self, scores: FloatArray, scales: FloatArray) -> SoftMeans:
        return self.free.predictions(scores, scales)

    def targets(self, scores: FloatArray, scales: FloatArray) -> SoftFaces:
        return self._scaled(self.free.embedding.costs(scores), scales)

    def targets_as_predictions(self, scores: FloatArray, scales: FloatArray) -> SoftFaces:
        return self._scaled(scores, scales)

    @cached_property
    def _prices(self) -> FloatArray:
        """Those of the last step ``(B, K)``, where the next one starts."""
        return np.zeros(self.counts.bag_bounds.shape[:2])

    @cached_property
    def _rows(self) -> tuple[IntArray, IntArray]:
        """Rows in the order of their bags, and where each bag starts."""
        order = np.argsort(self.counts.bag_of_row, kind="stable").astype(np.int64)
        return order, np.concatenate([[0], np.cumsum(self.counts.bag_sizes)]).astype(np.int64)

    @cached_property
    def _log_prior(self) -> FloatArray:
        logs = np.full(self.counts.shape, -np.inf)
        np.log(self.prior_distribution, out=logs, where=self.prior_distribution > 0)
        return logs

    def _scaled(self, costs: FloatArray, scales: FloatArray) -> SoftFaces:
        inside = self.prior_distribution > 0
        lowest = np.where(inside, costs, np.inf).min(axis=1, keepdims=True)
        logs = np.minimum((costs - lowest) / scales[:, None], _MAX_EXPONENT)
        logs = np.where(inside, self._log_prior - logs, -np.inf)
        # Prices are in units of the mean scale, so that rates are about one.
        unit = float(scales.mean())
        prices, table = self._prices / unit, np.empty_like(logs)
        bounds = self.counts.bag_bounds.astype(np.int64)
        scale_bags(logs, *self._rows, unit / scales, bounds, prices, table)
        self._prices[:] = prices * unit
        return SoftFaces(table, self.free.embedding, self.prior_distribution)
