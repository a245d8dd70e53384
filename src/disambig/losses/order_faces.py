"""Faces of the polytope of orders: the orders that tie for the minimum, by their mean."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from disambig.decoders import pairs_of_signs, signs_of_ranks
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
    tied_signs : float array (n, m (m - 1) / 2), optional
        Share of the tied orders in which i stands before j, less that in which j stands before i,
        for i < j; 1 and -1 where all agree, and only there. Without it `ranks` are the only ones.
    another : callable, optional
        Rows to faces of one order each, a tied one as far from `ranks` as can be had.
    """

    ranks: IntArray
    corners: FloatArray
    embedded: FloatArray
    tied_signs: FloatArray | None = None
    another: Callable[[IntArray], "OrderFaces"] | None = None

    def __len__(self) -> int:
        return len(self.ranks)

    @cached_property
    def signs(self) -> FloatArray:
        """Mean signs of the pairs i < j over the tied orders, ``(n, m (m - 1) / 2)``."""
        return signs_of_ranks(self.ranks) if self.tied_signs is None else self.tied_signs

    @property
    def pairs(self) -> FloatArray:
        """Share of the tied orders in which i stands before j, ``(n, m, m)``; diagonal 0."""
        return pairs_of_signs(self.signs, self.ranks.shape[1])

    @property
    def undecided(self) -> BoolArray:
        """Pairs of which both directions occur among the tied orders, ``(n, m, m)``."""
        n, m = self.ranks.shape
        i, j = np.triu_indices(m, 1)
        both = np.zeros((n, m, m), dtype=np.bool_)
        both[:, i, j] = both[:, j, i] = np.abs(self.signs) < 1.0
        return both

    @cached_property
    def is_vertex(self) -> BoolArray:
        # Orders between which the loss makes no difference are one vertex.
        single: BoolArray = (self.embedded == self.corners).all(axis=1)
        return single

    @property
    def outputs(self) -> IntArray:
        return self.ranks

    def first(self) -> "OrderFaces":
        return OrderFaces(self.ranks, self.corners, self.corners)

    def take(self, index: Any) -> "OrderFaces":
        signs = None if self.tied_signs is None else self.tied_signs[index]
        embedded = self.embedded[index]
        corners = embedded if self.corners is self.embedded else self.corners[index]
        return OrderFaces(self.ranks[index], corners, embedded, signs)

    def replace(self, rows: IntArray, faces: "OrderFaces") -> "OrderFaces":
        ranks, embedded = self.ranks.copy(), self.embedded.copy()
        ranks[rows], embedded[rows] = faces.ranks, faces.embedded
        corners = embedded
        if self.corners is not self.embedded or faces.corners is not faces.embedded:
            corners = self.corners.copy()
            corners[rows] = faces.corners
        signs = None
        if self.tied_signs is not None or faces.tied_signs is not None:
            signs = self.signs.copy()
            signs[rows] = faces.signs
        return OrderFaces(ranks, corners, embedded, signs, self.another)

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
        # Where rounding says otherwise (a direction of a pair that occurs here does not there) the
        # row stays.
        holds = ~((np.abs(newer.signs) == 1.0) & (self.signs != newer.signs)).any(axis=1)
        return newer.replace(np.flatnonzero(~holds), self.take(~holds))

    def settle(
        self, current: "OrderFaces", scores: FloatArray, tolerance: FloatArray
    ) -> "OrderFaces":
        gain = np.einsum("ip,ip->i", current.corners - self.corners, scores)
        stays = np.flatnonzero(gain <= tolerance)
        return self.first().replace(stays, current.take(stays).first())

    def differing(self, other: "OrderFaces") -> BoolArray:
        return np.asarray((self.embedded != other.embedded).any(axis=1))
