"""Losses that compare the positions of each item: the footrule, discounted gain, and their like."""

from dataclasses import dataclass

import numpy as np

from disambig.candidates import PartialOrders
from disambig.decoders import place_orders, signs_of_pairs
from disambig.exceptions import MissingOracleError
from disambig.losses.compared_start import compared_places
from disambig.losses.order_faces import OrderFaces
from disambig.losses.order_means import mean_orders
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.votes import Votes

__all__ = ["BoundPlaceLoss"]


@dataclass(frozen=True, eq=False)
class BoundPlaceLoss:
    """``loss(z, y) = constant + sum_i <prediction_table[z(i)], target_table[y(i)]>``.

    So ``phi(y)`` is a row of `target_table` for each item, and 1; ``psi(z)`` a row of
    `prediction_table` for each item, and the constant: ``p = m c + 1``. The mean of tied orders
    is that of their positions.

    Parameters
    ----------
    name : str
        For messages.
    prediction_table, target_table : float array (m, c)
        One row a position. Tables of one column are monotone.
    constant : float
    """

    name: str
    prediction_table: FloatArray
    target_table: FloatArray
    constant: float

    @property
    def n_items(self) -> int:
        """``m``."""
        return len(self.target_table)

    def phi(self, ranks: IntArray) -> FloatArray:
        """Embedding of targets, ``(n, p)``."""
        return _joined(self.target_table[ranks], 1.0)

    def psi(self, ranks: IntArray) -> FloatArray:
        """Embedding of predictions, ``(n, p)``."""
        return _joined(self.prediction_table[ranks], self.constant)

    def magnitude(self, candidates: PartialOrders) -> float:
        return 1.0

    def start(self, candidates: PartialOrders, kind: str) -> FloatArray:
        """``"average"``: the mean over all linear extensions."""
        if kind == "average":
            means = mean_orders(candidates)
            return _joined(means.places @ self.target_table, 1.0)[means.rows]
        if kind == "infimum":
            # What is nearest to a prediction is not a function of its positions one by one.
            raise MissingOracleError(
                f"start='infimum' is not to be had for {self.name}; use start='average'."
            )
        raise ValueError(f"start={kind!r} is not known to {self.name}; choose 'average'.")

    def usual_start(self, votes: Votes, candidates: PartialOrders) -> FloatArray:
        """The targets that the observed pairs call for under the Kendall loss, ``(n, p)``."""
        return _joined(compared_places(votes, candidates) @ self.target_table, 1.0)

    def best_prediction(self, scores: FloatArray, tolerance: FloatArray) -> OrderFaces:
        return self._faces(scores, self.prediction_table, self.constant, None, tolerance)

    def best_candidate(
        self, scores: FloatArray, candidates: PartialOrders, tolerance: FloatArray
    ) -> OrderFaces:
        return self._faces(scores, self.target_table, 1.0, candidates.before, tolerance)

    def _faces(
        self,
        scores: FloatArray,
        table: FloatArray,
        last: float,
        before: AnyArray | None,
        tolerance: FloatArray,
    ) -> OrderFaces:
        by_item = scores[:, :-1].reshape(len(scores), *table.shape)
        law = place_orders(by_item, table, before, tolerance)
        corners = _joined(table[law.ranks], last)
        means = _joined(law.places @ table, last)
        # Positions with equal rows of the table add up to that row; rounding must not make a
        # difference of it.
        means = np.where(np.isclose(means, corners, rtol=1e-13, atol=0.0), corners, means)

        def another(rows: IntArray) -> OrderFaces:
            # The same problems with the items numbered backwards: ties fall the other way.
            forced = None if before is None else before[rows][:, ::-1, ::-1]
            other = place_orders(by_item[rows][:, ::-1], table, forced, tolerance[rows])
            ranks = np.ascontiguousarray(other.ranks[:, ::-1])
            there = _joined(table[ranks], last)
            return OrderFaces(ranks, there, there)

        return OrderFaces(law.ranks, corners, means, signs_of_pairs(law.pairs), another)


def _joined(rows: FloatArray, last: float) -> FloatArray:
    """``(n, m, c)`` as ``(n, m c + 1)``, the last column all `last`."""
    n, m, c = rows.shape
    return np.column_stack([rows.reshape(n, m * c), np.full(n, last)])
