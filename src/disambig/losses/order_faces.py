"""Faces of the polytope of orders: the orders that tie for the minimum, by their mean."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from disambig.notation import BoolArray, FloatArray, IntArray

__all__ = ["OrderFaces"]


@dataclass(frozen=True, eq=False)
class OrderFaces:
    """Tied orders a row, too many to list: one of them, and the mean of all in the embedding.

    Parameters
    ----------
    ranks : int array (n, m)
        The deterministic choice among the tied orders.
    corners : float array (n, p)
        Where that choice lies.
    embedded : float array (n, p)
        The mean of the tied orders; the choice itself where means are not to be had.
    another : callable, optional
        Rows to the ranks ``(len(rows), m)`` of a tied order as far from `ranks` as can be had.
    """

    ranks: IntArray
    corners: FloatArray
    embedded: FloatArray
    another: Callable[[IntArray], "OrderFaces"] | None = None

    def __len__(self) -> int:
        return len(self.ranks)

    @cached_property
    def is_vertex(self) -> BoolArray:
        single: BoolArray = (self.embedded == self.corners).all(axis=1)
        return single

    @property
    def outputs(self) -> IntArray:
        return self.ranks

    def first(self) -> "OrderFaces":
        return OrderFaces(self.ranks, self.corners, self.corners)

    def take(self, index: Any) -> "OrderFaces":
        return OrderFaces(self.ranks[index], self.corners[index], self.embedded[index])

    def replace(self, rows: IntArray, faces: "OrderFaces") -> "OrderFaces":
        ranks, corners, embedded = self.ranks.copy(), self.corners.copy(), self.embedded.copy()
        ranks[rows], corners[rows], embedded[rows] = faces.ranks, faces.corners, faces.embedded
        return OrderFaces(ranks, corners, embedded, self.another)

    def vertices(self, rows: IntArray) -> tuple[IntArray, "OrderFaces"]:
        """Two tied orders a row that has several, which is enough to choose between."""
        chosen = self.take(rows).first()
        open_rows = np.flatnonzero(~self.is_vertex[rows])
        if self.another is None or not open_rows.size:
            return np.arange(len(rows)), chosen
        other = self.another(rows[open_rows])
        owner = np.concatenate([np.arange(len(rows)), open_rows])
        order = np.argsort(owner, kind="stable")
        both = OrderFaces(
            np.concatenate([chosen.ranks, other.ranks]),
            np.concatenate([chosen.corners, other.corners]),
            np.concatenate([chosen.corners, other.corners]),
        )
        return owner[order], both.take(order)

    def union(self, newer: "OrderFaces") -> "OrderFaces":
        # Means of unions are not to be had; in exact arithmetic the newer face holds this one.
        # Where rounding says otherwise (a pair is settled there and not, or otherwise, here) the
        # row stays.
        settled = np.abs(newer.embedded) == np.abs(newer.corners)
        holds = np.where(settled, newer.embedded == self.embedded, True).all(axis=1)
        return newer.replace(np.flatnonzero(~holds), self.take(~holds))

    def settle(
        self, current: "OrderFaces", scores: FloatArray, tolerance: FloatArray
    ) -> "OrderFaces":
        gain = np.einsum("ip,ip->i", current.corners - self.corners, scores)
        stays = np.flatnonzero(gain <= tolerance)
        return self.first().replace(stays, current.take(stays).first())

    def equals(self, other: "OrderFaces") -> bool:
        return np.array_equal(self.embedded, other.embedded)
