"""Faces of the polytope of orders: the orders that tie for the minimum, by their mean.

Faces of problems that cost a sum over pairs: the cheapest orders, embedded by their signs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.orderings import OrderDecoder, pairs_of_signs, signs_of_ranks, tied_signs


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

    def keep_unless_better(
        self, current: "OrderFaces", scores: FloatArray, tolerance: FloatArray
    ) -> "OrderFaces":
        gain = np.einsum("ip,ip->i", current.corners - self.corners, scores)
        stays = np.flatnonzero(gain <= tolerance)
        return self.first().replace(stays, current.take(stays).first())

    def differing(self, other: "OrderFaces") -> BoolArray:
        return np.asarray((self.embedded != other.embedded).any(axis=1))


def sign_faces(
    scores: FloatArray,
    m: int,
    before: AnyArray | None,
    *,
    tolerance: FloatArray,
    decoder: OrderDecoder,
    embed: Callable[[FloatArray], FloatArray],
) -> OrderFaces:
    """The orders that minimise ``sum_{i<j} scores_ij sign_ij``, the sign 1 if i stands before j.

    Parameters
    ----------
    scores : float array (n, at least m (m - 1) / 2)
        Pairs as in ``np.triu_indices(m, 1)``; further columns do not count.
    m : int
    before : bool array (n, m, m), optional
        ``before[r, i, j]``: i must stand before j.
    tolerance : float array (n,)
    decoder : OrderDecoder
        For what is too large to be counted.
    embed : callable
        From (means of) signs, ``(n, m (m - 1) / 2)``, to the embedding, ``(n, p)``; affine.

    Examples
    --------
    >>> faces = sign_faces(
    ...     np.array([[-1.0, 0.0, 0.0]]),
    ...     3,
    ...     None,
    ...     tolerance=np.zeros(1),
    ...     decoder=OrderDecoder(),
    ...     embed=np.copy,
    ... )
    >>> faces.outputs, faces.embedded.round(2), faces.is_vertex
    (array([[0, 1, 2]]), array([[ 1.  ,  0.33, -0.33]]), array([False]))
    """
    law = tied_signs(scores, m, before, tolerance=tolerance, decoder=decoder)
    means = embed(law.signs)
    corners = means
    tied = np.flatnonzero(~law.single)
    if tied.size:
        corners = means.copy()
        corners[tied] = embed(signs_of_ranks(law.ranks[tied]))

    def another(rows: IntArray) -> OrderFaces:
        # The same problems with the items numbered backwards: ties fall the other way.
        other = tied_signs(
            -scores[np.ix_(rows, _backwards(m))],
            m,
            None if before is None else before[rows][:, ::-1, ::-1],
            tolerance=tolerance[rows],
            decoder=decoder,
        )
        ranks = np.ascontiguousarray(other.ranks[:, ::-1])
        there = embed(signs_of_ranks(ranks))
        return OrderFaces(ranks, there, there)

    return OrderFaces(law.ranks, corners, means, law.signs, another)


def _backwards(m: int) -> IntArray:
    """Which pair becomes the pair (i, j) when the items are numbered backwards."""
    number = np.zeros((m, m), dtype=np.intp)
    i, j = np.triu_indices(m, 1)
    number[i, j] = np.arange(i.size)
    return np.asarray(number[m - 1 - j, m - 1 - i])
